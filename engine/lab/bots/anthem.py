"""Bots for Anthem, weakest first; docs/bots.md says what each does."""

from __future__ import annotations

from collections.abc import Iterator

from engine.anthem.actions import Lay
from engine.anthem.state import State
from engine.lab.bots import ladder_of
from engine.lab.bots.anthem_careful import act_carefully
from engine.lab.bots.anthem_search import PLAYOUTS, act_searching
from engine.lab.bots.anthem_simple import act_greedily, act_randomly, places_of, won
from engine.lab.hands import Hand
from engine.lab.kinds import kind_of

BOTS = ladder_of(act_randomly, act_greedily, act_carefully, act_searching, PLAYOUTS)


def _uses(state: State, seat: int, hand: Hand, kinds: frozenset[str]) -> Iterator[Lay]:
    if hand.drawn is not None and kind_of(hand.drawn) in kinds and won(state, seat, hand) is None:
        yield from (Lay(seat, hand.drawn, place) for place in places_of(state, seat, hand.drawn))


USES = _uses
