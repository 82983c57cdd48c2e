"""A PN532 as its SPI bus sees it: status, frames and the commands that a plain reader needs.

Written from the PN532 user manual (UM0701-02). Answers come after the time that chip and air take.
"""

import random
import time

from type2 import crc_a

REAL_TIME = True  # False: everything happens at once
LIST_MS = 5
EXCHANGE_MS = 3
COMMAND_MS = 1
ACK = b"\x00\x00\xff\x00\xff\x00"


class Faults:
    """What is wrong with one antenna. Probabilities are per answer, 0 to 100."""

    def __init__(self):
        self.mute = False
        self.hung = False  # commands are acknowledged and never answered, until a hard reset
        self.noise = 0
        self.weak = 0
        self.version = 0x32  # of the IC: another is no PN532
        self.gain_stuck = False
        self.broken = False
        self.garbled = 0  # frames with a wrong checksum


def turned(byte):
    """The byte with its lowest bit first."""
    result = 0
    for _ in range(8):
        result = result << 1 | byte & 1
        byte >>= 1
    return result


TURN = bytes(turned(byte) for byte in range(256))


class Chip:
    """`tags` is what lies in its field; `world` (or None) hears when its field goes on and off."""

    def __init__(self, world=None):
        self._world = world
        self.faults = Faults()
        self.tags = []
        self.accesses = 0
        self.hard_reset()

    def hard_reset(self):
        self.faults.hung = False
        self._queue = []  # frames that wait to be fetched
        self._ready_at = time.ticks_ms()
        self._listed = None
        self._field(False)

    def transfer(self, out, into):
        """One selection of the chip: `out` on MOSI, MISO into `into` (None: nobody listens)."""
        self.accesses += 1
        operation = TURN[out[0]]
        reply = b""
        if self.faults.mute:
            operation = 0
        if operation == 0x01:
            self._received(bytes(TURN[byte] for byte in out[1:]))
        elif operation == 0x02:
            reply = b"\x01" if self._is_ready() else b"\x00"
        elif operation == 0x03 and self._is_ready():
            reply = self._queue.pop(0)
        if into is not None:
            for at in range(len(into)):
                into[at] = TURN[reply[at - 1]] if 0 < at <= len(reply) else 0

    def _is_ready(self):
        if not self._queue:
            return False
        return self._queue[0] == ACK or time.ticks_diff(self._ready_at, time.ticks_ms()) <= 0

    def _received(self, frame):
        if frame == ACK:
            self._queue = []
            return
        size = frame[3]
        body = frame[5 : 5 + size]
        if frame[:3] != b"\x00\x00\xff" or (size + frame[4]) & 0xFF or body[0] != 0xD4:
            return
        if (sum(body) + frame[5 + size]) & 0xFF:
            return
        self._queue = [ACK]
        if self.faults.hung:
            return
        delay, answer = self._obey(body[1], body[2:])
        self._ready_at = time.ticks_add(time.ticks_ms(), delay if REAL_TIME else 0)
        content = bytes((0xD5, body[1] + 1)) + answer
        check = -sum(content) & 0xFF
        if self.faults.garbled and random.randint(1, 100) <= self.faults.garbled:
            check ^= 0x10
        head = bytes((0, 0, 0xFF, len(content), -len(content) & 0xFF))
        self._queue.append(head + content + bytes((check, 0)))

    def _obey(self, code, given):
        if code == 0x02:
            return COMMAND_MS, bytes((self.faults.version, 1, 6, 7))
        if code == 0x00:
            return COMMAND_MS, b"\xff" if self.faults.broken else b"\x00"
        if code == 0x32 and given[0] == 0x01:
            self._field(given[1] & 1)
            return COMMAND_MS, b""
        if code == 0x4A:
            return LIST_MS, self._list()
        if code == 0x40:
            return EXCHANGE_MS, self._exchange(given[1:])
        if code == 0x44:
            self._send(b"\x50\x00")
            self._listed = None
            return EXCHANGE_MS, b"\x00"
        return COMMAND_MS, b""

    def _field(self, on):
        self.field = bool(on)
        if not on:
            self._listed = None
            for tag in self.tags:
                tag.power_off()
        if self._world is not None:
            self._world.field_changed(self, self.field)

    def _list(self):
        self._listed = None
        if not self.field:
            return b"\x00"
        for tag in self.tags:
            if self.faults.weak and random.randint(1, 100) <= self.faults.weak:
                continue
            answer = tag.answer(b"\x26", 7)
            if answer is None:
                # Spoken to in a state that knows no REQA, it falls back and hears the next one.
                answer = tag.answer(b"\x26", 7)
            if answer is None:
                continue
            if self.faults.noise and random.randint(1, 100) <= self.faults.noise:
                continue
            if self._select(tag):
                self._listed = tag
                atqa = answer[1]
                head = bytes((1, 1, atqa >> 8, atqa & 0xFF, tag.sak, len(tag.uid)))
                return head + tag.uid
        return b"\x00"

    def _select(self, tag):
        """Anticollision's outcome: each level confirmed to this tag."""
        for sel in (0x93, 0x95, 0x97):
            reply = tag.answer(bytes((sel, 0x20)), 16)
            if reply is None:
                return False
            frame = bytes((sel, 0x70)) + reply[1].to_bytes(5, "little")
            frame += crc_a(frame)
            sak = tag.answer(frame, len(frame) * 8)
            if sak is None:
                return False
            if not sak[1] & 0x04:
                return True
        return False

    def _send(self, data):
        if self._listed is None:
            return None
        frame = data + crc_a(data)
        return self._listed.answer(frame, len(frame) * 8)

    def _exchange(self, data):
        if self._listed is None:
            return b"\x27"
        reply = self._send(data)
        if reply is None:
            return b"\x01"
        bits, value = reply
        if bits < 8 or (self.faults.noise and random.randint(1, 100) <= self.faults.noise):
            return b"\x13"
        return b"\x00" + value.to_bytes(bits // 8, "little")[:-2]
