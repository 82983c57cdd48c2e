"""What holds in every match of Anthem, under every ruling."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.anthem import GAME
from engine.anthem.actions import Action, Claim, Keep, Undo
from engine.anthem.state import SET_OF, State, complete
from engine.game import Finding
from tests.engine.anthem_walks import RULESETS, do, every_action, holds, judge, started, walk

SEATINGS = [(1, 2), (1, 3, 4), (2, 3, 4, 5)]


def rules_id(changes: dict[str, str]) -> str:
    return "-".join(changes.values())


def conserved(state: State) -> None:
    """Eleven cards a set: each lies once or is counted in a hand."""
    laid = [card for seat in state.seats for card in seat.layout if card is not None]
    assert len(set(laid)) == len(laid)
    assert {SET_OF[card] for card in laid} <= {seat.set for seat in state.seats}
    assert len(laid) + sum(seat.hand for seat in state.seats) == 11 * len(state.seats)
    assert all(seat.hand >= 0 for seat in state.seats)


@pytest.mark.parametrize("changes", RULESETS, ids=rules_id)
def test_cards_are_conserved_and_undo_is_exact(changes: dict[str, str]) -> None:
    for n, seats in enumerate(SEATINGS):
        first = started(changes, seats, first=seats[-1])
        past = [first]
        for before, action, verdict in walk(random.Random(n), first, 100):
            conserved(verdict.state)
            if not verdict.ok:
                assert verdict.state is before
                assert any(f.severity == "illegal" for f in verdict.findings)
            elif isinstance(action, Undo):
                assert past.pop() is before
                assert past[-1] == verdict.state
            else:
                assert GAME.apply(verdict.state, Undo()).state is before
                assert not any(f.severity == "illegal" for f in verdict.findings)
                past.append(verdict.state)
        for earlier in reversed(past[:-1]):
            past[-1] = GAME.apply(past[-1], Undo()).state
            assert past[-1] is earlier
        assert [f.code for f in GAME.apply(first, Undo()).findings] == ["nothing-to-undo"]


@pytest.mark.parametrize("changes", RULESETS, ids=rules_id)
def test_replay_equals_play(changes: dict[str, str]) -> None:
    for n, seats in enumerate(SEATINGS):
        state = replayed = started(changes, seats)
        for _, action, verdict in walk(random.Random(100 + n), state, 60):
            line = json.dumps(GAME.dump(action))
            again = judge(replayed, json.loads(line))
            assert again == verdict
            replayed = again.state
            assert GAME.state_json(replayed) == GAME.state_json(verdict.state)


@pytest.mark.parametrize("changes", RULESETS, ids=rules_id)
def test_actions_are_exactly_what_is_accepted(changes: dict[str, str]) -> None:
    rng = random.Random(7)
    ended = 0
    for seats in SEATINGS:
        states = [s for s, _, _ in walk(rng, started(changes, seats), 120)]
        over = [s for s in states if s.phase == "over"]
        ended += len(over)
        for state in rng.sample(states, 2) + over[:1]:
            offered = GAME.actions(state)
            assert len(set(offered)) == len(offered)
            for action in every_action(rng, state):
                accepted = GAME.apply(state, action).ok
                if isinstance(action, Claim):
                    assert accepted == holds(state, action), action
                else:
                    assert accepted == (action in offered), action
            claims = [a for a in offered if isinstance(a, Claim)]
            assert all(GAME.apply(state, c).ok for c in claims)
            wanted = {
                (a.seat, a.win) for a in every_action(rng, state) if isinstance(a, Claim) and holds(state, a)
            }
            assert wanted <= {(c.seat, c.win) for c in claims}
    assert ended, "no walk ended a match: the test looks at too little"


def test_a_running_match_always_has_a_move() -> None:
    """A keep is always possible. That the match ends is not sure: the rules let it be kept for ever."""
    for changes in RULESETS:
        for state, _, _ in walk(random.Random(3), started(changes), 40):
            if state.phase == "play":
                assert [a for a in GAME.actions(state) if isinstance(a, Keep)] == [Keep(s) for s in (1, 2, 3)]


def test_a_hand_never_has_fewer_than_two_cards_by_the_rules() -> None:
    for n in range(15):
        rng, state = random.Random(n), started({}, SEATINGS[n % 3])
        for _ in range(120):
            state = GAME.apply(state, rng.choice(GAME.actions(state))).state
            assert min(seat.hand for seat in state.seats) >= 2
            if state.phase == "over":
                break


def test_a_completed_layout_is_eight_rising_cards() -> None:
    seen = 0
    for n in range(20):
        rng, state = random.Random(n), started({"proof": "trust"})
        for before, action, verdict in walk(rng, state, 150):
            if action.force and verdict.ok:
                break  # the table has ruled against the rules: nothing rises any more
            for seat in before.seats:
                values = [int(c.split("/")[1]) for c in seat.layout if c is not None]
                assert values == sorted(set(values))
                seen += complete(seat.layout)
    assert seen


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
keys = st.sampled_from(["do", "seat", "card", "place", "win", "shown", "players", "first", "force", "x"])
values = any_json | st.sampled_from(["setup", "lay", "keep", "claim", "undo", "s1/5", "hero", 1, 2, True])


@given(st.dictionaries(keys, values, max_size=6) | any_json)
@settings(max_examples=300, deadline=None)
def test_any_json_is_an_action_or_a_finding(obj: object) -> None:
    parsed = GAME.parse(obj)
    if isinstance(parsed, Finding):
        assert (parsed.code, parsed.severity) == ("bad-input", "illegal")
    else:
        assert isinstance(parsed, Action)
        assert GAME.parse(GAME.dump(parsed)) == parsed
        for state in (GAME.initial(GAME.ruleset()), started({}), do(started({}), {"do": "keep", "seat": 1})):
            GAME.apply(state, parsed)
