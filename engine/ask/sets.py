"""The sets of questions with their answers: who wrote them, and which of them the search learns from."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import NamedTuple

#: the sets that the search learns from, as ways of asking
LEARNED = ("tune", "more", "other", "other-c", "other-d", "other-f", "other-g")
#: the sets that nobody who works on the search reads, and it never learns from
KEPT = ("kept", "other-kept", "other-e", "other-h")


class Question(NamedTuple):
    """A question of a set. `rules`: those that answer it, none where the rulebook does not say."""

    half: str
    language: str
    game: str
    rules: tuple[str, ...]
    text: str


def questions(half: str, language: str) -> list[Question]:
    """The questions of one set (`LEARNED`, `KEPT`) in one language; none of an unknown set."""
    return [question for question in _every(language) if question.half == half]


@cache
def _every(language: str) -> tuple[Question, ...]:
    text = resources.files("engine.ask").joinpath("questions", f"{language}.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return tuple(
        Question(of, language, game, () if rules == "-" else tuple(rules.split(",")), asked)
        for of, game, rules, asked in rows
    )
