"""What a question about the table asks: which kind of answer, about which card or action, under which
supposition. A question that follows another ("and if I own the field?") takes over what it leaves out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Literal

from engine.ask.book import book
from engine.ask.search import index
from engine.ask.text import Term, lexicon, split, stem, terms

Intent = Literal[
    "can", "worth", "field", "ahead", "why", "die", "turn",
    "options", "need", "cards", "turns", "crown", "left",
]  # fmt: skip
Condition = Literal["own", "enemy", "empty"]

#: what a question can be about beside a kind of card
ACTIONS = ("retreat", "redraw", "intervene", "declare", "scorecard")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart. `subjects`: kinds of cards and actions it is about; `cues`: the patterns
    of `now/<language>.toml` that it matches; `names`: seats it names."""

    language: str
    intent: Intent | None = None
    subjects: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    sign: Literal["+", "-"] | None = None
    condition: Condition | None = None
    seats: tuple[int, ...] = ()
    duel: bool = False
    me: bool = False
    general: bool = False
    follows: bool = False
    #: speaks of something by a pronoun only
    vague: bool = False


class Now:
    """Patterns and sentences of one language."""

    def __init__(self, language: str) -> None:
        file = resources.files("engine.ask").joinpath("now", f"{language}.toml")
        raw = tomllib.loads(file.read_text("utf-8"))
        self.match = {name: re.compile(pattern) for name, pattern in raw["match"].items()}
        self.sentences: Mapping[str, str] = raw["say"]
        self.names: Mapping[str, str] = raw["name"]
        self.the: Mapping[str, str] = raw["the"]
        #: terms that may stand beside an action without making the question one about rules in general
        self.beside: frozenset[str] = frozenset(raw["terms"]["beside"].split())

    def say(self, key: str, **words: Any) -> str:
        """The sentence `key` with its {words} put in."""
        return self.sentences[key].format(**words)


@cache
def now(language: str) -> Now:
    """The patterns and sentences of a language."""
    return Now(language)


def take_apart(text: str, language: str, game: str, names: Mapping[int, str] | None = None) -> Asked:
    """What a question asks. `names`: seat -> the player's name at this table."""
    matcher = now(language)
    plain = " ".join(split(text, language))
    said = _spoken_out(plain, names or {}, language)
    cues = {name for name, pattern in matcher.match.items() if pattern.search(plain) or pattern.search(said)}
    found = terms(text, lexicon(language), index(game, language).vocabulary)
    subjects = _subjects(found, language, game)
    numbers = tuple(int(term.term) for term in found if term.term.isdigit() and len(term.term) < 4)
    if game == "anthem" and not subjects:
        subjects = tuple(str(number) for number in numbers if 1 <= number <= 8)[:1]
    words = plain.split()
    named = {seat: split(name, language) for seat, name in (names or {}).items() if name}
    there = [seat for seat, name in named.items() if name and set(name) <= set(words)]
    seats = tuple(
        sorted(there, key=lambda seat: words.index(named[seat][0]))
    )  # who is asked about comes first
    sign: Literal["+", "-"] | None = "+" if "up" in cues else "-" if "down" in cues else None
    condition = next((one for one in _CONDITIONS if one in cues), None)
    asked = Asked(
        language, None, subjects, numbers, sign, condition, seats, "duel" in cues, "me" in cues,
        "general" in cues, "follow" in cues, "pronoun" in cues and not subjects,
    )  # fmt: skip
    return replace(asked, intent=_intent(asked, cues, found, game))


_SHORT = re.compile(r"\b(what|who|where|how|it|that)s\b")
_HE = {"en": "he", "it": "lui"}


def _spoken_out(plain: str, names: Mapping[int, str], language: str) -> str:
    """The question with "what is" for "whats", and a pronoun for each player's name."""
    said = _SHORT.sub(r"\1 is", plain) if language == "en" else plain
    for name in names.values():
        called = " ".join(split(name, language))
        if called:
            said = re.sub(rf"\b{re.escape(called)}s?\b", _HE[language], said)
    return said


_CONDITIONS: tuple[Condition, ...] = ("own", "enemy", "empty")


def follow_up(before: Asked, asked: Asked) -> Asked:
    """A question that follows another, complete: what it leaves out is as before."""
    intent = asked.intent or before.intent
    if intent == "field" and asked.subjects:  # what it is worth, and now with a card
        intent = "worth"
    return replace(
        asked,
        intent=intent,
        subjects=asked.subjects or before.subjects,
        numbers=asked.numbers or before.numbers,
        sign=asked.sign or before.sign,
        condition=asked.condition or before.condition,
        seats=asked.seats or before.seats,
    )


def _subjects(found: list[Term], language: str, game: str) -> tuple[str, ...]:
    named = now(language).names
    printed = book(game, language).kinds.values()
    kinds = {stem(split(kind.name, language)[0], language): kind.kind for kind in printed}
    subjects = []
    for term in found:
        one = named.get(term.term) or kinds.get(term.term)
        if one and one not in ("field", "special"):
            subjects.append(one)
    return tuple(dict.fromkeys(subjects))


def _intent(asked: Asked, cues: set[str], found: list[Term], game: str) -> Intent | None:
    """The first kind of answer that fits; None where the question is about the rules only."""
    about = bool(asked.subjects)
    if "whycan" in cues and about:
        return "can"
    if "why" in cues:
        return "why"
    worth = about and "worth" in cues and "can" not in cues and game == "althera"
    if worth and ("field" in cues or ("if" in cues and "oracle" not in asked.subjects)):
        return "worth"
    if "die" in cues and "count" in cues and any(1 <= n <= 6 for n in asked.numbers) and game == "althera":
        return "die"
    if "options" in cues and not asked.general and not about:
        return "options"
    if "need" in cues and not about and not asked.general:
        return "need"
    simple: tuple[Intent, ...] = ("turns", "turn", "ahead", "crown", "cards")
    for intent in simple:
        if intent in cues and not (asked.general and intent != "ahead"):
            return "left" if intent == "cards" and game == "anthem" and about else intent
    if "howmany" in cues and game == "anthem" and about and "left" in cues:
        return "left"
    here = "worth" in cues or ("now" in cues and "if" not in cues and asked.condition is None)
    if not about and "field" in cues and here and _only_field(found):
        return "field"
    if not about and "owner" in cues and "if" not in cues and not asked.general:
        return "field"
    if not about and "steps" in cues:
        return "field"
    if about and ("can" in cues or (game == "anthem" and "where" in cues)) and not asked.general:
        beside = now(asked.language).beside
        extra = [term for term in found if term.term not in beside and not _is_subject(term, asked)]
        return "can" if len(extra) <= 1 or "now" in cues else None
    return None


def _only_field(found: list[Term]) -> bool:
    """Whether the question speaks of the field's worth and nothing else."""
    little = {"field", "campo", "value", "valore", "HOWMUCH", "WHEN", "WHY"}
    return all(term.term in little for term in found) and any(t.term in ("field", "campo") for t in found)


def _is_subject(term: Term, asked: Asked) -> bool:
    named = now(asked.language).names
    return (
        named.get(term.term) in asked.subjects
        or term.term.isdigit()
        or any(term.term.startswith(subject[:4]) for subject in asked.subjects)
    )
