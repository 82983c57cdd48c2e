"""Anthem's actions, and the way from and to JSON (`contracts/referee.md`)."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from engine.anthem.state import PLACES, PLAYERS, SEATS, HeroOrDragon
from engine.findings import shown
from engine.game import Json
from engine.parsing import Shape, one_of, problem, text, truth, whole


@dataclass(frozen=True, slots=True)
class Player:
    """One entry of a setup's list of players."""

    seat: int
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """A match begins: the k-th player brings set `s<k>`, `first` has the first turn (ANT-2)."""

    players: tuple[Player, ...]
    first: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Lay:
    """The card just drawn is laid in a place, 1 to 6 from the left (ANT-3.1)."""

    seat: int
    card: str
    place: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Keep:
    """The card just drawn goes into the hand (ANT-5.1)."""

    seat: int
    force: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A win is claimed (ANT-6); `shown` is the whole hand where the ruling `proof` asks for it."""

    seat: int
    win: HeroOrDragon
    shown: tuple[str, ...] | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """Takes the last applied action back."""

    force: bool = False


Action = Setup | Lay | Keep | Claim | Undo


def parse(obj: object) -> Action | str:
    """The action that a JSON value means, or what is wrong with it in words that name the field."""
    if type(obj) is not dict:
        return "it must be a JSON object"
    do = obj.get("do")
    if type(do) is not str or do not in _SHAPES:
        return f"do must be one of {', '.join(_SHAPES)}, not {shown(do)}"
    if wrong := problem(obj, _SHAPES[do], _DO):
        return wrong
    force = obj.get("force", False)
    match do:
        case "setup":
            return _setup(obj, force)
        case "lay":
            return Lay(obj["seat"], obj["card"], obj["place"], force)
        case "keep":
            return Keep(obj["seat"], force)
        case "claim":
            cards = obj.get("shown")
            return Claim(obj["seat"], obj["win"], None if cards is None else tuple(cards), force)
        case _:
            return Undo(force)


def _setup(obj: Json, force: bool) -> Setup | str:
    players = []
    for i, entry in enumerate(obj["players"]):
        if type(entry) is not dict:
            return f"players[{i}] must be an object with a seat"
        if wrong := problem(entry, _PLAYER):
            return f"players[{i}]: {wrong}"
        players.append(Player(entry["seat"], entry.get("name")))
    seats = [p.seat for p in players]
    if len(set(seats)) < len(seats):
        return "players has a seat twice"
    if obj["first"] not in seats:
        return f"first must be the seat of a player, not {shown(obj['first'])}"
    return Setup(tuple(players), obj["first"], force)


def _place(value: object) -> str | None:
    ok = type(value) is int and value in PLACES
    return None if ok else f"must be a place, {PLACES[0]} to {PLACES[-1]}"


def _seat(value: object) -> str | None:
    ok = type(value) is int and value in SEATS
    return None if ok else f"must be a seat, {SEATS[0]} to {SEATS[-1]}"


def _name(value: object) -> str | None:
    if type(value) is not str:
        return "must be a string"
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in value):
        return "must not hold control characters"
    return None


def _players(value: object) -> str | None:
    ok = type(value) is list and len(value) in PLAYERS
    return None if ok else f"must be a list of {PLAYERS[0]} to {PLAYERS[-1]} players"


def _cards(value: object) -> str | None:
    ok = type(value) is list and all(type(card) is str for card in value)
    return None if ok else "must be a list of card ids"


_DO = frozenset({"do"})
_FORCE = {"force": truth}
_PLAYER = Shape({"seat": _seat}, {"name": _name})
_SHAPES = {
    "setup": Shape({"players": _players, "first": whole}, _FORCE),
    "lay": Shape({"seat": whole, "card": text, "place": _place}, _FORCE),
    "keep": Shape({"seat": whole}, _FORCE),
    "claim": Shape({"seat": whole, "win": one_of("hero", "dragon")}, {"shown": _cards} | _FORCE),
    "undo": Shape({}, _FORCE),
}


def dump(action: Action) -> Json:
    """The JSON form of an action; `parse(dump(a)) == a`."""
    out: Json
    match action:
        case Setup():
            out = {"do": "setup", "players": [_player_json(p) for p in action.players]}
            out["first"] = action.first
        case Lay():
            out = {"do": "lay", "seat": action.seat, "card": action.card, "place": action.place}
        case Keep():
            out = {"do": "keep", "seat": action.seat}
        case Claim():
            out = {"do": "claim", "seat": action.seat, "win": action.win}
            if action.shown is not None:
                out["shown"] = list(action.shown)
        case Undo():
            out = {"do": "undo"}
    if action.force:
        out["force"] = True
    return out


def _player_json(player: Player) -> Json:
    if player.name is None:
        return {"seat": player.seat}
    return {"seat": player.seat, "name": player.name}
