"""What the rules say against an action: one function an action, each with every finding there is.

The findings come in the order in which a judge would name them. Nobody else decides legality: the
verdict, `actions` and the screen's options all ask here.
"""

from __future__ import annotations

from engine.anthem.actions import Action, Claim, Keep, Lay, Setup, Undo
from engine.anthem.catalogue import FINDINGS
from engine.anthem.state import (
    SET_OF,
    VALUE_OF,
    HeroOrDragon,
    Layout,
    Seat,
    State,
    complete,
    deads,
    hemmed_in,
    index_of,
    place_of,
    rising,
)
from engine.findings import bad_input, make, ranking, shown
from engine.game import Finding

#: Findings after which an action has no meaning that a table could force.
MEANINGLESS = frozenset(
    ("not-set-up", "match-over", "unknown-card", "seat-unknown", "place-taken", "nothing-to-undo")
)


#: What findings are sorted by, so that the first is the one that a judge would name first.
by_rank = ranking(FINDINGS)


def objections(state: State, action: Action) -> list[Finding]:
    """Everything that speaks against `action` now; nothing for a legal one."""
    match action:
        case Lay():
            found = lay_objections(state, action)
        case Keep():
            found = keep_objections(state, action)
        case Claim():
            found = claim_objections(state, action)
        case Setup():
            found = setup_objections(state)
        case Undo():
            found = undo_objections(state)
    return sorted(found, key=by_rank)


def setup_objections(state: State) -> list[Finding]:
    """A match is set up first, and again only once it is over."""
    if state.phase == "play":
        return [bad_input("a match is running; set up when it is over")]
    return []


def undo_objections(state: State) -> list[Finding]:
    """Undo goes back as far as the setup."""
    found = [_note("not-set-up")] if state.phase == "setup" else []
    return found if state.before is not None else [*found, _note("nothing-to-undo")]


def keep_objections(state: State, keep: Keep) -> list[Finding]:
    """Any card may be kept (ANT-5.1); a keep before the seat's turn implies those before it."""
    return _not_running(state) or _nobody_at(state, keep.seat)


def lay_objections(state: State, lay: Lay) -> list[Finding]:
    """ANT-4 and ANT-5.1."""
    if found := _not_running(state):
        return found
    known = SET_OF.get(lay.card) in {s.set for s in state.seats}
    if not known:
        found.append(_note("unknown-card", lay.seat, card=shown(lay.card)))
    found += _nobody_at(state, lay.seat)
    i = index_of(state, lay.seat)
    if i is not None:
        found += _misplaced(state, state.seats[i], lay) if known else []
    return found


def _misplaced(state: State, seat: Seat, lay: Lay) -> list[Finding]:
    """What the layout has against the card. Should it lie there already, it is left out of the rest."""
    value, lies = VALUE_OF[lay.card], place_of(state, lay.card)
    moved = lies is not None and lies[0] is seat and lies[1] != lay.place
    layout: Layout = tuple(None if c == lay.card else c for c in seat.layout)
    found = []
    if (other := layout[lay.place]) is not None:
        found.append(_note("place-taken", lay.seat, place=lay.place, other=other))
    if value is not None:
        twin = next((c for c in layout if c is not None and VALUE_OF[c] == value), None)
        if not rising(layout, value, lay.place):
            found.append(_note("not-rising", lay.seat, value=value, place=lay.place))
        if twin is not None:
            found.append(_note("value-twice", lay.seat, value=value, other=twin))
        elif hemmed_in(layout, value):
            found.append(_note("no-room", lay.seat, value=value))
    else:
        found.append(_note("dead-laid", lay.seat))
    if moved:
        found.append(_note("card-moved", lay.seat, card=lay.card))
    elif lies is not None:
        found.append(_note("already-laid", lay.seat, card=lay.card, owner=lies[0].seat))
    return found


def claim_objections(state: State, claim: Claim) -> list[Finding]:
    """ANT-6.1 and ANT-6.2, as far as the table can know and the ruling `proof` asks."""
    if claim.shown is None and state.rules.proof == "show" and state.phase != "setup":
        return [bad_input("shown is missing, and the whole hand must prove a win")]
    if not _still_claimable(state, claim) and (found := _not_running(state)):
        return found
    found = _nobody_at(state, claim.seat)
    i = index_of(state, claim.seat)
    if i is None:
        return found
    me = state.seats[i]
    if claim.win == "hero" and not complete(me.layout):
        found.append(_note("claim-incomplete", me.seat, seat=me.seat, free=me.layout.count(None)))
    if claim.win == "dragon" and state.rules.dragon == "off":
        found.append(_note("dragon-off", me.seat))
    return found if claim.shown is None else [*found, *_unproved(state, me, claim.win, claim.shown)]


def _unproved(state: State, me: Seat, win: HeroOrDragon, hand: tuple[str, ...]) -> list[Finding]:
    """What the hand that is shown has against the claim."""
    found, dead, sets = [], deads(state), {seat.set for seat in state.seats}
    strange = next((card for card in hand if SET_OF.get(card) not in sets), None)
    if strange is not None:
        found.append(_note("unknown-card", me.seat, card=shown(strange)))
    if why := _mismatch(state, hand, me.hand):
        found.append(_note("claim-hand-mismatch", me.seat, seat=me.seat, why=why))
    if win == "hero" and dead & set(hand):
        found.append(_note("claim-dead-in-hand", me.seat, seat=me.seat))
    if win == "dragon" and (missing := dead - set(hand)):
        found.append(_note("claim-not-all-dead", me.seat, seat=me.seat, missing=len(missing)))
    return found


def _mismatch(state: State, hand: tuple[str, ...], size: int) -> str:
    """Why these cards can't be the whole of a hand of that size; empty where they can."""
    for card in hand:
        if lies := place_of(state, card):
            return f"{card} lies in the layout of seat {lies[0].seat}"
    if len(set(hand)) < len(hand):
        return "a card was shown twice"
    if len(hand) != size:
        return f"{len(hand)} cards were shown and it has {size}"
    return ""


def _still_claimable(state: State, claim: Claim) -> bool:
    """A won match can still be claimed for the other win, unless `both_win` sets that one behind."""
    if state.phase != "over" or {w.win for w in state.wins} == {"hero", "dragon"}:
        return False
    first = state.wins[0]
    return (
        first.win != claim.win and first.seat != claim.seat and state.rules.both_win in ("shared", claim.win)
    )


def _not_running(state: State) -> list[Finding]:
    """Before a match and after it there is no position to judge in: this comes alone."""
    codes = {"setup": "not-set-up", "over": "match-over"}
    return [_note(codes[state.phase])] if state.phase in codes else []


def _nobody_at(state: State, seat: int) -> list[Finding]:
    return [_note("seat-unknown", seat=shown(seat))] if index_of(state, seat) is None else []


def _note(code: str, *seats: int, **words: str | int) -> Finding:
    return make(FINDINGS, code, seats, words)
