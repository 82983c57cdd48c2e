"""NXP MFRC522 over SPI: ISO/IEC 14443-3 type A tags, one field at a time.

Register numbers and bits: MFRC522 data sheet, rev. 3.9, chapter 9; the tag's side: ISO/IEC 14443-3
and the NTAG21x data sheet. Nothing here knows pins: `spi` is a machine.SPI (mode 0, up to 10 MHz),
`select` a function: select(1) pulls this chip's select line, select(0) lets it go.
"""

import time

from link import crc16
from micropython import const
from reader import COLLISION, NOISE, OK, SILENT, ChipError

_COMMAND = const(0x01)
_COM_IRQ = const(0x04)
_ERROR = const(0x06)
_FIFO_DATA = const(0x09)
_FIFO_LEVEL = const(0x0A)
_CONTROL = const(0x0C)
_BIT_FRAMING = const(0x0D)
_COLL = const(0x0E)
_MODE = const(0x11)
_TX_MODE = const(0x12)
_RX_MODE = const(0x13)
_TX_CONTROL = const(0x14)
_TX_ASK = const(0x15)
_RF_CFG = const(0x26)
_T_MODE = const(0x2A)
_T_PRESCALER = const(0x2B)
_T_RELOAD_H = const(0x2C)
_T_RELOAD_L = const(0x2D)
_AUTO_TEST = const(0x36)
_VERSION = const(0x37)

_IDLE = const(0x00)
_MEM = const(0x01)
_CALC_CRC = const(0x03)
_TRANSMIT = const(0x04)
_TRANSCEIVE = const(0x0C)
_SOFT_RESET = const(0x0F)

_PRESCALER = const(0xA9)  # 13.56 MHz / (2 * 169 + 1): ticks of 25 us
_SHORT = const(40)  # ticks: 1 ms for REQA, anticollision, SELECT
_LONG = const(200)  # ticks: 5 ms for READ (NTAG21x: time-out 5 ms)

_RECEIVED = (OK, COLLISION)
_REQA = b"\x26"
_CASCADE_TAG = const(0x88)
_LOOKS = const(4)  # and so many looks at its registers after that time
_PATIENCE_US = const(40000)  # the chip's own timer ends every exchange long before: else it hangs

NAMES = {
    0x90: "MFRC522v0",
    0x91: "MFRC522v1",
    0x92: "MFRC522v2",
    0x88: "FM17522",
    0x82: "FM17522E",
    0xB2: "FM17522-1",
    0x12: "counterfeit",
}


# CRC-16 of the 64 bytes that the digital self-test leaves (16.1.1); clones have none on record.
_SELF_TEST = {0x91: 0xD982, 0x92: 0x274C}


