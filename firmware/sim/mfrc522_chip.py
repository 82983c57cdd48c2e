"""An MFRC522 as its SPI bus sees it: registers, FIFO, commands, timer and a field with tags in it.

Written from the MFRC522 data sheet (rev. 3.9), chapters 8.1.2 (SPI), 9 (registers), 10 (commands).
Answers come after the time that the bits take on the air (106 kbit/s), so that a driver's waiting is
real. `faults` makes it sick: see Faults.
"""

import random
import time

from type2 import crc_a

REAL_TIME = True  # False: everything on the air happens at once
BIT_NS = 9440  # one bit on the air
FRAME_DELAY_NS = 86000  # between a frame and its answer
REGISTERS = 64
_RESET = {0x01: 0x20, 0x02: 0x80, 0x0B: 0x08, 0x0C: 0x10, 0x0E: 0x80, 0x11: 0x3F, 0x14: 0x80,
          0x16: 0x10, 0x17: 0x84, 0x18: 0x84, 0x19: 0x4D, 0x1C: 0x62, 0x24: 0x26, 0x26: 0x48,
          0x27: 0x88, 0x28: 0x20, 0x29: 0x20}  # fmt: skip


class Faults:
    """What is wrong with one antenna. Probabilities are per answer, 0 to 100."""

    def __init__(self):
        self.mute = False  # no power, or no chip: every register reads 00
        self.hung = False  # commands never end, until a hard reset
        self.noise = 0  # a bit of the answer is wrong
        self.weak = 0  # the tag does not get enough of the field: no answer to REQA
        self.version = 0x92
        self.gain_stuck = False  # the gain register does not take what is written
        self.broken = False  # the self-test fails


