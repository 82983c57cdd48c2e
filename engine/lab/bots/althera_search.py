"""Althera's searching bot: each way to play tried to the duel's end in many worlds that it can't exclude."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import erf, sqrt
from random import Random

from engine.althera.actions import Action, Play, Redraw, Retreat, Roll
from engine.althera.apply import apply
from engine.althera.state import LastDuel, State, declarer, duel_of
from engine.lab.bots import Act
from engine.lab.bots.althera_careful import POINT, SPECIAL, act_carefully
from engine.lab.bots.althera_moves import hand_of, interventions, legal, may_redraw, may_retreat, playable
from engine.lab.bots.althera_odds import lying, owned
from engine.lab.bots.althera_simple import act_greedily
from engine.lab.bots.search import Budget, best_of
from engine.lab.dealers.althera import Dealer
from engine.lab.hands import Hand

#: Playouts a decision where nothing else is asked for.
PLAYOUTS = 200
#: By how many cards the margin between two players moves in a duel, as a standard deviation, and how many
#: the attacker loses by it on the average: means of 1,200 duels between careful bots.
SWING, EDGE = 3.2, 2.3


def act_searching(budget: Budget) -> Act:
    """The function of a searching bot with that budget a decision. Declarations it leaves to the careful
    bot's odds."""

    def act(state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
        duel = duel_of(state, seat)
        if duel is None:
            if declarer(state) == seat:
                return act_carefully(state, seat, hand, rng)
            return _outside(state, seat, hand, budget, rng)
        if duel.awaited is not None or duel.turn != seat:
            return None  # a defender who would redraw does so once the attacker's card lies
        careful = act_carefully(state, seat, hand, rng)
        if not isinstance(careful, Play | Retreat | Redraw) or (isinstance(careful, Play) and careful.force):
            return careful
        candidates: list[Action] = list(playable(state, duel, seat, hand_of(state, hand.cards)))
        if may_retreat(state, duel, seat):
            candidates.append(Retreat(seat))
        if may_redraw(state, duel, seat):
            candidates.append(Redraw(seat))
        if careful not in candidates:
            return careful
        candidates.sort(key=lambda action: action != careful)
        return best_of(candidates, partial(_playout, state, seat, seat, hand), budget, rng)

    return act


def _outside(state: State, seat: int, hand: Hand, budget: Budget, rng: Random) -> Action | None:
    """Whether to lay a special in somebody's duel that is about to end."""
    late = 2 * state.match.rules.plays - 1
    duels = [d for d in state.duels if d.by_attacker + d.by_defender >= late and d.scored]
    cards = hand_of(state, hand.cards)
    for duel in duels:
        seen, candidates = set(), list[Action | None]()
        for action in interventions(state, seat, cards):
            kind = (state.match.rules.cards[action.card].kind, action.side, action.sign)
            if action.side in duel[:2] and kind not in seen and legal(state, action):
                seen.add(kind)
                candidates.append(action)
        if candidates:
            playout = partial(_playout, state, seat, duel.attacker, hand)
            best = best_of([None, *candidates], playout, budget, rng)
            if best is not None:
                return best
    return None


def _playout(state: State, seat: int, duellist: int, hand: Hand, first: Action | None, seed: int) -> float:
    """How `seat` stands once the duel of `duellist` has been played out after `first`, in one world."""
    rng = Random(seed)
    dealer = _world(state, seat, hand, rng)
    before = state.match.last_duel
    if first is not None:
        state = apply(state, first).state
        dealer.sync(state)
    while state.match.last_duel is before:
        action = _policy(state, duellist, dealer.hand, rng)
        if action is None:  # nobody in it can do anything: count it as it stands
            break
        state = apply(state, action).state
        dealer.sync(state)
    return _standing(state, seat, before)


def _policy(state: State, duellist: int, hand: Callable[[int], Hand], rng: Random) -> Action | None:
    duel = duel_of(state, duellist)
    if duel is None:
        return None
    if duel.awaited is not None:
        return Roll(duel.awaited.seat, 1 + int(rng.random() * 6))
    seat = duel.turn
    weigh = act_carefully if duel.played(seat) else act_greedily
    action = weigh(state, seat, hand(seat), rng)
    return action if action is not None else act_greedily(state, seat, hand(seat), rng)


def _world(state: State, seat: int, hand: Hand, rng: Random) -> Dealer:
    """Hands and decks that fit what the seat knows: its own hand, and who owns which cards."""
    away = lying(state)
    mine = set(hand.cards)
    hands, decks = {}, {}
    for number, cards in owned(state).items():
        ids = [card.id for card in cards if card.id not in away]
        if number == seat:
            hands[number] = list(hand.cards)
            ids = [card for card in ids if card not in mine]
            held = 0
        else:
            held = state.seats[number].hand
        rng.shuffle(ids)
        if number != seat:
            hands[number] = ids[:held]
        decks[number] = ids[held:]
    dealer = Dealer(rng)
    dealer.recall(state, (hands, decks))
    return dealer


def _standing(state: State, seat: int, before: LastDuel | None) -> float:
    """How likely the seat is to win from here, by its margin and what is still to come: 0 to 1."""
    match = state.match
    if match.winners is not None:
        return 1.0 if seat in match.winners else 0.0
    seats = state.seats if match.tiebreak is None else match.tiebreak.seats
    margin = seats[seat].cards - max(other.cards for other in seats.values() if other.seat != seat)
    last = match.last_duel
    worth = 0.0
    if last is not None and last is not before:
        for laid in last.duel.laid:
            value = laid.card.value
            if value is None:
                receiver = last.duel.enemy(laid.side)
                worth += SPECIAL * ((receiver == seat) - (laid.by == seat))
            elif last.winner is not None and laid.side != last.winner:
                worth += POINT * value * ((last.winner == seat) - (laid.side == seat))
    ahead = (match.turns - match.turn) * (len(seats) - 1) + sum(seat in pair for pair in match.pairs_left)
    spread = SWING * sqrt(ahead + 0.3)
    lead = (margin + 2 * worth * min(1, ahead) - EDGE * _attacks(state, seat, ahead)) / spread
    return 0.5 + 0.5 * erf(lead * sqrt(0.5))


def _attacks(state: State, seat: int, ahead: int) -> int:
    """How many more of the duels to come the seat will attack in than defend in, as far as that is known:
    between two players the crown's holder attacks."""
    match = state.match
    if len(state.seats) > 2 or match.rules.initiative == "leader":
        return 0
    now = 1 if match.crown == seat else -1
    if match.rules.initiative == "fixed":
        return now * ahead
    return now * (len(match.pairs_left) - (ahead - len(match.pairs_left)) % 2)
