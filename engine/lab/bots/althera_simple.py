"""Althera's two simple bots: one that plays anything, one that counts only its own cards."""

from __future__ import annotations

from bisect import bisect_left
from random import Random

from engine.althera.actions import Action, Declare, Play, Redraw, Retreat, Stand
from engine.althera.cards import Card
from engine.althera.state import Duel, State, declarer, duel_of
from engine.lab.bots.althera_moves import (
    declarations,
    hand_of,
    in_time,
    interventions,
    legal,
    may_redraw,
    may_retreat,
    may_stand,
    playable,
    signs,
    takes,
    unplayable,
)
from engine.lab.hands import Hand

#: How often a random bot makes use of what it may but need not do, each time it is asked.
REDRAWS, RETREATS, INTERVENES = 0.1, 0.1, 0.05


def act_randomly(state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
    """Plays any card that the rules allow; redraws, retreats, stands and intervenes now and then."""
    duel = duel_of(state, seat)
    chance = rng.random
    if duel is None:
        if declarer(state) == seat:
            return rng.choice(declarations(state, seat))
        return _interfere(state, seat, hand, rng) if chance() < INTERVENES else None
    if chance() < REDRAWS and may_redraw(state, duel, seat):
        return Redraw(seat)
    if duel.awaited is not None or duel.turn != seat:
        return None
    if chance() < RETREATS and may_retreat(state, duel, seat):
        return Retreat(seat)
    if chance() < 0.5 and may_stand(state, duel, seat):
        return Stand(seat)
    known = state.match.rules.cards
    left = list(hand.cards)
    while left:
        card = known[left.pop(int(chance() * len(left)))]
        if in_time(state, duel, seat, card):
            return Play(seat, card.id, rng.choice(signs(card)))
    return unplayable(state, seat, hand_of(state, hand.cards))


def _interfere(state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
    thinkable = list(interventions(state, seat, hand_of(state, hand.cards)))
    rng.shuffle(thinkable)
    return next((action for action in thinkable if legal(state, action)), None)


def act_greedily(state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
    """Takes the field as cheaply as it can, throws small cards on a field it can't take, saves its
    specials for the end of a duel, and retreats from a duel that it has lost."""
    duel = duel_of(state, seat)
    if duel is None:
        if declarer(state) == seat:
            return _against_the_richest(state, seat, rng)
        return _stop_the_leader(state, seat, hand)
    cards = hand_of(state, hand.cards)
    if duel.played(seat) == 0 and _hopeless(state, cards) and may_redraw(state, duel, seat):
        return Redraw(seat)
    if duel.awaited is not None or duel.turn != seat:
        return None
    if may_stand(state, duel, seat):
        return Stand(seat)
    return _greedy_card(state, duel, seat, cards) or _any_card(state, duel, seat, cards)


def _any_card(state: State, duel: Duel, seat: int, cards: list[Card]) -> Action | None:
    return next(playable(state, duel, seat, cards), None) or unplayable(state, seat, cards)


def _against_the_richest(state: State, seat: int, rng: Random) -> Declare:
    """A duel with whoever has most to lose."""
    offered = declarations(state, seat)
    if len(offered) == 1:
        return offered[0]
    most = max(state.seats[d.against].cards for d in offered)
    return rng.choice([d for d in offered if state.seats[d.against].cards == most])


def _value(card: Card) -> int:
    return card.value or 0


def _greedy_card(state: State, duel: Duel, seat: int, cards: list[Card]) -> Action | None:
    plays = state.match.rules.plays
    mine, theirs = plays - duel.played(seat), plays - duel.played(duel.enemy(seat))
    scores = sorted([c for c in cards if c.value is not None], key=_value)
    field = duel.field
    if field is None or field.owner == seat:
        # The higher the field stands, the fewer cards can answer it.
        if scores:
            return Play(seat, scores[-1].id)
        return _special(state, duel, seat, cards)
    taken = bisect_left(scores, field.value, key=_value)
    if taken < len(scores):
        return Play(seat, scores[taken].id)
    if mine == 1 or theirs <= 1:
        special = _special(state, duel, seat, cards)
        if special is not None:
            return special
        if may_retreat(state, duel, seat):
            return Retreat(seat)
    if scores:
        return Play(seat, scores[0].id)
    return _special(state, duel, seat, cards)


_ORDER = {"oracle": 0, "alteration": 1, "overtake": 2, "shield": 3}


def _special(state: State, duel: Duel, seat: int, cards: list[Card]) -> Action | None:
    """A special after which the field is ours, the oracle first and the shield last."""
    specials = [c for c in cards if c.value is None]
    for card in sorted(specials, key=lambda c: _ORDER[c.kind]):
        if in_time(state, duel, seat, card):
            for sign in signs(card):
                play = Play(seat, card.id, sign)
                if takes(state, play, seat):
                    return play
    return None


def _stop_the_leader(state: State, seat: int, hand: Hand) -> Action | None:
    """Against the leader, in a duel's last plays, with a special to spare."""
    late = 2 * state.match.rules.plays - 1
    last_plays = [d for d in state.duels if d.by_attacker + d.by_defender >= late and d.field is not None]
    if not last_plays:
        return None
    cards = hand_of(state, hand.cards)
    if sum(card.value is None for card in cards) < 2:
        return None
    leader = sole_leader(state)
    for duel in last_plays:
        if leader in duel[:2] and duel.field is not None and duel.field.owner == leader:
            side = duel.enemy(leader)
            for action in interventions(state, seat, cards):
                if action.side == side and legal(state, action) and takes(state, action, side):
                    return action
    return None


def sole_leader(state: State) -> int | None:
    """The seat that owns more cards than any other, None where two share that."""
    most = max(seat.cards for seat in state.seats.values())
    leaders = [number for number, seat in state.seats.items() if seat.cards == most]
    return leaders[0] if len(leaders) == 1 else None


def _hopeless(state: State, cards: list[Card]) -> bool:
    """A hand worth one card less: no special, nothing of weight, and more than the least allowed."""
    values = [c.value for c in cards]
    if None in values or len(values) <= state.match.rules.min_hand + 1:
        return False
    return sum([value or 0 for value in values]) < 25
