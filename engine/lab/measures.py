"""What the lab counts while a match is played: swings, length, and the use of each card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.althera.state import State as AltheraState
from engine.anthem.state import State as AnthemState
from engine.game import Json, Verdict


class Watch:
    """Listens to one match (see `match.Listener`).

    `swings["lead"]`: how often another seat came to lead alone; `swings["field"]` (Althera): how
    often a field with a value changed hands. `used`: (seat, kind of card) -> times played.
    """

    def __init__(self, game: str) -> None:
        self.swings: dict[str, int] = {}
        self.used: dict[tuple[int, str], int] = {}
        self._score = _SCORES.get(game)
        self._fields = _FIELDS.get(game)
        self._leader: int | None = None
        if self._score is not None:
            self.swings["lead"] = 0
        if self._fields is not None:
            self.swings["field"] = 0

    def __call__(self, before: Any, action: Json, verdict: Verdict) -> None:
        """Takes in one applied action."""
        card = action.get("card")
        if card is not None:
            use = (action["seat"], kind_of(card))
            self.used[use] = self.used.get(use, 0) + 1
        if self._fields is not None and action["do"] in ("play", "intervene", "roll"):
            self.swings["field"] += self._fields(before, verdict.state)
        if self._score is not None:
            self._follow_lead(self._score(verdict.state))

    def _follow_lead(self, scores: Mapping[int, int]) -> None:
        best = max(scores.values(), default=0)
        leaders = [seat for seat, score in scores.items() if score == best]
        if len(leaders) == 1 and leaders[0] != self._leader:
            self.swings["lead"] += self._leader is not None
            self._leader = leaders[0]


def kind_of(card: str) -> str:
    """A card's kind: the middle of its id, its value in Anthem.

    >>> kind_of("cremisi/captain/2"), kind_of("s2/7")
    ('captain', '7')
    """
    return card.split("/")[1] if "/" in card else card


def _althera_score(state: AltheraState) -> Mapping[int, int]:
    return {number: seat.cards for number, seat in state.seats.items()}


def _anthem_score(state: AnthemState) -> Mapping[int, int]:
    return {seat.seat: 8 - seat.layout.count(None) for seat in state.seats}


def _althera_fields(before: AltheraState, after: AltheraState) -> int:
    """How many fields changed hands between two states; a duel that ended counts with its last field."""
    last = after.match.last_duel
    ended = [last.duel] if last is not None and last is not before.match.last_duel else []
    now = {duel[:2]: duel.field for duel in (*after.duels, *ended)}
    changed = 0
    for duel in before.duels:
        field = now.get(duel[:2])
        if duel.field is not None and field is not None and field.owner != duel.field.owner:
            changed += 1
    return changed


_SCORES: Mapping[str, Callable[[Any], Mapping[int, int]]] = {
    "althera": _althera_score,
    "anthem": _anthem_score,
}
_FIELDS: Mapping[str, Callable[[Any, Any], int]] = {"althera": _althera_fields}
