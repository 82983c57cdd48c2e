"""The journal: every entry in SQLite, committed with a full sync before anybody sees it (promise 3).

One process writes a journal; a lock file beside it holds a second one off with a clear sentence.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast, get_args

from engine.errors import CrowntableError
from host.entry import Entry, EntryKind
from host.face import Who

SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    seq      INTEGER PRIMARY KEY,
    kind     TEXT NOT NULL,
    wall     REAL NOT NULL,
    mono     REAL NOT NULL,
    boot     TEXT NOT NULL,
    match    INTEGER NOT NULL,
    who_kind TEXT NOT NULL,
    who_id   TEXT NOT NULL,
    action   TEXT,
    ok       INTEGER,
    findings TEXT NOT NULL,
    evidence TEXT NOT NULL,
    text     TEXT NOT NULL,
    body     TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS entries_by_match ON entries (match, seq);
"""
_COLUMNS = "seq, kind, wall, mono, boot, match, who_kind, who_id, action, ok, findings, evidence, text, body"


_INSERT = f"INSERT INTO entries ({_COLUMNS}) VALUES ({'?, ' * 13}?)"
# Made once: json.dumps makes one for every call that asks for other separators.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class NotRecordedError(Exception):
    """The disk took nothing: `reason` is what the system said. Nothing of the batch was written."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Journal:
    """An open journal in a data folder.

    Raises CrowntableError where another process has it, where the folder can't be written, or where
    the file is no journal of ours."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "journal.sqlite"
        self._writing = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(folder / "lock")
        except OSError as error:
            raise CrowntableError(
                f"The data folder {folder} can't be used: {error.strerror}.",
                "Give another one with --data, or mend its rights or its disk.",
            ) from None
        try:
            self._db = self._open()
        except BaseException:
            self._lock.close()
            raise

    def _open(self) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            found = int(db.execute("PRAGMA user_version").fetchone()[0])
            if found > SCHEMA_VERSION:
                raise CrowntableError(
                    f"The journal {self.path} was written by a newer Crowntable (format {found}).",
                    "Bring this installation up to date, or give another folder with --data.",
                )
            # One transaction that also proves, before anything runs, that the disk takes a write.
            db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
            db.execute("BEGIN IMMEDIATE")
            db.execute("CREATE TABLE IF NOT EXISTS probe (x BLOB)")
            db.execute("INSERT INTO probe VALUES (zeroblob(65536))")
            db.execute("DROP TABLE probe")
            db.execute("COMMIT")
        except sqlite3.Error as error:
            raise CrowntableError(
                f"The journal {self.path} can't be opened: {error}.", _cure(error, self.path)
            ) from None
        return db

    def append(self, entries: Sequence[Entry]) -> None:
        """Writes the entries and returns once they are on the disk. Raises NotRecordedError."""
        rows = [_row(entry) for entry in entries]
        try:
            with self._writing:
                self._write(rows)
        except sqlite3.Error as error:
            raise NotRecordedError(str(error)) from None

    def _write(self, rows: list[tuple[Any, ...]]) -> None:
        if len(rows) == 1:  # a statement by itself is a transaction, and the usual one
            self._db.execute(_INSERT, rows[0])
            return
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(_INSERT, rows)
            self._db.execute("COMMIT")
        except sqlite3.Error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def read(self, after: int = 0, limit: int | None = None, match: int | None = None) -> Iterator[Entry]:
        """Entries with seq > `after`, oldest first. Damaged ones, which `damaged` names, are passed over.

        Raises CrowntableError where the file itself is damaged."""
        yield from _sound(self._rows(after, limit, match))

    def damaged(self, after: int = 0, match: int | None = None) -> list[int]:
        """The seqs of those entries that are not as they were written, as a failing disk leaves them."""
        found = []
        for row in self._rows(after, None, match):
            try:
                _entry(row)
            except ValueError:
                found.append(int(row[0]))
        return found

    def _rows(self, after: int, limit: int | None, match: int | None) -> Iterator[tuple[Any, ...]]:
        where, values = "seq > ?", [after]
        if match is not None:
            where += " AND match = ?"
            values.append(match)
        values.append(-1 if limit is None else limit)
        query = f"SELECT {_COLUMNS} FROM entries WHERE {where} ORDER BY seq LIMIT ?"
        try:
            yield from self._db.execute(query, values)
        except sqlite3.Error as error:
            raise CrowntableError(
                f"The journal {self.path} can't be read: {error}.", _cure(error, self.path)
            ) from None

    def last(self) -> tuple[int, int]:
        """The highest seq and the newest match's number; zeros in an empty journal."""
        seq = self._db.execute("SELECT max(seq) FROM entries").fetchone()[0]
        match = self._db.execute("SELECT max(seq) FROM entries WHERE kind = 'match'").fetchone()[0]
        return seq or 0, match or 0

    def match_entries(self) -> list[Entry]:
        """The `match` entries, oldest first: one for each match in this journal, but damaged ones."""
        query = f"SELECT {_COLUMNS} FROM entries WHERE kind = 'match' ORDER BY seq"
        return list(_sound(self._db.execute(query)))

    def matches(self) -> int:
        """How many matches were begun in this journal, damaged ones counted."""
        return int(self._db.execute("SELECT count(*) FROM entries WHERE kind = 'match'").fetchone()[0])

    def pretend_disk(self, state: str) -> None:
        """For rehearsals of F52: from now on the database itself refuses to grow (`full`) or to be
        written (`read-only`), as on such a disk; `well` ends that."""
        with self._writing:
            self._db.execute(f"PRAGMA query_only = {'ON' if state == 'read-only' else 'OFF'}")
            pages = int(self._db.execute("PRAGMA page_count").fetchone()[0])
            limit = pages if state == "full" else 1_073_741_823
            self._db.execute(f"PRAGMA max_page_count = {limit}")

    def close(self) -> None:
        """Closes the file and lets the next process in."""
        self._db.close()
        self._lock.close()


