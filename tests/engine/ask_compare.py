"""Which way of searching answers best: the alternatives that docs/ask.md compares, on one set of questions.

    .venv/bin/python -m tests.engine.ask_compare [kept]

Every alternative gets the same texts: a rule's words and the ways people ask for it. The threshold below
which it declines is chosen on `tune`, from which none of them learns here. bm25s is no part of Crowntable;
where it is not installed its lines are left out.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec

from engine.ask.fit import sense_of, vectors_of
from engine.ask.search import PLAIN, WEIGHTS, Index, Measures, Weights
from engine.ask.sets import LEARNED, Question, questions
from engine.ask.text import lexicon, split, stem, terms
from engine.ask.ways import OUTSIDE, learned, own_texts, written

#: a way of searching: (game, language, question) -> rule -> score
Way = Callable[[str, str, str], Mapping[str, float]]


#: what every alternative learns from: all but the questions that its threshold is chosen on
SETS = tuple(half for half in LEARNED if half != "tune")


@cache
def index(game: str, language: str) -> Index:
    return Index(game, language, SETS, sense_of(game, SETS, _vectors(game)))


_vectors = cache(vectors_of)


def texts(where: Index) -> dict[str, list[str]]:
    """Rule -> everything that is said and asked about it, "-" for what no rulebook answers."""
    asked, typed = written(where.book), learned(where.book, SETS)
    own = {rule: own_texts(where.book, rule) for rule in where.book.rules}
    own[OUTSIDE] = list(lexicon(where.book.language).outside)
    return {rule: [*texts, *asked[rule], *typed.get(rule, ())] for rule, texts in own.items()}


def stems(text: str, language: str) -> str:
    return " ".join(stem(word, language) for word in split(text, language))


def words(text: str, language: str) -> str:
    """Everyday words as terms, typing errors left as they are."""
    return " ".join(term.term.lower() for term in terms(text, lexicon(language)))


def mended(text: str, language: str, game: str) -> str:
    found = terms(text, lexicon(language), index(game, language).vocabulary)
    return " ".join(term.term.lower() for term in found)


def plain(text: str, language: str) -> str:
    return " ".join(split(text, language))


@cache
def _fts5(game: str, language: str, change: Callable[[str, str], str]) -> sqlite3.Connection:
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table rules using fts5(rule unindexed, said)")
    for rule, said in texts(index(game, language)).items():
        base.execute("insert into rules values (?, ?)", (rule, " ".join(change(t, language) for t in said)))
    return base


def fts5(change: Callable[[str, str], str]) -> Way:
    def search(game: str, language: str, question: str) -> Mapping[str, float]:
        wanted = " OR ".join(f'"{word}"' for word in change(question, language).split())
        if not wanted:
            return {}
        asked = "select rule, -bm25(rules) from rules where said match ? order by rank"
        return dict(_fts5(game, language, change).execute(asked, (wanted,)).fetchall())

    return search


def bm25s_over(change: Callable[[str, str], str], *, mend: bool = False, phrases: bool = False) -> Way:
    import bm25s  # type: ignore[import-not-found,unused-ignore]  # no part of the project

    @cache
    def made(game: str, language: str) -> tuple[object, list[str]]:
        said = texts(index(game, language))
        rows = [(rule, text) for rule, every in said.items() for text in every]
        if not phrases:
            rows = [(rule, " ".join(every)) for rule, every in said.items()]
        model = bm25s.BM25()
        model.index([change(text, language).split() for _, text in rows], show_progress=False)
        return model, [rule for rule, _ in rows]

    def search(game: str, language: str, question: str) -> Mapping[str, float]:
        model, rules = made(game, language)
        query = mended(question, language, game) if mend else change(question, language)
        if not query:
            return {}
        best: dict[str, float] = {}
        for rule, score in zip(rules, model.get_scores(query.split()), strict=True):  # type: ignore[attr-defined]
            best[rule] = max(best.get(rule, 0.0), float(score))
        return best

    return search


def ours(weights: Weights) -> Way:
    """Our measures, weighed."""
    sensed = len(weights.rule) == len(WEIGHTS.rule)

    def search(game: str, language: str, question: str) -> Mapping[str, float]:
        where = index(game, language)
        asked = terms(question, lexicon(language), where.vocabulary)
        score = {
            rule: sum(
                part * weight
                for part, weight in zip(of, weights.outside if rule == OUTSIDE else weights.rule, strict=True)
            )
            for rule, of in where.measured(question, asked, sensed=sensed).items()
        }
        return score | {OUTSIDE: score[OUTSIDE] + weights.lead}

    return search


def alike(*weights: float) -> Way:
    """Our measures, weighed the same for a rule and for what no rulebook answers."""
    every: Measures = weights
    return ours(Weights(every, every, 0.0))


def ways() -> dict[str, Way]:
    made = {
        "FTS5, words as they are": fts5(plain),
        "FTS5, stems (snowballstemmer)": fts5(stems),
        "FTS5, stems and everyday words": fts5(words),
    }
    if find_spec("bm25s"):
        made |= {
            "bm25s, stems": bm25s_over(stems),
            "bm25s, stems and everyday words": bm25s_over(words),
            "bm25s, and typing errors mended (rapidfuzz)": bm25s_over(words, mend=True),
            "bm25s over single ways of asking, mended": bm25s_over(words, mend=True, phrases=True),
        }
    made |= {
        "cover only": alike(1, 0, 0, 0, 0, 0),
        "phrase only": alike(0, 1, 0, 0, 0, 0),
        "letters only (rapidfuzz)": alike(0, 0, 0, 1, 0, 0),
        "likely only": alike(0, 0, 0, 0, 0, 1),
        "sense only (the sentence model)": alike(0, 0, 0, 0, 0, 0, 1),
        "all but sense": ours(PLAIN),
        "all seven measures (chosen)": ours(WEIGHTS),
    }
    return made


def judged(way: Way, asked: list[Question]) -> list[tuple[Question, list[str], float]]:
    """Each question with its rules, best first, and the lead over "no rulebook says"."""
    rows = []
    for question in asked:
        scores = dict(way(question.game, question.language, question.text))
        outside = scores.pop(OUTSIDE, 0.0)
        ranked = sorted(scores, key=lambda rule: -scores[rule])
        best = scores[ranked[0]] if ranked else 0.0
        rows.append((question, ranked, min(best, best - outside + 1e-9) if best > outside else -1.0))
    return rows


def threshold(rows: list[tuple[Question, list[str], float]]) -> float:
    """The score to answer from: declines most of what can't be answered at the least loss."""
    marks = sorted({0.0, *(sure for _, _, sure in rows)})

    def worth(mark: float) -> float:
        declined = [sure < mark for question, _, sure in rows if not question.rules]
        wrongly = [sure < mark for question, _, sure in rows if question.rules]
        return sum(declined) / len(declined) - 2 * sum(wrongly) / len(wrongly)

    return max(marks, key=worth)


def main(half: str) -> None:
    print(f"{'way':46} lang  first  three  declined  wrongly   ms")
    for name, way in ways().items():
        for language in ("en", "it"):
            mark = threshold(judged(way, questions("tune", language)))
            begun = time.perf_counter()
            rows = judged(way, questions(half, language))
            ms = (time.perf_counter() - begun) * 1000 / len(rows)
            answerable = [(q, ranked, sure) for q, ranked, sure in rows if q.rules]
            first = sum(ranked[:1] != [] and ranked[0] in q.rules for q, ranked, _ in answerable)
            three = sum(any(rule in q.rules for rule in ranked[:3]) for q, ranked, _ in answerable)
            wrongly = sum(sure < mark for *_, sure in answerable)
            rest = [sure < mark for q, _, sure in rows if not q.rules]
            n = len(answerable)
            print(
                f"{name:46} {language:4} {first / n:6.1%} {three / n:6.1%} {sum(rest) / len(rest):9.1%}"
                f" {wrongly / n:8.1%} {ms:5.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "kept")
