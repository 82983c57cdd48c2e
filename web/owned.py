"""Which cards a seat owns: public knowledge from the tags, used to offer only cards that can be played.

Owned is not held: a seat's cards lie in its deck as well as in its hand, and nobody knows in which.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from host.face import Table


@runtime_checkable
class WithState(Protocol):
    """A table that can be asked for its game and the game's state."""

    def public_state(self) -> tuple[Any, Any, dict[str, Any]]:
        """(game, state, the state's JSON); (None, None, {}) before any match."""


def owned_cards(table: Table) -> dict[str, list[str]]:
    """Seat -> the ids of the cards it owns; for Anthem, whose hands mix all sets, "0" -> all unlaid."""
    if not isinstance(table, WithState):
        return {}
    game, state, public = table.public_state()
    if game is None:
        return {}
    if game.name == "anthem":
        laid = {card for seat in public["seats"] for card in seat["layout"] if card}
        sets = range(1, len(public["seats"]) + 1)
        kinds = [*(str(value) for value in range(1, 9)), "dead"]
        every = [f"s{number}/{kind}" for number in sets for kind in kinds]
        return {"0": [card for card in every if card not in laid]}
    rows: dict[str, list[str]] = {}
    for card, seat in game.cards(state).items():
        rows.setdefault(str(seat), []).append(card)
    return rows
