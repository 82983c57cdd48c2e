"""Search as you type: rules for a question that is not typed to its end yet."""

from __future__ import annotations

from engine.ask.search import Hit, Index
from engine.ask.text import split

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
    for whole in _completed(where, typed, words[-1]):
        for hit in where.find(whole).hits:
            best[hit.rule] = max(best.get(hit.rule, 0.0), hit.score)
    ranked = sorted((Hit(rule, score) for rule, score in best.items()), key=lambda hit: -hit.score)
    return [hit for hit in ranked[:most] if hit.score >= WORTH]


def _completed(where: Index, typed: str, last: str) -> list[str]:
    """What is typed, and with its last word completed in the ways that the book makes likely."""
    if typed[-1:].isspace() or last in where.vocabulary.words:
        return [typed]
    stem = typed.rstrip()[: -len(last)]
    return [f"{stem}{word}" for word in where.vocabulary.beginning(last)] or [typed]
