"""Applying an action: the one place where a match of Anthem changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.anthem.actions import Action, Claim, Keep, Lay, Setup, Undo
from engine.anthem.catalogue import FINDINGS
from engine.anthem.legality import MEANINGLESS, by_rank, objections
from engine.anthem.state import (
    DEALT,
    END,
    START,
    VALUE_OF,
    VALUES,
    HeroOrDragon,
    Layout,
    Seat,
    State,
    Win,
    deads,
    index_of,
    place_of,
    places_for,
    stuck,
    unlaid,
)
from engine.findings import as_warnings, make
from engine.game import Finding, Verdict

WINS: tuple[HeroOrDragon, ...] = ("hero", "dragon")


def apply(state: State, action: Action) -> Verdict:
    """The verdict on one action. Illegal: the state is the very object passed in.

    With `force` an illegal action is applied as far as it has a meaning, its findings then being
    warnings; where it has none (the place is taken, the card or the seat is not in the match, the
    match is over) nothing changes but that there is one more action to undo. An undo is none.
    """
    found = objections(state, action)
    if found and not (action.force and _can_be_forced(action, found)):
        return Verdict(False, tuple(found), state)
    remarks = list(as_warnings(found))
    if any(f.code in MEANINGLESS for f in found):
        counts = state.phase != "setup" and not isinstance(action, Undo)
        return _applied(replace(state, before=state) if counts else state, remarks)
    match action:
        case Lay():
            return _lay(state, action, remarks)
        case Keep():
            later = _pass_turns(state, action.seat)
            after = _end_turn(later, lays=False)
            remarks += _keeps(later.inferred, action.seat)
            return _applied(replace(after, inferred=later.inferred, before=state), remarks)
        case Claim():
            won = Win(action.seat, action.win, action.shown)
            after = replace(state, phase="over", wins=(*state.wins, won), before=state)
            return _applied(after, remarks)
        case Setup():
            return _applied(_deal(state, action), remarks)
        case Undo():
            assert state.before is not None  # legality has seen to it
            return _applied(state.before, remarks)


def actions(state: State) -> Iterator[Action]:
    """Every action that `apply` accepts on public knowledge: lays, keeps and claims.

    A claim that must show its hand is listed once a seat and win, with the first hand in the order
    of the sets that proves it: every other hand of that size, of cards that lie nowhere, with the
    same answer as to the Deads is accepted as well. Setup and undo are left out.
    """
    if state.phase == "play":
        in_hands = [(card, value) for card in unlaid(state) if (value := VALUE_OF[card]) is not None]
        for seat in state.seats:
            fitting = {value: places_for(seat.layout, value) for value in VALUES}
            yield Keep(seat.seat)
            for card, value in in_hands:
                for place in fitting[value]:
                    yield Lay(seat.seat, card, place)
    for seat in state.seats:
        for win in WINS:
            claim = likeliest_claim(state, seat.seat, win)
            if not objections(state, claim):
                yield claim


def likeliest_claim(state: State, seat: int, win: HeroOrDragon) -> Claim:
    """A seat's claim, where a hand must be shown with the first hand that could prove it."""
    i = index_of(state, seat)
    if i is None or state.rules.proof == "trust":
        return Claim(seat, win, () if i is None else None)
    dead = deads(state)
    plain = [card for card in unlaid(state) if card not in dead]
    proof = plain if win == "hero" else [*sorted(dead), *plain]
    return Claim(seat, win, tuple(proof[: state.seats[i].hand]))


def _can_be_forced(action: Action, found: list[Finding]) -> bool:
    """Anything but what is no action at all. A setup in mid-match can."""
    return isinstance(action, Setup) or all(f.code != "bad-input" for f in found)


def _applied(state: State, remarks: list[Finding]) -> Verdict:
    return Verdict(True, tuple(remarks), state)


def _deal(state: State, setup: Setup) -> State:
    """ANT-2: the k-th player listed brings set `s<k>`; seats are kept clockwise, by their number."""
    seats = [Seat(p.seat, f"s{k}", p.name, _start_of(f"s{k}"), DEALT) for k, p in enumerate(setup.players, 1)]
    seats.sort(key=lambda s: s.seat)
    return State(state.rules, "play", 1, setup.first, tuple(seats))


def _start_of(card_set: str) -> Layout:
    return (f"{card_set}/{START}", *(None for _ in range(6)), f"{card_set}/{END}")


def _lay(state: State, lay: Lay, remarks: list[Finding]) -> Verdict:
    lies = place_of(state, lay.card)
    if lies is not None:  # moved on the table's own ruling: no card leaves a hand, no turn ends
        after = _put(_put(state, lies[0].seat, lies[1], None), lay.seat, lay.place, lay.card)
    else:
        later = _pass_turns(state, lay.seat)
        after = _put(_end_turn(later, lays=True), lay.seat, lay.place, lay.card)
        after = replace(after, inferred=later.inferred)
        remarks = remarks + _keeps(later.inferred, lay.seat)
    after = replace(after, laid=(lay.seat, lay.place), before=state)
    return _applied(after, sorted([*remarks, *_hint(state, after, lay)], key=by_rank))


def _hint(state: State, after: State, lay: Lay) -> list[Finding]:
    """The remark, where the table wants it, that this lay has spoiled the player's layout."""
    i = index_of(after, lay.seat)
    if state.rules.hints == "off" or i is None:
        return []
    if stuck(after, after.seats[i]) and not stuck(state, state.seats[i]):
        return [make(FINDINGS, "layout-stuck", (lay.seat,), {"seat": lay.seat})]
    return []


def _keeps(inferred: tuple[int, ...], seat: int) -> list[Finding]:
    if not inferred:
        return []
    whose = ("seat " if len(inferred) == 1 else "seats ") + ", ".join(map(str, inferred))
    return [make(FINDINGS, "keeps-inferred", inferred, {"whose": whose, "seat": seat})]


def _pass_turns(state: State, seat: int) -> State:
    """The state at the seat's next turn, the turns before it taken as keeps."""
    inferred = []
    while state.to_move != seat:
        assert state.to_move is not None
        inferred.append(state.to_move)
        state = _end_turn(state, lays=False)
    return replace(state, inferred=tuple(inferred))


def _end_turn(state: State, *, lays: bool) -> State:
    """The turn's effect on the hands: one card drawn from the right, and kept or gone to a layout.

    A neighbour without cards can't be drawn from (only rulings by force lead there: a hand has at
    least two cards otherwise); the next one to the right that has some is then drawn from.
    """
    seats = list(state.seats)
    me = index_of(state, state.to_move or 0) or 0
    right = (me - 1) % len(seats)
    while seats[right].hand == 0 and right != me:
        right = (right - 1) % len(seats)
    seats[right] = replace(seats[right], hand=seats[right].hand - 1)
    if not lays:
        seats[me] = replace(seats[me], hand=seats[me].hand + 1)
    following = seats[(me + 1) % len(seats)].seat
    return replace(state, turn=state.turn + 1, to_move=following, seats=tuple(seats), laid=None, inferred=())


def _put(state: State, seat: int, place: int, card: str | None) -> State:
    i = index_of(state, seat) or 0
    layout = state.seats[i].layout
    layout = (*layout[:place], card, *layout[place + 1 :])
    changed = replace(state.seats[i], layout=layout)
    return replace(state, seats=(*state.seats[:i], changed, *state.seats[i + 1 :]))
