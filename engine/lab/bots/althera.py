"""Bots for Althera, weakest first; docs/bots.md says what each does."""

from __future__ import annotations

from collections.abc import Iterator

from engine.althera.actions import Play
from engine.althera.state import State, duel_of
from engine.lab.bots import ladder_of
from engine.lab.bots.althera_careful import act_carefully
from engine.lab.bots.althera_moves import hand_of, playable
from engine.lab.bots.althera_search import PLAYOUTS, act_searching
from engine.lab.bots.althera_simple import act_greedily, act_randomly
from engine.lab.hands import Hand

BOTS = ladder_of(act_randomly, act_greedily, act_carefully, act_searching, PLAYOUTS)


def _uses(state: State, seat: int, hand: Hand, kinds: frozenset[str]) -> Iterator[Play]:
    duel = duel_of(state, seat)
    if duel is not None and duel.awaited is None and duel.turn == seat:
        cards = [card for card in hand_of(state, hand.cards) if card.kind in kinds]
        yield from playable(state, duel, seat, cards)


USES = _uses
