"""What must hold in every match under every ruling: cards, undo, replay, legal actions, no dead end."""

import json
import random
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.althera import GAME
from engine.althera.actions import Undo
from engine.althera.ruleset import Ruleset
from engine.althera.state import State
from engine.game import Audience, Finding
from tests.engine.althera_play import (
    RULING_VALUES,
    SMALL_DECKS,
    any_action,
    ruleset,
    rulesets,
    started,
    universe,
    walk,
)

SEEDS = st.integers(0, 2**32 - 1)
EVERY_RULING = [(key, value) for key, values in RULING_VALUES.items() for value in values]


def seats_of(rng: random.Random) -> list[int]:
    return sorted(rng.sample(range(1, 6), rng.randint(2, 5)))


def check_cards(state: State, deck_size: int) -> None:
    """No card lost, made or doubled; the counts are those of the owners."""
    match, seats = state.match, state.seats
    houses = {player.house for player in match.players}
    lying = [card for duel in state.duels for card in duel.cards]
    assert len(set(lying)) == len(lying)
    assert Counter(laid.by for duel in state.duels for laid in duel.laid) == Counter(
        {number: seat.lying for number, seat in seats.items() if seat.lying}
    )
    owned = Counter(match.owners.values())
    for number, seat in seats.items():
        assert seat.cards == owned[number]
        assert 0 <= seat.hand <= match.rules.hand_size
        assert seat.deck >= 0
        assert not seat.out or seat.hand == 0
    counted = match.tiebreak.owners if match.tiebreak else match.owners
    assert Counter(card.split("/")[0] for card in counted) == Counter(dict.fromkeys(houses, deck_size))
    public = GAME.state_json(state)
    assert sum(seat["cards"] for seat in public["seats"]) == deck_size * len(houses)


def check_views(state: State) -> None:
    """A view names no card but those that lie, or lay, in the open (ALT-1.7)."""
    last = state.match.last_duel
    seen = {card for duel in state.duels for card in duel.cards} | set(last.duel.cards if last else ())
    audiences = [Audience("spectator"), Audience("operator"), Audience("stream")]
    audiences += [Audience("seat", number) for number in state.seats]
    for audience in audiences:
        text = json.dumps(GAME.view(state, audience))
        assert set(re.findall(r"[a-z]+/[a-z]+/[0-9]+", text)) <= seen


def check_match(rules: Ruleset, seed: int, turns: int | None = None) -> None:
    """One random match to its end, of so many turns or of any length, with every check that is quick."""
    rng = random.Random(seed)
    size = len(rules.deck("aurea"))
    state = started(rules, seats_of(rng), turns or rng.choice(rules.turns))
    played: list[dict[str, Any]] = [GAME.setup_action([])]
    texts = [json.dumps(GAME.state_json(state))]
    first = state
    for before, action, after in walk(rng, state):
        check_cards(after, size)
        if rng.random() < 0.05:
            check_views(after)
        back = GAME.apply(after, Undo()).state
        assert back == before
        wrong = any_action(rng, rules)
        verdict = GAME.apply(after, wrong)
        assert verdict.ok or verdict.state is after
        played.append(GAME.dump(action))
        texts.append(json.dumps(GAME.state_json(after)))
        state = after
    assert state.match.phase == "over", f"the match is stuck: {texts[-1]}"
    check_replay(first, played[1:], state)
    check_undo_to_the_setup(state, texts)


def check_replay(state: State, played: list[dict[str, Any]], end: State) -> None:
    for obj in json.loads(json.dumps(played)):
        action = GAME.parse(obj)
        assert not isinstance(action, Finding)
        state = GAME.apply(state, action).state
    assert state == end


def check_undo_to_the_setup(state: State, texts: list[str]) -> None:
    for text in reversed(texts):
        assert json.dumps(GAME.state_json(state)) == text
        verdict = GAME.apply(state, Undo())
        state = verdict.state
    assert [finding.code for finding in verdict.findings] == ["nothing-to-undo"]
    assert not verdict.ok


@pytest.mark.parametrize(("key", "value"), EVERY_RULING, ids=[f"{k}={v}" for k, v in EVERY_RULING])
def test_matches_under_each_ruling_value(key: str, value: object) -> None:
    for decks in ({}, SMALL_DECKS):
        rules = ruleset({key: value, **decks})
        check_match(rules, seed=len(key), turns=rules.turns[0])


@settings(max_examples=12, deadline=None)
@given(rules=rulesets(), seed=SEEDS)
def test_matches_under_any_rulings(rules: Ruleset, seed: int) -> None:
    check_match(rules, seed, rules.turns[0])


