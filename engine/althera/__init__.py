"""Althera, rulebook v2 (rules/althera.md): the game as one object, `GAME`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.althera import actions as _actions
from engine.althera import apply as _apply
from engine.althera import options as _options
from engine.althera import ruleset as _ruleset
from engine.althera import views as _views
from engine.althera.cards import HOUSES
from engine.althera.rulebook import FINDINGS, RULES
from engine.althera.state import State
from engine.game import Game, Json


class Althera:
    """The contract `engine.game.Game`, kept by the functions of this package."""

    name = "althera"
    rules = RULES
    findings = FINDINGS

    ruleset = staticmethod(_ruleset.load)
    ruleset_json = staticmethod(_ruleset.to_json)
    ruleset_from_json = staticmethod(_ruleset.from_json)
    initial = staticmethod(_apply.initial)
    parse = staticmethod(_actions.parse)
    dump = staticmethod(_actions.dump)
    apply = staticmethod(_apply.apply)
    actions = staticmethod(_options.actions)
    options = staticmethod(_options.options)
    state_json = staticmethod(_views.state_json)
    view = staticmethod(_views.view)

    @staticmethod
    def setup_action(seats: Iterable[int], **details: Any) -> Json:
        """A setup for these seats. `turns` (3), `houses` and `names` (seat -> text) may be given."""
        return _actions.setup_json(seats, **details)

    @staticmethod
    def cards(state: State) -> Mapping[str, int]:
        """Card id -> the seat that may play it; in a tie-break from the decks laid out for that."""
        return dict(state.match.owners)


GAME: Game = Althera()

__all__ = ["GAME", "HOUSES", "Althera"]
