"""Anthem's searching bot: each place, and keeping, tried to the match's end in worlds it can't exclude."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from engine.anthem.actions import Action, Keep, Lay
from engine.anthem.state import VALUE_OF, VALUES, State, unlaid
from engine.lab.bots import Act
from engine.lab.bots.anthem_careful import act_carefully, row_of
from engine.lab.bots.anthem_race import DEAD, Manner, Table, race
from engine.lab.bots.anthem_simple import places_of
from engine.lab.bots.search import Budget, best_of
from engine.lab.hands import Hand

#: Playouts a decision where nothing else is asked for.
PLAYOUTS = 1000


def act_searching(budget: Budget) -> Act:
    """The function of a searching bot with that budget a decision."""

    def act(state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
        careful = act_carefully(state, seat, hand, rng)
        if hand.drawn is None or not isinstance(careful, Lay | Keep):
            return careful
        candidates: list[Action] = [
            Keep(seat),
            *(Lay(seat, hand.drawn, place) for place in places_of(state, seat, hand.drawn)),
        ]
        if len(candidates) == 1:
            return careful
        candidates.sort(key=lambda action: action != careful)
        return best_of(candidates, known(state, seat, hand).playout, budget, rng)

    return act


class Known(NamedTuple):
    """What the seat knows, in numbers.

    `me`: its place in the order of play; `own`: the values it holds, `DEAD` for a Dead; `drawn`: the one it
    has drawn, from the hand at place `source`; `rows`: all rows; `sizes`: all hands without that card;
    `others`: what the others hold between them, without it.
    """

    me: int
    own: tuple[int, ...]
    drawn: int
    source: int
    rows: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    others: tuple[int, ...]
    dragon: bool
    manner: Manner

    def playout(self, first: Action, seed: int) -> float:
        """What a match played on after `first` is worth to the seat, in the world of that seed: 0 to 1."""
        rng = Random(seed)
        table = self.world(rng)
        row = None
        if isinstance(first, Lay):
            mine = self.rows[self.me]
            row = (*mine[: first.place - 1], self.drawn, *mine[first.place :])
        table.turn(self.source, len(table.hands[self.source]) - 1, row)
        return race(table, self.me, self.manner, rng)

    def world(self, rng: Random) -> Table:
        """Hands that fit, the drawn card last in the hand that it came from."""
        loose, hands = list(self.others), []
        rng.shuffle(loose)
        for who, size in enumerate(self.sizes):
            hands.append(list(self.own) if who == self.me else [loose.pop() for _ in range(size)])
        hands[self.source].append(self.drawn)
        return Table(self.rows, hands, self.me, self.dragon)


def known(state: State, seat: int, hand: Hand) -> Known:
    """What a seat that has drawn a card knows of the table."""
    order = [player.seat for player in state.seats]
    me, count = order.index(seat), len(order)
    sizes = [player.hand for player in state.seats]
    source = next(((me - k) % count for k in range(1, count) if sizes[me - k]), me)
    sizes[source] -= 1
    own = set(hand.cards)
    left = [_value(card) for card in unlaid(state)]
    others = [_value(card) for card in unlaid(state) if card not in own and card != hand.drawn]
    return Known(
        me,
        tuple(_value(card) for card in sorted(own)),
        _value(hand.drawn),
        source,
        tuple(row_of(player.layout) for player in state.seats),
        tuple(sizes),
        tuple(others),
        state.rules.dragon == "on",
        Manner([left.count(value) for value in VALUES], len(left)),
    )


def _value(card: str | None) -> int:
    return DEAD if card is None else VALUE_OF[card] or DEAD
