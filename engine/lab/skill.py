"""How far a better bot beats a worse one: the ladder of docs/bots.md, and skill against luck."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import log10

from engine.game import Json
from engine.lab.plan import Plan, sits
from engine.lab.simulate import parts
from engine.lab.stats import of_pairs


def ladder(
    plan: Plan,
    names: Sequence[str],
    workers: int = 1,
    cluster: str | None = None,
    told: Callable[[int], None] | None = None,
) -> list[Json]:
    """Each bot of `names` against the one before it, weakest first: `plan.matches` matches a pair.

    Every deal is played twice, the second time with the bots in each other's seats: the same decks in the
    same order and the same dice, as long as both do the same. Where the seat decides, as the crown does in
    Althera, each wins once, and what is left is the bots' own doing. A row: the better one's share of the
    wins, the mean over the deals, with its 95 % interval (`stats.of_pairs`), in how many deals it won both
    matches and in how many neither, and the difference in Elo points. A match without a winner counts for
    nobody, one with several for each its part.
    """
    rows, done = [], 0
    for worse, better in pairwise(names):
        shares: dict[int, list[float]] = {}
        for bots in ((worse, better), (better, worse)):
            half = replace(plan, bots=bots, matches=max(1, plan.matches // 2))
            for part in parts(half, [(0, half.matches)], workers, cluster):
                for number, winners, *_ in part.rows:
                    if number is not None and winners:
                        shares.setdefault(number, []).append(_share(half, number, winners, better))
                done += part.stop - part.start
                if told is not None:
                    told(done)
        rows.append(_row(list(shares.values()), worse, better))
    return rows


def _share(plan: Plan, number: int, winners: int, better: str) -> float:
    """What part of a match's winners are that bot; `winners` is a sum of 2^(seat - 1)."""
    won = [name == better for seat, name in sits(plan, number).items() if winners >> (seat - 1) & 1]
    return sum(won) / len(won)


def _row(deals: Sequence[Sequence[float]], worse: str, better: str) -> Json:
    pairs = [sum(deal) / len(deal) for deal in deals]
    share, low, high = of_pairs(pairs)
    return {
        "better": better,
        "worse": worse,
        "deals": len(deals),
        "decided": sum(map(len, deals)),
        "wins": round(sum(map(sum, deals)), 2),
        "both": sum(len(deal) == 2 and sum(deal) == 2 for deal in deals),
        "neither": sum(len(deal) == 2 and sum(deal) == 0 for deal in deals),
        "share": round(share, 5),
        "low": round(low, 5),
        "high": round(high, 5),
        "by_luck": 0.5,
        "elo": round(400 * log10(share / (1 - share))) if 0 < share < 1 else None,
        "proved": low > 0.5,
    }


def in_words(answer: Json) -> str:
    """The ladder as text for a terminal."""
    lines = [
        f"{answer['game']}, {answer['players']} players, {answer['matches']} matches a pair, "
        f"seed {answer['seed']}: {answer['seconds']} s",
        f"{'better':<24} {'worse':<24} {'deals':>8} {'better won':>11}   95 % interval     Elo",
    ]
    for row in answer["ladder"]:
        elo = "-" if row["elo"] is None else row["elo"]
        lines.append(
            f"{row['better']:<24} {row['worse']:<24} {row['deals']:>8} {100 * row['share']:>9.1f} %   "
            f"{100 * row['low']:.1f} to {100 * row['high']:.1f} %   {elo}"
        )
    return "\n".join(lines)
