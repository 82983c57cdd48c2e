"""The hall at one moment: what its pages show, from what tables published last.

The board is to the hall's pages what a table is to a table's (host/face.py): `view`, `version`,
`listen`. Everything that comes from a table is looked at before it is used: a table of another version,
or one that lies, spoils its own row at most.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from engine.game import Audience
from host.hall.wire import Json, pack, unpack
from host.listeners import Listeners

#: seconds between two publications; with many tables a view is large, so they are rarer
TICK_S: Final = 1.0
#: seconds without a word after which a table that did not say goodbye is called silent
SILENT_S: Final = 60.0
#: seconds after which a question that nobody answers is worth a look
QUESTION_S: Final = 180.0
#: seconds within which two tables with one account have come in turn, and for which that is shown
SHARED_S: Final = 300.0
#: running duels that the big screen goes round
DUELS: Final = 8
#: most tables on a board: a bound for memory
MOST_TABLES: Final = 20_000
_TEXT: Final = 200


@dataclass(slots=True)
class Seen:
    """What the hall makes of a table's View. The View itself is kept as it came, in bytes: four hundred of
    them as objects are more than half a million, and Python's collector goes through all of them, over and
    over, while events wait."""

    raw: bytes = b""
    #: the match's game, seats, leaders …; the running duels; what somebody should look at
    shown: Json = field(default_factory=dict)
    duels: list[Json] = field(default_factory=list)
    alarms: list[Json] = field(default_factory=list)
    #: the open questions: their words and since when (the table's Unix seconds), and when that was so
    questions: list[tuple[str, float]] = field(default_factory=list)
    at: float = 0.0
    #: has the match ended, and with which entry
    over: bool = False
    seq: int | None = None


@dataclass(slots=True)
class Row:
    """One table as it was last heard of; times are this hall's Unix seconds."""

    seen: Seen = field(default_factory=Seen)
    health: Json = field(default_factory=dict)
    heard: float = 0.0
    #: which start of the table (its `boot`), and what to add to that one's monotonic seconds for this hall's
    #: Unix seconds; None before it has said so itself
    clock: tuple[str, float] | None = None
    #: the journals that it spoke of last, the newer behind, and since when; from and until when two tables
    #: are taken to use its account
    journals: tuple[Any, Any] = (None, None)
    changed: float = 0.0
    shared: tuple[float, float] = (0.0, 0.0)
    gone_since: float | None = None


