"""Tags as data: what lies on a virtual reader, with memory, locks and manners of the real chips.

A tag answers bytes that a reader sends over the air (`Tag.exchange`); who is selected and when is
the field's matter (`host.virtual.pn532_field`). Behaviour and memory follow NXP's data sheets
NTAG213/215/216 rev. 3.2, MF0ICU1 and MF0UL rev. 3, MF1S50yyX; deviations are said where they are.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from engine.errors import CrowntableError
from host import ndef

PAGE = 4
ACK = 0x0A
NAK_ARGUMENT = 0x00
NAK_AUTH = 0x04

#: kind -> (pages, GET_VERSION answer or None, size byte of the capability container)
CHIPS: dict[str, tuple[int, bytes | None, int]] = {
    "NTAG213": (45, bytes.fromhex("0004040201000F03"), 0x12),
    "NTAG215": (135, bytes.fromhex("0004040201001103"), 0x3E),
    "NTAG216": (231, bytes.fromhex("0004040201001303"), 0x6D),
    "NTAG210": (20, bytes.fromhex("0004040101000B03"), 0x06),
    "NTAG I2C 1K": (231, bytes.fromhex("0004040502011303"), 0x6D),
    "NTAG203": (42, None, 0x12),
    "Ultralight": (16, None, 0x06),
    "Ultralight EV1": (20, bytes.fromhex("0004030101000B03"), 0x06),
    "Ultralight C": (48, None, 0x12),
}
#: `chip` of the dump files -> kind here
_DUMP_CHIPS = {
    "213": "NTAG213",
    "215": "NTAG215",
    "216": "NTAG216",
    "210": "NTAG210",
    "203": "NTAG203",
    "UL": "Ultralight",
    "UL11": "Ultralight EV1",
    "ULC": "Ultralight C",
    "I2C1K": "NTAG I2C 1K",
}


class Tag(Protocol):
    """What a field needs of a tag. `uid` is canonical (host.uid)."""

    name: str
    uid: str
    atqa: bytes  # two bytes in the order of nfcpy's sens_res (low byte first on the air)
    sak: int
    ats: bytes | None  # answer to RATS without its length byte, for ISO/IEC 14443-4 tags

    def power_up(self) -> None:
        """The field came on, or the tag came into it: volatile state is lost."""

    def exchange(self, data: bytes) -> bytes | None:
        """The answer to `data` (both without CRC) while selected; None is silence.

        A one-byte answer is a 4-bit ACK (0x0A) or NAK, after which the tag is no longer selected."""


@dataclass(slots=True)
class Type2Tag:
    """A Type 2 tag: NTAG21x, NTAG203, Ultralight. `memory` is the whole chip, 4 bytes a page.

    Faults, for tests and chaos: `missing` pages answer NAK; `bad_reads` counts READs that fail
    before one works; `gone_after` exchanges the tag leaves; `tear_after` WRITEs it leaves.
    """

    name: str
    uid: str
    memory: bytearray
    kind: str = "NTAG213"
    atqa: bytes = b"\x44\x00"
    sak: int = 0x00
    ats: bytes | None = None
    version: bytes | None = None
    missing: frozenset[int] = frozenset()
    bad_reads: int = 0
    gone_after: int | None = None
    tear_after: int | None = None
    reads_from: int | None = None  # read protection of a dump without real configuration pages
    guarded: bool = True  # False: as whoever dumped it saw it, whatever its configuration says
    counter: int = 0
    authenticated: bool = False
    _counted: bool = False
    _auth_failures: int = 0
    _compat_page: int | None = None
    _settings: bytes = bytes(8)

    def __post_init__(self) -> None:
        self.power_up()

    @property
    def pages(self) -> int:
        """How many pages the chip has."""
        return len(self.memory) // PAGE

    def power_up(self) -> None:
        """Authentication and half-sent commands do not survive a loss of the field; a changed
        configuration takes effect now."""
        self.authenticated = False
        if self.kind in ("NTAG213", "NTAG215", "NTAG216", "NTAG210"):
            at = (self.pages - 4) * PAGE
            self._settings = bytes(self.memory[at : at + 8])
        self._counted = False
        self._compat_page = None

    def exchange(self, data: bytes) -> bytes | None:
        """See `Tag.exchange`."""
        if self.gone_after is not None:
            if self.gone_after <= 0:
                return None
            self.gone_after -= 1
        if self._compat_page is not None:
            page, self._compat_page = self._compat_page, None
            return self._write(page, data[:4]) if len(data) == 16 else nak(NAK_ARGUMENT)
        if not data:
            return None
        match data[0], len(data):
            case 0x30, 2:
                return self._read(data[1])
            case 0xA2, 6:
                return self._write(data[1], data[2:])
            case 0xA0, 2:
                return self._compat(data[1])
            case 0x1A, 2 if self.kind == "Ultralight C":
                return b"\xaf" + hashlib.sha256(self.uid.encode()).digest()[:8]
        return self._ntag_command(data) if self.version else None

    def _ntag_command(self, data: bytes) -> bytes | None:
        match data[0], len(data):
            case 0x60, 1:
                return self.version
            case 0x3A, 3:
                return self._fast_read(data[1], data[2])
            case 0x1B, 5:
                return self._authenticate(data[1:])
            case 0x39, 2 if data[1] == 0x02 and self._config(1, 0) & 0x10:
                if self._config(1, 0) & 0x08 and not self.authenticated:
                    return nak(NAK_ARGUMENT)
                return self.counter.to_bytes(3, "little")
            case 0x3C, 2 if data[1] == 0:
                return hashlib.sha256(b"originality" + self.uid.encode()).digest()
        return nak(NAK_ARGUMENT) if data[0] in (0x30, 0xA2, 0x39, 0x3A, 0x3C) else None

    # -- memory ---------------------------------------------------------------------------------

    def _config(self, word: int, byte: int) -> int:
        """A byte of the configuration CFG0 and CFG1 in effect; 0 where the chip has none."""
        return self._settings[word * PAGE + byte]

    @property
    def _auth0(self) -> int:
        return self._config(0, 3) if self._config(0, 3) else 0xFF

    def _readable_end(self) -> int:
        """The first page that a READ may not show now; beyond it READ rolls over to page 0."""
        end = self.pages
        if self.kind == "Ultralight C":
            end -= 4  # the key
        if self.authenticated:
            return end
        if self.reads_from is not None:
            end = min(end, self.reads_from)
        if self.guarded and self._config(1, 0) & 0x80:
            end = min(end, self._auth0)
        return end

    def _page(self, page: int) -> bytes:
        raw = bytes(self.memory[page * PAGE : page * PAGE + PAGE])
        # PWD and PACK read as zeros for ever.
        hidden = self._config(0, 3) and page >= self.pages - 2
        return bytes(len(raw)) if hidden else raw

    def _read(self, start: int) -> bytes | None:
        end = self._readable_end()
        if self.bad_reads > 0:
            self.bad_reads -= 1
            return None
        if start >= end or start in self.missing:
            return nak(NAK_ARGUMENT)
        self._count_read()
        return b"".join(self._page((start + i) % end) for i in range(4))

    def _fast_read(self, start: int, stop: int) -> bytes | None:
        if not start <= stop < self._readable_end() or any(p in self.missing for p in range(start, stop + 1)):
            return nak(NAK_ARGUMENT)
        self._count_read()
        return b"".join(self._page(page) for page in range(start, stop + 1))

    def _count_read(self) -> None:
        """The NFC counter steps at the first read after power-up, where it is switched on."""
        if not self._counted and self._config(1, 0) & 0x10:
            self.counter = min(self.counter + 1, 0xFFFFFF)
        self._counted = True

    def _compat(self, page: int) -> bytes:
        self._compat_page = page
        return bytes((ACK,))

    def _write(self, page: int, data: bytes) -> bytes | None:
        if self.tear_after is not None:
            if self.tear_after <= 0:
                return None
            self.tear_after -= 1
        if not 2 <= page < self.pages or page in self.missing or self._locked(page):
            return nak(NAK_ARGUMENT)
        if not self.authenticated and page >= self._auth0:
            return nak(NAK_ARGUMENT)
        if self.reads_from is not None and page >= self.reads_from and not self.authenticated:
            return nak(NAK_ARGUMENT)
        at = page * PAGE
        old = self.memory[at : at + PAGE]
        if page == 2:  # serial number bytes fixed, lock bits only ever set
            new = bytes(old[:2]) + bytes(o | d for o, d in zip(old[2:], data[2:], strict=True))
        elif page == 3 or page == self._dynamic_lock_page:  # one-time programmable
            new = bytes(o | d for o, d in zip(old, data, strict=True))
        else:
            new = bytes(data)
        self.memory[at : at + PAGE] = new
        return bytes((ACK,))

    @property
    def _dynamic_lock_page(self) -> int:
        return {"NTAG213": 40, "NTAG215": 130, "NTAG216": 226, "NTAG203": 40, "Ultralight C": 40}.get(
            self.kind, -1
        )

    def _locked(self, page: int) -> bool:
        """Static lock bits (pages 3 to 15), dynamic ones above (2 pages a bit, 16 on 215 and 216)."""
        if 3 <= page <= 15:
            bits = self.memory[10] | self.memory[11] << 8
            return bool(bits >> page & 1)
        if self._dynamic_lock_page < 0 or page < 16 or page >= self._dynamic_lock_page:
            return False
        grain = 16 if self.kind in ("NTAG215", "NTAG216") else 2
        at = self._dynamic_lock_page * PAGE
        bits = int.from_bytes(self.memory[at : at + 2], "little")
        return bool(bits >> ((page - 16) // grain) & 1)

    def _authenticate(self, password: bytes) -> bytes | None:
        limit = self._config(1, 0) & 0x07
        if limit and self._auth_failures >= limit:
            return nak(NAK_AUTH)
        at = (self.pages - 2) * PAGE
        if bytes(self.memory[at : at + 4]) != password:
            self._auth_failures += 1
            return nak(NAK_ARGUMENT)
        self._auth_failures = 0
        self.authenticated = True
        return bytes(self.memory[at + 4 : at + 6])


@dataclass(slots=True)
class ClassicTag:
    """A MIFARE Classic: number only. Without keys (we have none) it refuses every block."""

    name: str
    uid: str
    atqa: bytes = b"\x04\x00"
    sak: int = 0x08
    ats: bytes | None = None

    def power_up(self) -> None:
        """Nothing volatile is modelled."""

    def exchange(self, data: bytes) -> bytes | None:
        """NAK to block commands, silence else (trace P04)."""
        return nak(NAK_AUTH) if data[:1] in (b"\x30", b"\xa0", b"\x60", b"\x61") else None


@dataclass(slots=True)
class SmartCardTag:
    """An ISO/IEC 14443-4 card or phone: answers RATS, knows no application that we could ask for.

    `random_uid`: a phone; each time it comes into a field its UID is another one, `08` first.
    """

    name: str
    uid: str
    atqa: bytes = b"\x04\x00"
    sak: int = 0x20
    ats: bytes | None = bytes.fromhex("78807002")
    random_uid: bool = False
    rng: random.Random = field(default_factory=lambda: random.Random(0x08))

    def power_up(self) -> None:
        """Nothing volatile is modelled; a phone's new number is drawn by `tapped`."""

    def tapped(self) -> None:
        """The card is laid on anew: a phone shows another number (F12)."""
        if self.random_uid:
            self.uid = "08" + self.rng.randbytes(3).hex().upper()

    def exchange(self, data: bytes) -> bytes | None:
        """RATS, S(DESELECT), and "file not found" to every APDU."""
        if not data:
            return None
        if data[0] == 0xE0 and self.ats is not None:
            return bytes((len(self.ats) + 1,)) + self.ats
        if data[0] & 0xC7 == 0xC2:
            return data[:1]
        if data[0] & 0xE2 == 0x02:
            return data[:1] + b"\x6a\x82"
        return None


