"""What every Althera bot asks: which moves there are, and which of them the rules allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.althera.actions import Action, Declare, Intervene, Play, Redraw, Retreat, Sign, Stand
from engine.althera.apply import carry_out
from engine.althera.cards import Card
from engine.althera.legality import findings, retreat_fault, stand_fault, timing_fault
from engine.althera.state import Duel, State, duel_of

_NO_SIGN: tuple[Sign | None, ...] = (None,)
_SIGNS: tuple[Sign | None, ...] = ("+", "-")


def legal(state: State, action: Action) -> bool:
    """Whether the rules have nothing against the action now."""
    return not findings(state, action)


def may_redraw(state: State, duel: Duel, seat: int) -> bool:
    """Whether the duellist may still shuffle the hand back (ALT-4.1)."""
    return duel.played(seat) == 0 and legal(state, Redraw(seat))


def may_retreat(state: State, duel: Duel, seat: int) -> bool:
    """Whether the duellist on move may roll to retreat (ALT-6.1)."""
    return retreat_fault(state.match.rules, duel, seat) is None and legal(state, Retreat(seat))


def may_stand(state: State, duel: Duel, seat: int) -> bool:
    """Whether the duellist on move may leave the last card unplayed (`closing_card`)."""
    return stand_fault(state.match.rules, duel, seat) is None and legal(state, Stand(seat))


def in_time(state: State, duel: Duel, seat: int, card: Card) -> bool:
    """Whether this card of the hand may be laid by the duellist on move (ALT-5.5)."""
    return card.value is not None or timing_fault(state.match.rules, duel, card.kind, seat, False) is None


def playable(state: State, duel: Duel, seat: int, cards: Sequence[Card]) -> Iterator[Play]:
    """Every play of a hand by the duellist on move, copies of a kind once each."""
    seen = set()
    for card in cards:
        kind = (card.kind, card.value)
        if kind not in seen and in_time(state, duel, seat, card):
            seen.add(kind)
            for sign in signs(card):
                yield Play(seat, card.id, sign)


def forced(seat: int, cards: Sequence[Card]) -> Play | None:
    """The way out where no card of the hand may be played: on the own field, say, with nothing but
    specials that answer. The rules leave that open; the table lets a special be laid for nothing."""
    order = ("shield", "alteration", "overtake", "oracle")
    specials = sorted((c for c in cards if c.special), key=lambda c: order.index(c.kind))
    if not specials:
        return None
    return Play(seat, specials[0].id, "+" if specials[0].kind == "alteration" else None, force=True)


def unplayable(state: State, seat: int, cards: Sequence[Card]) -> Play | None:
    """A special that may be laid although it does nothing, because the seat owns nothing better
    (docs/rulings.md); failing that a forced one."""
    plays = (Play(seat, card.id, sign) for card in cards for sign in signs(card))
    return next((play for play in plays if legal(state, play)), None) or forced(seat, cards)


def declarations(state: State, seat: int) -> list[Declare]:
    """Every duel that the seat may declare."""
    thinkable = (Declare(seat, other) for other in state.seats if other != seat)
    return [declare for declare in thinkable if legal(state, declare)]


def interventions(state: State, seat: int, cards: Sequence[Card]) -> Iterator[Intervene]:
    """Every special of the hand for either side of every duel that takes one; legality not yet asked."""
    specials = [card for card in cards if card.value is None]
    for duel in state.duels:
        if specials and duel.scored and duel.awaited is None and seat not in duel.interveners:
            for card in specials:
                for side in duel[:2]:
                    for sign in signs(card):
                        yield Intervene(seat, side, card.id, sign)


def signs(card: Card) -> tuple[Sign | None, ...]:
    """The ways to lay a card: both signs of an alteration, one way for all others."""
    return _SIGNS if card.kind == "alteration" else _NO_SIGN


def takes(state: State, action: Play | Intervene, side: int) -> bool:
    """Whether the side owns the field once the card, which the rules allow, lies (an oracle always sees
    to that, unless a shield stands against it)."""
    duel = duel_of(state, side)
    card = state.match.rules.cards[action.card]
    if duel is None or (card.special and duel.shield == duel.enemy(side)):
        return False
    if card.kind == "oracle":
        return True
    after = duel_of(carry_out(state, action), side)
    return after is None or (after.field is not None and after.field.owner == side)


def hand_of(state: State, ids: Sequence[str]) -> list[Card]:
    """The cards of a hand in an order that depends on nothing but which cards they are."""
    cards = state.match.rules.cards
    return [cards[card] for card in sorted(ids)]
