"""Althera's cards and houses: ids, names, colours. No rules here, and no state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class House(NamedTuple):
    """One of the five houses (ALT-1.1). `rgb` is what the crown and the screens show."""

    id: str
    name: str
    champion: str
    colour: str
    rgb: tuple[int, int, int]


HOUSES: Mapping[str, House] = {
    house.id: house
    for house in (
        House("cremisi", "Fortezza Cremisi", "Kael", "crimson", (200, 30, 52)),
        House("aurea", "Corona Aurea", "Alaric", "gold", (230, 172, 28)),
        House("celeste", "Ordine Celeste", "Seyra", "sky blue", (62, 156, 222)),
        House("quercia", "Casata della Quercia", "Brynn", "green", (52, 142, 70)),
        House("purpurea", "Corte Purpurea", "Opheya", "purple", (136, 62, 172)),
    )
}

#: Score cards in rising order, then the specials (ALT-1.3, ALT-1.4).
SCORE_KINDS = ("commoners", "vanguard", "marksman", "cavalry", "guardian", "captain", "champion")
SPECIAL_KINDS = ("shield", "overtake", "alteration", "oracle")
_SPECIALS = frozenset(SPECIAL_KINDS)
_KINDS = frozenset(SCORE_KINDS) | _SPECIALS
_ID = re.compile(r"([a-z]+)/([a-z]+)/([1-9][0-9]?)", re.ASCII)


class Card(NamedTuple):
    """A printed card. `value` is its score under one ruleset, None for a special."""

    id: str
    house: str
    kind: str
    copy: int
    value: int | None = None

    @property
    def special(self) -> bool:
        """Whether it is one of the four specials."""
        return self.kind in _SPECIALS

    @property
    def name(self) -> str:
        """The card's name for people, without its house: `Captain`, `Champion Kael`.

        >>> parse_card("cremisi/champion/1").name
        'Champion Kael'
        """
        if self.kind == "champion":
            return f"Champion {HOUSES[self.house].champion}"
        return self.kind.capitalize()


def parse_card(card_id: str) -> Card | None:
    """The card of this id as printed (without a ruleset's value), or None if it is no card's id.

    >>> parse_card("aurea/shield/1")
    Card(id='aurea/shield/1', house='aurea', kind='shield', copy=1, value=None)
    """
    match = _ID.fullmatch(card_id)
    if match is None:
        return None
    house, kind, copy = match.groups()
    if house not in HOUSES or kind not in _KINDS:
        return None
    return Card(card_id, house, kind, int(copy))


def is_special(card_id: str) -> bool:
    """Whether this id is a special's. False for anything that is no card.

    >>> is_special("aurea/oracle/2"), is_special("aurea/captain/2")
    (True, False)
    """
    card = parse_card(card_id)
    return card is not None and card.special


def deck(house: str, copies: Mapping[str, int], values: Mapping[str, int]) -> tuple[Card, ...]:
    """A house's deck: `copies` of each kind, score cards worth `values` (ALT-1.2)."""
    return tuple(
        Card(f"{house}/{kind}/{copy}", house, kind, copy, values.get(kind))
        for kind in SCORE_KINDS + SPECIAL_KINDS
        for copy in range(1, copies[kind] + 1)
    )
