"""What stands on the screen, and what each of it rests on: the entry behind every card that lies there and
every last roll, with its evidence in words (promise 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from host.entry import Entry, Json
from host.match import Line
from host.settled import evidence_line

#: who entered what no device has seen
BY: Mapping[str, str] = {"operator": "the operator", "bot": "a stand-in player"}


class Told(Protocol):
    """A match that goes on, or one of the past up to a step: its lines, and its entries by their seq."""

    @property
    def lines(self) -> Sequence[Line]:
        """The applied actions, in order."""

    @property
    def told(self) -> Mapping[int, Entry]:
        """The entries behind them."""


def evidence_of(entry: Entry, match: Told | None) -> list[str]:
    """What an entry rests on, a line each: what the devices saw, else who entered it. Behind an answer
    stands what made the table ask."""
    lines = [evidence_line(e) for e in entry.evidence]
    question = entry.body.get("question") if entry.kind == "action" else None
    if not lines and isinstance(question, str) and match is not None:
        asked = match.told.get(int(question[1:]))
        lines = [evidence_line(e) for e in asked.evidence] if asked else []
    if not lines and entry.who.kind != "device" and (entry.who.kind == "seat" or entry.who.kind in BY):
        lines = [f"Entered at the screen by {BY.get(entry.who.kind, f'seat {entry.who.id}')}."]
    return lines


def grounds(match: Told, game: Mapping[str, Any]) -> Json:
    """{"cards": {card id: ground}, "rolls": {seat: ground}} for the cards of the running duels, of the
    last one and of the layouts, and for each seat's last roll. A ground is {"seq", "at", "by_hand",
    "edited", "evidence"}; `by_hand`: no device has seen it."""
    lying = {card for duel in game.get("duels", ()) for card in duel["plays"]}
    lying |= {step["card"] for step in game.get("last_duel_steps", ())}
    lying |= {card for seat in game.get("seats", ()) for card in seat.get("layout", ()) if card}
    cards: Json = {}
    rolls: Json = {}
    for line in reversed(match.lines):
        if line.undone or line.broken is not None:
            continue
        card, do = str(line.action.get("card")), line.action.get("do")
        if card in lying and card not in cards:
            cards[card] = _ground(match, line)
        elif do == "roll":
            rolls.setdefault(str(line.action["seat"]), _ground(match, line))
    return {"cards": cards, "rolls": rolls}


def _ground(match: Told, line: Line) -> Json:
    entry = match.told[line.seq]
    lines = evidence_of(entry, match)
    return {
        "seq": line.seq,
        "at": entry.wall,
        "by_hand": not lines or lines[0].startswith("Entered at the screen"),
        "edited": line.amended,
        "evidence": lines,
    }
