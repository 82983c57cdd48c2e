"""The plug and the clock: a match that goes on after a torn journal (F50), and one whose clock jumps by
two weeks again and again (F51)."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from host import decisions
from host.core import Clocks, Core
from host.entry import Entry
from host.interpret import CROWN
from host.journal import Journal
from host.layout import find_layout
from host.match import rebuilt
from host.sighting import Inventory, TagRead
from host.table import LiveTable
from tests.host.table_kit import OPERATOR, Desk
from tests.small_disk import run_on_small_disk

PLAYS = [
    (1, "cremisi/cavalry/1"), (2, "aurea/marksman/1"), (1, "cremisi/commoners/1"), (2, "aurea/captain/1"),
]  # fmt: skip
FORTNIGHT = 14 * 86400.0


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder on a disk in memory where there is one: thousands of full syncs take their time."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        yield Path(name)


def played(desk: Desk) -> list[int]:
    """A duel card by card; the seq of the journal after each step that a screen has shown."""
    desk.begin(crown=1)
    desk.do(do="declare", seat=1, against=2)
    saved = [desk.core.seq]
    for seat, card in PLAYS:
        desk.play(seat, card)
        saved.append(desk.core.seq)
    return saved


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("step", [173, pytest.param(1, marks=pytest.mark.soak)])
def test_f50_a_match_goes_on_after_a_journal_torn_at_any_byte_of_its_last_4_kib(
    memory: Path, step: int
) -> None:
    desk = Desk(memory / "whole")
    played(desk)
    files = {p.name: p.read_bytes() for p in (memory / "whole").iterdir() if p.suffix != ".sqlite-shm"}
    entries = list(desk.core.journal.read())
    desk.core.journal.close()
    wal = files["journal.sqlite-wal"]
    kept = []
    for cut in [*range(len(wal) - 4096, len(wal), step), len(wal)]:
        folder = memory / "torn"
        folder.mkdir()
        for name, data in files.items():
            if not name.endswith("-shm"):
                (folder / name).write_bytes(wal[:cut] if name.endswith("-wal") else data)
        kept.append(goes_on(folder, entries))
        shutil.rmtree(folder)
    assert kept == sorted(kept)
    assert kept[-1] == len(entries)
    assert kept[0] >= len(entries) - 3


def goes_on(folder: Path, entries: list[Entry]) -> int:
    """How many entries are left; they are the first ones, and the match takes another action."""
    core = Core(Journal(folder), find_layout("althera-3"), Clocks(lambda: 1.7e9, lambda: 1.0, "again"))
    left = [e for e in core.journal.read() if e.boot != "again"]
    assert left == entries[: len(left)]
    assert core.match is not None
    again, _ = rebuilt([e for e in left if e.match == core.match.begun.seq])
    assert core.match.game.state_json(core.match.state) == again.game.state_json(again.state)
    outcome = core.act({"do": "crown", "seat": 3}, OPERATOR)
    assert outcome.ok
    assert outcome.seq == core.seq
    core.journal.close()
    return len(left)


def test_f50_after_a_restart_a_crown_left_lying_elsewhere_is_asked_about(tmp_path: Path) -> None:
    """The first look after a start is none that saw the crown move."""
    desk = Desk(tmp_path)
    desk.begin(crown=2)
    tag = TagRead("04000000000001", CROWN)

    def lies(antenna: int) -> None:
        for _ in range(12):
            desk.now += 0.2
            for other in (3, 4):
                read = (tag,) if other == antenna else ()
                desk.core.sighting(Inventory(desk.now + other / 100, "pico", other, read))

    def asked() -> list[dict[str, Any]]:
        return list(desk.view()["questions"])

    desk.core.journal.close()
    desk.boot()
    lies(3)
    (question,) = asked()
    assert desk.state()["crown"] == 2 and not [f for f in desk.view()["findings"] if f["open"]]
    assert question["text"] == (
        "The crown lies before Ada; by the match Bruno holds it. Has it changed hands?"
    )
    assert [a["label"] for a in question["answers"]] == ["No, Bruno holds it", "Yes, Ada has it now"]
    lies(4)  # put where it belongs: nothing is left to ask
    assert asked() == [] and desk.state()["crown"] == 2
    lies(3)  # and moved before everybody's eyes
    assert desk.state()["crown"] == 1

    desk.core.journal.close()
    desk.boot()
    lies(4)
    (question,) = asked()
    assert decisions.answer(desk.core, question["id"], "yes", OPERATOR).ok
    assert desk.state()["crown"] == 2 and asked() == []


def test_f51_clock_steps_of_two_weeks_change_neither_order_nor_durations_nor_the_match(
    tmp_path: Path,
) -> None:
    rng = random.Random(51)
    straight, jumping = Desk(tmp_path / "straight"), Desk(tmp_path / "jumping")
    for desk in (straight, jumping):
        skew = [0.0]

        def boot(desk: Desk = desk, skew: list[float] = skew) -> None:
            desk.core.clocks = Clocks(
                lambda: 1.7e9 + desk.now + skew[0], lambda: desk.now, f"boot{desk.boots}"
            )

        def step(desk: Desk = desk, skew: list[float] = skew) -> None:
            if desk is jumping:
                skew[0] = rng.choice((-FORTNIGHT, 0.0, FORTNIGHT, -1.7e9))
            desk.now += 10.0

        boot()
        desk.begin(crown=1)
        desk.do(do="declare", seat=1, against=2)
        for i, (seat, card) in enumerate(PLAYS):
            step()
            desk.play(seat, card)
            if i == 1:
                desk.pull_the_plug()
                boot()
        desk.lay(1, "cremisi/overtake/1")
        step()
        desk.lift(1, "cremisi/overtake/1")
        step()
        desk.do(do="undo")
        desk.core.redo(OPERATOR)
    assert jumping.state() == straight.state()
    assert jumping.texts() == straight.texts()
    one, two = straight.view(), jumping.view()
    assert two["match"]["elapsed"] == pytest.approx(one["match"]["elapsed"])
    assert 60 < two["match"]["elapsed"] < 120
    walls = [e.wall for e in jumping.core.journal.read()]
    assert walls != sorted(walls)
    assert [e.seq for e in jumping.core.journal.read()] == list(range(1, len(walls) + 1))
    assert not [f for f in two["findings"] if f["open"]]


def test_f52_what_waits_for_the_disk_is_written_at_an_orderly_stop(tmp_path: Path) -> None:
    core = Core(Journal(tmp_path), find_layout("althera-3"), Clocks(lambda: 1.7e9, lambda: 1.0, "boot"))
    table = LiveTable(core)
    table.start()
    assert table.command({"cmd": "new-match"}, OPERATOR).ok
    core.journal.pretend_disk("read-only")
    outcome = table.command({"cmd": "flag", "text": "the disk is away"}, OPERATOR)
    assert (outcome.ok, outcome.seq) == (True, None)
    core.journal.pretend_disk("well")
    table.stop()
    journal = Journal(tmp_path)
    assert "the disk is away" in [e.text for e in journal.read()]
    journal.close()


FULL_DISK = """
import sys
from pathlib import Path
from host.journal import Journal
from tests.host.table_kit import OPERATOR, Desk
folder = Path(sys.argv[1])
(folder / "others").write_bytes(b"x" * 400_000)
desk = Desk(folder)
desk.begin(crown=1)
desk.do(do="declare", seat=1, against=2)
said = 0
while (outcome := desk.core.say("flag", "x" * 3000, OPERATOR)).seq is not None:
    said += 1
assert 20 < said < 400, said
assert "Not recorded yet" in outcome.text and "full" in outcome.text, outcome
desk.play(1, "cremisi/cavalry/1")
desk.play(2, "aurea/captain/1")
assert desk.duel()["field"] == {"owner": 2, "value": 52}, desk.duel()
view = desk.view()
assert view["banner"][0]["level"] == "red" and not view["events"][0]["recorded"], view["banner"]
state, waiting = desk.state(), len(desk.core.backlog.waiting)
assert waiting >= 3 and view["seq"] == desk.core.seq - waiting
(folder / "others").unlink()
assert desk.core.tick()
assert not desk.core.backlog.waiting and not desk.view()["banner"]
desk.pull_the_plug()
assert desk.state() == state
assert [e.seq for e in desk.core.journal.read()] == list(range(1, desk.core.seq + 1))
"""


def test_f52_play_goes_on_over_a_full_disk_and_is_recorded_once_there_is_room(tmp_path: Path) -> None:
    run_on_small_disk(tmp_path / "disk", FULL_DISK, "2m")
