"""A `Game` out of three functions, for games whose whole state is public and plain JSON.

The two real games don't use it; it is the short way to a third one (docs/adding-a-game.md).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.errors import CrowntableError
from engine.findings import Catalogue, FindingKind, as_warnings, bad_input, make, shown
from engine.game import Audience, Finding, Json, Option, Verdict


@dataclass(frozen=True, slots=True)
class State:
    """The public JSON, and the state that undo goes back to."""

    public: Json
    before: State | None = field(default=None, repr=False, compare=False)


class SimpleGame:
    """A game given by the state it begins with, the moves there are, and what a move does.

    `begin(seats)` is the public state after the setup; it has `phase` (`play`, and in the end
    `over`) and `winners` (None until then). `moves(state)` are all legal actions, each with `do` and
    `seat`. `play(state, action)` is the state after one; it may change the copy it is given.
    """

    def __init__(
        self,
        name: str,
        rule: str,
        begin: Callable[[list[int]], Json],
        moves: Callable[[Json], Sequence[Json]],
        play: Callable[[Json, Json], Json],
    ) -> None:
        self.name = name
        cite = f"{name.upper()}-1"
        self.rules: Mapping[str, str] = {cite: rule}
        self.findings: Catalogue = {
            "bad-input": FindingKind("", "illegal", "Not an action: {problem}."),
            "not-set-up": FindingKind(cite, "illegal", "No match is set up yet."),
            "match-over": FindingKind(cite, "illegal", "The match is over: set up a new one."),
            "no-such-move": FindingKind(cite, "illegal", "That is no move now: {rule}"),
            "nothing-to-undo": FindingKind("", "illegal", "There is nothing to undo."),
        }
        self._begin, self._moves, self._play = begin, moves, play

    def ruleset(self, toml_text: str | None = None, changes: Mapping[str, str] | None = None) -> Json:
        """The only ruleset there is. Raises CrowntableError where another is asked for."""
        if toml_text or changes:
            raise CrowntableError(f"{self.name} has no rulings to choose.", "Leave the ruleset out.")
        return {"name": "the only one"}

    def ruleset_json(self, ruleset: Json) -> Json:
        """The ruleset, which is JSON."""
        return dict(ruleset)

    def ruleset_from_json(self, obj: Mapping[str, Any]) -> Json:
        """The inverse."""
        return dict(obj)

    def initial(self, ruleset: Json) -> State:
        """The state before any setup."""
        return State({"game": self.name, "phase": "setup", "winners": None})

    def parse(self, obj: object) -> Json | Finding:
        """The action itself, where it has a `do` and, for a setup, players with seats."""
        if not isinstance(obj, dict) or not isinstance(obj.get("do"), str):
            return bad_input("it must be an object with a do")
        if obj["do"] == "setup":
            players = obj.get("players")
            seats = [_seat(player) for player in players] if isinstance(players, list) else []
            if not seats or None in seats or len(set(seats)) < len(seats):
                return bad_input(f"players must be a list of different seats, not {shown(players)}")
        if not isinstance(obj.get("force", False), bool):
            return bad_input("force must be true or false")
        return obj

    def dump(self, action: Json) -> Json:
        """The action, which is JSON."""
        return dict(action)

    def apply(self, state: State, action: Json) -> Verdict:
        """The verdict on one action."""
        found = self._objection(state, action)
        if found is not None:
            if not action.get("force"):
                return Verdict(False, (found,), state)
            return Verdict(True, as_warnings((found,)), State(state.public, state))
        if action["do"] == "undo" and state.before is not None:
            return Verdict(True, (), state.before)
        if action["do"] == "setup":
            public = self._begin(sorted(player["seat"] for player in action["players"]))
            return Verdict(True, (), State({"game": self.name, **public}))
        move = {key: value for key, value in action.items() if key != "force"}
        return Verdict(True, (), State(self._play(copy.deepcopy(state.public), move), state))

    def _objection(self, state: State, action: Json) -> Finding | None:
        phase = state.public["phase"]
        if action["do"] == "undo":
            return make(self.findings, "nothing-to-undo") if state.before is None else None
        if action["do"] == "setup":
            return bad_input("a match is running; set up when it is over") if phase == "play" else None
        if phase != "play":
            return make(self.findings, "not-set-up" if phase == "setup" else "match-over")
        move = {key: value for key, value in action.items() if key != "force"}
        if move in self._moves(state.public):
            return None
        (rule,) = self.rules.values()
        seats = (move["seat"],) if isinstance(move.get("seat"), int) else ()
        return make(self.findings, "no-such-move", seats, {"rule": rule})

    def actions(self, state: State) -> Sequence[Json]:
        """Every legal move; setup and undo aside."""
        return list(self._moves(state.public)) if state.public["phase"] == "play" else []

    def options(self, state: State, seat: int) -> Sequence[Option]:
        """The seat's legal moves."""
        return [Option(move, True, None) for move in self.actions(state) if move.get("seat") == seat]

    def state_json(self, state: State) -> Json:
        """The public state."""
        return copy.deepcopy(state.public)

    def view(self, state: State, audience: Audience) -> Json:
        """The public state: nothing is hidden."""
        return self.state_json(state)

    def setup_action(self, seats: Iterable[int], **details: Any) -> Json:
        """A setup for these seats; `names` by seat may be given."""
        names = details.get("names") or {}
        players = [{"seat": s} | ({"name": names[s]} if s in names else {}) for s in seats]
        return {"do": "setup", "players": players}

    def cards(self, state: State) -> Mapping[str, int]:
        """No cards."""
        return {}


def _seat(player: object) -> int | None:
    """The seat of a setup's player, None where there is none."""
    seat = player.get("seat") if isinstance(player, dict) else None
    return seat if type(seat) is int and 1 <= seat <= 5 else None
