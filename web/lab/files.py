"""Results that `crowntable lab run` and `lab compare` have written into the table's data folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from engine.lab.show.reports import kind_of

Json = dict[str, Any]
#: The folder below the table's data.
FOLDER = "lab"
#: A report is some 40 kB; whatever is larger is none.
MOST_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class Found:
    """A file of results. `kind` is `broken` where it is neither a run's nor a comparison's."""

    name: str
    kind: Literal["run", "compare", "broken"]
    changed: float
    answer: Json


def folder_of(data: Path) -> Path:
    """Where the results of the table with this data folder lie."""
    return data / FOLDER


def found_in(data: Path) -> list[Found]:
    """All results there, newest first. A file that is no result is among them as `broken`."""
    found = []
    try:
        paths = sorted(folder_of(data).glob("*.json"))
    except OSError:
        paths = []
    for path in paths:
        try:
            stat = path.stat()
        except OSError:
            continue  # it went away in between
        found.append(_read(path, stat.st_mtime, stat.st_size))
    return sorted(found, key=lambda one: -one.changed)


@lru_cache(maxsize=200)
def _read(path: Path, changed: float, size: int) -> Found:
    answer: Any = None
    if size <= MOST_BYTES:
        try:
            answer = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            answer = None
    return Found(path.stem, kind_of(answer), changed, answer if isinstance(answer, dict) else {})