def read_entries(path: Path, match: int) -> list[Entry]:
    """One match's entries from a journal that another process may be writing. Raises sqlite3.Error."""
    return list(each_entry(path, match))


def each_entry(path: Path, match: int) -> Iterator[Entry]:
    """The same one by one, so that those before a damaged one can be had. Raises sqlite3.Error or, for
    an entry that is not as it was written, ValueError, at the place of the damage."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        query = f"SELECT {_COLUMNS} FROM entries WHERE match = ? ORDER BY seq"
        for row in db.execute(query, (match,)):
            yield _entry(row)
    finally:
        db.close()


def heads_of(path: Path) -> list[tuple[Entry, int]]:
    """Each match's `match` entry and the seq of its last entry, oldest first; without those whose entry
    is damaged. Raises sqlite3.Error."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        query = f"SELECT {_COLUMNS} FROM entries WHERE kind = 'match' ORDER BY seq"
        begun = list(_sound(db.execute(query)))
        last = "SELECT max(seq) FROM entries WHERE match = ?"
        return [(one, db.execute(last, (one.seq,)).fetchone()[0] or one.seq) for one in begun]
    finally:
        db.close()


def matches_of(path: Path) -> list[int]:
    """The seqs of a journal's `match` entries, oldest first: match number n, m<n>, is the n-th of them.
    Raises sqlite3.Error."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        return [row[0] for row in db.execute("SELECT seq FROM entries WHERE kind = 'match' ORDER BY seq")]
    finally:
        db.close()


def flagged(path: Path) -> set[int]:
    """The seqs of the `match` entries of matches in which a moment was flagged. Raises sqlite3.Error."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        return {row[0] for row in db.execute("SELECT DISTINCT match FROM entries WHERE kind = 'flag'")}
    finally:
        db.close()


def _lock(path: Path) -> IO[str]:
    """The folder's lock, held while the returned file is open. Raises CrowntableError when taken."""
    file = path.open("a+", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        owner = file.read().strip() or "unknown"
        file.close()
        raise CrowntableError(
            f"Another Crowntable (process {owner}) is running on {path.parent}.",
            "Stop it first, or give this one a folder of its own with --data.",
        ) from None
    # The process number only helps the message above: a full disk must not stop the lock. Written past
    # the file's own buffer, which would try again when the lock is given back, and fail there.
    try:
        file.truncate(0)
        os.write(file.fileno(), str(os.getpid()).encode("ascii"))
    except OSError:
        pass
    return file


def _cure(error: sqlite3.Error, path: Path) -> str:
    words = str(error)
    if "full" in words:
        return f"Free some space on the disk of {path.parent} (df -h shows it), then start again."
    if "readonly" in words or "unable to open" in words:
        return "Mend the folder's rights, or give another folder with --data."
    return f"Move {path.name} aside to start with an empty journal; it is left as it is."


def _row(entry: Entry) -> tuple[Any, ...]:
    return (
        entry.seq,
        entry.kind,
        entry.wall,
        entry.mono,
        entry.boot,
        entry.match,
        entry.who.kind,
        entry.who.id,
        None if entry.action is None else _dump(entry.action),
        None if entry.ok is None else int(entry.ok),
        _dump(entry.findings),
        _dump(entry.evidence),
        _plain(entry.text),
        _dump(entry.body),
    )


def _dump(value: Any) -> str:
    return _plain(_ENCODER.encode(value))


def _plain(text: str) -> str:
    """Half a character, which the database would refuse, must not keep an entry from being written."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _sound(rows: Iterable[tuple[Any, ...]]) -> Iterator[Entry]:
    for row in rows:
        try:
            yield _entry(row)
        except ValueError:
            continue


def _entry(row: tuple[Any, ...]) -> Entry:
    """Raises ValueError for a row that is not as it was written."""
    seq, kind, wall, mono, boot, match, who_kind, who_id, action, ok, findings, evidence, text, body = row
    told = None if action is None else json.loads(action)
    found, grounds, more = json.loads(findings), json.loads(evidence), json.loads(body)
    an_action = told is None or (isinstance(told, dict) and isinstance(told.get("do"), str))
    whole = an_action and isinstance(more, dict)
    if not (whole and isinstance(found, list) and isinstance(grounds, list) and kind in get_args(EntryKind)):
        raise ValueError(f"entry {seq} is no entry")
    return Entry(
        seq,
        cast(EntryKind, kind),
        wall,
        mono,
        boot,
        match,
        Who(who_kind, who_id),
        told,
        None if ok is None else bool(ok),
        tuple(found),
        tuple(grounds),
        text,
        more,
    )
