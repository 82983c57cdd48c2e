"""What a card does to a duel's field (ALT-4.3, ALT-5). Plain arithmetic, no legality."""

from __future__ import annotations

from collections.abc import Iterable

from engine.althera.ruleset import Ruleset
from engine.althera.state import Field, Laid


def after(rules: Ruleset, field: Field | None, laid: Laid) -> Field | None:
    """The field after a card, rules for cancelling and for what no longer applies included."""
    value = laid.card.value
    side = laid.side
    if value is not None:
        if field is None:
            return Field(side, value)
        holder = side if value >= field.value else field.owner
        return Field(holder, field.value + value)
    kind = laid.card.kind
    if laid.cancelled or kind == "shield":
        return field
    if kind == "oracle":
        if laid.face is None:
            return field
        worth = rules.die_scale[laid.face - 1]
        return Field(side, worth if field is None else field.value + worth)
    if field is None or laid.barred:
        return field
    if kind == "overtake":
        if field.owner == side:
            return field
        extra = 0 if rules.overtake_value == "replaces" else field.value
        return Field(side, field.value + 1 + extra)
    if laid.sign is None or (field.owner == side and not laid.forced):
        return field
    return Field(side, altered(rules, field.value, laid.sign))


def altered(rules: Ruleset, value: int, sign: str) -> int:
    """`value` after an alteration (ALT-5.3, ruling `alteration_rounding`)."""
    half_up = (value + 1) // 2
    if sign == "+":
        return value + half_up
    return half_up if rules.alteration_rounding == "result_up" else value - half_up


def worked_out(rules: Ruleset, plays: Iterable[Laid]) -> Field | None:
    """The field after all these cards, from nothing."""
    field: Field | None = None
    for laid in plays:
        field = after(rules, field, laid)
    return field