@pytest.mark.soak
@pytest.mark.timeout(4 * 3600)
@settings(max_examples=500, deadline=None)
@given(rules=rulesets(), seed=SEEDS)
def test_matches_under_any_rulings_for_long(rules: Ruleset, seed: int) -> None:
    check_match(rules, seed)


def check_actions(rules: Ruleset, seed: int, samples: int) -> None:
    """On some states of a match: `actions` are those of the universe that `apply` accepts."""
    rng = random.Random(seed)
    states = [after for _, _, after in walk(rng, started(rules, seats_of(rng)))]
    everything = universe(rules)
    for state in rng.sample(states, min(samples, len(states))):
        listed = GAME.actions(state)
        accepted = set()
        for action in everything:
            verdict = GAME.apply(state, action)
            if verdict.ok and "unexpected-roll" not in {f.code for f in verdict.findings}:
                accepted.add(action)
        assert len(listed) == len(set(listed))
        assert set(listed) == accepted


@settings(max_examples=5, deadline=None)
@given(rules=rulesets(), seed=SEEDS)
def test_actions_are_what_apply_accepts(rules: Ruleset, seed: int) -> None:
    check_actions(rules, seed, samples=3)


@pytest.mark.soak
@pytest.mark.timeout(4 * 3600)
@settings(max_examples=60, deadline=None)
@given(rules=rulesets(), seed=SEEDS)
def test_actions_are_what_apply_accepts_for_long(rules: Ruleset, seed: int) -> None:
    check_actions(rules, seed, samples=10)


@settings(max_examples=12, deadline=None)
@given(rules=rulesets(), seed=SEEDS)
def test_a_table_that_forces_everything_breaks_nothing(rules: Ruleset, seed: int) -> None:
    """Forced nonsense never raises, never loses a card, leaves something to do, and can be undone."""
    rng = random.Random(seed)
    state = started(rules, seats_of(rng))
    for _ in range(100):
        legal = GAME.actions(state)
        assert legal or state.match.phase == "over"
        nonsense = any_action(rng, rules, force=rng.random() < 0.8)
        action = rng.choice(legal) if legal and rng.random() < 0.5 else nonsense
        verdict = GAME.apply(state, action)
        if not isinstance(action, Undo):
            assert verdict.ok or verdict.state is state
            if verdict.ok:
                assert all(finding.severity != "illegal" for finding in verdict.findings)
                assert GAME.apply(verdict.state, Undo()).state == state
        check_cards(verdict.state, len(rules.deck("aurea")))
        state = verdict.state
    check_views(state)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KINDS = ["setup", "roll", "crown", "declare", "redraw", "play", "retreat", "stand", "intervene", "undo"]
NEAR_ACTIONS = st.fixed_dictionaries(
    {"do": st.sampled_from(KINDS) | JSON_VALUES},
    optional={
        "seat": st.integers(-1, 6) | JSON_VALUES,
        "against": st.integers(-1, 6) | JSON_VALUES,
        "for": st.integers(-1, 6) | JSON_VALUES,
        "face": st.integers(-1, 7) | JSON_VALUES,
        "card": st.sampled_from(["aurea/shield/1", "cremisi/captain/2", "aurea/captain/0"]) | JSON_VALUES,
        "sign": st.sampled_from("+-") | JSON_VALUES,
        "turns": st.integers(2, 4) | JSON_VALUES,
        "players": st.lists(
            st.fixed_dictionaries(
                {"seat": st.integers(0, 6), "house": st.sampled_from(["aurea", "cremisi", "x"])},
                optional={"name": JSON_VALUES},
            )
            | JSON_VALUES,
            max_size=4,
        )
        | JSON_VALUES,
        "force": st.booleans() | JSON_VALUES,
    },
)


@settings(max_examples=200, deadline=None)
@given(obj=NEAR_ACTIONS | JSON_VALUES, in_match=st.booleans())
def test_garbage_never_raises(obj: object, in_match: bool) -> None:
    rules = GAME.ruleset()
    state = started(rules, [1, 3]) if in_match else GAME.initial(rules)
    action = GAME.parse(obj)
    if isinstance(action, Finding):
        assert action.code == "bad-input"
        return
    assert GAME.parse(GAME.dump(action)) == action
    verdict = GAME.apply(state, action)
    assert verdict.ok or verdict.state is state
    json.dumps(GAME.state_json(verdict.state), allow_nan=False)
