"""Althera's actions: one small type each, read from JSON strictly and written back."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.althera.cards import HOUSES
from engine.findings import bad_input, shown
from engine.game import Finding, Json
from engine.parsing import Shape, face, listing, one_of, problem, text, truth, whole

Sign: TypeAlias = Literal["+", "-"]


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits where with which house. The name is optional and never needed by the rules."""

    seat: int
    house: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Setup:
    """A new match (ALT-2)."""

    players: tuple[Player, ...]
    turns: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Roll:
    """The awaited roll of a seat: initiative, oracle or retreat. `face` 1 to 6."""

    seat: int
    face: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Crown:
    """The crown was moved by hand to `seat`."""

    seat: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Declare:
    """`seat` declares a duel against another (ALT-3.2)."""

    seat: int
    against: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Redraw:
    """A duellist shuffles the hand back and draws one card fewer (ALT-4.1)."""

    seat: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """A duellist lays a card; `sign` with an alteration only (ALT-4.2, ALT-5)."""

    seat: int
    card: str
    sign: Sign | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Retreat:
    """A duellist about to answer rolls to retreat (ALT-6)."""

    seat: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Stand:
    """The defender declines the last card (ruling `closing_card`)."""

    seat: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Intervene:
    """A waiting player lays a special for seat `side`, `for` in JSON (ALT-7)."""

    seat: int
    side: int
    card: str
    sign: Sign | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """Takes the last applied action back."""

    force: bool = False


Action: TypeAlias = Setup | Roll | Crown | Declare | Redraw | Play | Retreat | Stand | Intervene | Undo

_sign = one_of("+", "-")
_FREE = frozenset(("do", "force"))
_SEAT_ONLY = Shape({"seat": whole})
_SHAPES: Mapping[str, Shape] = {
    "setup": Shape({"players": listing, "turns": whole}),
    "roll": Shape({"seat": whole, "face": face}),
    "crown": _SEAT_ONLY,
    "declare": Shape({"seat": whole, "against": whole}),
    "redraw": _SEAT_ONLY,
    "play": Shape({"seat": whole, "card": text}, {"sign": _sign}),
    "retreat": _SEAT_ONLY,
    "stand": _SEAT_ONLY,
    "intervene": Shape({"seat": whole, "for": whole, "card": text}, {"sign": _sign}),
    "undo": Shape({}),
}
_PLAYER = Shape({"seat": whole, "house": one_of(*HOUSES)}, {"name": text})


def parse(obj: object) -> Action | Finding:
    """The action that a JSON value stands for, or the `bad-input` finding that names the field."""
    if not isinstance(obj, dict):
        return bad_input("a line must be one JSON object")
    do = obj.get("do")
    if do is None:
        return bad_input("do is missing")
    shape = _SHAPES.get(do) if type(do) is str else None
    if shape is None:
        return bad_input(f"do must be one of {', '.join(_SHAPES)}, not {shown(do)}")
    wrong = problem(obj, shape, _FREE)
    if wrong:
        return bad_input(wrong)
    force = obj.get("force", False)
    if type(force) is not bool:
        return bad_input(f"force {truth(force)}, not {shown(force)}")
    return _READERS[do](obj, force)


def _read_setup(obj: Json, force: bool) -> Action | Finding:
    players: list[Player] = []
    for index, entry in enumerate(obj["players"]):
        wrong = problem(entry, _PLAYER) if isinstance(entry, dict) else "must be an object"
        if not wrong and not 1 <= entry["seat"] <= 5:
            wrong = f"seat must be 1 to 5, not {shown(entry['seat'])}"
        name = "" if wrong else entry.get("name", "")
        if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
            wrong = "name must not hold control characters"
        if wrong:
            return bad_input(f"players[{index}]: {wrong}")
        players.append(Player(entry["seat"], entry["house"], name))
    return Setup(tuple(players), obj["turns"], force)


_READERS: Mapping[str, Callable[[Json, bool], Action | Finding]] = {
    "setup": _read_setup,
    "roll": lambda o, force: Roll(o["seat"], o["face"], force),
    "crown": lambda o, force: Crown(o["seat"], force),
    "declare": lambda o, force: Declare(o["seat"], o["against"], force),
    "redraw": lambda o, force: Redraw(o["seat"], force),
    "play": lambda o, force: Play(o["seat"], o["card"], o.get("sign"), force),
    "retreat": lambda o, force: Retreat(o["seat"], force),
    "stand": lambda o, force: Stand(o["seat"], force),
    "intervene": lambda o, force: Intervene(o["seat"], o["for"], o["card"], o.get("sign"), force),
    "undo": lambda o, force: Undo(force),
}


def dump(action: Action) -> Json:
    """The inverse of `parse`."""
    match action:
        case Setup(players, turns):
            obj: Json = {"do": "setup", "players": [_player(p) for p in players], "turns": turns}
        case Roll(seat, rolled):
            obj = {"do": "roll", "seat": seat, "face": rolled}
        case Declare(seat, against):
            obj = {"do": "declare", "seat": seat, "against": against}
        case Play(seat, card):
            obj = {"do": "play", "seat": seat, "card": card}
        case Intervene(seat, side, card):
            obj = {"do": "intervene", "seat": seat, "for": side, "card": card}
        case Undo():
            obj = {"do": "undo"}
        case Crown(seat) | Redraw(seat) | Retreat(seat) | Stand(seat):
            obj = {"do": type(action).__name__.lower(), "seat": seat}
    if isinstance(action, Play | Intervene) and action.sign is not None:
        obj["sign"] = action.sign
    if action.force:
        obj["force"] = True
    return obj


def _player(player: Player) -> Json:
    obj: Json = {"seat": player.seat, "house": player.house}
    if player.name:
        obj["name"] = player.name
    return obj


def setup_json(
    seats: Iterable[int],
    turns: int = 3,
    houses: Mapping[int, str] | None = None,
    names: Mapping[int, str] | None = None,
) -> Json:
    """A setup action for these seats: houses in the rulebook's order unless `houses` says otherwise.

    >>> setup_json([1, 4])["players"]
    [{'seat': 1, 'house': 'cremisi'}, {'seat': 4, 'house': 'aurea'}]
    """
    given = dict(houses or {})
    spare = (house for house in HOUSES if house not in given.values())
    players: list[Json] = []
    for seat in sorted(seats):
        player: Json = {"seat": seat, "house": given.get(seat) or next(spare, "")}
        if names and names.get(seat):
            player["name"] = names[seat]
        players.append(player)
    return {"do": "setup", "players": players, "turns": turns}
