"""The wall clock's error, for rehearsals of a clock that steps (F51)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Skew:
    """How far the wall clock is off, in seconds; the monotonic clock never is."""

    seconds: float = 0.0
