"""Which rule a question's small parts make likely: its words, pairs of words and runs of letters, as often
as the ways of asking for each rule have them (a multinomial naive Bayes over weights instead of counts).

It sees what whole ways of asking do not: a question put together from parts of several of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from engine.ask.text import split

#: what is added to every weight, so that a part that a rule never had does not rule it out
SMOOTH = 0.015
#: runs of letters are this long; a term counts this much of a word
RUNS, TERM = (3, 4, 5), 2.0
#: the likelihood goes from 1 (the likeliest) to 0 over this many units
SPAN = 2.5


def parts(text: str, terms: Sequence[str], language: str) -> dict[str, float]:
    """The parts of a text with their weights: its terms, words, pairs of both, and runs of letters."""
    found: dict[str, float] = {}
    for term in terms:
        found[f"t:{term}"] = TERM
    words = split(text, language)
    for mark, row in (("t", terms), ("w", words)):
        found.update((f"{mark}2:{one} {other}", 1.0) for one, other in pairwise(row))
    found.update((f"w:{word}", 1.0) for word in words)
    found.update((run, 1.0) for run in _runs(f" {' '.join(words)} "))
    return found


def _runs(text: str) -> Iterator[str]:
    return (text[at : at + length] for length in RUNS for at in range(len(text) - length + 1))


class Likely:
    """How likely each rule is, learned from (rule, parts of a way of asking)."""

    def __init__(self, ways: Iterable[tuple[str, dict[str, float]]]) -> None:
        rows = list(ways)
        having = Counter(part for _, found in rows for part in found)
        having = Counter({part: count for part, count in having.items() if count > 1})
        self._rare = {part: max(0.1, math.log(len(rows) / (1 + count))) for part, count in having.items()}
        self._unseen = math.log(max(2, len(rows)))
        weights: dict[str, dict[str, float]] = {}
        whole: dict[str, float] = {}
        for rule, found in rows:
            for part, weight in self._even(found).items():
                if part not in having:  # of one way only, so it says little and there are many
                    continue
                of = weights.setdefault(part, {})
                of[rule] = of.get(rule, 0.0) + weight
                whole[rule] = whole.get(rule, 0.0) + weight
        everything = SMOOTH * len(weights)
        self._never = {rule: math.log(SMOOTH / (sum_ + everything)) for rule, sum_ in whole.items()}
        self._more = {
            part: {rule: math.log1p(weight / SMOOTH) for rule, weight in of.items()}
            for part, of in weights.items()
        }

    def _even(self, found: dict[str, float]) -> dict[str, float]:
        """Rare parts weigh more, and every text the same."""
        weighed = {part: weight * self._rare.get(part, self._unseen) for part, weight in found.items()}
        length = math.sqrt(sum(weight * weight for weight in weighed.values())) or 1.0
        return {part: weight / length for part, weight in weighed.items()}

    def of(self, found: dict[str, float]) -> dict[str, float]:
        """Rule -> likelihood from 0 to 1, the likeliest 1; none where nothing is known."""
        even = {part: weight for part, weight in self._even(found).items() if part in self._more}
        if not even:
            return {}
        whole = sum(even.values())
        score = {rule: whole * never for rule, never in self._never.items()}
        for part, weight in even.items():
            for rule, more in self._more[part].items():
                score[rule] += weight * more
        best = max(score.values(), default=0.0)
        return {rule: max(0.0, 1 + (value - best) / SPAN) for rule, value in score.items()}
