"""One spelling for a tag's number (UID), whatever wrote it down.

Canonical is upper-case hex without separators, 4, 7 or 10 bytes, the cascade byte 88 and the check
bytes (BCC) of ISO/IEC 14443-3 removed. What can be read in one way only is taken; what is only
likely (bytes reversed, a zero lost, decimal) is suggested and never taken (failure F13).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce

from engine.errors import CrowntableError

CASCADE = 0x88
SIZES = (4, 7, 10)
_HEX = re.compile(r"[0-9A-Fa-f]+\Z")
_SEPARATORS = re.compile(r"[\s:.\-_]+")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A UID that a text may have meant, and in words how it differs from what was read."""

    uid: str
    why: str


@dataclass(frozen=True, slots=True)
class UidReading:
    """What a text says: `uid` where only one reading is possible, else None; `maybe`: others to offer."""

    uid: str | None
    maybe: tuple[Suggestion, ...] = ()


def from_bytes(raw: bytes) -> str:
    """The canonical UID of the bytes that a reader delivered.

    Removes the cascade byte and check bytes where they are right. Raises CrowntableError for any
    other number of bytes and for `88 xx xx xx`, which is only the first half of a 7-byte UID.

    >>> from_bytes(bytes.fromhex("88043991C2FC6780"))
    '043991C2FC6780'
    """
    uid = _strip(bytes(raw))
    if uid is None:
        raise CrowntableError(
            f"{raw.hex().upper() or 'nothing'} is not the number of a tag ({_fault(bytes(raw))}).",
            "Tag numbers have 4, 7 or 10 bytes: read the tag once more.",
        )
    return uid.hex().upper()


def canonical(text: str | bytes | int) -> str:
    """The canonical UID of anything that can be read in one way only.

    Raises CrowntableError otherwise; the cure names the likeliest reading where there is one.

    >>> canonical("04:39:91:c2:fc:67:80")
    '043991C2FC6780'
    """
    if isinstance(text, bytes):
        return from_bytes(text)
    reading = read(str(text))
    if reading.uid is not None:
        return reading.uid
    shown = str(text).strip()[:40] or "an empty text"
    if reading.maybe:
        first = reading.maybe[0]
        cure = f"It may be {first.uid} ({first.why}): lay the tag on a reader to be sure."
    else:
        cure = "Tag numbers are 8, 14 or 20 hex digits: read the tag once more."
    raise CrowntableError(f"{shown} is not clearly the number of a tag.", cure)


def read(text: str) -> UidReading:
    """All that `text` can mean as a UID. Never raises.

    >>> read("4A8D694F").uid
    '4A8D694F'
    >>> read("43991C2FC6780").maybe[0].uid
    '043991C2FC6780'
    """
    plain = text.strip()
    if plain[:2] in ("0x", "0X"):
        plain = plain[2:]
    groups = [group for group in _SEPARATORS.split(plain) if group]
    if not groups or not all(group.isascii() and _HEX.match(group) for group in groups):
        return UidReading(None)
    if len(groups) > 1:
        return _of_groups(groups)
    return _of_digits(groups[0])


def is_random(uid: str) -> bool:
    """True for a UID that its tag makes up anew at each tap: 4 bytes, the first 08 (F12)."""
    return len(uid) == 8 and uid.startswith("08")


def suggest(uid: str, known: Collection[str]) -> tuple[Suggestion, ...]:
    """Known UIDs that an unknown one may be, read wrongly: reversed, a zero lost, half of it.

    To be offered to a person; never taken by itself. `uid` and `known` are canonical; `uid` may
    also be a damaged text.
    """
    if uid in known:
        return ()
    found: dict[str, str] = {}
    flipped = _reverse(uid)
    for other in sorted(known):
        if flipped and other == flipped:
            found[other] = "the bytes reversed"
        elif len(uid) < len(other) and uid in (other.lstrip("0"), other.rstrip("0")):
            found[other] = "a zero lost"
        elif _without_byte_zeros(other) == uid.upper():
            found[other] = "the leading zeros of its bytes lost"
        elif len(uid) == 8 and uid.startswith("88") and other.startswith(uid[2:]):
            found[other] = "only its first half was read"
    return tuple(Suggestion(other, why) for other, why in found.items())


