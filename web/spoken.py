"""What the table itself says, in the reader's language.

The table speaks and writes English: in its journal, on the command line, in the View. For readers of
another language each sentence is found again among the English ones of `texts/table/en.toml`, its parts
taken out, and put into the same key's sentence of their language. So entries of years ago, and devices
that know nothing of languages, speak it too. A sentence that is not in the catalogue stays as it is;
`tests/web/test_web_spoken.py` plays until it has heard them all.

Slots: `{n}` is a number, `{told}` a sentence of the catalogue again, `{id}` and `{path}` a word that stays as
it is, `{raw}` any text that does; any other is a name: a card, a seat, a spot as section [name] has it, else
(Ada) as it is. A digit behind tells two of a kind apart. Either may begin with a capital instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from engine.ask.book import LANGUAGES, book
from web import catalogue

FOLDER: Final = catalogue.FOLDER / "table"
#: where in a View the table speaks; everything else in it is for programs
SPOKEN: Final = frozenset({"text", "cure", "label", "detail", "evidence", "why", "hardware", "changes"})
#: events whose text a person wrote
PERSONS: Final = frozenset({"flag", "announce"})
#: no sentence of the table is longer; what is, is not looked at
LONGEST: Final = 1000

_SLOT: Final = re.compile(r"\{([a-z]+)(\d?)\}")
#: a name holds nothing that ends a part of a sentence
_NAME: Final = r"(?:(?!: |; |\. |\? |\.$).)+?"
_KINDS: Final = {
    "n": r"[−+-]?\d+(?:[.,]\d+)*%?",
    "told": r".+?",
    "id": r"\S+?",
    "path": r"\S+?",
    "raw": r".+?",
}


class Phrase(NamedTuple):
    """One sentence: how it is recognised, the longest run of it that is always there, and its key."""

    key: str
    pattern: re.Pattern[str]
    always: str


def phrase(key: str, text: str) -> Phrase:
    """The phrase of a catalogue's English text."""
    parts = _SLOT.split(text)  # literal, name, digit, literal, …
    pattern = re.escape(parts[0])
    for name, digit, literal in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        pattern += f"(?P<{name}{digit}>{_KINDS.get(name, _NAME)}){re.escape(literal)}"
    return Phrase(key, re.compile(pattern, re.DOTALL), max(parts[::3], key=len))


@cache
def _phrases() -> tuple[tuple[Phrase, ...], tuple[Phrase, ...]]:
    """(names, sentences), those with most text of their own first: the glue comes last."""
    texts = catalogue.read(FOLDER / f"{catalogue.DEFAULT}.toml")
    ranked = sorted(texts.items(), key=lambda item: -len(_SLOT.sub("", item[1])))
    made = [phrase(key, text) for key, text in ranked]
    names = tuple(one for one in made if one.key.startswith("name."))
    return names, tuple(one for one in made if not one.key.startswith("name."))


@cache
def _texts(language: str) -> Mapping[str, str]:
    return catalogue.read(FOLDER / f"{language}.toml")


def knows(language: str) -> bool:
    """Is there something to put into this language? English is as it comes."""
    return language != catalogue.DEFAULT and (FOLDER / f"{language}.toml").exists()


@lru_cache(maxsize=8192)
def sentence(text: str, language: str) -> str | None:
    """A text of the table in a language; None where the catalogue lacks it.

    >>> sentence("Ada plays Cavalry (15): the field opens at 15.", "it")
    'Ada gioca Cavalleria (15): il campo si apre a 15.'
    """
    if not text or len(text) > LONGEST:
        return None
    found = _among(_phrases()[1], text, language)
    if found is not None:
        return found
    if text[0].isupper() and (found := _among(_phrases()[1], _small(text), language)) is not None:
        return _big(found)
    # Several sentences: the longest beginning that is known, and the rest.
    for end in reversed([m.start() for m in re.finditer(r"(?<=[.!?]) ", text)]):
        first = sentence(text[:end], language)
        rest = sentence(text[end + 1 :], language) if first is not None else None
        if first is not None and rest is not None:
            return f"{first} {rest}"
    return None


@lru_cache(maxsize=8192)
def name(text: str, language: str) -> str:
    """A seat's, card's or spot's name in a language; a person's as it is.

    >>> name("Seat 2", "it"), name("Ada", "it")
    ('Posto 2', 'Ada')
    """
    found = _among(_phrases()[0], text, language)
    if found is None and text[:1].isupper() and (small := _among(_phrases()[0], _small(text), language)):
        found = _big(small)
    return found or text


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _big(text: str) -> str:
    return text[:1].upper() + text[1:]


def _among(phrases: tuple[Phrase, ...], text: str, language: str) -> str | None:
    for one in phrases:
        if one.always in text and (found := one.pattern.fullmatch(text)):
            values = _values(found, language)
            if values is not None:
                put = _texts(language)[one.key]
                return _SLOT.sub(lambda slot, values=values: values[slot[1] + slot[2]], put)  # type: ignore[misc]
    return None


def _values(found: re.Match[str], language: str) -> dict[str, str] | None:
    """The slots' values in the language; None where a sentence within is not known."""
    values = {}
    for slot, value in found.groupdict().items():
        kind = slot.rstrip("0123456789")
        put = sentence(value, language) if kind == "told" else value
        if put is None:
            return None
        values[slot] = put if kind in _KINDS else name(value, language)
    return values


def say(text: str, language: str) -> str:
    """A text of the table in a language, as it is where nothing better is known."""
    return (sentence(text, language) or text) if knows(language) else text


def told(value: Any, language: str) -> Any:
    """A View, an Outcome, any JSON of the table with all that it says put into the language."""
    return _put(value, language, "") if knows(language) else value


def _put(value: Any, language: str, key: str) -> Any:
    if isinstance(value, str):
        if key in SPOKEN:
            return sentence(value, language) or value
        return name(value, language) if key == "name" else value
    if isinstance(value, list):
        return [_put(one, language, key) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get("kind") in PERSONS:
        return value
    if key == "facts":
        return {sentence(inner, language) or inner: one for inner, one in value.items()}
    put = {inner: _put(one, language, inner) for inner, one in value.items()}
    if value.get("rule") and "rule_text" in value:
        put["rule_text"] = _rule(str(value["rule"]), language) or value["rule_text"]
    return put


def _rule(rule: str, language: str) -> str:
    """A rule's line in the rulebook of that language; empty where there is none."""
    game = {"ALT": "althera", "ANT": "anthem"}.get(rule.partition("-")[0])
    if game is None or language not in LANGUAGES:
        return ""
    found = book(game, language)
    paragraph = found.rules.get(rule) or found.heads.get(rule)
    return (paragraph.short or paragraph.title) if paragraph else ""
