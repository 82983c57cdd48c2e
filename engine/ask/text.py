"""From a question as typed to the terms it is about: everyday words, endings and typing errors gone."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

import snowballstemmer  # type: ignore[import-untyped]  # it has no types of its own
from rapidfuzz import process
from rapidfuzz.distance import OSA

_STEMMERS = {"en": "english", "it": "italian"}
#: stands beside every number, so that "a 4 left of a 3" is like "a 7 left of a 5"
NUMBER = "NUMBER"
_WORD = re.compile(r"[+-]?\d+%?|[a-z]+|[+]")


class Term(NamedTuple):
    """A term of a question; `known`: whether the rulebook could speak of it."""

    term: str
    known: bool


def split(text: str, language: str) -> list[str]:
    """Lower-case words without accents; an Italian elision is two words, an English one is one.

    >>> split("What's the Field WORTH?", "en"), split("Perché l'oracolo?", "it")
    (['whats', 'the', 'field', 'worth'], ['perche', 'l', 'oracolo'])
    """
    joined = text.lower().replace("’", "'").replace("'", "" if language == "en" else " ")
    plain = unicodedata.normalize("NFKD", joined.replace("−", "-"))
    return _WORD.findall("".join(letter for letter in plain if not unicodedata.combining(letter)))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one language. `phrases`: a phrase as its words -> the term it means; `stems`: the
    same with stems for words, for other forms of them."""

    language: str
    stop: frozenset[str]
    phrases: Mapping[tuple[str, ...], str]
    stems: Mapping[tuple[str, ...], str]
    longest: int
    plain: frozenset[str]
    #: number words -> digits
    numbers: Mapping[str, str]
    #: questions that no rulebook answers
    outside: tuple[str, ...]
    #: every word that is spelled right
    words: frozenset[str]


@cache
def _stems(language: str) -> dict[str, str]:
    return {}


def stem(word: str, language: str) -> str:
    """The stem of a lower-case word.

    >>> stem("duels", "en"), stem("scudi", "it")
    ('duel', 'scud')
    """
    kept = _stems(language)
    found = kept.get(word)
    if found is None:
        found = kept[word] = word if word.isdigit() else _stemmed(word, language)
        if len(kept) > 20000:  # questions come from outside: what is kept must not grow for ever
            kept.clear()
    return found


def _stemmed(word: str, language: str) -> str:
    # A stemmer keeps the word it works on in itself, so threads must not share one; making one is cheap.
    return str(snowballstemmer.stemmer(_STEMMERS[language]).stemWord(word))


def _phrases(text: str) -> Iterator[str]:
    return (part.strip() for part in text.replace("\n", " ").split(",") if part.strip())


@cache
def lexicon(language: str) -> Lexicon:
    """The words of a language, from `engine/ask/words/<language>.toml`."""
    file = resources.files("engine.ask").joinpath("words", f"{language}.toml")
    raw = tomllib.loads(file.read_text("utf-8"))
    exact: dict[tuple[str, ...], str] = {}
    stems: dict[tuple[str, ...], str] = {}
    for term, variants in raw["same"].items():
        for variant in (term, *_phrases(variants)):
            parts = tuple(split(variant, language))
            exact.setdefault(parts, term)
            stems.setdefault(tuple(stem(part, language) for part in parts), term)
    for term, variants in raw["ask"].items():
        for variant in _phrases(variants):
            exact[tuple(split(variant, language))] = term
    stop = frozenset(split(raw["stop"], language))
    plain = frozenset(split(raw["plain"]["words"], language))
    numbers = {word: str(value) for row in raw["number"].values() for value, word in enumerate(row.split())}
    outside = tuple(_phrases(raw["outside"]["asked"]))
    words = frozenset(word for parts in exact for word in parts)
    return Lexicon(
        language, stop, exact, stems, max(map(len, exact)), plain, numbers, outside, words | stop | plain
    )


