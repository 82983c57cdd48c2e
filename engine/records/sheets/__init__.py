"""A record as a score sheet: sections and rows of short texts, from which text and page are made.

Each game words its own rows in a module here that is named as the game is; a game without one is
worded by `any_game`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, Protocol

from engine.game import Game, Json
from engine.records.record import Line, Record, game_of
from engine.records.replay import Step, steps


@dataclass(frozen=True, slots=True)
class Words:
    """What a row says of an action: `where` it happened, `what` was done, its `effect`, and the
    `result` that stands afterwards; `value` is the result's number where it has one."""

    what: str
    where: str = ""
    effect: str = ""
    result: str = ""
    owner: int | None = None
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the sheet. `n` is the action's number, None for a note that follows from it.

    `seat` is who acted; `remarks` what the rules or the table had to say beside it; `undone`: a
    later action took it back; `time` is minutes and seconds since the first action.
    """

    kind: Literal["play", "refused", "note"]
    n: int | None
    seat: int | None
    who: str
    words: Words
    remarks: tuple[str, ...] = ()
    time: str = ""
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under one heading, such as a turn; `stand` is how the match stood when it began."""

    title: str
    stand: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Player:
    """A player as the sheet names them. `colour` is `#rrggbb` where the game gives the seat one."""

    seat: int
    name: str
    side: str
    colour: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole score sheet. `facts` are (label, value) of what the record carries about the match."""

    title: str
    facts: tuple[tuple[str, str], ...]
    players: tuple[Player, ...]
    sections: tuple[Section, ...]
    outcome: str
    torn: str | None


class Wording(Protocol):
    """What a game's module here has."""

    def title(self, state: Any) -> str:
        """The game's name and, where there is one, the match's length."""

    def side(self, player: Json) -> tuple[str, str]:
        """A player's house or set, in words, and its colour (`#rrggbb` or empty)."""

    def heading(self, state: Any) -> str:
        """The section that an action belongs to, by the state before it."""

    def stand(self, names: Mapping[int, str], state: Any) -> str:
        """How the match stands, in a line, for the beginning of a section."""

    def words(self, names: Mapping[int, str], step: Step) -> Words:
        """What an applied action was and did."""

    def tried(self, names: Mapping[int, str], action: Json) -> str:
        """What a refused action would have been."""

    def notes(self, names: Mapping[int, str], step: Step) -> list[str]:
        """What followed from an action by itself: a duel's end, somebody out."""

    def outcome(self, names: Mapping[int, str], state: Any) -> str:
        """How the match came out, empty while it runs."""


def sheet_of(record: Record) -> Sheet:
    """The score sheet of a record. Raises CrowntableError for an unknown game or a bad ruleset."""
    game, ruleset = game_of(record)
    wording = _wording(game)
    header = record.header
    names = _names(record)
    sections: list[Section] = []
    rows: list[Row] = []
    applied: list[int] = []  # numbers of the actions that an undo would take back
    undone: set[int] = set()
    state, heading = game.initial(ruleset), ""
    for step in steps(record):
        if not rows or wording.heading(step.before) != heading:
            heading = wording.heading(step.before)
            rows = []
            sections.append(Section(heading, wording.stand(names, step.before), ()))
        rows += _rows(wording, names, step, record.lines[0], applied, undone)
        sections[-1] = replace(sections[-1], rows=tuple(rows))
        state = step.verdict.state
    return Sheet(
        wording.title(state),
        tuple(_facts(record, state)),
        tuple(Player(p["seat"], names[p["seat"]], *wording.side(p)) for p in header.seats),
        tuple(_with_undone(section, undone) for section in sections),
        wording.outcome(names, state),
        record.torn,
    )


def standing(record: Record, state: Any) -> str:
    """How a match of this record stands in `state`, in a line: its outcome, or how it goes."""
    wording = _wording(game_of(record)[0])
    names = _names(record)
    running = [wording.heading(state), wording.stand(names, state)]
    return wording.outcome(names, state) or ". ".join(part for part in running if part)


def _names(record: Record) -> Mapping[int, str]:
    """Seat -> the player's name, or which seat it is where no name was given."""
    return {p["seat"]: p.get("name") or f"Seat {p['seat']}" for p in record.header.seats}


def _wording(game: Game) -> Wording:
    module = f"{__name__}.{game.name}"
    wording: Wording = import_module(module if find_spec(module) else f"{__name__}.any_game").WORDING
    return wording


def _rows(
    wording: Wording,
    names: Mapping[int, str],
    step: Step,
    first: Line,
    applied: list[int],
    undone: set[int],
) -> list[Row]:
    """An action's row and the notes that follow from it; keeps account of what undo takes back."""
    action, verdict = step.line.action, step.verdict
    # A refused action may have anything there.
    seat = given if type(given := action.get("seat")) is int else None
    who = names.get(seat, f"Seat {seat}") if seat is not None else ""
    remarks = [told(names, f.text) for f in verdict.findings if f.severity != "info"]
    if action.get("force") and verdict.ok and remarks:
        remarks = [f"Allowed by the table. {' '.join(remarks)}"]
    if step.line.who and step.line.who["kind"] in ("operator", "seat"):
        remarks.append("Entered by hand.")
    if step.line.edited:
        remarks.append("Corrected afterwards.")
    time = _elapsed(first, step.line)
    if not verdict.ok:
        words = Words(wording.tried(names, action))
        return [Row("refused", step.n, seat, who, words, tuple(remarks), time)]
    if action["do"] == "undo":
        taken = applied.pop() if applied else None
        undone.update([taken] if taken else [])
        words = Words(f"takes back {taken}" if taken else "takes nothing back")
        return [Row("play", step.n, seat, who or "Table", words, tuple(remarks), time)]
    if action["do"] == "setup":
        applied.clear()
    else:
        applied.append(step.n)
    row = Row("play", step.n, seat, who or "Table", wording.words(names, step), tuple(remarks), time)
    notes = [Row("note", None, None, "", Words(text)) for text in wording.notes(names, step)]
    return [row, *notes]


def told(names: Mapping[int, str], text: str) -> str:
    """A finding's text with the players' names in place of their seats."""
    return re.sub(r"\b[Ss]eat (\d+)", lambda m: names.get(int(m[1]), m[0]), text)


def _with_undone(section: Section, undone: set[int]) -> Section:
    return replace(section, rows=tuple(replace(r, undone=r.n in undone) for r in section.rows))


def _facts(record: Record, state: Any) -> list[tuple[str, str]]:
    """What the record carries about the match, and nothing else."""
    header = record.header
    facts = []
    if header.match is not None:
        facts.append(("Match", header.match))
    if header.started is not None:
        facts.append(("Played", f"{datetime.fromtimestamp(header.started, UTC):%Y-%m-%d %H:%M} UTC"))
    name = header.ruleset.get("name", "")
    facts.append(("Rules", f"{name} ({header.ruleset_hash[:8]})" if name else header.ruleset_hash[:8]))
    facts.append(("Actions", str(len(record.lines))))
    return facts


def _elapsed(first: Line, line: Line) -> str:
    """Minutes and seconds since the first action: by the monotonic clock within one start of the
    table, else by the wall clock, else nothing."""
    if first.mono is not None and line.mono is not None and first.boot == line.boot:
        seconds = line.mono - first.mono
    elif first.wall is not None and line.wall is not None:
        seconds = line.wall - first.wall
    else:
        return ""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}" if seconds >= 0 else ""
