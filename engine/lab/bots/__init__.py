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
from engine.lab.bots.search import Budget
from engine.lab.hands import Hand

#: Chooses an action of the seat (the game's own type, not JSON), or None to let the others act. It is
#: legal, or forced: whoever makes one asks the rules (`engine.lab.match.walk` relies on that).
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
    """A bot made of one function. `act` gives the game's own actions, which saves the way through JSON.

    `within`: for a bot that searches, its function with a budget of that much a decision.
    """

    name: str
    act: Act
    within: Callable[[Budget], Act] | None = None

    def choose(self, game: Game, state: Any, seat: int, hand: Hand, rng: Random) -> Json | None:
        """See `Bot.choose`."""
        action = self.act(state, seat, hand, rng)
        return None if action is None else game.dump(action)


def ladder_of(
    random: Act, greedy: Act, careful: Act, searching: Callable[[Budget], Act], playouts: int
) -> Mapping[str, Bot]:
    """A game's table `BOTS`, weakest first; `playouts` is the searching one's budget unless one is named."""
    return {
        "random": Acting("random", random),
        "greedy": Acting("greedy", greedy),
        "careful": Acting("careful", careful),
        "searching": Acting("searching", searching(Budget(playouts)), searching),
    }


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
    for option in sorted(options, key=_restricts):
        key, _, value = option.partition("=")
        within = player.within if isinstance(player, Acting) else None
        if _restricts(option):
            from engine.lab.bots.restricted import restricted

            player = restricted(game, player, key, value, getattr(offered, "USES", None))
        elif within is not None and key in ("playouts", "ms"):
            count = _budget(option, value)
            budget = Budget(count) if key == "playouts" else Budget(None, count)
            player = Acting(name, within(budget), within)
        else:
            raise UsageError(
                f"The bot {name!r} takes no option {option!r}.",
                "It can be restricted by never=CARD and always=CARD; searching takes playouts=N or ms=N.",
            )
    return player if player.name == spec else _renamed(player, spec)


def _restricts(option: str) -> bool:
    return option.partition("=")[0] in ("never", "always")


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
