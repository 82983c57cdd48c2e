"""Throws as video: every settled roll once, none while moving."""

import random

from host.sighting import DiceFrame, DieSeen
from host.virtual.tray import VirtualTray
from vision.process import Reader
from vision.readings import Image
from vision.settle import Event, Moving, Rested, Settler

STEP = 1 / 15
HOUSES = ("crimson", "gold", "sky blue", "green", "purple")


class Film:
    """Frames through the real reader and the settler, on a clock of its own."""

    def __init__(self) -> None:
        self.now, self.count = 100.0, 0
        self.reader, self.settler = Reader(), Settler()
        self.events: list[Event] = []
        self.moving: list[bool] = []

    def show(self, frame: Image) -> None:
        self.now += STEP
        self.count += 1
        found, moving = self.reader.read(frame, self.now)
        dice = [DieSeen(d.value, d.colour, d.box, d.confidence) for d in found.dice]
        dice += [DieSeen(None, d.colour, d.box, 0.0, d.why) for d in found.unsure]
        self.moving.append(moving)
        self.events += self.settler.feed(DiceFrame(self.now, "dice", self.count, tuple(dice), moving))

    def rolls(self) -> list[tuple[str | None, int]]:
        return [(d.colour, d.face) for e in self.events if isinstance(e, Rested) for d in e.dice]


def test_every_rendered_throw_is_told_once_and_right() -> None:
    film = Film()
    tray = VirtualTray(seed=11, clock=lambda: film.now)
    chance = random.Random(5)
    thrown: list[tuple[str, int]] = []
    tray.put({name: chance.randint(1, 6) for name in HOUSES})
    for _ in range(12):
        film.show(tray.frame())
    for k in range(15):
        colour, face = HOUSES[k % 5], chance.randint(1, 6)
        film.settler.expect(film.now, (colour,))
        tray.throw({colour: face})
        thrown.append((colour, face))
        before = len(film.events)
        for _ in range(26):  # 1.7 s
            film.show(tray.frame())
        told = [e for e in film.events[before:] if isinstance(e, Rested)]
        assert len(told) == 1, (thrown[-1], film.events[before:])
        assert told[0].at - (film.now - 26 * STEP) < 1.5
    assert film.rolls() == thrown
    tray.stop()


def test_all_houses_thrown_together() -> None:
    film = Film()
    tray = VirtualTray(seed=12, clock=lambda: film.now)
    faces = {"crimson": 1, "gold": 6, "sky blue": 5, "green": 2, "purple": 4}
    for _ in range(8):
        film.show(tray.frame())
    film.settler.expect(film.now, HOUSES)
    tray.throw(faces)
    for _ in range(40):
        film.show(tray.frame())
    assert dict(film.rolls()) == faces and len(film.rolls()) == 5
    tray.stop()


def test_nothing_is_told_under_a_moving_hand() -> None:
    film = Film()
    tray = VirtualTray(seed=13, clock=lambda: film.now)
    tray.put({"crimson": 3})
    for _ in range(10):
        film.show(tray.frame())
    film.settler.expect(film.now, ("crimson",))
    tray.hand()
    for _ in range(20):
        film.show(tray.frame())
    assert not film.rolls() and any(isinstance(e, Moving) for e in film.events)
    tray.hand(False)
    for _ in range(20):
        film.show(tray.frame())
    assert not film.rolls()
    tray.stop()
