"""Search as you type: rules for a question that is not typed to its end yet."""

from __future__ import annotations

from engine.ask.search import Hit, Index
from engine.ask.text import lexicon, split

#: fewer letters than this say nothing
SHORTEST = 2
#: below this score a rule is not worth a line
WORTH = 0.2


def suggested(where: Index, typed: str, most: int = 8) -> list[Hit]:
    """Rules for what is typed so far, best first; none for less than two letters.

    >>> from engine.ask.search import index
    >>> suggested(index("althera", "en"), "shie")[0].rule
    'ALT-5.1'
    """
    typed = typed[:200]
    words = split(typed, where.book.language)
    if sum(map(len, words)) < SHORTEST:
        return []
    best: dict[str, float] = {}
    for whole in (*_completed(where, typed, words[-1]), *_phrases(where, words)):
        for hit in where.find(whole, typed=False).hits:
            best[hit.rule] = max(best.get(hit.rule, 0.0), hit.score)
    ranked = sorted((Hit(rule, score) for rule, score in best.items()), key=lambda hit: -hit.score)
    return [hit for hit in ranked[:most] if hit.score >= WORTH]


def _phrases(where: Index, words: list[str], most: int = 3) -> list[str]:
    """Everyday phrases that the last two or three words begin: "give u" is on its way to "give up"."""
    found: list[str] = []
    for count in (3, 2):
        start = " ".join(words[-count:])
        if len(words) >= count:
            before = " ".join(words[:-count])
            known = lexicon(where.book.language).phrases
            fitting = sorted(" ".join(phrase) for phrase in known if " ".join(phrase).startswith(start))
            found += [f"{before} {phrase}".strip() for phrase in fitting[:most]]
    return found[:most]


def _completed(where: Index, typed: str, last: str) -> list[str]:
    """What is typed, and with its last word completed in the ways that the book makes likely."""
    if typed[-1:].isspace() or last in where.vocabulary.words:
        return [typed]
    stem = typed.rstrip()[: -len(last)]
    return [f"{stem}{word}" for word in where.vocabulary.beginning(last)] or [typed]
