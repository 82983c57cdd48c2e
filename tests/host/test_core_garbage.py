"""Whatever JSON comes from outside ends in an Outcome of one sentence, and the table goes on."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from engine.althera.cards import HOUSES
from engine.game import Audience
from host.commands import FIELDS
from host.core import Clocks, Core
from host.face import Outcome, Who
from host.journal import Journal
from host.layout import find_layout
from host.newmatch import begin
from host.setup_commands import NAMES
from host.table import FAULT, LiveTable
from tests.host.table_kit import OPERATOR

#: how many inputs a soak tries, at each game's table
MANY = int(os.environ.get("CROWNTABLE_FUZZ", "500000"))
COMMANDS = ["answer", "undo", "redo", "allow", "amend", "dismiss", "new-match", "pause", "resume", "flag",
            "announce", "judge", *NAMES]  # fmt: skip
ACTIONS = ["setup", "roll", "crown", "declare", "redraw", "play", "retreat", "stand", "intervene", "undo",
           "lay", "keep", "claim"]  # fmt: skip
KEYS = ["seq", "id", "question", "answer", "action", "text", "seats", "turns", "ruleset", "game", "first",
        "card", "zone", "only", "again", "seat", "face", "against", "for", "sign", "place", "win", "shown",
        "force", "players", "house", "name", "rank_step", "dragon", "step", "state", "layout", "device",
        "port", "camera", "part", "box", "at", "colour", "seen", "language", "mode", "on"]  # fmt: skip

odd = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(-3, 200), st.floats(), st.sampled_from(KEYS),
    st.sampled_from(["", " ", "+", "-", "hero", "1", "q7", "f7-0", "cremisi/cavalry/1", "s1/5", "althera",
                     "anthem", "scan", "pico", "dice", "tray",
                     "crown", "zones", "done", "\ud800", "\x00", "9" * 5000, "é" * 3000, "cremisi", "aurea"]),
    st.text(max_size=20),
)  # fmt: skip
json_values = st.recursive(
    odd,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=4),
    ),
    max_leaves=12,
)
fields = st.dictionaries(st.sampled_from(KEYS), json_values, max_size=5)
actions = st.builds(lambda do, rest: {"do": do, **rest}, st.sampled_from(ACTIONS) | odd, fields)
commands = st.builds(
    lambda cmd, rest, action: {"cmd": cmd, **rest, **action},
    st.sampled_from(COMMANDS) | odd,
    fields,
    st.one_of(st.just({}), st.builds(lambda a: {"action": a}, actions)),
)
#: commands whose fields are those that they have, with anything in them
whole_commands = st.sampled_from(sorted(FIELDS)).flatmap(
    lambda cmd: st.fixed_dictionaries(
        {"cmd": st.just(cmd)},
        optional={key: actions if key == "action" else json_values for key in FIELDS[cmd]},
    )
)
whos = st.sampled_from([OPERATOR, Who("seat", "1"), Who("seat", "2"), Who("seat", "x"), Who("bot", "")])
anything = st.one_of(actions, commands, whole_commands, json_values)
step = st.tuples(st.sampled_from(["act", "command"]), anything, whos)
steps = st.lists(step, min_size=1, max_size=4)


@pytest.fixture(scope="module", params=["althera-3", "anthem-2"])
def table(request: pytest.FixtureRequest) -> Iterator[LiveTable]:
    # In memory where there is such a disk: half a million full syncs take their time.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        yield from _running(Path(name), request.param)


@pytest.fixture(params=["althera-3", "anthem-2"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LiveTable]:
    """A table that no fuzzer has been at."""
    yield from _running(tmp_path, request.param)


def _running(folder: Path, layout: str) -> Iterator[LiveTable]:
    clocks = Clocks(lambda: 1.7e9, lambda: 1.0, "boot")
    core = Core(Journal(folder), find_layout(layout), clocks)
    live = LiveTable(core)
    live.start()
    begin_again(live)
    yield live
    live.stop()
    again = Core(Journal(folder), find_layout(layout), clocks)
    again.journal.close()
    assert again.seq == core.seq + 1


def begin_again(table: LiveTable) -> None:
    assert table.command({"cmd": "new-match"}, OPERATOR).ok
    for seat in table.core.layout.seats:
        if table.core.layout.game == "althera":
            table.act({"do": "roll", "seat": seat.id, "face": 7 - seat.id}, OPERATOR)


def try_all(table: LiveTable, given_steps: list[tuple[str, Any, Who]]) -> None:
    for way, what, who in given_steps:
        outcome = table.act(what, who) if way == "act" else table.command(what, who)
        assert isinstance(outcome, Outcome)
        assert outcome.text
        assert outcome.text != FAULT, (way, what)
        assert len(outcome.text) < 2500, outcome.text
        if outcome.ok and outcome.seq is None:
            assert isinstance(what, dict)
            assert what.get("cmd") in (*NAMES, "allow"), outcome
    assert not table.core.backlog.waiting
    for kind, seat in (("operator", None), ("spectator", None), ("seat", 1)):
        assert table.view(Audience(kind, seat))["seq"] == table.core.seq  # type: ignore[arg-type]
    table.preview_undo()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_any_json_ends_in_a_sentence(table: LiveTable, given_steps: list[tuple[str, Any, Who]]) -> None:
    try_all(table, given_steps)


@pytest.mark.soak
@pytest.mark.timeout(40_000)
def test_a_million_pieces_of_json(table: LiveTable) -> None:
    done = 0
    for batch in count(1):

        @seed(batch)
        @settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(steps)
        def run(given_steps: list[tuple[str, Any, Who]]) -> None:
            nonlocal done
            done += len(given_steps)
            if table.core.seq % 3000 > 2900:
                begin_again(table)
            try_all(table, given_steps)

        run()
        if done >= MANY:
            return


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (None, "A command is a JSON object"),
        ({}, "The command None is not known; there are: answer, undo"),
        ({"cmd": "x" * 10_000}, "is not known"),
        ({"cmd": ["flag"]}, "is not known"),
        ({"cmd": "answer"}, "The command 'answer' is not complete: 'question' is missing or is no text."),
        ({"cmd": "undo", "steps": 2}, "The command 'undo' has no field 'steps'; it has none."),
        ({"cmd": "flag", "txt": "look"}, "The command 'flag' has no field 'txt'; it has text."),
        ({"cmd": "new-match", "turn": 5}, "has no field 'turn'; it has game, seats, turns, first, ruleset."),
        ({"cmd": "new-match", "seats": [{"seat": 1, "nam": "Ada"}]}, "A player has no field 'nam'"),
        ({"cmd": "answer", "question": "q9", "answer": "yes"}, "That question is no longer open."),
        ({"cmd": "allow", "seq": -1}, "'seq' is missing or is no whole number"),
        ({"cmd": "allow", "seq": True}, "'seq' is missing or is no whole number"),
        ({"cmd": "allow", "seq": 1e300}, "'seq' is missing or is no whole number"),
        ({"cmd": "allow", "seq": 10**400}, "'seq' is missing or is no whole number"),
        ({"cmd": "allow", "seq": 1}, "Entry 1 is no refused action of this match."),
        ({"cmd": "amend", "seq": 2, "action": [["do", "roll"]]}, "'action' is missing or is no object"),
        ({"cmd": "amend", "seq": 999, "action": {}}, "Entry 999 is no action that was applied"),
        ({"cmd": "dismiss", "id": "f1-0"}, "That remark is not open."),
        ({"cmd": "flag", "text": {"a": 1}}, "'text' is missing or is no text"),
        ({"cmd": "resume"}, "The match is not paused."),
        ({"cmd": "new-match", "game": ["althera"]}, "That game is not known"),
        ({"cmd": "new-match", "seats": {"1": "Ada"}}, "The seats must be a list of objects"),
        ({"cmd": "new-match", "seats": [3]}, "The seats must be a list of objects"),
        ({"cmd": "new-match", "ruleset": [1]}, "The ruleset must be an object"),
        ({"cmd": "new-match", "ruleset": {"nonsense": 1}}, "nonsense"),
        ({"cmd": "new-match", "seats": [{"seat": 1}, {"seat": -4}]}, "players"),
        ({"cmd": "enrol-card", "card": 7}, "'card' is missing or is no text"),
        ({"cmd": "enrol-card", "card": "x"}, "No enrolment is running: begin one first."),
        ({"cmd": "enrol-start", "zone": "moon"}, "This table has no zone 'moon'."),
        ({"cmd": "enrol-start", "game": "chess"}, "The game 'chess' is not known"),
        ({"cmd": "zones-save"}, "Zones are not being set up"),
        ({"cmd": "zones-start"}, "A match is running"),
    ],
)
def test_what_is_wrong_with_a_command_is_said(fresh: LiveTable, command: Any, says: str) -> None:
    begin_again(fresh)
    before = fresh.core.seq
    outcome = fresh.command(command, OPERATOR)
    assert not outcome.ok
    assert says in outcome.text
    assert fresh.core.seq == before


some_houses = st.lists(st.sampled_from(list(HOUSES)), unique=True, min_size=2, max_size=5)


@given(some_houses.flatmap(lambda wanted: st.tuples(*(st.sampled_from([one, None, ""]) for one in wanted))))
@settings(max_examples=60, deadline=None)
def test_a_house_that_is_left_out_is_given(houses: tuple[str | None, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clocks = Clocks(lambda: 1.7e9, lambda: 1.0, "boot")
        core = Core(Journal(Path(folder)), find_layout("althera-3"), clocks)
        seats = [{"seat": i + 1, **({} if h is None else {"house": h})} for i, h in enumerate(houses)]
        outcome = begin(core, {"cmd": "new-match", "seats": seats}, OPERATOR)
        core.journal.close()
    assert outcome.ok, outcome.text
    assert core.match is not None
    players = core.match.begun.body["seats"]
    assert len({p["house"] for p in players}) == len(houses)
    assert all(p["house"] == h for p, h in zip(players, houses, strict=True) if h)


def test_half_a_character_is_recorded_as_a_question_mark_and_nothing_is_stuck(table: LiveTable) -> None:
    assert table.command({"cmd": "flag", "text": "look \ud800 here"}, OPERATOR).seq is not None
    assert table.command({"cmd": "flag", "text": "after"}, OPERATOR).seq is not None
    assert [e["text"] for e in table.entries(after=table.core.seq - 2)] == ["look ? here", "after"]


def test_a_text_cannot_turn_or_hide_the_line_it_stands_in(table: LiveTable) -> None:
    assert table.command({"cmd": "announce", "text": "tea\x00 \u202eat\nfive\u2069"}, OPERATOR).ok
    assert table.entries(after=table.core.seq - 1)[0]["text"] == "tea at five"
    refused = table.command({"cmd": "announce", "text": "\u202e\x00\u200d \u200b"}, OPERATOR)
    assert not refused.ok and "'text' is missing" in refused.text


def test_a_name_that_shows_nothing_is_the_seats(table: LiveTable) -> None:
    houses = ["cremisi", "aurea"]  # Anthem has none and passes them over
    names = ["\u200b\u202e", "\u202eeca\x00rG"]
    seats = [{"seat": n, "name": names[n - 1], "house": houses[n - 1]} for n in (1, 2)]
    assert table.command({"cmd": "new-match", "seats": seats}, OPERATOR).ok
    assert [one["name"] for one in table.view(Audience("spectator"))["seats"]] == ["Seat 1", "eca rG"]


@pytest.mark.parametrize("action", [None, [], "undo", 7, {"do": ["undo"]}, {"do": "undo", "x": 1}, {}])
def test_what_is_no_action_is_refused(table: LiveTable, action: Any) -> None:
    before = table.core.seq
    assert not table.act(action, OPERATOR).ok
    assert table.core.seq == before


def test_a_setup_by_action_does_not_begin_a_match_in_a_match(table: LiveTable) -> None:
    outcome = table.act({"do": "setup", "players": [{"seat": 1}, {"seat": 2}], "first": 1}, OPERATOR)
    assert (outcome.ok, "new-match" in outcome.text) == (False, True)


@pytest.mark.parametrize("name", ["m", "m-1", "m²", "m" + "9" * 40, "../journal", "m1 OR 1=1", ""])
def test_an_export_of_what_is_no_match_is_none(table: LiveTable, name: str) -> None:
    assert table.export(name, "jsonl") is None


def test_entries_from_anywhere(table: LiveTable) -> None:
    assert table.entries(after=10**30) == []
    assert table.entries(after=-(10**30), limit=1)[0]["seq"] == 1
