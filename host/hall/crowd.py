"""Tables without devices or people, for load: each a real engine, journal, table and publisher.

Every table plays legal moves at its own pace and begins another match when one ends. Run as a process
of its own by web.hall.bench: `python -c "from host.hall.crowd import main; main()" JOB`; says `ready`,
plays until a line comes in, then says what it has.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
import uuid
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from host.core import Clocks, Core
from host.face import Who
from host.hall.account import Broker, read_account
from host.hall.publisher import Publisher
from host.journal import Journal
from host.layout import find_layout
from host.table import LiveTable

WHO: Final = Who("bot", "load")
#: moves after which a match is given up, as people do
MOVES: Final = 200
#: how often another move is drawn where one that does little was
TRIES: Final = 5
LAYOUTS: Final = ("althera-3", "althera-3", "anthem-4")


@dataclass(slots=True)
class Seat:
    """One table of the crowd and its publisher."""

    name: str
    table: LiveTable
    publisher: Publisher
    rng: random.Random
    moves: int = 0

    def play(self) -> None:
        """One event: a legal move, or the next match."""
        game, state, public = self.table.public_state()
        actions = game.actions(state) if game and public["phase"] != "over" else ()
        if not actions or self.moves >= MOVES:
            self.moves = 0
            self.table.command({"cmd": "new-match"}, WHO)
            return
        self.moves += 1
        move = game.dump(self.rng.choice(actions))
        for _ in range(TRIES):
            if move["do"] not in ("keep", "redraw", "retreat"):
                break
            move = game.dump(self.rng.choice(actions))
        self.table.act(move, WHO)


def open_seat(name: str, data: Path, broker: Broker, account: Path, seed: int) -> Seat:
    """A started table with its publisher, and a match begun."""
    layout = find_layout(LAYOUTS[seed % len(LAYOUTS)])
    table = LiveTable(Core(Journal(data), layout, Clocks(time.time, time.monotonic, uuid.uuid4().hex)))
    table.start()
    publisher = Publisher(table, broker, read_account(account), data)
    publisher.start()
    return Seat(name, table, publisher, random.Random(seed))


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
    job = json.loads(sys.argv[1])
    stop = threading.Event()
    seats: list[Seat] = []
    with ExitStack() as closing:
        for number, name in job["tables"]:
            # A table whose network is to be cut reaches the broker through a port of its own.
            at = Broker(job["host"], job["ports"].get(name, job["port"]), False)
            account = Path(job["accounts"]) / f"{name}.toml"
            seat = open_seat(name, Path(job["data"]) / name, at, account, number)
            closing.callback(seat.table.stop)
            closing.callback(seat.publisher.stop)
            seats.append(seat)
        while not all(seat.publisher.connected() for seat in seats):
            time.sleep(0.05)
        _say({"ready": len(seats)})
        sys.stdin.readline()
        lag = play_all(seats, job["every"], stop, job["seconds"])
        _say({"lag": lag, "last": {s.name: [s.publisher.base(), s.table.core.seq] for s in seats}})
        # Whatever a hall lacks still comes: what ends this is the word of whoever measures.
        sys.stdin.readline()


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()
