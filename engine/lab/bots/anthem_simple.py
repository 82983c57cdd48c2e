"""Anthem's two simple bots, and what every Anthem bot asks."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from random import Random

from engine.anthem.actions import Action, Claim, Keep, Lay
from engine.anthem.state import (
    VALUE_OF,
    HeroOrDragon,
    Seat,
    State,
    complete,
    deads,
    gaps,
    index_of,
    places_for,
)
from engine.lab.hands import Hand


def act_randomly(state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
    """Keeps the card or lays it in any place that takes it, all equally likely; claims a win it has."""
    if claim := won(state, seat, hand):
        return claim
    if hand.drawn is None:
        return None
    places = places_of(state, seat, hand.drawn)
    chosen = int(rng.random() * (len(places) + 1))
    return Keep(seat) if chosen == len(places) else Lay(seat, hand.drawn, places[chosen])


def act_greedily(state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
    """Lays whenever the layout can still be completed after it, where most ways to do so are left."""
    if claim := won(state, seat, hand):
        return claim
    drawn = hand.drawn
    if drawn is None:
        return None
    me = seat_of(state, seat)
    ways = {place: _ways_after(me, drawn, place) for place in places_of(state, seat, drawn)}
    best = max(ways.values(), default=0)
    if best == 0:
        return Keep(seat)
    return Lay(seat, drawn, rng.choice([place for place, left in ways.items() if left == best]))


def won(state: State, seat: int, hand: Hand) -> Claim | None:
    """The claim that this hand proves now, if it does (ANT-6)."""
    whole = state.phase == "play" and complete(seat_of(state, seat).layout)
    if not whole and not _dragon_counts(state):
        return None
    dead = deads(state)
    held = dead.intersection(hand.cards)
    win: HeroOrDragon
    if whole and not held:
        win = "hero"
    elif held == dead and _dragon_counts(state):
        win = "dragon"
    else:
        return None
    return Claim(seat, win, tuple(sorted(hand.cards)) if state.rules.proof == "show" else None)


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


def seat_of(state: State, seat: int) -> Seat:
    """The player at that seat."""
    return state.seats[index_of(state, seat) or 0]


def places_of(state: State, seat: int, card: str) -> Sequence[int]:
    """Where the seat could lay the card; nowhere for a Dead."""
    value = VALUE_OF[card]
    return () if value is None else places_for(seat_of(state, seat).layout, value)
