"""`crowntable run`: from a layout and a data folder to a running table, and back to nothing left open."""

from __future__ import annotations

import os
import random
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import CrowntableError
from engine.games import games
from host.core import Clocks, Core
from host.devices import CrownShow, Devices
from host.entry import Json
from host.face import Who
from host.journal import Journal
from host.layout import Layout, find_layout
from host.pi import PERIOD, SYS, PiMonitor
from host.sensors import SensorLog
from host.settings import with_ports
from host.table import LiveTable
from host.virtual.skew import Skew
from host.words import listed
from host.workshop import Workshop
from host.zonesetup import as_set_up

if TYPE_CHECKING:
    from host.virtual.chaos import Chaos
    from host.virtual.people import People
    from host.virtual.stand_ins import StandIns


@dataclass(frozen=True, slots=True)
class Options:
    """What a start was asked for. `bots`: names for the seats in order, the last one for all further
    seats; () for none. `matches`: end after so many, 0 for never. `speed`: 1.0 is a person's pace.
    `attract`: a free table, idle after so many seconds of quiet; None as it was left."""

    layout: Layout
    data: Path
    virtual: bool = False
    bots: tuple[str, ...] = ("greedy",)
    speed: float = 1.0
    matches: int = 0
    chaos: tuple[str, ...] = ()
    seed: int | None = None
    attract: float | None = None


def default_data(virtual: bool) -> Path:
    """Where a table keeps its journal unless told otherwise; virtual tables apart from real ones."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "crowntable" / ("virtual" if virtual else "table")


def stand_in_supply(sys: Path) -> Path:
    """A stand-in for what a Pi's kernel says of its supply: well, so far. The file's path."""
    throttled = sys / "devices/platform/soc/soc:firmware/get_throttled"
    throttled.parent.mkdir(parents=True, exist_ok=True)
    throttled.write_text("0", encoding="ascii")
    return throttled


class Running:
    """A table with everything that belongs to it. `finished` is set when the wanted matches are over."""

    def __init__(self, options: Options, winner: Callable[[str], None] = lambda _: None) -> None:
        layout = options.layout
        if layout.game not in games():
            raise CrowntableError(
                f"Layout {layout.name}: the game {layout.game!r} is not known.",
                f"Known games: {', '.join(sorted(games()))}.",
            )
        self.options = options
        self.finished = threading.Event()
        self._winner = winner
        self._ended = 0
        journal = Journal(options.data)
        try:
            self.skew = Skew()
            clocks = Clocks(lambda: time.time() + self.skew.seconds, time.monotonic, uuid.uuid4().hex)
            # At a virtual table the stand-ins stay wired as the layout says; its zones may be set up anew.
            layout = as_set_up(options.data, layout)
            core = Core(journal, layout, clocks)
            core.bench.given = options.layout
            table = LiveTable(core, options.virtual)
            table.sensors = SensorLog(options.data / "sensors", layout, clocks.boot, clocks.wall())
            self._assemble(options, table)
        except BaseException:
            journal.close()
            raise

    def _assemble(self, options: Options, table: LiveTable) -> None:
        self.table = table
        self.people: People | None = None
        self.stand_ins: StandIns | None = None
        self.chaos: Chaos | None = None
        layout = table.core.layout
        if options.virtual:
            # Before gpiozero is imported anywhere: the LED crown's pins are gpiozero's own mock pins.
            os.environ["GPIOZERO_PIN_FACTORY"] = "mock"
            os.environ["GPIOZERO_MOCK_PIN_CLASS"] = "mockpwmpin"
            layout = self._virtual(options)
        else:
            layout = with_ports(layout, table.core.bench.settings.ports)
        self.devices = Devices(layout, options.data, configure=not options.virtual)
        pi = options.data / "dev" / "sys" if options.virtual else SYS
        self.devices.all.append(PiMonitor(pi, PERIOD / 5 if options.virtual else PERIOD))
        self.crown = CrownShow(table, self.devices.crowns, self.devices.links)
        table.core.bench.writer = self.devices.write_card
        table.core.bench.writing = frozenset(self.devices.nfc)
        table.workshop = Workshop(table, self.devices)

    def _virtual(self, options: Options) -> Layout:
        from engine.lab.bots import bot
        from host.virtual.chaos import Chaos
        from host.virtual.people import People
        from host.virtual.stand_ins import StandIns
        from host.virtual.world import World

        rng = random.Random(options.seed)
        # Readers are stand-ins wherever they are said to be; a camera may be a file or a folder of pictures.
        placed = with_ports(options.layout, self.table.core.bench.settings.ports)
        stand_ins = self.stand_ins = StandIns(placed, options.data / "dev")
        levers = replace(stand_ins.levers(), journal=self.table.core.journal, skew=self.skew)
        levers.throttled = stand_in_supply(options.data / "dev" / "sys")
        self.chaos = Chaos(levers)
        world = World(self.table, options.layout, stand_ins, self.chaos, rng)
        self.table.virtual = world
        if options.bots:
            game = games()[options.layout.game]
            names = [*options.bots, *[options.bots[-1]] * len(options.layout.seats)]
            bots = {s.id: bot(name, game) for s, name in zip(options.layout.seats, names, strict=False)}
            world.bots = True
            self.people = People(world, bots, rng, options.speed, self._over)
        return stand_ins.layout

    def _over(self, public: Json) -> bool:
        words = self.table.core.words()
        self._winner(listed([words.seat(seat) for seat in public["winners"] or ()]) or "nobody")
        self._ended += 1
        if self.options.matches and self._ended >= self.options.matches:
            self.finished.set()
            return False
        return True

    def restart(self) -> Options | None:
        """With what the table is to start anew, because the set-up page has chosen so; None: it is not."""
        layout = self.table.core.bench.restart
        return None if layout is None else replace(self.options, layout=layout)

    def start(self) -> None:
        """Starts the table, its devices and, at a virtual table, the people."""
        if self.stand_ins is not None:
            self.stand_ins.start()
        if self.chaos is not None:
            for name in self.options.chaos:
                self.chaos.switch(name, True)
        if self.options.attract is not None:
            self.table.free.set({"cmd": "attract", "on": True, "after": self.options.attract}, 0.0)
        self.table.start()
        self.devices.start(self.table)
        self.crown.start()
        if self.people is not None:
            self.people.start()

    def stop(self) -> None:
        """Stops everything, in the order in which nothing is lost."""
        if self.people is not None:
            self.people.stop()
        self.crown.stop()
        self.devices.stop()
        if self.chaos is not None:
            self.chaos.stop()
        if self.stand_ins is not None:
            self.stand_ins.stop()
        self.table.stop()


def bare_table(data: Path) -> LiveTable:
    """A started table without devices or people, with a match of Althera under way: for measurements.

    Raises CrowntableError where the folder can't be used."""
    clocks = Clocks(time.time, time.monotonic, uuid.uuid4().hex)
    table = LiveTable(Core(Journal(data), find_layout("althera-3"), clocks))
    table.start()
    operator = Who("operator")
    table.command({"cmd": "new-match"}, operator)
    for seat, face in ((1, 6), (2, 2), (3, 1)):
        table.act({"do": "roll", "seat": seat, "face": face}, operator)
    table.act({"do": "declare", "seat": 1, "against": 2}, operator)
    table.act({"do": "play", "seat": 1, "card": "cremisi/cavalry/1"}, operator)
    return table
