"""Bots: a module a game, named as the game is, with a table `BOTS` of what it offers.

A bot sees what a player sees: the public state, its own hand, and nothing else. docs/bots.md says what
each of them does and how strong it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any, Protocol

from engine.errors import UsageError
from engine.game import Finding, Game, Json
from engine.lab.hands import Hand

#: Chooses an action of the seat (the game's own type, not JSON), or None to let the others act.
Act = Callable[[Any, int, Hand, Random], Any]


class Bot(Protocol):
    """A player that is a program. It keeps nothing between calls, so one bot can play many seats."""

    @property
    def name(self) -> str:
        """What reports call it."""

    def choose(self, game: Game, state: Any, seat: int, hand: Hand, rng: Random) -> Json | None:
        """A JSON action of that seat that is legal now, or None to let the others act.

        Never a roll: dice are thrown by whoever runs the match. All of its chance comes from `rng`.
        """


@dataclass(frozen=True, slots=True)
class Acting:
    """A bot made of one function. `act` gives the game's own actions, which saves the way through JSON."""

    name: str
    act: Act

    def choose(self, game: Game, state: Any, seat: int, hand: Hand, rng: Random) -> Json | None:
        """See `Bot.choose`."""
        action = self.act(state, seat, hand, rng)
        return None if action is None else game.dump(action)


def act_of(game: Game, player: Bot) -> Act:
    """The bot's choice as the game's own action. Raises ValueError where a bot says what is none."""
    if isinstance(player, Acting):
        return player.act

    def act(state: Any, seat: int, hand: Hand, rng: Random) -> Any:
        said = player.choose(game, state, seat, hand, rng)
        if said is None:
            return None
        action = game.parse(said)
        if isinstance(action, Finding):
            raise ValueError(f"{player.name}'s action is none: {said}: {action.text}")
        return action

    return act


def bot(spec: str, game: Game) -> Bot:
    """The bot of that name for that game, with what follows the name.

    `greedy:never=shield` never lays a shield while it has anything else to do, `greedy:always=oracle`
    lays one whenever it may; several kinds are joined by `+`. `searching:playouts=200` and
    `searching:ms=50` give it a budget a decision. Raises UsageError that says what there is.
    """
    name, *options = spec.split(":")
    offered = _module_of(game)
    table: Mapping[str, Bot] = offered.BOTS
    if name not in table:
        raise UsageError(
            f"There is no bot called {name!r} for {game.name}.", f"Choose from: {', '.join(table)}."
        )
    player = table[name]
    for option in options:
        key, _, value = option.partition("=")
        if key in ("never", "always"):
            from engine.lab.bots.restricted import restricted

            player = restricted(game, player, key, value, getattr(offered, "USES", None))
        elif (made := getattr(offered, "BUDGETS", {}).get((name, key))) is not None:
            player = made(_budget(option, value))
        else:
            raise UsageError(
                f"The bot {name!r} takes no option {option!r}.",
                "It can be restricted by never=CARD and always=CARD; searching takes playouts=N or ms=N.",
            )
    return player if player.name == spec else _renamed(player, spec)


def _budget(option: str, value: str) -> int:
    if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= 1_000_000:
        raise UsageError(
            f"{option!r} needs a whole number from 1 to 1000000.", "For example searching:playouts=200."
        )
    return int(value)


def _renamed(player: Bot, spec: str) -> Bot:
    if isinstance(player, Acting):
        return Acting(spec, player.act)
    return player


def names(game: Game) -> tuple[str, ...]:
    """The names of the bots for that game, weakest first."""
    return tuple(_module_of(game).BOTS)


def _module_of(game: Game) -> Any:
    name = f"engine.lab.bots.{game.name}"
    return import_module(name if find_spec(name) is not None else "engine.lab.bots.any_game")
