"""A tag as its reader's field sees it: ISO/IEC 14443-3 type A states, and a Type 2 tag's READ."""

IDLE = 0
READY = 1
ACTIVE = 2


def crc_a(data):
    """CRC_A of ISO/IEC 14443-3 (preset 6363, reflected): two bytes, low one first."""
    crc = 0x6363
    for byte in data:
        mixed = byte ^ (crc & 0xFF)
        mixed = (mixed ^ (mixed << 4)) & 0xFF
        crc = (crc >> 8) ^ (mixed << 8) ^ (mixed << 3) ^ (mixed >> 4)
    return bytes((crc & 0xFF, crc >> 8))


def levels_of(uid):
    """The four bytes sent at each cascade level."""
    if len(uid) == 4:
        return [uid]
    if len(uid) == 7:
        return [b"\x88" + uid[:3], uid[3:]]
    return [b"\x88" + uid[:3], b"\x88" + uid[3:6], uid[6:]]


class Tag:
    """`memory` is the tag's pages from page 0 on, four bytes each; empty: it knows no READ."""

    def __init__(self, uid, sak=0x00, memory=b"", atqa=0x0044):
        self.uid = uid
        self.sak = sak
        self.memory = memory
        self.atqa = atqa
        self._levels = levels_of(uid)
        self.power_off()

    def power_off(self):
        self._state = IDLE
        self._level = 0
        self._halted = False

    def _fall_back(self):
        self._state = IDLE

    def answer(self, frame, bits):
        """(number of bits, value as a number with the first bit lowest) to a frame, or None.

        `bits` is how many bits of the frame were sent.
        """
        if bits == 7:
            return self._short(frame[0])
        if self._state == READY:
            return self._cascade(frame, bits)
        if self._state == ACTIVE:
            return self._active(frame)
        return None

    def _short(self, command):
        if self._state != IDLE:
            self._fall_back()
            return None
        if command == 0x52 or (command == 0x26 and not self._halted):
            self._state = READY
            self._level = 0
            return 16, self.atqa
        return None

    def _cascade(self, frame, bits):
        if len(frame) < 2 or frame[0] != 0x93 + 2 * self._level:
            self._fall_back()
            return None
        level = self._levels[self._level]
        full = level + bytes((level[0] ^ level[1] ^ level[2] ^ level[3],))
        if frame[1] == 0x70:
            if frame[2:7] != full or frame[7:9] != crc_a(frame[:7]):
                self._fall_back()
                return None
            if self._level + 1 < len(self._levels):
                self._level += 1
                return _with_crc(b"\x04")
            self._state = ACTIVE
            return _with_crc(bytes((self.sak,)))
        known = bits - 16
        value = int.from_bytes(full, "little")
        sent = int.from_bytes(frame[2:], "little")
        mask = (1 << known) - 1
        if (value ^ sent) & mask:
            return None
        return 40 - known, value >> known

    def _active(self, frame):
        if frame[-2:] != crc_a(frame[:-2]):
            self._fall_back()
            return None
        if frame[0] == 0x50:
            self._state = IDLE
            self._halted = True
            return None
        if frame[0] == 0x30 and self.memory:
            start = frame[1] * 4
            if start >= len(self.memory):
                self._fall_back()
                return 4, 0x0  # NAK
            data = (self.memory[start:] + self.memory)[:16]  # rolls over to page 0
            return _with_crc(data)
        self._fall_back()
        return (4, 0x0) if self.memory else None


def _with_crc(data):
    return (len(data) + 2) * 8, int.from_bytes(data + crc_a(data), "little")
