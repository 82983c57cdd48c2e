"""Bots for Anthem, weakest first; docs/bots.md says what each does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from engine.anthem.actions import Lay
from engine.anthem.state import State
from engine.lab.bots import Acting, Bot
from engine.lab.bots.anthem_careful import act_carefully
from engine.lab.bots.anthem_search import PLAYOUTS, searching
from engine.lab.bots.anthem_simple import act_greedily, act_randomly, places_of, won
from engine.lab.bots.search import Budget
from engine.lab.hands import Hand
from engine.lab.kinds import kind_of

BOTS: Mapping[str, Bot] = {
    "random": Acting("random", act_randomly),
    "greedy": Acting("greedy", act_greedily),
    "careful": Acting("careful", act_carefully),
    "searching": searching(Budget(PLAYOUTS)),
}

#: (bot, option) -> the bot with a budget of that much.
BUDGETS: Mapping[tuple[str, str], Callable[[int], Bot]] = {
    ("searching", "playouts"): lambda count: searching(Budget(count)),
    ("searching", "ms"): lambda ms: searching(Budget(None, ms)),
}


def _uses(state: State, seat: int, hand: Hand, kinds: frozenset[str]) -> Iterator[Lay]:
    if hand.drawn is not None and kind_of(hand.drawn) in kinds and won(state, seat, hand) is None:
        yield from (Lay(seat, hand.drawn, place) for place in places_of(state, seat, hand.drawn))


USES = _uses
