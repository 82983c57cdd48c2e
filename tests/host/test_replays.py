"""Matches looked at again: the same states as were played, beside a table that does not wait."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CrowntableError
from engine.game import Audience
from engine.records.replay import steps as record_steps
from host import decisions
from host.entry import Entry
from host.journal import Journal
from host.match import lines_of, match_row, rebuilt
from host.past import past_of
from host.records import record_of_match
from host.replays import Replays
from host.table import LiveTable
from tests.host.long_matches import legal_walk, written
from tests.host.table_kit import OPERATOR, Desk

Json = dict[str, Any]
SPECTATOR = Audience("spectator")
PATIENCE = 120.0

#: the rulebook's example from the declaration to its end: 15, 24, 26, 63, 72
EXAMPLE: tuple[Json, ...] = (
    {"do": "declare", "seat": 1, "against": 2},
    {"do": "play", "seat": 1, "card": "cremisi/cavalry/1"},
    {"do": "play", "seat": 2, "card": "aurea/marksman/1"},
    {"do": "play", "seat": 1, "card": "cremisi/commoners/1"},
    {"do": "play", "seat": 2, "card": "aurea/captain/1"},
    {"do": "play", "seat": 1, "card": "cremisi/marksman/1"},
    {"do": "stand", "seat": 2},
)


def entries_of(desk: Desk) -> list[Entry]:
    assert desk.core.match is not None
    return list(desk.core.journal.read(match=desk.core.match.begun.seq))


def example(folder: Path) -> Desk:
    desk = Desk(folder)
    desk.begin(crown=1)
    for action in EXAMPLE:
        desk.now += 7
        assert desk.do(**action).ok, action
    return desk


def test_the_rulebooks_example_step_by_step(tmp_path: Path) -> None:
    desk = example(tmp_path)
    past = past_of(entries_of(desk))
    summary = past.summary()
    assert [step["do"] for step in summary["steps"]] == ["setup", *["roll"] * 3, *[a["do"] for a in EXAMPLE]]
    field = [(s["field"]["value"], s["field"]["owner"]) for s in summary["steps"] if s["field"]]
    assert field == [(15, 1), (24, 1), (26, 1), (63, 2), (72, 2), (72, 2)]
    assert summary["steps"][-1]["cards"] == {"1": 21, "2": 27, "3": 24}
    assert summary["steps"][-1]["text"].startswith("Bruno stands: Bruno wins the duel at 72 and captures 3")
    (duel,) = summary["duels"]
    assert (duel["from"], duel["to"], duel["winner"], duel["value"]) == (5, 11, 2, 72)
    assert (duel["cards"], duel["captured"], duel["changes"]) == (5, 3, 1)
    assert duel["close"] == round(26 / 72, 2)
    assert summary["best"][0]["score"] == round(5 + 2 * 1 + 4 * duel["close"], 2)
    assert summary["seconds"] == 7 * len(EXAMPLE)
    assert (summary["corrected"], summary["doubtful"], summary["by_hand"]) == (0, 0, 3 + len(EXAMPLE))


@pytest.mark.parametrize(("game", "seats", "seed"), [("althera", 3, 4), ("anthem", 4, 5)])
def test_every_step_shows_what_the_engine_says_of_it(
    tmp_path: Path, game: str, seats: int, seed: int
) -> None:
    written(tmp_path, game, [legal_walk(game, seats, seed, most=70)])
    opened = Replays(tmp_path / "journal.sqlite").open(1, PATIENCE)
    assert opened is not None and opened.replay is not None
    entries = [e for e in _all(tmp_path) if e.match]
    record = record_of_match(entries)
    views = opened.replay.views(1, 1000)
    assert len(views) == len(record.lines)
    rules = rebuilt(entries)[0].game
    for view, step in zip(views, record_steps(record), strict=True):
        assert json.loads(json.dumps(view["game"])) == json.loads(
            json.dumps(rules.view(step.verdict.state, SPECTATOR))
        )
        assert (view["version"], view["seq"]) == (step.n, step.line.seq)
        assert view["crown"]["why"] and view["audience"]["kind"] == "spectator"
    assert opened.replay.views(len(views), 5)[0] == views[-1]
    assert opened.replay.views(len(views) + 1, 5) == opened.replay.views(1, 0) == []


def _all(folder: Path) -> list[Entry]:
    from host.journal import Journal

    journal = Journal(folder)
    try:
        return list(journal.read())
    finally:
        journal.close()


def test_a_view_of_the_past_has_the_shape_of_a_live_one(tmp_path: Path) -> None:
    """A page that draws the one draws the other."""
    desk = example(tmp_path)
    live, past = desk.view("spectator"), past_of(entries_of(desk)).views(11, 1)[0]
    assert set(live) - {"enrolment", "zone_setup", "setup"} <= set(past)
    assert past["grounds"] == live["grounds"] and past["grounds"]["cards"]
    for part in ("match", "crown", "dice", "game"):
        assert set(past[part]) == set(live[part]), part
    assert past["seats"] == live["seats"]
    assert past["game"] == live["game"]


@pytest.mark.parametrize("seed", range(6))
def test_one_pass_over_corrections_comes_to_what_the_table_came_to(tmp_path: Path, seed: int) -> None:
    """Undo, redo, "it was that card", at random: the same lines, the same end."""
    rng = random.Random(seed)
    desk = example(tmp_path)
    kinds = ("captain", "guardian", "cavalry", "vanguard", "champion")
    for _ in range(14):
        match = desk.core.match
        assert match is not None
        plays = [line for line in match.lines if line.action["do"] == "play"]
        choice = rng.choice(("undo", "undo", "redo", "amend", "play"))
        if choice == "undo":
            desk.core.undo(OPERATOR)
        elif choice == "redo":
            desk.core.redo(OPERATOR)
        elif choice == "amend":
            line = rng.choice(plays)
            house = line.action["card"].split("/")[0]
            decisions.amend(
                desk.core, line.seq, {**line.action, "card": f"{house}/{rng.choice(kinds)}/1"}, OPERATOR
            )
        else:
            seat, house = rng.choice(((1, "cremisi"), (2, "aurea")))
            desk.do(do="play", seat=seat, card=f"{house}/{rng.choice(kinds)}/1")
    match, entries = desk.core.match, entries_of(desk)
    assert match is not None
    found = list(lines_of(entries).values())
    assert [(x.seq, x.action, x.undone, x.amended) for x in found] == [
        (x.seq, x.action, x.undone, x.amended) for x in match.lines
    ]
    past = past_of(entries)
    assert past.steps[-1].state == match.state
    broken = [step.line.seq for step in past.steps if step.line.broken is not None]
    assert broken == [line.seq for line in match.lines if line.broken is not None and not line.undone]
    assert past.row["doubtful"] == len(broken)
    assert past.row["corrected"] == sum(e.kind in ("undo", "redo", "amend") for e in entries)


def test_an_action_allowed_against_the_rules_is_doubtful(tmp_path: Path) -> None:
    desk = example(tmp_path)
    desk.do(do="declare", seat=2, against=3)
    desk.do(do="play", seat=3, card="celeste/cavalry/1", force=True)
    past = past_of(entries_of(desk))
    assert (past.row["doubtful"], past.row["corrected"]) == (1, 0)
    assert past.summary()["steps"][-1]["forced"]
    assert past.views(len(past.steps), 1)[0]["findings"][0]["severity"] == "warning"


def test_a_match_ends_with_its_last_action_whatever_is_said_or_started_afterwards(tmp_path: Path) -> None:
    written(tmp_path, "althera", [legal_walk("althera", 2, 7)])
    with closing(Journal(tmp_path)) as journal:
        before = list(journal.read(match=2))
    row = past_of(before).row
    assert row["ended"] == before[-1].wall and row["seconds"] == len(before) - 1
    desk = Desk(tmp_path, "althera-2")
    for days in (1, 2):
        desk.now += days * 86400
        assert desk.core.say("flag", "Afterwards", OPERATOR).ok
        desk.pull_the_plug()
    after = entries_of(desk)
    assert len(after) > len(before)
    assert {key: past_of(after).row[key] for key in ("ended", "seconds", "over")} == {
        key: row[key] for key in ("ended", "seconds", "over")
    }
    assert desk.core.match is not None and match_row(desk.core.match)["ended"] == row["ended"]


# -- beside the table ------------------------------------------------------------------------------


@pytest.fixture(name="table")
def _table(tmp_path: Path) -> Iterator[LiveTable]:
    table = LiveTable(example(tmp_path).core)
    table.start()
    yield table
    table.stop()


def test_rows_tell_a_match_from_the_next(table: LiveTable) -> None:
    assert table.command({"cmd": "undo"}, OPERATOR).ok
    assert table.command({"cmd": "new-match", "turns": 5}, OPERATOR).ok
    new, old = table.matches()
    assert (new["id"], old["id"], new["ready"], old["ready"]) == ("m2", "m1", True, True)
    assert (old["turns"], old["turn"], old["winners"], old["corrected"]) == (3, 1, None, 1)
    assert [seat["name"] for seat in old["seats"]] == ["Ada", "Bruno", "Chiara"]
    assert (old["entries"], old["plays"], old["ruleset"]) == (11, 5, old["ruleset"])


def test_the_match_that_goes_on_is_read_again_once_it_has_gone_on(tmp_path: Path) -> None:
    desk, now = example(tmp_path), 0.0
    replays = Replays(tmp_path / "journal.sqlite", lambda: now)

    def length() -> int:
        opened = replays.open(1, PATIENCE)
        assert opened is not None and opened.replay is not None
        return len(opened.replay.summary()["steps"])

    assert length() == 11
    desk.do(do="declare", seat=2, against=3)
    assert length() == 11  # read a moment ago
    now = 60.0
    assert length() == 12
    replays.stop()


def test_what_is_no_match_is_none_and_a_lost_journal_is_one_sentence(
    tmp_path: Path, table: LiveTable
) -> None:
    assert table.replay("m2") is None
    for name in ("m0", "m-1", "", "x", "m1 OR 1=1", "m" + "9" * 30, "m²"):
        assert table.replay(name) is None
        assert table.export(name, "text") is None
    gone = Replays(tmp_path / "nowhere" / "journal.sqlite")
    for ask in (lambda: gone.rows(1.0), lambda: gone.open(1, 1.0)):
        with pytest.raises(CrowntableError, match="can't be read"):
            ask()


def damage(folder: Path, column: str, value: str, seq: int) -> None:
    with sqlite3.connect(folder / "journal.sqlite") as db:
        db.execute(f"UPDATE entries SET {column} = ? WHERE seq = ?", (value, seq))


@pytest.mark.parametrize("value", ['{"do": "pl', "7", '"\\u00', ""])
@pytest.mark.parametrize("column", ["action", "evidence", "body"])
def test_a_damaged_record_is_shown_as_far_as_it_goes(tmp_path: Path, column: str, value: str) -> None:
    walks = [legal_walk("althera", 2, 1, most=20), legal_walk("althera", 2, 2, most=20)]
    written(tmp_path, "althera", walks)
    damage(tmp_path, column, value, 12)  # the match begins with entry 2, its tenth action is entry 12
    replays = Replays(tmp_path / "journal.sqlite")
    opened = replays.open(1, PATIENCE)
    assert opened is not None and opened.replay is not None
    steps = opened.replay.summary()["steps"]
    if opened.trouble:
        assert opened.trouble == "The record is damaged after entry 11; it is shown up to there."
        assert len(steps) == 9
        assert opened.replay.views(9, 1)[0]["game"]["game"] == "althera"
    else:
        assert (column, value) != ("action", '{"do": "pl')  # what still is JSON may pass for an entry
    whole = replays.open(2, PATIENCE)
    assert whole is not None and whole.replay is not None and whole.trouble == ""
    assert [row["id"] for row in replays.rows(PATIENCE)] == ["m2", "m1"]
    replays.stop()


def test_a_match_of_a_game_that_is_not_here_is_said_and_the_others_stay(tmp_path: Path) -> None:
    walk = legal_walk("althera", 2, 1, most=8)
    written(tmp_path, "althera", [walk, walk])
    with sqlite3.connect(tmp_path / "journal.sqlite") as db:
        (body,) = db.execute("SELECT body FROM entries WHERE seq = 2").fetchone()
    damage(tmp_path, "body", json.dumps({**json.loads(body), "game": "tarot"}), 2)
    replays = Replays(tmp_path / "journal.sqlite")
    opened = replays.open(1, PATIENCE)
    assert opened is not None and opened.replay is None
    assert opened.trouble.startswith("There is no game called 'tarot'.")
    rows = replays.rows(PATIENCE)
    assert [(row["id"], bool(row["trouble"])) for row in rows] == [("m2", False), ("m1", True)]
    replays.stop()


LONG = 3000


def test_a_table_plays_on_while_a_match_of_3000_actions_is_opened(tmp_path: Path) -> None:
    """F-like: the long record is read beside the table; no play waits for it."""
    walk = legal_walk("althera", 3, 3, most=60)
    crown = [{"do": "crown", "seat": n % 3 + 1} for n in range(LONG - 60)]
    written(tmp_path, "althera", [[*walk[:10], *crown, *walk[10:]]])
    desk = Desk(tmp_path)
    table = LiveTable(desk.core)
    table.start()
    try:
        assert table.command({"cmd": "new-match"}, OPERATOR).ok
        done = threading.Event()

        def open_it() -> None:
            opened = table.replay("m1", PATIENCE)
            assert opened is not None and opened.replay is not None
            assert len(opened.replay.summary()["steps"]) >= LONG - 60
            done.set()

        threading.Thread(target=open_it, daemon=True).start()
        waits: list[float] = []
        while not done.is_set() or not waits:
            began = time.perf_counter()
            assert table.command({"cmd": "flag", "text": "look"}, OPERATOR).ok
            waits.append(time.perf_counter() - began)
            time.sleep(0.02)
            assert len(waits) < 4000
        # A flag takes some milliseconds of disk; an opening that held the lock would take all its time.
        waits.sort()
        assert waits[len(waits) // 2] < 0.1
        assert waits[-1] < 1.0
        assert table.replays.open(1, 0.0) is not None
    finally:
        table.stop()


def test_closing_the_table_does_not_wait_for_a_reading(tmp_path: Path) -> None:
    walk = legal_walk("althera", 3, 3, most=12)
    written(tmp_path, "althera", [[*walk, *[{"do": "crown", "seat": n % 3 + 1} for n in range(LONG)]]])
    replays = Replays(tmp_path / "journal.sqlite")
    assert replays.open(1, 0.0) is not None
    began = time.monotonic()
    replays.stop()
    assert time.monotonic() - began < 2.0
    assert replays._thread is not None and not replays._thread.is_alive()


def test_only_a_few_whole_matches_are_kept(tmp_path: Path) -> None:
    written(tmp_path, "althera", [legal_walk("althera", 2, 1, most=6)] * 9)
    replays = Replays(tmp_path / "journal.sqlite")
    for number in range(1, 10):
        assert replays.open(number, PATIENCE) is not None
    assert len(replays._whole) <= 4
    assert len(replays.rows(PATIENCE)) == 9
    replays.stop()


def test_no_step_names_a_card_that_has_not_been_laid_yet(tmp_path: Path) -> None:
    card = re.compile(r"[a-z]+/[a-z]+/\d")
    written(tmp_path, "althera", [legal_walk("althera", 3, 9, most=50)])
    opened = Replays(tmp_path / "journal.sqlite").open(1, PATIENCE)
    assert opened is not None and opened.replay is not None
    laid: set[str] = set()
    views = opened.replay.views(1, 50)
    for entry, view in zip(_all(tmp_path)[2:], views, strict=True):
        laid |= set(card.findall(json.dumps(entry.action)))
        assert set(card.findall(json.dumps(view))) <= laid
