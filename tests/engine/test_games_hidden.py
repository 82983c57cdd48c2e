"""What is hidden stays hidden: every view of every state in random matches of both games.

Hands and decks are no part of a state, so a view can only leak by saying more than the table has
seen. Held here: no card is named that the table does not see or has not seen lying; nothing depends
on who really holds what; and what one audience is not told is not told to it in any field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from engine.game import Audience, Game, Json, Verdict
from engine.games import game_named, games
from engine.lab.bots import bot
from engine.lab.hands import Hands
from engine.lab.match import next_action

AUDIENCES = [
    Audience("spectator"),
    Audience("stream"),
    Audience("operator"),
    *(Audience("seat", n) for n in range(1, 6)),
]
RULINGS: list[tuple[str, dict[str, str]]] = [
    ("althera", {}),
    ("althera", {"refill": "fresh_five", "shield_reach": "whole_duel", "tiebreak_many": "sudden_death"}),
    ("anthem", {"dragon": "on", "both_win": "shared", "hints": "on"}),
    ("anthem", {"dragon": "on", "proof": "trust"}),
]
_CARD = re.compile(r"\b(?:cremisi|aurea|celeste|quercia|purpurea|s[1-4])/[a-z0-9]+(?:/[0-9]+)?\b")


def match(
    game: Game, rules: Any, seats: int, seed: int, most: int = 150
) -> Iterator[tuple[Json, Verdict, Hands]]:
    """A match of random bots, with a card of somebody else's tried now and then."""
    rng = Random(seed)
    hands, state = Hands(game, rng), game.initial(rules)
    bots = {seat: bot("random", game) for seat in range(1, seats + 1)}
    action: Json | None = game.setup_action(range(1, seats + 1))
    for _ in range(most):
        if action is None:
            return
        verdict = game.apply(state, game.parse(action))
        state = verdict.state
        hands.sync(state)
        yield action, verdict, hands
        action = next_action(game, state, hands, bots, rng)
        if action is not None and rng.random() < 0.05:
            wrong = action | {"seat": seats, "force": False}
            if isinstance(game.parse(wrong), type(game.parse(action))):
                action = wrong


def named(value: Any) -> set[str]:
    """Every card id in a JSON value, in keys, values and texts."""
    return set(_CARD.findall(repr(value)))


@pytest.mark.parametrize("ruling", RULINGS, ids=str)
def test_no_view_names_a_card_that_the_table_has_not_seen(ruling: tuple[str, dict[str, str]]) -> None:
    name, changes = ruling
    game = game_named(name)
    for seats in (2, 4):
        seen: set[str] = set()
        hidden_once: set[str] = set()
        for action, verdict, hands in match(game, game.ruleset(None, changes), seats, seats):
            state = verdict.state
            lying = set(game.cards(state)) if name == "anthem" else set()
            seen |= named(action) | lying
            hidden_once |= {c for n in range(1, seats + 1) for c in hands.hand(n).cards} - seen
            assert named([game.view(state, audience) for audience in AUDIENCES]) <= seen
            assert named(game.state_json(state)) <= seen
            assert named([game.options(state, n) for n in range(1, 6)]) <= seen
            assert named([finding.to_json() for finding in verdict.findings]) <= seen
        assert len(hidden_once) > 10, "hardly a card was ever hidden: the test looks at too little"


@pytest.mark.parametrize("ruling", RULINGS, ids=str)
def test_no_card_that_went_face_down_is_placed_in_a_hand_or_deck(ruling: tuple[str, dict[str, str]]) -> None:
    """Althera, ALT-1.7: where a card went is told when it goes (the last duel), and not after that.
    Anthem: a card is named where it lies; a hand only as the proof of a win."""
    name, changes = ruling
    game = game_named(name)
    for _, verdict, _ in match(game, game.ruleset(None, changes), 3, 9):
        state = verdict.state
        public = game.state_json(state)
        if name == "althera":
            lying = named(public["duels"]) | named(public["last_duel"])
            last = state.match.last_duel
            lying |= set(last.duel.cards) if last is not None else set()
        else:
            lying = set(game.cards(state)) | {card for win in state.wins for card in win.shown or ()}
        for audience in AUDIENCES:
            assert named(game.view(state, audience)) <= lying
        assert named(public["seats"]) <= (lying if name == "anthem" else set())


@pytest.mark.parametrize("ruling", RULINGS, ids=str)
def test_views_are_the_same_however_the_hidden_cards_lie(ruling: tuple[str, dict[str, str]]) -> None:
    """The public actions alone, without anybody's hands, give the same views; and the hidden cards,
    dealt anew to fit any of its states, leave every view as it was."""
    name, changes = ruling
    game = game_named(name)
    rules = game.ruleset(None, changes)
    other_deals = 0
    for seed in range(3):
        replayed = game.initial(rules)
        for n, (action, verdict, hands) in enumerate(match(game, rules, 3, seed, most=100)):
            replayed = game.apply(replayed, game.parse(action)).state
            told = [game.view(verdict.state, audience) for audience in AUDIENCES]
            assert told == [game.view(replayed, audience) for audience in AUDIENCES]
            if n % 5 == 0:
                other = Hands(game, Random(n))
                other.sync(replayed)
                other_deals += any(other.hand(s).cards != hands.hand(s).cards for s in (1, 2, 3))
                assert told == [game.view(replayed, audience) for audience in AUDIENCES]
    assert other_deals > 5


@pytest.mark.parametrize("name", ["althera", "anthem"])
def test_spectators_and_the_stream_are_told_the_same_and_no_seat_more_than_its_own(name: str) -> None:
    game = game_named(name)
    for _, verdict, _ in match(game, game.ruleset(), 3, 2):
        state = verdict.state
        public = game.view(state, Audience("spectator"))
        assert game.view(state, Audience("stream")) == public
        for seat in (1, 2, 3):
            own = game.view(state, Audience("seat", seat))
            assert {k: v for k, v in own.items() if k in public and k != "seats"} == {
                k: v for k, v in public.items() if k != "seats"
            }
            extra = {k: v for k, v in own.items() if k not in public}
            assert set(extra) <= {"options"}


def test_every_game_is_looked_at() -> None:
    assert {name for name, _ in RULINGS} == set(games())
