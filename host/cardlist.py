"""The card list: which tag is which card, as a CSV file that a person can read and edit.

    card,uid,note
    cremisi/cavalry/1,043991C2FC6780,

It serves tags that were enrolled without writing on them. Each card has one tag and each tag one
card; a spreadsheet's semicolons and byte order mark are understood.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from engine.errors import CrowntableError
from engine.whole import write_whole
from host import uid as uids

_COLUMNS = ("card", "uid", "note")


@dataclass(frozen=True, slots=True)
class Entry:
    """One card and its tag. `uid` is canonical; `note` is anybody's."""

    card: str
    uid: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class CardList:
    """The entries in the order of the file."""

    entries: tuple[Entry, ...] = ()

    def card_of(self, uid: str) -> str | None:
        """The card that a canonical UID is bound to."""
        return next((entry.card for entry in self.entries if entry.uid == uid), None)

    def uid_of(self, card: str) -> str | None:
        """The UID that is bound to a card."""
        return next((entry.uid for entry in self.entries if entry.card == card), None)

    def suggest(self, uid: str) -> tuple[str, ...]:
        """For an unknown UID: sentences on which known tag it may be, read wrongly (F13)."""
        known = {entry.uid: entry.card for entry in self.entries}
        return tuple(f"{known[s.uid]} ({s.why})" for s in uids.suggest(uid, known))

    def bind(self, card: str, uid: str, note: str = "") -> CardList:
        """The list with this card on this tag; the card's tag until now, if any, is free again.

        Raises CrowntableError when the tag is another card's (F11) or changes its number (F12)."""
        uid = uids.canonical(uid)
        if uids.is_random(uid):
            raise CrowntableError(
                f"The tag {uid} changes its number at every tap: it is a phone, or made like one.",
                "Take an NTAG213, 215 or 216.",
            )
        other = self.card_of(uid)
        if other is not None and other != card:
            raise CrowntableError(
                f"The tag {uid} is {other} already.", "Two cards can't have one tag: take another tag."
            )
        fresh = Entry(card, uid, note)
        if other == card or self.uid_of(card) is not None:
            return CardList(tuple(fresh if e.card == card else e for e in self.entries))
        return CardList((*self.entries, fresh))

    def merged(self, other: CardList) -> CardList:
        """The list with the other's bindings; where both say something of a card or a tag, the other's."""
        cards, tags = {e.card for e in other.entries}, {e.uid for e in other.entries}
        kept = (e for e in self.entries if e.card not in cards and e.uid not in tags)
        return CardList((*kept, *other.entries))

    def without(self, card: str) -> CardList:
        """The list without a card's binding."""
        return CardList(tuple(entry for entry in self.entries if entry.card != card))


def load(path: Path) -> CardList:
    """The list in a file; an empty one where there is no file.

    Raises CrowntableError, with the line number, for what is not readable or binds twice (F11)."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return CardList()
    except (OSError, UnicodeDecodeError) as fault:
        raise CrowntableError(
            f"The card list {path} can't be read ({fault}).", "Check its permissions; it must be UTF-8."
        ) from fault
    return parse(text, str(path))


def parse(text: str, name: str = "the card list") -> CardList:
    """The list in a CSV text. Raises CrowntableError like `load`."""
    delimiter = ";" if text.partition("\n")[0].count(";") else ","
    entries: list[Entry] = []
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    try:
        columns = [(column or "").strip().lower() for column in reader.fieldnames or ()]
        if text.strip() and not {"card", "uid"} <= set(columns):
            raise CrowntableError(f"{name} has no columns card and uid.", "Its first line is: card,uid,note")
        reader.fieldnames = columns
        for row in reader:
            entry = _entry(row, f"{name}, line {reader.line_num}")
            if entry is not None:
                entries.append(entry)
    except csv.Error as fault:
        raise CrowntableError(f"{name} is no CSV file ({fault}).", "Export it as CSV once more.") from fault
    for field in ("uid", "card"):
        counted = Counter(getattr(entry, field) for entry in entries)
        twice = next((value for value, count in counted.items() if count > 1), None)
        if twice is not None:
            raise CrowntableError(f"{name} has the {field} {twice} twice.", "Delete one of the two lines.")
    return CardList(tuple(entries))


def _entry(row: dict[str, str | None], where: str) -> Entry | None:
    """A row's entry; None for an empty row, or a card without a tag yet."""
    card, uid = (row.get("card") or "").strip(), (row.get("uid") or "").strip()
    if not uid or card.startswith("#"):
        return None
    if not card:
        raise CrowntableError(f"{where}: the tag {uid} has no card.", "Write the card's id into that line.")
    try:
        return Entry(card, uids.canonical(uid), (row.get("note") or "").strip())
    except CrowntableError as fault:
        raise CrowntableError(f"{where}: {fault.what}", fault.cure) from fault


def dump(cards: CardList) -> str:
    """The list as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows((entry.card, entry.uid, entry.note) for entry in cards.entries)
    return text.getvalue()


def save(path: Path, cards: CardList) -> None:
    """Writes the list so that a power cut leaves the old file or the new one, never half of either.

    Raises CrowntableError when it can't be written; the old file is then untouched."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, dump(cards))
    except OSError as fault:
        raise CrowntableError(
            f"The card list {path} can't be written ({fault.strerror}).", "Check the disk and permissions."
        ) from fault
