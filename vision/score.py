"""How readings are held against labels: photos exactly right, dice found, right among those claimed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Score:
    """Sums over photos. Values are compared as sets with repetition, as a game would use them."""

    photos: int = 0
    exact: int = 0
    dice: int = 0
    found: int = 0
    claimed: int = 0
    ms: list[float] = field(default_factory=list)

    def add(self, labels: Sequence[int], values: Sequence[int], ms: float = 0.0) -> int:
        """Counts one photo; gives how many numbers were wrong or missing."""
        want, got = Counter(labels), Counter(values)
        both = sum((want & got).values())
        self.photos += 1
        self.exact += want == got
        self.dice += len(labels)
        self.found += both
        self.claimed += len(values)
        self.ms.append(ms)
        return max(len(labels), len(values)) - both

    def as_json(self) -> dict[str, float | int]:
        """Counts and shares, the shares in per cent."""
        ordered = sorted(self.ms)
        return {
            "photos": self.photos,
            "dice": self.dice,
            "claimed": self.claimed,
            "wrong": self.claimed - self.found,
            "exact_percent": _percent(self.exact, self.photos),
            "found_percent": _percent(self.found, self.dice),
            "right_percent": _percent(self.found, self.claimed),
            "ms_median": round(ordered[len(ordered) // 2], 1) if ordered else 0.0,
        }


def total(scores: Iterable[Score]) -> Score:
    """The sum of several scores."""
    whole = Score()
    for score in scores:
        for name in ("photos", "exact", "dice", "found", "claimed"):
            setattr(whole, name, getattr(whole, name) + getattr(score, name))
        whole.ms += score.ms
    return whole


def _percent(part: int, whole: int) -> float:
    return round(100.0 * part / whole, 2) if whole else 0.0
