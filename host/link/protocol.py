"""The link's lines on the host's side: `<payload>*<CRC-16/CCITT-FALSE in hex>\\n`. See
firmware/PROTOCOL.md. Pure: bytes in, lines out; no port, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

PROTOCOL = 1
LONGEST_LINE = 4096
"""Bytes; what is longer without a newline is rubbish (S11 in the failure reports)."""


@dataclass(frozen=True, slots=True)
class Line:
    """One whole, undamaged line: its verb and its `key=value` words."""

    verb: str
    words: Mapping[str, str]

    def number(self, key: str) -> int | None:
        """The word as a whole number, None where it is missing or is none."""
        text = self.words.get(key, "")
        if not text.isascii() or not text.removeprefix("-").isdigit() or len(text) > 18:
            return None
        return int(text)


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE: polynomial 1021, start FFFF, not reflected.

    >>> hex(crc16(b"123456789"))
    '0x29b1'
    """
    crc = 0xFFFF
    for byte in data:
        crc = (crc << 8 & 0xFFFF) ^ _TABLE[crc >> 8 ^ byte]
    return crc


def _entry(byte: int) -> int:
    crc = byte << 8
    for _ in range(8):
        crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


_TABLE = tuple(_entry(byte) for byte in range(256))


def format_line(verb: str, words: Mapping[str, str | int]) -> bytes:
    """The bytes of one line. Raises ValueError where a word would not come out as it went in.

    >>> format_line("ask", {"what": "hello"})
    b'ask what=hello*F2BF\\n'
    """
    parts = [verb, *(f"{key}={value}" for key, value in words.items())]
    for part in parts:
        if not part.isascii() or not part.isprintable() or " " in part or "*" in part:
            raise ValueError(f"not a word for the link: {part!r}")
    payload = " ".join(parts).encode("ascii")
    return b"%s*%04X\n" % (payload, crc16(payload))


def parse_line(raw: bytes) -> Line | None:
    """The line in `raw` (without its newline), or None where it is damaged in any way."""
    raw = raw.rstrip(b"\r")
    payload, star, crc = raw[:-5], raw[-5:-4], raw[-4:]
    if star != b"*" or not payload:
        return None
    if any(byte < 0x20 or byte > 0x7E for byte in payload):
        return None
    if crc.upper() != b"%04X" % crc16(payload):
        return None
    verb, *rest = payload.decode("ascii").split(" ")
    words = {}
    for part in rest:
        key, equals, value = part.partition("=")
        if key and equals:
            words[key] = value
    return Line(verb, words)


@dataclass(slots=True)
class LineReader:
    """Bytes as they come, lines as they are whole. Rubbish costs at most the line it is in.

    `good`, `bad`: lines so far. `text`: the last damaged line, for a hint at what else talks there.
    """

    good: int = 0
    bad: int = 0
    text: str = ""
    _buffer: bytearray = field(default_factory=bytearray)
    _skipping: bool = False

    def feed(self, data: bytes) -> Iterator[Line]:
        """Yields the lines that `data` completes."""
        self._buffer += data
        while True:
            end = self._buffer.find(b"\n")
            if end < 0:
                break
            raw = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            if self._skipping:
                self._skipping = False
                continue
            line = parse_line(raw)
            if line is not None:
                self.good += 1
                yield line
            elif raw.strip():
                self._damaged(raw)
        if len(self._buffer) > LONGEST_LINE:
            if not self._skipping:
                self._damaged(bytes(self._buffer))
            self._buffer.clear()
            self._skipping = True

    def _damaged(self, raw: bytes) -> None:
        self.bad += 1
        self.text = raw[:80].decode("ascii", "replace")

    def pending(self) -> str:
        """What has come of the line that is not whole yet."""
        return bytes(self._buffer[:80]).decode("ascii", "replace")

    def reset(self) -> None:
        """Forgets a half line: the port was closed."""
        self._buffer.clear()
        self._skipping = False
