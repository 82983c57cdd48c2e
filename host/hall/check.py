"""Is everything that tables recorded in the hall's database, once and as it was?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa

from host.entry import Entry
from host.hall import wire
from host.hall.store import EVENTS, Store
from host.hall.wire import Json
from host.journal import each_entry, matches_of


def compare(
    store: Store, journals: dict[str, Path], last: dict[str, int], bases: dict[str, int]
) -> tuple[Json, list[float]]:
    """Every table's journal, after entry `bases` and up to `last`, against the database: how many events
    there are, how many are lost, different or doubled, and how many records are owed; and each event's
    delay from the table's entry to the hall's row, in milliseconds. Raises StoreError, sqlite3.Error."""
    figures: Json = {"events": 0, "lost": 0, "different": 0, "doubled": 0}
    delays: list[float] = []
    for name, path in journals.items():
        query = sa.select(EVENTS.c.entry, EVENTS.c.at, EVENTS.c.received).where(EVENTS.c.name == name)
        with store.engine.connect() as db:
            found = db.execute(query).all()
        rows = {row.entry["seq"]: row for row in found}
        figures["events"] += len(rows)
        figures["doubled"] += len(found) - len(rows)
        delays += [1000 * (row.received - row.at) for row in rows.values()]
        for entry in _entries(path):
            if not bases[name] < entry.seq <= last[name]:
                continue
            there = rows.get(entry.seq)
            if there is None:
                figures["lost"] += 1
            elif there.entry != wire.unpack(wire.pack(wire.public_entry(entry.to_json()))):
                figures["different"] += 1
    return {**figures, "records_owed": owed(store)}, sorted(delays)


def owed(store: Store) -> int:
    """Matches that another has followed at their table, and whose record lacks entries."""
    unrecorded = [(name, match) for name, _, match, _ in store.unrecorded()]
    newest: dict[str, int] = {}
    for name, match in [*unrecorded, *((one.name, one.match) for one in store.played())]:
        newest[name] = max(newest.get(name, 0), match)
    return sum(match < newest[name] for name, match in unrecorded)


def _entries(path: Path) -> Iterator[Entry]:
    for match in (0, *matches_of(path)):
        yield from each_entry(path, match)
