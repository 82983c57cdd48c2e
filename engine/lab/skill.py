"""How far a better bot beats a worse one: the ladder of docs/bots.md, and skill against luck."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import log10
from typing import Any

from engine.game import Json
from engine.lab.measures import label_of
from engine.lab.plan import Plan
from engine.lab.simulate import simulate
from engine.lab.stats import wilson


def ladder(
    plan: Plan,
    names: Sequence[str],
    workers: int = 1,
    cluster: str | None = None,
    told: Callable[[int], None] | None = None,
) -> list[Json]:
    """Each bot of `names` against the one before it, weakest first: `plan.matches` matches a pair.

    They sit alternately and change places every match. A row: seats that each won, the better one's
    share of the wins of both with its 95 % Wilson interval, what it would be by luck alone, and the
    difference in Elo points. A match without a winner counts for nobody.
    """
    rows, done = [], 0
    for worse, better in pairwise(names):
        pair = replace(plan, bots=(worse, better))
        tally = simulate(pair, workers, _further(told, done), cluster)
        done += plan.matches
        rows.append(_row(tally.sums, worse, better))
    return rows


def _further(told: Callable[[int], None] | None, done: int) -> Callable[[int], None] | None:
    if told is None:
        return None
    return lambda count: told(done + count)


def _row(sums: dict[str, Any], worse: str, better: str) -> Json:
    seats = {label_of(key)[1]: counts for key, counts in sums.items() if key.startswith("win.bot/")}
    _, of_better, wins, *_ = seats[better]
    _, of_worse, lost, *_ = seats[worse]
    even = of_better / (of_better + of_worse)
    share = wins / max(1, wins + lost)
    low, high = wilson(wins, wins + lost)
    return {
        "better": better,
        "worse": worse,
        "decided": wins + lost,
        "wins": wins,
        "share": round(share, 5),
        "low": round(low, 5),
        "high": round(high, 5),
        "by_luck": round(even, 5),
        "elo": round(400 * log10(share / (1 - share))) if 0 < share < 1 else None,
        "proved": low > even,
    }


def in_words(answer: Json) -> str:
    """The ladder as text for a terminal."""
    lines = [
        f"{answer['game']}, {answer['players']} players, {answer['matches']} matches a pair, "
        f"seed {answer['seed']}: {answer['seconds']} s",
        f"{'better':<24} {'worse':<24} {'decided':>8} {'better won':>11}   95 % interval     Elo",
    ]
    for row in answer["ladder"]:
        lines.append(
            f"{row['better']:<24} {row['worse']:<24} {row['decided']:>8} {100 * row['share']:>9.1f} %   "
            f"{100 * row['low']:.1f} to {100 * row['high']:.1f} %   {row['elo']}"
        )
    return "\n".join(lines)
