"""Random Althera for tests: rulesets, matches and a universe of actions, legal or not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from engine.althera import GAME
from engine.althera.actions import (
    Action,
    Declare,
    Intervene,
    Play,
    Redraw,
    Retreat,
    Roll,
    Sign,
    Stand,
    Undo,
)
from engine.althera.ruleset import KEYS, Ruleset
from engine.althera.state import State
from engine.game import Finding, Verdict
from engine.ruleset import Choice

#: Every ruling with each of its listed values; lists and numbers with some other values too.
RULING_VALUES: dict[str, tuple[Any, ...]] = {
    key: rule.values for key, rule in KEYS.items() if isinstance(rule, Choice)
} | {
    "retreat_faces": ([5, 6], [], [1, 2, 3, 4, 5, 6], [1]),
    "plays": (3, 1, 2),
    "hand_size": (5, 4, 6),
    "turns": ([3, 5, 10], [1], [2, 7]),
}

#: House decks so small that players go out all the time.
SMALL_DECKS: dict[str, Any] = {
    "score": {
        kind: {"copies": copies}
        for kind, copies in zip(
            ("commoners", "vanguard", "marksman", "cavalry", "guardian", "captain", "champion"),
            (3, 0, 0, 1, 0, 1, 0),
            strict=True,
        )
    },
    "specials": {"shield": 1, "overtake": 1, "alteration": 1, "oracle": 1},
}


@st.composite
def rulesets(draw: st.DrawFn) -> Ruleset:
    """Any combination of rulings, with full or with small decks."""
    values = {key: draw(st.sampled_from(allowed)) for key, allowed in RULING_VALUES.items()}
    if draw(st.booleans()):
        values |= SMALL_DECKS
    return ruleset(values)


def ruleset(values: dict[str, Any]) -> Ruleset:
    """The ruleset with these keys changed; small decks score 61 for nobody."""
    rules = GAME.ruleset_from_json(values)
    assert isinstance(rules, Ruleset)
    return rules


def started(rules: Ruleset, seats: list[int], turns: int | None = None) -> State:
    """A match that has just been set up."""
    setup = GAME.setup_action(seats, turns=turns or rules.turns[0])
    return done(GAME.initial(rules), setup)


def done(state: State, *objs: dict[str, Any]) -> State:
    """The state after these JSON actions, which must all be applied."""
    for obj in objs:
        action = GAME.parse(obj)
        assert not isinstance(action, Finding), (obj, action)
        verdict = GAME.apply(state, action)
        assert verdict.ok, (obj, verdict.findings)
        state = verdict.state
    return state


def walk(rng: random.Random, state: State, most: int = 2000) -> Iterator[tuple[State, Action, State]]:
    """A random match from `state` to its end: (before, action, after), at most `most` of them."""
    for _ in range(most):
        legal = GAME.actions(state)
        if not legal:
            return
        action = rng.choice(legal)
        verdict = GAME.apply(state, action)
        assert verdict.ok, (action, verdict.findings)
        yield state, action, verdict.state
        state = verdict.state


def universe(rules: Ruleset) -> list[Action]:
    """Every action there could be but setup, crown and undo, unknown seats and cards included."""
    seats = range(7)
    cards = [*rules.cards, "aurea/captain/9", "nonsense"]
    signs: tuple[Sign | None, ...] = (None, "+", "-")
    found: list[Action] = []
    for seat in seats:
        found += [Redraw(seat), Retreat(seat), Stand(seat)]
        found += [Roll(seat, face) for face in range(1, 7)]
        found += [Declare(seat, against) for against in seats]
        found += [Play(seat, card, sign) for card in cards for sign in signs]
        found += [Intervene(seat, side, card, sign) for side in seats for card in cards for sign in signs]
    return found


def any_action(rng: random.Random, rules: Ruleset, force: bool = False) -> Action:
    """One action, most likely illegal."""
    seat, other = rng.randint(0, 6), rng.randint(0, 6)
    card = rng.choice([*rules.cards, "nonsense"])
    sign: Sign | None = rng.choice((None, None, "+", "-"))
    made: tuple[Action, ...] = (
        Redraw(seat, force),
        Retreat(seat, force),
        Stand(seat, force),
        Roll(seat, rng.randint(1, 6), force),
        Declare(seat, other, force),
        Play(seat, card, sign, force),
        Play(seat, card, sign, force),
        Intervene(seat, other, card, sign, force),
        Intervene(seat, other, card, sign, force),
        Undo(force),
    )
    return rng.choice(made)


# Sentences: `1 > 2` declares, `1: captain` and `1: alteration/2 -` play, `3 for 1: oracle` intervenes,
# `1 rolls 6`, `2 retreats`, `2 stands`, `1 redraws`, `crown 2`, `undo`.


def sentence(state: State, text: str) -> dict[str, Any]:
    """The JSON action of a sentence. A card without its house is of the player's own, copy 1."""
    head, colon, card = text.partition(": ")
    words = head.split()
    if text == "undo":
        return {"do": "undo"}
    if words[0] == "crown":
        return {"do": "crown", "seat": int(words[1])}
    seat = int(words[0])
    if colon:
        card, _, sign = card.partition(" ")
        obj: dict[str, Any] = {"do": "play", "seat": seat, "card": _full(state, seat, card)}
        if words[1:]:
            obj |= {"do": "intervene", "for": int(words[2])}
        return obj | ({"sign": sign} if sign else {})
    if words[1] == ">":
        return {"do": "declare", "seat": seat, "against": int(words[2])}
    if words[1] == "rolls":
        return {"do": "roll", "seat": seat, "face": int(words[2])}
    return {"do": words[1].removesuffix("s"), "seat": seat}


def _full(state: State, seat: int, card: str) -> str:
    parts = card.split("/")
    if parts[0] not in ("cremisi", "aurea", "celeste", "quercia", "purpurea"):
        house = state.seats[seat].house if seat in state.seats else "cremisi"
        parts.insert(0, house)
    return "/".join(parts if len(parts) == 3 else [*parts, "1"])


def said(state: State, text: str, force: bool = False) -> Verdict:
    """The verdict on a sentence."""
    action = GAME.parse(sentence(state, text) | ({"force": True} if force else {}))
    assert not isinstance(action, Finding), (text, action)
    return GAME.apply(state, action)


def codes(verdict: Verdict) -> list[str]:
    """The codes of a verdict's findings."""
    return [finding.code for finding in verdict.findings]


def after(state: State, *texts: str) -> State:
    """The state after these sentences, all of which must be applied without warning."""
    for text in texts:
        verdict = said(state, text)
        blamed = [finding for finding in verdict.findings if finding.severity != "info"]
        assert verdict.ok and not blamed, (text, verdict.findings)
        state = verdict.state
    return state


def table(seats: int = 3, **rulings: Any) -> State:
    """A table where seat 1 has the crown: cremisi, aurea, celeste, quercia, purpurea in seat order."""
    state = started(ruleset(rulings), list(range(1, seats + 1)))
    return after(state, "1 rolls 6", *(f"{seat} rolls {seat - 1}" for seat in range(2, seats + 1)))


def field(state: State, duel: int = 0) -> tuple[int, int] | None:
    """Owner and value of a running duel's field."""
    return state.duels[duel].field
