"""The table that a question is asked at, and the shape of the engine's own answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.ask.book import Book, book
from engine.ask.question import now
from engine.game import Finding, Game, Json

_OR = {"en": "or", "it": "o"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The engine's answer about the table now. `legal` is None where nothing is allowed or forbidden;
    `sum`: the sum behind a value; `rule`: the rule it rests on; `assumes`: what was taken for granted."""

    kind: str
    legal: bool | None
    why: str
    rule: str | None = None
    sum: str = ""
    assumes: str = ""

    def assuming(self, words: str) -> Verdict:
        """The same answer with one more thing that was taken for granted."""
        return replace(self, assumes=f"{self.assumes} {words}".strip())

    def to_json(self) -> Json:
        """As `crowntable ask --json` prints it."""
        return {
            "legal": self.legal,
            "why": self.why,
            "sum": self.sum or None,
            "rule": self.rule,
            "assumes": self.assumes or None,
            "kind": self.kind,
        }


@dataclass(frozen=True, slots=True)
class Table:
    """A running match as everybody may know it. `seat`: the asker's, None for an onlooker; `findings`:
    the rules' remarks of late, newest first, as JSON; `names`: seat -> name."""

    game: Game
    state: Any
    language: str
    seat: int | None = None
    findings: Sequence[Json] = ()
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def book(self) -> Book:
        """The rulebook in the table's language."""
        return book(self.game.name, self.language)

    def say(self, key: str, **words: Any) -> str:
        """A sentence of the language's answers."""
        return now(self.language).say(key, **words)

    def name(self, seat: int | None) -> str:
        """A seat by its player's name, or its number."""
        named = self.names.get(seat, "") if seat is not None else ""
        return named or f"{'Seat' if self.language == 'en' else 'Posto'} {seat}"

    def listed(self, values: Iterable[object], word: str = "and") -> str:
        """Values in a row with "and" or "or" before the last."""
        last_word = _OR[self.language] if word == "or" else self.say("and")
        *first, last = map(str, values)
        return f"{', '.join(first)} {last_word} {last}" if first else last

    def names_of(self, seats: Iterable[int], word: str = "and") -> str:
        """Seats by name in a row; empty for none."""
        named = [self.name(seat) for seat in seats]
        return self.listed(named, word) if named else ""

    def card(self, kind: str) -> str:
        """A kind of card by its name in a sentence."""
        if kind in ("scorecard", "score"):
            return self.say("do_score")
        return self.book.kinds[kind].name

    def the(self, kind: str) -> str:
        """A kind of card with its article: the shield, lo scudo."""
        return now(self.language).the.get(kind) or self.card(kind)

    def number(self, text: str) -> str:
        """A sum with the language's decimal mark."""
        return re.sub(r"(\d)\.(\d)", r"\1,\2", text) if self.language == "it" else text

    def named(self, text: str) -> str:
        """The rules' sentence with names for seat numbers."""
        return re.sub(r"\b[Ss]eat (\d+)\b", lambda found: self.name(int(found[1])), text)

    def reason(self, finding: Finding | Json) -> str:
        """Why not, in the table's language: the engine's sentence, or in Italian what the finding is
        called and the rule in short."""
        if isinstance(finding, Finding):
            finding = finding.to_json()
        if self.language == "en":
            return self.named(finding["text"])
        called = self.book.findings.get(finding["code"], finding["text"])
        rule = self.book.rules.get(finding["rule"])
        return f"{called}. {rule.short}" if rule else f"{called}."

    def verdict(
        self, key: str, *, legal: bool | None = None, rule: str | None = None, more: str = "", **words: Any
    ) -> Verdict:
        """An answer that is the sentence `key`."""
        said = self.say(key, **words)
        text = f"{said[:1].upper()}{said[1:]} {more}".strip()
        return Verdict(key, legal, text, rule, str(words.get("sum", "")))


def refused(table: Table, why: Finding) -> Verdict:
    """No, and the first reason."""
    reason = table.reason(why)
    return Verdict("no", False, table.say("no", why=reason), why.rule or None)
