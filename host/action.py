"""Action: what settled events mean in the game, or what a person says, before the rules judge it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from host.face import Who
from host.match import Question
from host.settled import Settled

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Action:
    """A game action (JSON as in contracts/referee.md) with who did it and what it rests on.

    `card`, `zone`: the card lying there, where it came from one; lifting it settles its findings."""

    game_action: Json
    who: Who
    evidence: tuple[Settled, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """The interpreter can't tell: a question for the screen instead of a guess."""

    question: Question
    evidence: tuple[Settled, ...] = ()


@dataclass(frozen=True, slots=True)
class Withdraw:
    """A question that events have answered or made idle."""

    question: str
    text: str


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The card of an illegal play was lifted: its findings are settled."""

    findings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """Worth saying at the table, of no meaning in the game. `scan`: it is the scan spot's word."""

    text: str
    scan: bool = False
    card: str | None = None


Intent = Action | Ask | Withdraw | TakenBack | Note
