"""One conversation with the firmware: lines in, Sightings out. No port and no thread; time comes in.

A conversation begins with the firmware's hello to our own ask: what came before may be old. From it
and from `time` answers follows the offset between the board's clock and ours, and so the age of every
line: nothing older than three seconds is acted on (F23).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from host.link.protocol import PROTOCOL, Line
from host.link.tagdata import tag_read
from host.sighting import Inventory, Press, Sighting, TagRead
from host.uid import SIZES

STALE_S = 3.0
TRUSTED_ROUND_TRIP_S = 1.0


@dataclass(slots=True)
class AntennaState:
    """What the firmware says of one antenna. `fault`: its word for why the chip does not work."""

    tags: dict[str, TagRead] = field(default_factory=dict)
    fault: str | None = None
    scans: int = 0
    reads: int = 0
    failures: int = 0
    scan_ms: float = 0.0


@dataclass(slots=True)
class Session:
    """`reader` is the device's id, `antennas` how many the layout uses (more are ignored)."""

    reader: str
    antennas: int
    key: str
    hello: Line | None = None
    stale: int = 0
    early: int = 0
    lost: int = 0
    dim: int = 0
    board_lost: int = 0
    board_bad: int = 0
    battery_mv: int | None = None
    wants_tags: bool = False
    """A tag was named whose content we missed: the firmware must say its tags again."""
    restarted: bool = False
    """The firmware has started anew: this conversation is over."""
    configured: str | None = None
    """The firmware's answer to a configuration: "ok", or the key that it did not like."""
    states: dict[int, AntennaState] = field(default_factory=dict)
    _offset: float = 0.0
    _next: int | None = None
    _asked: dict[str, float] = field(default_factory=dict)

    def asked(self, key: str, now: float) -> None:
        """Notes that the time was asked with `key` at `now` (monotonic seconds)."""
        self._asked.clear()
        self._asked[key] = now

    def boot(self) -> str:
        """The boot id of the conversation; empty before it began."""
        return self.hello.words.get("boot", "") if self.hello else ""

    def speaks_ours(self) -> bool:
        """Does the firmware speak this program's protocol?"""
        return self.hello is not None and self.hello.number("proto") == PROTOCOL

    def take(self, line: Line, now: float) -> list[Sighting]:
        """What one line means. `now`: monotonic seconds when its last byte was received."""
        board_ms = line.number("t")
        if board_ms is None or line.number("n") is None:
            self.early += 1
            return []
        if line.verb == "hello":
            return self._hello(line, now, board_ms)
        if self.hello is None:
            self.early += 1
            return []
        self._count(line)
        if line.verb == "time":
            self._clock(line, now, board_ms)
            return []
        self._offset = min(self._offset, now - board_ms / 1000)
        at = board_ms / 1000 + self._offset
        if now - at > STALE_S:
            self.stale += 1
            return []
        return self._act(line, at)

    def _hello(self, line: Line, now: float, board_ms: int) -> list[Sighting]:
        if line.words.get("k") == self.key:
            if self.hello is None:
                self.hello = line
                self._next = None
                self._offset = now - board_ms / 1000
                self.dim = line.number("dim") or 0
                self._count(line)
        elif self.hello is not None and line.words.get("boot") != self.boot():
            self.restarted = True
        else:
            self.early += self.hello is None
        return []

    def _count(self, line: Line) -> None:
        number = (line.number("n") or 0) & 0xFFFF
        if self._next is not None:
            self.lost += (number - self._next) & 0xFFFF if number != self._next else 0
        self._next = (number + 1) & 0xFFFF

    def _clock(self, line: Line, now: float, board_ms: int) -> None:
        sent = self._asked.pop(line.words.get("k", ""), None)
        if sent is not None and now - sent < TRUSTED_ROUND_TRIP_S:
            self._offset = now - board_ms / 1000

    def _act(self, line: Line, at: float) -> list[Sighting]:
        match line.verb:
            case "inv":
                return self._inventory(line, at)
            case "tag":
                self._tag(line)
            case "gone":
                self._gone(line)
            case "btn":
                if line.number("down") == 1 and line.words.get("name"):
                    return [Press(at, self.reader, line.words["name"])]
            case "scan":
                self._statistics(line)
            case "fault":
                self._fault(line)
            case "beat":
                self.dim = line.number("dim") or 0
                self.board_lost = line.number("lost") or 0
                self.board_bad = line.number("bad") or 0
                volts = line.number("mv")
                self.battery_mv = volts if volts is not None and volts >= 0 else None
            case "config":
                self.configured = "ok" if line.number("ok") == 1 else line.words.get("why", "?")
            case _:
                pass  # a newer firmware may say more
        return []

    def _state(self, line: Line) -> AntennaState | None:
        antenna = line.number("ant")
        if antenna is None or not 0 <= antenna < self.antennas:
            return None
        return self.states.setdefault(antenna, AntennaState())

    def _inventory(self, line: Line, at: float) -> list[Sighting]:
        state = self._state(line)
        antenna = line.number("ant")
        named = line.words.get("tags", "")
        uids = [] if named == "-" else named.split(",")
        if state is None or antenna is None or not all(_is_uid(uid) for uid in uids):
            return []
        scans = min(max(line.number("scans") or 1, 1), 1000)
        tags = []
        for uid in uids:
            tag = state.tags.get(uid)
            if tag is None:
                self.wants_tags = True
                tag = TagRead(uid, certain=False)
            tags.append(tag)
        ok, chip_ok = line.number("ok") == 1, state.fault is None
        return [Inventory(at, self.reader, antenna, tuple(tags), ok, scans, chip_ok)]

    def _tag(self, line: Line) -> None:
        state = self._state(line)
        uid = line.words.get("uid", "")
        if state is None or not _is_uid(uid):
            return
        try:
            sak = int(line.words.get("sak", ""), 16)
            data = line.words.get("data")
            memory = None if data is None else bytes.fromhex(data)
        except ValueError:
            return
        state.tags[uid] = tag_read(uid, sak, memory, line.number("unread") == 1)

    def _gone(self, line: Line) -> None:
        state = self._state(line)
        if state is not None:
            state.tags.pop(line.words.get("uid", ""), None)

    def _statistics(self, line: Line) -> None:
        state = self._state(line)
        if state is not None:
            state.scans += line.number("rounds") or 0
            state.reads += line.number("reads") or 0
            state.failures += line.number("fails") or 0
            state.scan_ms = (line.number("us") or 0) / 1000

    def _fault(self, line: Line) -> None:
        state = self._state(line)
        what = line.words.get("what")
        if state is not None:
            state.fault = None if what == "none" else what


def _is_uid(text: str) -> bool:
    return len(text) // 2 in SIZES and len(text) % 2 == 0 and all(c in "0123456789ABCDEF" for c in text)
