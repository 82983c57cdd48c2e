"""A game's rulebook: its own words by rule id, read from `engine/<game>/book/` in one language.

`frame.toml` holds what is the same in every language, `<language>.toml` the words. The table of rule ids
is the game's own (`GAME.rules`); a book that lacks one, or has one too many, is an error here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from engine.ask.fill import filled, values_of
from engine.errors import CrowntableError
from engine.game import Game, Json
from engine.games import game_named

LANGUAGES = ("en", "it")
DEFAULT = "en"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One rule in the book's words. `short`: its line on the quick reference, empty for a chapter's head."""

    rule: str
    title: str
    text: str
    short: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the ruleset in force chose. `says`: the choice in words; `choices`: (words, is it chosen?)
    of a ruling between named choices; `standard`: whether it is the game's default."""

    key: str
    rule: str
    question: str
    says: str
    choices: tuple[tuple[str, bool], ...]
    standard: bool


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of card: its name, when it may be played (specials), what it does, the rules it lives by.
    `value`: what a score card adds, None for a special."""

    kind: str
    name: str
    when: str
    does: str
    rules: tuple[str, ...]
    value: int | None
    copies: int


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: `steps` are actions with what must come of them (frame.toml says how)."""

    id: str
    rule: str
    title: str
    text: str
    steps: tuple[Json, ...]
    end: Json


@dataclass(frozen=True, slots=True)
class Book:
    """A rulebook in one language, its numbers those of one ruleset."""

    game: str
    language: str
    title: str
    intro: str
    #: chapter (`ALT-4`) -> its head, and rule (`ALT-4.3`) -> its paragraph, in the table's order
    heads: Mapping[str, Paragraph]
    rules: Mapping[str, Paragraph]
    rulings: tuple[Ruling, ...]
    kinds: Mapping[str, Kind]
    examples: tuple[Example, ...]
    #: rule -> what else to read
    related: Mapping[str, tuple[str, ...]]
    #: finding code -> what it is called
    findings: Mapping[str, str]
    #: rule -> codes of the findings that cite it
    explains: Mapping[str, tuple[str, ...]]

    def chapters(self) -> list[tuple[Paragraph, list[Paragraph]]]:
        """Each chapter's head with the chapter's rules."""
        return [
            (head, [rule for name, rule in self.rules.items() if name.startswith(f"{chapter}.")])
            for chapter, head in self.heads.items()
        ]

    def rulings_of(self, rule: str) -> list[Ruling]:
        """The rulings that decide something about this rule."""
        return [ruling for ruling in self.rulings if ruling.rule == rule]

    def examples_of(self, rule: str) -> list[Example]:
        """The worked examples of this rule."""
        return [example for example in self.examples if example.rule == rule]


def book(game: str, language: str = DEFAULT, ruleset: Any = None) -> Book:
    """The rulebook of a game in a language (an unknown one is English), by `ruleset` or the default one.

    Raises CrowntableError for an unknown game or a damaged book.

    >>> book("althera").rules["ALT-5.2"].title
    'Overtake'
    """
    playing = game_named(game)
    rules = playing.ruleset() if ruleset is None else ruleset
    return _book(game, language if language in LANGUAGES else DEFAULT, _Rules(playing.ruleset_json(rules)))


class _Rules:
    """A ruleset's JSON as a key of the cache."""

    def __init__(self, values: Json) -> None:
        self.values = values
        self._key = repr(values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rules) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@cache
def _read(game: str, name: str) -> Json:
    file = resources.files(f"engine.{game}").joinpath("book", f"{name}.toml")
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CrowntableError(
            f"The rulebook {game}/{name}.toml can't be read: {error}.", "Mend the file or install afresh."
        ) from error


