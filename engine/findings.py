"""Findings as data: a game lists its codes in a table, and verdicts are built from that table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from engine.game import Finding, Severity


class FindingKind(NamedTuple):
    """One line of a game's table of findings: the rule it cites unless the case names another, how
    grave it is, and its wording with `{words}` to fill in."""

    rule: str
    severity: Severity
    text: str


Catalogue = Mapping[str, FindingKind]


def make(
    catalogue: Catalogue,
    code: str,
    seats: tuple[int, ...] = (),
    words: Mapping[str, str | int] | None = None,
    *,
    rule: str | None = None,
    severity: Severity | None = None,
) -> Finding:
    """The finding `code` of `catalogue`, worded. KeyError if the table lacks the code or a word."""
    kind = catalogue[code]
    text = kind.text.format_map(words) if words else kind.text
    return Finding(
        code,
        kind.severity if severity is None else severity,
        kind.rule if rule is None else rule,
        seats,
        f"S{text[1:]}" if text.startswith("seat ") else text,
    )


def ranking(catalogue: Catalogue) -> Callable[[Finding], int]:
    """A key to sort findings by: their place in the table, which lists them as a judge would name them."""
    rank = {code: place for place, code in enumerate(catalogue)}
    return lambda finding: rank[finding.code]


def bad_input(problem: str) -> Finding:
    """The finding for a line that is no action at all; `problem` names the field.

    >>> bad_input("seat is missing").code
    'bad-input'
    """
    return Finding("bad-input", "illegal", "", (), f"Not an action: {problem}.")


def callings(names: Mapping[int, str], longest: int = 40) -> dict[int, str]:
    """What each seat is called in a sentence: its player's name, cut at `longest` characters, or the
    seat's number where there is no name or two share it.

    >>> callings({1: "Ada", 2: "", 3: "Bruno", 4: "Bruno"})
    {1: 'Ada', 2: 'seat 2', 3: 'seat 3', 4: 'seat 4'}
    """
    cut = {seat: name.strip()[:longest] for seat, name in names.items()}
    given = list(cut.values())
    return {seat: name if name and given.count(name) == 1 else f"seat {seat}" for seat, name in cut.items()}


def as_warnings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The same findings, the illegal ones as warnings: what stays of them when the table forces a move."""
    return tuple(f._replace(severity="warning") if f.severity == "illegal" else f for f in findings)


def shown(value: object, limit: int = 40) -> str:
    """A JSON value for a message, cut short: nobody wants a 60 KiB card id read back to them.

    >>> shown(True), shown("a\u0007"), shown([1])
    ('true', '"a\\\\u0007"', 'a list')
    """
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, int) and abs(value) >= 10**18:
        return "a huge number"
    if isinstance(value, str) and len(value) > limit:
        value = value[:limit] + "..."
    return json.dumps(value)
