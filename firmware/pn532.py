"""NXP PN532 over SPI, as a plain reader of ISO/IEC 14443-3 type A tags.

Frames and commands: PN532 user manual (UM0701-02), chapters 6.2 and 7. The chip does anticollision by
itself; here it lists one tag at a time and halts it, so that more than two in a field are found. Its
SPI sends the lowest bit first, the Pico's the highest: every byte is turned round by a table.
`spi` is a machine.SPI (mode 0, up to 5 MHz), `select` a function: select(1) pulls the select line.
"""

import time

from micropython import const
from reader import NOISE, OK, SILENT, ChipError

_WRITE = const(0x01)
_STATUS = const(0x02)
_READ = const(0x03)

_DIAGNOSE = const(0x00)
_GET_FIRMWARE = const(0x02)
_SAM_CONFIGURATION = const(0x14)
_RF_CONFIGURATION = const(0x32)
_IN_DATA_EXCHANGE = const(0x40)
_IN_DESELECT = const(0x44)
_IN_LIST = const(0x4A)

_ACK = b"\x00\x00\xff\x00\xff\x00"
_ACK_MS = const(30)
_ANSWER_MS = const(250)
_MOST = const(64)  # bytes of a frame's content here: a READ's answer and a tag's description fit
_IC = const(0x32)
_TRIES = const(3)


def _turned(byte):
    """The byte with its lowest bit first."""
    result = 0
    for _ in range(8):
        result = result << 1 | byte & 1
        byte >>= 1
    return result


_TURN = bytes(_turned(byte) for byte in range(256))


