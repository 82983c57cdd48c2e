"""What follows a duel: captures, elimination, the turn's end, the match's end, the tie-break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
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
    last = LastDuel(duel, winner, ended_by, _captured(duel, winner), _specials(duel))
    match = replace(match, last_duel=last)
    if match.tiebreak is not None:
        return _after_extra_duel(match, match.tiebreak, winner, state)
    owners = dict(match.owners)
    table = _Table(owners, dict(seats), others)
    table.clear(duel)
    if winner is not None:
        table.hand_over(last.captured, winner)
    for receiver, cards in last.specials.items():
        table.hand_over(cards, receiver)
    _eliminate(table, match, duel, winner, info)
    size = match.rules.hand_size
    for number in (duel.attacker, duel.defender):
        seat = table.seats[number]
        if not seat.out:
            table.seats[number] = seat._replace(hand=min(size, seat.free))
    ended = (min(duel[:2]), max(duel[:2]))
    pairs = tuple(
        pair
        for pair in match.pairs_left
        if pair != ended and not (table.seats[pair[0]].out or table.seats[pair[1]].out)
    )
    match = replace(match, owners=owners, pairs_left=pairs)
    standing = [number for number, seat in table.seats.items() if not seat.out]
    if len(standing) == 1:
        match = _over(match, standing[0])
    elif not pairs and not others:
        return _end_turn(match, table.seats, state)
    return State(match, table.seats, others, state)


def _captured(duel: Duel, winner: int | None) -> tuple[str, ...]:
    """The loser's score cards (ALT-4.5, ALT-6.2)."""
    if winner is None:
        return ()
    return tuple(laid.card.id for laid in duel.laid if laid.card.value is not None and laid.side != winner)


def _specials(duel: Duel) -> dict[int, tuple[str, ...]]:
    """Who receives which specials: the enemy of the side they were laid for (ALT-5.6)."""
    received: dict[int, tuple[str, ...]] = {}
    for laid in duel.laid:
        if laid.card.value is None:
            enemy = duel.enemy(laid.side)
            received[enemy] = (*received.get(enemy, ()), laid.card.id)
    return received


class _Table:
    """Owners and counts while a duel is being cleared away: the one place where they are changed
    in place, on copies made for it."""

    def __init__(self, owners: dict[str, int], seats: dict[int, Seat], running: tuple[Duel, ...]) -> None:
        self.owners = owners
        self.seats = seats
        self.running = running

    def clear(self, duel: Duel) -> None:
        """The duel's cards lie on the field no longer."""
        for laid in duel.laid:
            seat = self.seats[laid.by]
            self.seats[laid.by] = seat._replace(lying=seat.lying - 1)

    def hand_over(self, cards: Iterable[str], receiver: int) -> None:
        """These cards belong to `receiver` from now on."""
        for card in cards:
            giver = self.owners[card]
            if giver != receiver:
                self.owners[card] = receiver
                self._count(giver, -1)
                self._count(receiver, 1)

    def _count(self, number: int, change: int) -> None:
        seat = self.seats[number]
        self.seats[number] = seat._replace(cards=seat.cards + change)

    def put_out(self, number: int, receiver: int) -> int:
        """Seat `number` is out; its deck and hand go to `receiver`. How many cards those were."""
        lying = {card for duel in self.running for card in duel.cards}
        left = [c for c, owner in self.owners.items() if owner == number and c not in lying]
        self.hand_over(left, receiver)
        self.seats[number] = self.seats[number]._replace(hand=0, out=True)
        return len(left)


def _eliminate(table: _Table, match: Match, duel: Duel, winner: int | None, info: list[Finding]) -> None:
    """ALT-8.1: the loser, the winner, then the interveners, while more than one is in."""
    first = duel.attacker if winner is None else winner
    other = duel.enemy(first)
    for number in (other, first, *duel.interveners):
        seat = table.seats[number]
        if seat.out or seat.free >= match.rules.hand_size:
            continue
        if sum(not s.out for s in table.seats.values()) == 1:
            return
        if any(number in running[:2] for running in table.running):
            continue
        if number == first or (number != other and table.seats[first].out and not table.seats[other].out):
            receiver = other
        else:
            receiver = first
        left = table.put_out(number, receiver)
        words = {"seat": number, "left": left, "to": receiver}
        info.append(make(FINDINGS, "seat-eliminated", (number, receiver), words))


def begin_turn(match: Match, seats: Mapping[int, Seat], turn: int, crown: int) -> Match:
    """The match at the start of a turn: all pairs of remaining players are to duel (ALT-3.1)."""
    remaining = sorted(number for number, seat in seats.items() if not seat.out)
    return replace(
        match,
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
    most = max(seat.cards for seat in seats.values() if not seat.out)
    tied = tuple(number for number, seat in sorted(seats.items()) if not seat.out and seat.cards == most)
    if len(tied) == 1:
        return State(_over(match, tied[0]), seats, (), before)
    apart = Tiebreak(seats, match.owners, tied, (), {})
    match = replace(match, phase="tiebreak", owners=_apart_owners(match, seats, tied))
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
    return replace(match, phase="over", winners=(winner,), pairs_left=(), tiebreak=None)


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
    match = replace(match, pairs_left=left, tiebreak=tiebreak)
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
    match = replace(_over(match, tiebreak.tied[0]), owners=tiebreak.owners)
    return State(match, tiebreak.seats, (), before)
