"""Which decisions were real: more than one way to go, by the rules and the hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from engine.althera.actions import Declare, Intervene
from engine.althera.state import duel_of
from engine.game import Game
from engine.lab.bots import Acting, Bot, act_of
from engine.lab.bots.althera_moves import (
    declarations,
    hand_of,
    may_redraw,
    may_retreat,
    may_stand,
    playable,
)
from engine.lab.bots.anthem_simple import places_of
from engine.lab.hands import Hand

#: seat -> [decisions, those of them with more than one way to go]
Choices = dict[int, list[int]]


def watched(game: Game, player: Bot, choices: Choices) -> Bot:
    """The same bot, with what it decides counted into `choices`."""
    ways, act = _WAYS.get(game.name), act_of(game, player)
    if ways is None:
        return player

    def choose(state: Any, seat: int, hand: Hand, rng: Random) -> Any:
        action = act(state, seat, hand, rng)
        if action is not None and type(action).__name__ != "Claim":
            count = choices.setdefault(seat, [0, 0])
            count[0] += 1
            count[1] += ways(state, seat, hand, action) > 1
        return action

    return Acting(player.name, choose)


def _althera_ways(state: Any, seat: int, hand: Hand, action: Any) -> int:
    if isinstance(action, Declare):
        return len(declarations(state, seat))
    duel = duel_of(state, seat)
    if isinstance(action, Intervene) or duel is None:
        return 2  # it might have been left
    ways = may_redraw(state, duel, seat) + may_stand(state, duel, seat) + may_retreat(state, duel, seat)
    if duel.turn == seat:
        ways += sum(1 for _ in playable(state, duel, seat, hand_of(state, hand.cards)))
    else:
        ways += 1  # a redraw before the other's card might have been left
    return ways


def _anthem_ways(state: Any, seat: int, hand: Hand, action: Any) -> int:
    return 1 + (0 if hand.drawn is None else len(places_of(state, seat, hand.drawn)))


_WAYS: Mapping[str, Callable[[Any, int, Hand, Any], int]] = {
    "althera": _althera_ways,
    "anthem": _anthem_ways,
}
