"""Searching for any game: worlds that fit what a player knows, each candidate played out in each of them.

Flat determinized Monte Carlo with sequential halving. All candidates are tried in the same worlds with
the same luck, so that what is compared is the candidates; after each round the worse half is dropped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import inf, sqrt
from random import Random
from typing import NamedTuple, TypeVar

Candidate = TypeVar("Candidate")


#: Standard errors by which another choice must be better than the one made without a search.
SURE = 1.0


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
    """The candidate whose playouts come out best, if they show it; the first one if they don't.

    The first candidate is what would be chosen without a search. It stays in every round, and another
    takes its place only where it comes out better by `SURE` standard errors of the difference, over the
    same worlds: a few playouts are noise, and noise must not overrule good sense.

    `playout(candidate, seed)` is the worth of one playout, the higher the better; equal seeds must mean
    equal worlds and equal luck. Needs at least one candidate.
    """
    first, *others = candidates
    until = None if budget.ms is None else time.monotonic() + budget.ms / 1000
    most = budget.playouts if budget.playouts is not None else 1_000_000
    rounds = max(1, len(others).bit_length())
    gains = [_Gain() for _ in others]
    alive = list(range(len(others)))
    for _ in range(rounds if others else 0):
        for _ in range(max(1, most // rounds // (len(alive) + 1))):
            seed = rng.getrandbits(48)
            base = playout(first, seed)
            for index in alive:
                gains[index].add(playout(others[index], seed) - base)
            if until is not None and time.monotonic() >= until:
                break
        alive.sort(key=lambda index: gains[index].mean, reverse=True)
        alive = alive[: (len(alive) + 1) // 2]
        if until is not None and time.monotonic() >= until:
            break
    sure = [index for index in alive if gains[index].mean > SURE * gains[index].error]
    return others[max(sure, key=lambda index: gains[index].mean)] if sure else first


class _Gain:
    """What a candidate brought more than the first one, over the same worlds."""

    def __init__(self) -> None:
        self._count, self._sum, self._squares = 0, 0.0, 0.0

    def add(self, difference: float) -> None:
        """Takes in one world."""
        self._count += 1
        self._sum += difference
        self._squares += difference * difference

    @property
    def mean(self) -> float:
        """The mean difference."""
        return self._sum / max(1, self._count)

    @property
    def error(self) -> float:
        """Its standard error; endless before there are two worlds."""
        if self._count < 2:
            return inf
        variance = max(0.0, self._squares / self._count - self.mean**2)
        return sqrt(variance / (self._count - 1))
