"""The bots: what they see, what they may do, and that each is better than the one before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import pytest

from engine.althera.actions import Play, Redraw
from engine.althera.state import duel_of
from engine.errors import UsageError
from engine.game import Game
from engine.games import game_named
from engine.lab.bots import Acting, act_of, bot, names
from engine.lab.bots.althera_moves import hand_of, playable
from engine.lab.bots.althera_odds import chance_of_any
from engine.lab.bots.althera_search import _standing
from engine.lab.bots.anthem_careful import expected_turns
from engine.lab.bots.search import Budget, best_of
from engine.lab.hands import Hand, Hands
from engine.lab.kinds import kind_of
from engine.lab.match import next_action, play
from tests.engine.test_lab_hands import fits

BOTS = [
    (game, name)
    for game in ("althera", "anthem")
    for name in ("random", "greedy", "careful", "searching:playouts=12")
]


def decisions(game: Game, seats: int, seed: int, most: int) -> Iterator[tuple[Any, Hands, int]]:
    """A match by greedy bots: each state with the hands at it and a seat that may have something to do."""
    rng = Random(seed)
    hands, state = Hands(game, rng), game.initial(game.ruleset())
    bots = {seat: bot("greedy", game) for seat in range(1, seats + 1)}
    action = game.setup_action(range(1, seats + 1))
    for _ in range(most):
        state = game.apply(state, game.parse(action)).state
        hands.sync(state)
        for seat in bots:
            yield state, hands, seat
        following = next_action(game, state, hands, bots, rng)
        if following is None:
            return
        action = following


def elsewhere(game: Game, state: Any, hands: Hands, seat: int, seed: int) -> Hands:
    """The same table with all that the seat can't see dealt anew: other hands, other decks. What it
    holds, and in Anthem the card it has drawn, stays."""
    mine = hands.hand(seat)
    for attempt in range(2000):
        other = Hands(game, Random(f"{seed}/{attempt}"))
        other.sync(state)
        dealer: Any = other._dealer
        held = {number: list(cards) for number, cards in dealer._hands.items()}
        decks = getattr(dealer, "_decks", {})
        if game.name == "althera":
            own = [*held[seat], *decks[seat]]
            decks[seat] = [card for card in own if card not in mine.cards]
            held[seat] = list(mine.cards)
            dealer.recall(state, (held, decks))
        else:
            loose = [c for cards in held.values() for c in cards if c not in mine.cards and c != mine.drawn]
            Random(attempt).shuffle(loose)
            right = order_before(state, seat) if mine.drawn is not None else None
            for player in state.seats:
                number = player.seat
                kept = list(mine.cards) if number == seat else [mine.drawn] if number == right else []
                held[number] = [*kept, *[loose.pop() for _ in range(player.hand - len(kept))]]
            dealer.recall(state, held)
            if mine.drawn is not None:
                dealer.draw(mine.drawn)
        fits(game, state, other)
        return other
    raise AssertionError("no other world was found")


def order_before(state: Any, seat: int) -> int:
    order = [player.seat for player in state.seats]
    return int(order[order.index(seat) - 1])


@pytest.mark.parametrize(("name", "who"), BOTS)
def test_what_is_hidden_changes_no_decision(name: str, who: str) -> None:
    """Given two tables that look alike to a player, a bot in that seat does the same at both."""
    game = game_named(name)
    player = bot(who, game)
    looked, did = 0, set()
    for number, (state, hands, seat) in enumerate(decisions(game, 3, 5, 60)):
        if number % 4 or game.state_json(state)["phase"] not in ("play", "duels"):
            continue
        other = elsewhere(game, state, hands, seat, number)
        assert set(other.hand(seat).cards) == set(hands.hand(seat).cards)
        one = player.choose(game, state, seat, hands.hand(seat), Random(number))
        two = player.choose(game, state, seat, other.hand(seat), Random(number))
        if who == "random":  # it draws from the hand as it lies: the same cards in another order
            shown = other.hand(seat)._replace(cards=hands.hand(seat).cards)
            two = player.choose(game, state, seat, shown, Random(number))
        assert one == two
        looked += one is not None
        did.add(None if one is None else one["do"])
    assert looked > 8 and len(did) > 2


@pytest.mark.parametrize("name", ["althera", "anthem"])
def test_the_random_bots_choice_does_not_hang_on_the_order_of_its_hand(name: str) -> None:
    game = game_named(name)
    player = bot("random", game)
    for state, hands, seat in decisions(game, 2, 8, 30):
        hand = hands.hand(seat)
        counts = []
        for cards in (hand.cards, hand.cards[::-1]):
            seen: Counter[str] = Counter()
            for draw in range(300):
                seen[str(player.choose(game, state, seat, hand._replace(cards=cards), Random(draw)))] += 1
            counts.append(seen)
        if len(counts[0]) > 3:
            assert set(counts[0]) == set(counts[1])
            assert all(abs(counts[0][what] - counts[1][what]) < 75 for what in counts[0])
            return
    pytest.fail("no state with a choice was found")


@pytest.mark.parametrize("name", ["althera", "anthem"])
def test_the_short_way_of_a_match_is_the_way_through_json(name: str) -> None:
    """The bots' own actions and the same ones through JSON make the same match."""
    game = game_named(name)

    class Spelt:
        name = "spelt"

        def __init__(self, inner: Acting) -> None:
            self.choose = inner.choose

    for who in ("random", "careful"):
        inner = bot(who, game)
        assert isinstance(inner, Acting)
        short = play(game, game.ruleset(), dict.fromkeys((1, 2, 3), inner), Random(3), limit=300)
        long = play(game, game.ruleset(), dict.fromkeys((1, 2, 3), Spelt(inner)), Random(3), limit=300)
        assert short == long
        assert all(game.parse(game.dump(move)) == move for move in short.moves)


