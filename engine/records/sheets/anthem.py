"""Anthem's score sheet: a row a turn, with the layout as it then lies."""

from __future__ import annotations

from collections.abc import Mapping

from engine.anthem.state import VALUE_OF, Layout, State, index_of, winners
from engine.game import Json
from engine.records.replay import Step
from engine.records.sheets import Words


class Anthem:
    """See `engine.records.sheets.Wording`."""

    def title(self, state: State) -> str:
        """The game's name."""
        return "Anthem"

    def side(self, player: Json) -> tuple[str, str]:
        """Sets have no names."""
        return "", ""

    def heading(self, state: State) -> str:
        """A round is one turn of everybody."""
        if state.phase == "setup":
            return "Setting up"
        if state.phase == "over":
            return "After the end"
        return f"Round {(state.turn - 1) // len(state.seats) + 1}"

    def stand(self, names: Mapping[int, str], state: State) -> str:
        """Everybody's hand."""
        hands = ", ".join(f"{names.get(s.seat, s.seat)} {s.hand}" for s in state.seats)
        return f"Cards in hand: {hands}." if hands else ""

    def words(self, names: Mapping[int, str], step: Step) -> Words:
        """What was laid where, and the layout after it."""
        action, state = step.line.action, step.verdict.state
        i = index_of(state, action.get("seat", 0))
        match action["do"]:
            case "setup":
                return Words(f"{len(state.seats)} play, {names.get(state.to_move, '')} begins")
            case "lay" if i is not None:
                layout = state.seats[i].layout
                laid = sum(card is not None for card in layout)
                return Words(
                    self.tried(names, action), effect=_drawn(layout), result=f"{laid} of 8", value=laid
                )
            case "claim" if action.get("shown"):
                shown = sorted(_face(card) for card in action["shown"])
                return Words(self.tried(names, action), effect=f"shows {' '.join(shown)}")
            case _:
                return Words(self.tried(names, action))

    def tried(self, names: Mapping[int, str], action: Json) -> str:
        """The action in words."""
        match action.get("do"):
            case "lay":
                return f"lays {_face(action.get('card'))} at place {action.get('place')}"
            case "keep":
                return "keeps"
            case "claim":
                return f"claims the {action.get('win')}'s win"
            case other:
                return str(other or "no action")

    def notes(self, names: Mapping[int, str], step: Step) -> list[str]:
        """Turns that nobody reported."""
        kept = [seat for f in step.verdict.findings if f.code == "keeps-inferred" for seat in f.seats]
        return [f"Taken as kept before it: {', '.join(names.get(s, str(s)) for s in kept)}."] if kept else []

    def outcome(self, names: Mapping[int, str], state: State) -> str:
        """Who won which win."""
        won = winners(state)
        if won is None:
            return ""
        claimed = {w.seat: w.win for w in state.wins}
        return " ".join(
            f"{names.get(seat, f'Seat {seat}')} wins{' for the dragon' if claimed[seat] == 'dragon' else ''}."
            for seat in won
        )


def _face(card: object) -> str:
    """A card's value or Dead; whatever else was read, as it is."""
    if not isinstance(card, str) or card not in VALUE_OF:
        return str(card)
    value = VALUE_OF[card]
    return "Dead" if value is None else str(value)


def _drawn(layout: Layout) -> str:
    return " ".join("·" if card is None else _face(card) for card in layout)


WORDING = Anthem()
