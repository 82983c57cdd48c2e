"""Results and matches for the lab's pages: a small real simulation, a comparison, a table with a past."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.games import game_named
from engine.lab.compare import compare, described
from engine.lab.plan import Plan
from engine.lab.report import report
from engine.lab.simulate import simulate
from host.feedback import Feedback, Moment, said
from host.records import rows_of
from tests.host.long_matches import legal_walk, written
from web.lab import runs

Json = dict[str, Any]
SAID = {"m1": "Three were too many", "m2": "The <b>bridge</b> of sighs"}


@pytest.fixture(name="brisk", autouse=True, scope="module")
def _brisk() -> Iterator[None]:
    """A run claims little of the processor, which on a busy machine is nothing: here it claims its share."""
    was, runs.NICE = runs.NICE, 0
    yield
    runs.NICE = was


@cache
def results() -> dict[str, Json]:
    """`two`: a run; `four`: another with four players; `last-word`: a comparison."""
    game = game_named("althera")
    rules = game.ruleset_json(game.ruleset())
    two = Plan("althera", rules, 2, 3, ("random", "greedy"), 40, "pages")
    four = replace(two, players=4, matches=4)
    other = replace(
        two, ruleset=game.ruleset_json(game.ruleset('name = "last word"\nclosing_card = "required"\n'))
    )
    rest = {
        "game": "althera",
        "players": 2,
        "turns": 3,
        "line_up": ["greedy"],
        "seed": "pages",
        "matches": 20,
    }
    plans = [replace(two, matches=20), replace(other, matches=20)]
    both = {**rest, "rulesets": described(plans, ["default", "last.toml"]), "compared": compare(plans)}
    return {
        "four": report(four, simulate(four), 1.0),
        "last-word": both,
        "two": report(two, simulate(two), 1.0),
    }


def lay(data: Path) -> None:
    """The results as the command line would have left them in a table's data folder, `two` the newest; a
    file that is none; matches of people: m1 of three players, m2 and m3 of two; what somebody said of each
    in SAID."""
    folder = data / "lab"
    folder.mkdir(parents=True)
    (folder / "broken.json").write_text("{")
    for name, answer in results().items():
        (folder / f"{name}.json").write_text(json.dumps(answer))
    walks = [legal_walk("althera", 3, 7), legal_walk("althera", 2, 7), legal_walk("althera", 2, 8)]
    written(data, "althera", walks)
    store = Feedback(data)
    for row in rows_of(data, SAID):
        moment = Moment("duel", 9, 5, 4.0, "Ada challenges Bruno.")
        given = said({"fun": 4, "length": 3}, SAID[row["id"]], seat=2, moment=moment)
        store.keep("a phone", row, given, 1.7e9)
