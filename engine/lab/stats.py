"""The lab's arithmetic: intervals of rates and means, and how many matches an answer needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil, sqrt
from statistics import NormalDist, mean, stdev

#: Standard deviations of a 95 % interval.
Z95 = 1.959963984540054
#: And of being right four times in five about a difference that is there.
POWER80 = 0.8416212335729143


def wilson(wins: int, of: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a rate, 95 % unless `z` says otherwise.

    >>> tuple(round(x, 4) for x in wilson(8, 10))
    (0.4902, 0.9433)
    """
    if of == 0:
        return 0.0, 1.0
    rate = wins / of
    middle = rate + z * z / (2 * of)
    half = z * sqrt(rate * (1 - rate) / of + z * z / (4 * of * of))
    whole = 1 + z * z / of
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def of_pairs(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of amounts between 0 and 1, one for each pair of matches, and the ends of its 95 % interval.

    As Agresti and Coull do for shares, a 0 and a 1 are added before the interval is worked out: a few pairs
    that all came out alike prove little.

    >>> tuple(round(x, 3) for x in of_pairs([0.5] * 96 + [1.0] * 4))
    (0.52, 0.496, 0.543)
    """
    if not values:
        return 0.5, 0.0, 1.0
    more = [*values, 0.0, 1.0]
    half = Z95 * stdev(more) / sqrt(len(more))
    middle = mean(more)
    return mean(values), max(0.0, middle - half), min(1.0, middle + half)


def z_for(chance: float) -> float:
    """Standard deviations outside which a normal value falls, on either side, with that chance.

    >>> round(z_for(0.05), 3)
    1.96
    """
    return NormalDist().inv_cdf(1 - chance / 2)


def needed(spread: float, difference: float, have: int) -> int:
    """How many more pairs of matches settle a difference of that size, with 95 % and a power of 80 %.

    `spread` is the standard deviation of one pair's difference.

    >>> needed(1.0, 0.1, 100)
    685
    """
    if difference <= 0:
        return 0
    return max(0, ceil(((Z95 + POWER80) * spread / difference) ** 2) - have)


def spread_of(histogram: Counter[int]) -> dict[str, float | int]:
    """A histogram's mean and some of its quantiles.

    >>> spread_of(Counter({1: 3, 5: 1}))
    {'mean': 2.0, 'min': 1, 'p10': 1, 'median': 1, 'p90': 5, 'max': 5}
    """
    values, total = sorted(histogram), sum(histogram.values())
    return {
        "mean": round(sum(v * histogram[v] for v in values) / total, 4),
        "min": values[0],
        "p10": _quantile(histogram, values, 0.1 * total),
        "median": _quantile(histogram, values, 0.5 * total),
        "p90": _quantile(histogram, values, 0.9 * total),
        "max": values[-1],
    }


def _quantile(histogram: Counter[int], values: list[int], rank: float) -> int:
    """The smallest value that at least `rank` of the counted ones do not exceed."""
    below = 0
    for value in values:
        below += histogram[value]
        if below >= rank:
            return value
    return values[-1]
