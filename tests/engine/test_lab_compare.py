"""Rulesets compared on paired seeds, and a check of the lab against truths that are known."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import UsageError
from engine.game import Json
from engine.games import game_named
from engine.lab.compare import _verdict, compare
from engine.lab.plan import Plan
from engine.lab.report import favoured, report
from engine.lab.simulate import simulate
from engine.lab.stats import needed, wilson, z_for
from engine.lab.tally import Tally
from tests.engine.test_lab_matches import run
from tests.engine.test_lab_run import plan


def ruled(todo: Plan, **changes: str) -> Plan:
    game = game_named(todo.game)
    return replace(todo, ruleset=game.ruleset_json(game.ruleset(None, changes)))


def row(answer: list[Json], measure: str, **group: str) -> Json:
    rows = [r for r in answer[0]["differences"] if r["measure"] == measure and group.items() <= r.items()]
    (found,) = rows
    return dict(found)


def test_a_ruleset_against_itself_differs_in_nothing() -> None:
    todo = plan(matches=200, bots=("random",))
    rows = compare([todo, replace(todo)])[0]["differences"]
    assert len(rows) > 40
    assert {r["difference"] for r in rows} == {0.0}
    assert all(r["low"] < 0 < r["high"] for r in rows if r["value_a"])  # two hundred matches prove no nil
    assert {r["verdict"] for r in rows if r["measure"] == "length.plays"} == {"same"}


def test_a_rule_that_shortens_duels_shortens_matches_and_is_seen() -> None:
    """Two plays a duel instead of three: the pairs share their deals, so thirty matches are plenty."""
    todo = plan(matches=30)
    answer = compare([todo, ruled(todo, plays="2")])
    cards = row(answer, "length.cards")
    assert cards["verdict"] == "lower" and cards["high"] < 0 and cards["needed"] == 0
    assert cards["low"] <= cards["difference"] <= cards["high"]
    assert row(answer, "length.turns")["difference"] == 0


def test_pairing_narrows_the_interval() -> None:
    """What the same seeds share cancels out: with other deals the interval is wider."""
    todo = plan(matches=150, bots=("random",))
    other = ruled(todo, shield_reach="whole_duel")
    paired = row(compare([todo, other]), "length.cards")
    apart = row(compare([todo, replace(other, seed="another")]), "length.cards")
    assert paired["high"] - paired["low"] < 0.8 * (apart["high"] - apart["low"])


def test_the_workers_make_no_difference_to_a_comparison() -> None:
    todo = plan(matches=24)
    plans = [todo, ruled(todo, retreat_faces="[6]")]
    assert compare(plans, workers=2) == compare(plans)


def test_the_verdict_and_what_is_still_needed() -> None:
    assert _verdict(0.01, 0.05, 0.02) == "higher" and _verdict(-0.05, -0.01, 0.02) == "lower"
    assert _verdict(-0.01, 0.015, 0.02) == "same" and _verdict(0.001, 0.01, 0.02) == "same"
    assert _verdict(-0.01, 0.05, 0.02) == "open"
    # 2.8 standard deviations of a pair, over the difference, squared: Cohen's tables say 785 for 0.1.
    assert needed(1.0, 0.1, 0) == 785 and needed(1.0, 0.1, 700) == 85 and needed(1.0, 0.5, 100) == 0


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "last-word.toml"
    file.write_text('name = "last word"\nclosing_card = "required"\n')
    argv = ["default", str(file), "--players", "2", "--turns", "3", "--matches", "20", "--seed", "2"]
    assert compared(*argv, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert [r["name"] for r in answer["rulesets"]] == ["v2", "last word"]
    assert answer["rulesets"][0]["hash"] != answer["rulesets"][1]["hash"]
    stands = row(answer["compared"], "length.cards")
    assert stands["value_b"] > stands["value_a"]
    assert compared(*argv) == 0
    assert "length.cards" in capsys.readouterr().out


def compared(*argv: str) -> int:
    return run(*argv, command="compare")


@pytest.mark.parametrize(
    ("argv", "what"),
    [
        (("default",), "two rulesets"),
        (("default", "default", "--margin", "2"), "between 0 and 1"),
        (("default", "default", "--players", "7"), "2 to 5 players"),
    ],
)
def test_what_can_not_be_compared_is_refused(argv: tuple[str, ...], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        compared(*argv)


# Truths that are known. The sample size that docs/bots.md states for them: 1,000 matches.

RIGGED = ((1, 60),)
MATCHES = 1000


def alarms(todo: Plan) -> list[str]:
    return [alarm["what"] for alarm in report(todo, simulate(todo), 1.0)["favoured"]["alarms"]]


def test_a_rigged_seat_is_found_out() -> None:
    """Seat 1's cards are worth 60 % more: a thousand matches say so, of that seat and no house."""
    found = alarms(plan(matches=MATCHES, bots=("greedy",), handicap=RIGGED, seed="rigged"))
    assert {"win.seat/1", "win.seat/2"} <= set(found)
    assert not any(what.startswith("win.house") for what in found)


