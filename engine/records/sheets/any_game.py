"""The wording for a game that has none of its own: the action's fields as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game import Json
from engine.records.replay import Step
from engine.records.sheets import Words


class AnyGame:
    """See `engine.records.sheets.Wording`."""

    def title(self, state: Any) -> str:
        """A title for any game."""
        return "Match"

    def side(self, player: Json) -> tuple[str, str]:
        """Whatever else the setup says of the player."""
        return ", ".join(str(v) for k, v in player.items() if k not in ("seat", "name")), ""

    def heading(self, state: Any) -> str:
        """Everything under one heading."""
        return "Actions"

    def stand(self, names: Mapping[int, str], state: Any) -> str:
        """Nothing is known of how a match stands."""
        return ""

    def words(self, names: Mapping[int, str], step: Step) -> Words:
        """The action's name and fields."""
        return Words(self.tried(names, step.line.action))

    def tried(self, names: Mapping[int, str], action: Json) -> str:
        """The action's name and fields."""
        fields = [f"{k} {v}" for k, v in action.items() if k not in ("do", "seat", "players", "force")]
        return " ".join([str(action.get("do", "?")), *fields])

    def notes(self, names: Mapping[int, str], step: Step) -> list[str]:
        """The rules' own remarks."""
        return [f.text for f in step.verdict.findings if f.severity == "info"]

    def outcome(self, names: Mapping[int, str], state: Any) -> str:
        """Nothing is known of how it came out."""
        return ""


WORDING = AnyGame()
