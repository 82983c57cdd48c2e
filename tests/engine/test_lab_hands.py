"""Hands that fit the public state, whatever happens at the table."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from engine.althera.state import State
from engine.anthem.state import deads, unlaid
from engine.game import Game, Json
from engine.games import game_named
from engine.lab.bots import bot
from engine.lab.hands import Hands
from engine.lab.match import next_action, play

ALTHERA: list[dict[str, str]] = [
    {},
    {"refill": "fresh_five"},
    {"tiebreak_many": "sudden_death", "closing_card": "required"},
]
ANTHEM: list[dict[str, str]] = [{}, {"dragon": "on", "both_win": "shared"}, {"proof": "trust"}]
TABLES = [("althera", c, n) for c in ALTHERA for n in (2, 3, 5)] + [
    ("anthem", c, n) for c in ANTHEM for n in (2, 4)
]


def states(
    game: Game, rules: Any, seats: int, seed: int, most: int = 250
) -> Iterator[tuple[Any, Hands, Json | None]]:
    """A match by random bots with undos mixed in: each state, the hands at it, the action that led there."""
    rng = Random(seed)
    hands, state = Hands(game, rng), game.initial(rules)
    bots = {seat: bot("random", game) for seat in range(1, seats + 1)}
    action: Json | None = game.setup_action(range(1, seats + 1))
    for _ in range(most):
        if action is None:
            return
        verdict = game.apply(state, game.parse(action))
        assert verdict.ok, (action, verdict.findings)
        state = verdict.state
        hands.sync(state)
        yield state, hands, action
        undo = rng.random() < 0.05 and game.apply(state, game.parse({"do": "undo"})).ok
        action = {"do": "undo"} if undo else next_action(game, state, hands, bots, rng)


def fits(game: Game, state: Any, hands: Hands) -> None:
    """Every hand has its public size, and its cards are where a hand's cards can be."""
    public = game.state_json(state)
    held = {seat["seat"]: hands.hand(seat["seat"]).cards for seat in public["seats"]}
    assert {n: len(cards) for n, cards in held.items()} == {s["seat"]: s["hand"] for s in public["seats"]}
    together = [card for cards in held.values() for card in cards]
    assert len(set(together)) == len(together)
    if game.name == "anthem":
        assert sorted(together) == sorted(unlaid(state))
        drawn = hands.hand(state.to_move).drawn
        assert (drawn is None) == (state.phase != "play")
        assert drawn is None or drawn in held[public_right(state)]
        return
    lying = {card for duel in public["duels"] for card in duel["plays"]}
    owners = game.cards(state)
    dealer: Any = hands._dealer
    for seat, cards in held.items():
        owned = {card for card, owner in owners.items() if owner == seat and card not in lying}
        assert sorted([*cards, *dealer._decks[seat]]) == sorted(owned)


def public_right(state: Any) -> int:
    order = [seat.seat for seat in state.seats]
    return int(order[order.index(state.to_move) - 1])


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_hands_fit_every_state(table: tuple[str, dict[str, str], int]) -> None:
    name, changes, seats = table
    game = game_named(name)
    for seed in range(2):
        for state, hands, _ in states(game, game.ruleset(None, changes), seats, seed):
            fits(game, state, hands)


@pytest.mark.parametrize("many", ["round_robin", "sudden_death"])
def test_hands_fit_through_a_tie_break(many: str) -> None:
    """Every extra duel is fought with whole decks, however many it takes (ALT-9.2)."""
    game = game_named("althera")
    bots = dict.fromkeys((1, 2, 3), bot("greedy", game))
    further = 0  # extra duels after the first of a tie-break
    for seed in range(200):
        rng = Random(seed)
        hands, state = Hands(game, rng), game.initial(game.ruleset(None, {"tiebreak_many": many}))
        state = game.apply(state, game.parse(game.setup_action(bots))).state
        last = state.match._replace(turn=3)  # after one turn a tie is likelier
        state = State(last, state.seats, state.duels, state)
        hands.sync(state)
        action = next_action(game, state, hands, bots, rng)
        while action is not None:
            before, state = state, game.apply(state, game.parse(action)).state
            hands.sync(state)
            if state.match.tiebreak is not None:
                further += before.match.tiebreak not in (None, state.match.tiebreak)
                fits(game, state, hands)
            action = next_action(game, state, hands, bots, rng)
        assert state.match.winners
        if further >= 2:
            return
    pytest.fail(f"only {further} extra duels after another: more seeds")


