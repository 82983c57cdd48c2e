"""Entries on their way to the disk: written at once, together where they come together, kept in order
while the disk takes nothing (F52)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from host.entry import Entry
from host.journal import Journal, NotRecordedError


@dataclass(slots=True)
class Backlog:
    """`waiting`: what the disk has not taken, oldest first; `trouble`: what the system said of it, empty
    while all is well."""

    journal: Journal
    waiting: list[Entry] = field(default_factory=list)
    trouble: str = ""
    _held: list[Entry] | None = None

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written within is committed at its end, in one transaction: one full sync for all that
        came at once. Nobody may see the table before that."""
        self._held = []
        try:
            yield
        finally:
            held, self._held = self._held, None
            if held:
                self.write(held)

    def write(self, entries: Sequence[Entry] = ()) -> bool:
        """Commits what waits and these entries in one transaction, in order. False where all of it waits."""
        if self._held is not None:
            self._held.extend(entries)
            return True
        self.waiting.extend(entries)
        try:
            self.journal.append(self.waiting)
        except NotRecordedError as error:
            self.trouble = error.reason
            return False
        self.waiting.clear()
        self.trouble = ""
        return True
