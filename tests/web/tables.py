"""Tables for the web's tests: the real one over the real engine, without devices."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.game import Audience
from host.core import Clocks, Core
from host.face import Who
from host.journal import Journal
from host.layout import find_layout
from host.table import LiveTable
from web.server import Server, serve

Json = dict[str, Any]
OPERATOR = Who("operator")
SPECTATOR = Audience("spectator")

#: The rulebook's example up to its fourth card: 24, 26, 63 (ALT-4).
EXAMPLE: tuple[Json, ...] = (
    {"do": "roll", "seat": 1, "face": 6},
    {"do": "roll", "seat": 2, "face": 3},
    {"do": "roll", "seat": 3, "face": 1},
    {"do": "declare", "seat": 1, "against": 2},
    {"do": "play", "seat": 1, "card": "cremisi/cavalry/1"},
    {"do": "play", "seat": 2, "card": "aurea/marksman/1"},
    {"do": "play", "seat": 1, "card": "cremisi/commoners/1"},
    {"do": "play", "seat": 2, "card": "aurea/captain/1"},
)
REST: tuple[Json, ...] = (
    {"do": "play", "seat": 1, "card": "cremisi/marksman/1"},
    {"do": "stand", "seat": 2},
)
HOUSES = ("cremisi", "aurea", "celeste", "quercia", "purpurea")
NAMES = ("Ada", "Bruno", "Chiara", "Dario", "Elena")


def new_match(game: str = "althera", seats: int = 3, turns: int = 3, **ruleset: str) -> Json:
    """The command that begins a match for the first `seats` seats."""
    rows: list[Json] = [{"seat": i + 1, "name": NAMES[i]} for i in range(seats)]
    if game == "althera":
        for row, house in zip(rows, HOUSES, strict=False):
            row["house"] = house
    return {"cmd": "new-match", "game": game, "seats": rows, "turns": turns, "ruleset": ruleset}


def play(table: LiveTable, *actions: Json) -> None:
    """Enters actions as the operator; each must be accepted."""
    for action in actions:
        outcome = table.act(action, OPERATOR)
        assert outcome.ok, (action, outcome.text)


@contextmanager
def live_table(data: Path, layout: str = "althera-3") -> Iterator[LiveTable]:
    """A started table with its journal in `data`, no match begun."""
    core = Core(Journal(data), find_layout(layout), Clocks(time.time, time.monotonic, uuid.uuid4().hex))
    table = LiveTable(core)
    table.start()
    try:
        yield table
    finally:
        table.stop()


@contextmanager
def served(data: Path, layout: str = "althera-3") -> Iterator[tuple[LiveTable, Server]]:
    """A table and the server that shows it, on a free port of this machine."""
    with live_table(data, layout) as table:
        server = serve(table, "127.0.0.1", 0, data)
        try:
            yield table, server
        finally:
            server.stop()
