"""A record for people and for other tools: jsonl, csv, text and html."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.errors import CrowntableError
from engine.records.files import write
from engine.records.html import page
from engine.records.record import Line, Record
from engine.records.replay import steps
from engine.records.sheets import Row, Sheet, sheet_of


def export(record: Record, to: str) -> str:
    """The record in one of `FORMATS`. Raises CrowntableError for another, or where the record's game
    or ruleset is unknown."""
    if to not in FORMATS:
        raise CrowntableError(f"There is no export to {to!r}.", f"Choose one of: {', '.join(FORMATS)}.")
    return FORMATS[to](record)


def jsonl(record: Record) -> str:
    """The record in its own format; what was torn off its end stays out."""
    out = io.StringIO()
    write(record, out)
    return out.getvalue()


def table(record: Record) -> str:
    """A row an action as CSV: the action's fields, the verdict, what the line knows, and the sheet's
    words. Columns that the record has nothing for are left out."""
    sheet = {row.n: row for section in sheet_of(record).sections for row in section.rows if row.n}
    rows = []
    for step in steps(record):
        line, row = step.line, sheet[step.n]
        fields = {k: v for k, v in line.action.items() if k != "players"}
        cells: dict[str, Any] = {"n": step.n, "time": row.time, "who": row.who} | fields
        cells |= {
            "ok": "yes" if line.ok else "no",
            "codes": " ".join(line.codes),
            "in words": row.words.what,
            "effect": row.words.effect,
            "result": row.words.result,
            "undone": "yes" if row.undone else "",
            "remarks": " ".join(row.remarks),
            "seq": line.seq,
            "wall": line.wall,
            "mono": line.mono,
            "by": f"{line.who['kind']} {line.who['id']}".strip() if line.who else "",
            "edited": "yes" if line.edited else "",
            "evidence": "; ".join(e if isinstance(e, str) else json.dumps(e) for e in line.evidence),
        }
        rows.append({key: _cell(value) for key, value in cells.items()})
    columns = list(dict.fromkeys(key for row in rows for key in (*_LEADING, *row)))
    used = [key for key in columns if any(row.get(key) for row in rows)]
    out = io.StringIO()
    writer = csv.DictWriter(out, used, restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


#: The columns that every game's table begins with.
_LEADING = ("n", "time", "who", "do", "seat")


def _cell(value: Any) -> str:
    """A cell's text. A text that a spreadsheet would take for a formula gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return json.dumps(value)
    text = str(value)
    risky = isinstance(value, str) and len(text) > 1 and text[0] in "=+-@"
    return f"'{text}" if risky else text


def score_sheet(record: Record) -> str:
    """One readable line a play, as a chess score sheet is read."""
    sheet = sheet_of(record)
    lines = [sheet.title, "=" * len(sheet.title), ""]
    lines += [f"{label}: {value}" for label, value in sheet.facts]
    lines += [""]
    lines += [f"  Seat {p.seat}  {p.name}{f', {p.side}' if p.side else ''}" for p in sheet.players]
    widths = _widths(sheet)
    for section in sheet.sections:
        lines += ["", section.title, "-" * len(section.title)]
        lines += [section.stand] if section.stand else []
        for row in section.rows:
            lines += _row_lines(row, widths)
    lines += ["", sheet.outcome or "The match is not over."]
    lines += ["", sheet.torn] if sheet.torn else []
    return "\n".join(lines) + "\n"


def play_lines(record: Record, until: int | None = None) -> Iterator[tuple[Line, str]]:
    """The score sheet's lines, one text an action with what follows from it, to action `until`."""
    sheet = sheet_of(record)
    widths = _widths(sheet)
    texts: dict[int, list[str]] = {}
    number = 0
    for section in sheet.sections:
        heading = ["", section.title, *([section.stand] if section.stand else [])]
        for row in section.rows:
            number = row.n or number
            texts.setdefault(number, heading).extend(_row_lines(row, widths))
            heading = []
    for n, line in enumerate(record.lines[:until], 1):
        yield line, "\n".join(texts[n]) + "\n"


def _widths(sheet: Sheet) -> Mapping[str, int]:
    """Column widths by what stands in them."""
    rows = [row for section in sheet.sections for row in section.rows if row.kind != "note"]
    cells = {
        "n": [str(r.n) for r in rows],
        "time": [r.time for r in rows],
        "where": [r.words.where for r in rows],
        "who": [r.who for r in rows],
        "what": [r.words.what for r in rows],
        "effect": [r.words.effect for r in rows],
    }
    return {name: max(map(len, column), default=0) for name, column in cells.items()}


def _row_lines(row: Row, widths: Mapping[str, int]) -> list[str]:
    if row.kind == "note":
        return [" " * (widths["n"] + 2) + "> " + row.words.what]
    cells = [(str(row.n) + ("x" if row.undone else " ")).rjust(widths["n"] + 1)]
    named = ("time", row.time), ("where", row.words.where), ("who", row.who), ("what", row.words.what)
    cells += [text.ljust(widths[name]) for name, text in named if widths[name]]
    if row.kind == "refused":
        return ["  ".join([*cells, "refused: " + " ".join(row.remarks)]).rstrip()]
    cells += [row.words.effect.ljust(widths["effect"]), row.words.result]
    text = "  ".join(cells).rstrip()
    remarks = ["(taken back)"] if row.undone else []
    remarks += [f"[{remark}]" for remark in row.remarks]
    return [" ".join([text, *remarks]).rstrip()]


#: Format -> what makes it.
FORMATS: Mapping[str, Callable[[Record], str]] = {
    "jsonl": jsonl,
    "csv": table,
    "text": score_sheet,
    "html": lambda record: page(sheet_of(record)),
}
