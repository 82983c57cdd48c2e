"""Settling: a roll as a state machine over the readings of successive frames. Pure and deterministic.

A roll counts only where it was awaited (`expect`), from frames captured after the request, once the
die has been thrown (it lies elsewhere or otherwise than before), the picture has come to rest, and N
frames agree on its face. Then it is locked: what happens to the die afterwards is said (`Changed`), but
never becomes a second roll. Where the dice lie still but cannot be read, a `Doubt` asks for a hand entry.

    waiting --motion--> moving --rest--> agreeing --n frames, quiet s--> Rested (locked)
                           ^----------- motion ------------'

Frames come as `host.sighting.DiceFrame` or anything of its shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

Box = tuple[int, int, int, int]


class SeenDie(Protocol):
    """One die in one frame; `face` None when unsure, `why` says so."""

    @property
    def face(self) -> int | None: ...  # noqa: D102
    @property
    def colour(self) -> str | None: ...  # noqa: D102
    @property
    def box(self) -> Box: ...  # noqa: D102
    @property
    def confidence(self) -> float: ...  # noqa: D102
    @property
    def why(self) -> str | None: ...  # noqa: D102


class SeenFrame(Protocol):
    """All dice of one frame; `at` monotonic seconds of its capture, `moving` the motion gate's word."""

    @property
    def at(self) -> float: ...  # noqa: D102
    @property
    def frame(self) -> int: ...  # noqa: D102
    @property
    def moving(self) -> bool: ...  # noqa: D102
    @property
    def dice(self) -> Sequence[SeenDie]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class RestedDie:
    """A die at rest. `confidence` is the least of the agreeing frames."""

    face: int
    colour: str | None
    box: Box
    confidence: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a roll is believed: when it was asked for, when motion was last seen, the agreeing frames."""

    requested: float
    moved: float | None
    frames: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Moving:
    """The tray has begun to move."""

    at: float
    frame: int


@dataclass(frozen=True, slots=True)
class Rested:
    """Awaited dice came to rest. Told once for each die of each awaited roll."""

    at: float
    dice: tuple[RestedDie, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Changed:
    """A die at rest is otherwise than it was, and no roll of it was awaited."""

    at: float
    before: RestedDie | None
    after: RestedDie | None
    what: Literal["turned", "moved", "gone", "new"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A roll is awaited and the tray lies still, but this die has no sure number: ask for a hand entry.

    `why` is the detector's reason, or "not thrown": the die lies exactly as before the request.
    """

    at: float
    colour: str | None
    box: Box | None
    why: str


Event = Moving | Rested | Changed | Doubt


@dataclass(slots=True)
class _Track:
    """One place where a die lies since the tray last moved."""

    box: Box
    colours: dict[str, int] = field(default_factory=dict)
    face: int | None = None
    frames: list[tuple[int, float]] = field(default_factory=list)
    confidence: float = 1.0
    unsure: int = 0
    why: str = "unclear"
    missing: int = 0

    def colour(self) -> str | None:
        return max(self.colours, key=lambda name: self.colours[name]) if self.colours else None

    def rested(self) -> RestedDie | None:
        if self.face is None:
            return None
        return RestedDie(self.face, self.colour(), self.box, self.confidence)


@dataclass(slots=True)
class _Request:
    at: float
    colours: tuple[str, ...]
    doubted: set[tuple[str | None, str]] = field(default_factory=set)


