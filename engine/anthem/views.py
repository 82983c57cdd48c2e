"""Anthem's public state as JSON, what each audience sees beside it, and what a seat can do now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.anthem.actions import Keep, Lay, dump
from engine.anthem.legality import objections
from engine.anthem.play import WINS, likeliest_claim
from engine.anthem.state import (
    DEAD,
    PLACES,
    VALUE_OF,
    VALUES,
    Seat,
    State,
    complete,
    deads,
    index_of,
    places_for,
    stuck,
    unlaid,
    winners,
)
from engine.game import Audience, Json, Option


def state_json(state: State) -> Json:
    """The state as `contracts/referee.md` writes it (phase `setup` before the first setup)."""
    return {
        "game": "anthem",
        "phase": state.phase,
        "turn": state.turn,
        "to_move": state.to_move if state.phase == "play" else None,
        "seats": [_seat_json(state, seat) for seat in state.seats],
        "winners": winners(state),
        "dragon": state.dragon,
    }


def _seat_json(state: State, seat: Seat) -> Json:
    return {
        "seat": seat.seat,
        "layout": list(seat.layout),
        "hand": seat.hand,
        "complete": complete(seat.layout),
        "stuck": stuck(state, seat),
    }


def view(state: State, audience: Audience) -> Json:
    """`state_json` and what a screen shows beside it.

    Each seat has its `set` and `fits` (value -> places that take it). `names` is seat -> name;
    `draws_from` the seat whose hand is drawn from now; `in_hands` value or `dead` -> how many are in
    hands; `laid` where the last turn laid its card; `inferred_keeps` the seats whose keeps the last
    action took for granted; `proofs` the claims accepted; for an audience of kind `seat` there are
    `options`. A seat's `stuck` is told to that seat alone, and only where the ruling `hints` is on; the
    operator always sees it. Hands appear nowhere but in `proofs`, where they were shown.
    """
    out = state_json(state)
    for seat, shown in zip(state.seats, out["seats"], strict=True):
        shown["set"] = seat.set
        shown["fits"] = {str(value): list(places_for(seat.layout, value)) for value in VALUES}
        own = audience.kind == "seat" and audience.seat == seat.seat
        if audience.kind != "operator" and not (own and state.rules.hints == "on"):
            del shown["stuck"]
    out["names"] = {str(seat.seat): seat.name for seat in state.seats if seat.name}
    out["draws_from"] = _right_of(state)
    out["in_hands"] = _in_hands(state)
    out["laid"] = None if state.laid is None else {"seat": state.laid[0], "place": state.laid[1]}
    out["inferred_keeps"] = list(state.inferred)
    out["proofs"] = [
        {"seat": w.seat, "win": w.win, "shown": None if w.shown is None else sorted(w.shown)}
        for w in state.wins
    ]
    if audience.kind == "seat" and audience.seat is not None:
        out["options"] = [_option_json(option) for option in options(state, audience.seat)]
    return out


def _option_json(option: Option) -> Json:
    why = None if option.why is None else option.why.to_json()
    return {"action": option.action, "legal": option.legal, "why": why}


def _right_of(state: State) -> int | None:
    """The seat from whose hand the player to move draws."""
    if state.phase != "play" or state.to_move is None:
        return None
    return state.seats[(index_of(state, state.to_move) or 0) - 1].seat


def _in_hands(state: State) -> dict[str, int]:
    """Value (or `dead`) -> how many such cards are in hands, nobody knows in whose."""
    count = Counter(str(VALUE_OF[card] or DEAD) for card in unlaid(state))
    return {kind: count[kind] for kind in (*map(str, VALUES), DEAD)} if state.seats else {}


def options(state: State, seat: int) -> Iterator[Option]:
    """What that seat could do: keep, a value to lay (with its places) and the two claims.

    A legal value's action lacks the card and lists `places`; an illegal one says why not. A claim
    that needs the hand shown lacks `shown`.
    """
    yield _option(state, Keep(seat))
    i = index_of(state, seat)
    for value in VALUES if i is not None else ():
        places = places_for(state.seats[i or 0].layout, value)
        card = next((c for c in unlaid(state) if VALUE_OF[c] == value), None)
        if card is not None:
            option = _option(state, Lay(seat, card, _try(state, i or 0, places)))
            action = {"do": "lay", "seat": seat, "kind": str(value), "places": list(places)}
            yield option._replace(action=action)
    for dead in sorted(deads(state))[:1] if i is not None else ():
        option = _option(state, Lay(seat, dead, PLACES[0]))
        yield option._replace(action={"do": "lay", "seat": seat, "kind": DEAD, "places": []})
    yield from _claim_options(state, seat)


def _try(state: State, i: int, places: Sequence[int]) -> int:
    """The place to ask the rules about: one that fits, else a free one, else the first."""
    free = [p for p in PLACES if state.seats[i].layout[p] is None]
    return (places or free or [PLACES[0]])[0]


def _claim_options(state: State, seat: int) -> Iterator[Option]:
    for win in WINS:
        found = objections(state, likeliest_claim(state, seat, win))
        action = {"do": "claim", "seat": seat, "win": win}
        yield Option(action, not found, found[0] if found else None)


def _option(state: State, action: Keep | Lay) -> Option:
    """The option with the reason against it that holds for every place: the last one named."""
    found = objections(state, action)
    return Option(dump(action), not found, found[-1] if found else None)