@pytest.mark.parametrize("table", TABLES[::2], ids=str)
def test_hands_made_in_mid_match_fit_too(table: tuple[str, dict[str, str], int]) -> None:
    name, changes, seats = table
    game = game_named(name)
    for n, (state, _, _) in enumerate(states(game, game.ruleset(None, changes), seats, 7)):
        if n % 9 == 0:
            fresh = Hands(game, Random(n))
            fresh.sync(state)
            fits(game, state, fresh)


def test_a_hand_is_kept_but_for_what_leaves_it() -> None:
    game = game_named("althera")
    kept = 0
    before: dict[int, tuple[str, ...]] = {}
    for state, hands, action in states(game, game.ruleset(), 3, 11):
        assert action is not None
        for number in (1, 2, 3):
            now = hands.hand(number).cards
            gone = set(before.get(number, ())) - set(now)
            if action["do"] in ("play", "intervene") and not state.match.tiebreak:
                assert gone <= {action["card"]}, action
                kept += number == action["seat"] and len(now) > 1
            elif action["do"] in ("roll", "declare", "retreat") and not state.match.tiebreak:
                assert not gone or state.seats[number].out
        before = {n: hands.hand(n).cards for n in (1, 2, 3)}
    assert kept > 20


@pytest.mark.parametrize("name", ["althera", "anthem"])
def test_undo_brings_back_the_hands_of_that_moment(name: str) -> None:
    game = game_named(name)
    undone = 0
    for seed in range(4):
        held: list[tuple[Any, list[tuple[str, ...]]]] = []
        for state, hands, action in states(game, game.ruleset(), 3, seed):
            now = [hands.hand(n).cards for n in (1, 2, 3)]
            if action == {"do": "undo"}:
                held.pop()
                assert held[-1] == (state, now)
                undone += 1
            else:
                held.append((state, now))
    assert undone > 5


def test_a_card_taken_back_after_a_restart_returns_to_the_hand() -> None:
    game = game_named("althera")
    seen = 0
    for state, _, action in states(game, game.ruleset(), 2, 1):
        assert action is not None
        if action["do"] == "play" and any(action["card"] in duel.cards for duel in state.duels):
            hands = Hands(game, Random(seen))
            hands.sync(state)
            hands.sync(game.apply(state, game.parse({"do": "undo"})).state)
            assert action["card"] in hands.hand(action["seat"]).cards
            fits(game, state.before, hands)
            seen += 1
    assert seen > 5


def test_a_redraw_takes_other_cards_and_fresh_five_a_fresh_hand() -> None:
    game = game_named("althera")
    rules = game.ruleset(None, {"refill": "fresh_five"})
    redraws = refills = 0
    before: dict[int, set[str]] = {}
    ended: Any = None
    for seed in range(6):
        for state, hands, action in states(game, rules, 2, seed):
            assert action is not None
            now = {n: set(hands.hand(n).cards) for n in (1, 2)}
            if action["do"] == "redraw":
                assert len(now[action["seat"]]) == len(before[action["seat"]]) - 1
                redraws += not now[action["seat"]] <= before[action["seat"]]
            last = state.match.last_duel
            if (
                last is not ended
                and last is not None
                and last.ended_by == "retreat"
                and action["do"] == "roll"
            ):
                refills += not before[action["seat"]] <= now[action["seat"]]
            before, ended = now, last
    assert redraws and refills


def test_reshuffle_keeps_the_size() -> None:
    game = game_named("althera")
    hands = Hands(game, Random(1))
    state = game.apply(game.initial(game.ruleset()), game.parse(game.setup_action([1, 2]))).state
    hands.sync(state)
    old = hands.hand(1)
    hands.reshuffle(1)
    assert len(hands.hand(1).cards) == 5 and set(hands.hand(1).cards) != set(old.cards)
    fits(game, state, hands)
    assert hands.hand(4).cards == ()


def test_anthem_deals_a_dead_to_everybody() -> None:
    game = game_named("anthem")
    for seed in range(20):
        hands = Hands(game, Random(seed))
        state = game.apply(game.initial(game.ruleset()), game.parse(game.setup_action([1, 2, 3, 4]))).state
        hands.sync(state)
        assert all(len(deads(state).intersection(hands.hand(n).cards)) == 1 for n in (1, 2, 3, 4))