class Board:
    """The board. `start` makes it publish; safe to call from any thread."""

    #: a hall is no virtual table, has no zones to set up and no language of its own (host.face.Table)
    virtual = None
    workshop = None
    feedback = None

    def __init__(self, name: str = "", clock: Callable[[], float] = time.time) -> None:
        self.name = name
        self._clock = clock
        self._boot = f"{clock():.6f}"
        self._rows: dict[str, Row] = {}
        self._calls: list[Json] = []
        self._played = 0
        self._version = 1
        self._dirty = False
        self._made: tuple[int, Json] = (0, {})
        self._lock = threading.RLock()
        self._listeners = Listeners()
        self._stop = threading.Event()
        self._hurry = threading.Event()
        self._troubles: Callable[[], list[Json]] = list
        self._thread = threading.Thread(target=self._run, name="hall-board", daemon=True)

    def start(self, troubles: Callable[[], list[Json]] = list) -> None:
        """Begins to publish changes; `troubles` says what people should know of broker and database:
        {"kind": "broker" | "database", "detail": …}."""
        self._troubles = troubles
        self._thread.start()

    def stop(self) -> None:
        """Ends the publishing."""
        self._stop.set()
        self._hurry.set()
        self._thread.join(2.0)

    # -- what comes in -----------------------------------------------------------------------------

    def hear(self, table: str, leaf: str, value: Json, raw: bytes = b"", fresh: bool = True) -> None:
        """A table's view or health; `raw`: as it came; `fresh`: said now, and not kept by the broker."""
        seen = _seen(value, raw or pack(value)) if leaf == "view" else None
        with self._lock:
            row = self._rows.get(table)
            if row is None:
                if len(self._rows) >= MOST_TABLES:
                    return
                row = self._rows[table] = Row()
            now = self._clock()
            if seen is not None:
                row.seen, row.heard = seen, now
            elif leaf == "health":
                gone = value.get("state") == "gone"
                # The last will knows no more than that the table is gone.
                known = {key: one for key, one in value.items() if one is not None}
                row.health = {**row.health, **known} if gone else value
                row.gone_since = (row.gone_since or now) if gone else None
                row.heard = row.heard if gone else now
                if fresh and not gone:
                    row.clock = _clock(value, now) or row.clock
                    _look_for_a_twin(row, value.get("journal"), now)
                self._hurry.set()
            self._dirty = True

    def calls(self, open_calls: list[Json]) -> None:
        """The open calls for a judge, from the database."""
        with self._lock:
            if open_calls != self._calls:
                self._calls = open_calls
                self._dirty = True
                self._hurry.set()

    def played(self) -> None:
        """There are new records: schedule and standings may have changed."""
        with self._lock:
            self._played += 1
            self._dirty = True

    def touch(self) -> None:
        """Something else that the pages show has changed."""
        self._dirty = True
        self._hurry.set()

    # -- what goes out -----------------------------------------------------------------------------

    def over(self, table: str, journal: str, upto: int) -> bool:
        """Has this table's match ended, as its newest view says, not later than entry `upto`?"""
        with self._lock:
            row = self._rows.get(table)
            if row is None or row.health.get("journal") not in (None, journal):
                return False
            return row.seen.over and row.seen.seq is not None and row.seen.seq <= upto

    def clock(self, table: str) -> tuple[str, float] | None:
        """Which start of a table it speaks of (`boot`), and what to add to that one's monotonic seconds for
        this hall's Unix seconds; None where the table has not said so yet."""
        with self._lock:
            row = self._rows.get(table)
            return row.clock if row else None

    def version(self) -> int:
        """See host.face.Table."""
        return self._version

    def listen(self, changed: Callable[[int], None]) -> Callable[[], None]:
        """See host.face.Table."""
        return self._listeners.add(changed)

    def view(self, audience: Audience) -> Json:
        """The hall's View, the same for everybody: docs/hall.md."""
        with self._lock:
            if self._made[0] != self._version:
                self._made = (self._version, self._make())
            return self._made[1]

    def language(self) -> str:
        """See host.face.Table: the reader's alone counts here."""
        return ""

    def asking(self) -> bool:
        """See host.face.Table: its tables ask."""
        return False

    def table(self, name: str) -> Json | None:
        """The whole View that a table published last; None where there is none."""
        with self._lock:
            row = self._rows.get(name)
        return unpack(row.seen.raw) if row else None

    def _make(self) -> Json:
        now = self._clock()
        rows: list[Json] = []
        duels: list[Json] = []
        for name in sorted(self._rows, key=_order):
            row = self._rows[name]
            label = _text(row.health.get("label"))
            shown = {"table": name, "label": label or name, "game": None, **row.seen.shown}
            if row.gone_since is None:
                duels += [{"table": name, "label": label, **duel} for duel in row.seen.duels]
            calls = [c for c in self._calls if c["table"] == name]
            alarms = [{"kind": "judge", "text": c["text"], **_call(c)} for c in calls] + _alarms(row, now)
            state = _state(row, now)
            rows.append({**shown, "heard": row.heard, "at": row.heard, "state": state, "alarms": alarms})
        duels.sort(key=lambda d: -d["value"])
        return {
            "version": self._version,
            "seq": self._version,
            "boot": self._boot,
            "at": now,
            "name": self.name,
            "troubles": self._troubles(),
            "played": self._played,
            "tables": rows,
            "duels": duels[:DUELS],
        }

    def _run(self) -> None:
        while not self._stop.is_set():
            self._hurry.wait(TICK_S)
            hurried = self._hurry.is_set()
            self._hurry.clear()
            # Time alone makes a table silent and a question old, so the board is new once a tick anyway
            # where anybody looks; an alarm does not wait for the tick.
            with self._lock:
                if not (self._dirty or self._listeners):
                    continue
                self._dirty = False
                self._version += 1
                version = self._version
            self._listeners.tell(version)
            if hurried:
                self._stop.wait(0.2)


@lru_cache(maxsize=MOST_TABLES)
def _order(name: str) -> tuple[str | int, ...]:
    """By number where names have one: t9 before t10, also where they have different widths."""
    return tuple(int(part) if i % 2 else part for i, part in enumerate(re.split(r"([0-9]+)", name)))


def _state(row: Row, now: float) -> str:
    if row.gone_since is not None:
        return "gone"
    return "here" if now - row.heard < SILENT_S else "silent"


def _clock(health: Json, now: float) -> tuple[str, float] | None:
    """What a table's health says of its clock."""
    boot, mono = health.get("boot"), health.get("mono")
    return (boot, now - mono) if isinstance(boot, str) and isinstance(mono, (int, float)) else None


def _look_for_a_twin(row: Row, journal: Any, now: float) -> None:
    """Where the journal comes back that was here before the last one, two tables speak with one account, in
    turn; where a new one comes, somebody has begun anew."""
    if journal is None or journal == row.journals[1]:
        return
    if journal == row.journals[0] and now - row.changed < SHARED_S:
        row.shared = (row.shared[0] if now < row.shared[1] else now, now + SHARED_S)
    row.journals, row.changed = (row.journals[1], journal), now


def _call(call: Json) -> Json:
    return {"at": call["at"], "journal": call["journal"], "seq": call["seq"]}


