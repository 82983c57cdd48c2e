"""What happened in a match, action by action: out of a simulation or out of a record, the same thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from engine.game import Finding, Game
from engine.lab.match import Step
from engine.records.record import Line, Record, game_of
from engine.records.replay import difference, steps


@dataclass(frozen=True, slots=True)
class Seen:
    """A match to be measured. `steps` are the actions that count: applied, and not undone later.

    `sits`: which bot sat where, empty for people. `choices`: seat -> (decisions looked at, those of them
    with more than one way to go), where hands were known. `seconds`: how long it took by the clock,
    None where nobody measured it. `corrected`: how many of its actions a person changed or entered
    afterwards or took back; `doubts`: what speaks against trusting the rest of it, in words.
    """

    game: Game
    steps: tuple[Step, ...]
    players: tuple[Any, ...]
    winners: tuple[int, ...] | None
    sits: Mapping[int, str] = field(default_factory=dict)
    choices: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    seconds: int | None = None
    corrected: int = 0
    doubts: tuple[str, ...] = ()


#: A pause longer than this, in seconds, is no part of the match: the table was left alone.
PAUSE = 600.0


def seen_in(record: Record) -> Seen:
    """The match that a record holds. Raises CrowntableError as `records.replay.steps` does."""
    game, _ = game_of(record)
    applied: list[tuple[Step, Line]] = []
    corrected, doubts = 0, []
    forced = False
    for step in steps(record):
        what = difference(game, step)
        if what is not None:
            doubts.append(f"action {step.n} comes out otherwise today: {what}")
        if step.line.edited:
            corrected += 1
        if not step.verdict.ok:
            continue
        action = game.parse(step.line.action)
        if step.line.action.get("do") == "undo":
            corrected += 1
            _take_back(applied, step.verdict.state)
            continue
        if any(finding.severity == "warning" for finding in step.verdict.findings):
            forced = True
        if not isinstance(action, Finding):
            applied.append((Step(step.before, action, step.verdict.state), step.line))
    if forced:
        doubts.append("the table ruled against the rules or against what was awaited")
    if record.torn is not None:
        doubts.append("its file was cut off")
    last = applied[-1][0].after if applied else game.initial(game_of(record)[1])
    winners = game.state_json(last).get("winners")
    if winners is None:
        doubts.append("it was not played to its end")
    return Seen(
        game,
        tuple(step for step, _ in applied),
        record.header.seats,
        None if winners is None else tuple(winners),
        seconds=_seconds([line for _, line in applied]),
        corrected=corrected,
        doubts=tuple(doubts),
    )


def _take_back(applied: list[tuple[Step, Line]], state: Any) -> None:
    """Drops what an undo took back: as far as the state that it led to, or one action that did nothing."""
    for length in range(len(applied) - 1, 0, -1):
        if applied[length - 1][0].after is state:
            del applied[length:]
            return
    if len(applied) > 1:
        applied.pop()


def _seconds(lines: list[Line]) -> int | None:
    """From the first action to the last by the monotonic clock, restarts and long pauses left out."""
    total, known = 0.0, False
    for one, two in pairwise(lines):
        if one.mono is None or two.mono is None or one.boot != two.boot:
            continue
        gap = two.mono - one.mono
        if 0 <= gap <= PAUSE:
            total += gap
            known = True
    return round(total) if known else None
