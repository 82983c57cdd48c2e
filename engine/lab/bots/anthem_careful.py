"""Anthem's careful bot: it counts which values can still be drawn, and how long a layout will take."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from engine.anthem.actions import Action, Keep, Lay
from engine.anthem.state import PLACES, VALUE_OF, VALUES, Layout, State, cards_in_play
from engine.lab.bots.anthem_simple import places_of, seat_of, won
from engine.lab.hands import Hand

#: Turns that a layout without any hope counts as taking.
NEVER = 1000.0
#: How many turns sooner keeping must promise to be done: a card laid also makes the hand smaller, and
#: with it the wait until the neighbour draws a Dead out of it.
KEEP_MARGIN = 0.5
#: What a copy in the own hand counts for, in quarters of one elsewhere: it has to go round first.
OWN = 1
#: The values at the six places, 0 where none lies.
Row = tuple[int, ...]


def act_carefully(state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
    """Lays where the layout will be complete soonest by the odds; keeps what would spoil it."""
    if claim := won(state, seat, hand):
        return claim
    drawn = hand.drawn
    if drawn is None:
        return None
    places = places_of(state, seat, drawn)
    if not places:
        return Keep(seat)
    value = VALUE_OF[drawn] or 0
    row, counts, size = row_of(seat_of(state, seat).layout), *counts_of(state, hand)
    known: dict[Row, float] = {}
    turns = {place: expected_turns(_with(row, place, value), counts, size, known) for place in places}
    soonest = min(turns.values())
    if soonest >= NEVER:
        return Keep(seat)
    if any(row) and expected_turns(row, counts, size, known) + KEEP_MARGIN < soonest:
        return Keep(seat)  # an empty row is helped by any card in its best place
    return Lay(seat, drawn, rng.choice([place for place in places if turns[place] == soonest]))


def row_of(layout: Layout) -> Row:
    """The values that lie at places 1 to 6."""
    return tuple(0 if (card := layout[place]) is None else VALUE_OF[card] or 0 for place in PLACES)


def counts_of(state: State, hand: Hand) -> tuple[tuple[int, ...], int]:
    """How many copies of the values 1 to 8 may be drawn, and out of how many cards, both in quarters.

    Two players know each other's hands by that, for what the one does not hold the other does. A copy
    in the own hand counts a quarter: it has to go round the table first.
    """
    gone = {card for seat in state.seats for card in seat.layout}
    counts, size = [0] * len(VALUES), 0
    own = set(hand.cards)
    for card in cards_in_play(state):
        if card not in gone:
            value = VALUE_OF[card]
            mine = card in own
            size += OWN if mine else 4
            if value is not None:
                counts[value - 1] += OWN if mine else 4
    return tuple(counts), max(size, 1)


def _with(row: Row, place: int, value: int) -> Row:
    return (*row[: place - 1], value, *row[place:])


def expected_turns(
    row: Row, counts: Sequence[int], size: int, known: dict[Row, float] | None = None
) -> float:
    """Turns until the row is complete if every draw is value v with a chance of counts[v - 1] / size,
    and each card is laid where that helps most or is kept. NEVER where it can't be completed.

    `known` keeps what was worked out for these counts.

    >>> expected_turns((1, 2, 3, 4, 5, 6), (4,) * 8, 36)
    0.0
    >>> round(expected_turns((1, 2, 3, 4, 5, 0), (4,) * 8, 36), 2)  # 6, 7 or 8 of nine equal kinds
    3.0
    """
    if 0 not in row:
        return 0.0
    memo: dict[Row, float] = {} if known is None else known
    found = memo.get(row)
    if found is not None:
        return found
    nexts = []
    for value, then in followers(row):
        copies = counts[value - 1]
        if copies:
            best = NEVER
            for after in then:
                turns = memo.get(after)
                if turns is None:
                    turns = expected_turns(after, counts, size, memo)
                if turns < best:
                    best = turns
            nexts.append((best, copies))
    # Take a value only where what follows is better than waiting on: a value at a time, best first.
    turns, weight, total = NEVER, 0.0, 0.0
    nexts.sort()
    for after_it, copies in nexts:
        if after_it >= turns:
            break
        weight += copies
        total += copies * after_it
        turns = (size + total) / weight
    memo[row] = turns
    return turns


@lru_cache(maxsize=1024)
def followers(row: Row) -> tuple[tuple[int, tuple[Row, ...]], ...]:
    """Each value that fits, with the rows it can make that can still be completed."""
    found = []
    for value in VALUES:
        if value not in row:
            after = [_with(row, place, value) for place in PLACES if _fits(row, place, value)]
            hopeful = tuple(then for then in after if _completable(then))
            if hopeful:
                found.append((value, hopeful))
    return tuple(found)


def _completable(row: Row) -> bool:
    """Whether there are enough values for every gap: at place p lies p, p + 1 or p + 2."""
    return all(not value or 0 <= value - place <= 2 for place, value in enumerate(row, 1))


def _fits(row: Row, place: int, value: int) -> bool:
    at = place - 1
    if row[at]:
        return False
    left = max(row[:at], default=0)
    right = min((v for v in row[at + 1 :] if v), default=9)
    return left < value < right
