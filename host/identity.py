"""Which card a tag is: by the record on it, else by its number in the table's card list.

The list is a file that people edit (host.cardlist). It is read again whenever it has changed; a list
that can't be read is said, and the last good one stays in use.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import CrowntableError
from host import cardlist
from host.cardlist import CardList
from host.sighting import Inventory, Sighting, TagRead


@dataclass(slots=True)
class CardBook:
    """The card list in use. `path` None: none, and nothing is ever read or written.

    `trouble`: why the file can't be used now, in words; empty where it can."""

    path: Path | None = None
    cards: CardList = field(default_factory=CardList)
    trouble: str = ""
    _stamp: tuple[int, int, int] | None = None

    def refresh(self) -> bool:
        """Reads the file again if it is another one than before. True where that changed anything."""
        stamp = self._look()
        if self.path is None or stamp == self._stamp:
            return False
        self._stamp = stamp
        try:
            self.cards, self.trouble = cardlist.load(self.path), ""
        except CrowntableError as error:
            self.trouble = f"{error.what} {error.cure}"
        return True

    def bind(self, card: str, uid: str, note: str) -> None:
        """Binds a tag to a card and writes the list. Raises CrowntableError; nothing is bound then."""
        self.refresh()
        self.keep(self.cards.bind(card, uid, note))

    def keep(self, fresh: CardList) -> None:
        """Writes another list and uses it. Raises CrowntableError; the list is as before then."""
        if self.path is None or self.trouble:
            raise CrowntableError("The card list can't be written to.", self.trouble or "It has no file.")
        cardlist.save(self.path, fresh)
        self.cards, self._stamp = fresh, self._look()

    def known(self, sighting: Sighting) -> Sighting:
        """The sighting with the cards that the list knows by their tags' numbers."""
        if not isinstance(sighting, Inventory) or all(tag.card for tag in sighting.tags):
            return sighting
        return replace(sighting, tags=tuple(map(self._named, sighting.tags)))

    def _named(self, tag: TagRead) -> TagRead:
        # What is written on a tag counts more than its number: until it is read, nothing is claimed.
        if tag.card is not None or not tag.certain or not tag.fit:
            return tag
        card = self.cards.card_of(tag.uid)
        if card is not None:
            return replace(tag, card=card, why=None)
        likely = self.cards.suggest(tag.uid)
        if not likely:
            return tag
        # A number read wrongly is offered, never taken (F13).
        return replace(tag, why=f"{tag.why or 'not a game card'}; its number is nearly that of {likely[0]}")

    def _look(self) -> tuple[int, int, int] | None:
        try:
            found = self.path.stat() if self.path is not None else None
        except OSError:
            return None
        return None if found is None else (found.st_ino, found.st_mtime_ns, found.st_size)
