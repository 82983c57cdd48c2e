"""Anthem's hidden cards: nine in each hand, one drawn from the neighbour each turn (ANT-2.2, ANT-3.1)."""

from __future__ import annotations

from random import Random

from engine.anthem.state import DEALT, State, deads, index_of, unlaid
from engine.lab.hands import Hand


class Dealer:
    """The hands of the seats, and the card that the seat to move has drawn."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._hands: dict[int, list[str]] = {}
        self._drawn: str | None = None
        self._state: State | None = None

    def hand(self, seat: int) -> Hand:
        """What the seat holds by the public count; the seat to move draws its card by this."""
        state = self._state
        cards = tuple(self._hands.get(seat, ()))
        if state is None or state.phase != "play" or seat != state.to_move:
            return Hand(cards)
        if self._drawn is None:
            self._drawn = self._rng.choice(self._hands[self._from(state)])
        return Hand(cards, self._drawn)

    def reshuffle(self, seat: int) -> None:
        """There is no deck: the hand is only shuffled."""
        self._rng.shuffle(self._hands[seat])

    def remember(self) -> dict[int, list[str]]:
        """The hands as they are before the next draw."""
        return {seat: held[:] for seat, held in self._hands.items()}

    def recall(self, state: State, memory: dict[int, list[str]]) -> None:
        """The hands as they were; the card that was then drawn is drawn anew."""
        self._state, self._drawn = state, None
        self._hands = {seat: held[:] for seat, held in memory.items()}

    def draw(self, card: str) -> None:
        """The seat to move has drawn this card, which must be in the hand that it draws from."""
        self._drawn = card

    def sync(self, state: State) -> None:
        """Laid cards go, the drawn one changes hands, and hands get their public sizes."""
        before, self._state = self._state, state
        if not state.seats:
            self._hands = {}
            return
        hidden = unlaid(state)
        held = {card for hand in self._hands.values() for card in hand}
        same = before is not None and [s.seat for s in before.seats] == [s.seat for s in state.seats]
        if not same or before is None or not held or (state.turn == 1 and before.phase == "over"):
            self._deal(state, hidden)
            return
        self._move_drawn(before, state, hidden)
        hands = self._hands.values()
        left = set(hidden)
        for hand in hands:
            hand[:] = [card for card in hand if card in left]
        held = {card for hand in hands for card in hand}
        self._even_out(state, [card for card in hidden if card not in held])

    def _from(self, state: State) -> int:
        """The seat that is drawn from: the next to the right that has cards."""
        me = index_of(state, state.to_move or 0) or 0
        order = [state.seats[(me - k) % len(state.seats)].seat for k in range(1, len(state.seats) + 1)]
        return next(seat for seat in order if self._hands[seat])

    def _move_drawn(self, before: State, state: State, hidden: list[str]) -> None:
        """A drawn card goes to the seat that drew it, once its turn is over and it was not laid."""
        if self._drawn is None or (state.turn == before.turn and state.phase == before.phase):
            return
        drawn, self._drawn = self._drawn, None
        if state.turn > before.turn and drawn in hidden and before.to_move is not None:
            self._hands[self._from(before)].remove(drawn)
            self._hands[before.to_move].append(drawn)

    def _even_out(self, state: State, spare: list[str]) -> None:
        """Cards that nobody holds, or that somebody has too many of, go where cards are missing.

        That is the draw of a turn nobody played through this dealer (a person's, an inferred keep),
        a card taken back by undo, or the hand of a seat after a restart.
        """
        for seat in state.seats:
            hand = self._hands[seat.seat]
            while len(hand) > seat.hand:
                spare.append(hand.pop(self._rng.randrange(len(hand))))
        self._rng.shuffle(spare)
        for seat in state.seats:
            hand = self._hands[seat.seat]
            while len(hand) < seat.hand and spare:
                hand.append(spare.pop())

    def _deal(self, state: State, hidden: list[str]) -> None:
        """A deal that fits: at the start a Dead for everyone (ANT-2.2), later anything."""
        self._drawn = None
        dead = sorted(deads(state))
        plain = [card for card in hidden if card not in dead]
        start = state.turn == 1 and all(seat.hand == DEALT for seat in state.seats)
        self._hands = {s.seat: [card] if start else [] for s, card in zip(state.seats, dead, strict=True)}
        self._even_out(state, plain if start else hidden)