def test_a_bot_that_says_no_action_is_told_so() -> None:
    game = game_named("althera")
    wrong = type("Wrong", (), {"name": "w", "choose": lambda *a: {"do": "dance"}})()
    with pytest.raises(ValueError, match="w's action is none"):
        act_of(game, wrong)(None, 1, Hand(), Random(1))


@pytest.mark.parametrize("name", ["althera", "anthem"])
@pytest.mark.parametrize("who", ["careful", "searching:playouts=6"])
@pytest.mark.parametrize("seats", [2, 4])
def test_thinking_bots_play_legal_matches_to_the_end(name: str, who: str, seats: int) -> None:
    game = game_named(name)
    table = dict.fromkeys(range(1, seats + 1), bot(who, game))
    changes = {"turns": "[1]"} if name == "althera" else {"dragon": "on", "both_win": "shared"}
    setup = game.setup_action(table, turns=1) if name == "althera" else game.setup_action(table)
    for seed in range(2):
        played = play(game, game.ruleset(None, changes), table, Random(seed), setup)
        assert played.winners


RULINGS = [
    {"closing_card": "required", "initiative": "leader", "shield_reach": "whole_duel"},
    {"answer_scope": "defender_only", "retreat_by": "defender_only", "refill": "fresh_five"},
    {"overtake_value": "replaces", "hand_size": "6", "plays": "2", "retreat_faces": "[]"},
]


@pytest.mark.parametrize("ruling", RULINGS, ids=str)
def test_thinking_bots_keep_to_every_ruling(ruling: dict[str, str]) -> None:
    game = game_named("althera")
    for who in ("careful", "searching:playouts=6"):
        table = dict.fromkeys((1, 2, 3), bot(who, game))
        setup = game.setup_action(table, turns=3)
        assert play(game, game.ruleset(None, ruling), table, Random(1), setup).winners


