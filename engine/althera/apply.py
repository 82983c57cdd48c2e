"""Applying actions: the verdict, and for each kind of action the state after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.althera.actions import (
    Action,
    Crown,
    Declare,
    Intervene,
    Play,
    Redraw,
    Retreat,
    Roll,
    Setup,
    Stand,
    Undo,
)
from engine.althera.cards import Card
from engine.althera.ending import begin_turn, end_duel
from engine.althera.field import after, worked_out
from engine.althera.legality import findings, setup_fault, timing_fault, without_effect
from engine.althera.rulebook import FINDINGS
from engine.althera.ruleset import Ruleset
from engine.althera.state import Awaited, Duel, Field, Laid, Match, Seat, State, duel_of
from engine.findings import as_warnings, callings, make
from engine.game import Finding, Verdict


def initial(rules: Ruleset) -> State:
    """The state before any setup."""
    return State(Match(rules), {})


def apply(state: State, action: Action) -> Verdict:
    """The verdict on one action. Illegal: the state is the very object passed in."""
    found = findings(state, action)
    if found:
        if any(f.severity == "illegal" for f in found):
            if not action.force or not _can_be_forced(state, action, found):
                return Verdict(False, found, state)
            found = as_warnings(found)
        if without_effect(state, action, found):
            return Verdict(True, found, state if isinstance(action, Undo) else _idle(state))
    elif action.force:
        action = replace(action, force=False)  # nothing that had to be forced
    info: list[Finding] = []
    new = _APPLY[type(action)](state, action, info)
    return Verdict(True, (*found, *info) if info else found, new)


def carry_out(state: State, action: Action) -> State:
    """The state after an action of which it is known that nothing speaks against it and that it is not
    forced: what `apply` does once it has looked. For who has asked `legality` for this very state, as
    the lab's bots do; an action that is not legal makes a state that no match has."""
    return _APPLY[type(action)](state, action, [])


def _can_be_forced(state: State, action: Action, found: tuple[Finding, ...]) -> bool:
    """Any but what is no action at all. A new setup in mid-match can."""
    if isinstance(action, Setup):
        return setup_fault(state.match.rules, action) is None
    return all(f.code != "bad-input" for f in found)


def _idle(state: State) -> State:
    """The same table, one applied action later: undo takes that action back and nothing else."""
    if state.match.phase == "setup":
        return state
    return State(state.match, state.seats, state.duels, state.before, state.idle + 1)


# Before and around the duels.


def _setup(state: State, action: Setup, info: list[Finding]) -> State:
    rules = state.match.rules
    players = tuple(sorted(action.players, key=lambda player: player.seat))
    owners = {card.id: p.seat for p in players for card in rules.deck(p.house)}
    size = len(owners) // len(players)
    seats = {p.seat: Seat(p.seat, p.house, size, rules.hand_size, 0, False) for p in players}
    match = Match(
        rules=rules,
        players=players,
        called=callings({p.seat: p.name for p in players}),
        turns=action.turns,
        phase="initiative",
        turn=1,
        to_roll=tuple(seats),
        owners=owners,
        began=dict.fromkeys(seats, size),
    )
    return State(match, seats)


def _roll(state: State, action: Roll, info: list[Finding]) -> State:
    seat = action.seat
    if seat in state.match.to_roll:
        return _roll_for_crown(state, action)
    duel = next(d for d in state.duels if d.awaited is not None and d.awaited.seat == seat)
    if duel.awaited == (seat, "retreat"):
        settled = duel._replace(awaited=None)
        if action.face in state.match.rules.retreat_faces:
            enemy = duel.enemy(seat)
            return end_duel(state, state.match, state.seats, settled, enemy, "retreat", info)
        # Both may have played all: a forced retreat gives up the roll for the last card, an oracle.
        return _settle(state, state.match, state.seats, settled, info)
    last = duel.laid[-1]._replace(face=action.face)
    field = after(state.match.rules, duel.field, last)
    settled = duel._replace(awaited=None, laid=(*duel.laid[:-1], last), field=field)
    return _settle(state, state.match, state.seats, settled, info)


