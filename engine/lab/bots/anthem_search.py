"""Anthem's searching bot: each place, and keeping, tried to the match's end in worlds it can't exclude."""

from __future__ import annotations

from functools import partial
from random import Random

from engine.anthem.actions import Action, Keep, Lay
from engine.anthem.play import apply
from engine.anthem.state import PLACES, State, unlaid, winners
from engine.lab.bots import Act
from engine.lab.bots.anthem_careful import act_carefully
from engine.lab.bots.anthem_simple import act_greedily, places_of, won
from engine.lab.bots.search import Budget, best_of
from engine.lab.dealers.anthem import Dealer
from engine.lab.hands import Hand

#: Playouts a decision where nothing else is asked for.
PLAYOUTS = 60
#: Turns a seat that a playout goes on for; after them nobody has won.
TURNS = 25


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
        candidates.sort(key=lambda action: action != careful)
        return best_of(candidates, partial(_playout, state, seat, hand), budget, rng)

    return act


def _playout(state: State, seat: int, hand: Hand, first: Action, seed: int) -> float:
    """1 where the seat wins a match played on by greedy bots after `first`, 0 where another does;
    where nobody does in good time, how far it has come."""
    rng = Random(seed)
    dealer = _world(state, seat, hand, rng)
    state = apply(state, first).state
    dealer.sync(state)
    seats = [player.seat for player in state.seats]
    for _ in range(TURNS * len(seats)):
        action: Action | None = None
        for player in state.seats:
            if player.seat != state.to_move and None not in player.layout:
                action = won(state, player.seat, dealer.hand(player.seat))
                if action is not None:
                    break
        mover = state.to_move
        if action is None and mover is not None:
            action = act_greedily(state, mover, dealer.hand(mover), rng)
        if action is None:
            break
        state = apply(state, action).state
        won_by = winners(state)
        if won_by is not None:
            return 1.0 if seat in won_by else 0.0
        dealer.sync(state)
    laid = sum(
        player.layout[place] is not None for player in state.seats for place in PLACES if player.seat == seat
    )
    return 0.01 * laid


def _world(state: State, seat: int, hand: Hand, rng: Random) -> Dealer:
    """Hands that fit what the seat knows: its own, the card it has drawn, and everybody's number."""
    own = set(hand.cards)
    others = [card for card in unlaid(state) if card not in own and card != hand.drawn]
    rng.shuffle(others)
    hands = {}
    right = _drawn_from(state, seat)
    for player in state.seats:
        number = player.seat
        if number == seat:
            hands[number] = list(hand.cards)
            continue
        count = player.hand - (number == right and hand.drawn is not None)
        hands[number] = [others.pop() for _ in range(min(count, len(others)))]
        if number == right and hand.drawn is not None:
            hands[number].append(hand.drawn)
    dealer = Dealer(rng)
    dealer.recall(state, hands)
    if hand.drawn is not None:
        dealer.draw(hand.drawn)
    return dealer


def _drawn_from(state: State, seat: int) -> int:
    """The neighbour whose card the seat has drawn: the next to the right that has any (ANT-3.1)."""
    numbers = [player.seat for player in state.seats]
    held = {player.seat: player.hand for player in state.seats}
    me = numbers.index(seat)
    order = [numbers[(me - k) % len(numbers)] for k in range(1, len(numbers) + 1)]
    return next((number for number in order if held[number]), seat)