def terms(text: str, lex: Lexicon, vocabulary: Vocabulary | None = None) -> list[Term]:
    """The terms of a text in order. With a vocabulary typing errors are mended towards it, and a term
    it lacks is not `known`; without one every term is."""
    if vocabulary is None:
        return list(_terms_of_the_book(text, lex.language))
    words = [vocabulary.mended(word) for word in split(text, lex.language)]
    return _terms(words, lex, vocabulary)


@lru_cache(maxsize=8192)
def _terms_of_the_book(text: str, language: str) -> tuple[Term, ...]:
    """The terms of a book's text: an index asks for each several times while it is made."""
    return tuple(_terms(split(text, language), lexicon(language), None))


def _terms(words: list[str], lex: Lexicon, vocabulary: Vocabulary | None) -> list[Term]:
    stems = [stem(word, lex.language) for word in words]
    found: list[Term] = []
    at = 0
    while at < len(words):
        length, term = _phrase_at(words, stems, at, lex)
        if length == 0:
            length, term = 1, _single(words[at], stems[at], lex)
        if term:
            found.append(Term(term, vocabulary is None or term in vocabulary.terms))
        if term.isdigit():
            found.append(Term(NUMBER, True))
        at += length
    return found


def _phrase_at(words: list[str], stems: list[str], at: int, lex: Lexicon) -> tuple[int, str]:
    """The longest phrase that begins here: (words it takes, its term), (0, "") for none."""
    for length in range(min(lex.longest, len(words) - at), 0, -1):
        term = lex.phrases.get(tuple(words[at : at + length]))
        if term is None and not (length == 1 and words[at] in lex.stop):
            term = lex.stems.get(tuple(stems[at : at + length]))
        if term is not None:
            return length, term
    return 0, ""


def _single(word: str, word_stem: str, lex: Lexicon) -> str:
    """The term of a word that is part of no phrase, "" for one that says nothing."""
    if word in lex.numbers:
        return lex.numbers[word]
    return "" if word in lex.stop or (len(word) == 1 and word.isalpha()) else word_stem


class Vocabulary:
    """What a rulebook speaks of: its terms, and its words as they are spelled, with their frequency."""

    def __init__(self, texts: Iterable[str], lex: Lexicon) -> None:
        self.terms: set[str] = set()
        self._lex = lex
        self._count: dict[str, int] = {}
        for text in texts:
            self.terms.update(found.term for found in terms(text, lex))
            for word in split(text, lex.language):
                self._count[word] = self._count.get(word, 0) + 1
        for word in lex.words - lex.plain:
            self._count.setdefault(word, 0)
        self._candidates = [w for w in self._count if len(w) > 3 and w.isalpha()]
        #: its words as spelled
        self.words = frozenset(self._count)
        self._known = self.words | lex.words
        self._right = self.terms | {stem(word, lex.language) for word in lex.words}
        self._mended: dict[str, str] = {}

    def beginning(self, start: str, most: int = 3) -> list[str]:
        """The book's most frequent words that begin so."""
        fitting = [word for word in self._count if word.startswith(start) and self._count[word]]
        return sorted(fitting, key=lambda word: (-self._count[word], word))[:most]

    def mended(self, word: str) -> str:
        """The word, or the word of the vocabulary that it is a typing error of."""
        if len(word) < 4 or word in self._known or not word.isalpha():
            return word
        found = self._mended.get(word)
        if found is None:
            if len(self._mended) > 5000:
                self._mended.clear()
            found = self._mended[word] = self._nearest(word)
        return found

    def _nearest(self, word: str) -> str:
        """A short word must be nearer than a long one, or ordinary words would be taken for errors."""
        if stem(word, self._lex.language) in self._right:
            return word
        most = 1 if len(word) < 8 else 2
        near = process.extract(word, self._candidates, scorer=OSA.distance, score_cutoff=most, limit=8)
        fitting = [
            (distance, -self._count[other], other)
            for other, distance, _ in near
            if other[0] == word[0] and (len(word) > 4 or sorted(other) == sorted(word))
        ]
        return min(fitting)[2] if fitting else word
