"""How far a long run has come: on a terminal a bar, the rate, the time left; for programs JSON lines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

WIDTH = 24


#: Seconds between two drawings of the bar, and between two lines for a program.
DRAWN, TOLD = 0.1, 0.5


def bar(whole: int, what: str, already: int = 0, lines: bool = False) -> Callable[[int], None]:
    """A function to be told how many are done; it draws where somebody watches and is silent elsewhere.
    With `lines` it writes `{"done", "whole", "seconds"}` to stderr instead, a line at a time."""
    if not lines and not sys.stderr.isatty():
        return lambda done: None
    began = time.monotonic()
    drawn = [-1.0]

    def told(done: int) -> None:
        now = time.monotonic()
        if done < whole and now - drawn[0] < (TOLD if lines else DRAWN):
            return
        drawn[0] = now
        if lines:
            about = {"done": done, "whole": whole, "seconds": round(now - began, 1)}
            sys.stderr.write(f"{json.dumps(about)}\n")
        else:
            sys.stderr.write(f"\r{line(done, whole, what, already, now - began)} ")
            if done >= whole:
                sys.stderr.write("\n")
        sys.stderr.flush()

    return told


def line(done: int, whole: int, what: str, already: int, seconds: float) -> str:
    """The bar as text.

    >>> line(50, 200, "matches", 0, 10.0)
    '[######..................] 50 of 200 matches, 5 a second, 30 s left'
    """
    full = WIDTH * done // max(1, whole)
    rate = (done - already) / max(seconds, 1e-6)
    left = "" if not rate else f", {_spoken((whole - done) / rate)} left"
    shown = f"{rate:.0f}" if rate >= 3 else f"{rate:.2f}"
    return f"[{'#' * full}{'.' * (WIDTH - full)}] {done} of {whole} {what}, {shown} a second{left}"


def _spoken(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
