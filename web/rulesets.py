"""What the new-match form offers: games, seats, houses, lengths and the switches of their rulesets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

from engine.game import Json
from engine.games import games as known_games
from engine.ruleset import Choice, Whole

#: How many play; a game that is not listed here takes two to four.
SEATS: Final[Mapping[str, Sequence[int]]] = {"althera": (2, 3, 4, 5), "anthem": (2, 3, 4)}


def _switches(name: str, values: Json) -> list[Json]:
    """The rulings with few answers: key, value now, what else it may be."""
    keys = getattr(import_module(f"engine.{name}.ruleset"), "KEYS", {})
    rows: list[Json] = []
    for key, spec in keys.items():
        if isinstance(spec, Choice) and len(spec.values) > 1:
            rows.append({"key": key, "value": values[key], "choices": list(spec.values)})
        elif isinstance(spec, Whole):
            rows.append({"key": key, "value": values[key], "low": spec.low, "high": spec.high})
    return rows


@cache
def games() -> list[dict[str, Any]]:
    """Every game with what a form needs to begin one, in plain JSON."""
    rows = []
    for name, game in known_games().items():
        values = game.ruleset_json(game.ruleset())
        seats = SEATS.get(name, (2, 3, 4))
        players = game.setup_action(range(1, seats[-1] + 1))["players"]
        rows.append(
            {
                "game": name,
                "seats": list(seats),
                "houses": [player["house"] for player in players if "house" in player],
                "turns": list(values.get("turns", [])),
                "switches": _switches(name, values),
            }
        )
    return rows
