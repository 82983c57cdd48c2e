"""The round over all antennas: changed ones first, one field at a time; what it saw as lines."""

import time
from binascii import hexlify

from micropython import const
from reader import COLLISION, OK, SILENT, ChipError

GUARD_MS = const(5)  # a tag may take so long to wake in its field (ISO/IEC 14443-3)
MOST_TAGS = const(4)  # in one field
RETRIES = const(2)  # of a noisy exchange within one scan
HOT_MS = const(1500)  # so long after a change an antenna is scanned more often, each scan reported
HOT_GAP_MS = const(40)  # but not more often than so
REPEAT_MS = const(1000)  # a quiet antenna's inventory is repeated so often
RETRY_MS = const(250)
MOST_RETRY_MS = const(4000)
STATS_MS = const(5000)
DATA_TRIES = const(6)  # attempts to read one tag's pages, before its record counts as unreadable
MOST_BYTES = const(256)  # of a tag's memory that go over the link
_SOMEBODY = (OK, COLLISION)


def hexed(data):
    """Upper-case hex of bytes."""
    return hexlify(data).decode().upper()


class Antenna:
    """One antenna with its chip, and what lay in its field at the last good scan."""

    def __init__(self, number, chip):
        self.number = number
        self.chip = chip
        self.tags = {}  # uid bytes -> [sak, memory or None, tries left, was all of it said?]
        self.up = False
        self.fault = None  # why the chip does not work, as last said to the host
        self.hot_until = 0
        self.scanned_at = 0
        self.told_at = -REPEAT_MS
        self.alike = 0  # scans since the last report that all saw the same
        self.lit = False  # its field may be on
        self.attempts = 0  # to start the chip anew, since its last good scan
        self.retry_at = 0
        self.rounds = 0
        self.reads = 0
        self.fails = 0
        self.spent_us = 0


