"""What charts and showcases want of a past match: the field step by step, the duels, the good ones.

Game by game in two tables: a game that is in neither has no charts and no showcase, and loses nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from host.entry import Json
from host.match import Line

#: showcases kept of each match
BEST = 3
#: fewest cards of a duel that is worth showing
WORTH = 4
#: actions shown of a match that has no duels: its end
ENDING = 14


def points_of(game: str, before: Json, after: Json) -> Json:
    """What a chart draws of one step: for Althera `field` (the duel's value and owner, where the step
    changed it, else None) and `cards` (owned, a seat); for Anthem `cards` (in hand) and `laid`."""
    make = _POINTS.get(game)
    return make(before, after) if make else {}


def _althera(before: Json, after: Json) -> Json:
    now: Json | None = None
    for duel in after["duels"]:
        was = _same(before["duels"], duel)
        if duel["field"] and (was is None or was["plays"] != duel["plays"] or was["field"] != duel["field"]):
            now = {**duel["field"], "a": duel["attacker"], "b": duel["defender"]}
    for was in before["duels"]:
        last = after["last_duel"]
        if _same(after["duels"], was) is None and last is not None and last["value"] is not None:
            pair = {"a": was["attacker"], "b": was["defender"]}
            now = {"owner": last["winner"], "value": last["value"], **pair}
    return {"field": now, "cards": {str(seat["seat"]): seat["cards"] for seat in after["seats"]}}


def _anthem(_: Json, after: Json) -> Json:
    return {
        "cards": {str(seat["seat"]): seat["hand"] for seat in after["seats"]},
        "laid": {str(seat["seat"]): sum(c is not None for c in seat["layout"]) for seat in after["seats"]},
    }


_POINTS: dict[str, Callable[[Json, Json], Json]] = {"althera": _althera, "anthem": _anthem}


def _same(duels: list[Json], duel: Json) -> Json | None:
    """The duel of the same two, None where there is none."""
    pair = (duel["attacker"], duel["defender"])
    return next((d for d in duels if (d["attacker"], d["defender"]) == pair), None)


@dataclass(slots=True)
class _Running:
    """A duel under way: since which step, its cards, how often the field changed hands, the highest
    value each side held, and whether a person corrected anything in it."""

    begun: int
    turn: int
    owner: int | None = None
    changes: int = 0
    best: dict[int, int] = field(default_factory=dict)
    edited: bool = False


@dataclass(slots=True)
class DuelLog:
    """Collects the duels of a match step by step: `duels`, in the order in which they ended."""

    game: str
    duels: list[Json] = field(default_factory=list)
    _running: dict[tuple[int, int], _Running] = field(default_factory=dict)
    _edited: bool = False

    def step(self, n: int, line: Line, before: Json, after: Json) -> None:
        """Takes in step n and the public states before and after it."""
        self._edited |= line.amended or line.broken is not None
        if self.game != "althera":
            return
        for duel in after["duels"]:
            running = self._running.setdefault(
                (duel["attacker"], duel["defender"]), _Running(n, after["turn"])
            )
            running.edited |= line.amended or line.broken is not None
            if duel["field"]:
                self._held(running, duel["field"]["owner"], duel["field"]["value"])
        for was in before["duels"]:
            if _same(after["duels"], was) is None:
                self._ended(n, line, was, after["last_duel"])

    def _held(self, running: _Running, owner: int, value: int) -> None:
        if running.owner is not None and owner != running.owner:
            running.changes += 1
        running.owner = owner
        running.best[owner] = max(value, running.best.get(owner, 0))

    def _ended(self, n: int, line: Line, was: Json, last: Json | None) -> None:
        pair = (was["attacker"], was["defender"])
        running = self._running.pop(pair, None)
        if running is None or last is None or (last["attacker"], last["defender"]) != pair:
            return
        winner, value = last["winner"], last["value"]
        if winner is not None and value is not None:
            self._held(running, winner, value)
        loser = pair[0] if winner == pair[1] else pair[1]
        cards = len(was["plays"]) + (line.action.get("do") in ("play", "intervene"))
        close = min(1.0, running.best.get(loser, 0) / value) if winner is not None and value else 0.0
        self.duels.append(
            {
                "from": running.begun,
                "to": n,
                "turn": running.turn,
                "attacker": pair[0],
                "defender": pair[1],
                "winner": winner,
                "value": value,
                "captured": len(last["captured"]),
                "cards": cards,
                "changes": running.changes,
                "close": round(close, 2),
                "edited": running.edited or line.amended,
            }
        )

    def best(self, match: str, state: Json, steps: int) -> list[Json]:
        """The stretches of a match that are worth showing to strangers, the best first: of Althera duels
        with a long pile, many changes of possession and a close end; of a match without duels its end.
        `score` is cards + 2 a change + 4 times how near the loser came (0 to 1)."""
        if self.game == "althera":
            whole = [d for d in self.duels if d["winner"] is not None and not d["edited"]]
            good = [d for d in whole if d["cards"] >= WORTH]
            rows = [{**d, "score": round(d["cards"] + 2 * d["changes"] + 4 * d["close"], 2)} for d in good]
            rows.sort(key=lambda row: -row["score"])
            return [{"match": match, "game": self.game, **row} for row in rows[:BEST]]
        if state.get("phase") != "over" or self._edited or steps <= ENDING:
            return []
        cards = sum(c is not None for seat in state.get("seats", ()) for c in seat.get("layout", ()))
        return [{"match": match, "game": self.game, "from": steps - ENDING + 1, "to": steps, "score": cards}]
