"""Althera's hidden cards: a deck and a hand a seat (ALT-2.1, ALT-4.1, ALT-4.5, ALT-4.6, ALT-7.1)."""

from __future__ import annotations

from random import Random

from engine.althera.state import State, duel_of
from engine.lab.hands import Hand


class Dealer:
    """Hands and decks of the seats. A deck's last card is its top; new cards are shuffled in."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._hands: dict[int, list[str]] = {}
        self._decks: dict[int, list[str]] = {}
        self._state: State | None = None

    def hand(self, seat: int) -> Hand:
        """What the seat holds."""
        return Hand(tuple(self._hands[seat])) if seat in self._hands else Hand()

    def reshuffle(self, seat: int) -> None:
        """The hand goes back into the deck, and as many cards are drawn."""
        size = len(self._hands[seat])
        self._put_back(seat)
        self._draw(seat, size)

    def remember(self) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
        """Hands and decks as they are."""
        return _copied(self._hands), _copied(self._decks)

    def recall(self, state: State, memory: tuple[dict[int, list[str]], dict[int, list[str]]]) -> None:
        """Hands and decks as they were."""
        self._state = state
        self._hands, self._decks = map(_copied, memory)

    def sync(self, state: State) -> None:
        """Cards that left go, cards that came are shuffled in, hands get their public sizes."""
        before, self._state = self._state, state
        if before is state:
            return
        if before is not None and state.before is before and not _new_decks(before, state):
            if state.match.owners is not before.match.owners:
                if self._ended(before, state):
                    return
            elif state.seats is before.seats or self._followed(before, state):
                return  # the seats are the same after a declaration and a roll: no card has moved
        lying = {card for duel in state.duels for card in duel.cards}
        if before is None or set(state.seats) != set(self._hands) or _new_decks(before, state):
            self._begin(state, lying)
        elif state.match.owners is not before.match.owners or len(lying) < _lying(before):
            still = {seat for duel in state.duels for seat in duel[:2]}
            self._settle_owners(state, lying, playing=still)
            if state.match.rules.refill == "fresh_five":
                for number in _just_done(before, state):
                    self._put_back(number)
        for number, seat in state.seats.items():
            self._fit(number, seat.hand, lying)

    def _followed(self, before: State, state: State) -> bool:
        """The short way for what happens most: a card laid from the hand, a redraw.

        False, with nothing done, where it is something else. No card has changed its owner.
        """
        if len(state.duels) < len(before.duels):
            return False
        for now, was in zip(state.duels, before.duels, strict=False):
            if now is not was and len(now.cards) > len(was.cards):
                card, by, *_ = now.laid[-1]
                hand = self._hands[by]
                if card.id not in hand:
                    return False
                hand.remove(card.id)
        hands, was_at = self._hands, before.seats
        for number, seat in state.seats.items():
            if seat is was_at[number]:
                continue
            held = len(hands[number])
            if held > seat.hand:
                self._put_back(number)
                held = 0
            if held < seat.hand:
                self._draw(number, seat.hand - held)
        return True

    def _ended(self, before: State, state: State) -> bool:
        """The short way for a duel's end in which nobody went out: its cards go into their owners' decks.

        False, with nothing done, where it is something else.
        """
        last = state.match.last_duel
        if last is None or last is before.match.last_duel or before.match.tiebreak is not None:
            return False
        for number, seat in state.seats.items():
            if seat.out is not before.seats[number].out:
                return False
        lay = {card for duel in before.duels for card in duel.cards}
        closing = [card for card in last.duel.cards if card not in lay]
        for card in closing:  # the card that ended it was still in its player's hand
            hand = self._hands[last.duel.laid[-1].by]
            if card not in hand:
                return False
            hand.remove(card)
        gained: dict[int, list[str]] = {}
        for card in last.duel.cards:
            gained.setdefault(state.match.owners[card], []).append(card)
        for number in sorted(gained):
            self._shuffle_in(number, sorted(gained[number]))
        if state.match.rules.refill == "fresh_five":
            for number in _just_done(before, state):
                self._put_back(number)
        for number, seat in state.seats.items():
            if len(self._hands[number]) > seat.hand:
                self._put_back(number)
            held = len(self._hands[number])
            if held < seat.hand:
                self._draw(number, seat.hand - held)
        return True

    def _shuffle(self, deck: list[str]) -> None:
        """In place; several times as quick as `Random.shuffle`."""
        chance = self._rng.random
        deck.sort(key=lambda _: chance())

    def _shuffle_in(self, number: int, cards: list[str]) -> None:
        """Cards into a shuffled deck, each to any place: as good as shuffling it all, and quicker."""
        deck, chance = self._decks[number], self._rng.random
        for card in cards:
            deck.insert(int(chance() * (len(deck) + 1)), card)

    def _begin(self, state: State, lying: set[str]) -> None:
        """Each seat's cards, all but those that lie somewhere, as a shuffled deck; no hands yet."""
        self._hands = {seat: [] for seat in state.seats}
        self._decks = {seat: [] for seat in state.seats}
        for card, owner in state.match.owners.items():
            if card not in lying:
                self._decks[owner].append(card)
        for deck in self._decks.values():
            deck.sort()
            self._shuffle(deck)

    def _settle_owners(self, state: State, lying: set[str], playing: set[int]) -> None:
        """Each seat's cards are those it owns and that lie nowhere.

        A card that comes back to a seat whose duel still runs was taken back: it returns to the hand.
        Any other new card goes face down into the deck.
        """
        owned: dict[int, set[str]] = {seat: set() for seat in state.seats}
        for card, owner in state.match.owners.items():
            owned[owner].add(card)
        for number, whole in owned.items():
            cards = whole - lying
            hand = [card for card in self._hands[number] if card in cards]
            deck = [card for card in self._decks[number] if card in cards]
            self._hands[number], self._decks[number] = hand, deck
            if len(hand) + len(deck) == len(cards):
                continue
            new = sorted(cards.difference(hand, deck))
            if new and number in playing and len(hand) + len(new) <= state.seats[number].hand:
                hand += new
            elif len(new) > len(deck):
                deck += new
                self._shuffle(deck)
            else:
                self._shuffle_in(number, new)

    def _fit(self, number: int, size: int, lying: set[str]) -> None:
        """The hand without what was laid, at its public size. Too many cards left: it was redrawn."""
        hand = self._hands[number]
        if not lying.isdisjoint(hand):
            hand = self._hands[number] = [card for card in hand if card not in lying]
        deck = self._decks[number]
        if not lying.isdisjoint(deck):  # entered by hand: a card that the bot did not hold
            self._decks[number] = [card for card in deck if card not in lying]
        if len(hand) > size:
            self._put_back(number)
        self._draw(number, size - len(self._hands[number]))

    def _put_back(self, seat: int) -> None:
        self._decks[seat] += self._hands[seat]
        self._hands[seat] = []
        self._shuffle(self._decks[seat])

    def _draw(self, seat: int, count: int) -> None:
        deck, hand = self._decks[seat], self._hands[seat]
        if count == 1 and deck:
            hand.append(deck.pop())
        elif count > 0 and deck:
            hand += deck[: -count - 1 : -1]
            del deck[-count:]


def _copied(cards: dict[int, list[str]]) -> dict[int, list[str]]:
    return {seat: held[:] for seat, held in cards.items()}


def _lying(state: State) -> int:
    return sum(len(duel.cards) for duel in state.duels)


def _new_decks(before: State, state: State) -> bool:
    """Whether a match, or an extra duel of a tie-break (ALT-9.2), has begun with decks of its own."""
    return (
        state.match.players is not before.match.players or state.match.tiebreak is not before.match.tiebreak
    )


def _just_done(before: State, state: State) -> list[int]:
    """The seats whose duel has ended between the two states."""
    ended = [d for d in before.duels if duel_of(state, d.attacker) is None]
    return [seat for duel in ended for seat in duel[:2] if not state.seats[seat].out]
