"""Claims that a hand must prove (Anthem, ruling `proof` = show): from the word to the showing of cards."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game import Finding
from host.entry import Json
from host.interpret import Context
from host.interpret.anthem import showing
from host.match import Match, Question

#: what speaks against a claim only as long as no card is shown
_UNSHOWN = frozenset(("claim-hand-mismatch", "claim-not-all-dead"))


def to_show(match: Match, action: Json) -> tuple[Finding, ...] | None:
    """None for an action that is judged at once. Else it is a claim without its hand: (), where that can
    be shown now, or what makes it vain to show it."""
    if action.get("do") != "claim" or "shown" in action or action.get("force"):
        return None
    if match.begun.body["ruleset"].get("proof") != "show":
        return None
    verdict = match.judge(action | {"shown": []})
    return tuple(f for f in verdict.findings if f.code not in _UNSHOWN)


def begun(ctx: Context, action: Json, there: Sequence[str]) -> Question:
    """The showing that a claim begins, with the cards that lie `there` at the scan spot already."""
    laid = {card for seat in ctx.state["seats"] for card in seat["layout"]}
    cards = [card for card in there if card not in laid]
    return showing(ctx, action["seat"], action["win"], cards)
