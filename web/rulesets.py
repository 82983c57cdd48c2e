"""What the new-match form offers: games, seats, houses, lengths and the switches of their rulesets."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from engine.game import Game, Json
from engine.games import games as known_games
from engine.ruleset import Choice, Whole

#: No table has more; the games say themselves how many they take.
MOST_SEATS: Final = 8


def _seats(game: Game) -> tuple[int, ...]:
    """The numbers of players that a game's own setup accepts."""
    start = game.initial(game.ruleset())
    return tuple(
        n
        for n in range(1, MOST_SEATS + 1)
        if game.apply(start, game.parse(game.setup_action(range(1, n + 1)))).ok
    )


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
        seats = _seats(game)
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
