"""A record through today's rules, under the ruleset that it carries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.errors import CrowntableError
from engine.game import Game, Json, Verdict
from engine.records.record import Line, Record, game_of, judge


@dataclass(frozen=True, slots=True)
class Step:
    """The n-th action (from 1): the record's line, the state before, and today's verdict."""

    n: int
    line: Line
    before: Any
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Difference:
    """The first action that comes out otherwise: its number and what differs, in words."""

    n: int
    what: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay came to: the actions gone through, the last state, a difference or None."""

    game: Game
    count: int
    state: Any
    difference: Difference | None


def steps(record: Record) -> Iterator[Step]:
    """The record's actions one by one through the rules. Raises CrowntableError for an unknown game
    or a ruleset that this version can't take."""
    game, ruleset = game_of(record)
    state = game.initial(ruleset)
    for n, line in enumerate(record.lines, 1):
        verdict = judge(game, state, line.action)
        yield Step(n, line, state, verdict)
        state = verdict.state


def replay(record: Record, until: int | None = None) -> Replayed:
    """Plays a record again, to its end, to action `until`, or to the first difference.

    Compared are whether each action is applied, its findings' codes, and the states that the record
    has; a field that the state had not yet when the record was written is no difference.
    """
    game, ruleset = game_of(record)
    if until is not None and not 0 <= until <= len(record.lines):
        raise CrowntableError(
            f"There is no action {until} in this record.", f"Choose 0 to {len(record.lines)}."
        )
    state, count = game.initial(ruleset), 0
    for step in steps(record):
        if until is not None and step.n > until:
            break
        what = difference(game, step)
        if what is not None:
            return Replayed(game, count, step.before, Difference(step.n, what))
        state, count = step.verdict.state, step.n
    return Replayed(game, count, state, None)


def difference(game: Game, step: Step) -> str | None:
    """What today's verdict on a step has otherwise than its record, or None."""
    line, verdict = step.line, step.verdict
    codes = tuple(f.code for f in verdict.findings)
    if verdict.ok != line.ok:
        recorded, today = ("applied", "refused") if line.ok else ("refused", "applied")
        reasons = ", ".join(codes or line.codes)
        return f"it was {recorded} and is {today} today ({reasons})"
    if codes != line.codes:
        return f"the findings were {_listed(line.codes)} and are {_listed(codes)} today"
    if line.state is not None:
        return _first_difference("", line.state, _plain(game.state_json(verdict.state)))
    return None


def _first_difference(where: str, recorded: Any, today: Any) -> str | None:
    """Where two JSON values part, looking at what the recorded one has."""
    if isinstance(recorded, dict) and isinstance(today, dict):
        for key, value in recorded.items():
            path = f"{where}.{key}" if where else key
            if key not in today:
                return f"{path} was {_short(value)} and is gone today"
            if found := _first_difference(path, value, today[key]):
                return found
        return None
    if isinstance(recorded, list) and isinstance(today, list) and len(recorded) == len(today):
        pairs = enumerate(zip(recorded, today, strict=True))
        return next(
            (found for i, (a, b) in pairs if (found := _first_difference(f"{where}[{i}]", a, b))), None
        )
    if recorded == today:
        return None
    return f"{where} was {_short(recorded)} and is {_short(today)} today"


def _plain(value: Json) -> Json:
    """The state as a file would give it back (tuples as lists, keys as text)."""
    plain: Json = json.loads(json.dumps(value))
    return plain


def _listed(codes: tuple[str, ...]) -> str:
    return ", ".join(codes) or "none"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
