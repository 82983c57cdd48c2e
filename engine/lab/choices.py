"""Which decisions were real: more than one way to go, by the rules and the hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from engine.althera.actions import Declare, Intervene, Redraw
from engine.althera.state import Duel, duel_of
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
    real, act = _REAL.get(game.name), act_of(game, player)
    if real is None:
        return player

    def choose(state: Any, seat: int, hand: Hand, rng: Random) -> Any:
        action = act(state, seat, hand, rng)
        if action is not None and type(action).__name__ != "Claim":
            count = choices.setdefault(seat, [0, 0])
            count[0] += 1
            count[1] += real(state, seat, hand, action)
        return action

    return Acting(player.name, choose)


def _real_in_althera(state: Any, seat: int, hand: Hand, action: Any) -> bool:
    if isinstance(action, Declare):
        return len(declarations(state, seat)) > 1
    duel = duel_of(state, seat)
    if isinstance(action, Intervene) or duel is None:
        return True  # it might have been left
    ways = _ways(state, duel, seat, hand)
    return next(ways, None) is not None and next(ways, None) is not None


def _ways(state: Any, duel: Duel, seat: int, hand: Hand) -> Iterator[object]:
    """Something for each way to go in a duel, made only as far as it is asked for."""
    if duel.turn == seat:
        yield from playable(state, duel, seat, hand_of(state, hand.cards))
    else:
        yield Redraw  # a redraw before the other's card might have been left
    for may in (may_redraw, may_stand, may_retreat):
        if may(state, duel, seat):
            yield may


def _real_in_anthem(state: Any, seat: int, hand: Hand, action: Any) -> bool:
    return hand.drawn is not None and len(places_of(state, seat, hand.drawn)) > 0


_REAL: Mapping[str, Callable[[Any, int, Hand, Any], bool]] = {
    "althera": _real_in_althera,
    "anthem": _real_in_anthem,
}
