"""Matches between bots, and many of them counted."""

from __future__ import annotations

import argparse
import json
from random import Random
from typing import Any

import pytest

import engine.cli
from engine.errors import CrowntableError
from engine.game import Game
from engine.games import game_named
from engine.lab.bots import bot, names
from engine.lab.match import Played, play, walk, winners_of
from engine.lab.plan import Plan
from engine.lab.report import report
from engine.lab.simulate import chunk, simulate
from engine.lab.stats import wilson

RULINGS: list[tuple[str, dict[str, str]]] = [
    ("althera", {}),
    ("althera", {"closing_card": "required", "initiative": "leader", "shield_reach": "whole_duel"}),
    ("althera", {"answer_scope": "defender_only", "retreat_by": "defender_only", "refill": "fresh_five"}),
    (
        "althera",
        {"overtake_value": "replaces", "alteration_rounding": "change_up", "initiative": "clockwise"},
    ),
    ("althera", {"shield_reach": "later_only", "tiebreak_many": "sudden_death", "hand_size": "6"}),
    ("anthem", {}),
    ("anthem", {"dragon": "on", "both_win": "shared", "hints": "on"}),
    ("anthem", {"dragon": "on", "both_win": "dragon", "proof": "trust"}),
]


def match(name: str, seats: int, who: str, seed: int, changes: dict[str, str] | None = None) -> Played:
    game = game_named(name)
    bots = {seat: bot(who, game) for seat in range(1, seats + 1)}
    return play(game, game.ruleset(None, changes), bots, Random(seed), limit=400)


@pytest.mark.parametrize("who", ["random", "greedy"])
@pytest.mark.parametrize("ruling", RULINGS, ids=str)
def test_bots_play_legal_matches_to_the_end(ruling: tuple[str, dict[str, str]], who: str) -> None:
    name, changes = ruling
    for seats in (2, 4):
        for seed in range(2):
            played = match(name, seats, who, seed, changes)
            assert played.winners or len(played.actions) == 400
            assert game_named(name).state_json(played.state)["phase"] in ("over", "play")


def test_force_is_the_last_resort() -> None:
    """Only a hand without any legal card makes a bot force one: the rules leave that case open."""
    game = game_named("althera")
    forced = actions = 0
    for seed in range(20):
        played = match("althera", 4, "random", seed)
        state = game.initial(game.ruleset())
        for action in played.actions:
            parsed = game.parse(action)
            if action.get("force"):
                forced += 1
                assert not game.apply(state, game.parse({k: v for k, v in action.items() if k != "force"})).ok
            actions += 1
            state = game.apply(state, parsed).state
    assert forced < actions / 100


def test_the_same_seed_is_the_same_match() -> None:
    for name in ("althera", "anthem"):
        assert match(name, 3, "greedy", 5).actions == match(name, 3, "greedy", 5).actions
        assert match(name, 3, "greedy", 5).actions != match(name, 3, "greedy", 6).actions


def test_what_nobody_finishes_is_left_unfinished() -> None:
    game = game_named("anthem")
    played = play(game, game.ruleset(), {1: bot("random", game), 2: bot("random", game)}, Random(1), limit=6)
    assert played.winners is None and len(played.actions) == 6
    again = game.initial(game.ruleset())
    for action in played.actions:
        again = game.apply(again, game.parse(action)).state
    assert again == played.state


def test_tie_breaks_are_played_too() -> None:
    game = game_named("althera")
    seen = 0
    for seed in range(400):
        rules = game.ruleset(None, {"score.champion.copies": "0", "turns": "[1]"})
        bots = {seat: bot("greedy", game) for seat in (1, 2, 3)}
        setup = game.setup_action([1, 2, 3], turns=1)
        steps = list(walk(game, rules, bots, Random(seed), setup))
        seen += any(game.state_json(step.after)["phase"] == "tiebreak" for step in steps)
        assert winners_of(game, steps[-1].after) is not None
        if seen >= 3:
            return
    pytest.fail("no match came to a tie-break")


def plan(game: Game, **changes: Any) -> Plan:
    given = {"players": 2, "turns": None, "bots": ("random", "greedy"), "matches": 150, "seed": "7"} | changes
    return Plan(game.name, game.ruleset_json(game.ruleset()), **given)


