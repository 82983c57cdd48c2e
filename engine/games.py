"""The games there are: every package beside this file that exposes `GAME`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

import engine
from engine.errors import UsageError
from engine.game import Game


@cache
def games() -> Mapping[str, Game]:
    """Game name -> game, in the order of the names.

    A game is a package inside `engine` whose `__init__` has `GAME` (see `docs/adding-a-game.md`);
    nothing else has to be told about it. The answer is kept: `games.cache_clear()` looks again.
    """
    found: dict[str, Game] = {}
    for module in sorted(iter_modules(engine.__path__), key=lambda m: m.name):
        if not module.ispkg:
            continue
        game = getattr(import_module(f"engine.{module.name}"), "GAME", None)
        if game is not None:
            found[game.name] = game
    return MappingProxyType(found)


def game_named(name: str) -> Game:
    """The game of that name. Raises UsageError that lists the names there are."""
    try:
        return games()[name]
    except KeyError:
        raise UsageError(
            f"There is no game called {name!r}.", f"Choose one of: {', '.join(games())}."
        ) from None
