"""From tags in the field to `TagRead`s: which are game cards, and what the others are.

SAK decides first: nfcpy takes a MIFARE Classic for a Type 2 tag, and a bank card must not be asked
for pages. Only a Type 2 tag's memory is read, and only while it is new in the field.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from host import ndef
from host import uid as uids
from host.nfc import type2
from host.nfc.chip import Chip, Target
from host.nfc.faults import TagError, TagRefusedError, TagSilentError
from host.sighting import TagRead

#: a tag that was not seen for so long is read anew when it comes back, seconds
FORGET_SECONDS = 1.5
#: after this many vain attempts a tag is read only every RETRY_SECONDS
EAGER_ATTEMPTS = 10
RETRY_SECONDS = 0.5
_READ_TRIES = 3
_ISO_DEP = 0x20
#: SAKs of the MIFARE Classic family and its look-alikes (NXP AN10833)
_CLASSIC = frozenset((0x01, 0x08, 0x09, 0x10, 0x11, 0x18, 0x19, 0x28, 0x38, 0x88, 0x98, 0xB8))

_WORDS: dict[type2.Content, str] = {
    "blank": "a blank tag",
    "unprepared": "a blank tag, not prepared yet",
    "no-container": "a blank tag of a kind that a phone must prepare first",
    "foreign": "not a game card: another system's data",
    "torn": "a half-written tag: write it again",
    "damaged": "not a game card: its content is damaged",
    "protected": "not a game card: locked with a password",
    "unreadable": "its content can't be read",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """One tag, as far as it was looked at. `layout` and `message` are None where it was not read.

    `certain` False: the content could not be read this time, so nothing of it may be kept."""

    target: Target
    card: str | None
    why: str | None
    layout: type2.Layout | None = None
    message: ndef.Message | None = None
    certain: bool = True

    @property
    def read(self) -> TagRead:
        """The same for the table."""
        return TagRead(self.target.uid, self.card, self.why, self.certain, enrollable(self.target))


def by_number_only(target: Target) -> str | None:
    """What a tag is whose memory is none of our business; None for a Type 2 tag."""
    if target.sak & _ISO_DEP:
        if uids.is_random(target.uid):
            return "a phone: its number changes at every tap"
        return "a smart card (bank, transit, pass or the like)"
    if uids.is_random(target.uid):
        return "a tag whose number changes at every tap"
    if target.sak in _CLASSIC:
        return "a MIFARE Classic card: usable by its number, carries no table data"
    if target.sak & 0x60:
        return "a device, not a card"
    return None


def enrollable(target: Target) -> bool:
    """False for a phone, a smart card or a device: none of them ever becomes a game card."""
    return not (target.sak & 0x60 or uids.is_random(target.uid))


def look_at(chip: Chip, target: Target, key: bytes | None = None) -> Seen:
    """Reads as much of a tag as it takes to name it. Raises ReaderError only."""
    why = by_number_only(target)
    if why is not None:
        return Seen(target, None, why)
    try:
        layout = type2.read_layout(type2.Memory(Pages(chip, target.uid).read))
    except TagError:
        return Seen(target, None, "not read: hold it longer", certain=False)
    return named(target, layout, key)


def named(target: Target, layout: type2.Layout, key: bytes | None = None) -> Seen:
    """The name of a Type 2 tag with this content."""
    # A 7-byte UID also stands in the memory. Where it is another, this is a copy, an emulated tag, or
    # the memory of the tag beside it (F14): named, but not believed to be a card, and read again.
    own = len(target.uid) != 14 or layout.memory_uid == target.uid
    if layout.content != "message":
        certain = own and layout.content != "unreadable"
        return Seen(target, None, _WORDS[layout.content], layout, certain=certain)
    message = ndef.parse(layout.message)
    card = ndef.card_in(message, uid=target.uid, key=key)
    if card is None:
        return Seen(target, None, _foreign(message), layout, message, own)
    if card.card is None:
        return Seen(target, None, f"a damaged game card: {card.damage}", layout, message, own)
    if not own:
        why = "a copy of a game card: its memory carries another tag's number"
        return Seen(target, None, why, layout, message, certain=False)
    return Seen(target, card.card, None, layout, message)


def _foreign(message: ndef.Message) -> str:
    if message.damage and not message.records:
        return f"not a game card: its content is damaged ({message.damage})"
    if not message.records or not any(record.type for record in message.records):
        return "a blank tag"
    kind = ndef.kind_of(message)
    return f"not a game card: {'damaged ' if message.damage else ''}{kind}"


@dataclass(slots=True)
class Pages:
    """READ on one tag, which is selected by its UID first and after every failure."""

    chip: Chip
    uid: str
    _selected: bool = False

    def read(self, page: int) -> bytes:
        """16 bytes from `page` on. Raises TagSilentError or TagRefusedError after three tries."""
        fault: TagError = TagSilentError("not tried")
        for _ in range(_READ_TRIES):
            try:
                if not self._selected:
                    self.chip.select(self.uid)
                    self._selected = True
                return self.chip.exchange(bytes((0x30, page)))
            except TagError as failed:
                self._selected = False
                fault = failed
                if isinstance(failed, TagRefusedError) and page:
                    break  # a refusal is an answer; only page 0 is never refused by a sound tag
        raise fault

    def send(self, data: bytes) -> bytes:
        """Any other command, once. Raises TagError."""
        try:
            if not self._selected:
                self.chip.select(self.uid)
                self._selected = True
            return self.chip.exchange(data)
        except TagError:
            self._selected = False
            raise


@dataclass(slots=True)
class _Known:
    read: TagRead
    certain: bool
    seen_at: float
    read_at: float
    attempts: int


@dataclass(slots=True)
class Scanner:
    """Scans one antenna again and again; remembers a tag's content only while the tag stays."""

    chip: Chip
    key: bytes | None = None
    reads: int = 0
    _known: dict[str, _Known] = field(default_factory=dict)

    def scan(self) -> tuple[TagRead, ...]:
        """The tags in the field now, in the order of their UIDs. Raises ReaderError."""
        targets = self.chip.inventory()
        now = time.monotonic()
        for uid in [uid for uid, known in self._known.items() if now - known.seen_at > FORGET_SECONDS]:
            del self._known[uid]
        found = [self._content(target, now) for target in targets]
        self.reads += len(found)
        return tuple(sorted(found, key=lambda read: read.uid))

    def forget_all(self) -> None:
        """Contents may have changed: every tag is read anew."""
        self._known.clear()

    def _content(self, target: Target, now: float) -> TagRead:
        known = self._known.get(target.uid)
        if known is not None:
            known.seen_at = now
            due = known.attempts < EAGER_ATTEMPTS or now - known.read_at >= RETRY_SECONDS
            if known.certain or not due:
                return known.read
        seen = look_at(self.chip, target, self.key)
        attempts = known.attempts + 1 if known is not None else 1
        self._known[target.uid] = _Known(seen.read, seen.certain, now, time.monotonic(), attempts)
        return seen.read
