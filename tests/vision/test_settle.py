"""A roll as a state machine: given frames, when is a number told, and how often (F32, F34)."""

from host.sighting import DiceFrame, DieSeen
from vision.settle import Changed, Doubt, Event, Moving, Rested, Settler

STEP = 1 / 15


def die(
    face: int | None, x: int = 100, colour: str = "crimson", why: str | None = None, y: int = 100
) -> DieSeen:
    return DieSeen(face, colour, (x, y, 60, 60), 0.99 if face else 0.0, why)


class Tray:
    """Feeds frames at 15 a second and gathers what the settler says."""

    def __init__(self, settler: Settler | None = None) -> None:
        self.settler = settler or Settler()
        self.now, self.count = 10.0, 0
        self.events: list[Event] = []

    def show(self, *dice: DieSeen, frames: int = 8, moving: bool = False) -> list[Event]:
        fresh: list[Event] = []
        for _ in range(frames):
            self.now += STEP
            self.count += 1
            fresh += self.settler.feed(DiceFrame(self.now, "dice", self.count, dice, moving))
        self.events += fresh
        return fresh

    def expect(self, *colours: str) -> None:
        self.settler.expect(self.now, colours)


def rolls(events: list[Event]) -> list[tuple[str | None, int]]:
    return [(d.colour, d.face) for event in events if isinstance(event, Rested) for d in event.dice]


def test_an_awaited_throw_is_told_once_with_its_evidence() -> None:
    tray = Tray()
    tray.show(die(2))
    tray.expect("crimson")
    asked = tray.now
    tray.show(die(5, x=150), frames=10, moving=True)
    events = tray.show(die(4, x=300), frames=60)
    told = [event for event in events if isinstance(event, Rested)]
    assert rolls(events) == [("crimson", 4)]
    assert len(told[0].evidence.frames) == 4
    assert all(at > asked for _, at in told[0].evidence.frames)
    assert told[0].evidence.moved is not None and told[0].evidence.moved > asked
    assert told[0].at - told[0].evidence.moved < 0.5


def test_nothing_is_told_while_dice_move() -> None:
    tray = Tray()
    tray.show(die(2))
    tray.expect()
    events = tray.show(die(4, x=300), frames=100, moving=True)
    assert [type(event) for event in events] == [Moving]


def test_a_throw_that_nobody_awaits_is_a_change_and_no_roll() -> None:
    tray = Tray()
    tray.show(die(2))
    tray.show(moving=True)
    events = tray.show(die(4, x=300), frames=30)
    assert not rolls(events)
    assert [event.what for event in events if isinstance(event, Changed)] == ["turned"]


def test_the_die_that_lay_there_before_the_request_is_no_roll() -> None:
    tray = Tray()
    tray.show(die(6), frames=30)
    tray.expect("crimson")
    assert not tray.show(die(6), frames=60)


def test_frames_older_than_the_request_do_not_count() -> None:
    settler = Settler()
    for k in range(8):
        settler.feed(DiceFrame(1.0 + k * STEP, "dice", k, (die(2),), False))
    settler.expect(50.0, ("crimson",))
    for k in range(8, 40):  # the driver's buffer: captured before the request, delivered after it
        assert not settler.feed(DiceFrame(2.0 + k * STEP, "dice", k, (die(5, x=300),), False))
    fresh = [
        settler.feed(DiceFrame(51.0 + k * STEP, "dice", k, (die(1, x=400),), False)) for k in range(40, 60)
    ]
    assert rolls([event for events in fresh for event in events]) == [("crimson", 1)]


def test_the_first_roll_of_all_needs_no_earlier_picture() -> None:
    tray = Tray()
    tray.expect("crimson")
    tray.show(moving=True)
    assert rolls(tray.show(die(3), frames=20)) == [("crimson", 3)]


def test_a_camera_that_comes_up_after_the_request_does_not_take_the_lying_die() -> None:
    tray = Tray()
    tray.expect("crimson")
    assert not rolls(tray.show(die(3), frames=40))


def test_a_locked_die_that_is_turned_is_said_and_not_rolled_again() -> None:
    tray = Tray()
    tray.show()
    tray.expect("crimson")
    tray.show(moving=True)
    tray.show(die(3), frames=20)
    tray.show(moving=True)
    later = tray.show(die(5), frames=20)
    assert rolls(tray.events) == [("crimson", 3)]
    assert [(e.what, e.after and e.after.face) for e in later if isinstance(e, Changed)] == [("turned", 5)]


def test_a_nudge_while_a_roll_is_awaited_is_doubted_not_taken() -> None:
    tray = Tray()
    tray.show(die(3), frames=20)
    tray.expect("crimson")
    tray.show(moving=True)
    events = tray.show(die(3, x=130), frames=40)
    assert not rolls(events)
    assert [event.why for event in events if isinstance(event, Doubt)] == ["not thrown"]


def test_a_hand_that_rests_over_the_die_makes_no_roll_and_no_lasting_change() -> None:
    tray = Tray()
    tray.show(die(3), frames=20)
    tray.expect("crimson")
    tray.show(moving=True)
    tray.show(frames=40)
    tray.show(moving=True)
    assert not rolls(tray.show(die(3), frames=40))
    assert tray.settler.awaiting == ("crimson",)


def test_flicker_between_two_numbers_never_settles() -> None:
    tray = Tray()
    tray.show(die(2))
    tray.expect("crimson")
    tray.show(moving=True)
    for k in range(60):
        tray.show(die(3 + k % 2, x=300), frames=1)
    assert not rolls(tray.events)


def test_an_unsure_frame_among_sure_ones_only_delays() -> None:
    tray = Tray()
    tray.show(die(2))
    tray.expect("crimson")
    tray.show(moving=True)
    for k in range(16):
        tray.show(die(None if k % 3 == 1 else 6, x=300), frames=1)
    assert rolls(tray.events) == [("crimson", 6)]


def test_a_die_that_cannot_be_read_is_asked_for_once_with_the_reason() -> None:
    tray = Tray()
    tray.show(die(2))
    tray.expect("crimson")
    tray.show(moving=True)
    events = tray.show(die(None, x=300, why="cocked"), frames=80)
    assert [(e.colour, e.why) for e in events if isinstance(e, Doubt)] == [("crimson", "cocked")]
    tray.show(moving=True)  # somebody straightens it
    assert rolls(tray.show(die(5, x=310), frames=20)) == [("crimson", 5)]


def test_each_of_several_awaited_colours_is_told_once_as_it_rests() -> None:
    tray = Tray()
    tray.show()
    tray.expect("crimson", "gold", "green")
    tray.show(moving=True)
    tray.show(die(3), die(None, 300, "gold", "glare"), frames=20)
    assert rolls(tray.events) == [("crimson", 3)]
    tray.show(moving=True)
    tray.show(die(3), die(6, 300, "gold"), die(1, 500, "green"), frames=20)
    assert rolls(tray.events) == [("crimson", 3), ("gold", 6), ("green", 1)]
    assert tray.settler.awaiting is None


def test_somebody_elses_die_is_not_taken_for_the_awaited_one() -> None:
    tray = Tray()
    tray.show()
    tray.expect("crimson")
    tray.show(moving=True)
    events = tray.show(die(3, colour="gold"), frames=40)
    assert not rolls(events)
    assert [event.what for event in events if isinstance(event, Changed)] == ["new"]


def test_a_cancelled_request_takes_nothing() -> None:
    tray = Tray()
    tray.show()
    tray.expect("crimson")
    tray.settler.cancel()
    tray.show(moving=True)
    assert not rolls(tray.show(die(3), frames=40))
