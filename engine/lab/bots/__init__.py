"""Bots: a module a game, named as the game is, with a table `BOTS` of what it offers.

A bot sees what a player sees: the public state, its own hand, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any, Protocol

from engine.errors import UsageError
from engine.game import Game, Json
from engine.lab.hands import Hand


class Bot(Protocol):
    """A player that is a program. It keeps nothing between calls, so one bot can play many seats."""

    name: str

    def choose(self, game: Game, state: Any, seat: int, hand: Hand, rng: Random) -> Json | None:
        """A JSON action of that seat that is legal now, or None to let the others act.

        Never a roll: dice are thrown by whoever runs the match. All of its chance comes from `rng`.
        """


def bot(name: str, game: Game) -> Bot:
    """The bot of that name for that game. Raises UsageError that lists the names there are."""
    offered = _bots_of(game)
    if name not in offered:
        raise UsageError(
            f"There is no bot called {name!r} for {game.name}.", f"Choose from: {', '.join(offered)}."
        )
    return offered[name]


def names(game: Game) -> tuple[str, ...]:
    """The names of the bots for that game, weakest first."""
    return tuple(_bots_of(game))


def _bots_of(game: Game) -> Mapping[str, Bot]:
    module = f"engine.lab.bots.{game.name}"
    if find_spec(module) is None:
        module = "engine.lab.bots.any_game"
    offered: Mapping[str, Bot] = import_module(module).BOTS
    return offered
