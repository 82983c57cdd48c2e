"""The link's lines: `<payload>*<CRC-16/CCITT-FALSE in four hex digits>\\n`, both ways. See PROTOCOL.md."""

import time

from micropython import const

PROTOCOL = const(1)
LONGEST_IN = const(600)  # bytes of one line from the host
MOST_AT_ONCE = const(1000)  # bytes looked at in one call
OUT_ROOM = const(4096)  # bytes that may wait for the host
CHUNK = const(64)  # one USB packet
FORGET_MS = const(1000)  # what the host did not take for so long is old news: it is dropped
STREAK_TO_REPL = const(5)  # so many Ctrl-C in a row, and nothing else, ask for the REPL

_NIBBLE = (
    0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
    0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF,
)  # fmt: skip


def crc16(data, crc=0xFFFF):
    """CRC-16/CCITT-FALSE of bytes: polynomial 1021, start FFFF, not reflected ("123456789" -> 29B1)."""
    table = _NIBBLE
    for byte in data:
        crc = ((crc << 4) & 0xFFFF) ^ table[(crc >> 12) ^ (byte >> 4)]
        crc = ((crc << 4) & 0xFFFF) ^ table[(crc >> 12) ^ (byte & 15)]
    return crc


def frame(payload):
    """The line for a payload (str), as bytes."""
    raw = payload.encode()
    return b"%s*%04X\n" % (raw, crc16(raw))


def unframe(line):
    """The payload (str) of a line (bytes, without its newline), or None where it is damaged."""
    if len(line) < 6 or line[-5] != 0x2A:
        return None
    body = bytes(line[:-5])
    for byte in body:
        if byte < 0x20 or byte > 0x7E:
            return None
    if bytes(line[-4:]).upper() != b"%04X" % crc16(body):
        return None
    return body.decode()


def words(payload):
    """("led", {"at": "ring"}) of "led at=ring". A word without `=` is dropped."""
    parts = payload.split()
    found = {}
    for part in parts[1:]:
        key, equals, value = part.partition("=")
        if equals:
            found[key] = value
    return (parts[0] if parts else ""), found


class Uptime:
    """Milliseconds since the start, growing for ever (ticks_ms starts anew after 12 days)."""

    def __init__(self):
        self._last = time.ticks_ms()
        self.ms = 0

    def now(self):
        ticks = time.ticks_ms()
        self.ms += time.ticks_diff(ticks, self._last)
        self._last = ticks
        return self.ms


class Link:
    """Lines out without ever blocking, lines in without ever trusting.

    `port` has `read()` (one byte as a number, or -1) and `write(buffer)` (bytes taken, 0 to all).
    """

    def __init__(self, port, uptime):
        self._port = port
        self._uptime = uptime
        self._in = bytearray(LONGEST_IN)
        self._in_len = 0
        self._too_long = False
        self._streak = 0
        self._out = bytearray(OUT_ROOM)
        self._view = memoryview(self._out)
        self._start = 0
        self._end = 0
        self._in_line = False  # the host has got a part of a line
        self._moved_at = 0
        self.heard_at = 0  # ms: when the last good line came, or the start
        self.number = 0
        self.lost = 0  # lines that the host did not fetch
        self.bad = 0  # lines from the host that were damaged
        self.wants_repl = False

    def send(self, payload):
        """Queues `payload` with its number and time. False: no room, the line is lost (and counted)."""
        now = self._uptime.now()
        line = frame("%s n=%d t=%d" % (payload, self.number, now))
        self.number = (self.number + 1) & 0xFFFF
        if self._end + len(line) > OUT_ROOM:
            waiting = self._end - self._start
            self._out[:waiting] = self._out[self._start : self._end]
            self._start = 0
            self._end = waiting
        if self._end + len(line) > OUT_ROOM:
            self.lost += 1
            return False
        if self._start == self._end:
            self._moved_at = now
        self._out[self._end : self._end + len(line)] = line
        self._end += len(line)
        return True

    def flush(self):
        """Gives the port what it takes now. Waiting lines older than a second are dropped."""
        while self._start < self._end:
            size = self._end - self._start
            if size > CHUNK:
                size = CHUNK
            taken = self._port.write(self._view[self._start : self._start + size])
            if not taken:
                if self._uptime.now() - self._moved_at > FORGET_MS:
                    self._forget()
                return
            self._start += taken
            self._in_line = self._out[self._start - 1] != 0x0A
            self._moved_at = self._uptime.now()
        self._start = self._end = 0

    def _forget(self):
        for at in range(self._start, self._end):
            if self._out[at] == 0x0A:
                self.lost += 1
        self._start = self._end = 0
        if self._in_line:  # ends the torn line, so that it costs no second one
            self._out[0] = 0x0A
            self._end = 1
        self._moved_at = self._uptime.now()

    def receive(self):
        """The next whole good line's payload, or None when there is none now."""
        for _ in range(MOST_AT_ONCE):  # a flood of rubbish must not stop the scan
            byte = self._port.read()
            if byte < 0:
                return None
            if byte == 3:
                self._streak += 1
                if self._streak >= STREAK_TO_REPL:
                    self.wants_repl = True
                continue
            self._streak = 0
            if byte == 10:
                payload = self._take()
                if payload is not None:
                    self.heard_at = self._uptime.now()
                    return payload
            elif self._in_len < LONGEST_IN:
                self._in[self._in_len] = byte
                self._in_len += 1
            else:
                self._too_long = True
        return None

    def _take(self):
        size = self._in_len
        too_long = self._too_long
        self._in_len = 0
        self._too_long = False
        if size and self._in[size - 1] == 13:
            size -= 1
        if not size:
            return None
        payload = None if too_long else unframe(self._in[:size])
        if payload is None:
            self.bad += 1
        return payload