def test_fair_seats_raise_no_alarm() -> None:
    """Greedy bots of equal decks: no seat and no house is called favoured. (The first player is: that
    is Althera, not a false alarm.)"""
    for seed in ("fair/1", "fair/2"):
        found = alarms(plan(matches=250, bots=("greedy",), seed=seed))
        assert not [what for what in found if what != "win.first"]


@pytest.mark.soak
@pytest.mark.timeout(4 * 3600)  # two hundred thousand matches
def test_the_rigged_game_is_found_a_hundred_times_and_the_fair_one_accused_in_five_at_most() -> None:
    found = accused = 0
    for number in range(100):
        rigged = plan(matches=MATCHES, bots=("greedy",), handicap=RIGGED, seed=f"rigged/{number}")
        found += "win.seat/1" in alarms(rigged)
        fair = alarms(replace(rigged, handicap=(), seed=f"fair/{number}"))
        accused += any(what != "win.first" for what in fair)
    assert found >= 99 and accused <= 5


def test_by_arithmetic_a_fair_coin_is_accused_once_in_a_hundred() -> None:
    """The alarm's own rate, exactly: wins of seat 1 from a binomial over all that it can come to."""
    from math import comb

    of, z = 400, z_for(0.01 / 2)
    alarmed = 0.0
    for wins in range(of + 1):
        low, high = wilson(wins, of, z)
        if not low <= 0.5 <= high:
            alarmed += comb(of, wins) / 2**of
    assert 0.002 < alarmed < 0.01


def test_an_alarm_needs_wins_that_are_not_even() -> None:
    tally = Tally()
    for number in range(300):
        winner = 1 if number % 3 else 2
        tally.count({f"win.seat/{seat}": (int(seat == winner), 1) for seat in (1, 2)}, (winner,))
    answer: Any = favoured(tally, 2)
    assert [alarm["what"] for alarm in answer["alarms"]] == ["win.seat/1", "win.seat/2"]
    assert answer["even"] == 0.5


def test_the_bench_counts_a_workers_time_between_its_jobs_not_its_start() -> None:
    from engine.lab import bench

    jobs = [(bench._plan("random", 240), start, start + 10) for start in range(0, 240, 10)]
    begun = time.monotonic()
    a_match = bench._clocked(jobs, None)
    # Two workers can't have been at work for longer than both were there.
    assert 0 < 240 * a_match < 2 * (time.monotonic() - begun)


def test_the_bench_measures_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.lab import bench

    monkeypatch.setitem(sys.modules, "distributed", None)
    figures = bench.measure(0.005)
    assert set(figures["plays_per_s"]) == {"random", "greedy", "careful"}
    assert all(figures["plays_per_s"][name] > figures["cards_per_s"][name] > 0 for name in bench.MATCHES)
    assert 20 < figures["plays_per_match"] < 40 and "dask_overhead" not in figures
    minutes = 1e6 * figures["plays_per_match"] / figures["plays_per_s"]["random"] / 120
    assert figures["million_minutes"] == pytest.approx(minutes, abs=0.06)
