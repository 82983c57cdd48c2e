"""From the pages that the firmware read to what the table wants to know of a tag: the same judgement
and the same words as for a reader on nfcpy (host.nfc.scan)."""

from __future__ import annotations

from host.nfc.chip import Target
from host.nfc.faults import TagSilentError
from host.nfc.scan import by_number_only, enrollable, named
from host.nfc.type2 import BLOCK, PAGE, Memory, read_layout
from host.sighting import TagRead


def tag_read(uid: str, sak: int, memory: bytes | None, gave_up: bool = False) -> TagRead:
    """What a tag is. `uid` is canonical; `memory`: its pages from page 0 on in whole blocks of 16
    bytes, as far as the firmware read them, None while they are not read; `gave_up`: it has tried
    often enough. Never raises."""
    target = Target(1, uid, b"", sak)
    why = by_number_only(target)
    if why is not None:
        return TagRead(uid, None, why, fit=enrollable(target))
    if memory is None:
        return TagRead(uid, None, "its content can't be read" if gave_up else None, gave_up)

    def block(page: int) -> bytes:
        at = page * PAGE
        # What the firmware did not send it did not need: behind the message, or too far away.
        return memory[at : at + BLOCK].ljust(BLOCK, b"\0")

    try:
        layout = read_layout(Memory(block))
    except TagSilentError:
        return TagRead(uid, certain=False)
    return named(target, layout).read
