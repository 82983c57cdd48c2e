"""The matches that people played at this table, measured for the lab; each is read once."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from engine.errors import CrowntableError
from engine.lab.show.people import Match, measured
from engine.records.files import parse
from host.face import Table

Json = dict[str, Any]
#: Seconds that a page waits for records which are still being read.
PATIENCE = 0.8
#: Most matches that are measured for one page; the newest count.
MOST = 500

_known: dict[tuple[Path, str, int, int], Match] = {}
_lock = threading.Lock()


def played(table: Table, data: Path) -> list[Match]:
    """Every match of the journal, newest first. One that goes on is not looked into."""
    return [_match(table, data, row) for row in table.matches(PATIENCE)[:MOST]]


def _match(table: Table, data: Path, row: Json) -> Match:
    name = str(row["id"])
    if not row.get("ready"):
        return Match(name, left="reading")
    if not row.get("over"):
        return Match(name, game=row["game"], left="running")
    key = (data, name, int(row["entries"]), int(row["corrected"]))
    with _lock:
        known = _known.get(key)
    if known is None:
        known = _measured(table, row)
        with _lock:
            _known[key] = known
    return known


def _measured(table: Table, row: Json) -> Match:
    try:
        text = table.export(row["id"], "jsonl")
        match = measured(row["id"], parse((text or "").encode(), row["id"]))
    except CrowntableError:
        return Match(row["id"], game=row["game"], left="unread")
    # A record holds the actions that held in the end; that some were taken back, only the journal knows.
    corrections = max(match.corrections, int(row["corrected"]))
    if corrections and "corrected" not in match.marks:
        return Match(
            match.name, match.game, match.rules, match.cards, match.players, match.turns, match.facts,
            match.winners, ("corrected", *match.marks), corrections, match.doubts, match.left,
        )  # fmt: skip
    return match
