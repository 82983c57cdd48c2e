"""Records through today's rules: the same again, or the first difference."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import engine.cli
from engine.errors import CrowntableError
from engine.games import games
from engine.records import cli
from engine.records.files import save
from engine.records.record import Record, record_of
from engine.records.replay import replay
from tests.engine.record_makers import match_record

RULINGS = [
    ("althera", ("shield_reach", "whole_duel"), ("refill", "fresh_five")),
    ("althera", ("initiative", "leader"), ("score.captain.value", "40")),
    ("anthem", ("dragon", "on"), ("both_win", "shared")),
    ("anthem", ("proof", "trust"), ("hints", "on")),
]


@pytest.mark.parametrize("ruling", RULINGS, ids=str)
@pytest.mark.parametrize("states", [False, True])
def test_a_record_replays_under_the_ruleset_it_carries(ruling: Any, states: bool) -> None:
    game, *changes = ruling
    record = match_record(game, 3, *changes, states=states)
    result = replay(record)
    assert result.difference is None and result.count == len(record.lines)
    assert games()[game].state_json(result.state) == record.lines[-1].state


def test_another_ruleset_comes_out_otherwise() -> None:
    record = match_record("althera", 3, ("score.captain.value", "90"), states=True)
    header = replace(record.header, ruleset=match_record("althera").header.ruleset)
    result = replay(replace(record, header=header))
    assert result.difference is not None
    assert result.count == result.difference.n - 1


def worst(record: Record, **changes: Any) -> str:
    """What a replay says when the tenth line was other than it is."""
    lines = (*record.lines[:9], replace(record.lines[9], **changes), *record.lines[10:])
    result = replay(replace(record, lines=lines))
    assert result.difference is not None and result.difference.n == 10
    return result.difference.what


def test_the_first_difference_is_named() -> None:
    record = match_record("anthem", 1, states=True)
    line = record.lines[9]
    state = json.loads(json.dumps(line.state))
    assert line.ok
    assert worst(record, ok=False) == "it was refused and is applied today ()"
    assert worst(record, codes=("no-room",)) == "the findings were no-room and are none today"
    state["seats"][1]["hand"] += 1
    assert worst(record, state=state).startswith("seats[1].hand was ")
    assert worst(record, state={"wind": "east"}) == "wind was 'east' and is gone today"
    assert worst(record, state={"seats": []}).startswith("seats was []")


def test_a_field_that_came_later_is_no_difference() -> None:
    record = match_record("anthem", 1, states=True)
    lines = [
        line
        if line.state is None
        else replace(line, state={k: v for k, v in line.state.items() if k != "turn"})
        for line in record.lines
    ]
    assert replay(replace(record, lines=tuple(lines))).difference is None


def test_replay_until_an_action() -> None:
    record = match_record("althera")
    game = games()["althera"]
    assert replay(record, 0).state == game.initial(game.ruleset())
    assert replay(record, 12).count == 12
    with pytest.raises(CrowntableError, match="no action 9999"):
        replay(record, 9999)


def test_a_game_or_ruleset_that_is_unknown_is_said_to_be() -> None:
    record = match_record("anthem")
    with pytest.raises(CrowntableError, match="no game called 'chess'"):
        replay(replace(record, header=replace(record.header, game="chess")))
    with pytest.raises(CrowntableError, match="dragon"):
        replay(replace(record, header=replace(record.header, ruleset={"dragon": "maybe"})))


def run(*argv: str, resolve: cli.Resolve | None = None) -> int:
    parser = argparse.ArgumentParser()
    engine.cli.register(parser.add_subparsers(required=True))
    if resolve is not None:
        parser.set_defaults(resolve=resolve)
    args = parser.parse_args(argv)
    code: int = args.run(args)
    return code


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = tmp_path / "friday.jsonl"
    save(match_record("althera"), path)
    return str(path)


def test_the_replay_command(saved: str, capfd: pytest.CaptureFixture[str]) -> None:
    count = len(match_record("althera").lines)
    assert run("replay", saved) == 0
    out, err = capfd.readouterr()
    assert f"{count} of {count} actions come out as recorded." in out and "wins. Cards:" in out and not err
    assert run("replay", saved, "--until", "8", "--json") == 0
    answer = json.loads(capfd.readouterr().out)
    assert (answer["same"], answer["actions"], answer["of"]) == (True, 8, count)
    assert answer["state"]["game"] == "althera"
    assert run("replay", saved, "--until", "20", "--speed", "90000") == 0
    out = capfd.readouterr().out
    assert out.count("\n20") == 1 and "\n21" not in out


def test_the_replay_command_fails_at_a_difference(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record = match_record("althera")
    lines = (*record.lines[:9], replace(record.lines[9], ok=not record.lines[9].ok), *record.lines[10:])
    save(replace(record, lines=lines), tmp_path / "odd.jsonl")
    with pytest.raises(CrowntableError, match="Action 10 comes out otherwise"):
        run("replay", str(tmp_path / "odd.jsonl"))
    assert run("replay", str(tmp_path / "odd.jsonl"), "--json") == 1
    answer = json.loads(capfd.readouterr().out)
    assert answer["difference"]["n"] == 10 and not answer["same"]


def test_a_match_known_by_id_and_a_torn_record(saved: str, capfd: pytest.CaptureFixture[str]) -> None:
    data = Path(saved).read_bytes()
    Path(saved).write_bytes(data[:-20])
    assert run("export", saved, "--to", "jsonl") == 0
    out, err = capfd.readouterr()
    assert "cut off" in err and data.decode().startswith(out)
    assert run("export", "friday-1", "--to", "jsonl", resolve=lambda name: match_record("anthem")) == 0
    assert '"game": "anthem"' in capfd.readouterr().out
    with pytest.raises(CrowntableError, match="could not be read"):
        run("export", "saturday", "--to", "text", resolve=lambda name: None)


def test_the_record_of_a_rematch_on_the_same_table() -> None:
    """One record may hold a second setup, once the first match is over."""
    game = games()["anthem"]
    rules = game.ruleset(None, {"proof": "trust", "dragon": "on"})
    claim = {"do": "claim", "seat": 1, "win": "dragon"}
    setup = game.setup_action([1, 2])
    record = record_of(game, rules, [setup, claim, setup, {"do": "keep", "seat": 1}, {"do": "undo"}])
    assert replay(record).difference is None
