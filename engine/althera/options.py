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
from engine.althera.cards import Card
from engine.althera.legality import findings, roll_awaited
from engine.althera.state import State
from engine.game import Option

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
    numbers = [number for number, seat in state.seats.items() if not seat.out]
    for number in numbers:
        if roll_awaited(state, number):
            yield from (Roll(number, face) for face in _FACES)
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
    """To come in a moment; nothing yet."""
    return []
