"""What the bots take for legal without a verdict is what the rules allow, no more and no less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest

from engine.althera.actions import Declare, Play, Redraw, Retreat, Stand
from engine.althera.state import State, duel_of
from engine.game import Game
from engine.games import game_named
from engine.lab.bots import Acting, act_of, bot
from engine.lab.bots.althera_moves import (
    declarations,
    hand_of,
    may_redraw,
    may_retreat,
    may_stand,
    playable,
)
from engine.lab.choices import watched
from engine.lab.hands import Hand
from engine.lab.match import Step, walk
from engine.lab.plan import Plan
from engine.lab.simulate import JUDGED_EVERY, one

RULINGS: list[dict[str, str]] = [
    {},
    {"closing_card": "required", "initiative": "leader", "shield_reach": "whole_duel"},
    {"answer_scope": "defender_only", "retreat_by": "defender_only", "refill": "fresh_five"},
    {"overtake_value": "replaces", "hand_size": "6", "plays": "2", "retreat_faces": "[]"},
    {"tiebreak_many": "sudden_death", "score.champion.copies": "0", "turns": "[1]"},
]


def steps(
    game: Game, who: str, seats: int, seed: int, changes: Mapping[str, str], judged: bool
) -> list[Step]:
    rules = game.ruleset(None, changes)
    setup = game.setup_action(range(1, seats + 1))
    if game.name == "althera":
        setup["turns"] = game.ruleset_json(rules)["turns"][0]
    table = {seat: bot(who, game) for seat in range(1, seats + 1)}
    return list(walk(game, rules, table, Random(seed), setup, 400, judged))


@pytest.mark.parametrize("changes", RULINGS, ids=str)
@pytest.mark.parametrize("who", ["random", "greedy", "careful", "greedy:always=oracle+shield"])
def test_carrying_out_gives_what_judging_gives(who: str, changes: dict[str, str]) -> None:
    """The same actions and the same states, whether the rules are asked again or not."""
    game = game_named("althera")
    for seats in (2, 3, 5):
        for seed in range(2):
            judged = steps(game, who, seats, seed, changes, True)
            assert steps(game, who, seats, seed, changes, False) == judged
            assert len(judged) > 8


def test_a_game_that_can_only_judge_is_judged() -> None:
    anthem = game_named("anthem")
    assert steps(anthem, "greedy", 3, 1, {}, False) == steps(anthem, "greedy", 3, 1, {}, True)


def looked_at(seats: int, seed: int, changes: Mapping[str, str]) -> Iterator[tuple[State, int, Hand]]:
    """What each of some random bots is shown in a match, each time that it is asked."""
    game, shown = game_named("althera"), []
    act = act_of(game, bot("random", game))

    def asked(state: State, seat: int, hand: Hand, rng: Random) -> Any:
        shown.append((state, seat, hand))
        return act(state, seat, hand, rng)

    rules = game.ruleset(None, changes)
    setup = game.setup_action(range(1, seats + 1), turns=game.ruleset_json(rules)["turns"][0])
    table = dict.fromkeys(range(1, seats + 1), Acting("asked", asked))
    assert len(list(walk(game, rules, table, Random(seed), setup))) > 8
    yield from shown


def by_kind(state: State, play: Play) -> tuple[Any, ...]:
    card = state.match.rules.cards[play.card]
    return card.kind, card.value, play.sign


@pytest.mark.parametrize("changes", RULINGS, ids=str)
def test_the_bots_lists_are_the_rules_list(changes: dict[str, str]) -> None:
    """`Game.actions` lists all that is legal on public knowledge; of that, what the hand allows."""
    game, seen = game_named("althera"), set()
    for seats in (2, 3, 5):
        for state, seat, hand in looked_at(seats, seats, changes):
            legal = [action for action in game.actions(state) if getattr(action, "seat", None) == seat]
            kinds = {type(action) for action in legal}
            assert declarations(state, seat) == [action for action in legal if isinstance(action, Declare)]
            duel = duel_of(state, seat)
            if duel is None:
                continue
            assert may_redraw(state, duel, seat) == (Redraw in kinds)
            assert may_retreat(state, duel, seat) == (Retreat in kinds)
            assert may_stand(state, duel, seat) == (Stand in kinds)
            seen |= kinds
            if duel.turn != seat or duel.awaited is not None:
                continue
            cards = hand_of(state, hand.cards)
            plays = [by_kind(state, play) for play in playable(state, duel, seat, cards)]
            allowed = {
                by_kind(state, action)
                for action in legal
                if isinstance(action, Play) and action.card in hand.cards
            }
            # A special that does nothing may be laid where the seat owns nothing better: the last way out.
            assert len(plays) == len(set(plays))
            assert set(plays) == allowed or (not plays and allowed)
    assert {Redraw, Play} <= seen


def test_a_decision_is_real_where_there_are_two_ways_to_go() -> None:
    """`choice.real` stops looking at the second way; counted out, it says the same."""
    game = game_named("althera")
    real = plain = 0
    for state, seat, hand in looked_at(2, 7, {}):
        duel = duel_of(state, seat)
        if duel is None or duel.turn != seat or duel.awaited is not None:
            continue
        choices: dict[int, list[int]] = {}
        watched(game, bot("greedy", game), choices).choose(game, state, seat, hand, Random(1))
        ways = len(list(playable(state, duel, seat, hand_of(state, hand.cards))))
        ways += may_redraw(state, duel, seat) + may_retreat(state, duel, seat) + may_stand(state, duel, seat)
        assert choices == {seat: [1, int(ways > 1)]}
        real, plain = real + (ways > 1), plain + (ways <= 1)
    assert real > 10


def test_a_bot_that_breaks_the_rules_is_found_out() -> None:
    """In a judged match at once; and of so many matches in a row one is judged."""
    game = game_named("althera")
    cheat = Acting("cheat", lambda state, seat, hand, rng: Stand(seat))
    with pytest.raises(ValueError, match="a bot's action is illegal"):
        list(walk(game, game.ruleset(), {1: cheat, 2: cheat}, Random(1)))
    plan = Plan("althera", game.ruleset_json(game.ruleset()), 2, 3, ("random",), JUDGED_EVERY, "x")
    judged = []
    real = game.apply

    class Counting:
        def __getattr__(self, name: str) -> Any:
            return getattr(game, name)

        def apply(self, state: Any, action: Any) -> Any:
            judged.append(action)
            return real(state, action)

    rules = game.ruleset()
    for number in range(JUDGED_EVERY):
        judged.clear()
        seen = one(plan, Counting(), rules, {"random": bot("random", game)}, number)
        forced = sum(getattr(step.action, "force", False) for step in seen.steps)
        assert len(judged) == (len(seen.steps) if number == 0 else 1 + forced)
