"""Hands that fit a public state: dealt, held, played from and drawn to, all in the lab."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any, NamedTuple, Protocol

from engine.game import Game


class Hand(NamedTuple):
    """What one player holds: `cards`, as many as the public state says, in no particular order.

    `drawn` is a card just drawn and neither laid nor kept yet (Anthem); it is not among `cards`.
    """

    cards: tuple[str, ...] = ()
    drawn: str | None = None


class Dealer(Protocol):
    """How a game's hidden cards move. One a game, `engine/lab/dealers/<game>.py`, named `Dealer`."""

    def sync(self, state: Any) -> None:
        """Makes the hidden cards agree with the public state."""

    def hand(self, seat: int) -> Hand:
        """What the seat holds."""

    def reshuffle(self, seat: int) -> None:
        """The hand goes back and as many cards are drawn anew."""

    def remember(self) -> Any:
        """All hidden cards as they are, for `recall`."""

    def recall(self, state: Any, memory: Any) -> None:
        """The hidden cards of that memory again, at that public state."""


#: States that `Hands` can go back to exactly; an undo beyond them deals anew what it must.
MEMORY = 64


class Hands:
    """Every seat's hand at one table.

    Call `sync` with each new state, in order; after a restart with whatever state there is: what
    does not follow from it (who holds what) is then dealt anew so that it fits. A state that was
    there before (undo gives it back) brings back the hands of that moment. All chance comes from
    `rng`, so the same actions and the same seed deal the same cards.

    >>> from random import Random
    >>> from engine.games import game_named
    >>> game = game_named("anthem")
    >>> hands = Hands(game, Random(1))
    >>> state = game.apply(game.initial(game.ruleset()), game.parse(game.setup_action([1, 2]))).state
    >>> hands.sync(state)
    >>> len(hands.hand(2).cards)
    9
    """

    def __init__(self, game: Game, rng: Random) -> None:
        self._dealer = dealer_of(game.name)(rng)
        self._past: deque[tuple[Any, Any]] = deque(maxlen=MEMORY)

    def sync(self, state: Any) -> None:
        """Makes the hidden cards agree with the public state; nothing moves where it is the same one."""
        if self._past and self._past[-1][0] is state:
            return
        while self._past and self._knows(state):
            then, memory = self._past.pop()
            if then is state:
                self._dealer.recall(state, memory)
                break
        else:
            self._dealer.sync(state)
        self._past.append((state, self._dealer.remember()))

    def _knows(self, state: Any) -> bool:
        return any(then is state for then, _ in self._past)

    def hand(self, seat: int) -> Hand:
        """What the seat holds; empty for a seat that is not in the match. In Anthem the seat to
        move draws its card by this, once a turn."""
        return self._dealer.hand(seat)

    def reshuffle(self, seat: int) -> None:
        """The seat's hand goes back into its deck, which is shuffled, and as many are drawn."""
        self._dealer.reshuffle(seat)


class NoCards:
    """The dealer of a game without hidden cards."""

    def __init__(self, rng: Random) -> None:
        pass

    def sync(self, state: Any) -> None:
        """Nothing is hidden."""

    def hand(self, seat: int) -> Hand:
        """Nobody holds anything."""
        return Hand()

    def reshuffle(self, seat: int) -> None:
        """Nothing to shuffle."""

    def remember(self) -> None:
        """Nothing to keep."""

    def recall(self, state: Any, memory: Any) -> None:
        """Nothing to bring back."""


@cache
def dealer_of(game: str) -> Callable[[Random], Dealer]:
    """The game's own dealer, where the folder `dealers` has one."""
    module = f"engine.lab.dealers.{game}"
    if find_spec(module) is None:
        return NoCards
    dealer: Callable[[Random], Dealer] = import_module(module).Dealer
    return dealer
