"""Anthem's ruleset: every ruling as data (rules/anthem.md, "Rulings")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any

from engine.game import Json
from engine.ruleset import Choice, Spec, Words, changed_values, merged, toml_values

#: Every key, what may stand there. The order is the file's.
KEYS: Mapping[str, Spec] = {
    "name": Words(),
    "dragon": Choice(("off", "on")),
    "both_win": Choice(("hero", "dragon", "shared")),
    "proof": Choice(("show", "trust")),
    "hints": Choice(("off", "on")),
}


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One set of rules, checked: the keys of `rulesets/default.toml` under their own names."""

    name: str
    dragon: str
    both_win: str
    proof: str
    hints: str


@cache
def default_values() -> Json:
    """The values of the shipped file `rulesets/default.toml`."""
    text = resources.files("engine.anthem").joinpath("rulesets/default.toml").read_text("utf-8")
    return merged(KEYS, {}, toml_values(text, "rulesets/default.toml"))


def load(toml_text: str | None = None, changes: Mapping[str, str] | None = None) -> Ruleset:
    """The default ruleset, or the one in `toml_text`, with KEY=VALUE `changes` on top.

    Raises CrowntableError naming the key, the value and what is allowed.
    """
    values = default_values()
    if toml_text is not None:
        values = merged(KEYS, values, toml_values(toml_text))
    if changes:
        values = merged(KEYS, values, changed_values(changes))
    return Ruleset(**values)


def from_json(obj: Mapping[str, Any]) -> Ruleset:
    """The inverse of `to_json`; keys left out take their defaults. Raises CrowntableError."""
    return Ruleset(**merged(KEYS, default_values(), obj))


def to_json(rules: Ruleset) -> Json:
    """The ruleset as plain JSON, keys in the file's order."""
    return asdict(rules)