def _of_groups(groups: list[str]) -> UidReading:
    """Separated text: a group is a byte (one digit: its zero was lost) or several whole bytes."""
    if all(len(group) <= 2 for group in groups):
        raw = bytes(int(group, 16) for group in groups)
        if (uid := _strip(raw)) is not None:
            return UidReading(uid.hex().upper(), _others(uid.hex().upper()))
    return _of_digits("".join(groups))


def _of_digits(digits: str) -> UidReading:
    digits = digits.upper()
    if len(digits) % 2 == 0 and (uid := _strip(bytes.fromhex(digits))) is not None:
        found = uid.hex().upper()
        return UidReading(found, _others(found, digits))
    maybe: list[Suggestion] = []
    if len(digits) % 2 == 1:
        for padded, why in (("0" + digits, "a leading zero lost"), (digits + "0", "a trailing zero lost")):
            if len(padded) // 2 in SIZES and (uid := _strip(bytes.fromhex(padded))) is not None:
                maybe.append(Suggestion(uid.hex().upper(), why))
    maybe += _decimal(digits)
    return UidReading(None, tuple(maybe))


def _others(uid: str, digits: str = "") -> tuple[Suggestion, ...]:
    found = []
    if (flipped := _reverse(uid)) and flipped != uid and _strip(bytes.fromhex(flipped)) is not None:
        found.append(Suggestion(flipped, "the bytes reversed"))
    return (*found, *(s for s in _decimal(digits) if s.uid != uid))


def _decimal(digits: str) -> list[Suggestion]:
    """Keyboard-like readers print the number in decimal, of either byte order."""
    if not digits.isdigit():
        return []
    value = int(digits)
    size = next((n for n in SIZES if value < 1 << (8 * n)), 0)
    # Shorter than six digits is no 4-byte number that anybody printed whole.
    if not size or len(digits) < 6:
        return []
    found = []
    for order, why in (("big", "written in decimal"), ("little", "written in decimal, reversed")):
        raw = value.to_bytes(size, "big" if order == "big" else "little")
        if (uid := _strip(raw)) is not None:
            found.append(Suggestion(uid.hex().upper(), why))
    return found


def _strip(raw: bytes) -> bytes | None:
    """`raw` without cascade and check bytes; None when it is no whole UID."""
    if len(raw) == 4:
        return None if raw[0] == CASCADE else raw
    if len(raw) == 5:
        return raw[:4] if _bcc(raw[:4]) == raw[4] and raw[0] != CASCADE else None
    if len(raw) == 7:
        return None if raw[0] == CASCADE else raw
    if len(raw) == 8 and raw[0] == CASCADE:
        return raw[1:]
    if len(raw) in (8, 9) and raw[0] != CASCADE:
        return _from_pages(raw)
    if len(raw) == 10:
        levels = raw[:4], raw[5:9]
        if raw[0] == CASCADE:
            whole = _bcc(levels[0]) == raw[4] and _bcc(levels[1]) == raw[9]
            return raw[1:4] + levels[1] if whole else None
        return raw
    if len(raw) == 12 and raw[0] == raw[4] == CASCADE:
        return raw[1:4] + raw[5:]
    return None


def _from_pages(raw: bytes) -> bytes | None:
    """The 7-byte UID with check bytes: as a Type 2 tag's first pages hold it (UID0-2, BCC0, UID3-6
    and perhaps BCC1), or with BCC1 appended."""
    if len(raw) == 8 and _bcc(raw[3:7]) == raw[7]:
        return raw[:7]
    if _bcc(bytes((CASCADE,)) + raw[:3]) != raw[3]:
        return None
    if len(raw) == 9 and _bcc(raw[4:8]) != raw[8]:
        return None
    return raw[:3] + raw[4:8]


def _fault(raw: bytes) -> str:
    if len(raw) in (4, 5) and raw[:1] == bytes((CASCADE,)):
        return "only the first half of a 7-byte number"
    return f"{len(raw)} bytes" if len(raw) != 1 else "1 byte"


def _bcc(raw: bytes) -> int:
    return reduce(lambda a, b: a ^ b, raw, 0)


def _reverse(uid: str) -> str:
    try:
        return bytes.fromhex(uid)[::-1].hex().upper()
    except ValueError:
        return ""


def _without_byte_zeros(uid: str) -> str:
    """How a careless printer writes `uid`: each byte without its leading zero (trace P41)."""
    return "".join(f"{byte:X}" for byte in bytes.fromhex(uid))