class Scanner:
    """`send` takes a payload; `reset` (or None) is the chips' common reset; `idle(ms)` waits usefully."""

    def __init__(self, chips, send, uptime, idle, reset=None):
        self.antennas = [Antenna(number, chip) for number, chip in enumerate(chips)]
        self._send = send
        self._uptime = uptime
        self._idle = idle
        self._reset = reset
        self._next = 0
        self._hot_next = 0
        self._hot_turn = False
        self._stats_at = 0
        self._stats_next = 0

    # -- which antenna is next ---------------------------------------------------------------------

    def pick(self, now):
        """The antenna whose turn it is: every second turn goes to those that changed lately."""
        count = len(self.antennas)
        self._hot_turn = not self._hot_turn
        if self._hot_turn:
            for step in range(count):
                at = (self._hot_next + step) % count
                antenna = self.antennas[at]
                if antenna.hot_until > now and now - antenna.scanned_at >= HOT_GAP_MS:
                    self._hot_next = at + 1
                    return antenna
        antenna = self.antennas[self._next]
        self._next = (self._next + 1) % count
        return antenna

    def round_starts(self):
        """Is the next turn the first of a round?"""
        return self._next == 0

    def step(self):
        """Scans one antenna and reports it where there is something to report."""
        now = self._uptime.now()
        antenna = self.pick(now)
        if not antenna.up and not self._revive(antenna, now):
            return
        antenna.scanned_at = now
        begun = time.ticks_us()
        seen = {}  # type: dict[bytes, list]
        ok = False
        try:
            ok = self._scan(antenna, seen)
        except ChipError as error:
            self._down(antenna, now, error)
        else:
            # Only a scan proves a chip: one that hangs can be started again and again.
            antenna.attempts = 0
            self._fault(antenna, None)
        antenna.spent_us += time.ticks_diff(time.ticks_us(), begun)
        antenna.rounds += 1
        if not ok:
            antenna.fails += 1
        self._report(antenna, seen, ok)
        self._statistics(now)

    # -- one scan ----------------------------------------------------------------------------------

    def _scan(self, antenna, seen):
        """Fills `seen` (as Antenna.tags). False: noise, so that a missing tag means nothing."""
        chip = antenna.chip
        chip.check()
        antenna.lit = True
        chip.field_on()
        try:
            self._idle(GUARD_MS)
            noisy = 0
            unresolved = False  # something answered, damaged, and was not identified since
            asleep = False  # a tag that was spoken to wrongly ignores the next REQA (14443-3, READY)
            for _ in range(2 * (MOST_TAGS + RETRIES)):
                result = chip.request()
                if result == SILENT:
                    if not asleep:
                        return not unresolved
                    asleep = False
                    continue
                if result in _SOMEBODY:
                    result = chip.select()
                if result != OK:
                    noisy += 1
                    if noisy > RETRIES:
                        return False
                    unresolved = asleep = True
                    continue
                unresolved = asleep = False
                uid = bytes(chip.uid[: chip.uid_len])
                antenna.reads += 1
                if uid not in seen:  # again in one scan: its READ failed, and it fell asleep
                    seen[uid] = self._known(antenna, uid)
                chip.halt()
                if len(seen) == MOST_TAGS:
                    break
            return not unresolved
        finally:
            chip.field_off()
            antenna.lit = False

    def _known(self, antenna, uid):
        """What is known of the tag just selected; its memory is read while it is not known."""
        chip = antenna.chip
        tag = antenna.tags.get(uid)
        if tag is None:
            tag = [chip.sak, None, DATA_TRIES if chip.sak == 0 else 0, False]
        if tag[1] is None and tag[2]:
            tag[2] -= 1
            tag[1] = self._memory(chip, uid, tag[2] == 0)
        return tag

    def _memory(self, chip, uid, last):
        """The pages from 0 to the end of the NDEF message, in whole blocks of four pages, or None
        where one was not read.

        `last`: the tag will not be tried again, so what could be read is better than nothing.
        """
        if chip.read_pages(0) != OK:
            return None
        memory = bytearray(chip.frame[:16])
        if len(uid) == 7 and (memory[0:3] != uid[0:3] or memory[4:8] != uid[3:7]):
            return None  # somebody else's content
        need = 32
        while len(memory) < need:
            if chip.read_pages(len(memory) // 4) != OK:
                return bytes(memory) if last else None
            memory.extend(chip.frame[:16])
            need = min(message_end(memory), MOST_BYTES)
        return bytes(memory)

    # -- what is said ------------------------------------------------------------------------------

    def _report(self, antenna, seen, ok):
        now = self._uptime.now()
        antenna.alike += 1
        changed = False
        for uid, tag in seen.items():
            before = antenna.tags.get(uid)
            if before is None or (not tag[3] and (tag[1] is not None or not tag[2])):
                changed = True
                self.say_tag(antenna, uid, tag)
        if ok:
            for uid in antenna.tags:
                if uid not in seen:
                    changed = True
                    self._send("gone ant=%d uid=%s" % (antenna.number, hexed(uid)))
            antenna.tags = seen
        else:
            antenna.tags.update(seen)
        if changed:
            antenna.hot_until = now + HOT_MS
        if changed or not ok or antenna.fault:
            antenna.alike = 1  # what was not told of the scans before is old news
        if changed or antenna.hot_until > now or now - antenna.told_at >= REPEAT_MS:
            self.say_inventory(antenna, seen, ok)
        if not ok:
            antenna.alike = 0

    def say_tag(self, antenna, uid, tag):
        words = "tag ant=%d uid=%s sak=%02X" % (antenna.number, hexed(uid), tag[0])
        if tag[1] is not None:
            words += " data=" + hexed(tag[1])
        elif not tag[2] and not tag[0]:
            words += " unread=1"
        tag[3] = tag[1] is not None or not tag[2]
        self._send(words)

    def say_inventory(self, antenna, seen, ok):
        uids = ",".join(hexed(uid) for uid in seen) or "-"
        self._send("inv ant=%d tags=%s ok=%d scans=%d" % (antenna.number, uids, ok, max(antenna.alike, 1)))
        antenna.alike = 0
        antenna.told_at = self._uptime.now()

    def say_all(self):
        """Everything from the beginning: for a host that has just come (tags with their content)."""
        for antenna in self.antennas:
            for uid, tag in antenna.tags.items():
                self.say_tag(antenna, uid, tag)
            if antenna.fault:
                self._send("fault ant=%d what=%s" % (antenna.number, antenna.fault))
            antenna.told_at = -REPEAT_MS

    def say_chips(self):
        """Which chip sits at each antenna."""
        for antenna in self.antennas:
            self._send(
                "chip ant=%d ver=%02X name=%s up=%d"
                % (antenna.number, antenna.chip.version, antenna.chip.name(), antenna.up)
            )

    def self_test(self, number):
        """Runs one chip's own test; it is started anew at its next turn."""
        antenna = self.antennas[number]
        antenna.up = False
        antenna.retry_at = 0
        try:
            result = antenna.chip.self_test()
        except ChipError as error:
            result = str(error)
        self._send("test ant=%d result=%s" % (number, result))

    def _statistics(self, now):
        """One antenna's counters a call, each antenna every five seconds."""
        if self._stats_next == 0 and now - self._stats_at < STATS_MS:
            return
        if self._stats_next == 0:
            self._stats_at = now
        antenna = self.antennas[self._stats_next]
        self._stats_next = (self._stats_next + 1) % len(self.antennas)
        self._send(
            "scan ant=%d rounds=%d reads=%d fails=%d us=%d"
            % (
                antenna.number,
                antenna.rounds,
                antenna.reads,
                antenna.fails,
                antenna.spent_us // max(antenna.rounds, 1),
            )
        )
        antenna.rounds = antenna.reads = antenna.fails = antenna.spent_us = 0

    # -- chips that do not answer ------------------------------------------------------------------

    def _fault(self, antenna, what):
        if antenna.fault != what:
            antenna.fault = what
            self._send("fault ant=%d what=%s" % (antenna.number, what or "none"))

    def _down(self, antenna, now, error):
        """The chip failed: the first new attempt comes at once, the others at growing intervals."""
        antenna.up = False
        antenna.retry_at = now
        if antenna.attempts:
            antenna.retry_at += min(RETRY_MS << min(antenna.attempts - 1, 8), MOST_RETRY_MS)
        if antenna.lit:
            # A chip that does not obey any more with its field on would disturb all others.
            self._reset_all()
        self._fault(antenna, str(error))

    def _reset_all(self):
        """The line is common: the other chips lose their settings too, and are set up again."""
        if self._reset is not None:
            self._reset()
            for antenna in self.antennas:
                antenna.up = antenna.lit = False

    def _revive(self, antenna, now):
        """Tries to start a chip. True when it can be scanned again."""
        if now < antenna.retry_at:
            if now - antenna.told_at >= REPEAT_MS:
                self.say_inventory(antenna, (), False)
            return False
        antenna.attempts += 1
        if antenna.attempts > 1:
            self._reset_all()
        try:
            antenna.chip.start()
        except ChipError as error:
            self._down(antenna, now, error)
            return False
        antenna.up = True
        return True


def message_end(memory):
    """How many bytes from page 0 hold the NDEF message, by the TLVs in `memory` from page 4 on.

    Where the TLVs end before, or run out of what was read, 16 more bytes than were read.
    """
    at = 16
    while at + 1 < len(memory):
        kind = memory[at]
        if kind == 0x00:  # NULL: no length
            at += 1
            continue
        if kind == 0xFE:  # terminator
            return at + 1
        length = memory[at + 1]
        start = at + 2
        if length == 0xFF:
            if at + 3 >= len(memory):
                break
            length = memory[at + 2] << 8 | memory[at + 3]
            start = at + 4
        at = start + length
        if kind == 0x03:
            return at
        if kind not in (0x01, 0x02, 0xFD):  # not a Type 2 tag's data at all
            return len(memory)
    return len(memory) + 16 if at < MOST_BYTES else MOST_BYTES