def test_anthems_drawn_card_goes_where_the_turn_sends_it() -> None:
    game = game_named("anthem")
    lays = keeps = 0
    drawn: str | None = None
    mover = 0
    for state, hands, action in states(game, game.ruleset(), 3, 2):
        assert action is not None
        if action["do"] == "lay":
            assert action["card"] == drawn
            lays += 1
        elif action["do"] == "keep":
            assert drawn in hands.hand(mover).cards
            keeps += 1
        mover = state.to_move
        drawn = hands.hand(mover).drawn
        assert hands.hand(mover).drawn == drawn  # drawn once a turn
    assert lays and keeps


@pytest.mark.parametrize("name", ["althera", "anthem"])
def test_a_refused_action_moves_no_card(name: str) -> None:
    game = game_named(name)
    for state, hands, _ in states(game, game.ruleset(), 2, 3):
        held = [hands.hand(n) for n in (1, 2)]
        hands.sync(
            game.apply(state, game.parse({"do": "undo"} if state.before is None else wrong(name))).state
        )
        assert [hands.hand(n) for n in (1, 2)] == held


def wrong(name: str) -> Json:
    """What no state of that game takes."""
    action: Json = {"do": "lay", "seat": 1, "card": "s1/0", "place": 1}
    return action if name == "anthem" else {"do": "play", "seat": 5, "card": "aurea/captain/1"}


def test_a_persons_card_that_a_bot_seemed_to_hold_is_made_good() -> None:
    """At a mixed table a person lays a real card; the dealt hands give way."""
    game = game_named("anthem")
    hands = Hands(game, Random(3))
    state = game.apply(game.initial(game.ruleset()), game.parse(game.setup_action([1, 2, 3]))).state
    hands.sync(state)
    for card, place, seat in (("s1/4", 3, 1), ("s2/4", 3, 3), ("s3/6", 4, 2), ("s3/8", 6, 2)):
        state = game.apply(state, game.parse({"do": "lay", "seat": seat, "card": card, "place": place})).state
        hands.sync(state)
        fits(game, state, hands)


def test_a_card_laid_out_of_the_deck_is_in_no_hand_afterwards() -> None:
    """At a table of people the dealt hands know nothing of theirs: most cards laid are in the deck here."""
    game = game_named("althera")
    for seed in range(10):
        table = dict.fromkeys((1, 2, 3), bot("random", game))
        hands, state = Hands(game, Random(seed + 100)), game.initial(game.ruleset())
        for move in play(game, game.ruleset(), table, Random(seed)).moves:
            state = game.apply(state, move).state
            hands.sync(state)
            fits(game, state, hands)


@pytest.mark.parametrize("changes", ALTHERA, ids=str)
def test_the_dealers_short_ways_leave_what_the_long_way_leaves(
    changes: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who holds which cards and which are in the deck, as sets: only the deck's order is chance's."""
    from engine.lab.dealers.althera import Dealer

    game = game_named("althera")
    for seats in (2, 3, 5):
        rng = Random(seats)
        bots = {seat: bot("greedy", game) for seat in range(1, seats + 1)}
        short, state = Hands(game, rng), game.initial(game.ruleset(None, changes))
        action: Json | None = game.setup_action(bots)
        for _ in range(200):
            if action is None:
                break
            long = Dealer(Random(1))
            if state.seats:
                long.recall(state, short._dealer.remember())
            monkeypatch.setattr(long, "_followed", lambda *_: False, raising=False)
            monkeypatch.setattr(long, "_ended", lambda *_: False, raising=False)
            before = {number: set(short.hand(number).cards) for number in bots}
            state = game.apply(state, game.parse(action)).state
            short.sync(state)
            long.sync(state)
            for number in bots:
                one, two = short.hand(number).cards, long.hand(number).cards
                assert len(one) == len(two) == state.seats[number].hand
                decks: Any = short._dealer
                assert {*one, *decks._decks[number]} == {*two, *long._decks[number]}
                if action["do"] in ("play", "intervene", "declare") and state.match.last_duel is None:
                    assert (set(one) & before[number]) == (set(two) & before[number])
            action = next_action(game, state, short, bots, rng)
