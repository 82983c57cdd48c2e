"""A day in the hall: its schedule from a file that a person writes, its standings from the records."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final

from engine.errors import CrowntableError
from host.hall.store import Played
from host.hall.wire import Json, is_name

COLUMNS: Final = ("start", "table", "title", "players")
#: largest schedule in bytes, most lines, longest title or name
MOST: Final = 512 * 1024
MOST_LINES: Final = 5000
LONGEST: Final = 80
#: how much earlier than planned a match may begin and still be the planned one, in seconds
EARLY_S: Final = 1200.0
#: what tables call seats that nobody has given a name
_NOBODY: Final = re.compile(r"seat \d+", re.I)


@dataclass(frozen=True, slots=True)
class Slot:
    """One line of the schedule: when (minutes after midnight), at which table, what, who."""

    minute: int
    table: str
    title: str
    players: tuple[str, ...]


def read_schedule(path: Path) -> tuple[Slot, ...]:
    """The schedule in a CSV file: start,table,title,players; players separated by `;`.

        start,table,title,players
        10:00,t01,Round 1,Ada; Bruno; Chiara

    Raises CrowntableError that names the line."""
    try:
        if path.stat().st_size > MOST:
            raise CrowntableError(f"The schedule {path} is too large.", f"It may have {MOST // 1024} kB.")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CrowntableError(
            f"The schedule {path} can't be read: {error.strerror or error}.", "Give its path with --schedule."
        ) from None
    except UnicodeDecodeError:
        raise CrowntableError(f"The schedule {path} is no text in UTF-8.", "Save it as CSV, UTF-8.") from None
    slots: list[Slot] = []
    for number, cells in _rows(path, text):
        if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
            continue
        if [cell.strip().lower() for cell in cells[:2]] == list(COLUMNS[:2]):
            continue
        if len(slots) >= MOST_LINES:
            raise CrowntableError(f"The schedule {path} is too long.", f"{MOST_LINES} lines are the most.")
        slots.append(_slot(path, number, cells))
    return tuple(sorted(slots, key=lambda slot: (slot.minute, slot.table)))


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Each line's number and cells."""
    rows = csv.reader(text.splitlines(), delimiter=_delimiter(text), skipinitialspace=True)
    number = 0
    try:
        for number, cells in enumerate(rows, 1):
            yield number, cells
    except csv.Error:  # a cell longer than the reader takes
        raise CrowntableError(
            f"The schedule {path}, line {number + 1}: that is no line of a table.", "Save it as CSV, UTF-8."
        ) from None


def _delimiter(text: str) -> str:
    """What a spreadsheet of this country puts between cells."""
    first = text.split("\n", 1)[0]
    return max((",", ";", "\t"), key=first.count)


def _slot(path: Path, number: int, cells: list[str]) -> Slot:
    cells = [" ".join(cell.split())[:400] for cell in cells]
    start, table, title, players = (*cells, "", "", "", "")[:4]
    minute = _minute(start)
    if minute is None:
        raise CrowntableError(
            f"The schedule {path}, line {number}: {start[:20]!r} is no time.", "Write times as 14:30."
        )
    table = table.lower()
    if not is_name(table):
        raise CrowntableError(
            f"The schedule {path}, line {number}: {table[:20]!r} is no table.",
            "Write the name in its account file, such as t07.",
        )
    names = tuple(name.strip()[:LONGEST] for name in re.split(r"[;|/]", players) if name.strip())
    return Slot(minute, table, title[:LONGEST], names[:9])


def _minute(text: str) -> int | None:
    """Minutes after midnight of a time as spreadsheets write it; None where it is none.

    >>> [_minute(text) for text in ("9.05", "14:30:00", "2:30 PM", "12:00 am", "25:00", "soon")]
    [545, 870, 870, 0, None, None]
    """
    found = re.fullmatch(r"(\d{1,2})[:.]([0-5]\d)(?:[:.][0-5]\d)?(?: ?([ap])\.?m\.?)?", text, re.ASCII | re.I)
    if found is None:
        return None
    hour, half = int(found[1]), (found[3] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0) if 1 <= hour <= 12 else 24
    return hour * 60 + int(found[2]) if hour < 24 else None


def bounds(day: date) -> tuple[float, float]:
    """When a day begins and ends here, in Unix seconds."""
    begins = datetime(day.year, day.month, day.day)
    return begins.timestamp(), (begins + timedelta(days=1)).timestamp()


def plan(slots: Sequence[Slot], played: Sequence[Played], day: date) -> list[Json]:
    """The schedule with what has become of each line: `match` is the one that began at that table
    between then and the next line of that table (`None`: not yet), its winners by name."""
    midnight, _ = bounds(day)
    begun: dict[str, list[Played]] = {}
    for one in played:
        begun.setdefault(one.name, []).append(one)
    starts: dict[str, list[int]] = {}
    for slot in slots:
        starts.setdefault(slot.table, []).append(slot.minute)
    rows = []
    for slot in slots:
        begins = midnight + 60 * slot.minute - EARLY_S
        later = min((m for m in starts[slot.table] if m > slot.minute), default=None)
        ends = float("inf") if later is None else midnight + 60 * later - EARLY_S
        there = [m for m in begun.get(slot.table, ()) if begins <= m.started < ends]
        named = [m for m in there if set(slot.players) & {str(p.get("name")) for p in m.players}]
        found = (named or there)[-1:]
        match = {"over": found[0].ended is not None, "winners": _winners(found[0])} if found else None
        rows.append(
            {
                "start": f"{slot.minute // 60:02}:{slot.minute % 60:02}",
                "table": slot.table,
                "title": slot.title,
                "players": list(slot.players),
                "match": match,
            }
        )
    return rows


def _winners(match: Played) -> list[str]:
    names = {p.get("seat"): str(p.get("name") or f"Seat {p.get('seat')}") for p in match.players}
    return [names.get(seat, f"Seat {seat}") for seat in match.winners]


def standings(played: Sequence[Played]) -> dict[str, list[Json]]:
    """Game -> who has played and won, the best first. A win counts 1, a shared one its share; equal
    points stand in order of matches played, fewer first. Who played without a name is not listed, and
    one name is one person, however it is capitalised."""
    people: dict[tuple[str, str], Json] = {}
    for match in played:
        if match.ended is None:
            continue
        for player in match.players:
            name = str(player.get("name") or "")
            if not name or _NOBODY.fullmatch(name):
                continue
            row = people.setdefault(
                (match.game, name.casefold()), {"name": name, "matches": 0, "wins": 0, "points": 0.0}
            )
            row["matches"] += 1
            if player.get("seat") in match.winners:
                row["wins"] += 1
                row["points"] += 1 / len(match.winners)
    tables: dict[str, list[Json]] = {}
    for (game, _), row in people.items():
        tables.setdefault(game, []).append({**row, "points": round(row["points"], 2)})
    for rows in tables.values():
        rows.sort(key=lambda r: (-r["points"], r["matches"], r["name"].casefold()))
        for place, row in enumerate(rows, 1):
            above = rows[place - 2] if place > 1 else None
            same = above is not None and all(above[k] == row[k] for k in ("points", "matches"))
            row["place"] = above["place"] if above is not None and same else place
    return dict(sorted(tables.items()))
