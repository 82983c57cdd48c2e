"""What can be done now: every legal action, and for one seat also what it can't do and why not."""

from __future__ import annotations

from collections.abc import Iterator

from engine.althera.actions import (
    Action,
    Declare,
    Intervene,
    Play,
    Redraw,
    Retreat,
    Roll,
    Sign,
    Stand,
)
from engine.althera.cards import SPECIAL_KINDS, Card
from engine.althera.legality import findings, roll_awaited
from engine.althera.rulebook import FINDINGS
from engine.althera.state import State
from engine.findings import make
from engine.game import Json, Option

_FACES = range(1, 7)
_NO_SIGN: tuple[Sign | None, ...] = (None,)
_SIGNS: tuple[Sign | None, ...] = ("+", "-")


def actions(state: State) -> list[Action]:
    """Every action that `apply` accepts on public knowledge: undo, setup, the crown moved by hand,
    rolls nobody awaits and forced actions aside."""
    if state.match.phase in ("setup", "over"):
        return []
    return [action for action in _thinkable(state) if not findings(state, action)]


def _thinkable(state: State) -> Iterator[Action]:
    """Actions worth asking about: a superset of the legal ones."""
    for number in state.seats:
        if roll_awaited(state, number):
            yield from (Roll(number, face) for face in _FACES)
    numbers = [number for number, seat in state.seats.items() if not seat.out]
    duellists = {number for duel in state.duels for number in duel[:2]}
    owned: dict[int, list[Card]] = {number: [] for number in numbers}
    for card_id, owner in state.match.owners.items():
        if owner in owned:
            owned[owner].append(state.match.rules.cards[card_id])
    for number in numbers:
        if number in duellists:
            yield Redraw(number)
            yield Retreat(number)
            yield Stand(number)
            for card in owned[number]:
                for sign in _signs(card):
                    yield Play(number, card.id, sign)
            continue
        for other in numbers:
            if other not in duellists:
                yield Declare(number, other)
        for card in owned[number]:
            if card.value is None:
                for sign in _signs(card):
                    for side in duellists:
                        yield Intervene(number, side, card.id, sign)


def _signs(card: Card) -> tuple[Sign | None, ...]:
    return _SIGNS if card.kind == "alteration" else _NO_SIGN


def options(state: State, seat: int) -> list[Option]:
    """What `seat` could think of doing now, each legal or with the finding that says why not.

    Plays and interventions go by kind: `{"do": "play", "seat": 1, "kind": "score"}`, where a kind is
    `score` or one of the specials. Empty before a setup, after the end and for an unknown seat.
    """
    if state.match.phase in ("setup", "over") or seat not in state.seats:
        return []
    others = [number for number in state.seats if number != seat]
    found = [_option(state, {"do": "roll", "seat": seat}, Roll(seat, 1))]
    for other in others:
        found.append(_option(state, {"do": "declare", "seat": seat, "against": other}, Declare(seat, other)))
    found.append(_option(state, {"do": "redraw", "seat": seat}, Redraw(seat)))
    kinds = _by_kind(state, seat)
    for kind, card in kinds.items():
        found.append(_option(state, {"do": "play", "seat": seat, "kind": kind}, _play(seat, card), kind))
    found.append(_option(state, {"do": "retreat", "seat": seat}, Retreat(seat)))
    found.append(_option(state, {"do": "stand", "seat": seat}, Stand(seat)))
    sides = [number for duel in state.duels if seat not in duel[:2] for number in duel[:2]]
    for side in sides:
        for kind in SPECIAL_KINDS:
            action = _intervene(seat, side, kinds[kind])
            obj = {"do": "intervene", "seat": seat, "for": side, "kind": kind}
            found.append(_option(state, obj, action, kind))
    return found


def _by_kind(state: State, seat: int) -> dict[str, Card | None]:
    """For each kind one card that the seat could play: owned and not lying. None where it has none."""
    kinds: dict[str, Card | None] = dict.fromkeys(("score", *SPECIAL_KINDS))
    lying = {card for duel in state.duels for card in duel.cards}
    for card_id, owner in state.match.owners.items():
        if owner == seat and card_id not in lying:
            card = state.match.rules.cards[card_id]
            kinds["score" if card.value is not None else card.kind] = card
    return kinds


def _play(seat: int, card: Card | None) -> Action | None:
    return None if card is None else Play(seat, card.id, _signs(card)[0])


def _intervene(seat: int, side: int, card: Card | None) -> Action | None:
    return None if card is None else Intervene(seat, side, card.id, _signs(card)[0])


def _option(state: State, obj: Json, action: Action | None, kind: str = "") -> Option:
    """`obj` judged by `action`, which stands for it; no action: no card of that kind is left."""
    if action is None:
        name = "score card" if kind == "score" else kind.capitalize()
        article = "An" if name[0] in "AO" else "A"
        why = "none is left in deck and hand"
        words = {"card": f"{article} {name}", "who": state.match.called[obj["seat"]], "why": why}
        return Option(obj, False, make(FINDINGS, "not-your-card", (obj["seat"],), words))
    found = findings(state, action)
    return Option(obj, not found, found[0] if found else None)