@dataclass(slots=True)
class FelicaTag:
    """A FeliCa card: seen by a 212 kbit/s poll only, never by ours."""

    name: str
    uid: str
    pmm: bytes = bytes.fromhex("FFFFFFFFFFFFFFFF")
    atqa: bytes = b""
    sak: int = 0
    ats: bytes | None = None

    def power_up(self) -> None:
        """Nothing volatile is modelled."""

    def exchange(self, data: bytes) -> bytes | None:
        """Type A commands are noise to it."""
        return None


def nak(code: int) -> bytes:
    """A 4-bit NAK as a byte."""
    return bytes((code,))


def blank(kind: str = "NTAG213", uid: str = "04112233445580", name: str | None = None) -> Type2Tag:
    """A tag as it leaves the factory: capability container and an empty NDEF message.

    Raises KeyError for a kind that is not in CHIPS."""
    pages, version, size = CHIPS[kind]
    memory = bytearray(pages * PAGE)
    raw = bytes.fromhex(uid)
    if len(raw) == 7:
        bcc0 = 0x88 ^ raw[0] ^ raw[1] ^ raw[2]
        bcc1 = raw[3] ^ raw[4] ^ raw[5] ^ raw[6]
        memory[0:10] = raw[:3] + bytes((bcc0,)) + raw[3:] + bytes((bcc1, 0x48))
    memory[12:16] = bytes((0xE1, 0x10, size, 0x00))
    memory[16:20] = bytes.fromhex("0300FE00")
    if kind == "NTAG213":  # as delivered: a lock control TLV stands in front
        memory[16:24] = bytes.fromhex("0103A00C340300FE")
    if kind in ("NTAG213", "NTAG215", "NTAG216"):
        at = (pages - 5) * PAGE
        memory[at : at + 20] = bytes.fromhex("000000BD 040000FF 00050000 FFFFFFFF 00000000")
    return Type2Tag(name or kind, uid.upper(), memory, kind=kind, version=version)