def _roll_for_crown(state: State, action: Roll) -> State:
    match = state.match
    rolled = {**match.rolled, action.seat: action.face}
    to_roll = tuple(seat for seat in match.to_roll if seat != action.seat)
    if to_roll:
        new = match._replace(to_roll=to_roll, rolled=rolled)
        return State(new, state.seats, (), state)
    best = max(rolled.values())
    tied = tuple(seat for seat in sorted(rolled) if rolled[seat] == best)
    if len(tied) > 1:
        new = match._replace(to_roll=tied, rolled={})
        return State(new, state.seats, (), state)
    return State(begin_turn(match, state.seats, 1, tied[0]), state.seats, (), state)


def _crown(state: State, action: Crown, info: list[Finding]) -> State:
    match = state.match
    if match.crown == action.seat:
        return _idle(state)
    stays = match.rules.initiative == "fixed"
    info.append(
        make(
            FINDINGS,
            "crown-moved",
            (action.seat,),
            {"who": match.called[action.seat]},
            severity="warning" if stays else "info",
        )
    )
    if match.phase == "initiative":
        new = begin_turn(match, state.seats, 1, action.seat)
    else:
        new = match._replace(crown=action.seat)
    return State(new, state.seats, state.duels, state)


def _declare(state: State, action: Declare, info: list[Finding]) -> State:
    match = state.match
    if match.phase == "initiative":  # forced: the table lets this seat begin
        match = begin_turn(match, state.seats, 1, action.seat)
    match = match._replace(declared=action.seat)
    duel = Duel(action.seat, action.against)
    return State(match, state.seats, (*state.duels, duel), state)


def _undo(state: State, action: Undo, info: list[Finding]) -> State:
    if state.idle:
        return State(state.match, state.seats, state.duels, state.before, state.idle - 1)
    assert state.before is not None
    return state.before


# In a duel.


def _duel(state: State, seat: int) -> Duel:
    duel = duel_of(state, seat)
    assert duel is not None, "legality lets nobody act outside a duel"
    return duel


def _go_on(state: State, match: Match, seats: Mapping[int, Seat], duel: Duel) -> State:
    """The state with `duel` in the place of what it was."""
    if len(state.duels) == 1:
        return State(match, seats, (duel,), state)
    duels = tuple(duel if d.attacker == duel.attacker else d for d in state.duels)
    return State(match, seats, duels, state)


def _settle(state: State, match: Match, seats: Mapping[int, Seat], duel: Duel, info: list[Finding]) -> State:
    """The state after a card: the duel goes on, or both have played all of theirs (ALT-4.4)."""
    plays = match.rules.plays
    if duel.by_defender >= plays and duel.by_attacker >= plays and duel.awaited is None:
        winner = None if duel.field is None else duel.field.owner
        return end_duel(state, match, seats, duel, winner, "three_cards", info)
    return _go_on(state, match, seats, duel)


def _redraw(state: State, action: Redraw, info: list[Finding]) -> State:
    seat = state.seats[action.seat]
    seats = {**state.seats, seat.seat: seat._replace(hand=max(seat.hand - 1, 0))}
    return State(state.match, seats, state.duels, state)


def _retreat(state: State, action: Retreat, info: list[Finding]) -> State:
    duel = _duel(state, action.seat)
    retreated = duel.retreated if action.seat in duel.retreated else (*duel.retreated, action.seat)
    new = duel._replace(awaited=Awaited(action.seat, "retreat"), retreated=retreated)
    return _go_on(state, state.match, state.seats, new)


def _stand(state: State, action: Stand, info: list[Finding]) -> State:
    duel = _duel(state, action.seat)._replace(awaited=None)
    winner = None if duel.field is None else duel.field.owner
    return end_duel(state, state.match, state.seats, duel, winner, "stand", info)


def _play(state: State, action: Play, info: list[Finding]) -> State:
    side = action.seat
    duel = _duel(state, side)
    card = state.match.rules.cards[action.card]
    match, seats = _from_hand(state, state.seats[side], card, draws=False)
    new = _laid(match, duel, card, action, side, info)
    return _settle(state, match, seats, new, info)


def _intervene(state: State, action: Intervene, info: list[Finding]) -> State:
    seat = state.seats[action.seat]
    duel = _duel(state, action.side)
    card = state.match.rules.cards[action.card]
    match, seats = _from_hand(state, seat, card, draws=True)
    new = _laid(match, duel, card, action, action.side, info)
    return _settle(state, match, seats, new, info)