class MFRC522:
    """One reader chip. `uid[:uid_len]`, `sak` and `frame` hold what the last exchange brought."""

    def __init__(self, spi, select, gain=7):
        self._spi = spi
        self._select = select
        self._gain = gain
        self._out2 = bytearray(2)
        self._in2 = bytearray(2)
        self._out = bytearray(65)
        self._in = bytearray(65)
        self._out_view = memoryview(self._out)
        self._in_view = memoryview(self._in)
        self._reload = 0
        self._crc_on = -1
        self._begun = 0
        self._looks = 0
        self._coll_base = 0  # CollPos counts from 0: the UID, 1: the FIFO's byte, 2: the frame
        self._level = bytearray(7)  # SEL, NVB, four bytes, BCC
        self.frame = bytearray(64)
        self.frame_len = 0
        self.uid = bytearray(10)
        self.uid_len = 0
        self.sak = 0
        self.version = 0

    # -- registers ---------------------------------------------------------------------------------

    def _write(self, register, value):
        self._out2[0] = register << 1
        self._out2[1] = value
        self._select(1)
        self._spi.write(self._out2)
        self._select(0)

    def _read(self, register):
        self._out2[0] = 0x80 | (register << 1)
        self._out2[1] = 0
        self._select(1)
        self._spi.write_readinto(self._out2, self._in2)
        self._select(0)
        return self._in2[1]

    def _fill(self, data, size):
        """`data[:size]` into the emptied FIFO, in one burst."""
        self._write(_FIFO_LEVEL, 0x80)
        self._out[0] = _FIFO_DATA << 1
        self._out[1 : size + 1] = data[:size]
        self._select(1)
        self._spi.write(self._out_view[: size + 1])
        self._select(0)

    def _drain(self, size):
        """`size` bytes out of the FIFO into `frame`, in one burst."""
        for at in range(size):
            self._out[at] = 0x80 | (_FIFO_DATA << 1)
        self._out[size] = 0
        self._select(1)
        self._spi.write_readinto(self._out_view[: size + 1], self._in_view[: size + 1])
        self._select(0)
        self.frame[:size] = self._in_view[1 : size + 1]
        self.frame_len = size

    # -- the chip itself ---------------------------------------------------------------------------

    def start(self):
        """Resets the chip and sets it up. Raises ChipError where it is none of ours or hangs."""
        self.version = self._read(_VERSION)
        if self.version == 0x00 or self.version == 0xFF:
            raise ChipError("mute")
        if self.version not in NAMES:
            raise ChipError("version-%02X" % self.version)
        self._write(_COMMAND, _SOFT_RESET)
        self._begin()
        while self._read(_COMMAND) & 0x10:  # PowerDown: the oscillator is not running yet
            if self._overdue():
                raise ChipError("stays-in-reset")
        self._crc_on = -1
        self._reload = 0
        self._write(_TX_MODE, 0)
        self._write(_RX_MODE, 0)
        self._write(_T_MODE, 0x80)  # the timer starts by itself after each transmission
        self._write(_T_PRESCALER, _PRESCALER)
        self._timeout(_SHORT)
        self._write(_TX_ASK, 0x40)  # 100 % ASK
        self._write(_MODE, 0x3D)  # CRC preset 6363
        self._write(_COLL, 0)  # ValuesAfterColl = 0: bits after a collision read as 0
        self.set_gain(self._gain)
        self.check()

    def set_gain(self, gain):
        """Receiver gain 0 to 7 (18 to 48 dB), read back. Raises ChipError where it was not taken."""
        self._gain = gain
        self._write(_RF_CFG, (gain & 7) << 4)
        if (self._read(_RF_CFG) >> 4) & 7 != gain & 7:
            raise ChipError("gain")

    def check(self):
        """Raises ChipError unless the chip answers and still has our settings."""
        if self._read(_T_PRESCALER) != _PRESCALER:
            raise ChipError("lost-settings" if self._read(_VERSION) in NAMES else "mute")

    def self_test(self):
        """The chip's digital self-test: "pass", "fail", or the result's CRC where none is on record.

        The chip is to be started again afterwards. Raises ChipError where it does not come to an end.
        """
        self._write(_COMMAND, _SOFT_RESET)
        time.sleep_ms(5)
        self._fill(bytes(25), 25)
        self._write(_COMMAND, _MEM)
        self._write(_AUTO_TEST, 0x09)
        self._fill(b"\x00", 1)
        self._write(_COMMAND, _CALC_CRC)
        self._begin()
        while self._read(_FIFO_LEVEL) < 64:
            if self._overdue():
                raise ChipError("hangs")
        self._drain(64)
        self._write(_AUTO_TEST, 0x00)
        found = crc16(self.frame)
        expected = _SELF_TEST.get(self._read(_VERSION))
        if expected is None:
            return "%04X" % found
        return "pass" if found == expected else "fail"

    def name(self):
        return NAMES.get(self.version, "unknown")

    def field_on(self):
        self._write(_TX_CONTROL, 0x83)

    def field_off(self):
        self._write(_TX_CONTROL, 0x80)

    def _timeout(self, ticks):
        if ticks != self._reload:
            self._reload = ticks
            self._write(_T_RELOAD_H, ticks >> 8)
            self._write(_T_RELOAD_L, ticks & 0xFF)

    def _crc(self, on):
        """Lets the chip append and check CRC_A, or not (short frames and anticollision have none)."""
        if on != self._crc_on:
            self._crc_on = on
            self._write(_TX_MODE, 0x80 if on else 0)
            self._write(_RX_MODE, 0x80 if on else 0)

    def _begin(self):
        """A wait for the chip begins."""
        self._begun = time.ticks_us()
        self._looks = 0

    def _overdue(self):
        """Has the chip been waited for long enough? Time alone does not say so: a board (or its
        simulation) that was held up itself must look again afterwards before it blames the chip."""
        if time.ticks_diff(time.ticks_us(), self._begun) > _PATIENCE_US:
            self._looks += 1
        return self._looks > _LOOKS

    # -- frames ------------------------------------------------------------------------------------

    def _exchange(self, data, size, last_bits=0, align=0):
        """Sends `data[:size]` (`last_bits` of its last byte; 0: all) and receives into `frame`."""
        self._write(_COMMAND, _IDLE)
        self._write(_COM_IRQ, 0x7F)
        self._fill(data, size)
        self._write(_COMMAND, _TRANSCEIVE)
        self._write(_BIT_FRAMING, 0x80 | (align << 4) | last_bits)
        self.frame_len = 0
        self._begin()
        while True:
            irq = self._read(_COM_IRQ)
            if irq & 0x30:
                break
            if irq & 0x01:
                return SILENT
            if self._overdue():
                raise ChipError("hangs")
        error = self._read(_ERROR)
        size = self._read(_FIFO_LEVEL)
        if size > 64:
            raise ChipError("fifo")
        if size:
            self._drain(size)
        if error & 0x17:  # buffer overflow, CRC, parity, protocol
            return NOISE
        return COLLISION if error & 0x08 else OK

    def request(self):
        """REQA: is any tag there that was not halted? OK or COLLISION: yes."""
        self._crc(False)
        self._timeout(_SHORT)
        result = self._exchange(_REQA, 1, 7)
        if result == OK and self.frame_len != 2:
            return NOISE
        return result

    def select(self):
        """Singles one tag out and selects it: `uid`, `uid_len`, `sak`. OK, SILENT or NOISE."""
        self.uid_len = 0
        for sel in (0x93, 0x95, 0x97):
            result = self._select_level(sel)
            if result != OK:
                self.uid_len = 0
                return result
            level = self._level
            more = self.sak & 0x04
            start = 3 if more else 2
            if more and level[2] != _CASCADE_TAG:
                self.uid_len = 0
                return NOISE
            for at in range(start, 6):
                self.uid[self.uid_len] = level[at]
                self.uid_len += 1
            if not more:
                return OK
        self.uid_len = 0
        return NOISE  # a fourth level does not exist

    def _select_level(self, sel):
        for _ in range(3):
            result, second = self._resolve(sel)
            if result == OK:
                result = self._confirm()
            if result == OK or not second:
                return result
            # Sources disagree what CollPos counts from after a second collision in one level: try
            # the next reading of it. A wrong SELECT sends the tags back to the first level.
            self._coll_base = (self._coll_base + 1) % 3
            if sel != 0x93 or self.request() not in _RECEIVED:
                return NOISE
        return result

    def _resolve(self, sel):
        """Anticollision of one level into `_level`. Returns (result, was there a second collision)."""
        level = self._level
        for at in range(7):
            level[at] = 0
        level[0] = sel
        known = 0
        second = False
        self._crc(False)
        self._timeout(_SHORT)
        while True:
            whole = known >> 3
            bits = known & 7
            level[1] = (2 + whole) << 4 | bits
            keep = level[2 + whole] & ((1 << bits) - 1) if bits else 0
            result = self._exchange(level, 2 + whole + (1 if bits else 0), bits, bits)
            if result not in _RECEIVED:
                return result, second
            if self.frame_len != 5 - whole and result == OK:
                return NOISE, second
            for at in range(min(self.frame_len, 5 - whole)):
                level[2 + whole + at] = self.frame[at]
            level[2 + whole] |= keep
            if result == OK:
                break
            position = self._read(_COLL)
            if position & 0x20:  # CollPosNotValid: beyond the UID's bits
                return NOISE, second
            position = position & 0x1F or 32
            if known:
                second = True
                position += (0, known - bits, known)[self._coll_base]
            if position <= known or position > 32:
                return NOISE, second
            known = position
            level[2 + ((known - 1) >> 3)] |= 1 << ((known - 1) & 7)  # go on with those that sent 1
            for at in range(2 + ((known - 1) >> 3) + 1, 7):
                level[at] = 0
            if known == 32:
                level[6] = 0
                break
        bcc = level[2] ^ level[3] ^ level[4] ^ level[5]
        if known == 32:
            level[6] = bcc
        return (OK if level[6] == bcc else NOISE), second

    def _confirm(self):
        """SELECT of the resolved level: the tag answers with SAK only if every bit was right."""
        self._level[1] = 0x70
        self._crc(True)
        result = self._exchange(self._level, 7)
        if result == OK and self.frame_len != 1:
            return NOISE
        if result == OK:
            self.sak = self.frame[0]
        return result

    def halt(self):
        """HLTA: the selected tag keeps quiet until its field goes off. It never answers."""
        self._crc(True)
        self._write(_COMMAND, _IDLE)
        self._write(_COM_IRQ, 0x7F)
        self._fill(b"\x50\x00", 2)
        self._write(_BIT_FRAMING, 0)
        self._write(_COMMAND, _TRANSMIT)
        self._begin()
        while not self._read(_COM_IRQ) & 0x50:
            if self._overdue():
                raise ChipError("hangs")

    def read_pages(self, page):
        """READ: four pages (16 bytes) from `page` on into `frame`. OK, SILENT or NOISE."""
        self._crc(True)
        self._timeout(_LONG)
        self._level[0] = 0x30
        self._level[1] = page
        result = self._exchange(self._level, 2)
        if result == OK and self.frame_len != 16:
            return NOISE
        return result
