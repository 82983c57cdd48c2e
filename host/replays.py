"""The table's matches to be looked at again, worked out beside the table.

A thread of its own reads the journal on a connection of its own: the table's thread and its lock are
never waited for, however long a match is. What was worked out is kept: a row for every match, the whole
of the few that were opened last.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.errors import CrowntableError
from host.entry import Entry, Json
from host.face import Opened
from host.journal import each_entry, heads_of
from host.match import name_of
from host.past import Past, past_of, rules_of

log = logging.getLogger(__name__)

#: whole matches kept in memory
KEEP = 4
#: matches that wait to be opened; of more the oldest wishes are forgotten
WISHES = 8
#: seconds for which a running match's replay serves although the match has gone on
FRESH = 5.0
#: seconds of work after which the thread rests as long, so that others get the processor
SLICE = 0.003

#: a match's `match` entry and the seq of its last entry: as long as both stay, so does the match
Head = tuple[Entry, int]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A worked-out match: up to which entry, when (monotonic seconds), and what came of it."""

    last: int
    at: float
    past: Past | None
    row: Json


class _StoppedError(Exception):
    """The table is closing: leave the work where it is."""


class Replays:
    """All matches of one journal file. Safe to call from any thread."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._change = threading.Condition()
        self._rows: dict[int, _Kept] = {}
        self._whole: OrderedDict[int, _Kept] = OrderedDict()
        self._wishes: OrderedDict[int, Head] = OrderedDict()
        self._listed: dict[int, Head] = {}
        self._thread: threading.Thread | None = None
        self._stopping = False
        self._since = 0.0

    def stop(self) -> None:
        """Ends the thread; what is asked afterwards is answered as still being read."""
        with self._change:
            self._stopping = True
            self._change.notify_all()
        if self._thread is not None:
            self._thread.join(2.0)

    def rows(self, patience: float) -> list[Json]:
        """A row for every match, newest first. What `patience` seconds did not suffice for says less,
        and `ready` is false in it. Raises CrowntableError where the journal can't be read."""
        heads = self._heads()
        ends = self._clock() + patience
        with self._change:
            for head in heads:
                if not self._current(self._rows.get(head[0].seq), head):
                    self._listed[head[0].seq] = head
            self._wake()
            self._change.wait_for(lambda: not self._listed or self._stopping, max(0.0, ends - self._clock()))
            return [self._row(head) for head in reversed(heads)]

    def open(self, number: int, patience: float) -> Opened | None:
        """Match m<number>, waited for at most `patience` seconds; None where there is none. Raises
        CrowntableError where the journal can't be read."""
        heads = self._heads()
        if not 1 <= number <= len(heads):
            return None
        head = heads[number - 1]
        seq = head[0].seq
        with self._change:
            if not self._current(self._whole.get(seq), head):
                self._wishes[seq] = head
                self._wishes.move_to_end(seq)
                while len(self._wishes) > WISHES:
                    self._wishes.popitem(last=False)
                self._wake()
                self._change.wait_for(lambda: seq not in self._wishes or self._stopping, patience)
            kept = self._whole.get(seq)
            if kept is None:
                return Opened(None)
            self._whole.move_to_end(seq)
            return Opened(kept.past, kept.row["trouble"])

    def _heads(self) -> list[Head]:
        try:
            return heads_of(self._path)
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise CrowntableError(
                f"The journal {self._path} can't be read: {error}.",
                "Play goes on; look after the disk, then open this again.",
            ) from None

    def _row(self, head: Head) -> Json:
        kept = self._rows.get(head[0].seq)
        if kept is not None:
            return {**kept.row, "ready": True}
        return {**_unread(head[0]), "ready": False}

    def _current(self, kept: _Kept | None, head: Head) -> bool:
        return kept is not None and (kept.last == head[1] or self._clock() - kept.at < FRESH)

    # -- the thread --------------------------------------------------------------------------------

    def _wake(self) -> None:
        if self._thread is None and not self._stopping:
            self._thread = threading.Thread(target=self._run, name="replays", daemon=True)
            self._thread.start()
        self._change.notify_all()

    def _run(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._wishes or self._listed or self._stopping)
                if self._stopping:
                    return
                wished = next(reversed(self._wishes), None)
                seq = wished if wished is not None else next(reversed(self._listed))
                head = self._wishes[seq] if wished is not None else self._listed[seq]
            try:
                kept = self._work_out(head)
            except _StoppedError:
                return
            with self._change:
                if wished is not None:
                    self._whole[seq] = kept
                    while len(self._whole) > KEEP:
                        self._whole.popitem(last=False)
                self._rows[seq] = kept if kept.past is None else _Kept(kept.last, kept.at, None, kept.row)
                self._wishes.pop(seq, None) if wished is not None else None
                self._listed.pop(seq, None)
                self._change.notify_all()

    def _work_out(self, head: Head) -> _Kept:
        begun, last = head
        self._since = time.perf_counter()
        entries, trouble = self._entries(begun)
        past, row = None, {**_unread(begun), "trouble": trouble}
        # The room's edge: a record that nobody foresaw must not take the others with it.
        try:
            past = past_of(entries, trouble, self._breathe)
            row = past.row
        except CrowntableError as error:
            row = {**row, "trouble": f"{error.what} {error.cure}"}
        except (_StoppedError, MemoryError):
            raise
        except Exception:
            log.exception("match %s could not be worked out", name_of(begun))
            row = {**row, "trouble": "This record is damaged and could not be read; the log says where."}
        return _Kept(last, self._clock(), past, row)

    def _entries(self, begun: Entry) -> tuple[list[Entry], str]:
        """The match's entries as far as they can be read, and what is wrong with the next."""
        entries = [begun]
        try:
            for entry in each_entry(self._path, begun.seq):
                self._breathe()
                if entry.seq > begun.seq:
                    entries.append(entry)
        except (sqlite3.Error, ValueError, TypeError, KeyError) as error:
            log.warning("match %s is damaged after entry %d: %s", name_of(begun), entries[-1].seq, error)
            return entries, f"The record is damaged after entry {entries[-1].seq}; it is shown up to there."
        return entries, ""

    def _breathe(self) -> None:
        """Rests after every slice of work; leaves it when the table closes."""
        if self._stopping:
            raise _StoppedError
        now = time.perf_counter()
        if now - self._since > SLICE:
            time.sleep(SLICE)
            self._since = time.perf_counter()


def _unread(begun: Entry) -> Json:
    """What the `match` entry alone says of a match."""
    return {
        "id": name_of(begun),
        "number": begun.body.get("number", 1),
        "game": begun.body.get("game", ""),
        **rules_of(begun),
        "started": begun.wall,
        "ended": None,
        "over": False,
        "seats": begun.body.get("seats", []),
        "winners": None,
        "flags": [],
        "trouble": "",
        "best": [],
    }
