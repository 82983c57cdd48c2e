"""The bot that plays a game it knows nothing of: any of the actions that the rules list."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from engine.game import Game, Json
from engine.lab.bots import Bot
from engine.lab.hands import Hand


class AnyAction:
    """Draws one of `game.actions` that is its seat's; a card it names must be in the hand."""

    name = "random"

    def choose(self, game: Game, state: Any, seat: int, hand: Hand, rng: Random) -> Json | None:
        """One of the seat's legal actions, all equally likely."""
        held = (None, hand.drawn, *hand.cards)
        own = [
            action
            for action in map(game.dump, game.actions(state))
            if action.get("seat") == seat and action["do"] != "roll" and action.get("card") in held
        ]
        return rng.choice(own) if own else None


BOTS: Mapping[str, Bot] = {"random": AnyAction()}