def from_ndef(
    message: bytes, uid: str = "04112233445580", kind: str = "NTAG213", name: str | None = None
) -> Type2Tag:
    """A tag that carries an NDEF message. Raises CrowntableError when it does not fit."""
    tag = blank(kind, uid, name)
    at = 21 if kind == "NTAG213" else 16
    tlv = ndef.tlv(message) + b"\xfe"
    end = 16 + CHIPS[kind][2] * 8
    if at + len(tlv) > end + 1:  # the terminator may be left out
        raise CrowntableError(
            f"{len(message)} bytes of NDEF do not fit on an {kind}.", "Take a larger tag, an NTAG216 say."
        )
    tag.memory[at : at + len(tlv)] = tlv[: end - at]
    return tag


def make_card_tag(card_id: str, uid: str | None = None, url: str | None = None) -> Type2Tag:
    """The tag of a game's card: the same UID for the same card id on every call and machine."""
    return from_ndef(ndef.encode_card(card_id, url), uid or card_uid(card_id), name=card_id)


def card_uid(card_id: str) -> str:
    """The made-up but steady 7-byte UID of a virtual card (first byte 04: NXP)."""
    return "04" + hashlib.sha256(card_id.encode()).digest()[:6].hex().upper()


def from_pages(
    pages: Sequence[bytes], uid: str | None = None, kind: str | None = None, name: str = "dump"
) -> Type2Tag:
    """A tag from its memory pages. Without `uid` it is taken from the first pages.

    Raises CrowntableError for what is no dump: pages that are not 4 bytes, fewer than 4 of them."""
    for number, page in enumerate(pages):
        if len(page) != PAGE:
            raise CrowntableError(
                f"{name} is no tag dump: page {number} has {len(page)} bytes instead of 4.",
                "Give a raw page dump (4 bytes a page, from page 0) or a file with an NDEF message.",
            )
    if not 4 <= len(pages) <= 256:
        raise CrowntableError(
            f"{name} is no tag dump: {len(pages)} pages.", "Tags have from 4 to 256 pages of 4 bytes."
        )
    memory = bytearray(b"".join(pages))
    known = next((chip for chip, (count, _, _) in CHIPS.items() if count == len(pages)), "Ultralight")
    kind = kind or known
    uid = uid or (bytes(memory[0:3]) + bytes(memory[4:8])).hex().upper()
    return Type2Tag(name, uid.upper(), memory, kind=kind, version=CHIPS[kind][1])


