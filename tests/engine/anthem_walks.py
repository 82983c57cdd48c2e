"""Random matches of Anthem for the tests: rulesets, walks and every action one could think of."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from typing import Any

from engine.anthem import GAME
from engine.anthem.actions import Action, Claim, Keep, Lay, Undo
from engine.anthem.state import PLACES, SET_OF, State, complete, deads, index_of, stuck, unlaid
from engine.game import Verdict

RULINGS: Mapping[str, tuple[str, ...]] = {
    "dragon": ("off", "on"),
    "both_win": ("hero", "dragon", "shared"),
    "proof": ("show", "trust"),
    "hints": ("off", "on"),
}
#: Every combination of the rulings' values.
RULESETS = [dict(zip(RULINGS, values, strict=True)) for values in itertools.product(*RULINGS.values())]


def started(changes: Mapping[str, str], seats: tuple[int, ...] = (1, 2, 3), first: int = 0) -> State:
    state: State = GAME.initial(GAME.ruleset(None, changes))
    return do(state, GAME.setup_action(seats, first=first or seats[0]))


def do(state: State, *actions: dict[str, Any]) -> State:
    """The state after actions that must be legal."""
    for obj in actions:
        verdict = judge(state, obj)
        assert verdict.ok, (obj, verdict.findings)
        state = verdict.state
    return state


def judge(state: State, obj: dict[str, Any]) -> Verdict:
    action = GAME.parse(obj)
    assert isinstance(action, Action), action
    return GAME.apply(state, action)


def codes(verdict: Verdict) -> list[str]:
    return [f.code for f in verdict.findings]


def walk(rng: random.Random, state: State, steps: int) -> Iterator[tuple[State, Action, Verdict]]:
    """A random match with mistakes, rulings by force and undos mixed in, as (before, action, verdict)."""
    for _ in range(steps):
        action = _somehow(rng, state)
        verdict = GAME.apply(state, action)
        yield state, action, verdict
        state = verdict.state


def _somehow(rng: random.Random, state: State) -> Action:
    kind = rng.random()
    if kind < 0.05:
        return Undo()
    if kind < 0.15:
        return rng.choice(list(every_action(rng, state, force=rng.random() < 0.3)))
    legal = list(GAME.actions(state))
    if not legal:
        return Undo()
    claims = [a for a in legal if isinstance(a, Claim)]
    if claims and rng.random() < 0.3:
        return rng.choice(claims)
    sensible = [a for a in legal if isinstance(a, Lay) and a.seat == state.to_move and not _spoils(state, a)]
    return rng.choice(sensible if sensible and rng.random() < 0.8 else legal)


def _spoils(state: State, lay: Lay) -> bool:
    after = GAME.apply(state, lay).state
    return stuck(after, after.seats[index_of(after, lay.seat) or 0])


def every_action(rng: random.Random, state: State, *, force: bool = False) -> Iterator[Action]:
    """Every keep and lay of any seat and card, legal or not, and claims with all sorts of hands."""
    for seat in range(1, 6):
        yield Keep(seat, force)
        for card in SET_OF:
            for place in PLACES:
                yield Lay(seat, card, place, force)
        for win in ("hero", "dragon"):
            yield Claim(seat, win, None, force)
            for hand in hands(rng, state, seat):
                yield Claim(seat, win, hand, force)


def hands(rng: random.Random, state: State, seat: int) -> Iterator[tuple[str, ...]]:
    """Hands that could prove a claim, and some that could not."""
    i = index_of(state, seat)
    size = 5 if i is None else state.seats[i].hand
    hidden, dead = unlaid(state), sorted(deads(state))
    plain = [c for c in hidden if c not in dead]
    yield tuple(rng.sample(plain, min(size, len(plain))))
    yield tuple((dead + rng.sample(plain, len(plain)))[:size])
    yield tuple(rng.sample(hidden, min(size, len(hidden))))
    yield tuple(rng.sample(sorted(SET_OF), min(size, 44)))
    yield tuple(plain[:1] * size)


def holds(state: State, claim: Claim) -> bool:
    """Whether a claim is as the rules and rulings ask, worked out without the engine's own words."""
    i = index_of(state, claim.seat)
    if i is None:
        return False
    rules, seat, hand = state.rules, state.seats[i], claim.shown
    if state.phase == "over":
        other = "dragon" if claim.win == "hero" else "hero"
        if {w.win for w in state.wins} != {other} or claim.seat in {w.seat for w in state.wins}:
            return False
        if rules.both_win not in ("shared", claim.win):
            return False
    elif state.phase != "play":
        return False
    if claim.win == "hero" and not complete(seat.layout):
        return False
    if claim.win == "dragon" and rules.dragon == "off":
        return False
    if hand is None:
        return rules.proof == "trust"
    if len(hand) != seat.hand or len(set(hand)) != len(hand) or not set(hand) <= set(unlaid(state)):
        return False
    return not deads(state) & set(hand) if claim.win == "hero" else deads(state) <= set(hand)
