"""A memory card that gives entries back otherwise than they were written: the table starts, the match goes
on without them, and the screen says which are missing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from host.core import Core
from host.journal import heads_of
from tests.host.table_kit import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Ada has the crown and has called on Bruno; a card of hers lies."""
    desk = Desk(tmp_path)
    desk.begin(crown=1)
    assert desk.do(do="declare", seat=1, against=2).ok
    assert desk.do(do="play", seat=1, card="cremisi/captain/1").ok
    return desk


def spoil(desk: Desk, column: str, value: str, which: str = "max(seq)", kind: str = "action") -> int:
    """The disk has changed one column of an entry. Its seq."""
    desk.core.journal.close()
    with sqlite3.connect(desk.folder / "journal.sqlite") as db:
        seq = int(db.execute(f"SELECT {which} FROM entries WHERE kind = ?", (kind,)).fetchone()[0])
        db.execute(f"UPDATE entries SET {column} = ? WHERE seq = ?", (value, seq))
    db.close()
    return seq


def said(core: Core) -> list[str]:
    return [event.text for event in core.events]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("action", "{\"do\":\"pl\x00"), ("action", "[1]"), ("action", "7"), ("findings", "nothing"),
        ("evidence", "{}"), ("body", "null"), ("body", ""), ("kind", "acti"),
    ],
)  # fmt: skip
def test_a_damaged_entry_is_left_out_and_said(desk: Desk, column: str, value: str) -> None:
    seq = spoil(desk, column, value)
    core = desk.boot()
    state = core.match.game.state_json(core.match.state) if core.match else {}
    assert [duel["plays"] for duel in state["duels"]] == [[]]  # the declaration holds, the card is missing
    text = f"The disk gives entry {seq} of this match back damaged; it is left out."
    assert any(line.startswith(text) for line in said(core))
    assert desk.do(do="play", seat=1, card="cremisi/captain/1").ok  # by hand, and on it goes
    assert desk.pull_the_plug().match is not None


def test_json_that_nobody_wrote_is_left_out_as_well(desk: Desk) -> None:
    spoil(desk, "action", "{}")
    core = desk.boot()
    assert core.match is not None
    assert any("damaged" in line for line in said(core))
    assert desk.do(do="play", seat=1, card="cremisi/captain/1").ok


def test_several_are_counted(desk: Desk) -> None:
    for which in ("max(seq)", "min(seq)"):
        spoil(desk, "findings", "", which)
    core = desk.boot()
    assert any(line.startswith("The disk gives 2 entries of this match back damaged") for line in said(core))


def test_a_match_whose_beginning_is_damaged_does_not_keep_the_table_from_starting(desk: Desk) -> None:
    seq = spoil(desk, "body", "}{", kind="match")
    core = desk.boot()
    assert core.match is None
    assert any(line.startswith(f"The disk gives entry {seq} of this match") for line in said(core))
    desk.begin(crown=2)
    assert core.match is not None
    assert core.match.begun.body["number"] == 2
    assert [begun.body["number"] for begun, _ in heads_of(core.journal.path)] == [2]
