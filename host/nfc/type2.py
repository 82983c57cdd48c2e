"""NDEF on a Type 2 tag (NFC Forum Type 2 Tag Operation 1.2): found by reading only what is needed.

A READ brings 16 bytes. The first one holds the UID's pages, the lock bytes and the capability
container; a game card's message takes five or six more. What is there instead of a message gets a
name, because a person has to be told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from host.nfc.faults import TagRefusedError, TagSilentError

PAGE = 4
BLOCK = 16
#: the data area begins behind four header pages
DATA = 16
_NULL, _LOCK, _RESERVED, _NDEF, _END = 0x00, 0x01, 0x02, 0x03, 0xFE

Content = Literal[
    "message",  # an NDEF message is there (perhaps empty of records)
    "blank",  # prepared, with an empty message: ready for use
    "unprepared",  # a capability container, but no message
    "no-container",  # all zero where the capability container would be
    "foreign",  # another system's data, no NDEF
    "torn",  # a length of zero in front of half a message
    "damaged",  # the structure contradicts itself
    "protected",  # password needed even to read
    "unreadable",  # it answers, but not these pages
]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a Type 2 tag holds.

    `message`: the octets of its NDEF message, reserved bytes left out. `at`: offset of the message's
    TLV (or where one would go). `skipped`: byte offsets that a message must leave out. `capacity`:
    the longest message in bytes. `header`: the first 16 bytes. `mirrors`: the UID in the memory."""

    content: Content
    message: bytes = b""
    at: int = DATA
    size: int = 0
    capacity: int = 0
    writable: bool = False
    skipped: frozenset[int] = frozenset()
    header: bytes = b""

    @property
    def memory_uid(self) -> str:
        """The 7-byte UID that the first two pages spell, which need not be the tag's."""
        return (self.header[0:3] + self.header[4:8]).hex().upper()


@dataclass(slots=True)
class Memory:
    """A tag's memory, read block by block when a byte of it is asked for.

    `read(page)` gives 16 bytes; it raises TagSilentError or TagRefusedError."""

    read: Callable[[int], bytes]
    _blocks: dict[int, bytes] = field(default_factory=dict)

    def block(self, number: int) -> bytes:
        """The 16 bytes from page 4 * `number` on."""
        if number not in self._blocks:
            data = self.read(number * BLOCK // PAGE)
            if len(data) != BLOCK:
                raise TagSilentError(f"{len(data)} bytes instead of 16")
            self._blocks[number] = data
        return self._blocks[number]

    def __getitem__(self, at: int) -> int:
        return self.block(at // BLOCK)[at % BLOCK]


def read_layout(memory: Memory) -> Layout:
    """What is on the tag. Raises TagSilentError when it leaves meanwhile; nothing else."""
    try:
        header = memory.block(0)
    except TagRefusedError:
        return Layout("unreadable")
    container = header[12:16]
    if container[0] != 0xE1 or container[1] >> 4 != 1:
        content: Content = "foreign" if any(container) else "no-container"
        return Layout(content, header=header)
    end = DATA + container[2] * 8
    writable = container[3] & 0x0F == 0
    try:
        found = _walk(memory, end)
    except TagRefusedError:
        return Layout(_why_refused(memory), size=end, header=header)
    locked = _locked(header, found.at)
    skipped = found.skipped
    free = sum(1 for at in range(found.at, end) if at not in skipped)
    capacity = max(0, free - (4 if free > 0xFF + 2 else 2))
    return Layout(
        found.content, found.message, found.at, end, capacity, writable and not locked, skipped, header
    )


def _why_refused(memory: Memory) -> Content:
    """Page 4 is refused: by a password all behind it is too, by a fault of the tag it is not."""
    try:
        memory.block(2)
    except TagRefusedError:
        return "protected"
    return "unreadable"


@dataclass(frozen=True, slots=True)
class _Found:
    content: Content
    at: int
    skipped: frozenset[int]
    message: bytes = b""


def _walk(memory: Memory, end: int) -> _Found:
    """Along the TLVs to the NDEF message, never beyond `end`."""
    at = DATA
    skipped: set[int] = set()
    strangers = False
    while at < end:
        if at in skipped or memory[at] == _NULL:
            at += 1
            continue
        kind = memory[at]
        if kind == _END:
            content: Content = "foreign" if strangers else "unprepared"
            return _Found(content, at, frozenset(skipped))
        try:
            size, value = _length(memory, at + 1, end)
        except EOFError:
            # Zeros, then noise to the brim: no TLV structure at all.
            return _Found("foreign" if kind != _NDEF else "damaged", at, frozenset(skipped))
        if kind == _NDEF:
            return _message(memory, at, value, size, end, frozenset(skipped))
        if kind in (_LOCK, _RESERVED):
            if size == 3:
                skipped |= _area(memory[value], memory[value + 1], memory[value + 2], kind == _LOCK)
        elif kind != 0xFD:  # proprietary data are allowed; others mean that this is no TLV area
            strangers = True
        at = value + size
    return _Found("foreign" if strangers else "unprepared", DATA, frozenset(skipped))


def _length(memory: Memory, at: int, end: int) -> tuple[int, int]:
    """A TLV's length and where its value begins. Raises EOFError beyond the data area."""
    if at >= end:
        raise EOFError
    if memory[at] != 0xFF:
        return memory[at], at + 1
    if at + 2 >= end:
        raise EOFError
    return memory[at + 1] << 8 | memory[at + 2], at + 3


def _message(memory: Memory, tlv: int, at: int, size: int, end: int, skipped: frozenset[int]) -> _Found:
    if size > sum(1 for n in range(at, end) if n not in skipped):
        return _Found("damaged", tlv, skipped)
    octets = bytearray()
    while len(octets) < size:
        if at not in skipped:
            octets.append(memory[at])
        at += 1
    if size:
        return _Found("message", tlv, skipped, bytes(octets))
    return _Found("torn" if _remains(memory, at, end) else "blank", tlv, skipped)


def _remains(memory: Memory, at: int, end: int) -> bool:
    """Whether half a message lies behind a length of zero: writers set the length last."""
    head = bytes(memory[n] for n in range(at, min(at + 3, end)))
    # No terminator; a first record's flags (MB set) and a type of some length.
    return len(head) == 3 and head[0] != _END and bool(head[0] & 0x80) and head[0] & 0x07 < 7


def _area(position: int, bits_or_bytes: int, control: int, lock: bool) -> set[int]:
    """The bytes that a lock control or memory control TLV reserves."""
    size = bits_or_bytes or 256
    if lock:
        size = (size + 7) // 8
    first = (position >> 4) * (1 << (control & 0x0F)) + (position & 0x0F)
    return set(range(first, first + size))


def _locked(header: bytes, at: int) -> bool:
    """Whether a static lock bit covers the page of the message's beginning (pages 3 to 15)."""
    page = at // PAGE
    bits = header[10] | header[11] << 8
    return page <= 15 and bool(bits >> page & 1)
