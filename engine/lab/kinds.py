"""Kinds of cards: what counts and restrictions go by, the house or set and the copy left out."""

from __future__ import annotations

from functools import lru_cache

from engine.althera.cards import SCORE_KINDS, SPECIAL_KINDS
from engine.anthem.state import VALUES
from engine.game import Game

_KINDS = {
    "althera": (*SCORE_KINDS, *SPECIAL_KINDS),
    "anthem": tuple(map(str, VALUES)),
}


@lru_cache(maxsize=1024)
def kind_of(card: str) -> str:
    """A card's kind: the middle of its id, its value in Anthem.

    >>> kind_of("cremisi/captain/2"), kind_of("s2/7")
    ('captain', '7')
    """
    return card.split("/")[1] if "/" in card else card


def kinds(game: Game) -> tuple[str, ...]:
    """The kinds of cards that can be laid; none for a game without cards."""
    return _KINDS.get(game.name, ())