class Chip:
    """`tags` is what lies in its field; `world` (or None) hears when its field goes on and off."""

    def __init__(self, world=None, collision_base=0):
        self._world = world
        self._collision_base = collision_base
        self.faults = Faults()
        self.tags = []
        self.accesses = 0  # times that it was selected
        self.air_ns = 0  # that its frames and time-outs took
        self.hard_reset()

    def hard_reset(self):
        self.faults.hung = False
        self._soft_reset()

    def _soft_reset(self):
        self.registers = bytearray(REGISTERS)
        for register, value in _RESET.items():
            self.registers[register] = value
        self._fifo = bytearray()
        self._irq_at = None
        self._answer = None
        self._field(False)

    # -- the bus -----------------------------------------------------------------------------------

    def transfer(self, out, into):
        """One selection of the chip: `out` on MOSI, MISO into `into` (None: nobody listens)."""
        self.accesses += 1
        if self.faults.mute:
            if into is not None:
                for at in range(len(into)):
                    into[at] = 0
            return
        register = (out[0] >> 1) & 0x3F
        if not out[0] & 0x80:
            for at in range(1, len(out)):
                self._put(register, out[at])
            return
        for at in range(1, len(out)):
            value = self._get(register)
            if into is not None:
                into[at] = value
            register = (out[at] >> 1) & 0x3F

    def _get(self, register):
        if register == 0x09:
            if not self._fifo:
                return 0
            value = self._fifo[0]
            self._fifo = self._fifo[1:]
            return value
        if register == 0x0A:
            return len(self._fifo)
        if register == 0x37:
            return self.faults.version
        if register == 0x04:
            self._settle()
        return self.registers[register]

    def _put(self, register, value):
        if register == 0x01:
            self._command(value)
        elif register == 0x04:
            if value & 0x80:
                self.registers[0x04] |= value & 0x7F
            else:
                self.registers[0x04] &= ~value & 0xFF
        elif register == 0x05:
            if value & 0x80:
                self.registers[0x05] |= value & 0x7F
            else:
                self.registers[0x05] &= ~value & 0xFF
        elif register == 0x09:
            if len(self._fifo) < 64:
                self._fifo.append(value)
            else:
                self.registers[0x06] |= 0x10
        elif register == 0x0A:
            if value & 0x80:
                self._fifo = bytearray()
                self.registers[0x06] &= ~0x10
        elif register == 0x0D:
            self.registers[0x0D] = value & 0x7F
            if value & 0x80 and self.registers[0x01] & 0x0F == 0x0C:
                self._transceive()
        elif register == 0x14:
            self.registers[0x14] = value
            self._field(value & 3 != 0)
        elif register == 0x26:
            if not self.faults.gain_stuck:
                self.registers[0x26] = value
        elif register not in (0x06, 0x07, 0x08, 0x21, 0x22, 0x37):
            self.registers[register] = value

    def _command(self, value):
        command = value & 0x0F
        self.registers[0x01] = value & 0x3F
        if command == 0x0F:
            if not self.faults.hung:
                self._soft_reset()
        elif command == 0x00:
            self._irq_at = None
            self._answer = None
        elif command == 0x04:
            self._transmit()
        elif command == 0x01:
            self._fifo = bytearray()  # 25 bytes moved into the internal buffer
            self.registers[0x01] = 0x20
            self.registers[0x04] |= 0x10
        elif command == 0x03:
            self._calculate_crc()

    def _calculate_crc(self):
        if self.registers[0x36] & 0x0F == 0x09:
            self._fifo = bytearray(self_test(0 if self.faults.broken else self.faults.version))
        else:
            crc = crc_a(self._fifo)
            self._fifo = bytearray()
            self.registers[0x22] = crc[0]
            self.registers[0x21] = crc[1]
        self.registers[0x05] |= 0x04
        self.registers[0x01] = 0x20
        self.registers[0x04] |= 0x10

    # -- the field ---------------------------------------------------------------------------------

    def _field(self, on):
        self.field = on
        if not on:
            for tag in self.tags:
                tag.power_off()
        if self._world is not None:
            self._world.field_changed(self, on)

    def _sent(self):
        """What goes on the air: (bytes, bits), with CRC_A where the chip is told to add it."""
        data = bytes(self._fifo)
        self._fifo = bytearray()
        last = self.registers[0x0D] & 7
        if self.registers[0x12] & 0x80:
            data += crc_a(data)
            last = 0
        return data, len(data) * 8 - (8 - last if last else 0)

    def _answers(self, data, bits):
        if not self.field:
            return []
        answers = []
        for tag in self.tags:
            if bits == 7 and self.faults.weak and random.randint(1, 100) <= self.faults.weak:
                continue
            answer = tag.answer(data, bits)
            if answer is not None:
                answers.append(answer)
        return answers

    def _transmit(self):
        data, bits = self._sent()
        self._answers(data, bits)
        self._answer = (0x50, 0, b"", 0, None)
        self._after_ns(bits * BIT_NS)

    def _transceive(self):
        data, bits = self._sent()
        answers = self._answers(data, bits)
        if not answers:
            ticks = self.registers[0x2C] << 8 | self.registers[0x2D]
            prescaler = (self.registers[0x2A] & 0x0F) << 8 | self.registers[0x2B]
            self._answer = (0x01, 0, b"", 0, None)
            self._after_ns(bits * BIT_NS + ticks * (2 * prescaler + 1) * 1000000 // 13560)
            return
        size, value = answers[0]
        collision = None
        for other_size, other in answers[1:]:
            differing = value ^ other
            if differing:
                first = 0
                while not differing >> first & 1:
                    first += 1
                if collision is None or first < collision:
                    collision = first
            size = max(size, other_size)
        self._received(bits, size, value, collision)

    def _received(self, sent_bits, size, value, collision):
        error = 0
        position = 0x20
        if collision is not None:
            error |= 0x08
            if not self.registers[0x0E] & 0x80:
                value &= (1 << collision) - 1  # ValuesAfterColl = 0
            position = self._position(sent_bits, collision)
        elif self.faults.noise and random.randint(1, 100) <= self.faults.noise:
            value ^= 1 << random.randint(0, size - 1)
            error |= 0x02
        align = self.registers[0x0D] >> 4 & 7
        data = (value << align).to_bytes((size + align + 7) // 8, "little")
        last = (size + align) & 7
        if self.registers[0x13] & 0x80 and collision is None:
            if size % 8 or len(data) < 3 or data[-2:] != crc_a(data[:-2]):
                error |= 0x04
            else:
                data = data[:-2]
        self._answer = (0x30, error, data, last, position)
        self._after_ns((sent_bits + size) * BIT_NS + FRAME_DELAY_NS)

    def _position(self, sent_bits, collision):
        """CollReg: 1 for the first bit, 0 for the 32nd; sources disagree what it counts from."""
        known = sent_bits - 16 if sent_bits > 16 else 0
        base = (known, known & 7, 0)[self._collision_base]
        number = base + collision + 1
        return number & 0x1F if number <= 32 else 0x20

    def _after_ns(self, ns):
        self.air_ns += ns
        self._irq_at = time.ticks_add(time.ticks_us(), ns // 1000 if REAL_TIME else 0)

    def _settle(self):
        """The moment the answer is in: FIFO, error and interrupt bits change."""
        if self._answer is None or self.faults.hung:
            return
        if time.ticks_diff(self._irq_at, time.ticks_us()) > 0:
            return
        irq, error, data, last, position = self._answer
        self._answer = None
        self.registers[0x04] |= irq
        self.registers[0x06] = error
        self._fifo = bytearray(data)
        self.registers[0x0C] = (self.registers[0x0C] & 0xF8) | last
        if position is not None:
            self.registers[0x0E] = (self.registers[0x0E] & 0x80) | position


def self_test(version):
    """The 64 bytes that the digital self-test of this version leaves in the FIFO (16.1.1)."""
    return bytes.fromhex(_SELF_TEST.get(version) or "5A" * 64)


_SELF_TEST = {
    0x91: "00C637D532B7575CC2D87C4DD970C77310E6D2AA5EA13E5A14AF3061C970DB2E"
    "642272B5BD65F4EC22BCD37235CDAA411FA7F35314DE7E02D90FB55E251D2979",
    0x92: "00EB66BA57BF2395D0E30D3D27895CDE9D3BA700215B8982513AEB020CA50049"
    "7C844DB3CCD21B815D4876D5716121A986968338CF9D5B6DDC15BA3E7D953B2F",
}