class Settler:
    """Feeds on frames in order of capture; gives events. One for each tray (camera)."""

    def __init__(self, n: int = 4, quiet: float = 0.25, patience: float = 1.0) -> None:
        """`n` agreeing frames over at least `quiet` seconds settle a die; after `patience` seconds of
        rest without a sure number a `Doubt` is given."""
        if n < 2:
            raise ValueError("n must be at least 2")
        self._n, self._quiet, self._patience = n, quiet, patience
        self._tracks: list[_Track] = []
        self._memory: list[RestedDie] = []
        self._gone: list[RestedDie] = []
        self._known = False  # whether the tray has been seen at rest at all
        self._moving = False
        self._moved: float | None = None
        self._still: float | None = None
        self._last = float("-inf")
        self._request: _Request | None = None

    @property
    def awaiting(self) -> tuple[str, ...] | None:
        """The colours still awaited; () for any die; None while no roll is awaited."""
        return None if self._request is None else self._request.colours

    def expect(self, at: float, colours: tuple[str, ...] = ()) -> None:
        """A roll is asked for at monotonic second `at`; only frames captured later count. `colours`
        names the dice (each is told as it rests); () takes whatever is thrown, as one roll."""
        self._request = _Request(at, tuple(colours))
        self._tracks = []
        self._still = None

    def narrow(self, colours: Iterable[str]) -> None:
        """Of the awaited colours only these still are (the others' faces were entered by hand)."""
        if self._request is not None and self._request.colours:
            left = tuple(name for name in self._request.colours if name in set(colours))
            if left:
                self._request.colours = left
            else:
                self.cancel()

    def cancel(self) -> None:
        """The roll is no longer awaited (entered by hand, undone)."""
        self._request = None

    def feed(self, frame: SeenFrame) -> list[Event]:
        """The next frame. Frames not newer than the last one, or than the request, are passed over."""
        if frame.at <= self._last:
            return []
        self._last = frame.at
        if self._request is not None and frame.at <= self._request.at:
            return []
        if frame.moving:
            began = not self._moving
            self._moving, self._moved, self._still = True, frame.at, None
            self._tracks = []
            return [Moving(frame.at, frame.frame)] if began else []
        self._moving = False
        if self._still is None:
            self._still = frame.at
        self._follow(frame)
        return self._judge(frame.at)

    # -- following dice from frame to frame --------------------------------------------------------

    def _follow(self, frame: SeenFrame) -> None:
        free = list(self._tracks)
        for die in frame.dice:
            track = next((one for one in free if _overlap(one.box, die.box) > 0.4), None)
            if track is None:
                track = _Track(die.box)
                self._tracks.append(track)
            else:
                free.remove(track)
            track.missing = 0
            if die.colour is not None:
                track.colours[die.colour] = track.colours.get(die.colour, 0) + 1
            if die.face is None:
                track.unsure += 1
                track.why = die.why or "unclear"
                continue
            if die.face != track.face or _overlap(track.box, die.box) < 0.7:
                track.face, track.frames, track.confidence = die.face, [], 1.0
            track.box = die.box
            track.frames.append((frame.frame, frame.at))
            track.confidence = min(track.confidence, die.confidence)
        for track in free:
            track.missing += 1
        self._tracks = [track for track in self._tracks if track.missing < self._n]

    def _settled(self, track: _Track) -> bool:
        frames = track.frames
        return track.missing == 0 and len(frames) >= self._n and frames[-1][1] - frames[0][1] >= self._quiet

    # -- judging -----------------------------------------------------------------------------------

    def _judge(self, now: float) -> list[Event]:
        assert self._still is not None
        long_still = now - self._still >= self._patience
        settled = [track for track in self._tracks if self._settled(track)]
        restless = len(settled) < len(self._tracks)
        if not self._known:
            if (restless and not long_still) or now - self._still < self._quiet:
                return []
            if self._request is None or not self._thrown_unseen():
                self._known = True
                self._memory = [die for track in settled if (die := track.rested())]
                return []
            self._known = True
        events: list[Event] = []
        if self._request is not None:
            events += self._judge_roll(now, settled, restless, long_still)
        if not restless or long_still:
            events += self._judge_changes(now, settled, long_still)
        return events

    def _thrown_unseen(self) -> bool:
        """Nothing is known of the tray before the request: only motion since then shows a throw."""
        return self._request is not None and self._moved is not None and self._moved > self._request.at

    def _judge_roll(self, now: float, settled: list[_Track], restless: bool, long_still: bool) -> list[Event]:
        request = self._request
        assert request is not None
        wanted = [track for track in settled if self._wants(track.colour())]
        thrown = [track for track in wanted if not self._unmoved(track)]
        events: list[Event] = []
        whole = bool(request.colours) or not restless
        if thrown and whole:
            dice = [die for track in thrown if (die := track.rested())]
            frames = sorted({seen for track in thrown for seen in track.frames[: self._n]})
            events.append(Rested(now, tuple(dice), Evidence(request.at, self._moved, tuple(frames))))
            for track in thrown:
                self._lock(track)
            told = {die.colour for die in dice}
            left = tuple(name for name in request.colours if name not in told)
            if left:
                request.colours = left
            else:
                self._request = None
            return events
        if long_still and self._moved is not None and self._moved > request.at:
            events += self._doubts(now, request, wanted)
        return events

    def _doubts(self, now: float, request: _Request, wanted: list[_Track]) -> list[Event]:
        found: list[Doubt] = []
        for track in self._tracks:
            if self._wants(track.colour()) and not self._settled(track) and track.unsure:
                found.append(Doubt(now, track.colour(), track.box, track.why))
        found += [
            Doubt(now, track.colour(), track.box, "not thrown") for track in wanted if self._unmoved(track)
        ]
        found += self._nameless(now, request)
        fresh = [doubt for doubt in found if (doubt.colour, doubt.why) not in request.doubted]
        request.doubted.update((doubt.colour, doubt.why) for doubt in fresh)
        return list(fresh)

    def _nameless(self, now: float, request: _Request) -> list[Doubt]:
        """Unreadable dice whose colour cannot be told either (glare): where there are as many as
        colours still missing, they are those; with fewer, whose they are is not known."""
        seen = {track.colour() for track in self._tracks}
        missing = [colour for colour in request.colours if colour not in seen]
        strange = [
            track
            for track in self._tracks
            if track.unsure and not self._settled(track) and not self._wants(track.colour())
        ]
        if not strange or not missing:
            return []
        names: list[str | None] = [*missing] if len(strange) >= len(missing) else [None]
        return [Doubt(now, name, strange[0].box, strange[0].why) for name in names]

    def _wants(self, colour: str | None) -> bool:
        request = self._request
        return request is not None and (not request.colours or colour in request.colours)

    def _unmoved(self, track: _Track) -> bool:
        """Whether the die shows its last face within a die's width of its last place: that is a
        nudge, or nothing at all, and no throw."""
        now = track.rested()
        return now is not None and any(_as_before(die, now) for die in [*self._memory, *self._gone])

    def _lock(self, track: _Track) -> None:
        die = track.rested()
        if die is None:
            return
        colour = die.colour
        self._memory = [one for one in self._memory if one.colour != colour or self._lies(one)]
        self._memory = [one for one in self._memory if _overlap(one.box, die.box) < 0.4]
        self._gone = [one for one in self._gone if one.colour != colour]
        self._memory.append(die)

    def _lies(self, die: RestedDie) -> bool:
        return any(_overlap(track.box, die.box) > 0.4 for track in self._tracks)

    def _judge_changes(self, now: float, settled: list[_Track], long_still: bool) -> list[Event]:
        events: list[Event] = []
        fresh = []
        for track in settled:
            die = track.rested()
            if die is None or (self._wants(die.colour) and not self._unmoved(track)):
                continue
            same = next((one for one in self._memory if _overlap(one.box, die.box) > 0.8), None)
            if same is not None and same.face == die.face:
                continue
            fresh.append((die, same))
        for die, same in fresh:
            before = same or self._vanished(die.colour)
            if before is None:
                before = self._gone_die(die)
            if before is not None and before in self._gone and _as_before(before, die):
                # A hand lay over it: nothing has changed.
                self._gone.remove(before)
                self._memory.append(die)
                continue
            what: Literal["turned", "moved", "new"] = "new"
            if before is not None:
                what = "turned" if before.face != die.face else "moved"
                self._memory = [one for one in self._memory if one is not before]
                self._gone = [one for one in self._gone if one is not before]
            events.append(Changed(now, before, die, what))
            self._memory.append(die)
        if long_still:
            for die in [one for one in self._memory if not self._lies(one)]:
                self._memory.remove(die)
                self._gone.append(die)
                if not self._wants(die.colour):
                    events.append(Changed(now, die, None, "gone"))
        return events

    def _gone_die(self, die: RestedDie) -> RestedDie | None:
        """The same die before it went: where it went from if it is back there, else by colour."""
        back = next((one for one in self._gone if _as_before(one, die)), None)
        return back or next((one for one in self._gone if one.colour == die.colour), None)

    def _vanished(self, colour: str | None) -> RestedDie | None:
        """The die of that colour which no longer lies where it was."""
        return next((one for one in self._memory if one.colour == colour and not self._lies(one)), None)


def _as_before(before: RestedDie, now: RestedDie) -> bool:
    """The same face, the same colour, and less than a die's width away."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = before.box, now.box
    dx, dy = ax + aw / 2 - bx - bw / 2, ay + ah / 2 - by - bh / 2
    near = dx * dx + dy * dy < min(aw, ah, bw, bh) ** 2
    return near and before.face == now.face and before.colour == now.colour


def _overlap(a: Box, b: Box) -> float:
    """Intersection over union of two boxes, 0 to 1."""
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    both = w * h
    return both / (a[2] * a[3] + b[2] * b[3] - both)
