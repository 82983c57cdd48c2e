"""Frames between a host and a PN532 (user manual UM0701-02, 6.2): taken from a byte stream, and made.

    normal    00 00 FF LEN LCS TFI data.. DCS 00      LEN counts TFI and data, LEN + LCS = 0
    extended  00 00 FF FF FF LENh LENl LCS TFI data.. DCS 00
    ACK       00 00 FF 00 FF 00      NACK  00 00 FF FF 00 00

The stream may hold anything between frames: longer preambles, noise, halves. Nothing is lost but
the damaged frame itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ACK = bytes.fromhex("0000FF00FF00")
NACK = bytes.fromhex("0000FFFF0000")
HOST_TO_CHIP = 0xD4
CHIP_TO_HOST = 0xD5
#: the longest data (TFI included) that the chip takes or gives
MAX_DATA = 265
NOISE = 256
_START = b"\x00\xff"


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: `data` is TFI and what follows it, empty for ACK and NACK."""

    kind: Literal["data", "ack", "nack"]
    data: bytes = b""


def encode(data: bytes) -> bytes:
    """The frame that carries `data` (TFI first, up to MAX_DATA bytes); extended where it must be."""
    if len(data) <= 255:
        head = bytes((len(data), -len(data) & 0xFF))
    else:
        size = len(data).to_bytes(2, "big")
        head = b"\xff\xff" + size + bytes((-sum(size) & 0xFF,))
    return b"\x00\x00\xff" + head + data + bytes((-sum(data) & 0xFF, 0x00))


@dataclass(slots=True)
class FrameParser:
    """Takes frames out of a stream. `damaged` counts start codes that led to no whole frame; `noise`
    keeps the last bytes, zeros aside, that belonged to none (up to NOISE)."""

    damaged: int = 0
    noise: bytearray = field(default_factory=bytearray)
    _buffer: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are whole now. Never raises; keeps at most one frame's beginning."""
        self._buffer += data
        frames: list[Frame] = []
        while True:
            begin = self._buffer.find(_START)
            if begin < 0:
                # A zero may be the start code's first half.
                self._drop(len(self._buffer) - (self._buffer[-1:] == b"\x00"))
                return frames
            self._drop(begin)
            size, frame = _take(self._buffer)
            if size == 0:
                return frames
            if frame is None:
                self.damaged += 1
                self._drop(size)
            else:
                frames.append(frame)
                del self._buffer[:size]

    def _drop(self, size: int) -> None:
        self.noise += self._buffer[:size].replace(b"\x00", b"")
        del self.noise[:-NOISE], self._buffer[:size]

    def reset(self) -> None:
        """Forgets a frame's beginning, as after a time-out."""
        self._buffer.clear()


def _take(buffer: bytearray) -> tuple[int, Frame | None]:
    """The frame at the start code that `buffer` begins with, and the bytes it takes.

    0 bytes: not whole yet. No frame: damaged, and so many bytes are to be skipped (one, so that a
    start code inside the damaged frame is not missed)."""
    if len(buffer) < 4:
        return 0, None
    size, check = buffer[2], buffer[3]
    if (size, check) == (0x00, 0xFF):
        return 4, Frame("ack")
    if (size, check) == (0xFF, 0x00):
        return 4, Frame("nack")
    at = 4
    if (size, check) == (0xFF, 0xFF):
        if len(buffer) < 7:
            return 0, None
        if sum(buffer[4:7]) & 0xFF:
            return 1, None
        size, at = int.from_bytes(buffer[4:6], "big"), 7
    elif (size + check) & 0xFF:
        return 1, None
    if not 0 < size <= MAX_DATA:
        return 1, None
    if len(buffer) < at + size + 1:
        return 0, None
    if sum(buffer[at : at + size + 1]) & 0xFF:
        return 1, None
    return at + size + 1, Frame("data", bytes(buffer[at : at + size]))
