"""Bots for Anthem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from random import Random
from typing import Any

from engine.anthem.state import VALUE_OF, Seat, State, complete, deads, gaps, index_of, places_for
from engine.game import Game, Json
from engine.lab.bots import Bot
from engine.lab.hands import Hand


class RandomBot:
    """Keeps the card or lays it in any place that takes it, all equally likely; claims a win it has."""

    name = "random"

    def choose(self, game: Game, state: Any, seat: int, hand: Hand, rng: Random) -> Json | None:
        """See `Bot.choose`."""
        if claim := won(state, seat, hand):
            return claim
        if hand.drawn is None:
            return None
        places = _places(state, seat, hand.drawn)
        place = rng.choice([None, *places])
        return _keep(seat) if place is None else _lay(seat, hand.drawn, place)


class GreedyBot:
    """Lays whenever the layout can still be completed after it, where most ways to do so are left."""

    name = "greedy"

    def choose(self, game: Game, state: Any, seat: int, hand: Hand, rng: Random) -> Json | None:
        """See `Bot.choose`."""
        if claim := won(state, seat, hand):
            return claim
        drawn = hand.drawn
        if drawn is None:
            return None
        me = _me(state, seat)
        ways = {place: _ways_after(me, drawn, place) for place in _places(state, seat, drawn)}
        best = max(ways.values(), default=0)
        if best == 0:
            return _keep(seat)
        return _lay(seat, drawn, rng.choice([place for place, left in ways.items() if left == best]))


def won(state: State, seat: int, hand: Hand) -> Json | None:
    """The claim that this hand proves now, if it does (ANT-6)."""
    dead = deads(state)
    held = dead.intersection(hand.cards)
    if state.phase == "play" and not held and complete(_me(state, seat).layout):
        win = "hero"
    elif _dragon_counts(state) and held == dead:
        win = "dragon"
    else:
        return None
    claim = {"do": "claim", "seat": seat, "win": win}
    return claim | {"shown": list(hand.cards)} if state.rules.proof == "show" else claim


def _dragon_counts(state: State) -> bool:
    """Whether a dragon's claim could matter; a hero's win made with the same draw may outrank it."""
    if state.phase == "over":
        return state.rules.both_win != "hero" and not state.dragon and state.rules.dragon == "on"
    return state.rules.dragon == "on"


def _ways_after(me: Seat, card: str, place: int) -> int:
    """How many sets of values would complete the layout once the card lies at `place`."""
    layout = (*me.layout[:place], card, *me.layout[place + 1 :])
    ways = 1
    for low, high, places in gaps(layout):
        ways *= comb(high - low - 1, len(places))
    return ways


def _me(state: State, seat: int) -> Seat:
    return state.seats[index_of(state, seat) or 0]


def _places(state: State, seat: int, card: str) -> Sequence[int]:
    value = VALUE_OF[card]
    return () if value is None else places_for(_me(state, seat).layout, value)


def _keep(seat: int) -> Json:
    return {"do": "keep", "seat": seat}


def _lay(seat: int, card: str, place: int) -> Json:
    return {"do": "lay", "seat": seat, "card": card, "place": place}


BOTS: Mapping[str, Bot] = {"random": RandomBot(), "greedy": GreedyBot()}
