"""What is written on a tag: our card message, and names for everybody else's.

A card's message is a URI record to the table's card page (so that a phone shows what the card
does), then an external record `crowntable:card` with the card id and a checksum of its own: a tag
can return wrong bytes without any error (a password makes reads roll over into the UID), so the
radio's checksums are not enough. On request a signature binds the id to the tag's UID.

`parse` never raises. The framing is checked here, because ndeflib joins no chunks and accepts
trailing bytes; the content of known record types is decoded by ndeflib, whose errors come in three
families and are all caught.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import zlib
from base64 import b32encode
from dataclasses import dataclass

import ndef as ndeflib

from engine.errors import CrowntableError

CARD_TYPE = "urn:nfc:ext:crowntable:card"
CARD_PAGE = "http://crowntable.local:8000/c/"
#: characters of a signature: 80 bits in base 32
SIGNATURE_LENGTH = 16
_CARD_NAME = b"crowntable:card"
_CARD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9/_.\-]{0,39}\Z")
_PREFIXES = (
    "", "http://www.", "https://www.", "http://", "https://",
)  # fmt: skip
_TNF = {1: "urn:nfc:wkt:", 2: "", 3: "", 4: "urn:nfc:ext:", 5: "unknown", 6: "unchanged"}


@dataclass(frozen=True, slots=True)
class Record:
    """One NDEF record, chunks joined. `type` as ndeflib writes it (`urn:nfc:wkt:U`).

    `content` is what a person would read in it (the text, the address), None where that is unknown;
    `damage` says what is wrong with it."""

    type: str
    id: str
    payload: bytes
    content: str | None = None
    damage: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """The records up to the first fault of framing; `damage` is the first fault of all."""

    records: tuple[Record, ...]
    damage: str | None = None


@dataclass(frozen=True, slots=True)
class CardRecord:
    """A `crowntable:card` record. `card` is None when `damage` says why it is not to be trusted.

    `signed`: None without signature or without key and UID to check it, else whether it fits."""

    card: str | None
    signed: bool | None = None
    damage: str | None = None


def encode_card(
    card_id: str, url: str | None = None, *, uid: str | None = None, key: bytes | None = None
) -> bytes:
    """The message of a game card: the octets that go into the tag's NDEF TLV.

    `url` defaults to CARD_PAGE + the id. With `key` and the tag's canonical `uid` the record is
    signed: HMAC-SHA-256 over both, 80 bits of it. Raises CrowntableError for a card id that is
    empty, longer than 40 characters or has others than letters, digits and / _ . -

    >>> card_in(parse(encode_card("s2/5"))).card
    's2/5'
    """
    if not _CARD_ID.match(card_id):
        raise CrowntableError(
            f"{card_id!r} can't be a card id.", "Use 1 to 40 letters, digits and / _ . - in it."
        )
    if (uid is None) != (key is None):
        raise ValueError("a signature needs both the UID and the key")
    body = card_id
    if uid is not None and key is not None:
        body += ";" + signature(card_id, uid, key)
    payload = f"{body}*{_checksum(body.encode()):08X}".encode()
    return _record(0x91, b"U", _uri(url or CARD_PAGE + card_id)) + _record(0x54, _CARD_NAME, payload)


def signature(card_id: str, uid: str, key: bytes) -> str:
    """The 16 characters that bind a card id to a tag: whoever lacks the key can't make them."""
    told = hmac.new(key, bytes.fromhex(uid) + b"\0" + card_id.encode(), hashlib.sha256).digest()
    return b32encode(told[:10]).decode()


