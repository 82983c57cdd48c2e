"""Tables without devices or people, for load: each a real engine, journal, table and publisher.

Every table plays a match drawn beforehand, move by move, and begins it again when it has ended. Run as
a process of its own by web.hall.bench: `python -c "from host.hall.crowd import main; main()" JOB`; says
`ready`, plays until a line comes in, then says what it has.
"""

from __future__ import annotations

import gc
import json
import os
import random
import sys
import threading
import time
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.game import Game
from host.core import Clocks, Core
from host.entry import Json
from host.face import Who
from host.hall.account import Broker, read_account
from host.hall.loop import Loop
from host.hall.publisher import Publisher
from host.journal import Journal
from host.layout import find_layout
from host.table import LiveTable

WHO: Final = Who("bot", "load")
#: moves after which a match is given up, as people do
MOVES: Final = 200
#: what brings a match no further
IDLE: Final = frozenset(["keep", "redraw", "retreat"])
#: different matches that the tables of one kind in a process play
SCRIPTS: Final = 5
LAYOUTS: Final = ("althera-3", "althera-3", "anthem-4")


def script(game: Game, state: Any, rng: random.Random) -> list[Json]:
    """The actions of a whole match from this state on, legal and drawn at random: to its end, or as far as
    people would play."""
    played: list[Json] = []
    while len(played) < MOVES and (actions := game.actions(state)):
        keen = [one for one in actions if game.dump(one)["do"] not in IDLE]
        action = rng.choice(keen or actions)
        state = game.apply(state, action).state
        played.append(game.dump(action))
    return played


@dataclass(slots=True)
class Seat:
    """One table of the crowd and its publisher. Every match of it goes as `script` says: choosing among
    all that is legal costs more than the table's own work, which is what is to be measured."""

    name: str
    table: LiveTable
    publisher: Publisher
    script: list[Json]
    moves: int = 0

    def play(self) -> None:
        """One event: the next action, or the next match."""
        if self.moves == len(self.script):
            self.moves = 0
            self.table.command({"cmd": "new-match"}, WHO)
            return
        outcome = self.table.act(self.script[self.moves], WHO)
        assert outcome.ok, outcome
        self.moves += 1


class Crowd:
    """Opens tables that share a few scripts and one loop for their connections."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._loop = Loop()
        self._loop.start()
        self._scripts: dict[tuple[str, int], list[Json]] = {}

    def seat(self, name: str, data: Path, account: Path, number: int, at: Broker | None = None) -> Seat:
        """A started table with its publisher, a match begun, at any point of the script."""
        layout = LAYOUTS[number % len(LAYOUTS)]
        table = LiveTable(Core(Journal(data), find_layout(layout), _clocks()))
        table.start()
        table.command({"cmd": "new-match"}, WHO)
        key = (layout, number % SCRIPTS)
        if key not in self._scripts:
            game, state, _ = table.public_state()
            self._scripts[key] = script(game, state, random.Random(number))
        publisher = Publisher(table, at or self._broker, read_account(account), data, self._loop)
        publisher.start()
        return Seat(name, table, publisher, self._scripts[key])

    def stop(self) -> None:
        """Ends the loop, after the publishers."""
        self._loop.stop()


def _clocks() -> Clocks:
    return Clocks(time.time, time.monotonic, uuid.uuid4().hex)


def play_all(seats: list[Seat], every: float, stop: threading.Event, seconds: float) -> float:
    """One event a table each `every` seconds, evenly spread. Returns the longest lag behind that, in
    seconds: the crowd's own, for it shares the machine with what is measured."""
    began, done, lag = time.monotonic(), 0, 0.0
    pause = every / len(seats)
    while not stop.is_set():
        due = began + done * pause
        now = time.monotonic()
        if now - began >= seconds:
            break
        if due > now:
            time.sleep(due - now)
        else:
            lag = max(lag, now - due)
        seats[done % len(seats)].play()
        done += 1
    return lag


def main() -> None:
    """The process: its job as JSON in `argv[1]`."""
    # In a real hall the tables are elsewhere: here they must not take the processor from what is measured.
    os.nice(5)
    job = json.loads(sys.argv[1])
    stop = threading.Event()
    seats: list[Seat] = []
    with ExitStack() as closing:
        crowd = Crowd(Broker(job["host"], job["port"], False))
        closing.callback(crowd.stop)
        for number, name in job["tables"]:
            # A table whose network is to be cut reaches the broker through a port of its own.
            at = Broker(job["host"], job["ports"].get(name, job["port"]), False)
            account = Path(job["accounts"]) / f"{name}.toml"
            seat = crowd.seat(name, Path(job["data"]) / name, account, number, at)
            closing.callback(seat.table.stop)
            closing.callback(seat.publisher.stop)
            seats.append(seat)
        while not all(seat.publisher.connected() for seat in seats):
            time.sleep(0.05)
        # A real table has its memory to itself: the collector must not go through a hundred tables' at once.
        gc.collect()
        gc.freeze()
        _say({"ready": len(seats)})
        sys.stdin.readline()
        lag = play_all(seats, job["every"], stop, job["seconds"])
        _say({"lag": lag, "last": {s.name: [s.publisher.base(), s.table.core.seq] for s in seats}})
        # Whatever a hall lacks still comes: what ends this is the word of whoever measures.
        sys.stdin.readline()


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()
