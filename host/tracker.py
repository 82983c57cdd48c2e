"""The tracker: many sightings in, few judgements out.

One missed read is never a removal; flicker never repeats an arrival; one tag in two zones is a doubt,
not two cards. Pure and deterministic given the sightings, so that a recorded trace replays, also with
other thresholds.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from host.layout import Layout, Zone
from host.settled import (
    CardArrived,
    CardDoubt,
    CardLeft,
    CardState,
    DeviceChanged,
    Pressed,
    Settled,
    ZoneRate,
    ZoneTrouble,
)
from host.sighting import Health, Inventory, Press, Sighting, TagRead

#: scans with a card there over which a zone's success rate is taken
RATE_WINDOW = 40
#: misses in a row after which a card that lies there is called uncertain
UNCERTAIN_MISSES = 2
#: reads in a doubt after which a clearly stronger zone takes the card over (F09)
DOUBT_READS = 8
#: reads in a doubt, in each of two zones, and the share of scans there, that mean two tags with one number
TWIN_READS, TWIN_RATE = 20, 0.8
#: how unlikely a run of misses must be, at the zone's own success rate, before it is a removal (F07)
BY_CHANCE = 1e-4
#: misses in a row that are a removal however badly a zone reads
MOST_MISSES = 60


@dataclass(slots=True)
class _Presence:
    """One tag at one zone, from its first read until it is gone."""

    uid: str
    card: str | None
    why: str | None
    first: float
    last: float
    reads: int = 0
    scans: int = 0
    misses: int = 0
    missed_sightings: int = 0
    arrived: bool = False
    doubted: bool = False
    twins: bool = False
    reads_in_doubt: int = 0
    scans_in_doubt: int = 0

    def is_steady(self) -> bool:
        """Whether it has been read since the doubt began as a tag is that lies there by itself."""
        enough = self.reads_in_doubt >= TWIN_READS
        return enough and self.reads_in_doubt >= TWIN_RATE * self.scans_in_doubt


@dataclass(frozen=True, slots=True)
class Doubt:
    """A tag that is read in two zones now (F09); `twins` as in CardDoubt."""

    card: str | None
    kept: str
    other: str
    twins: bool


@dataclass(slots=True)
class _ZoneState:
    zone: Zone
    present: dict[str, _Presence] = field(default_factory=dict)
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=RATE_WINDOW))
    weak: bool = False
    failed: int = 0
    failing_since: float = 0.0
    trouble: Literal["overlap", "silent"] | None = None
    failing_as: Literal["overlap", "silent"] = "overlap"

    def rate(self) -> float | None:
        return sum(self.recent) / len(self.recent) if self.recent else None


class Tracker:
    """Keeps what lies where. Feed it every sighting in the order of arrival."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._limits = layout.thresholds
        self._zones = {(z.reader, z.antenna): _ZoneState(z) for z in layout.zones}
        self._home: dict[str, _ZoneState] = {}
        self._lost: set[str] = set()

    def feed(self, sighting: Sighting) -> list[Settled]:
        """What this sighting settles; often nothing. Dice frames are host.dice's, not ours."""
        match sighting:
            case Inventory():
                return list(self._inventory(sighting))
            case Press():
                return [Pressed(sighting.at, sighting.device, sighting.button)]
            case Health():
                (self._lost.add if sighting.state == "lost" else self._lost.discard)(sighting.device)
                return [DeviceChanged(sighting.at, sighting)]
        return []

    def cards(self) -> list[tuple[str, str, str | None, CardState]]:
        """Every settled tag: zone id, UID, card id or None, and whether that is sure: it is `uncertain` while
        scans miss it, its zone can't be read, or another zone reads it too."""
        there = [(s, p) for s in self._zones.values() for p in s.present.values() if p.arrived]
        if not there:
            return []
        unread, doubted = self.unread(), {p.uid for _, p in self._doubted()}

        def state_of(state: _ZoneState, p: _Presence) -> CardState:
            unsure = p.misses >= UNCERTAIN_MISSES or state.zone.id in unread or p.uid in doubted
            return "uncertain" if unsure else "settled"

        return [(state.zone.id, p.uid, p.card, state_of(state, p)) for state, p in there]

    def doubts(self) -> list[Doubt]:
        """The tags that two zones read now."""
        return [
            Doubt(p.card, self._home[p.uid].zone.id, state.zone.id, p.twins) for state, p in self._doubted()
        ]

    def _doubted(self) -> list[tuple[_ZoneState, _Presence]]:
        return [
            (state, p)
            for state in self._zones.values()
            for p in state.present.values()
            if p.doubted and not p.arrived and p.uid in self._home
        ]

    def rates(self) -> dict[str, float | None]:
        """Each zone's share of recent scans, with a card there, that read it; None before any."""
        return {state.zone.id: state.rate() for state in self._zones.values()}

    def troubles(self) -> dict[str, Literal["overlap", "silent"]]:
        """The zones whose scans fail again and again, and as what (F03, F10)."""
        return {state.zone.id: state.trouble for state in self._zones.values() if state.trouble is not None}

    def unread(self) -> frozenset[str]:
        """The zones that can't be read now, also because their whole reader is lost."""
        zones = self._zones.values()
        return frozenset(s.zone.id for s in zones if s.trouble is not None or s.zone.reader in self._lost)

    def _inventory(self, scan: Inventory) -> Iterator[Settled]:
        state = self._zones.get((scan.reader, scan.antenna))
        if state is None:
            return
        yield from self._trouble(state, scan)
        read = {tag.uid: tag for tag in scan.tags}
        for tag in scan.tags:
            yield from self._read(state, tag, scan)
        if not scan.ok:
            return
        for presence in list(state.present.values()):
            if presence.uid not in read:
                yield from self._missed(state, presence, scan)
        yield from self._rate(state, scan.at)

    def _trouble(self, state: _ZoneState, scan: Inventory) -> Iterator[Settled]:
        """Scans that fail in a row: something in the field disturbs them, or the antenna is silent."""
        if scan.ok:
            state.failed = 0
            if state.trouble is not None:
                was, state.trouble = state.trouble, None
                yield ZoneTrouble(scan.at, state.zone.id, False, 0, 0, was)
            return
        kind: Literal["overlap", "silent"] = "overlap" if scan.reader_ok else "silent"
        if not state.failed or kind != state.failing_as:
            state.failed, state.failing_since, state.failing_as = 0, scan.at, kind
        state.failed += scan.scans
        ms = round((scan.at - state.failing_since) * 1000)
        limits = self._limits
        if state.trouble == kind or state.failed < limits.trouble_scans or ms < limits.trouble_ms:
            return
        state.trouble = kind
        yield ZoneTrouble(scan.at, state.zone.id, True, state.failed, ms, kind)

    def _read(self, state: _ZoneState, tag: TagRead, scan: Inventory) -> Iterator[Settled]:
        presence = state.present.get(tag.uid)
        if presence is None:
            presence = _Presence(tag.uid, tag.card, tag.why, scan.at, scan.at)
            state.present[tag.uid] = presence
        presence.reads += scan.scans
        presence.scans += scan.scans
        missed, presence.missed_sightings = presence.missed_sightings, 0
        presence.misses = 0
        presence.last = scan.at
        presence.card = tag.card or presence.card
        presence.why = tag.why or presence.why
        if presence.arrived:
            # Only now is it sure that the card lay there while it was missed.
            state.recent.extend([False] * missed + [True])
            presence.reads_in_doubt += scan.scans
            presence.scans_in_doubt += scan.scans
            return
        needed = self._limits.arrive_reads if presence.card else self._limits.strange_reads
        if presence.reads < needed:
            return
        home = self._home.get(tag.uid)
        if home is None or home is state:
            yield self._arrive(state, presence, scan.at)
            return
        yield from self._two_zones(home, state, presence, scan)

    def _two_zones(
        self, home: _ZoneState, state: _ZoneState, presence: _Presence, scan: Inventory
    ) -> Iterator[Settled]:
        """`presence`, read well in `state`, has its home elsewhere: moved, or a ghost of a neighbour?"""
        there = home.present[presence.uid]
        if there.last < presence.first and there.misses > 0:
            yield self._leave(home, there, scan.at, moved_to=state.zone.id)
            yield self._arrive(state, presence, scan.at)
        elif there.last >= presence.first:
            if not presence.doubted:
                presence.doubted = True
                presence.reads_in_doubt = there.reads_in_doubt = 0
                presence.scans_in_doubt = there.scans_in_doubt = 0
                yield CardDoubt(scan.at, presence.uid, presence.card, home.zone.id, state.zone.id)
            presence.reads_in_doubt += scan.scans
            presence.scans_in_doubt += scan.scans
            if not presence.twins and presence.is_steady() and there.is_steady():
                presence.twins = True
                yield CardDoubt(scan.at, presence.uid, presence.card, home.zone.id, state.zone.id, True)
            if presence.reads_in_doubt >= DOUBT_READS > 3 * there.reads_in_doubt:
                yield self._leave(home, there, scan.at, moved_to=state.zone.id)
                yield self._arrive(state, presence, scan.at)

    def _missed(self, state: _ZoneState, presence: _Presence, scan: Inventory) -> Iterator[Settled]:
        presence.misses += scan.scans
        presence.scans += scan.scans
        presence.scans_in_doubt += scan.scans
        if presence.arrived:
            presence.missed_sightings += 1
        ms = (scan.at - presence.last) * 1000
        if presence.misses < self._misses_needed(state) or ms < self._limits.leave_ms:
            return
        if presence.arrived:
            yield self._leave(state, presence, scan.at)
        else:
            del state.present[presence.uid]

    def _misses_needed(self, state: _ZoneState) -> int:
        """How many misses in a row mean that a card is gone: more where the zone reads badly, because
        there a long run of misses happens with the card lying still (F07)."""
        rate = (sum(state.recent) + 1) / (len(state.recent) + 2)
        by_chance = math.ceil(math.log(BY_CHANCE) / math.log(1 - rate))
        return max(self._limits.leave_misses, min(by_chance, MOST_MISSES))

    def _arrive(self, state: _ZoneState, presence: _Presence, at: float) -> CardArrived:
        presence.arrived = True
        state.recent.extend([False] * (presence.scans - presence.reads) + [True] * presence.reads)
        self._home[presence.uid] = state
        return CardArrived(
            at,
            state.zone.id,
            presence.uid,
            presence.card,
            presence.why,
            presence.reads,
            presence.scans,
            presence.first,
        )

    def _leave(
        self, state: _ZoneState, presence: _Presence, at: float, moved_to: str | None = None
    ) -> CardLeft:
        del state.present[presence.uid]
        self._home.pop(presence.uid, None)
        ms = round((at - presence.last) * 1000)
        return CardLeft(at, state.zone.id, presence.uid, presence.card, presence.misses, ms, moved_to)

    def _rate(self, state: _ZoneState, at: float) -> Iterator[Settled]:
        rate = state.rate()
        if rate is None or len(state.recent) < RATE_WINDOW // 2:
            return
        if not state.weak and rate < self._limits.weak_rate:
            state.weak = True
            yield ZoneRate(at, state.zone.id, rate, True)
        elif state.weak and rate > min(1.0, self._limits.weak_rate + 0.15):
            state.weak = False
            yield ZoneRate(at, state.zone.id, rate, False)