def card_in(message: Message, *, uid: str | None = None, key: bytes | None = None) -> CardRecord | None:
    """The card of a message: its first record of our type; None where it has none.

    Later records of our type and everybody else's are not looked at. With `key` and `uid` a
    signature is checked, and one that does not fit makes the record damaged."""
    own = next((record for record in message.records if record.type == CARD_TYPE), None)
    if own is None:
        return None
    body, star, checksum = own.payload.rpartition(b"*")
    if not star or checksum != b"%08X" % _checksum(body):
        return CardRecord(None, damage="the checksum of the card record is wrong")
    card, _, signed = body.decode("ascii", "replace").partition(";")
    if not _CARD_ID.match(card):
        return CardRecord(None, damage="the card record holds no card id")
    if not signed or uid is None or key is None:
        return CardRecord(card)
    if not hmac.compare_digest(signed.encode(), signature(card, uid, key).encode()):
        return CardRecord(None, False, "the signature was made for another tag or by another table")
    return CardRecord(card, True)


def parse(octets: bytes) -> Message:
    """The records of a message. Never raises: what is wrong is said in `damage`."""
    records: list[Record] = []
    fault = None
    raw: list[_Raw] = []
    at = 0
    while at < len(octets) and fault is None:
        piece, at, fault = _take(octets, at)
        if piece is None:
            break
        fault = fault or _order_fault(piece, raw)
        if fault:
            break
        raw.append(piece)
        if not piece.chunked:
            records.append(_joined(raw))
        if piece.last:
            fault = "bytes after the last record" if at < len(octets) else None
            break
    if raw and fault is None and not raw[-1].last:
        fault = "the last record is missing"
    inner = next((record.damage for record in records if record.damage), None)
    return Message(tuple(records), fault or inner)


def kind_of(message: Message) -> str:
    """What a foreign message is, in two or three words for a screen; never its content.

    >>> kind_of(parse(bytes.fromhex("d101045505313132")))
    'phone number'
    """
    if not message.records:
        return "nothing readable" if message.damage else "nothing"
    first = message.records[0]
    named = _KINDS.get(first.type)
    if first.type in ("urn:nfc:wkt:U", "urn:nfc:wkt:Sp"):
        scheme = (first.content or "").partition(":")[0].lower()
        named = _SCHEMES.get(scheme, "link")
    if named is None:
        named = "data of another program" if first.type else "nothing"
    return named


def tlv(message: bytes) -> bytes:
    """The NDEF message TLV of a Type 2 tag, with the one- or three-byte length, no terminator."""
    if len(message) < 0xFF:
        return bytes((0x03, len(message))) + message
    return b"\x03\xff" + len(message).to_bytes(2, "big") + message


_SCHEMES = {
    "http": "web address",
    "https": "web address",
    "tel": "phone number",
    "sms": "text message",
    "mailto": "mail address",
    "geo": "place on a map",
}
_KINDS = {
    "urn:nfc:wkt:T": "text",
    "urn:nfc:wkt:Hs": "pairing data",
    "urn:nfc:wkt:Hr": "pairing data",
    "urn:nfc:ext:android.com:pkg": "link to an app",
    "application/json": "data of another program",
    "application/vnd.wfa.wsc": "Wi-Fi access",
    "application/vnd.bluetooth.ep.oob": "pairing data",
    "text/vcard": "contact",
    "text/x-vcard": "contact",
    CARD_TYPE: "game card",
}


@dataclass(frozen=True, slots=True)
class _Raw:
    """A record or chunk as it is framed."""

    first: bool
    last: bool
    chunked: bool
    tnf: int
    type: bytes
    id: bytes
    payload: bytes


def _take(octets: bytes, at: int) -> tuple[_Raw | None, int, str | None]:
    """The record framed at `at`, where the next begins, and what is wrong with it in itself."""
    flags = octets[at]
    tnf, short, has_id = flags & 7, bool(flags & 0x10), bool(flags & 0x08)
    head = 2 + (1 if short else 4) + has_id
    if at + head > len(octets):
        return None, at, "a record is cut off in its header"
    sizes = octets[at + 1 : at + head]
    type_size = sizes[0]
    size = int.from_bytes(sizes[1 : 2 if short else 5], "big")
    id_size = sizes[-1] if has_id else 0
    begin = at + head
    end = begin + type_size + id_size + size
    if fault := _size_fault(tnf, type_size, id_size, size):
        return None, at, fault
    if end > len(octets):
        return None, at, "a record is longer than the message"
    name = octets[begin : begin + type_size]
    ident = octets[begin + type_size : begin + type_size + id_size]
    chunk = _Raw(
        bool(flags & 0x80), bool(flags & 0x40), bool(flags & 0x20), tnf, name, ident,
        octets[begin + type_size + id_size : end],
    )  # fmt: skip
    return chunk, end, None


