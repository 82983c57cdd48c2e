"""What follows a duel: captures, elimination, the turn's end, the match's end, the tie-break."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Literal

from engine.althera.rulebook import FINDINGS
from engine.althera.state import (
    Duel,
    LastDuel,
    Match,
    Pair,
    Seat,
    State,
    Tiebreak,
    first_clockwise,
)
from engine.findings import make
from engine.game import Finding

EndedBy = Literal["three_cards", "stand", "retreat"]


def end_duel(
    state: State,
    match: Match,
    seats: Mapping[int, Seat],
    duel: Duel,
    winner: int | None,
    ended_by: EndedBy,
    info: list[Finding],
) -> State:
    """The state after `duel` (as it ended) is won by `winner` and leaves the table.

    `match` and `seats` are those after the action; `state` is the one before it.
    """
    others = tuple(other for other in state.duels if other.attacker != duel.attacker)
    last = LastDuel(duel, winner, ended_by, *_changing_hands(duel, winner))
    if match.tiebreak is not None:
        return _after_extra_duel(match._replace(last_duel=last), match.tiebreak, winner, state)
    owners, left = _handed_over(match.owners, seats, last)
    _eliminate(match, owners, left, others, last, info)
    size = match.rules.hand_size
    attacker, defender = duel[:2]
    for number in (attacker, defender):
        _, house, cards, _, lying, out = left[number]
        if not out:
            left[number] = Seat(number, house, cards, min(size, cards - lying), lying, out)
    ended = (attacker, defender) if attacker < defender else (defender, attacker)
    standing = {number for number, seat in left.items() if not seat.out}
    pairs = tuple([pair for pair in match.pairs_left if pair != ended and standing.issuperset(pair)])
    match = match._replace(owners=owners, pairs_left=pairs, last_duel=last)
    if len(standing) == 1:
        return State(_over(match, min(standing)), left, others, state)
    if not pairs and not others:
        return _end_turn(match, left, state)
    return State(match, left, others, state)


def _changing_hands(duel: Duel, winner: int | None) -> tuple[tuple[str, ...], dict[int, tuple[str, ...]]]:
    """The loser's score cards, which the winner captures (ALT-4.5, ALT-6.2), and who receives which
    specials: the enemy of the side they were laid for (ALT-5.6)."""
    captured: list[str] = []
    received: dict[int, tuple[str, ...]] = {}
    for card, _, side, *_ in duel.laid:
        if card.value is None:
            enemy = duel.enemy(side)
            received[enemy] = (*received.get(enemy, ()), card.id)
        elif winner is not None and side != winner:
            captured.append(card.id)
    return tuple(captured), received


def _handed_over(
    owners: Mapping[str, int], seats: Mapping[int, Seat], last: LastDuel
) -> tuple[dict[str, int], dict[int, Seat]]:
    """Owners and seats once the duel's cards have gone where they belong (ALT-4.5, ALT-5.6)."""
    new = dict(owners)
    gained = dict.fromkeys(seats, 0)
    lifted = dict.fromkeys(seats, 0)
    for laid in last.duel.laid:
        lifted[laid.by] += 1
    received = [*last.specials.items()]
    if last.winner is not None:
        received.append((last.winner, last.captured))
    for receiver, ids in received:
        for card in ids:
            gained[new[card]] -= 1
            gained[receiver] += 1
            new[card] = receiver
    return new, {
        number: Seat(number, house, cards + gained[number], hand, lying - lifted[number], out)
        for number, house, cards, hand, lying, out in seats.values()
    }


def _eliminate(
    match: Match,
    owners: dict[str, int],
    seats: dict[int, Seat],
    running: tuple[Duel, ...],
    last: LastDuel,
    info: list[Finding],
) -> None:
    """ALT-8.1, in place: the loser, the winner, then the interveners, while more than one is in.

    Without a winner the defender counts as the loser. Who duels elsewhere is left for that duel's end.
    """
    duel, least = last.duel, match.rules.hand_size
    first = duel.attacker if last.winner is None else last.winner
    other = duel.enemy(first)
    for number in (other, first, *duel.interveners):
        seat = seats[number]
        if seat.free >= least or seat.out or any(number in r[:2] for r in running):
            continue
        if sum(not s.out for s in seats.values()) == 1:
            return
        receiver = first
        if number == first or (number != other and seats[first].out and not seats[other].out):
            receiver = other
        left = _put_out(owners, seats, running, number, receiver)
        words: dict[str, str | int] = {
            "who": match.called[number],
            "left": left,
            "heir": match.called[receiver],
        }
        info.append(make(FINDINGS, "seat-eliminated", (number, receiver), words))


def _put_out(
    owners: dict[str, int],
    seats: dict[int, Seat],
    running: tuple[Duel, ...],
    number: int,
    receiver: int,
) -> int:
    """Seat `number` is out, in place; its deck and hand go to `receiver`. How many cards those were.

    What it has lying in other duels as an intervener goes its usual way when they end.
    """
    lying = {card for duel in running for card in duel.cards}
    left = [card for card, owner in owners.items() if owner == number and card not in lying]
    owners.update(dict.fromkeys(left, receiver))
    seat, taker = seats[number], seats[receiver]
    seats[number] = seat._replace(cards=seat.cards - len(left), hand=0, out=True)
    seats[receiver] = taker._replace(cards=taker.cards + len(left))
    return len(left)


