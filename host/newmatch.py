"""Beginning a match: from what a person chose to the `match` entry and the setup action."""

from __future__ import annotations

from typing import Any

from engine.althera.cards import HOUSES
from engine.errors import CrowntableError
from engine.games import games
from host.core import Core
from host.entry import Entry, Json
from host.face import Outcome, Who
from host.typed import one_line

#: the house whose dice have a colour
HOUSE_OF_DIE = {house.colour: house.id for house in HOUSES.values()}

#: most seats and ruleset keys that are looked at, and the longest name or value
MOST, LONGEST = 64, 60


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
    name = command.get("game") or core.layout.game
    game = games().get(name) if isinstance(name, str) else None
    if game is None or not isinstance(name, str):
        return Outcome(False, f"That game is not known; there are: {', '.join(sorted(games()))}.")
    given, changes = command.get("seats") or default_seats(core), command.get("ruleset") or {}
    if not isinstance(changes, dict) or len(changes) > MOST:
        return Outcome(False, "The ruleset must be an object of keys and values.")
    if not isinstance(given, list) or len(given) > MOST or not all(isinstance(s, dict) for s in given):
        return Outcome(False, 'The seats must be a list of objects: [{"seat": 1, "name": "Ada"}, …].')
    odd = next((str(key) for seat in given for key in seat if key not in ("seat", "name", "house")), None)
    if odd is not None:
        return Outcome(False, f"A player has no field {odd[:LONGEST]!r}; there are: seat, name, house.")
    try:
        ruleset = game.ruleset(None, {str(k)[:LONGEST]: _value(v) for k, v in changes.items()})
    except CrowntableError as error:
        return Outcome(False, f"{error.what} {error.cure}")
    if name == "althera":
        given = _housed(core, given)
    seats = [_player(s, name) for s in given]
    setup: Json = {"do": "setup", "players": [_public(s) for s in seats]}
    if name == "althera":
        setup["turns"] = command.get("turns") or 3
    if name == "anthem":
        setup["first"] = command.get("first") or seats[0].get("seat")
    parsed = game.parse(setup)
    if hasattr(parsed, "severity"):
        return Outcome(False, parsed.text, (parsed.to_json(),))
    number = core.journal.matches() + 1
    return core.new_match(game, ruleset, setup, who, {"seats": seats, "number": number})


def _housed(core: Core, given: list[Json]) -> list[Json]:
    """Whose house is left out has the one of the seat's die, or the next one that nobody has."""
    taken = {str(seat["house"]) for seat in given if seat.get("house")}
    own = {seat["seat"]: str(seat["house"]) for seat in default_seats(core)}
    seats = []
    for seat in given:
        if not seat.get("house"):
            wanted = own.get(seat["seat"], "") if type(seat.get("seat")) is int else ""
            free = [house for house in (wanted, *HOUSES) if house and house not in taken]
            taken.update(free[:1])
            seats.append(seat | ({"house": free[0]} if free else {}))
        else:
            seats.append(seat)
    return seats


def begin_again(core: Core, begun: Entry, setup: Entry) -> Outcome:
    """A match as one that was begun before: the same game, ruleset, seats and setup."""
    game = games()[begun.body["game"]]
    ruleset = game.ruleset_from_json(begun.body["ruleset"])
    seats, number = begun.body["seats"], begun.body.get("number", 1)
    return core.new_match(game, ruleset, setup.action or {}, begun.who, {"seats": seats, "number": number})


def _value(value: Any) -> str:
    """A ruleset's value as its file has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)[:LONGEST]


def _player(given: Json, game: str) -> Json:
    seat = {k: v for k, v in given.items() if k in ("seat", "name", "house") and v not in (None, "")}
    if isinstance(seat.get("name"), str):
        seat["name"] = one_line(seat["name"], LONGEST) or f"Seat {seat.get('seat')}"
    if game != "althera":
        seat.pop("house", None)
    house = HOUSES.get(str(seat.get("house")))
    if house is not None:
        seat |= {"house_name": house.name, "colour": "#{:02x}{:02x}{:02x}".format(*house.rgb)}
    return seat


def _public(seat: Json) -> Json:
    return {k: v for k, v in seat.items() if k in ("seat", "house", "name")}
