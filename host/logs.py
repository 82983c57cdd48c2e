"""The table's own log for people: a bounded look at its end, without secrets, names or tags' numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from host.entry import Json

LOG: Final = "crowntable.log"
#: where the web keeps its PIN and key; their values are taken out of everything that is shown
_SECRETS: Final = "web-secrets.json"
#: lines in one answer, characters of one line, bytes that are looked at
LINES, LONGEST, BYTES = 200, 600, 4_000_000
LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

_LINE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),\d+ ([A-Z]+) ([^:]*): (.*)")
_SECRET = re.compile(r"(?i)\b(pin|token|secret|key|password)(\W{1,3})\S+")
#: tags' numbers: 4, 7 or 10 bytes in hex, whole, or byte by byte as some libraries print them
_TAG = re.compile(
    r"(?i)\b(?:[0-9A-F]{8}|[0-9A-F]{14}|[0-9A-F]{20})\b|\b(?:[0-9A-F]{2}[: ]){3,9}[0-9A-F]{2}\b"
)


def scrubbed(text: str, names: set[str], secrets: frozenset[str] = frozenset()) -> str:
    """`text` without people's `names`, the user's home, PINs, tokens, keys and tags' numbers."""
    for secret in secrets:
        text = text.replace(secret, "[removed]")
    text = text.replace(str(Path.home()), "~")
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "[name]", text)
    text = _SECRET.sub(r"\1\2[removed]", text)
    return _TAG.sub("[tag]", text)


def secrets_of(data: Path) -> frozenset[str]:
    """The texts in a data folder that must never be shown; empty where there are none."""
    try:
        found = json.loads((data / _SECRETS).read_text(encoding="ascii"))
        return frozenset(str(found[key]) for key in ("pin", "key") if found.get(key))
    except (OSError, ValueError, AttributeError):
        return frozenset()


def read_log(data: Path, names: set[str], find: str = "", level: str = "", before: int | None = None) -> Json:
    """The newest LINES lines, newest first: {"lines": [{"n", "at", "level", "name", "text"}], "more"}.

    `find`: only lines with this text (any case; it is looked for in what would be shown); `level`: this
    one and graver ones; `before`: older than line `more` of an answer before."""
    secrets = secrets_of(data)
    wanted = LEVELS[LEVELS.index(level) :] if level in LEVELS else LEVELS
    rows = (
        row
        for row in reversed(list(_rows(_text(data))))
        if row["level"] in wanted and (before is None or row["n"] < before)
    )
    shown = ({**row, "text": scrubbed(row["text"], names, secrets)[:LONGEST]} for row in rows)
    found = (row for row in shown if find.casefold() in f"{row['name']}: {row['text']}".casefold())
    lines = list(islice(found, LINES + 1))
    more = len(lines) > LINES
    lines = lines[:LINES]
    return {"lines": lines, "more": lines[-1]["n"] if more else None}


def _text(data: Path) -> str:
    """The end of the log, the file before it first: numbers of lines hold until it is turned over."""
    parts = []
    for path in (data / f"{LOG}.1", data / LOG):
        try:
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - BYTES // 2))
                parts.append(file.read().decode("utf-8", "replace"))
        except OSError:
            continue
    return "".join(parts)


def _rows(text: str) -> Iterator[Json]:
    """Each entry of the log; lines that begin none belong to the one before (a traceback)."""
    row: Json | None = None
    for number, line in enumerate(text.splitlines()):
        begins = _LINE.fullmatch(line)
        if begins is not None:
            if row is not None:
                yield row
            at, level, name, told = begins.groups()
            row = {"n": number, "at": at, "level": level, "name": name, "text": told}
        elif row is not None and len(row["text"]) < LONGEST:
            row["text"] += f"\n{line}"
    if row is not None:
        yield row