def _from_hand(state: State, seat: Seat, card: Card, draws: bool) -> tuple[Match, Mapping[int, Seat]]:
    """Match and seats once `seat` has laid the card and, as an intervener, drawn one (ALT-7.1).

    A card of somebody else's that the table forced is the player's from now on.
    """
    match = state.match
    seats = {**state.seats}
    number, house, cards, hand, lying, out = seat
    owner = match.owners.get(card.id)
    if owner != number:
        match = match._replace(owners={**match.owners, card.id: number})
        cards += 1
        if owner is not None:
            giver = seats[owner]
            left = giver.cards - 1
            kept = min(giver.hand, left - giver.lying)
            seats[owner] = giver._replace(cards=left, hand=kept)
    lying += 1
    if hand:
        hand -= 1
    if draws and hand < cards - lying:
        hand += 1
    seats[number] = Seat(number, house, cards, hand, lying, out)
    return match, seats


def _as_laid(rules: Ruleset, duel: Duel, card: Card, action: Play | Intervene, side: int) -> Laid:
    """The special with what decides how far it acts. An untimely special was forced, or its player had
    nothing else to lay (`legality.timing_fault`, docs/rulings.md)."""
    by, sign = action.seat, action.sign
    untimely = timing_fault(rules, duel, card.kind, side, isinstance(action, Intervene)) is not None
    barred = untimely and not action.force and rules.answer_scope == "defender_only" and side == duel.attacker
    cancelled = duel.shield == duel.enemy(side)
    return Laid(card, by, side, sign, None, cancelled, untimely and action.force, duel.field, barred)


def _laid(
    match: Match, duel: Duel, card: Card, action: Play | Intervene, side: int, info: list[Finding]
) -> Duel:
    """The duel once the card lies and has done what it does (ALT-4.3, ALT-5, ALT-7.1)."""
    attacker, defender, field, played, answered, awaited, shield, helped, fled, scored, plays, cards = duel
    by, awaited = action.seat, None
    if isinstance(action, Intervene):
        if by not in helped:
            helped = (*helped, by)
    elif side == attacker:
        played += 1
    else:
        answered += 1
    if card.value is not None:
        laid = Laid(card, by, side, action.sign, None, False, False, field)
        field, scored = after(match.rules, field, laid), True
    else:
        laid = _as_laid(match.rules, duel, card, action, side)
        if card.kind == "oracle":
            awaited = Awaited(by, "oracle")
        if laid.cancelled:
            enemy = duel.enemy(side)
            what = f"{match.called[enemy]}'s Shield cancels the {card.name}."
            info.append(make(FINDINGS, "shield-cancels", (enemy, side), {"what": what}))
        elif card.kind == "shield":
            shield = side
            plays, field = _undone(match, duel, side, info)
        elif awaited is None:
            field = after(match.rules, field, laid)
    return Duel(
        attacker,
        defender,
        field,
        played,
        answered,
        awaited,
        shield,
        helped,
        fled,
        scored,
        (*plays, laid),
        (*cards, card.id),
    )


def _undone(
    match: Match, duel: Duel, side: int, info: list[Finding]
) -> tuple[tuple[Laid, ...], Field | None]:
    """What a shield that stands makes of the plays before it, and of the field (`shield_reach`)."""
    reach = match.rules.shield_reach
    plays = duel.laid
    reached = {
        index
        for index, laid in enumerate(plays)
        if laid.card.value is None and laid.side != side and not laid.cancelled
    }
    if reach == "answered_and_later":
        reached &= {len(plays) - 1}
    if reach == "later_only" or not reached:
        return plays, duel.field
    undone = tuple(
        laid._replace(cancelled=True) if index in reached else laid for index, laid in enumerate(plays)
    )
    field = worked_out(match.rules, undone) if reach == "whole_duel" else plays[-1].before
    names = ", ".join(plays[index].card.name for index in sorted(reached))
    stands = "empty" if field is None else f"{field.value}, {match.called[field.owner]}'s"
    what = f"{match.called[side]}'s Shield undoes: {names}. The field is {stands}."
    info.append(make(FINDINGS, "shield-cancels", (side, duel.enemy(side)), {"what": what}))
    return undone, field


_APPLY: Mapping[type[Any], Callable[[State, Any, list[Finding]], State]] = {
    Setup: _setup,
    Roll: _roll,
    Crown: _crown,
    Declare: _declare,
    Redraw: _redraw,
    Play: _play,
    Retreat: _retreat,
    Stand: _stand,
    Intervene: _intervene,
    Undo: _undo,
}
