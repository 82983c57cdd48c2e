"""A report out of files of results: which of them it is about, and what stands in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from engine.errors import CrowntableError, UsageError
from engine.game import Json
from engine.lab.show.chart import Chart
from engine.lab.show.paper import Paper
from engine.lab.show.people import Match, People, beside
from engine.lab.show.questions import charts
from engine.lab.show.rulings import ruling_charts
from engine.lab.show.words import Words

_ABOUT = {"game", "players", "turns", "line_up", "seed", "matches"}
_RUN = _ABOUT | {"ruleset", "length", "measures", "favoured"}
_COMPARISON = _ABOUT | {"rulesets", "compared"}
#: What a damaged report may break on, where its figures are read.
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ZeroDivisionError, StopIteration)


def kind_of(answer: object) -> Literal["run", "compare", "broken"]:
    """Whether this JSON is a run's report, a comparison's, or neither."""
    if not isinstance(answer, dict) or not answer.get("matches"):
        return "broken"
    if answer.keys() >= _RUN:
        return "run"
    return "compare" if answer.keys() >= _COMPARISON else "broken"


def read_result(path: Path) -> Json:
    """A report's JSON. Raises CrowntableError for what is none."""
    try:
        answer = json.loads(path.read_bytes())
    except OSError as error:
        raise CrowntableError(
            f"{path} can't be read: {error.strerror or error}.", "Give the .json beside a file of results."
        ) from None
    except (ValueError, RecursionError):
        answer = None
    if kind_of(answer) == "broken":
        raise CrowntableError(
            f"{path} is no result of the lab.",
            "Give the .json that `crowntable lab run --out` or `lab compare --out` has written.",
        )
    found: Json = answer
    return found


def paper_of(
    answers: Sequence[tuple[str, Json]],
    matches: Sequence[Match],
    without: Sequence[str],
    mix: bool,
    words: Words,
    made: str,
) -> Paper:
    """A report about the first run's result; further runs of its rules stand beside it in the lengths, and
    comparisons follow. Raises UsageError where they are of different games or other rules, CrowntableError
    for a damaged one."""
    runs = [answer for _, answer in answers if kind_of(answer) == "run"]
    if len({answer["game"] for _, answer in answers}) > 1:
        raise UsageError("These are results of different games.", "Give those of one game.")
    found, people = list[Chart](), People()
    try:
        if len({run["ruleset"]["hash"] for run in runs}) > 1:
            hashes = ", ".join(sorted({run["ruleset"]["hash"][:8] for run in runs}))
            raise UsageError(
                f"These results are of different rules ({hashes}).",
                "Give those of one ruleset; `crowntable lab compare` holds rules against each other.",
            )
        if runs:
            people = beside(matches, runs[0], without, mix)
            found += charts(runs[0], people, words, runs[1:])
        for _, answer in answers:
            if kind_of(answer) == "compare":
                found += ruling_charts(answer, words)
    except DAMAGE:
        raise CrowntableError("One of these results is damaged.", "Simulate it again.") from None
    names = tuple(name for name, _ in answers)
    return Paper(answers[0][1]["game"], made, names, found, runs[0] if runs else None, matches, people)