def _alarms(row: Row, now: float) -> list[Json]:
    """What somebody should look at: as the table's own view says, and because it is away or waits for an
    answer too long; `at` in Unix seconds."""
    state = _state(row, now)
    if state != "here":
        why = "stopped" if row.health.get("why") == "stopped" else state
        return [{"kind": why, "text": "", "at": row.gone_since or row.heard}]
    found = [{"at": row.heard, **alarm} for alarm in row.seen.alarms]
    if now < row.shared[1]:
        found.append({"kind": "shared", "text": "", "at": row.shared[0]})
    for text, since in row.seen.questions:
        if row.seen.at - since + (now - row.heard) > QUESTION_S:
            found.append({"kind": "question", "text": text, "at": since})
    return found


def _seen(view: Json, raw: bytes) -> Seen:
    """What the hall needs of a table's View."""
    game, match = view.get("game"), view.get("match")
    if not isinstance(game, dict):
        game = {}
    alarms: list[Json] = []
    for banner in _dicts(view.get("banner")):
        if banner.get("level") == "red":
            alarms.append({"kind": "disk", "text": _text(banner.get("text"))})
    for device in _dicts(view.get("devices")):
        if device.get("state") == "lost" and device.get("kind") in ("reader", "camera"):
            text = _text(device.get("id"))
            alarms.append({"kind": "device", "text": text, "at": _number(device.get("since"))})
    events = _dicts(view.get("events"))
    text = _text(events[0].get("text")) if events else ""
    seen = Seen(raw, {"text": text}, [], alarms)
    seen.questions = [(_text(q.get("text")), _number(q.get("since"))) for q in _dicts(view.get("questions"))]
    seen.at, seen.seq = _number(view.get("at")), _whole(view.get("seq"))
    if isinstance(match, dict):
        seen.over = match.get("over") is True
        seats = _seats(view, game)
        seen.duels = _duels(game, seats)
        seen.shown |= _shown(game, match, seats, seen.duels)
    return seen


def _shown(game: Json, match: Json, seats: list[Json], duels: list[Json]) -> Json:
    """What of a running match the hall shows."""
    winners = game.get("winners")
    return {
        "game": _text(match.get("game")),
        "turn": _whole(game.get("turn")),
        "turns": _whole(game.get("turns")),
        "phase": _text(game.get("phase")),
        "elapsed": _number(match.get("elapsed")),
        "paused": match.get("paused") is True,
        "over": match.get("over") is True,
        "virtual": match.get("virtual") is True,
        "seats": seats,
        "leaders": _leaders(seats),
        "winners": [w for w in winners if type(w) is int] if isinstance(winners, list) else [],
        "hot": max((d["value"] for d in duels), default=None),
    }


def _seats(view: Json, game: Json) -> list[Json]:
    """Each seat with its name, house and what counts: its cards, at Anthem the cards it has laid."""
    counts: dict[Any, int | None] = {}
    sets: dict[Any, str | None] = {}
    for seat in _dicts(game.get("seats")):
        layout = seat.get("layout")
        laid = sum(card is not None for card in layout) if isinstance(layout, list) else None
        sets[_whole(seat.get("seat"))] = _text(seat.get("set")) or None
        counts[_whole(seat.get("seat"))] = _whole(seat.get("cards")) if laid is None else laid
    return [
        {
            "seat": _whole(seat.get("seat")),
            "name": _text(seat.get("name")),
            "house": _text(seat.get("house")) or sets.get(_whole(seat.get("seat"))),
            "count": counts.get(_whole(seat.get("seat"))),
        }
        for seat in _dicts(view.get("seats"))[:9]
    ]


def _leaders(seats: list[Json]) -> list[Any]:
    """The seats with the most cards; nobody while all have the same."""
    counts = [s["count"] for s in seats if s["count"] is not None]
    if not counts or len(set(counts)) == 1:
        return []
    return [s["seat"] for s in seats if s["count"] == max(counts)]


def _duels(game: Json, seats: list[Json]) -> list[Json]:
    """The running duels whose field is open, as the big screen shows them."""
    names = {s["seat"]: s for s in seats}
    found = []
    for duel in _dicts(game.get("duels")):
        field_ = duel.get("field")
        sides = [names.get(_whole(duel.get(side))) for side in ("attacker", "defender")]
        if not isinstance(field_, dict) or None in sides or _whole(field_.get("value")) is None:
            continue
        steps = [
            {
                "card": _text(step.get("card")),
                "by": _whole(step.get("by")),
                "sum": _text(step.get("sum")),
                "value": _whole(step.get("value")),
            }
            for step in _dicts(duel.get("steps"))[-12:]
        ]
        found.append(
            {
                "sides": sides,
                "owner": _whole(field_.get("owner")),
                "value": field_["value"],
                "to_play": _whole(duel.get("to_play")),
                "turn": _whole(game.get("turn")),
                "turns": _whole(game.get("turns")),
                "steps": steps,
            }
        )
    return found


def _dicts(value: Any) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value[:_TEXT] if isinstance(value, str) else ""


def _whole(value: Any) -> int | None:
    return value if type(value) is int else None


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
