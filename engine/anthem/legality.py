"""What the rules say against an action: one function an action, each with every finding there is.

The findings come in the order in which a judge would name them. Nobody else decides legality: the
verdict, `actions` and the screen's options all ask here.
"""

from __future__ import annotations

from engine.anthem.actions import Action, Claim, Keep, Lay, Setup, Undo
from engine.anthem.catalogue import FINDINGS, FORCEABLE
from engine.anthem.state import (
    SET_OF,
    VALUE_OF,
    Layout,
    State,
    complete,
    deads,
    index_of,
    place_of,
    places_for,
    rising,
)
from engine.findings import bad_input, make, shown
from engine.game import Finding


def objections(state: State, action: Action) -> list[Finding]:
    """Every finding that makes the action illegal; empty where it is legal."""
    match action:
        case Lay():
            return lay_objections(state, action)
        case Keep():
            return keep_objections(state, action)
        case Claim():
            return claim_objections(state, action)
        case Setup():
            return setup_objections(state)
        case Undo():
            return undo_objections(state)


def forced(action: Action, found: list[Finding]) -> bool:
    """Whether the table's `force` gives the action a meaning in spite of these findings."""
    return action.force and all(f.code in FORCEABLE for f in found)


def setup_objections(state: State) -> list[Finding]:
    """A match is set up first, and again only once it is over."""
    if state.phase == "play":
        return [bad_input("setup comes first, or after the match is over")]
    return []


def undo_objections(state: State) -> list[Finding]:
    """Undo goes back as far as the setup."""
    return [make(FINDINGS, "nothing-to-undo")] if state.before is None else []


def keep_objections(state: State, keep: Keep) -> list[Finding]:
    """Any card may be kept (ANT-5.1); a keep before the seat's turn implies those before it."""
    return _not_running(state) or _nobody_there(state, keep.seat)


def lay_objections(state: State, lay: Lay) -> list[Finding]:
    """ANT-4 and ANT-5.1. The card itself, should it lie in this layout, is left out of the rest."""
    if found := _not_running(state):
        return found
    found = []
    if lay.card not in SET_OF or SET_OF[lay.card] not in (s.set for s in state.seats):
        found.append(make(FINDINGS, "unknown-card", (lay.seat,), card=shown(lay.card)))
    if index_of(state, lay.seat) is None:
        found += _nobody_there(state, lay.seat)
    if found:
        return found
    return _misplaced(state, lay)


def _misplaced(state: State, lay: Lay) -> list[Finding]:
    seat = state.seats[index_of(state, lay.seat) or 0]
    value, lies = VALUE_OF[lay.card], place_of(state, lay.card)
    moved = lies is not None and lies[0] is seat and lies[1] != lay.place
    layout: Layout = tuple(None if c == lay.card else c for c in seat.layout)
    found = []
    if (other := layout[lay.place]) is not None:
        found.append(make(FINDINGS, "place-taken", (lay.seat,), place=lay.place, other=other))
    if value is not None:
        twin = next((c for c in layout if c is not None and VALUE_OF[c] == value), None)
        if not rising(layout, value, lay.place):
            found.append(make(FINDINGS, "not-rising", (lay.seat,), value=value, place=lay.place))
        if twin is not None:
            found.append(make(FINDINGS, "value-twice", (lay.seat,), value=value, other=twin))
        elif not places_for(layout, value):
            found.append(make(FINDINGS, "no-room", (lay.seat,), value=value))
    else:
        found.append(make(FINDINGS, "dead-laid", (lay.seat,)))
    if moved:
        found.append(make(FINDINGS, "card-moved", (lay.seat,), card=lay.card))
    elif lies is not None:
        found.append(make(FINDINGS, "already-laid", (lay.seat,), card=lay.card, owner=lies[0].seat))
    return found


def claim_objections(state: State, claim: Claim) -> list[Finding]:
    """ANT-6.1 and ANT-6.2, as far as the table can know and the ruling `proof` asks."""
    if found := _no_claim_now(state, claim) or _nobody_there(state, claim.seat):
        return found
    seat = state.seats[index_of(state, claim.seat) or 0]
    hand = claim.shown
    if hand is None and state.rules.proof == "show":
        return [bad_input("shown is missing: the whole hand proves a win")]
    found = []
    if claim.win == "hero":
        if not complete(seat.layout):
            found.append(
                make(
                    FINDINGS, "claim-incomplete", (claim.seat,), seat=claim.seat, free=seat.layout.count(None)
                )
            )
        if hand is not None and deads(state) & set(hand):
            found.append(make(FINDINGS, "claim-dead-in-hand", (claim.seat,), seat=claim.seat))
    if hand is not None and (why := _mismatch(state, hand, seat.hand)):
        found.append(make(FINDINGS, "claim-hand-mismatch", (claim.seat,), seat=claim.seat, why=why))
    if claim.win == "dragon":
        if hand is not None and (missing := deads(state) - set(hand)):
            found.append(
                make(FINDINGS, "claim-not-all-dead", (claim.seat,), seat=claim.seat, missing=len(missing))
            )
        if state.rules.dragon == "off":
            found.append(make(FINDINGS, "dragon-off", (claim.seat,)))
    return found


def _mismatch(state: State, hand: tuple[str, ...], size: int) -> str:
    """Why these cards can't be the whole of a hand of that size; empty where they can."""
    sets = {seat.set for seat in state.seats}
    for card in hand:
        if SET_OF.get(card) not in sets:
            return f"{shown(card)} is not in this match"
        if lies := place_of(state, card):
            return f"{card} lies in the layout of seat {lies[0].seat}"
    if len(set(hand)) < len(hand):
        return "a card was shown twice"
    if len(hand) != size:
        return f"{len(hand)} cards were shown and it has {size}"
    return ""


def _no_claim_now(state: State, claim: Claim) -> list[Finding]:
    """A won match can still be claimed for the other win, unless `both_win` sets that one behind."""
    if state.phase != "over":
        return _not_running(state)
    answered = {w.win for w in state.wins} == {"dragon" if claim.win == "hero" else "hero"}
    if answered and claim.seat != state.wins[0].seat and state.rules.both_win in ("shared", claim.win):
        return []
    return [make(FINDINGS, "match-over", (claim.seat,))]


def _not_running(state: State) -> list[Finding]:
    if state.phase == "play":
        return []
    return [make(FINDINGS, "not-set-up" if state.phase == "setup" else "match-over")]


def _nobody_there(state: State, seat: int) -> list[Finding]:
    return (
        [make(FINDINGS, "seat-unknown", (seat,), seat=shown(seat))] if index_of(state, seat) is None else []
    )
