"""Rulesets as data: TOML text in, checked plain values out, and errors that name the key.

A game describes its keys with the small specs below; a file may give only the keys that it changes.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from engine.errors import CrowntableError
from engine.findings import shown


class Choice(NamedTuple):
    """One of some words."""

    values: tuple[str, ...]

    def allowed(self) -> str:
        """What may stand here, for the message."""
        return "allowed: " + ", ".join(f'"{value}"' for value in self.values)

    def accepts(self, value: object) -> bool:
        """Whether `value` may stand here."""
        return type(value) is str and value in self.values


class Whole(NamedTuple):
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def allowed(self) -> str:
        """What may stand here, for the message."""
        return f"allowed: a whole number from {self.low} to {self.high}"

    def accepts(self, value: object) -> bool:
        """Whether `value` may stand here."""
        return type(value) is int and self.low <= value <= self.high


class Wholes(NamedTuple):
    """A list of whole numbers, `least` to `most` of them."""

    low: int
    high: int
    least: int
    most: int
    distinct: bool = True

    def allowed(self) -> str:
        """What may stand here, for the message."""
        length = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
        kind = "different whole numbers" if self.distinct else "whole numbers"
        return f"allowed: a list of {length} {kind} from {self.low} to {self.high}"

    def accepts(self, value: object) -> bool:
        """Whether `value` may stand here."""
        if type(value) is not list or not self.least <= len(value) <= self.most:
            return False
        if not all(type(item) is int and self.low <= item <= self.high for item in value):
            return False
        return not self.distinct or len(set(value)) == len(value)


class Truth(NamedTuple):
    """`true` or `false`."""

    def allowed(self) -> str:
        """What may stand here, for the message."""
        return "allowed: true or false"

    def accepts(self, value: object) -> bool:
        """Whether `value` may stand here."""
        return type(value) is bool


class Words(NamedTuple):
    """A short text, such as the ruleset's name."""

    most: int = 60

    def allowed(self) -> str:
        """What may stand here, for the message."""
        return f"allowed: a text of at most {self.most} printable characters"

    def accepts(self, value: object) -> bool:
        """Whether `value` may stand here."""
        return type(value) is str and 0 < len(value) <= self.most and value.isprintable()


class Table(NamedTuple):
    """A table with keys of its own."""

    keys: Mapping[str, Spec]

    def allowed(self) -> str:
        """What may stand here, for the message."""
        return "allowed: a table with the keys " + ", ".join(self.keys)

    def accepts(self, value: object) -> bool:
        """Whether `value` may stand here."""
        return isinstance(value, Mapping)


Spec: TypeAlias = Choice | Whole | Wholes | Truth | Words | Table

_CURE = "Correct that key, or leave it out to keep the default."


def refuse(key: str, value: object, allowed: str) -> CrowntableError:
    """The error for a wrong value: key, value and what is allowed."""
    return CrowntableError(f"Ruleset: {key} = {_written(value)} is not possible; {allowed}.", _CURE)


def _written(value: object) -> str:
    """A value as a file has it; a list of a few numbers in full."""
    return json.dumps(value) if isinstance(value, list) and len(value) <= 12 else shown(value)


def toml_values(text: str, where: str = "The ruleset") -> dict[str, Any]:
    """The keys of a TOML text. Raises CrowntableError with the line where it is broken."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise CrowntableError(
            f"{where} is not valid TOML: {error}.", "Mend that line; docs/rulings.md lists the keys."
        ) from None


def changed_values(changes: Mapping[str, str]) -> dict[str, Any]:
    """KEY=VALUE pairs as nested values. A value is read as TOML, or else as the bare word it is;
    a dotted key reaches into a table.

    >>> changed_values({"initiative": "leader", "turns": "[3, 4]", "score.captain.value": "40"})
    {'initiative': 'leader', 'turns': [3, 4], 'score': {'captain': {'value': 40}}}
    """
    values: dict[str, Any] = {}
    for key, written in changes.items():
        try:
            value = tomllib.loads(f"value = {written}")["value"]
        except (tomllib.TOMLDecodeError, RecursionError, ValueError):
            value = written
        place = values
        *tables, last = key.split(".")
        for table in tables:
            inner = place.setdefault(table, {})
            if not isinstance(inner, dict):
                raise refuse(key, written, f"{table} is no table")
            place = inner
        place[last] = value
    return values


def merged(spec: Mapping[str, Spec], base: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the values of `given` on top, each checked against `spec`; key order as in `spec`.

    Raises CrowntableError naming the key, the value and what is allowed.
    """
    return _merged(spec, base, given, "")


def _merged(
    spec: Mapping[str, Spec], base: Mapping[str, Any], given: Mapping[str, Any], prefix: str
) -> dict[str, Any]:
    for key in given:
        if key not in spec:
            known = ", ".join(prefix + name for name in spec)
            raise CrowntableError(
                f"Ruleset: there is no key {shown(prefix + key)} (value {shown(given[key])}).",
                f"The keys are: {known}.",
            )
    result: dict[str, Any] = {}
    for key, rule in spec.items():
        if key not in given:
            if key not in base:
                raise CrowntableError(f"Ruleset: {prefix}{key} is missing; {rule.allowed()}.", _CURE)
            result[key] = base[key]
            continue
        value = given[key]
        if not rule.accepts(value):
            raise refuse(prefix + key, value, rule.allowed())
        if isinstance(rule, Table):
            value = _merged(rule.keys, base.get(key, {}), value, f"{prefix}{key}.")
        result[key] = value
    return result
