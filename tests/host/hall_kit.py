"""For the hall's tests: tables without devices, a hall that collects, a PostgreSQL of one's own."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from host.core import Clocks, Core
from host.face import Who
from host.hall.account import Account, Broker
from host.hall.board import Board
from host.hall.check import compare
from host.hall.collector import Collector
from host.hall.local import LocalBroker, free_port
from host.hall.publisher import Publisher
from host.hall.store import Store, StoreError, sqlite_url
from host.journal import Journal
from host.layout import find_layout
from host.table import LiveTable

Json = dict[str, Any]
OPERATOR = Who("operator")
#: seconds; the machine is shared and slow
PATIENCE = 60.0


def within(what: Callable[[], Any], seconds: float = PATIENCE) -> None:
    """Waits until `what` is true."""
    ends = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < ends, "it did not come about"
        time.sleep(0.02)


class Player:
    """A table without devices, its publisher, and hands that make legal moves."""

    def __init__(
        self, name: str, data: Path, layout: str = "althera-3", seed: int = 1, wrong: float = 0.0
    ) -> None:
        """`wrong`: seconds by which the table's clock is off."""
        self.name, self.data = name, data
        clocks = Clocks(lambda: time.time() + wrong, time.monotonic, uuid.uuid4().hex)
        self.table = LiveTable(Core(Journal(data), find_layout(layout), clocks))
        self.rng = random.Random(seed)
        self.publisher: Publisher | None = None
        self.table.start()

    def join(self, broker: Broker, account: Account) -> None:
        self.publisher = Publisher(self.table, broker, account, self.data)
        self.publisher.start()

    def leave(self) -> None:
        if self.publisher is not None:
            self.publisher.stop()
            self.publisher = None

    def begin(self, **command: Any) -> None:
        assert self.table.command({"cmd": "new-match", **command}, OPERATOR).ok

    def play(self, moves: int = 1) -> None:
        """Legal moves; a match that is over is followed by another."""
        for _ in range(moves):
            game, state, public = self.table.public_state()
            actions = game.actions(state) if game and public["phase"] != "over" else ()
            if actions:
                choices = [game.dump(action) for action in actions]
                keen = [one for one in choices if one["do"] not in ("keep", "redraw", "retreat")]
                assert self.table.act(self.rng.choice(keen or choices), OPERATOR).ok
            else:
                self.begin()

    def play_out(self) -> None:
        """To the end of the match."""
        while self.table.public_state()[2]["phase"] != "over":
            self.play()

    @property
    def seq(self) -> int:
        return self.table.core.seq

    def stop(self) -> None:
        self.leave()
        self.table.stop()


class Hall:
    """A hall server without its pages."""

    def __init__(self, broker: LocalBroker, store: Store) -> None:
        self.store = store
        self.board = Board("The hall")
        self.collector = Collector(broker.broker, broker.account("hall"), store, self.board)
        self.board.start(self.collector.troubles)
        self.collector.start()

    def upto(self, name: str) -> int:
        """The last entry that is in the database, 0 before any."""
        try:
            known = self.store.streams()
        except StoreError:
            return 0
        return max((upto for (table, _), (_, upto) in known.items() if table == name), default=0)

    def has(self, *players: Player) -> bool:
        return all(self.upto(player.name) >= player.seq for player in players)

    def row(self, name: str) -> Json:
        """The table's row on the board, {} before it has one."""
        from engine.game import Audience

        rows = self.board.view(Audience("spectator"))["tables"]
        return next((row for row in rows if row["table"] == name), {})

    def stop(self) -> None:
        self.collector.stop()
        self.board.stop()


class Venue:
    """A broker, a database, halls and players, all gone at the end."""

    def __init__(self, folder: Path, tables: int = 3) -> None:
        self.folder = folder
        self.closing = ExitStack()
        self.broker = LocalBroker(folder / "broker", tables)
        self.closing.callback(self.broker.stop)
        self.names = self.broker.names
        self.url = sqlite_url(folder)

    def store(self) -> Store:
        store = Store(self.url)
        self.closing.callback(store.close)
        return store

    def hall(self) -> Hall:
        hall = Hall(self.broker, self.store())
        self.closing.callback(hall.stop)
        return hall

    def player(self, number: int = 0, join: bool = True, port: int | None = None, **more: Any) -> Player:
        name = self.names[number]
        player = Player(name, self.folder / name, **more)
        self.closing.callback(player.stop)
        player.begin()
        if join:
            broker = self.broker.broker if port is None else Broker("127.0.0.1", port, False)
            player.join(broker, self.broker.account(name))
        return player

    def whole(self, store: Store, *players: Player) -> Json:
        """Each journal against the database."""
        journals = {player.name: player.data / "journal.sqlite" for player in players}
        bases = {p.name: p.publisher.base() for p in players if p.publisher is not None}
        figures, _ = compare(store, journals, {player.name: player.seq for player in players}, bases)
        return figures


@contextmanager
def venue(folder: Path, tables: int = 3) -> Iterator[Venue]:
    made = Venue(folder, tables)
    with made.closing:
        yield made


def lossless(figures: Json) -> bool:
    return bool(figures["events"]) and not any(figures[key] for key in ("lost", "different", "doubled"))


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL of one's own, run as an ordinary user; its address for SQLAlchemy."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    folder = Path(tempfile.mkdtemp(prefix="hall-pg-", dir="/tmp"))
    # PostgreSQL refuses to run as root; `nobody` is an ordinary user that every Debian has.
    as_user: Json = {}
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody", "nogroup")
        as_user = {"user": "nobody", "group": "nogroup", "extra_groups": []}
    port = free_port()
    data = folder / "data"
    init = [str(programs / "initdb"), "-D", str(data), "-U", "hall", "-A", "trust", "-E", "UTF8", "-N"]
    subprocess.run(init, check=True, capture_output=True, cwd=folder, **as_user)
    serve = [str(programs / "postgres"), "-D", str(data), "-k", str(folder), "-p", str(port), "-F"]
    server = subprocess.Popen(
        [*serve, "-c", "listen_addresses=127.0.0.1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        **as_user,
    )
    try:
        ready = [str(programs / "pg_isready"), "-h", "127.0.0.1", "-p", str(port), "-q"]
        within(lambda: subprocess.run(ready, check=False).returncode == 0)
        yield f"postgresql+pg8000://hall@127.0.0.1:{port}/postgres"
    finally:
        server.send_signal(signal.SIGINT)  # its clients are cut off
        server.wait(PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)
