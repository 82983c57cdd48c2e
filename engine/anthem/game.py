"""Anthem as a `Game`: the functions of this package in the shape that the rest asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.anthem import actions, play, views
from engine.anthem import ruleset as rulesets
from engine.anthem.catalogue import FINDINGS, RULES
from engine.anthem.state import State, cards_in_play
from engine.findings import bad_input
from engine.game import Audience, Finding, Json, Option, Verdict


class Anthem:
    """The `Game` contract (`engine/game.py`); see the modules beside this one for the rules."""

    name = "anthem"
    rules: Mapping[str, str] = RULES
    findings: Mapping[str, Any] = FINDINGS

    def ruleset(
        self, toml_text: str | None = None, changes: Mapping[str, str] | None = None
    ) -> rulesets.Ruleset:
        """The default ruleset or the one written out, with KEY=VALUE changes on top."""
        return rulesets.load(toml_text, changes)

    def ruleset_json(self, ruleset: rulesets.Ruleset) -> Json:
        """The ruleset as plain JSON."""
        return rulesets.to_json(ruleset)

    def ruleset_from_json(self, obj: Mapping[str, Any]) -> rulesets.Ruleset:
        """The inverse of `ruleset_json`."""
        return rulesets.from_json(obj)

    def initial(self, ruleset: rulesets.Ruleset) -> State:
        """The state before any setup."""
        return State(ruleset)

    def parse(self, obj: object) -> actions.Action | Finding:
        """The action a JSON value means, or the `bad-input` finding that names the field."""
        parsed = actions.parse(obj)
        return bad_input(parsed) if isinstance(parsed, str) else parsed

    def dump(self, action: actions.Action) -> Json:
        """The JSON form of an action."""
        return actions.dump(action)

    def apply(self, state: State, action: actions.Action) -> Verdict:
        """The verdict on one action."""
        return play.apply(state, action)

    def actions(self, state: State) -> Sequence[actions.Action]:
        """Every action that is accepted now on public knowledge; see `play.actions` for claims."""
        return list(play.actions(state))

    def options(self, state: State, seat: int) -> Sequence[Option]:
        """What the seat can do now, and why not the rest."""
        return list(views.options(state, seat))

    def state_json(self, state: State) -> Json:
        """The public state as the contract writes it."""
        return views.state_json(state)

    def view(self, state: State, audience: Audience) -> Json:
        """The state as that audience sees it."""
        return views.view(state, audience)

    def setup_action(self, seats: Iterable[int], **details: Any) -> Json:
        """A setup for these seats. Details: `first` (default the lowest seat), `names` by seat."""
        there = list(seats)
        names: Mapping[int, str] = details.get("names") or {}
        players = [{"seat": s} | ({"name": names[s]} if s in names else {}) for s in there]
        first = details.get("first")
        return {
            "do": "setup",
            "players": players,
            "first": min(there) if first is None else first,
        }

    def cards(self, state: State) -> Mapping[str, int]:
        """Laid card -> seat in whose layout it lies. Whose hand the others are in is not known."""
        return {card: s.seat for s in state.seats for card in s.layout if card is not None}

    def all_cards(self, state: State) -> Sequence[str]:
        """Every card of the match, wherever it is."""
        return list(cards_in_play(state))


GAME = Anthem()