def _size_fault(tnf: int, type_size: int, id_size: int, size: int) -> str | None:
    if tnf == 7:
        return "a record has a reserved type name format"
    if tnf == 0 and (type_size or id_size or size):
        return "an empty record is not empty"
    if tnf in (1, 2, 3, 4) and not type_size:
        return "a record has no type"
    if tnf in (5, 6) and type_size:
        return "a record of unknown type names one"
    return None


def _order_fault(piece: _Raw, before: list[_Raw]) -> str | None:
    """What is wrong with a record at this place of the message."""
    open_chunk = bool(before) and before[-1].chunked
    if piece.first != (not before):
        return "the first record is not marked as such" if not before else "a second first record"
    if piece.chunked and piece.last:
        return "the last record announces another chunk"
    if (piece.tnf == 6) != open_chunk:
        return "a chunk is missing" if open_chunk else "a chunk without its beginning"
    if open_chunk and piece.id:
        return "a chunk carries an id"
    return None


def _joined(raw: list[_Raw]) -> Record:
    """The record that ends with the last of `raw`, its earlier chunks put together."""
    begin = len(raw) - 1
    while begin and raw[begin - 1].chunked:
        begin -= 1
    head = raw[begin]
    payload = b"".join(piece.payload for piece in raw[begin:])
    name = _TNF[head.tnf] if head.tnf else ""
    if head.tnf in (1, 2, 3, 4):
        name += head.type.decode("latin-1")
    content, damage = _content(head, payload)
    return Record(name, head.id.decode("latin-1"), payload, content, damage)


def _content(head: _Raw, payload: bytes) -> tuple[str | None, str | None]:
    """What the record says and what is wrong with that, by ndeflib."""
    if head.tnf in (0, 5, 6) or (head.tnf == 4 and head.type == _CARD_NAME):
        return None, None
    octets = _record(0xC0 | head.tnf, head.type, payload, head.id)
    try:
        (record,) = ndeflib.message_decoder(octets, errors="strict")
        return _words(record), None
    except Exception as fault:  # noqa: BLE001 - DecodeError, ValueError, TypeError, whatever it meets
        return None, _first_line(fault)


def _words(record: object) -> str | None:
    """Never `str(record)`: for a damaged smart poster even that raises."""
    if isinstance(record, ndeflib.TextRecord):
        return str(record.text)
    if isinstance(record, ndeflib.UriRecord):
        return str(record.iri)
    if isinstance(record, ndeflib.SmartposterRecord):
        return str(record.uri_records[0].iri)
    return None


def _first_line(fault: Exception) -> str:
    text = (str(fault) or type(fault).__name__).splitlines()[0]
    # ndeflib puts the class in front: "ndef.uri.UriRecord URI field contains invalid characters".
    return re.sub(r"^ndef\.[a-z]+\.\w+ ", "", text)[:120]


def _record(flags: int, name: bytes, payload: bytes, ident: bytes = b"") -> bytes:
    short = len(payload) < 256
    flags = (flags | 0x10 if short else flags & ~0x10) | (0x08 if ident else 0)
    size = len(payload).to_bytes(1 if short else 4, "big")
    id_size = bytes((len(ident),)) if ident else b""
    return bytes((flags, len(name))) + size + id_size + name + ident + payload


def _uri(url: str) -> bytes:
    code = max(
        (n for n, prefix in enumerate(_PREFIXES) if url.startswith(prefix)), key=lambda n: len(_PREFIXES[n])
    )
    return bytes((code,)) + url[len(_PREFIXES[code]) :].encode()


def _checksum(body: bytes) -> int:
    return zlib.crc32(_CARD_NAME + b"\0" + body)
