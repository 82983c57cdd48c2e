"""The ladder: each bot against the one before it, every deal twice, with the seats changed."""

from __future__ import annotations

import json

import pytest

from engine.games import game_named
from engine.lab.bots import bot
from engine.lab.plan import Plan, sits
from engine.lab.simulate import one as once
from engine.lab.skill import _row, _share, ladder
from tests.engine.test_lab_matches import run


def test_each_bot_beats_the_one_before_it() -> None:
    """The first rungs of the ladder; docs/bots.md has the whole of it, from many more matches."""
    game = game_named("althera")
    plan = Plan("althera", game.ruleset_json(game.ruleset()), 2, None, ("random",), 120, "ladder")
    rows = ladder(plan, ("random", "greedy", "careful"))
    assert [row["proved"] for row in rows] == [True, True]
    assert rows[0]["share"] > 0.75 and rows[1]["share"] > 0.55


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("name", "matches"), [("althera", 400), ("anthem", 2000)])
def test_searching_beats_counting(name: str, matches: int) -> None:
    """The last rung, as docs/bots.md has it: too slow for every run. `-s` shows the row."""
    game = game_named(name)
    plan = Plan(name, game.ruleset_json(game.ruleset()), 2, None, ("random",), matches, "ladder")
    (row,) = ladder(plan, ("careful", "searching"), workers=2)
    print(row)
    assert row["proved"] and row["deals"] == matches // 2


@pytest.mark.parametrize("name", ["althera", "anthem"])
def test_each_deal_is_played_twice_with_the_seats_changed(name: str) -> None:
    game = game_named(name)
    rules = game.ruleset_json(game.ruleset())
    one, other = (
        Plan(name, rules, 3, None, bots, 5, "twice") for bots in (("random", "greedy"), ("greedy", "random"))
    )
    for number in range(5):
        assert all(
            a != b for a, b in zip(sits(one, number).values(), sits(other, number).values(), strict=True)
        )
        table = {who: bot(who, game) for who in one.bots}
        first, second = (once(plan, game, game.ruleset(), table, number) for plan in (one, other))
        assert first.steps[0].action == second.steps[0].action
        if name == "althera":  # the dice that nobody chooses to throw
            rolls = [[step.action for step in seen.steps[1:4]] for seen in (first, second)]
            assert rolls[0] == rolls[1]


def test_a_share_of_the_wins_goes_by_the_winners_seats() -> None:
    game = game_named("althera")
    plan = Plan("althera", game.ruleset_json(game.ruleset()), 3, None, ("greedy", "careful"), 4, "s")
    assert [sits(plan, 0)[seat] for seat in (1, 2, 3)] == ["careful", "greedy", "careful"]
    assert _share(plan, 0, 0b001, "careful") == 1 and _share(plan, 1, 0b001, "careful") == 0
    assert _share(plan, 0, 0b111, "careful") == pytest.approx(2 / 3)
    row = _row([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.5]], "greedy", "careful")
    assert (row["deals"], row["decided"], row["wins"]) == (4, 7, 3.5)
    assert (row["both"], row["neither"], row["share"], row["proved"]) == (1, 1, 0.5, False)
    assert _row([[1.0, 1.0]] * 20, "greedy", "careful")["proved"]
    assert not _row([[1.0, 1.0]] * 2, "greedy", "careful")["proved"]


def test_the_command_says_how_far_the_better_one_wins(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--bots", "random,greedy", "--matches", "5", "--seed", "2"]
    assert run(*argv, "--json", command="skill") == 0
    answer = json.loads(capsys.readouterr().out)
    (row,) = answer["ladder"]
    assert answer["matches"] == 6 and (row["deals"], row["decided"]) == (3, 6)
    assert row["low"] < row["share"] and row["better"] == "greedy"
    assert run(*argv, command="skill") == 0
    told = capsys.readouterr().out
    assert "greedy" in told and f"{100 * row['share']:.1f} %" in told and "None" not in told