def from_dump(dump: dict[str, Any]) -> Tag:
    """A tag from one of the dump files in `shared/data/nfc/dumps`, loaded as JSON.

    Raises CrowntableError for a file that does not describe a tag."""
    name = str(dump.get("name", "dump"))
    uid = str(dump["uid"]).upper()
    if not dump.get("atqa_as_nfcpy_sens_res"):
        return FelicaTag(name, uid)
    atqa = bytes.fromhex(str(dump["atqa_as_nfcpy_sens_res"]))
    sak = int(str(dump["sak"]), 16)
    if not dump.get("pages"):
        if sak & 0x20:
            ats = bytes.fromhex(dump["ats"])[1:] if dump.get("ats") else bytes.fromhex("77810280")
            return SmartCardTag(name, uid, atqa, sak, ats)
        return ClassicTag(name, uid, atqa, sak)
    pages = [_hex_page(word, name) for word in str(dump["pages"]).split()]
    tag = from_pages(pages, uid, _DUMP_CHIPS.get(str(dump.get("chip"))), name)
    sim = dump.get("sim") or {}
    tag.atqa, tag.sak = atqa, sak
    tag.missing = frozenset(sim.get("missing", ()))
    tag.gone_after = sim.get("gone_after")
    tag.reads_from = sim.get("pwd_from")
    tag.guarded = False
    return tag


