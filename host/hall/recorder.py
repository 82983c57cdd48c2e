"""Matches as records: made from their entries once they end, in a thread of its own beside the collecting."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from host.hall.board import Board
from host.hall.store import Event, Store, StoreError

log = logging.getLogger(__name__)

#: seconds between two looks at which matches are due
LOOK_S: Final = 2.0
#: seconds between two records: what arrives meanwhile comes first
BREATH_S: Final = 0.05
#: seconds without a new entry after which a match that has no end yet is written as it stands
QUIET_S: Final = 60.0


@dataclass(slots=True)
class Due:
    """A match that has entries which its record lacks: its last one, and when that came."""

    upto: int
    at: float


class Recorder:
    """Keeps the records of all matches whole. `start`; `note` what was committed; `stop`."""

    def __init__(self, store: Store, board: Board) -> None:
        self._store, self._board = store, board
        self._due: dict[tuple[str, str, int], Due] = {}
        self._newest: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hall-records", daemon=True)

    def start(self) -> None:
        """Begins, with what an earlier run has left behind."""
        self._thread.start()

    def stop(self) -> None:
        """Ends within two seconds; what is still due is found again at the next start."""
        self._stop.set()
        self._thread.join(2.0)

    def note(self, events: Sequence[Event]) -> None:
        """These are in the database now."""
        now = time.monotonic()
        with self._lock:
            for event in events:
                match = int(event.entry["match"])
                if match:
                    self._due[event.name, event.journal, match] = Due(event.seq, now)
                    self._newest[event.name, event.journal] = match

    def _run(self) -> None:
        behind = True
        while not self._stop.wait(LOOK_S):
            # The room's edge: a database that does not answer, or a fault of ours, must not end it.
            try:
                if behind:
                    self._left_behind()
                    behind = False
                self._look()
            except StoreError as error:
                log.warning("records wait: %s", error)
            except Exception:
                log.exception("a record could not be made")

    def _left_behind(self) -> None:
        """What an earlier run did not come to. Matches that still run wait as they would have: four hundred
        records at once would keep a hall that has just begun from what arrives."""
        found = self._store.unrecorded()
        now = time.monotonic()
        with self._lock:
            for name, journal, match, last in found:
                self._due.setdefault((name, journal, match), Due(last, now))
                self._newest[name, journal] = max(match, self._newest.get((name, journal), 0))

    def _look(self) -> None:
        now = time.monotonic()
        with self._lock:
            due = [key for key, one in self._due.items() if self._is_due(key, one, now)]
        made = 0
        try:
            for key in due:
                if self._stop.is_set():
                    return
                self._record(key)
                made += 1
                self._stop.wait(BREATH_S)
        finally:
            if made:
                self._board.played()

    def _record(self, key: tuple[str, str, int]) -> None:
        """Makes one record. Raises StoreError: then it stays due."""
        with self._lock:
            taken = self._due.pop(key)
        try:
            self._store.record(*key, clock=self._board.clock(key[0]))
        except StoreError:
            with self._lock:
                self._due.setdefault(key, taken)
            raise

    def _is_due(self, key: tuple[str, str, int], due: Due, now: float) -> bool:
        name, journal, match = key
        followed = match < self._newest.get((name, journal), 0)
        return followed or now - due.at > QUIET_S or self._board.over(name, journal, due.upto)
