"""Writing a tag: length last, everything read back and compared, locked on request (F17)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import CrowntableError
from host import ndef
from host.nfc import type2
from host.nfc.chip import Chip
from host.nfc.faults import TagError, TagRefusedError
from host.nfc.scan import Pages, by_number_only
from host.nfc.type2 import DATA, PAGE, Layout, Memory

#: GET_VERSION answer -> (name, page of the dynamic lock bytes, the bytes that lock everything)
_CHIPS: dict[bytes, tuple[str, int, bytes]] = {
    bytes.fromhex("0004040201000F03"): ("NTAG213", 40, bytes.fromhex("FF0F3F00")),
    bytes.fromhex("0004040201001103"): ("NTAG215", 130, bytes.fromhex("FF000F00")),
    bytes.fromhex("0004040201001303"): ("NTAG216", 226, bytes.fromhex("FF3F7F00")),
}
_OTHER_CHIPS = {
    bytes.fromhex("0004040101000B03"): "NTAG210",
    bytes.fromhex("0004040101000E03"): "NTAG212",
    bytes.fromhex("0004030101000B03"): "Ultralight EV1",
    bytes.fromhex("0004030101000E03"): "Ultralight EV1",
    bytes.fromhex("0004040502011303"): "NTAG I2C 1K",
    bytes.fromhex("0004040502011503"): "NTAG I2C 2K",
}
_LAY = "Lay the tag flat on the middle of the antenna, hold it still and try again."


@dataclass(frozen=True, slots=True)
class Written:
    """What was done: so many bytes, read back equal; `locked` for good."""

    uid: str
    bytes: int
    locked: bool


def chip_name(pages: Pages) -> str:
    """The product by GET_VERSION; "Type 2 tag" where it is not told. Raises ReaderError only."""
    try:
        version = pages.send(b"\x60")
    except TagError:
        return "Type 2 tag"
    known = _CHIPS.get(version)
    return known[0] if known else _OTHER_CHIPS.get(version, "Type 2 tag")


def write_message(
    chip: Chip, uid: str, message: bytes, *, lock: bool = False, overwrite: bool = True
) -> Written:
    """Writes `message` to the tag `uid` in the field, reads it back, and locks it if asked.

    Without `overwrite` a tag that carries anything is left alone. Raises CrowntableError, in words
    for a person, when it could not be done; the tag is then as it was, or recognisably half-written.
    ReaderError when the reader is lost.
    """
    target = next((found for found in chip.inventory() if found.uid == uid), None)
    if target is None:
        raise CrowntableError(f"The tag {uid} is not on the reader.", _LAY)
    if (why := by_number_only(target)) is not None:
        raise CrowntableError(f"This can't be written: it is {why}.", "Take an NTAG213, 215 or 216.")
    pages = Pages(chip, uid)
    try:
        layout = type2.read_layout(Memory(pages.read))
        _check(layout, message, overwrite)
        if len(uid) == 14 and layout.memory_uid != uid:
            raise CrowntableError(
                f"The tag's memory carries another tag's number ({layout.memory_uid}): a copy, or emulated.",
                "Take a genuine tag.",
            )
        locker = _locker(pages) if lock else None
        _write(pages, layout, message)
        _compare(pages, message)
        if locker is not None:
            _lock(pages, layout, locker)
    except TagRefusedError as fault:
        raise CrowntableError(
            "The tag refuses to be written: it is locked or protected with a password.", "Take another tag."
        ) from fault
    except TagError as fault:
        raise CrowntableError("The tag was taken away too early; it may be half-written.", _LAY) from fault
    return Written(uid, len(message), lock)


def _check(layout: Layout, message: bytes, overwrite: bool) -> None:
    """Raises CrowntableError when this message must not or can't go there."""
    match layout.content:
        case "protected":
            raise CrowntableError("The tag is locked with a password.", "Take another tag.")
        case "foreign" | "no-container" | "unreadable":
            raise CrowntableError(
                "The tag is not prepared for NDEF, or another system owns it.",
                "Prepare it with a phone (an app that formats NDEF tags), or take another tag.",
            )
        case "message" if layout.message and not overwrite:
            raise CrowntableError(
                f"The tag carries something already ({ndef.kind_of(ndef.parse(layout.message))}).",
                "Say --overwrite if it may be lost.",
            )
    if not layout.writable:
        raise CrowntableError("The tag is locked: it can be read only.", "Take another tag.")
    if len(message) > layout.capacity:
        raise CrowntableError(
            f"The tag is too small: {len(message)} bytes are needed and it takes {layout.capacity}.",
            "Take an NTAG213 or larger, or a shorter address.",
        )


def _write(pages: Pages, layout: Layout, message: bytes) -> None:
    """Length zero first, then the octets, the true length last: a torn write can be recognised."""
    head = 2 if len(message) < 0xFF else 4
    image: dict[int, int] = {}
    spots = [at for at in range(layout.at + 1, layout.size) if at not in layout.skipped]
    body = ndef.tlv(message)[1:]
    tail = b"\xfe" if len(body) < len(spots) else b""
    for at, byte in zip(spots, body + tail, strict=False):
        image[at] = byte
    length_at = spots[: head - 1]
    _put(pages, {layout.at: 0x03, length_at[0]: 0x00})
    _put(pages, {at: byte for at, byte in image.items() if at not in length_at})
    _put(pages, {at: image[at] for at in length_at})


def _put(pages: Pages, changes: dict[int, int]) -> None:
    """Changes single bytes, page by page from the back: of a long length its FF is set last."""
    for page in sorted({at // PAGE for at in changes}, reverse=True):
        spots = range(page * PAGE, page * PAGE + PAGE)
        old = b"" if all(at in changes for at in spots) else pages.read(page)[:PAGE]
        new = bytes(changes[at] if at in changes else old[at % PAGE] for at in spots)
        if new != old:
            pages.send(bytes((0xA2, page)) + new)


def _compare(pages: Pages, message: bytes) -> None:
    layout = type2.read_layout(Memory(pages.read))
    if layout.message != message:
        raise CrowntableError("The tag was written, but reads back otherwise: it is worn or torn.", _LAY)


def _locker(pages: Pages) -> tuple[str, int, bytes]:
    try:
        version = pages.send(b"\x60")
    except TagError:
        version = b""
    if version not in _CHIPS:
        raise CrowntableError("This kind of tag can't be locked here.", "Write it without --lock.")
    return _CHIPS[version]


def _lock(pages: Pages, layout: Layout, locker: tuple[str, int, bytes]) -> None:
    """Lock bits and the container's read-only mark: one-way."""
    _, page, bits = locker
    container = layout.header[12:15] + b"\x0f"
    pages.send(bytes((0xA2, page)) + bits)
    pages.send(bytes((0xA2, DATA // PAGE - 1)) + container)
    pages.send(bytes((0xA2, 2)) + layout.header[8:10] + b"\xff\xff")
