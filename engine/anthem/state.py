"""Anthem's cards and the public state of a match: layouts, hand sizes, wins; never a hand's content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from engine.anthem.ruleset import Ruleset

#: Seats that a table can have (ANT-1.1 fills two to four of them).
SEATS = range(1, 6)
PLAYERS = range(2, 5)
#: Free places of a layout, ANT-2.1. They are also the indices into `Seat.layout`, whose entries
#: 0 and 7 are the Start and the End.
PLACES = range(1, 7)
#: Cards in hand after the deal, ANT-2.2: eight and one Dead.
DEALT = 9
START, END = 0, 9
DEAD = "dead"
#: Values of the cards that are dealt and laid.
VALUES = range(1, 9)

#: Card id -> its set.
SET_OF = {
    f"s{k}/{face}": f"s{k}" for k in range(1, PLAYERS[-1] + 1) for face in (*range(START, END + 1), DEAD)
}
#: Card id -> its value, None for a Dead.
VALUE_OF: dict[str, int | None] = {
    card: None if card.endswith(DEAD) else int(card.partition("/")[2]) for card in SET_OF
}

HeroOrDragon = Literal["hero", "dragon"]
Layout = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """One player. `set` is the card set that this player brought (`s1` is the first listed)."""

    seat: int
    set: str
    name: str | None
    layout: Layout
    hand: int


@dataclass(frozen=True, slots=True)
class Win:
    """A claim that was accepted, with the hand that proved it (None: the claimant's word)."""

    seat: int
    win: HeroOrDragon
    shown: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class State:
    """A match between two actions. `before` is the state that `undo` goes back to.

    `turn` counts single turns from 1. `laid` is the last card laid as (seat, place), None where
    the last turn was kept; `inferred` are the seats whose keeps the last action took for granted.
    """

    rules: Ruleset
    phase: Literal["setup", "play", "over"] = "setup"
    turn: int = 0
    to_move: int | None = None
    seats: tuple[Seat, ...] = ()
    wins: tuple[Win, ...] = ()
    laid: tuple[int, int] | None = None
    inferred: tuple[int, ...] = ()
    before: State | None = field(default=None, repr=False, compare=False)

    @property
    def dragon(self) -> bool:
        """Whether the match ended with the dragon's win, alone or shared."""
        return any(w.win == "dragon" for w in standing(self))


def standing(state: State) -> tuple[Win, ...]:
    """The accepted claims that count, where the ruling `both_win` prefers one over the other."""
    preferred = tuple(w for w in state.wins if w.win == state.rules.both_win)
    return preferred or state.wins


def winners(state: State) -> list[int] | None:
    """The winning seats in order, None while the match runs."""
    if state.phase != "over":
        return None
    return sorted(w.seat for w in standing(state))


def index_of(state: State, seat: int) -> int | None:
    """Where in `state.seats` that seat is; None where nobody sits there."""
    for i, s in enumerate(state.seats):
        if s.seat == seat:
            return i
    return None


def place_of(state: State, card: str) -> tuple[Seat, int] | None:
    """Whose layout the card lies in and at which index; None while it is in somebody's hand."""
    for seat in state.seats:
        if card in seat.layout:
            return seat, seat.layout.index(card)
    return None


def cards_in_play(state: State) -> tuple[str, ...]:
    """Every card of the players' sets, in the order of the sets."""
    return _cards_of(tuple(sorted(seat.set for seat in state.seats)))


@lru_cache(maxsize=64)
def _cards_of(sets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(card for card, its_set in SET_OF.items() if its_set in sets)


def unlaid(state: State) -> list[str]:
    """The cards that are in hands, in the order of the sets. Whose hand is not known."""
    laid: set[str | None] = set()
    for seat in state.seats:
        laid.update(seat.layout)
    return [card for card in cards_in_play(state) if card not in laid]


def deads(state: State) -> frozenset[str]:
    """The Dead cards in play."""
    return _deads_of(cards_in_play(state))


@lru_cache(maxsize=64)
def _deads_of(cards: tuple[str, ...]) -> frozenset[str]:
    return frozenset(card for card in cards if VALUE_OF[card] is None)


def complete(layout: Layout) -> bool:
    """Whether all eight places are taken."""
    return None not in layout


def rising(layout: Layout, value: int, place: int) -> bool:
    """Whether `value` at `place` has nothing higher on its left and nothing lower on its right."""
    for i, card in enumerate(layout):
        other = None if card is None else VALUE_OF[card]
        if other is not None and (other > value if i < place else other < value and i > place):
            return False
    return True


@lru_cache(maxsize=1 << 14)
def places_for(layout: Layout, value: int) -> tuple[int, ...]:
    """The free places where `value` may be laid (ANT-4.1, 4.2); none if the value is there already."""
    if any(card is not None and VALUE_OF[card] == value for card in layout):
        return ()
    return tuple(p for p in PLACES if layout[p] is None and rising(layout, value, p))


def hemmed_in(layout: Layout, value: int) -> bool:
    """Whether no place lies between what must be on the left of `value` and what on its right (ANT-4.2)."""
    lying = [(place, VALUE_OF[card]) for place, card in enumerate(layout) if card is not None]
    left = max((place for place, other in lying if other is not None and other < value), default=0)
    right = min(
        (place for place, other in lying if other is not None and other > value), default=len(layout) - 1
    )
    return right - left <= 1


def gaps(layout: Layout) -> Iterator[tuple[int, int, list[int]]]:
    """Each run of free places as (value on its left, value on its right, the places)."""
    low, places = START - 1, list[int]()  # nothing lies on the left of the Start or the right of the End
    for place, card in enumerate(layout):
        if card is None:
            places.append(place)
            continue
        value = VALUE_OF[card]
        if value is None:  # a Dead laid by force has no value: it only takes a place
            continue
        if places:
            yield low, value, places
        low, places = value, []
    if places:  # the End was moved by force
        yield low, END + 1, places


def stuck(state: State, seat: Seat) -> bool:
    """Whether the seat's layout can never be completed: a gap has more places than values left."""
    return _stuck(seat.layout, _all_laid(tuple(other.layout for other in state.seats)))


@lru_cache(maxsize=1 << 10)
def _all_laid(layouts: tuple[Layout, ...]) -> frozenset[int | None]:
    """The values of which no copy is left to lay: 0 and 9, and what force has laid twice somewhere
    (each layout needs a value once, so only that can use up another layout's)."""
    laid = [VALUE_OF[card] for layout in layouts for card in layout if card is not None]
    return frozenset(value for value in range(START, END + 1) if laid.count(value) == len(layouts))


@lru_cache(maxsize=1 << 14)
def _stuck(layout: Layout, all_laid: frozenset[int | None]) -> bool:
    own = {VALUE_OF[card] for card in layout if card is not None}
    return any(
        sum(value not in own and value not in all_laid for value in range(low + 1, high)) < len(places)
        for low, high, places in gaps(layout)
    )
