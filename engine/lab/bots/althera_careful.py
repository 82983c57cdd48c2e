"""The careful bot: it counts cards, and weighs each way to play a duel out by the odds.

Its measure is cards: what the winner of a duel captures, less the specials it hands over. Its own plays
it looks at one by one to the duel's end; the enemy's hand is any hand out of the enemy's pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from engine.althera.actions import Action, Play, Redraw, Retreat, Stand
from engine.althera.apply import apply
from engine.althera.cards import Card
from engine.althera.field import after
from engine.althera.ruleset import Ruleset
from engine.althera.state import Duel, Field, Laid, State, declarer, duel_of
from engine.lab.bots.althera_moves import (
    declarations,
    hand_of,
    interventions,
    legal,
    may_redraw,
    may_retreat,
    may_stand,
    playable,
    unplayable,
)
from engine.lab.bots.althera_odds import (
    Pool,
    captured_if_lost,
    chance_of_any,
    lying,
    owned,
    pool_of,
    takers,
    unseen,
)
from engine.lab.bots.althera_simple import sole_leader
from engine.lab.hands import Hand

#: What a special is worth beyond the one card that it counts for, in cards.
SPECIAL = 0.5
#: What a point of face value is worth, in cards: a captain lost hurts more than a commoner.
POINT = 0.01
#: How much better a new hand must look before one card is given up for it, in cards.
REDRAW_MARGIN = 0.4


class Odds(NamedTuple):
    """What stays the same while one decision is weighed.

    `hand` and `theirs`: the enemy's cards in hand and plays left now; `may_stand` and `standing`: the
    enemy, or the bot, is the defender and may leave the last card unplayed; `low` and `high`: what the
    enemy's small and large score cards are worth; `die`: an oracle's mean.
    """

    rules: Ruleset
    pool: Pool
    hand: int
    theirs: int
    attacks: bool
    may_answer: bool
    enemy_answers: int
    may_stand: bool
    standing: bool
    low: float
    high: float
    die: float


class Spot(NamedTuple):
    """A duel as the bot thinks ahead in it. `owner`: 1 mine, -1 theirs, 0 nobody's; `shield` likewise."""

    owner: int
    field: float
    mine: int
    theirs: int
    laid: float
    captured: float
    shield: int


