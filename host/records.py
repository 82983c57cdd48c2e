"""Matches of a journal as records: what `replay`, `export` and the dashboard's list of matches give out."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path

from engine.errors import CrowntableError
from engine.records.record import Record, record_of
from host.entry import Entry, Json
from host.journal import flagged, heads_of, matches_of, read_entries
from host.match import name_of, rebuilt
from host.past import past_of


def record_of_match(entries: Sequence[Entry], program: str | None = None) -> Record:
    """The record of one match from its entries, its `match` entry first: the actions that hold, with
    times, evidence and who did them; corrected ones are marked. What was undone is not in it.

    Raises CrowntableError where the match was never set up."""
    match, _ = rebuilt(list(entries))
    by_seq = {entry.seq: entry for entry in entries}
    held = [line for line in match.lines if not line.undone]
    details = [
        {
            "seq": line.seq,
            "wall": by_seq[line.seq].wall,
            "mono": by_seq[line.seq].mono,
            "boot": by_seq[line.seq].boot,
            "who": {"kind": by_seq[line.seq].who.kind, "id": by_seq[line.seq].who.id},
            "evidence": by_seq[line.seq].evidence,
            "edited": line.amended,
        }
        for line in held
    ]
    return record_of(
        match.game,
        match.ruleset,
        [line.action for line in held],
        details=details,
        match=name_of(match.begun),
        started=match.begun.wall,
        program=program,
    )


def number_of(name: str) -> int | None:
    """12 for `m12` or `12`; None for what is no match's name."""
    found = re.fullmatch(r"m?([0-9]{1,9})", name, re.ASCII)
    return int(found[1]) if found else None


def find_match(name: str, folders: Sequence[Path]) -> Record | None:
    """The record of match `m12` in the first of these data folders that has it, or of `FOLDER/m12`.

    None where that is no match's id; works beside a running table. Raises CrowntableError where no table
    has kept any, for a journal that can't be read, or that has other matches only."""
    where, _, ident = name.rpartition("/")
    number = re.fullmatch(r"m(\d+)", ident)
    if number is None:
        return None
    known: list[str] = []
    default = None if where else folders[0] if folders else None
    for folder in [Path(where)] if where else folders:
        path = folder / "journal.sqlite"
        if not path.exists():
            continue
        try:
            begun = matches_of(path)
            if 1 <= int(number[1]) <= len(begun):
                return record_of_match(read_entries(path, begun[int(number[1]) - 1]))
        except sqlite3.Error as error:
            raise CrowntableError(f"The journal {path} can't be read: {error}.", "Is it a journal?") from None
        before = "" if folder == default else f"{folder}/"
        known += [f"{before}m{n}" for n in range(1, len(begun) + 1)]
    if not known:
        raise CrowntableError(
            f"No table has kept matches where {name} was looked for.",
            f"Give FOLDER/m{number[1]} for a table with a data folder of its own, or the path of a record.",
        )
    raise CrowntableError(f"There is no match {name} at this table.", f"There are: {', '.join(known)}.")


def rows_of(folder: Path, wanted: Collection[str], every_flag: bool = False) -> list[Json]:
    """The rows (`host.past`) of these matches of a data folder, with `every_flag` also of those in which a
    moment was flagged; none where there is no journal. Works beside a running table. Raises CrowntableError
    where the journal can't be read."""
    path = folder / "journal.sqlite"
    if not path.exists():
        return []
    try:
        flags = flagged(path) if every_flag else set()
        begun = [head for head, _ in heads_of(path) if name_of(head) in wanted or head.seq in flags]
        return [past_of(read_entries(path, head.seq)).row for head in begun]
    except (sqlite3.Error, ValueError, TypeError, LookupError) as error:
        raise CrowntableError(f"The journal {path} can't be read: {error}.", "Is it a journal?") from None
