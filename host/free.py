"""A free table, which anybody may walk up to: when its screen invites, when a card begins a match, how
long and how much it has been played. Called by the table's thread only, between two items."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from engine.whole import write_whole
from host.core import Core
from host.entry import Json
from host.face import Outcome, Who
from host.newmatch import begin

log = logging.getLogger(__name__)

#: seconds without anything happening after which an open match counts as left, unless set otherwise
AFTER = 120.0
SHORTEST, LONGEST = 10.0, 3600.0
#: seconds for which a winner stays on the screen
AFTER_END = 30.0
#: seconds without crown and cards after which the table counts as cleared
CLEARED = 20.0
#: seconds between two writings of the counters
SAVE = 60.0
#: what happens of itself and is no sign of people
QUIET_KINDS = ("device", "boot")
PLAYS = ("play", "intervene", "lay")


@dataclass(slots=True)
class Counters:
    """How long (seconds) the table has run and how much was played on it since `since` (Unix seconds)."""

    since: float = 0.0
    seconds: float = 0.0
    matches: int = 0
    plays: int = 0


@dataclass(slots=True)
class FreeTable:
    """The switch, the watch and the counters of one table. `on`: its screens invite while it is idle,
    and a card laid on a finished table begins a match; `after`: seconds of quiet until it is idle."""

    path: Path
    on: bool = False
    after: float = AFTER
    counters: Counters = field(default_factory=Counters)
    idle: bool = True
    _match: int = 0
    _seq: int = -1
    _active: float = 0.0
    _ticked: float | None = None
    _saved: float = 0.0
    _rested: bool = False
    _cleared: bool = False
    #: whether nobody played a match here when the table last looked: before the sighting at hand
    _was_finished: bool = True
    _lying: frozenset[str] = frozenset()

    @staticmethod
    def open(folder: Path) -> FreeTable:
        """The free table of a data folder; one that can't be read begins anew, and the log says so."""
        free = FreeTable(folder / "free.json")
        try:
            kept = json.loads(free.path.read_text(encoding="utf-8"))
            free.on, free.after = bool(kept["on"]), _bounded(kept["after"])
            was = kept["counters"]
            counted = (float(was["since"]), float(was["seconds"]), int(was["matches"]), int(was["plays"]))
            free.counters = Counters(*counted)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("%s can't be read (%s); the counters begin anew", free.path, error)
        return free

    def set(self, command: Json, wall: float) -> Outcome:
        """`{"cmd": "attract", "on", "after"}`, `{"cmd": "count-anew"}`."""
        if command.get("cmd") == "count-anew":
            self.counters = Counters(since=wall)
            self.save()
            return Outcome(True, "The counters begin anew.")
        on, after = command.get("on", self.on), command.get("after", self.after)
        if not isinstance(on, bool) or isinstance(after, bool) or not isinstance(after, int | float):
            return Outcome(False, "The command 'attract' takes on (true or false) and after (seconds).")
        self.on, self.after = on, _bounded(after)
        self.save()
        text = "The screens invite while nobody plays." if on else "The screens no longer invite."
        return Outcome(True, text)

    def view(self, core: Core, operator: bool) -> Json:
        """A View's `free`; the counters are the operator's."""
        seen: Json = {"on": self.on, "after": self.after, "idle": self.idle, "game": core.layout.game}
        return {**seen, "counters": asdict(self.counters)} if operator else seen

    def tick(self, core: Core) -> bool:
        """Looks whether people are there. True where the screens should change."""
        now = core.clocks.mono()
        self._count(core, now)
        newest = next((e.seq for e in reversed(core.events) if e.kind not in QUIET_KINDS), 0)
        if newest != self._seq:
            self._active = now if self._seq >= 0 else now - self.after
            self._seq = newest
        begun = core.match.begun.seq if core.match else 0
        if begun != self._match:
            self._match, self._rested = begun, False
        self._cleared = self._is_cleared(core, now)
        self._was_finished = self.finished(core)
        was, self.idle = self.idle, self._is_idle(core, now)
        return was != self.idle

    def finished(self, core: Core) -> bool:
        """Whether nobody plays a match here: none, an ended one, or the table was cleared."""
        return core.match is None or core.match.over or self._cleared

    def card_laid(self, core: Core) -> bool:
        """After a sighting: a card newly laid on a free table begins a match. True where one began. The card
        that ended the match is none: its winner is to be seen first."""
        was, self._was_finished = self._was_finished, self.finished(core)
        lying = frozenset(str(card) for _, _, card, _ in core.tracker.cards() if card is not None)
        fresh, self._lying = lying - self._lying - {"crown"}, lying
        setting_up = core.enrolment is not None or core.zone_setup is not None
        if not (fresh and self.on and was and self._was_finished) or setting_up:
            return False
        if not begin(core, {"cmd": "new-match"}, Who("table")).ok or core.match is None:
            return False
        # Where the first deed is a card and not a roll, the card that lies there is that deed.
        if not core.match.public().get("awaiting_rolls"):
            core.use_layout(core.layout)
            self._lying = frozenset()
        return True

    def _is_idle(self, core: Core, now: float) -> bool:
        quiet = now - self._active
        if core.match is None or self._cleared:
            return True
        return quiet >= (AFTER_END if core.match.over else self.after)

    def _is_cleared(self, core: Core, now: float) -> bool:
        """Field spots are bare time and again in a duel; crown rests and places that were in use are
        bare only before and after a match."""
        at = {zone for zone, _, card, _ in core.tracker.cards() if card is not None}
        lying = {zone.kind for zone in core.layout.zones if zone.id in at} if at else set()
        self._rested |= bool(lying & {"crown", "place"})
        return self._rested and not lying and now - self._active >= CLEARED

    def _count(self, core: Core, now: float) -> None:
        """Adds what has gone by since the last tick."""
        if self._ticked is None:
            self._saved = now
            self.counters.since = self.counters.since or core.clocks.wall()
        else:
            self.counters.seconds += max(0.0, now - self._ticked)
            for entry in takewhile(lambda e: e.seq > self._seq, reversed(core.events)):
                self.counters.matches += entry.kind == "match"
                played = entry.kind == "action" and entry.ok and entry.action is not None
                self.counters.plays += bool(played and entry.action and entry.action.get("do") in PLAYS)
        self._ticked = now
        if now - self._saved >= SAVE:
            self._saved = now
            self.save()

    def save(self) -> None:
        """Keeps it. What the disk does not take is logged; the next minute tries again."""
        fields: dict[str, Any] = {"on": self.on, "after": self.after, "counters": asdict(self.counters)}
        try:
            write_whole(self.path, json.dumps(fields))
        except OSError as error:
            log.warning("%s could not be written: %s", self.path, error)


def _bounded(after: Any) -> float:
    """Seconds within reason, whatever was asked for."""
    return min(LONGEST, max(SHORTEST, float(after)))
