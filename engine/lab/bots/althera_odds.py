"""What a player of Althera can work out from what lies open: who owns which cards, and the odds.

Which cards a seat owns is public (its house's deck, and every capture since); which of them it holds is
not. So a hand of h cards out of a pool of N is taken as any h of the N, all equally likely.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import comb
from typing import NamedTuple

from engine.althera.cards import Card
from engine.althera.ruleset import Ruleset
from engine.althera.state import Duel, State


class Pool(NamedTuple):
    """A seat's hand and deck together: `size` cards, the score values in rising order, the specials.

    `answers`: how many specials take a field that the enemy owns; `oracles` are those of them that a
    ruleset can't reserve for the defender.
    """

    size: int
    values: tuple[int, ...]
    answers: int
    oracles: int
    shields: int


@lru_cache(maxsize=1 << 16)
def chance_of_any(size: int, wanted: int, hand: int) -> float:
    """The chance that a hand of `hand` out of `size` cards holds at least one of `wanted` of them.

    >>> round(chance_of_any(24, 6, 5), 3)
    0.798
    """
    if wanted <= 0 or hand <= 0:
        return 0.0
    if size - wanted < hand:
        return 1.0
    return 1.0 - comb(size - wanted, hand) / comb(size, hand)


def lying(state: State) -> set[str]:
    """The cards on the table."""
    return {card for duel in state.duels for card in duel.cards}


def owned(state: State) -> Mapping[int, tuple[Card, ...]]:
    """What each seat owns, the cards on the table included."""
    owners, rules = state.match.owners, state.match.rules
    found = _last_owned[0]
    if found is not None and found[0] is owners and found[1] is rules:
        return found[2]
    cards: dict[int, list[Card]] = {number: [] for number in state.seats}
    for card, owner in owners.items():
        cards[owner].append(rules.cards[card])
    grouped = {number: tuple(own) for number, own in cards.items()}
    _last_owned[0] = (owners, rules, grouped)
    return grouped


#: The owners asked about last: they change only when a duel ends.
_last_owned: list[tuple[Mapping[str, int], Ruleset, Mapping[int, tuple[Card, ...]]] | None] = [None]


def unseen(state: State, seat: int, seen: set[str]) -> list[Card]:
    """The seat's cards that lie nowhere and are not among `seen`."""
    return [card for card in owned(state)[seat] if card.id not in seen]


def pool_of(cards: list[Card]) -> Pool:
    """Those cards, counted."""
    values = sorted(card.value for card in cards if card.value is not None)
    kinds = [card.kind for card in cards if card.value is None]
    oracles, shields = kinds.count("oracle"), kinds.count("shield")
    return Pool(len(cards), tuple(values), len(kinds) - shields, oracles, shields)


def takers(pool: Pool, field: float) -> int:
    """How many score cards of the pool take an enemy field worth that much.

    >>> takers(Pool(4, (2, 9, 37), 1, 0, 0), 9)
    2
    """
    count = 0
    for value in reversed(pool.values):
        if value < field:
            break
        count += 1
    return count


def captured_if_lost(duel: Duel, seat: int) -> int:
    """How many score cards the seat's side has on the field of this duel."""
    return sum(laid.side == seat and laid.card.value is not None for laid in duel.laid)
