"""What every game is to the rest of Crowntable: a handful of pure functions over frozen states.

A game lives in a folder of its own (`engine/althera`, `engine/anthem`) whose package exposes `GAME`,
an object of the shape `Game`. States and actions are opaque to everyone else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

Severity = Literal["illegal", "warning", "info"]
Json = dict[str, Any]


class Finding(NamedTuple):
    """One remark of the rules on an action: stable code, severity, the rule it cites, whom it concerns."""

    code: str
    severity: Severity
    rule: str
    seats: tuple[int, ...]
    text: str

    def to_json(self) -> Json:
        """The finding as `contracts/referee.md` writes it."""
        return {
            "code": self.code,
            "severity": self.severity,
            "rule": self.rule,
            "seats": list(self.seats),
            "text": self.text,
        }


class Verdict(NamedTuple):
    """What the rules say to one action: applied or not, the findings (worst first), the state now."""

    ok: bool
    findings: tuple[Finding, ...]
    state: Any


@dataclass(frozen=True, slots=True)
class Audience:
    """For whom a view is made. `seat` is set for kind `seat` only."""

    kind: Literal["spectator", "seat", "operator", "stream"]
    seat: int | None = None


class Option(NamedTuple):
    """One thing a seat could think of doing now. `action` is its JSON form where it is complete in
    itself (stand, declare against 3); for plays `card` kinds are listed in `action["kind"]`.
    `why` is the finding that forbids it, None where it is legal."""

    action: Json
    legal: bool
    why: Finding | None


class Game(Protocol):
    """The contract between a game and the rest. All functions are pure and never raise for bad input."""

    name: str
    #: rule id -> one-line statement of the rule in our own words
    rules: Mapping[str, str]
    #: finding code -> (default rule id, wording template); in the order a judge would name them
    findings: Mapping[str, Any]

    def ruleset(self, toml_text: str | None = None, changes: Mapping[str, str] | None = None) -> Any:
        """The default ruleset, or the one in `toml_text`, with `changes` (KEY=VALUE strings) on top.

        Raises CrowntableError naming the key, the value and what is allowed."""

    def ruleset_json(self, ruleset: Any) -> Json:
        """The ruleset as plain JSON: what a record carries, and what is hashed."""

    def ruleset_from_json(self, obj: Mapping[str, Any]) -> Any:
        """The inverse of `ruleset_json`. Raises CrowntableError like `ruleset`."""

    def initial(self, ruleset: Any) -> Any:
        """The state before any setup."""

    def parse(self, obj: object) -> Any | Finding:
        """A JSON action (as in contracts/referee.md) as this game's action, or the `bad-input` finding."""

    def dump(self, action: Any) -> Json:
        """The inverse of `parse`."""

    def apply(self, state: Any, action: Any) -> Verdict:
        """The verdict on one parsed action. Illegal: `state` is the very object passed in."""

    def actions(self, state: Any) -> Sequence[Any]:
        """Every action (undo and crown moved by hand aside) that `apply` accepts on public knowledge."""

    def options(self, state: Any, seat: int) -> Sequence[Option]:
        """What a seat can do now and, for the rest, the finding that says why not."""

    def state_json(self, state: Any) -> Json:
        """The public state as contracts/referee.md writes it."""

    def view(self, state: Any, audience: Audience) -> Json:
        """`state_json` plus what a screen wants to show beside it (each duel's sum step by step), with
        everything left out that `audience` may not see."""

    def setup_action(self, seats: Iterable[int], **details: Any) -> Json:
        """A JSON setup action for these seats with sensible defaults (houses, turns, first player)."""

    def cards(self, state: Any) -> Mapping[str, int]:
        """Card id -> seat that owns it now (lies in its deck, hand or layout); public knowledge only."""
