"""Searching for any game: worlds that fit what a player knows, each candidate played out in each of them.

Flat determinized Monte Carlo with sequential halving. All candidates are tried in the same worlds with
the same luck, so that what is compared is the candidates; after each round the worse half is dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple, TypeVar

Candidate = TypeVar("Candidate")


class Budget(NamedTuple):
    """What one decision may cost: playouts, or milliseconds of wall time (then the same seed need not
    give the same choice). `None` in either means no such bound; with both, whichever ends first."""

    playouts: int | None
    ms: int | None = None


def best_of(
    candidates: Sequence[Candidate],
    playout: Callable[[Candidate, int], float],
    budget: Budget,
    rng: Random,
) -> Candidate:
    """The candidate whose playouts come out best on average.

    `playout(candidate, seed)` is the worth of one playout, the higher the better; equal seeds must mean
    equal worlds and equal luck. Needs at least one candidate.
    """
    alive = list(candidates)
    if len(alive) == 1:
        return alive[0]
    until = None if budget.ms is None else time.monotonic() + budget.ms / 1000
    most = budget.playouts if budget.playouts is not None else 1_000_000
    rounds = max(1, (len(alive) - 1).bit_length())
    totals = [0.0] * len(alive)
    standing = list(range(len(alive)))
    for _ in range(rounds):
        for _ in range(max(1, most // rounds // len(standing))):
            seed = rng.getrandbits(48)
            for index in standing:
                totals[index] += playout(alive[index], seed)
            if until is not None and time.monotonic() >= until:
                return alive[max(standing, key=totals.__getitem__)]
        standing.sort(key=totals.__getitem__, reverse=True)
        standing = standing[: (len(standing) + 1) // 2]
    return alive[standing[0]]
