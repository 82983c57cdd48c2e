"""What a page of the lab shows: a result that was chosen, people's matches beside it, charts of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.lab.plan import program
from engine.lab.show.chart import Chart
from engine.lab.show.people import Match, People, beside
from engine.lab.show.questions import charts
from engine.lab.show.reports import DAMAGE
from engine.lab.show.rulings import ruling_charts
from engine.lab.show.words import Words
from host.face import Table
from web.lab.files import Found, found_in
from web.lab.played import played

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for: which results, which of people's matches."""

    result: str = ""
    compare: str = ""
    without: tuple[str, ...] = ()
    mix: bool = False

    @classmethod
    def of(cls, args: Mapping[str, str]) -> Asked:
        """Out of a query: `?result=…&compare=…&no_corrected=1&no_doubtful=1&mix=1`."""
        without = tuple(mark for mark in ("corrected", "doubtful") if args.get(f"no_{mark}"))
        return cls(
            args.get("result", "")[:130], args.get("compare", "")[:130], without, bool(args.get("mix"))
        )

    def query(self) -> Json:
        """The inverse of `of`."""
        every = {"result": self.result, "compare": self.compare, "mix": "1" if self.mix else ""}
        every |= {f"no_{mark}": "1" for mark in self.without}
        return {key: value for key, value in every.items() if value}


@dataclass(frozen=True, slots=True)
class Answers:
    """All that a page and a report need. `broken` are files that can't be used, by name."""

    asked: Asked
    run: Found | None
    comparison: Found | None
    runs: tuple[Found, ...]
    comparisons: tuple[Found, ...]
    broken: tuple[str, ...]
    matches: tuple[Match, ...]
    people: People
    charts: tuple[Chart, ...]
    #: whether the chosen result was played by another version of rules, bots and measures
    other_program: bool


def answers(table: Table, data: Path, asked: Asked, language: str) -> Answers:
    """Everything for this address. Raises CrowntableError where the journal can't be read."""
    words = Words(language)
    files = found_in(data)
    runs = tuple(one for one in files if one.kind == "run")
    comparisons = tuple(one for one in files if one.kind == "compare")
    broken = [one.name for one in files if one.kind == "broken"]
    run, comparison = _chosen(runs, asked.result), _chosen(comparisons, asked.compare)
    matches = tuple(played(table, data))
    people, found = People(), list[Chart]()
    if run is not None:
        try:
            people = beside(matches, run.answer, asked.without, asked.mix)
            found += charts(run.answer, people, words, _others(run, runs))
        except DAMAGE:
            broken.append(run.name)
            run, people = None, People()
    if comparison is not None:
        try:
            found += ruling_charts(comparison.answer, words)
        except DAMAGE:
            broken.append(comparison.name)
            comparison = None
    other = run is not None and run.answer.get("program") != program()
    return Answers(
        asked, run, comparison, runs, comparisons, tuple(broken), matches, people, tuple(found), other
    )


def _chosen(files: tuple[Found, ...], name: str) -> Found | None:
    """The one of that name, else the newest."""
    return next((one for one in files if one.name == name), files[0] if files else None)


def _others(run: Found, runs: tuple[Found, ...]) -> list[Json]:
    """The newest results of the same rules and bots with other numbers of players or turns."""

    def about(one: Found) -> tuple[Any, ...]:
        return one.answer["game"], one.answer["ruleset"]["hash"], tuple(one.answer["line_up"])

    def size(one: Found) -> tuple[Any, ...]:
        return one.answer["players"], one.answer["turns"]

    found: dict[tuple[Any, ...], Json] = {}
    for one in runs:
        if about(one) == about(run) and size(one) != size(run):
            found.setdefault(size(one), one.answer)
    return list(found.values())
