"""Beginning a match: from what a person chose to the `match` entry and the setup action."""

from __future__ import annotations

from typing import Any

from engine.althera.cards import HOUSES
from engine.errors import CrowntableError
from engine.games import games
from host.core import Core
from host.entry import Entry, Json
from host.face import Outcome, Who

#: the house whose dice have a colour
HOUSE_OF_DIE = {house.colour: house.id for house in HOUSES.values()}


def default_seats(core: Core) -> list[Json]:
    """The layout's seats as players: the house of each seat's die, or the next one free."""
    free = [h for h in HOUSES if h not in {HOUSE_OF_DIE.get(s.die or "") for s in core.layout.seats}]
    seats = []
    for seat in core.layout.seats:
        house = HOUSE_OF_DIE.get(seat.die or "") or (free.pop(0) if free else "")
        seats.append({"seat": seat.id, "name": seat.name or f"Seat {seat.id}", "house": house})
    return seats


def begin(core: Core, command: Json, who: Who) -> Outcome:
    """The `new-match` command of host.face.Table. What is left out comes from the layout."""
    name = str(command.get("game") or core.layout.game)
    game = games().get(name)
    if game is None:
        return Outcome(False, f"The game {name!r} is not known; there are: {', '.join(sorted(games()))}.")
    changes = {str(k): str(v) for k, v in dict(command.get("ruleset") or {}).items()}
    try:
        ruleset = game.ruleset(None, changes)
    except CrowntableError as error:
        return Outcome(False, f"{error.what} {error.cure}")
    seats = [_player(s, name) for s in (command.get("seats") or default_seats(core))]
    setup: Json = {"do": "setup", "players": [_public(s) for s in seats]}
    if name == "althera":
        setup["turns"] = command.get("turns") or 3
    if name == "anthem":
        setup["first"] = command.get("first") or seats[0]["seat"]
    parsed = game.parse(setup)
    if hasattr(parsed, "severity"):
        return Outcome(False, parsed.text, (parsed.to_json(),))
    number = len(core.journal.match_entries()) + 1
    return core.new_match(game, ruleset, setup, who, {"seats": seats, "number": number})


def begin_again(core: Core, begun: Entry, setup: Entry) -> Outcome:
    """A match as one that was begun before: the same game, ruleset, seats and setup."""
    game = games()[begun.body["game"]]
    ruleset = game.ruleset_from_json(begun.body["ruleset"])
    seats, number = begun.body["seats"], begun.body.get("number", 1)
    return core.new_match(game, ruleset, setup.action or {}, begun.who, {"seats": seats, "number": number})


def _player(given: Any, game: str) -> Json:
    seat = {k: v for k, v in dict(given).items() if k in ("seat", "name", "house") and v not in (None, "")}
    if game != "althera":
        seat.pop("house", None)
    house = HOUSES.get(str(seat.get("house")))
    if house is not None:
        seat |= {"house_name": house.name, "colour": "#{:02x}{:02x}{:02x}".format(*house.rgb)}
    return seat


def _public(seat: Json) -> Json:
    return {k: v for k, v in seat.items() if k in ("seat", "house", "name")}