@pytest.mark.parametrize("name", ["althera", "anthem"])
def test_greedy_beats_random(name: str) -> None:
    counted = report(plan(game_named(name)), simulate(plan(game_named(name))), 1.0)
    rates = {row["bot"]: row for row in counted["bots"]}
    assert rates["greedy"]["low"] > 0.5 > rates["random"]["high"]
    assert [row["matches"] for row in counted["seats"]] == [150, 150]


def test_the_workers_make_no_difference() -> None:
    todo = plan(game_named("anthem"), matches=230, bots=("greedy",))
    assert simulate(todo, workers=2) == simulate(todo)


def test_matches_are_independent_of_how_many_are_played() -> None:
    game = game_named("anthem")
    greedy = ("greedy",)
    first = chunk(plan(game, matches=100, bots=greedy), 0)
    assert first == chunk(plan(game, matches=400, bots=greedy), 0)
    assert first != chunk(plan(game, matches=100, bots=greedy, seed="8"), 0)


def test_the_report_adds_up() -> None:
    game = game_named("althera")
    todo = plan(game, players=3, turns=3, matches=40)
    answer = report(todo, simulate(todo), 2.0)
    assert answer["matches_per_s"] == 20.0
    decided = answer["matches"] - answer["unfinished"] + answer["shared"]
    for rows in (answer["seats"], answer["bots"], answer["houses"]):
        assert sum(row["wins"] for row in rows) == decided
        assert sum(row["matches"] for row in rows) == 3 * answer["matches"]
        assert all(row["low"] <= row["rate"] <= row["high"] for row in rows)
    assert len(answer["houses"]) == 5
    assert {row["card"] for row in answer["cards"]} >= {"commoners", "champion", "oracle", "shield"}
    assert all(row["uses"] >= row["matches"] > 0 for row in answer["cards"])
    for spread in (*answer["length"].values(), *answer["swings"].values()):
        assert spread["min"] <= spread["p10"] <= spread["median"] <= spread["p90"] <= spread["max"]
        assert spread["min"] <= spread["mean"] <= spread["max"]
    assert answer["length"]["turns"]["max"] == 3


def test_the_interval_is_wilsons() -> None:
    assert [round(x, 3) for x in wilson(0, 20)] == [0.0, 0.161]
    assert [round(x, 3) for x in wilson(50, 100)] == [0.404, 0.596]
    assert wilson(0, 0) == (0.0, 1.0)


def run(*argv: str, command: str = "run") -> int:
    parser = argparse.ArgumentParser()
    engine.cli.register(parser.add_subparsers(required=True))
    args = parser.parse_args(["lab", command, *argv])
    code: int = args.run(args)
    return code


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--players", "2", "--turns", "3", "--matches", "8", "--bots", "random,greedy", "--seed", "x")
    assert run("--game", "althera", *asked, "--set", "refill=fresh_five", "--json") == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert (answer["game"], answer["matches"], answer["seed"], answer["line_up"]) == (
        "althera",
        8,
        "x",
        ["random", "greedy"],
    )
    assert not err
    assert run("--game", "anthem", "--matches", "3", "--bots", "greedy") == 0
    assert "3 matches of anthem" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "what"),
    [
        (("--game", "chess"), "no game called 'chess'"),
        (("--bots", "random,deep"), "no bot called 'deep'"),
        (("--players", "6"), "Althera is played by 2 to 5 players, not by 6."),
        (("--players", "2", "--turns", "4"), "matches of 3, 5, 10 turns, not of 4"),
        (("--set", "refill=never"), "refill"),
        (("--ruleset", "/nowhere.toml"), "can't be read"),
    ],
)
def test_what_can_not_be_simulated_is_refused(argv: tuple[str, ...], what: str) -> None:
    with pytest.raises(CrowntableError) as caught:
        run(*argv)
    assert what in caught.value.what and caught.value.cure


def test_the_bots_there_are() -> None:
    for name in ("althera", "anthem"):
        assert names(game_named(name)) == ("random", "greedy", "careful", "searching")