def load(path: Path) -> Tag:
    """A tag from a file: a dump as JSON, a raw page dump, or the bytes of an NDEF message.

    Raw means binary or hex text. A page dump starts with a UID whose check byte is right, or has
    the size of a known chip; everything else is taken for an NDEF message.
    Raises CrowntableError when the file can't be read or is none of these."""
    try:
        raw = path.read_bytes()
    except OSError as fault:
        raise CrowntableError(
            f"The tag file {path} can't be read ({fault.strerror}).", "Check its name and permissions."
        ) from fault
    if raw.lstrip()[:1] == b"{":
        try:
            return from_dump(json.loads(raw))
        except (ValueError, KeyError, TypeError) as fault:
            raise CrowntableError(
                f"{path.name} is no tag dump ({fault}).", "Give a dump, raw pages or an NDEF message."
            ) from fault
    raw = _maybe_hex(raw)
    if _looks_like_pages(raw):
        pages = [raw[i : i + PAGE] for i in range(0, len(raw), PAGE)]
        return from_pages(pages, name=path.stem)
    if not ndef.parse(raw).records:
        raise CrowntableError(
            f"{path.name} holds neither an NDEF message nor the pages of a tag.",
            "Give raw pages (4 bytes a page, from page 0), an NDEF message, or either of them as hex.",
        )
    kind = next((k for k in ("NTAG213", "NTAG215", "NTAG216") if len(raw) + 9 <= CHIPS[k][2] * 8), "NTAG216")
    return from_ndef(raw, card_uid(path.stem), kind, path.stem)


def _looks_like_pages(raw: bytes) -> bool:
    if len(raw) % PAGE or len(raw) < 16:
        return False
    if raw[3] == 0x88 ^ raw[0] ^ raw[1] ^ raw[2]:
        return True
    # A message may happen to have a chip's size: one that is whole is a message.
    message = ndef.parse(raw)
    whole = bool(message.records) and not message.damage
    return not whole and len(raw) // PAGE in {count for count, _, _ in CHIPS.values()}


def _maybe_hex(raw: bytes) -> bytes:
    try:
        return bytes.fromhex(raw.decode("ascii"))
    except (UnicodeDecodeError, ValueError):
        return raw


def _hex_page(word: str, name: str) -> bytes:
    try:
        return bytes.fromhex(word)
    except ValueError as fault:
        raise CrowntableError(
            f"{name} is no tag dump: {word[:20]!r} is not hex.", "Pages are eight hex digits each."
        ) from fault