def test_a_searching_defender_redraws_only_once_the_attack_lies() -> None:
    """Who may still redraw waits for the card that it has to answer."""
    game = game_named("althera")
    player = act_of(game, bot("searching:playouts=30", game))
    waited = redrew = 0
    for state, hands, seat in (d for seed in range(12) for d in decisions(game, 2, seed, 60)):
        duel = duel_of(state, seat)
        if duel is None or seat != duel.defender or duel.by_defender:
            continue
        action = player(state, seat, hands.hand(seat), Random(1))
        if duel.turn != seat:
            waited += 1
            assert action is None
        else:
            redrew += isinstance(action, Redraw)
    assert waited > 10 and redrew > 0


def test_who_attacks_in_the_duels_to_come_counts() -> None:
    """Between two the crown's holder attacks: with as many cards each it stands worse the more is to come."""
    game = game_named("althera")

    def stands(turns: int, crown: int, **changes: str) -> float:
        state = game.initial(game.ruleset(None, changes))
        faces = (6, 1) if crown == 1 else (1, 6)
        for action in (
            game.setup_action((1, 2), turns=turns),
            *({"do": "roll", "seat": seat, "face": face} for seat, face in zip((1, 2), faces, strict=True)),
        ):
            state = game.apply(state, game.parse(action)).state
        return _standing(state, 1, None)

    assert stands(10, 1) < stands(3, 1) < 0.5 < stands(3, 2) < stands(10, 2)
    assert stands(3, 1) == pytest.approx(1 - stands(3, 2))
    assert stands(3, 1, initiative="leader") == 0.5
    assert stands(3, 1) < stands(3, 1, initiative="clockwise") < 0.5
    assert stands(10, 1, initiative="clockwise") == 0.5


def test_never_means_never_while_there_is_anything_else() -> None:
    game = game_named("althera")
    table = dict.fromkeys((1, 2), bot("random:never=oracle+shield", game))
    laid: Counter[str] = Counter()
    for seed in range(30):
        moves = play(game, game.ruleset(), table, Random(seed)).moves
        laid.update(kind_of(move.card) for move in moves if isinstance(move, Play))
    assert laid["oracle"] + laid["shield"] < 0.03 * laid.total() and laid["overtake"] > 5


def test_always_means_whenever_it_may_be() -> None:
    game = game_named("althera")
    act = act_of(game, bot("greedy:always=oracle", game))
    used = 0
    for state, hands, seat in decisions(game, 2, 4, 80):
        duel = duel_of(state, seat)
        if duel is None or duel.turn != seat or duel.awaited is not None:
            continue
        cards = hand_of(state, hands.hand(seat).cards)
        if any(kind_of(play.card) == "oracle" for play in playable(state, duel, seat, cards)):
            used += 1
            assert kind_of(act(state, seat, hands.hand(seat), Random(1)).card) == "oracle"
    assert used > 3


def test_a_value_never_laid_in_anthem_is_kept() -> None:
    game = game_named("anthem")
    table = dict.fromkeys((1, 2, 3), bot("greedy:never=4+5", game))
    played = play(game, game.ruleset(), table, Random(2), limit=300)
    laid = [kind_of(move.card) for move in played.moves if hasattr(move, "place")]
    assert laid and not {"4", "5"} & set(laid)


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("deep", "no bot called 'deep'"),
        ("greedy:never=joker", "no card of the kind 'joker'"),
        ("greedy:slowly", "takes no option 'slowly'"),
        ("greedy:playouts=5", "takes no option 'playouts=5'"),
        ("searching:playouts=0", "whole number from 1"),
        ("searching:ms=soon", "whole number from 1"),
    ],
)
def test_a_bot_that_there_is_not_is_refused(spec: str, what: str) -> None:
    with pytest.raises(UsageError, match=what) as caught:
        bot(spec, game_named("althera"))
    assert caught.value.cure


