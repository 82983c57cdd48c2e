"""A race in numbers is the match of the engine: equal draws and lays give equal hands, rows and winners."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.anthem.actions import Keep, Lay
from engine.anthem.play import apply
from engine.anthem.state import VALUE_OF, VALUES, State, unlaid
from engine.game import Game
from engine.games import game_named
from engine.lab.bots.anthem_careful import NEVER, row_of
from engine.lab.bots.anthem_race import DEAD, Manner, Table, race
from engine.lab.bots.anthem_search import known
from engine.lab.bots.anthem_simple import places_of, won
from engine.lab.dealers.anthem import Dealer


def value(card: str) -> int:
    return VALUE_OF[card] or DEAD


def begun(seats: int, dragon: bool, rng: Random) -> tuple[Game, State, Dealer]:
    game = game_named("anthem")
    rules = game.ruleset_from_json(
        {**game.ruleset_json(game.ruleset()), "dragon": "on" if dragon else "off", "both_win": "shared"}
    )
    setup: Any = game.parse(game.setup_action(range(1, seats + 1), first=1 + rng.randrange(seats)))
    state = game.apply(game.initial(rules), setup).state
    dealer = Dealer(rng)
    dealer.sync(state)
    return game, state, dealer


def table_of(state: State, dealer: Dealer) -> Table:
    order = [player.seat for player in state.seats]
    hands = [sorted(map(value, dealer.hand(seat).cards)) for seat in order]
    rows = [row_of(player.layout) for player in state.seats]
    return Table(rows, hands, order.index(state.to_move or 0), state.rules.dragon == "on")


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.booleans(), st.integers(0, 2**32))
def test_turn_by_turn_it_is_the_match_of_the_engine(seats: int, dragon: bool, seed: int) -> None:
    rng = Random(seed)
    _, state, dealer = begun(seats, dragon, rng)
    table = table_of(state, dealer)
    order = [player.seat for player in state.seats]
    for _ in range(60):
        seat = state.to_move
        assert seat is not None
        claims = [who for who in order if won(state, who, dealer.hand(who))]
        assert sorted(set(table.winners())) == [order.index(who) for who in claims]
        if claims:
            return
        drawn = dealer.hand(seat).drawn
        assert drawn is not None
        places = places_of(state, seat, drawn)
        place = rng.choice([None, *places])
        source = table.source()
        assert source is not None and value(drawn) in table.hands[source]
        row = None
        if place is not None:
            mine = table.rows[order.index(seat)]
            row = (*mine[: place - 1], value(drawn), *mine[place:])
        table.turn(source, table.hands[source].index(value(drawn)), row)
        verdict = apply(state, Keep(seat) if place is None else Lay(seat, drawn, place))
        assert verdict.ok
        state = verdict.state
        dealer.sync(state)
        now = table_of(state, dealer)
        assert [sorted(hand) for hand in table.hands] == now.hands
        assert (table.rows, table.mover) == (now.rows, now.mover)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4), st.integers(0, 2**32))
def test_a_world_is_one_that_the_seat_can_not_exclude(seats: int, seed: int) -> None:
    rng = Random(seed)
    _, state, dealer = begun(seats, False, rng)
    for _ in range(rng.randrange(12)):
        seat = state.to_move or 0
        drawn = dealer.hand(seat).drawn
        assert drawn is not None
        places = places_of(state, seat, drawn)
        state = apply(state, Lay(seat, drawn, places[0]) if places else Keep(seat)).state
        dealer.sync(state)
    seat = state.to_move or 0
    hand = dealer.hand(seat)
    assert hand.drawn is not None
    world = known(state, seat, hand).world(rng)
    assert sorted(v for cards in world.hands for v in cards) == sorted(map(value, unlaid(state)))
    assert [len(cards) for cards in world.hands] == [player.hand for player in state.seats]
    me = world.mover
    assert state.seats[me].seat == seat and sorted(world.hands[me]) == sorted(map(value, hand.cards))
    source = world.source()
    assert source is not None and world.hands[source][-1] == value(hand.drawn)


def test_everybody_lays_where_the_layout_is_done_soonest_and_keeps_what_would_spoil_it() -> None:
    manner = Manner([4] * len(VALUES), 36)
    after = manner.after((1, 2, 0, 4, 5, 0))
    assert after[3] == (1, 2, 3, 4, 5, 0)
    assert after[8] == (1, 2, 0, 4, 5, 8)
    assert after[DEAD] is None and after[4] is None
    start = manner.after((0,) * 6)
    assert all(row is not None and manner.turns(row) < NEVER for row in start[1:])
    # No copy of the 3 is left, and place 3 between 2 and 4 takes nothing else: nothing helps any more.
    hopeless = Manner([4, 4, 0, 4, 4, 4, 4, 4], 32)
    assert [hopeless.after((1, 2, 0, 4, 5, 0))[value] for value in (6, 7, 8)] == [None] * 3


@pytest.mark.parametrize(
    ("hands", "won_by"),
    [
        ([[5], [DEAD, DEAD]], 1.0),  # complete and no Dead: won before anybody draws
        ([[DEAD, DEAD], [5]], 0.0),
    ],
)
def test_a_race_is_won_by_whoever_is_through_without_a_dead(hands: list[list[int]], won_by: float) -> None:
    whole, other = (1, 2, 3, 4, 5, 6), (0,) * 6
    rows = [whole, other] if won_by else [other, whole]
    manner = Manner([1] * 8, 10)
    assert race(Table(rows, hands, 0, False), 0, manner, Random(1)) == won_by


def test_nobody_wins_a_race_that_cannot_be_won() -> None:
    rows = [(8, 0, 0, 0, 0, 0)] * 2
    assert race(Table(rows, [[1, DEAD], [2, DEAD]], 0, False), 0, Manner([1] * 8, 4), Random(1)) == 0.25
