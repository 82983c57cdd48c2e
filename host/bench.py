"""`crowntable bench`: which measurements there are, and the journal's own."""

from __future__ import annotations

import importlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from typing import Any

from host.entry import Entry
from host.face import Who
from host.journal import Journal

JOURNAL_METHOD = (
    "one entry a commit with full sync, 2,000 in a row, in a temporary folder (TMPDIR decides the disk); "
    "milliseconds from the call to the entry being on the disk. together_per_second: 2,000 more, eight a "
    "commit, as the table writes what comes at once."
)
#: entries a commit in the journal's second measurement
TOGETHER = 8
_ELSEWHERE = {
    "ask": "engine.ask.bench",
    "dice": "vision.bench",
    "engine": "engine.bench",
    "lab": "engine.lab.bench",
    "tap": "host.bench_tap",
}


def methods() -> dict[str, str]:
    """Name of each measurement -> how it is made."""
    known = {name: _method(module) for name, module in _ELSEWHERE.items()}
    return known | {"journal": JOURNAL_METHOD}


def _method(module: str) -> str:
    return str(importlib.import_module(module).METHOD)


def measure(name: str) -> dict[str, Any]:
    """Runs one measurement and returns its figures."""
    if name == "journal":
        return bench_journal()
    run: Callable[[], dict[str, Any]] = importlib.import_module(_ELSEWHERE[name]).measure
    return run()


def bench_journal(entries: int = 2000) -> dict[str, Any]:
    """Commit times of the journal on this machine's temporary folder, in milliseconds."""
    action = {"do": "play", "seat": 1, "card": "cremisi/cavalry/1"}

    def entry(seq: int) -> Entry:
        return Entry(seq, "action", 0.0, 0.0, "bench", 1, Who("device", "pico"), action, True)

    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder))
        times = []
        began = time.perf_counter()
        for seq in range(1, entries + 1):
            at = time.perf_counter()
            journal.append([entry(seq)])
            times.append((time.perf_counter() - at) * 1000)
        seconds = time.perf_counter() - began
        began = time.perf_counter()
        for seq in range(entries + 1, 2 * entries + 1, TOGETHER):
            journal.append([entry(n) for n in range(seq, seq + TOGETHER)])
        together = time.perf_counter() - began
        journal.close()
    cuts = quantiles(times, n=100)
    return {
        "entries": entries,
        "seconds": round(seconds, 3),
        "per_second": round(entries / seconds),
        "p50_ms": round(cuts[49], 3),
        "p99_ms": round(cuts[98], 3),
        "together_per_second": round(entries / together),
    }
