"""Counts over matches: whole numbers only, so that they add up to the same in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from engine.lab.measures import Facts, label_of
from engine.lab.stats import Z95, wilson

#: Of one fact over many matches: matches, and the sums of counts, values, value², count², value x count.
Sums = list[int]


@dataclass(slots=True)
class Tally:
    """`sums` by the facts' names (`engine.lab.measures`); `spreads`: histograms of what has one amount a
    match.

    `forced` is how often a bot found no legal card and laid one all the same.
    """

    matches: int = 0
    unfinished: int = 0
    shared: int = 0
    forced: int = 0
    sums: dict[str, Sums] = field(default_factory=dict)
    spreads: dict[str, Counter[int]] = field(default_factory=dict)

    def count(self, facts: Facts, winners: tuple[int, ...] | None) -> None:
        """Takes in one match."""
        self.matches += 1
        self.unfinished += winners is None
        self.shared += winners is not None and len(winners) > 1
        sums, spread = self.sums, _SPREADS
        for name, (value, of) in facts.items():
            total = sums.get(name)
            if total is None:
                sums[name] = [1, of, value, value * value, of * of, value * of]
            else:
                total[0] += 1
                total[1] += of
                total[2] += value
                total[3] += value * value
                total[4] += of * of
                total[5] += value * of
            if name in spread:
                histogram = self.spreads.get(name)
                if histogram is None:
                    histogram = self.spreads[name] = Counter()
                histogram[value] += 1

    def add(self, other: Tally) -> None:
        """Takes in another tally."""
        self.matches += other.matches
        self.unfinished += other.unfinished
        self.shared += other.shared
        self.forced += other.forced
        for name, theirs in other.sums.items():
            mine = self.sums.setdefault(name, [0, 0, 0, 0, 0, 0])
            for place, amount in enumerate(theirs):
                mine[place] += amount
        for name, histogram in other.spreads.items():
            self.spreads.setdefault(name, Counter()).update(histogram)

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON; `from_json` is the inverse."""
        return {
            "matches": self.matches,
            "unfinished": self.unfinished,
            "shared": self.shared,
            "forced": self.forced,
            "sums": self.sums,
            "spreads": {name: sorted(histogram.items()) for name, histogram in self.spreads.items()},
        }

    @classmethod
    def from_json(cls, obj: Mapping[str, Any]) -> Tally:
        """The inverse of `to_json`."""
        spreads = {name: Counter(dict(map(tuple, pairs))) for name, pairs in obj["spreads"].items()}
        counts = (obj["matches"], obj["unfinished"], obj["shared"], obj["forced"])
        return cls(*counts, {name: list(sums) for name, sums in obj["sums"].items()}, spreads)


def _spread_names() -> frozenset[str]:
    from engine.lab.measures import MEASURES

    return frozenset(measure.name for measure in MEASURES if measure.spread)


_SPREADS = _spread_names()


def estimate(name: str, sums: Sums) -> tuple[float, float, float]:
    """Value, and the ends of its 95 % interval, of the fact `name` summed up over matches.

    A share with at most one case a match has its Wilson interval; everything else the interval of a
    ratio of sums, which takes into account that cases of one match hang together.
    """
    matches, of, value, squares, of_squares, products = sums
    if of == 0:
        return 0.0, 0.0, 0.0
    rate = value / of
    if label_of(name)[0].unit == "share" and of_squares == of and 0 <= value <= of and squares == value:
        return (rate, *wilson(value, of))
    if matches < 2:
        return rate, rate, rate
    rest = max(0.0, squares - 2 * rate * products + rate * rate * of_squares)
    half = Z95 * sqrt(rest * matches / (matches - 1)) / of
    low, high = rate - half, rate + half
    if label_of(name)[0].unit == "share":
        low, high = max(0.0, low), min(1.0, high)
    return rate, low, high
