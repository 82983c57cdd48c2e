"""How people ask for a rule: the book's ways of asking, and the questions that the search learns from."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources

from engine.ask.book import LANGUAGES, Book, book
from engine.ask.sets import LEARNED, questions
from engine.ask.text import lexicon

#: stands for a rule where no rulebook answers
OUTSIDE = "-"


def written(of: Book) -> dict[str, list[str]]:
    """Rule (and OUTSIDE) -> the ways of asking of `asked.<language>.toml`, {special}, {score} and {house}
    put in."""
    file = resources.files(f"engine.{of.game}").joinpath("book", f"asked.{of.language}.toml")
    names = names_of(of)
    every = tomllib.loads(file.read_text("utf-8")).items()
    return {rule: [full for way in ways for full in _put_in(way, names)] for rule, ways in every}


def learned(of: Book, sets: Iterable[str] = LEARNED) -> dict[str, list[str]]:
    """Rule (and OUTSIDE) -> the questions of these sets that it answers, as they were typed."""
    made: dict[str, list[str]] = {}
    for half in sets:
        for question in questions(half, of.language):
            if question.game == of.game:
                for rule in question.rules or (OUTSIDE,):
                    made.setdefault(rule, []).append(question.text)
    return made


def names_of(of: Book) -> Mapping[str, list[str]]:
    """Blank -> the names that it stands for."""
    specials = [kind.name.lower() for kind in of.kinds.values() if kind.when]
    scores = [kind.name.lower() for kind in of.kinds.values() if kind.value is not None]
    return {"{special}": specials, "{score}": scores, "{house}": _houses(of.game)}


def own_texts(of: Book, rule: str) -> list[str]:
    """Title, text, short form and rulings of a rule, the title first."""
    paragraph = of.rules[rule]
    rulings = (f"{ruling.question} {ruling.says}" for ruling in of.rulings_of(rule))
    return [paragraph.title, paragraph.text, paragraph.short, *rulings]


def every(game: str, sets: Iterable[str] = LEARNED) -> list[tuple[str, str]]:
    """(rule or OUTSIDE, way of asking) in both languages, each once, in the order of the files."""
    made: dict[tuple[str, str], None] = {}
    for language in LANGUAGES:
        of = book(game, language)
        outside = {OUTSIDE: list(lexicon(language).outside)}
        for part in (written(of), outside, learned(of, sets)):
            made.update(((rule, way), None) for rule, ways in part.items() for way in ways)
    return list(made)


def headed(of: Book) -> Iterator[tuple[str, list[str]]]:
    """Rule -> its title and its rulings' questions, which are ways of asking too."""
    for rule, paragraph in of.rules.items():
        yield rule, [paragraph.title, *(ruling.question for ruling in of.rulings_of(rule))]


def _put_in(way: str, names: Mapping[str, list[str]]) -> list[str]:
    for blank, values in names.items():
        if blank in way:
            return [way.replace(blank, value) for value in values]
    return [way]


def _houses(game: str) -> list[str]:
    if game != "althera":
        return []
    from engine.althera.cards import HOUSES

    return [house.name for house in HOUSES.values()]