@lru_cache(maxsize=16)
def _book(game: str, language: str, rules: _Rules) -> Book:
    playing = game_named(game)
    frame, words = _read(game, "frame"), _read(game, language)
    where = f"{game}/{language}.toml"
    try:
        values = values_of(game, rules.values, language)
        made = Book(
            game,
            language,
            words["title"],
            words["intro"],
            _paragraphs(dict.fromkeys(map(chapter_of, playing.rules)), words["chapter"], values, where),
            _paragraphs((rule for rule in playing.rules if "." in rule), words["rule"], values, where),
            _rulings(playing, frame["ruling"], words["ruling"], rules.values, language),
            _kinds(game, frame["kind"], words["kind"], rules.values),
            _examples(frame["example"], words["example"]),
            {rule: tuple(others) for rule, others in frame["related"].items()},
            words["finding"],
            _explains(playing, frame["cites"]),
        )
    except KeyError as error:
        raise CrowntableError(
            f"The rulebook {where} lacks {error}.", "Add it; frame.toml and the ruleset name what is needed."
        ) from None
    return made


def chapter_of(rule: str) -> str:
    """The chapter that a rule stands in; of a chapter itself.

    >>> chapter_of("ALT-4.3"), chapter_of("ANT-6")
    ('ALT-4', 'ANT-6')
    """
    return rule.partition(".")[0]


def _paragraphs(
    ids: Iterable[str], words: Json, values: Mapping[str, str], where: str
) -> dict[str, Paragraph]:
    wanted = tuple(ids)
    if unknown := sorted(set(words) - set(wanted)):
        raise CrowntableError(
            f"The rulebook {where} has rules that do not exist: {', '.join(unknown)}.",
            "The table of rule ids is the game's `rules`.",
        )
    made = {}
    for rule in wanted:
        parts = (words[rule].get(part, "") for part in ("title", "text", "short"))
        title, text, short = (filled(part, values) for part in parts)
        made[rule] = Paragraph(rule, title, text, short)
    return made


def _rulings(game: Game, rule_of: Json, words: Json, values: Json, language: str) -> tuple[Ruling, ...]:
    standard = game.ruleset_json(game.ruleset())
    made = []
    for key, value in values.items():
        if key == "name":
            continue
        entry = words[key]
        if "value" in entry:
            shown = values_of(game.name, values, language)[f"ruling.{key}"]
            says = filled(entry["value"], {"value": shown})
            choices: tuple[tuple[str, bool], ...] = ()
        else:
            says = entry[value]
            choices = tuple((text, name == value) for name, text in entry.items() if name != "question")
        made.append(Ruling(key, rule_of[key], entry["question"], says, choices, value == standard[key]))
    return tuple(made)


def _kinds(game: str, rules_of: Json, words: Json, values: Json) -> dict[str, Kind]:
    made = {}
    for kind, rules in rules_of.items():
        entry = words[kind]
        if game == "althera":
            score = values["score"].get(kind)
            value = score["value"] if score else None
            copies = score["copies"] if score else values["specials"][kind]
        else:
            value, copies = int(kind) if kind.isdigit() else None, 1
        does = filled(entry["does"], {"value": str(value)})
        made[kind] = Kind(kind, entry["name"], entry.get("when", ""), does, tuple(rules), value, copies)
    return made


def _examples(frame: list[Json], words: Json) -> tuple[Example, ...]:
    made = []
    for entry in frame:
        name = entry["id"]
        end: Json = {key: entry[key] for key in ("winner", "value", "captured", "specials") if key in entry}
        said = words[name]
        made.append(Example(name, entry["rule"], said["title"], said["text"], tuple(entry["step"]), end))
    return tuple(made)


def _explains(game: Game, cites: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    """Rule -> finding codes, in the order of the game's table of findings."""
    made: dict[str, tuple[str, ...]] = {}
    for code, kind in game.findings.items():
        for rule in dict.fromkeys((kind.rule, *cites.get(code, ()))):
            if rule:
                made[rule] = (*made.get(rule, ()), code)
    return made