def test_the_bots_there_are() -> None:
    for name in ("althera", "anthem"):
        assert names(game_named(name)) == ("random", "greedy", "careful", "searching")
        assert bot("searching:ms=5", game_named(name)).name == "searching:ms=5"


def test_the_chance_of_holding_a_card_is_that_of_counting_every_hand() -> None:
    for size, wanted, hand in ((7, 2, 3), (6, 1, 5), (5, 0, 2), (5, 5, 1), (6, 4, 3)):
        hands = list(combinations(range(size), hand))
        share = sum(any(card < wanted for card in cards) for cards in hands) / len(hands)
        assert chance_of_any(size, wanted, hand) == pytest.approx(share)


def test_expected_turns_are_those_of_the_game_played_alone() -> None:
    """4, 5 and 8 lie; 1 to 3 go to places 1 to 3 or may leave one out: against a simulation."""
    row, counts = (0, 0, 4, 5, 0, 8), (4, 4, 4, 4, 4, 4, 4, 4)
    rng, total, matches = Random(4), 0, 4000
    for _ in range(matches):
        lies = list(row)
        while 0 in lies:
            total += 1
            value = rng.randrange(9) + 1
            fits_at = {6: 4, 7: 4}.get(value) if lies[4] == 0 else None
            if value in (1, 2, 3) and value not in lies:
                places = [p for p in (0, 1) if lies[p] == 0 and ok(lies, p, value)]
                if places:
                    best = min(
                        places,
                        key=lambda p: expected_turns((*lies[:p], value, *lies[p + 1 :]), counts, 36),
                    )
                    then = (*lies[:best], value, *lies[best + 1 :])
                    if expected_turns(then, counts, 36) < expected_turns(tuple(lies), counts, 36):
                        lies[best] = value
            elif fits_at is not None:
                lies[fits_at] = value
    assert total / matches == pytest.approx(expected_turns(row, counts, 36), rel=0.05)


def ok(lies: list[int], place: int, value: int) -> bool:
    left = max(lies[:place], default=0)
    right = min(v for v in lies[place + 1 :] if v)
    return left < value < right


def test_the_better_candidate_is_found_and_the_budget_kept() -> None:
    tried: Counter[str] = Counter()

    def playout(candidate: str, seed: int) -> float:
        tried[candidate] += 1
        return Random(f"{candidate}/{seed}").random() + (0.3 if candidate == "c" else 0.0)

    assert best_of(["a", "b", "c", "d"], playout, Budget(200), Random(1)) == "c"
    assert 150 <= tried.total() <= 200 and tried["a"] == tried["c"] == max(tried.values())
    assert best_of(["a"], playout, Budget(200), Random(1)) == "a" and tried.total() <= 200
    tried.clear()
    assert best_of(["a", "c"], playout, Budget(None, 20), Random(1)) == "c"
    # Where all are as good, the choice made without a search stands more often than each other one.
    stood = sum(best_of(["a", "b", "d"], playout, Budget(60), Random(n)) == "a" for n in range(60))
    assert stood > 30


@pytest.mark.parametrize("name", ["althera", "anthem"])
def test_a_budget_and_a_restriction_go_together_in_any_order(name: str) -> None:
    """The same bot: it searches that much, and never lays the kind."""
    game, kind = game_named(name), {"althera": "oracle", "anthem": "4"}[name]
    specs = (f"searching:playouts=8:never={kind}", f"searching:never={kind}:playouts=8")
    one, two = (
        play(game, game.ruleset(), {1: bot(spec, game), 2: bot("greedy", game)}, Random(6), limit=60).moves
        for spec in specs
    )
    assert one == two
    free = play(
        game,
        game.ruleset(),
        {1: bot("searching:playouts=8", game), 2: bot("greedy", game)},
        Random(6),
        limit=60,
    )
    laid = [kind_of(move.card) for move in one if getattr(move, "card", None) and move.seat == 1]
    assert laid and kind not in laid and free.moves != one
