"""A table without threads or devices for the host's tests: sightings in, entries and views out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.game import Audience
from host.core import Clocks, Core
from host.face import Who
from host.journal import Journal
from host.layout import Layout, find_layout
from host.newmatch import begin
from host.sensors import SensorLog
from host.sighting import Inventory, Sighting, TagRead
from host.view import make_view
from host.virtual.tags import card_uid

OPERATOR = Who("operator")


class Desk:
    """A Core with a clock of its own and hands that lay and lift cards at antennas of `pico`."""

    def __init__(self, folder: Path, layout: str | Layout = "althera-3", **switches: Any) -> None:
        self.now = 100.0
        self.folder = folder
        self.layout = find_layout(layout) if isinstance(layout, str) else layout
        if switches:
            self.layout = replace(self.layout, switches=replace(self.layout.switches, **switches))
        self.boots = 0
        #: seconds that pass from one look at the clock to the next, as on a real one
        self.ticking = 0.0
        self.lying: dict[int, list[str]] = {}
        self.sensors: SensorLog | None = None
        self.core = self.boot()

    def boot(self) -> Core:
        self.boots += 1
        clocks = Clocks(lambda: 1.7e9 + self.now, self._clock, f"boot{self.boots}")
        self.core = Core(Journal(self.folder), self.layout, clocks)
        return self.core

    def _clock(self) -> float:
        self.now += self.ticking
        return self.now

    def pull_the_plug(self) -> Core:
        """The process is gone; what was committed is on disk. Starts again on the same folder."""
        self.core.journal.close()
        return self.boot()

    def begin(self, crown: int = 1, **command: Any) -> None:
        """A match whose crown goes to `crown`."""
        assert begin(self.core, {"cmd": "new-match", **command}, OPERATOR).ok
        for seat in (s.id for s in self.layout.seats):
            assert self.do(do="roll", seat=seat, face=6 if seat == crown else 1).ok

    def do(self, **action: Any) -> Any:
        return self.core.act(action, OPERATOR)

    def scan(self, antenna: int, times: int = 1, step: float = 0.1) -> None:
        for _ in range(times):
            self.now += step
            tags = tuple(TagRead(card_uid(card), card) for card in self.lying.get(antenna, ()))
            self.see(Inventory(self.now, "pico", antenna, tags))

    def see(self, sighting: Sighting) -> None:
        """One sighting, as the table's thread takes it in."""
        if self.sensors is not None:
            self.sensors.add(sighting, self.core.seq)
        self.core.sighting(sighting)

    def lay(self, seat: int, card: str) -> None:
        """Lays a card on a seat's field spot and lets the reader see it twice."""
        antenna = seat - 1
        self.lying.setdefault(antenna, []).append(card)
        self.scan(antenna, 2)

    def lift(self, seat: int, card: str) -> None:
        """Takes it away and lets the reader miss it long enough."""
        self.lying[seat - 1].remove(card)
        self.scan(seat - 1, 8, 0.2)

    def play(self, seat: int, card: str) -> None:
        """Lays a card and slides it to the pile."""
        self.lay(seat, card)
        self.lift(seat, card)

    def view(self, kind: Any = "operator", seat: int | None = None) -> dict[str, Any]:
        return make_view(self.core, Audience(kind, seat), 1, False)

    def duel(self) -> dict[str, Any]:
        duels = self.view()["game"]["duels"]
        return dict(duels[0])

    def state(self) -> dict[str, Any]:
        assert self.core.match is not None
        return self.core.match.game.state_json(self.core.match.state)

    def texts(self) -> list[str]:
        return [event["text"] for event in self.view()["events"]]
