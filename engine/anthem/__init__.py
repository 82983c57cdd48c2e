"""Anthem (2 to 4 players): rules/anthem.md in code. `GAME` is the way in."""

from engine.anthem.game import GAME

__all__ = ["GAME"]
