"""The interpreter: settled events in, intents out. It knows the state of the game and asks where it
can't tell; it never judges legality (the rules do) and never guesses silently."""

from __future__ import annotations

from host.action import Intent
from host.interpret import althera, anthem
from host.interpret.context import CROWN, MISSED, NOW, Context, early_card
from host.settled import (
    CardArrived,
    CardDoubt,
    CardLeft,
    DieChanged,
    DieRested,
    Pressed,
    Settled,
    ZoneRate,
    ZoneTrouble,
)

__all__ = ["CROWN", "MISSED", "NOW", "Context", "early_card", "interpret"]

_GAMES = {"althera": althera, "anthem": anthem}


def interpret(ctx: Context, event: Settled) -> list[Intent]:
    """What one settled event means now. Devices coming and going are the table's business, not ours."""
    game = _GAMES.get(ctx.game or "")
    match event:
        case CardArrived() if ctx.known(event):
            return []
        case CardArrived() if said := ctx.stranger(event):
            if game is None or event.card is None or ctx.zone(event.zone).kind != "scan":
                return said
            return [*said, *game.card_shown(ctx, event)]
        case CardArrived():
            meant = game.card_arrived(ctx, event) if game else ctx.idle(event)
            return ctx.left_over(event, ctx.ask_again(event, meant))
        case CardLeft():
            intents = ctx.card_left(event)
            return [*intents, *(game.card_left(ctx, event) if game else [])]
        case CardDoubt():
            return ctx.doubt(event)
        case ZoneRate():
            return ctx.zone_rate(event)
        case ZoneTrouble():
            return ctx.zone_trouble(event)
        case DieRested():
            return game.die_rested(ctx, event) if game else []
        case DieChanged():
            return ctx.die_changed(event)
        case Pressed():
            return ctx.judge_called(event) or (game.pressed(ctx, event) if game else [])
    return []