class PN532:
    """One reader chip, with the calls and attributes that reader.py names."""

    def __init__(self, spi, select):
        self._spi = spi
        self._select = select
        self._out = bytearray(_MOST + 10)
        self._in = bytearray(_MOST + 10)
        self._out_view = memoryview(self._out)
        self._in_view = memoryview(self._in)
        self.frame = bytearray(_MOST)
        self.frame_len = 0
        self.uid = bytearray(10)
        self.uid_len = 0
        self.sak = 0
        self.version = 0

    # -- the bus -----------------------------------------------------------------------------------

    def _write(self, size):
        """Sends `_out[:size]`, turned."""
        for at in range(size):
            self._out[at] = _TURN[self._out[at]]
        self._select(1)
        self._spi.write(self._out_view[:size])
        self._select(0)

    def _read(self, operation, size):
        """`size` bytes into `_in[1:]`, after an operation byte."""
        self._out[0] = _TURN[operation]
        for at in range(1, size + 1):
            self._out[at] = 0
        self._select(1)
        self._spi.write_readinto(self._out_view[: size + 1], self._in_view[: size + 1])
        self._select(0)
        for at in range(1, size + 1):
            self._in[at] = _TURN[self._in[at]]

    def _ready(self, ms):
        begun = time.ticks_ms()
        while True:
            self._read(_STATUS, 1)
            if self._in[1] & 1:
                return self._in[1] != 0xFF  # a line that nobody drives
            if time.ticks_diff(time.ticks_ms(), begun) > ms:
                return False
            time.sleep_us(200)

    # -- frames ------------------------------------------------------------------------------------

    def _command(self, code, parameters, ms=_ANSWER_MS):
        """Sends a command and waits for its answer in `frame`. Raises ChipError."""
        size = len(parameters) + 2
        out = self._out
        out[0] = _WRITE
        out[1:8] = bytes((0x00, 0x00, 0xFF, size, -size & 0xFF, 0xD4, code))
        total = 0xD4 + code
        at = 8
        for byte in parameters:
            out[at] = byte
            total += byte
            at += 1
        out[at] = -total & 0xFF
        out[at + 1] = 0
        self._write(at + 2)
        if not self._ready(_ACK_MS):
            raise ChipError("mute")
        self._read(_READ, 6)
        if bytes(self._in_view[1:7]) != _ACK:
            raise ChipError("no-ack")
        if not self._ready(ms):
            raise ChipError("hangs")
        self._answer(code)

    def _answer(self, code):
        self._read(_READ, _MOST + 9)
        got = self._in
        start = 1
        while start < 5 and not (got[start] == 0x00 and got[start + 1] == 0xFF):
            start += 1
        size = got[start + 2]
        begin = start + 4
        if start == 5 or size < 2 or size > _MOST + 2 or (size + got[start + 3]) & 0xFF:
            raise ChipError("frame")
        total = 0
        for at in range(begin, begin + size + 1):
            total += got[at]
        if total & 0xFF or got[begin] != 0xD5 or got[begin + 1] != code + 1:
            raise ChipError("frame")
        self.frame_len = size - 2
        self.frame[: size - 2] = got[begin + 2 : begin + size]

    def _abort(self):
        """Ends whatever the chip is at: a half command of a life before (an ACK does that)."""
        self._out[0] = _WRITE
        self._out[1:7] = _ACK
        self._write(7)
        time.sleep_ms(1)
        if self._ready(0):
            self._read(_READ, _MOST + 9)

    # -- the chip itself ---------------------------------------------------------------------------

    def start(self):
        """Wakes the chip and sets it up. Raises ChipError where it is none of ours or hangs."""
        self._select(1)  # a chip that sleeps wakes at its select line
        time.sleep_ms(2)
        self._select(0)
        error = ChipError("mute")
        for _ in range(_TRIES):
            try:
                self._abort()
                self._command(_GET_FIRMWARE, b"")
                break
            except ChipError as failed:
                error = failed
        else:
            raise error
        if self.frame_len < 4 or self.frame[0] != _IC:
            raise ChipError("version-%02X" % self.frame[0])
        self.version = self.frame[1] << 4 | self.frame[2]
        self._command(_SAM_CONFIGURATION, b"\x01\x00\x01")  # normal mode, no SAM
        self._command(_RF_CONFIGURATION, b"\x05\xff\x01\x00")  # look once for a tag, not for ever
        self._command(_RF_CONFIGURATION, b"\x01\x00")

    def check(self):
        """Nothing: the command that switches the field on proves the chip."""

    def name(self):
        return "PN532v%d.%d" % (self.version >> 4, self.version & 15)

    def self_test(self):
        """The chip's own test of its program memory: "pass" or "fail". Raises ChipError."""
        self._command(_DIAGNOSE, b"\x01")
        return "pass" if self.frame[0] == 0 else "fail"

    def field_on(self):
        self._command(_RF_CONFIGURATION, b"\x01\x01")

    def field_off(self):
        self._command(_RF_CONFIGURATION, b"\x01\x00")

    # -- tags --------------------------------------------------------------------------------------

    def request(self):
        """Lists the next tag that was not halted. OK, SILENT or NOISE."""
        self.uid_len = 0
        self._command(_IN_LIST, b"\x01\x00")
        if not self.frame[0]:
            return SILENT
        size = self.frame[5]
        if self.frame_len < 6 + size or size not in (4, 7, 10) or (size == 4 and self.frame[6] == 0x88):
            return NOISE
        self.sak = self.frame[4]
        self.uid[:size] = self.frame[6 : 6 + size]
        self.uid_len = size
        return OK

    def select(self):
        """The chip has done that while listing."""
        return OK if self.uid_len else NOISE

    def halt(self):
        """The listed tag keeps quiet until its field goes off."""
        self._command(_IN_DESELECT, b"\x01")

    def read_pages(self, page):
        """READ: four pages (16 bytes) from `page` on into `frame`. OK, SILENT or NOISE."""
        self._command(_IN_DATA_EXCHANGE, bytes((0x01, 0x30, page)))
        status = self.frame[0] & 0x3F
        if status == 0x01:
            return SILENT
        if status or self.frame_len != 17:
            return NOISE
        for at in range(16):
            self.frame[at] = self.frame[at + 1]
        self.frame_len = 16
        return OK
