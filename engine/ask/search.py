"""Which rule answers a question: terms and whole ways of asking, and a word on when none does.

Seven measures of a rule against a question, each from 0 to 1, are added up (`WEIGHTS`):
- cover: how much of what the question says the rule's text and ways of asking speak of (BM25's saturation,
  rare terms weigh more);
- phrase: the nearest single way of asking (`ways`), by the terms both have (weighted Dice), and the nearest
  three on average;
- letters: the nearest way of asking by its letters, whatever the order of words (rapidfuzz), and the
  nearest three;
- likely: what the question's small parts make likely (`likely`);
- sense: what a sentence model finds near (`sense`); where it is not installed the others are weighed alone.
Questions that no rulebook answers (`words/<language>.toml`, and "-" of the game) compete with the rules.
The weights are those of the greatest likelihood (a conditional logit) over questions by authors whose
questions the search had not learned from (`fit`); docs/ask.md has the alternatives.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from heapq import nlargest
from typing import NamedTuple

from rapidfuzz import fuzz, process

from engine.ask.book import book
from engine.ask.likely import Likely, parts
from engine.ask.sense import Sense, model, sense, vector
from engine.ask.sets import LEARNED
from engine.ask.text import Term, Vocabulary, lexicon, split, stem, terms
from engine.ask.ways import OUTSIDE, headed, learned, own_texts, written

#: a rule's measures: cover, phrase (nearest, nearest three), letters (nearest, nearest three), likely and,
#: where the sentence model is installed, sense
Measures = tuple[float, ...]


class Weights(NamedTuple):
    """What the measures count for a rule, and for what no rulebook answers; with less than `lead` over
    that, the rulebook does not say."""

    rule: Measures
    outside: Measures
    lead: float


#: `python -m engine.ask.fit` finds them
WEIGHTS = Weights(
    (0.158, 0.092, 0.083, 0.142, 0.099, 0.179, 0.246),
    (0.081, 0.095, 0.13, 0.151, 0.096, 0.053, 0.25),
    0.159,
)
#: the same without the sentence model
PLAIN = Weights((0.137, 0.131, 0.153, 0.215, 0.183, 0.18), (0.133, 0.129, 0.116, 0.223, 0.151, 0.086), 0.169)
#: BM25's saturation of repeated terms, and how much a long text is held against it
SATURATION, LENGTH = 1.2, 0.5
#: the rank of a word that the rulebook does not have, as a share of a term's that only one rule has
UNKNOWN = 0.5
#: numbers and little words such as "who" or "how many", as a share of a term's weight
LITTLE = 0.5
#: where among the measures the nearest way of asking by its letters stands
LETTERS = 3
#: below this score the rulebook does not say
ENOUGH = 0.3
#: what answered the question before counts this much for one that follows on it
LEAN = 0.5


class Hit(NamedTuple):
    """A rule and how well it fits, 0 to 1."""

    rule: str
    score: float


class Found(NamedTuple):
    """Every rule, best first, and whether the best is good enough to be an answer (`sure` is the margin
    over that, below 0 where it is not)."""

    hits: tuple[Hit, ...]
    sure: float
    terms: tuple[Term, ...]

    @property
    def known(self) -> bool:
        """Whether the rulebook says something about the question."""
        return self.sure >= 0

    def leaning_to(self, before: Found) -> Found:
        """The same, with a lean towards what answered the question before this one."""
        earlier = {hit.rule: hit.score for hit in before.hits}
        leant = [Hit(hit.rule, round(hit.score + LEAN * earlier[hit.rule], 4)) for hit in self.hits]
        return self._replace(hits=tuple(sorted(leant, key=lambda hit: -hit.score)))


class _Phrase(NamedTuple):
    rule: str
    terms: frozenset[str]
    weight: float
    stems: str


class Index:
    """The search over one rulebook in one language; made once, then only read."""

    def __init__(
        self, game: str, language: str, sets: Iterable[str] = LEARNED, sense: Sense | None = None
    ) -> None:
        """`sets`: the questions that it learns from; `sense`: what the sentence model makes of them, None
        for what comes with Crowntable (`engine.ask.fit` judges by authors that were not learned from)."""
        model()  # begins to read it, beside the work that follows
        self.book = book(game, language)
        self._lex = lexicon(language)
        asked = written(self.book)
        own = {rule: own_texts(self.book, rule) for rule in self.book.rules}
        # Typing errors of those who asked are none of the book's words: they are mended as in any question.
        self.vocabulary = Vocabulary(
            [text for rule in own for text in (*own[rule], *asked.get(rule, ()))], self._lex
        )
        typed = learned(self.book, sets)
        self._texts = {
            rule: self._counted(rule, own[rule], asked.get(rule, []), typed.get(rule, [])) for rule in own
        }
        self._rarity = self._rarities()
        self._mean = sum(sum(count.values()) for count in self._texts.values()) / len(self._texts)
        self._phrases: list[_Phrase] = []
        ways: list[tuple[str, dict[str, float]]] = []
        self._where: dict[str, list[int]] = {}
        for rule, heads in headed(self.book):
            ways += self._learn(rule, [*heads, *asked.get(rule, ())])
            ways += self._learn(rule, typed.get(rule, []), self.vocabulary)
        ways += self._learn(OUTSIDE, [*self._lex.outside, *asked.get(OUTSIDE, ())])
        ways += self._learn(OUTSIDE, typed.get(OUTSIDE, []), self.vocabulary)
        self._letters = [phrase.stems for phrase in self._phrases]
        self._likely = Likely(ways)
        self._sense = sense

    def _counted(self, rule: str, own: list[str], asked: list[str], typed: list[str]) -> Counter[str]:
        count: Counter[str] = Counter()
        title = self.book.rules[rule].title
        for text in (title, title, *own, *asked):  # `own` begins with the title: it counts three times
            count.update(found.term for found in terms(text, self._lex))
        for text in typed:
            count.update(found.term for found in terms(text, self._lex, self.vocabulary))
        return count

    def _rarities(self) -> dict[str, float]:
        having = Counter(term for count in self._texts.values() for term in count)
        return {term: self._rarity_of(rules) + 0.3 for term, rules in having.items()}

    def _rarity_of(self, rules: int) -> float:
        return math.log(1 + (len(self._texts) - rules + 0.5) / (rules + 0.5))

    def _weight(self, term: str) -> float:
        weight = self._rarity.get(term, self._rarity_of(0) * UNKNOWN)
        return weight * LITTLE if term.isupper() or term.isdigit() else weight

    def _learn(
        self, rule: str, ways: list[str], vocabulary: Vocabulary | None = None
    ) -> Iterator[tuple[str, dict[str, float]]]:
        """Keeps each way of asking, and yields the parts it is made of."""
        for way in ways:
            row = [term.term for term in terms(way, self._lex, vocabulary)]
            found = frozenset(row)
            for term in found:
                self._where.setdefault(term, []).append(len(self._phrases))
            weight = sum(map(self._weight, found))
            self._phrases.append(_Phrase(rule, found, weight, self._stems(way)))
            yield rule, parts(self._spelled(way) if vocabulary else way, row, self._lex.language)

    def _spelled(self, text: str) -> str:
        return " ".join(self.vocabulary.mended(word) for word in split(text, self._lex.language))

    def _stems(self, text: str) -> str:
        language = self._lex.language
        words = (self.vocabulary.mended(word) for word in split(text, language))
        return " ".join(sorted(stem(word, language) for word in words))

    def find(self, question: str, *, typed: bool = True) -> Found:
        """Every rule against the question; without the sentence model while it is not `typed` to its end.

        >>> Index("althera", "en").find("what does the sheild do").hits[0].rule
        'ALT-5.1'
        """
        asked = terms(question, self._lex, self.vocabulary)
        measured = self.measured(question, asked, sensed=typed)
        weights = WEIGHTS if len(measured[OUTSIDE]) == len(WEIGHTS.rule) else PLAIN
        score = {rule: _sum(weights.rule, of) for rule, of in measured.items() if rule != OUTSIDE}
        outside = _sum(weights.outside, measured[OUTSIDE])
        ranked = sorted(score.items(), key=lambda row: -row[1])
        hits = tuple(Hit(rule, round(best, 4)) for rule, best in ranked)
        sure = min(hits[0].score - ENOUGH, hits[0].score - outside - weights.lead)
        if _word_for_word(measured[hits[0].rule]) and not _word_for_word(measured[OUTSIDE]):
            sure = max(sure, 0.0)  # a title, or a way of asking: however near to what no rulebook answers
        if not self.has_word_of(question):  # whatever its letters are like
            sure = -1.0
        return Found(hits, round(sure, 4), tuple(asked))

    def has_word_of(self, question: str) -> bool:
        """Whether a word of the question is one of the book's, its ways of asking or the lexicon."""
        words = (self.vocabulary.mended(word) for word in split(question, self._lex.language))
        return any(word in self.vocabulary.words or word in self._lex.words for word in words)

    def measured(self, question: str, asked: list[Term], *, sensed: bool = True) -> dict[str, Measures]:
        """Rule (and OUTSIDE) -> its measures, in the order of WEIGHTS; `sensed`: with the sentence model's,
        where it is installed."""
        terms_of = {term.term: self._weight(term.term) for term in asked}
        whole = sum(terms_of.values()) or 1.0
        phrase, outside_cover = self._nearest_phrases(terms_of, whole)
        letters = self._nearest_letters(question)
        likely = self._likely.of(
            parts(self._spelled(question), [term.term for term in asked], self._lex.language)
        )
        near = self._sensed(question) if sensed else None
        cover = {rule: self._cover(count, terms_of) / whole for rule, count in self._texts.items()}
        cover[OUTSIDE] = outside_cover
        nothing = (0.0, 0.0)
        return {
            rule: (
                of,
                *phrase.get(rule, nothing),
                *letters.get(rule, nothing),
                likely.get(rule, 0.0),
                *(() if near is None else (near.get(rule, 0.0),)),
            )
            for rule, of in cover.items()
        }

    def _sensed(self, question: str) -> dict[str, float] | None:
        if not model().ready():
            return None
        known = sense(self.book.game) if self._sense is None else self._sense
        return known.of(vector(question))

    def _cover(self, count: Counter[str], weights: Mapping[str, float]) -> float:
        longer = SATURATION * (1 - LENGTH + LENGTH * sum(count.values()) / self._mean)
        return sum(
            weight * count[term] / (count[term] + longer) for term, weight in weights.items() if term in count
        )

    def _nearest_phrases(
        self, weights: Mapping[str, float], whole: float
    ) -> tuple[dict[str, tuple[float, float]], float]:
        """Rule -> likeness of its nearest way of asking, and of its nearest three on average; and how much
        of the question the nearest one that no rulebook answers covers."""
        common: dict[int, float] = {}
        for term, weight in weights.items():
            for index in self._where.get(term, ()):
                common[index] = common.get(index, 0.0) + weight
        found = ((self._phrases[index], weight) for index, weight in common.items())
        alike = [(phrase.rule, 2 * weight / (whole + phrase.weight)) for phrase, weight in found]
        outside = (index for index in common if self._phrases[index].rule == OUTSIDE)
        nearest = max(outside, key=lambda i: common[i] / (whole + self._phrases[i].weight), default=None)
        return _best(alike), 0.0 if nearest is None else common[nearest] / whole

    def _nearest_letters(self, question: str) -> dict[str, tuple[float, float]]:
        likeness = process.cdist([self._stems(question)], self._letters, scorer=fuzz.ratio)[0]
        return _best(
            (phrase.rule, alike / 100) for phrase, alike in zip(self._phrases, likeness.tolist(), strict=True)
        )


def _best(alike: Iterable[tuple[str, float]]) -> dict[str, tuple[float, float]]:
    """Rule -> the highest of its values, and the mean of its highest three."""
    of: dict[str, list[float]] = {}
    for rule, value in alike:
        of.setdefault(rule, []).append(value)
    top = ((rule, nlargest(3, values)) for rule, values in of.items())
    return {rule: (values[0], sum(values) / 3) for rule, values in top}


def _word_for_word(measures: Measures) -> bool:
    """Whether the question's words are all those of a way of asking, and no others."""
    return measures[LETTERS] >= 1.0


def _sum(weights: Measures, measures: Measures) -> float:
    return sum(weight * measure for weight, measure in zip(weights, measures, strict=True))


@cache
def index(game: str, language: str) -> Index:
    """The index of a rulebook; the first call makes it (a few tenths of a second)."""
    return Index(game, language)