def act_carefully(state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
    """Counts the pools, plays by the odds, retreats and shields where they say so."""
    duel = duel_of(state, seat)
    if duel is None:
        if declarer(state) == seat:
            return _weakest(state, seat, rng)
        return _help(state, seat, hand)
    cards = hand_of(state, hand.cards)
    if duel.awaited is not None or duel.turn != seat:
        return None
    if may_redraw(state, duel, seat) and _better_anew(state, seat, cards):
        return Redraw(seat)
    if may_stand(state, duel, seat):
        return Stand(seat)
    odds, spot = _position(state, duel, seat)
    best, action = _best_play(state, duel, seat, cards, odds, spot)
    if action is None:
        return unplayable(state, seat, cards)
    if may_retreat(state, duel, seat) and best < -_worth(duel, seat):
        return Retreat(seat)
    return action


def _position(state: State, duel: Duel, seat: int) -> tuple[Odds, Spot]:
    rules, enemy = state.match.rules, duel.enemy(seat)
    pool = pool_of(unseen(state, enemy, lying(state)))
    attacks = seat == duel.attacker
    scope = rules.answer_scope == "defender_only"
    values = pool.values or (0,)
    third = max(1, len(values) // 3)
    mine, theirs = (duel.by_attacker, duel.by_defender) if attacks else (duel.by_defender, duel.by_attacker)
    odds = Odds(
        rules,
        pool,
        state.seats[enemy].hand,
        rules.plays - theirs,
        attacks,
        not (scope and attacks),
        pool.oracles if scope and not attacks else pool.answers,
        rules.closing_card == "optional" and attacks,
        rules.closing_card == "optional" and not attacks,
        sum(values[:third]) / third,
        sum(values[-third:]) / third,
        sum(rules.die_scale) / len(rules.die_scale),
    )
    field = duel.field
    owner = 0 if field is None else 1 if field.owner == seat else -1
    spot = Spot(
        owner,
        0 if field is None else field.value,
        rules.plays - mine,
        rules.plays - theirs,
        _worth(duel, seat),
        _worth(duel, enemy),
        0 if not duel.shield else 1 if duel.shield == seat else -1,
    )
    return odds, spot


def _worth(duel: Duel, seat: int) -> float:
    """What the side stands to lose: its score cards on the field, in cards."""
    return sum(
        1 + POINT * laid.card.value for laid in duel.laid if laid.card.value is not None and laid.side == seat
    )


def _best_play(
    state: State, duel: Duel, seat: int, cards: Sequence[Card], odds: Odds, spot: Spot
) -> tuple[float, Play | None]:
    """The play with the best prospect, and that prospect in cards won or lost."""
    best, chosen = -99.0, None
    for play in playable(state, duel, seat, cards):
        card = state.match.rules.cards[play.card]
        rest = tuple(c for c in cards if c.id != play.card)
        value = _after_play(state, duel, seat, play, card, _codes(rest), odds, spot)
        if value > best:
            best, chosen = value, play
    return best, chosen


def _after_play(
    state: State, duel: Duel, seat: int, play: Play, card: Card, rest: tuple[int, ...], odds: Odds, spot: Spot
) -> float:
    owner, field, mine, shield, laid = spot.owner, spot.field, spot.mine - 1, spot.shield, spot.laid
    if card.kind == "shield":
        then = duel_of(apply(state, play).state, seat)
        if then is not None:
            shield = 0 if not then.shield else 1 if then.shield == seat else -1
            field, owner = _seen(then.field, seat)
    elif card.kind == "oracle":
        if shield >= 0:
            owner, field = 1, field + odds.die
    else:
        cancelled = card.value is None and shield < 0
        lies = Laid(card, seat, seat, play.sign, None, cancelled, False, duel.field)
        field, owner = _seen(after(odds.rules, duel.field, lies), seat)
    cost = 0.0
    if card.value is None:
        cost = 1 + SPECIAL
    else:
        laid += 1 + POINT * card.value
    return _theirs(odds, owner, field, mine, spot.theirs, laid, spot.captured, shield, rest) - cost


def _seen(field: Field | None, seat: int) -> tuple[float, int]:
    return (0, 0) if field is None else (field.value, 1 if field.owner == seat else -1)


#: A hand in numbers: score cards by value, specials below zero.
_SHIELD, _OVERTAKE, _ALTERATION, _ORACLE = -1, -2, -3, -4
_CODES = {"shield": _SHIELD, "overtake": _OVERTAKE, "alteration": _ALTERATION, "oracle": _ORACLE}


def _codes(cards: Sequence[Card]) -> tuple[int, ...]:
    return tuple(sorted(_CODES[card.kind] if card.value is None else card.value for card in cards))


def _theirs(
    odds: Odds,
    owner: int,
    field: float,
    mine: int,
    theirs: int,
    laid: float,
    captured: float,
    shield: int,
    hand: tuple[int, ...],
) -> float:
    """The prospect with the enemy to play: they take the field, or throw a small card on it.

    Most of what the careful bot does is here and in `_mine`: hence plain arguments, not a `Spot`.
    """
    if theirs == 0:
        if mine:
            return _mine(odds, owner, field, mine, theirs, laid, captured, shield, hand)
        return captured if owner > 0 else -laid if owner else 0.0
    if owner < 0 and theirs == 1 and mine == 0 and odds.may_stand:
        return -laid
    left, high = theirs - 1, odds.high
    if owner <= 0:
        more = captured + 1 + POINT * high
        if left == 0 and mine == 0:
            return -laid
        return _mine(odds, -1, field + high, mine, left, laid, more, shield, hand)
    size, held = odds.pool.size, odds.hand - odds.theirs + theirs
    by_score = chance_of_any(size, takers(odds.pool, field), held)
    by_special = 0.0 if shield > 0 else (1 - by_score) * chance_of_any(size, odds.enemy_answers, held)
    neither = 1 - by_score - by_special
    total = 0.0
    if by_score > 0.001:
        card = field if field > high else high
        more = captured + 1 + POINT * card
        total += by_score * _mine(odds, -1, field + card, mine, left, laid, more, shield, hand)
    if by_special > 0.001:
        then = _mine(odds, -1, field * 1.5 + 4, mine, left, laid, captured, shield, hand)
        total += by_special * (1 + SPECIAL + then)
    if neither > 0.001:
        more = captured + 1 + POINT * odds.low
        total += neither * _mine(odds, 1, field + odds.low, mine, left, laid, more, shield, hand)
    return total


def _mine(
    odds: Odds,
    owner: int,
    field: float,
    mine: int,
    theirs: int,
    laid: float,
    captured: float,
    shield: int,
    hand: tuple[int, ...],
) -> float:
    """The prospect with the bot to play: the best of its cards."""
    if theirs == 0 and owner > 0 and mine == 1 and odds.standing:
        return captured
    if mine == 0 or not hand:
        if theirs and mine == 0:
            return _theirs(odds, owner, field, 0, theirs, laid, captured, shield, hand)
        return captured if owner > 0 else -laid if owner else 0.0
    best, left = -99.0, mine - 1
    for card in _candidates(hand, owner, field, odds.may_answer):
        at = hand.index(card)
        rest = hand[:at] + hand[at + 1 :]
        if card > 0:
            holds = -1 if owner < 0 and card < field else 1
            more = laid + 1 + POINT * card
            value = _theirs(odds, holds, field + card, left, theirs, more, captured, shield, rest)
        elif card == _SHIELD:
            stands = shield or 1
            value = _theirs(odds, owner, field, left, theirs, laid, captured, stands, rest) - 1 - SPECIAL
        elif shield < 0:
            value = _theirs(odds, owner, field, left, theirs, laid, captured, shield, rest) - 1 - SPECIAL
        else:
            then = (
                2 * field + 1
                if card == _OVERTAKE
                else 1.5 * field
                if card == _ALTERATION
                else field + odds.die
            )
            value = _theirs(odds, 1, then, left, theirs, laid, captured, shield, rest) - 1 - SPECIAL
        if value > best:
            best = value
    if best > -99:
        return best
    return _theirs(odds, owner, field, left, theirs, laid, captured, shield, hand)


@lru_cache(maxsize=1 << 15)
def _candidates(hand: tuple[int, ...], owner: int, field: float, may_answer: bool) -> tuple[int, ...]:
    """The cards worth thinking about: the cheapest that takes the field, the smallest, the largest, and
    each special that may be laid."""
    scores = [card for card in hand if card > 0]
    found = {scores[0], scores[-1]} if scores else set()
    if owner < 0:
        taking = next((card for card in scores if card >= field), None)
        if taking is not None:
            found.add(taking)
    for card in hand:
        if card == _ORACLE or (card < 0 and ((owner < 0 and may_answer) or (card == _SHIELD and owner == 0))):
            found.add(card)
    return tuple(sorted(found))


def _power(cards: Sequence[Card], most: int) -> float:
    """How good a hand of these cards is for a duel, in cards: its best ones, specials counting high."""
    worth = sorted((_strength(card) for card in cards), reverse=True)
    return sum(worth[:most])


def _strength(card: Card) -> float:
    if card.value is None:
        return 0.6 if card.kind == "shield" else 1.0
    return min(card.value, 61) / 61


def _better_anew(state: State, seat: int, cards: Sequence[Card]) -> bool:
    """Whether a hand of one card fewer, out of the whole pool, may be hoped to be better by so much."""
    pool = unseen(state, seat, lying(state))
    fewer = len(cards) - 1
    if len(pool) <= len(cards) or fewer < 1:
        return False
    plays = state.match.rules.plays
    strengths = sorted(map(_strength, pool))
    # The k-th best of `fewer` out of the pool lies, on average, at this rank.
    hoped = 0.0
    for k in range(1, min(plays, fewer) + 1):
        rank = (len(pool) + 1) * (fewer + 1 - k) / (fewer + 1)
        hoped += strengths[min(len(pool) - 1, max(0, round(rank) - 1))]
    return hoped > _power(cards, plays) + REDRAW_MARGIN


def _weakest(state: State, seat: int, rng: Random) -> Action:
    """A duel with whoever's pool promises least resistance; of equals the one with most cards."""
    offered = declarations(state, seat)
    if len(offered) == 1:
        return offered[0]
    away = lying(state)

    def resistance(other: int) -> float:
        cards = [card for card in owned(state)[other] if card.id not in away]
        mean = sum(map(_strength, cards)) / max(1, len(cards))
        return round(mean, 2) - 0.01 * state.seats[other].cards

    least = min(resistance(d.against) for d in offered)
    return rng.choice([d for d in offered if resistance(d.against) == least])


def _help(state: State, seat: int, hand: Hand) -> Action | None:
    """A special against a rival's win where what it changes is worth more than the card it costs.

    The rival is whoever leads alone, or, for the leader, whoever comes next. A special laid in a duel's
    last plays turns it with some certainty; it costs one card, which the other side gets.
    """
    rival = _rival(state, seat)
    duel = None if rival is None else duel_of(state, rival)
    if rival is None or duel is None or duel.field is None or duel.field.owner != rival:
        return None
    rules = state.match.rules
    left = 2 * rules.plays - duel.by_attacker - duel.by_defender
    side = duel.enemy(rival)
    if left > 1 or not duel.scored or duel.shield == rival:
        return None
    cards = hand_of(state, hand.cards)
    pool = pool_of(unseen(state, rival if duel.turn == rival else side, lying(state)))
    answering = chance_of_any(pool.size, pool.answers, state.seats[duel.turn].hand)
    turned = 1 - answering if duel.turn == rival else 1 - answering * 0.9
    swing = captured_if_lost(duel, rival) + captured_if_lost(duel, side)
    if turned * swing < 2 + 2 * SPECIAL:
        return None
    takers_first = sorted(
        interventions(state, seat, cards), key=lambda i: (rules.cards[i.card].kind == "shield", i.sign or "")
    )
    for action in takers_first:
        if action.side == side and rules.cards[action.card].kind != "shield" and legal(state, action):
            return action
    return None


def _rival(state: State, seat: int) -> int | None:
    leader = sole_leader(state)
    if leader != seat:
        return leader
    others = sorted((s.cards, s.seat) for s in state.seats.values() if s.seat != seat and not s.out)
    return others[-1][1] if others else None
