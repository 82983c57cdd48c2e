"""What cards and buttons mean in Anthem."""

from __future__ import annotations

from host.action import Action, Intent, Note
from host.face import Who
from host.interpret.context import Context
from host.settled import CardArrived, DieRested, Pressed


def card_arrived(ctx: Context, event: CardArrived) -> list[Intent]:
    """A card on a place is laid there by that place's seat."""
    zone = ctx.zone(event.zone)
    card, seat = event.card or "", zone.seat or 0
    if zone.kind != "place":
        return [Note(f"{ctx.words.card(card)} lies at {ctx.words.zone(zone)}.")]
    if ctx.state.get("phase") == "over":
        return ctx.idle(event)
    if any(card in owner["layout"] for owner in ctx.state["seats"] if owner["seat"] == seat):
        laid = next(o["layout"] for o in ctx.state["seats"] if o["seat"] == seat)
        if laid[zone.place or 0] == card:
            return []
    action = {"do": "lay", "seat": seat, "card": card, "place": zone.place}
    return [Action(action, ctx.device(event.zone), (event,))]


def die_rested(ctx: Context, event: DieRested) -> list[Intent]:
    """Anthem has no dice."""
    return []


def pressed(ctx: Context, event: Pressed) -> list[Intent]:
    """The keep button of a seat."""
    button = next((b for b in ctx.layout.buttons if b.id == event.button), None)
    if button is None or button.does != "keep":
        return []
    return [Action({"do": "keep", "seat": button.seat}, Who("seat", str(button.seat)), (event,))]