def begin_turn(match: Match, seats: Mapping[int, Seat], turn: int, crown: int) -> Match:
    """The match at the start of a turn: all pairs of remaining players are to duel (ALT-3.1)."""
    remaining = sorted([number for number, seat in seats.items() if not seat.out])
    return match._replace(
        phase="duels",
        turn=turn,
        crown=crown,
        to_roll=(),
        rolled={},
        declared=None,
        pairs_left=tuple(combinations(remaining, 2)),
        began={number: seat.cards for number, seat in seats.items()},
    )


def _end_turn(match: Match, seats: Mapping[int, Seat], before: State) -> State:
    """The next turn, or the count after the last one (ALT-9.1)."""
    if match.turn < match.turns:
        crown = _next_crown(match, seats)
        return State(begin_turn(match, seats, match.turn + 1, crown), seats, (), before)
    most = max([seat.cards for seat in seats.values() if not seat.out])
    tied = tuple(number for number, seat in sorted(seats.items()) if not seat.out and seat.cards == most)
    if len(tied) == 1:
        return State(_over(match, tied[0]), seats, (), before)
    apart = Tiebreak(seats, match.owners, tied, (), {})
    match = match._replace(phase="tiebreak", owners=_apart_owners(match, seats, tied))
    return _extra_round(match, apart, before)


def _next_crown(match: Match, seats: Mapping[int, Seat]) -> int:
    """Where the crown goes at a turn's end (ruling `initiative`)."""
    assert match.crown is not None
    remaining = [number for number, seat in seats.items() if not seat.out]
    if match.rules.initiative == "leader":
        most = max(seats[number].cards for number in remaining)
        leaders = [number for number in remaining if seats[number].cards == most]
        if len(leaders) == 1:
            return leaders[0]
    if match.rules.initiative == "clockwise" or match.crown not in remaining:
        return first_clockwise(remaining, match.crown + 1)
    return match.crown


def _over(match: Match, winner: int) -> Match:
    return match._replace(phase="over", winners=(winner,), pairs_left=(), tiebreak=None)


# The tie-break (ALT-9.2): extra duels with original decks, one after another.


def _apart_owners(match: Match, seats: Mapping[int, Seat], tied: tuple[int, ...]) -> dict[str, int]:
    """Who may play which card in the extra duels: the tied their house decks, the others what they
    own of the other houses."""
    owners: dict[str, int] = {}
    for house, number in ((seat.house, number) for number, seat in seats.items()):
        for card in match.rules.deck(house):
            owner = number if number in tied else match.owners[card.id]
            if number in tied or owner not in tied:
                owners[card.id] = owner
    return owners


def _extra_round(match: Match, tiebreak: Tiebreak, before: State) -> State:
    """A first or further round among those still tied."""
    tied = tiebreak.tied
    if match.rules.tiebreak_many == "sudden_death":
        pairs: tuple[Pair, ...] = ((tied[0], tied[1]),)
    else:
        pairs = tuple(combinations(tied, 2))
    won = dict.fromkeys(tied, 0)
    return _extra_duel(match, tiebreak._replace(pairs=pairs, won=won), before)


def _extra_duel(match: Match, tiebreak: Tiebreak, before: State) -> State:
    """The next extra duel begins by itself; who comes first from the crown on attacks."""
    assert match.crown is not None
    pair = tiebreak.pairs[0]
    attacker = first_clockwise(pair, match.crown)
    defender = pair[1] if attacker == pair[0] else pair[0]
    counts = dict.fromkeys(tiebreak.seats, 0)
    for owner in match.owners.values():
        counts[owner] += 1
    size = match.rules.hand_size
    seats = {
        number: seat._replace(cards=counts[number], hand=min(size, counts[number]), lying=0)
        for number, seat in tiebreak.seats.items()
    }
    left = tuple(sorted((min(p), max(p)) for p in tiebreak.pairs))
    match = match._replace(pairs_left=left, tiebreak=tiebreak)
    return State(match, seats, (Duel(attacker, defender),), before)


def _after_extra_duel(match: Match, tiebreak: Tiebreak, winner: int | None, before: State) -> State:
    won = dict(tiebreak.won)
    if winner is not None:
        won[winner] += 1
    if match.rules.tiebreak_many == "sudden_death":
        if winner is not None:
            rest = tuple(n for n in tiebreak.tied if n not in tiebreak.pairs[0])
            tiebreak = tiebreak._replace(tied=(winner, *rest))
    else:
        pairs = tiebreak.pairs[1:]
        if pairs:
            return _extra_duel(match, tiebreak._replace(pairs=pairs, won=won), before)
        most = max(won.values())
        tiebreak = tiebreak._replace(tied=tuple(n for n in tiebreak.tied if won[n] == most))
    if len(tiebreak.tied) > 1:
        return _extra_round(match, tiebreak, before)
    match = _over(match, tiebreak.tied[0])._replace(owners=tiebreak.owners)
    return State(match, tiebreak.seats, (), before)
