"""How a duel's field came about, card by card and sum by sum: what a screen shows under the field."""

from __future__ import annotations

from typing import Literal, TypeAlias

from engine.althera.field import after
from engine.althera.ruleset import Ruleset
from engine.althera.state import Duel, Field, Laid
from engine.game import Json

Effect: TypeAlias = Literal["opens", "adds", "absorbed", "takes", "shield", "cancelled", "awaits-roll"]


def steps(rules: Ruleset, duel: Duel) -> list[Json]:
    """One entry a card, in the order laid.

    The field is worked out with what is known now: a special that a later shield undid shows as
    `cancelled` and counts nowhere. `before` of a shield is the field that really lay there.
    """
    field: Field | None = None
    terms = _Sum()
    entries: list[Json] = []
    for laid in duel.laid:
        then = after(rules, field, laid)
        effect = _effect(laid, field, then, duel)
        worth = None if effect in ("shield", "cancelled", "awaits-roll") else _worth(laid, field, then)
        if worth is not None:
            terms.add(rules, laid, field, then)
        entries.append(
            {
                "card": laid.card.id,
                "by": laid.by,
                "for": laid.side,
                "kind": "play" if laid.by == laid.side else "intervene",
                "value": worth,
                "effect": effect,
                "before": _field(laid.before if effect == "shield" else field),
                "after": _field(then),
                "sum": terms.text(then),
            }
        )
        field = then
    return entries


def _effect(laid: Laid, before: Field | None, now: Field | None, duel: Duel) -> Effect:
    if laid.card.kind == "oracle" and laid.face is None and laid is duel.laid[-1] and duel.awaited:
        return "awaits-roll"
    if laid.cancelled:
        return "cancelled"
    if laid.card.kind == "shield":
        return "shield"
    if now is before or now is None:  # a special whose condition no longer holds
        return "cancelled"
    if before is None:
        return "opens"
    if before.owner == laid.side:
        return "adds"
    return "takes" if now.owner == laid.side else "absorbed"


def _worth(laid: Laid, before: Field | None, now: Field | None) -> int:
    """What the card was worth: its score, the die's, one more than the field, or the change."""
    if laid.card.value is not None:
        return laid.card.value
    old = 0 if before is None else before.value
    if laid.card.kind == "overtake":
        return old + 1
    return (0 if now is None else now.value) - old


def _field(field: Field | None) -> Json | None:
    return None if field is None else {"owner": field.owner, "value": field.value}


class _Sum:
    """The running sum in numbers: `15 + 9 + 2 + 37 = 63`, and `63 x 1.5 = 95` after an alteration."""

    def __init__(self) -> None:
        self.terms: list[int] = []
        self.scaled = ""

    def add(self, rules: Ruleset, laid: Laid, before: Field | None, now: Field | None) -> None:
        """Takes in a card that changed the field."""
        old, new = (0 if field is None else field.value for field in (before, now))
        if laid.card.kind != "alteration":
            self.scaled = ""
            self.terms.append(new - old)
            return
        self.terms = [new]
        if laid.sign == "-" and rules.alteration_rounding == "change_up":
            self.scaled = f"{old} - {old - new}"
        else:
            self.scaled = f"{old} x {'1.5' if laid.sign == '+' else '0.5'}"

    def text(self, field: Field | None) -> str:
        """The sum as it stands; empty while the field is."""
        if field is None:
            return ""
        left = self.scaled or " + ".join(map(str, self.terms))
        return left if left == str(field.value) else f"{left} = {field.value}"
