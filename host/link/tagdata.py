"""From the pages that the firmware read to what the table wants to know of a tag."""

from __future__ import annotations

from host import ndef
from host.sighting import TagRead
from host.uid import is_random

_FIRST_DATA = 16
"""Pages 0 to 3 hold the UID, the lock bits and the capability container."""


def tag_read(uid: str, sak: int, memory: bytes | None, gave_up: bool = False) -> TagRead:
    """What a tag is. `memory`: its pages from page 0 on, None while they are not read; `gave_up`:
    the firmware has tried often enough. Never raises."""
    if is_random(uid):
        return TagRead(uid, None, "a phone, or another tag with a new number at each tap")
    if sak & 0x08:
        return TagRead(uid, None, "not a game card: a MIFARE Classic card")
    if sak & 0x20:
        return TagRead(uid, None, "not a game card: a bank card, transit card or phone")
    if sak & 0x77:
        return TagRead(uid, None, "not a game card: an unknown kind of tag")
    if memory is None:
        return TagRead(uid, None, "its memory can't be read" if gave_up else None)
    octets = message_in(memory)
    if octets is None:
        return TagRead(uid, None, "a blank tag" if _is_blank(memory) else "no message on it")
    message = ndef.parse(octets)
    card = ndef.card_in(message, uid=uid)
    if card is None:
        if not message.records and not message.damage:
            return TagRead(uid, None, "a blank tag")
        return TagRead(uid, None, f"not a game card: {ndef.kind_of(message)}")
    return TagRead(uid, card.card, card.damage)


def message_in(memory: bytes) -> bytes | None:
    """The NDEF message of a Type 2 tag's memory (NFC Forum Type 2 Tag, TLV blocks); None without one.

    A message that runs past what was read is cut there: its own checks will find that."""
    at = _FIRST_DATA
    while at < len(memory):
        kind = memory[at]
        if kind == 0x00:
            at += 1
            continue
        if kind == 0xFE or at + 1 >= len(memory):
            return None
        length, start = memory[at + 1], at + 2
        if length == 0xFF:
            if at + 3 >= len(memory):
                return None
            length, start = int.from_bytes(memory[at + 2 : at + 4], "big"), at + 4
        if kind == 0x03:
            return memory[start : start + length] or None
        at = start + length
    return None


def _is_blank(memory: bytes) -> bool:
    return not any(memory[_FIRST_DATA:]) or memory[_FIRST_DATA : _FIRST_DATA + 2] == b"\x03\x00"
