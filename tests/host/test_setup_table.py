"""Setting a table up beyond deck and zones: layout, ports, tray, lights, written tags, what is missing."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CrowntableError
from host.cardlist import load
from host.commands import job_of
from host.dice import DiceDesk
from host.face import Outcome
from host.lamps import lit
from host.layout import find_layout, to_toml
from host.setup_view import missing
from host.sighting import DiceFrame, DieSeen, Health, Inventory, TagRead
from tests.host.table_kit import OPERATOR, Desk

BLANK = TagRead("04000000000001", None, "a blank tag")


def say(desk: Desk, cmd: str, **more: Any) -> Outcome:
    job = job_of(desk.core, {"cmd": cmd, **more}, OPERATOR)
    return job if isinstance(job, Outcome) else job()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.core.bench.given = desk.layout
    return desk


# -- the table ------------------------------------------------------------------------------------


def test_a_step_is_remembered_also_after_the_next_start(desk: Desk) -> None:
    assert desk.view()["setup"]["first"]
    assert say(desk, "setup-step", step="zones", state="skipped").ok
    assert not say(desk, "setup-step", step="zone", state="done").ok
    desk.pull_the_plug()
    setup = desk.view()["setup"]
    assert not setup["first"]
    assert {"step": "zones", "state": "skipped"} in setup["steps"]


def test_a_table_that_is_told_not_to_ask_tells_every_screen_and_remembers_it(desk: Desk) -> None:
    assert desk.view()["asking"] and desk.view("seat", 1)["asking"]
    assert say(desk, "setup-asking", on=False).text == "The screens no longer ask how a match was."
    assert not any(say(desk, "setup-asking", on=wrong).ok for wrong in (None, "no", 1, "false"))
    desk.pull_the_plug()
    assert not any(desk.view(kind, seat)["asking"] for kind, seat in (("spectator", None), ("seat", 1)))
    assert say(desk, "setup-asking", on=True).ok and desk.view()["asking"]


def test_only_the_operator_sees_how_the_table_is_set_up(desk: Desk) -> None:
    for kind, seat in (("spectator", None), ("stream", None), ("seat", 1)):
        assert desk.view(kind, seat)["setup"] is None


def test_a_chosen_layout_is_kept_and_the_table_starts_anew_with_it(desk: Desk) -> None:
    outcome = say(desk, "layout-use", layout="anthem-2")
    assert outcome.text == "The table starts anew as anthem-2."
    assert desk.core.bench.restart == find_layout("anthem-2")
    assert desk.view()["setup"]["restarting"]
    desk.core.journal.close()
    again = Desk(desk.folder, "anthem-2")
    assert again.core.bench.settings.layout == "anthem-2"


def test_the_layout_in_use_needs_no_new_start(desk: Desk) -> None:
    assert say(desk, "layout-use", layout="althera-3").ok
    assert desk.core.bench.restart is None


@pytest.mark.parametrize("name", ["", "nothing", "../althera-3", "/etc/passwd", "\x00", "x" * 5000])
def test_a_name_that_no_layout_has_leads_nowhere(desk: Desk, name: str) -> None:
    assert not say(desk, "layout-use", layout=name).ok
    assert desk.core.bench.restart is None


def test_an_own_layout_file_is_checked_whole_then_offered(desk: Desk) -> None:
    text = to_toml(replace(find_layout("althera-2"), name="kitchen"))
    assert say(desk, "layout-own", text=text, name="mine.toml").ok
    assert say(desk, "layout-use", layout="kitchen").ok
    broken = say(desk, "layout-own", text='game = "althera"\n[[seat]]\nid = 1\nhat = 2', name="mine.toml")
    assert "mine.toml, [[seat]] number 1: unknown key 'hat'" in broken.text
    assert not say(desk, "layout-own", text=text.replace("kitchen", "althera-3")).ok
    assert not say(desk, "layout-own", text=text.replace("kitchen", "../../x")).ok


def test_a_match_of_another_game_is_not_continued_at_this_table_but_stays_in_the_records(desk: Desk) -> None:
    desk.begin()
    desk.core.journal.close()
    other = Desk(desk.folder, "anthem-2")
    assert other.core.match is None
    other.core.journal.close()
    assert Desk(desk.folder).core.match is not None


def test_a_reader_is_where_the_page_says_and_the_table_starts_anew(desk: Desk) -> None:
    assert say(desk, "device-port", device="pico", port="/dev/ttyACM7").ok
    assert desk.core.bench.settings.ports == {"pico": "/dev/ttyACM7"}
    assert desk.core.bench.restart == desk.layout
    assert say(desk, "device-port", device="pico", port="").ok
    assert desk.core.bench.settings.ports == {}
    assert not say(desk, "device-port", device="nobody", port="x").ok


def test_a_settings_file_that_can_not_be_used_is_a_banner_and_the_table_plays(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("steps = 1\n")
    desk = Desk(tmp_path)
    (banner,) = desk.view()["banner"]
    assert "has steps = 1" in banner["text"]
    assert banner["cure"].startswith("Mend that line, or move the file away")
    desk.begin()
    assert say(desk, "setup-step", step="pin", state="done").ok
    assert desk.view()["banner"] == []


# -- the tray -------------------------------------------------------------------------------------


def frame(*dice: tuple[str, int, int]) -> DiceFrame:
    seen = tuple(DieSeen(face, colour, (x, 100, 40, 40), 0.99) for colour, face, x in dice)
    return DiceFrame(1.0, "dice", 1, seen, False)


def test_what_lies_outside_the_drawn_tray_is_not_a_roll(desk: Desk) -> None:
    desk.begin(crown=1)
    assert say(desk, "tray-part", camera="dice", part="tray", box=[100, 50, 400, 300]).ok
    parts = DiceDesk(desk.layout, desk.core.bench.trays())._trays["dice"]
    kept = parts.sorted(frame(("crimson", 4, 10), ("gold", 2, 200)).dice)
    assert [(d.colour, d.face) for d in kept] == [("gold", 2)]


def test_a_die_of_any_colour_in_a_seats_own_part_is_that_seats(desk: Desk) -> None:
    layout = desk.layout
    plain = replace(layout, seats=tuple(replace(seat, die=None) for seat in layout.seats))
    boxes = {"dice": {"seat1": (0, 0, 300, 300), "seat2": (300, 0, 300, 300)}}
    dice = DiceDesk(plain, boxes)
    dice.await_rolls(0.0, [1, 2])
    found: list[Any] = []
    for n in range(30):
        lying = frame(("white", 3, 100), ("white", 5, 400)) if n > 5 else frame()
        seen = replace(lying, at=0.1 * n + 0.1, frame=n + 1, moving=3 < n < 8)
        found += dice.feed(seen)
    assert {(plain.seat_of_die(e.colour or ""), e.face) for e in found} == {(1, 3), (2, 5)}


@pytest.mark.parametrize(
    "wrong",
    [{"camera": "x"}, {"part": "floor"}, {"box": [1, 2, 0, 4]}, {"box": "all"}, {"box": [-1, 0, 5, 5]}],
)
def test_a_part_that_is_none_is_refused(desk: Desk, wrong: dict[str, Any]) -> None:
    fields = {"camera": "dice", "part": "tray", "box": [0, 0, 10, 10], **wrong}
    assert not say(desk, "tray-part", **fields).ok
    assert desk.core.bench.trays() == {}


# -- lights ---------------------------------------------------------------------------------------


def test_the_lamp_of_the_zone_that_is_asked_for_is_lit(desk: Desk) -> None:
    assert lit(desk.core) == {}
    assert say(desk, "zones-start").ok
    assert lit(desk.core).keys() == {("pico", 0)}
    assert say(desk, "zones-skip").ok
    assert lit(desk.core).keys() == {("pico", 1)}
    assert say(desk, "zones-stop").ok
    assert lit(desk.core) == {}


def test_a_tested_light_goes_out_by_itself(desk: Desk) -> None:
    assert say(desk, "light-test", at="seat2.field", colour="red").ok
    (lamp,) = lit(desk.core).values()
    assert lamp.colour == (255, 0, 0)
    desk.now += 61
    assert desk.core.tick()
    assert lit(desk.core) == {}
    assert desk.view()["setup"]["light"] is None


def test_a_light_that_nobody_saw_is_missing_until_it_is_seen(desk: Desk) -> None:
    assert say(desk, "light-seen", at="crown", seen="unseen").ok
    assert {"step": "lights", "what": "light", "id": "crown"} in missing(desk.core)
    assert say(desk, "light-seen", at="crown", seen="seen").ok
    assert not [one for one in missing(desk.core) if one["step"] == "lights"]
    assert not say(desk, "light-test", at="the moon").ok
    assert not say(desk, "light-test", at="crown", colour="octarine").ok


# -- what is missing ------------------------------------------------------------------------------


def test_a_bare_table_says_all_that_is_missing_and_a_ready_one_nothing(desk: Desk) -> None:
    assert {one["what"] for one in missing(desk.core)} == {"device", "zones", "cards"}
    for name, kind in (("pico", "reader"), ("scan", "reader"), ("dice", "camera")):
        facts = (("calibration", "Good."),) if kind == "camera" else ()
        desk.see(Health(desk.now, name, kind, "up", "well", facts))  # type: ignore[arg-type]
    say(desk, "setup-step", step="zones", state="done")
    left = list(missing(desk.core))
    assert [one["what"] for one in left] == ["cards"]
    say(desk, "enrol-start")
    enrolment = desk.core.enrolment
    assert enrolment is not None
    for n, card in enumerate(enrolment.deck):
        desk.core.book.bind(card, f"04{n:012X}", "")
    assert list(missing(desk.core)) == []


# -- cards in and out -----------------------------------------------------------------------------


def test_a_card_list_from_elsewhere_is_merged_or_replaces_the_tables(desk: Desk) -> None:
    desk.core.book.bind("cremisi/captain/1", "04000000000001", "")
    given = "card;uid\ncremisi/cavalry/1;04000000000002\n"
    assert say(desk, "cards-import", text=given).text.startswith("1 cards are taken over; 2 cards")
    assert say(desk, "cards-import", text=given, replace=True).ok
    assert [entry.card for entry in load(desk.folder / "cards.csv").entries] == ["cremisi/cavalry/1"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("card,uid\ncremisi/cavalri/1,04000000000002\n", "Is it cremisi/cavalry/1?"),
        ("card,uid\ncremisi/cavalry/1,0400000000\n", "line 2"),
        ("nothing\n", "has no columns card and uid"),
        ("card,uid\n", "binds no card"),
        ("card,uid\ncremisi/cavalry/1,\ud80004000000000002\n", "line 2"),
    ],
)
def test_a_list_that_can_not_be_taken_over_says_where_and_changes_nothing(
    desk: Desk, text: str, says: str
) -> None:
    desk.core.book.bind("cremisi/captain/1", "04000000000001", "")
    outcome = say(desk, "cards-import", text=text)
    assert not outcome.ok
    assert says in outcome.text
    assert len(load(desk.folder / "cards.csv").entries) == 1


# -- writing --------------------------------------------------------------------------------------


class Pen:
    """A reader that writes when it is told to."""

    def __init__(self, desk: Desk) -> None:
        self.asked: list[tuple[str, str, str, bool]] = []
        self.future: Future[Any] = Future()
        desk.core.bench.writer = self.write
        desk.core.bench.writing = frozenset({"scan"})

    def write(self, reader: str, uid: str, card: str, lock: bool) -> Future[Any]:
        self.asked.append((reader, uid, card, lock))
        self.future = Future()
        return self.future


def sweep(desk: Desk, tag: TagRead, times: int = 20) -> dict[str, Any]:
    for _ in range(times):
        desk.now += 0.05
        desk.see(Inventory(desk.now, "scan", 0, (tag,)))
    view = desk.view()["enrolment"]
    assert isinstance(view, dict)
    return view


def test_a_blank_tag_is_written_and_bound_only_when_it_reads_back(desk: Desk) -> None:
    pen = Pen(desk)
    assert say(desk, "enrol-start", only="cremisi/captain", mode="write").ok
    said = sweep(desk, BLANK)
    assert said["text"] == "cremisi/captain/1: writing. Leave the tag where it is."
    assert pen.asked == [("scan", BLANK.uid, "cremisi/captain/1", False)]
    assert said["bound"] == []
    pen.future.set_result("written")
    said = sweep(desk, replace(BLANK, card="cremisi/captain/1", why=None), 1)
    assert said["bound"][0]["text"] == "20 of 20 reads; it is a blank tag; written"


def test_a_tag_that_can_not_be_written_is_said_and_not_bound(desk: Desk) -> None:
    pen = Pen(desk)
    say(desk, "enrol-start", only="cremisi/captain", mode="lock")
    sweep(desk, BLANK)
    assert pen.asked[0][3]
    pen.future.set_exception(CrowntableError("The tag is locked.", "Take another tag."))
    said = sweep(desk, BLANK, 1)
    assert (said["level"], said["bound"]) == ("warn", [])
    assert said["text"] == "cremisi/captain/1 is not written: The tag is locked. Take another tag."


def test_somebody_elses_content_is_never_written_over(desk: Desk) -> None:
    pen = Pen(desk)
    say(desk, "enrol-start", only="cremisi/captain", mode="write")
    said = sweep(desk, replace(BLANK, why="not a game card: web address"))
    assert pen.asked == []
    assert said["bound"][0]["text"] == "20 of 20 reads; not a game card: web address"


def test_a_spot_whose_reader_can_not_write_says_so_at_once(desk: Desk) -> None:
    outcome = say(desk, "enrol-start", mode="write")
    assert outcome.text.startswith("The reader scan can't write on tags. Enrol by number")
    assert not say(desk, "enrol-start", mode="engrave").ok
