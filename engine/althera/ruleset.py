"""Althera's ruleset: every value and every ruling as data (rules/althera.md, "Rulings")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from engine.althera.cards import HOUSES, SCORE_KINDS, SPECIAL_KINDS, Card, deck
from engine.game import Json
from engine.ruleset import (
    Choice,
    Spec,
    Table,
    Whole,
    Wholes,
    Words,
    changed_values,
    merged,
    refuse,
    toml_values,
)

_SCORE_CARD = Table({"value": Whole(1, 999), "copies": Whole(0, 20)})

#: Every key, what may stand there. The order is the file's.
KEYS: Mapping[str, Spec] = {
    "name": Words(),
    "closing_card": Choice(("optional", "required")),
    "initiative": Choice(("fixed", "clockwise", "leader")),
    "shield_reach": Choice(("answered_and_later", "later_only", "whole_duel")),
    "overtake_value": Choice(("accumulates", "replaces")),
    "alteration_rounding": Choice(("result_up", "change_up")),
    "answer_scope": Choice(("enemy_field", "defender_only")),
    "retreat_by": Choice(("answerer", "defender_only")),
    "retreat_faces": Wholes(1, 6, 0, 6),
    "refill": Choice(("up_to_five", "fresh_five")),
    "hand_size": Whole(2, 30),
    "plays": Whole(1, 20),
    "min_hand": Whole(1, 30),
    "turns": Wholes(1, 100, 1, 10),
    "tiebreak_many": Choice(("round_robin", "sudden_death")),
    "unmatched_elimination": Choice(("enemy",)),
    "die_scale": Wholes(0, 999, 0, 20, distinct=False),
    "score": Table(dict.fromkeys(SCORE_KINDS, _SCORE_CARD)),
    "specials": Table({kind: Whole(0, 20) for kind in SPECIAL_KINDS}),
}


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One set of rules, checked. `cards` maps each id of all five houses to its card; the rest are
    the keys of `rulesets/v2.toml` under their own names."""

    name: str
    closing_card: str
    initiative: str
    shield_reach: str
    overtake_value: str
    alteration_rounding: str
    answer_scope: str
    retreat_by: str
    retreat_faces: tuple[int, ...]
    refill: str
    hand_size: int
    plays: int
    min_hand: int
    turns: tuple[int, ...]
    tiebreak_many: str
    unmatched_elimination: str
    die_scale: tuple[int, ...]
    score: tuple[tuple[str, int, int], ...]
    specials: tuple[tuple[str, int], ...]
    cards: Mapping[str, Card] = field(compare=False, repr=False)
    _decks: Mapping[str, tuple[Card, ...]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        decks: dict[str, list[Card]] = {}
        for card in self.cards.values():
            decks.setdefault(card.house, []).append(card)
        object.__setattr__(self, "_decks", {house: tuple(cards) for house, cards in decks.items()})

    def deck(self, house: str) -> tuple[Card, ...]:
        """The cards printed for `house`, in a fixed order."""
        return self._decks.get(house, ())


@cache
def default_values() -> Json:
    """The values of the shipped file `rulesets/v2.toml`."""
    text = resources.files("engine.althera").joinpath("rulesets/v2.toml").read_text("utf-8")
    return merged(KEYS, {}, toml_values(text, "rulesets/v2.toml"))


def load(toml_text: str | None = None, changes: Mapping[str, str] | None = None) -> Ruleset:
    """The default ruleset, or the one in `toml_text`, with KEY=VALUE `changes` on top.

    Raises CrowntableError naming the key, the value and what is allowed.
    """
    values = default_values()
    if toml_text is not None:
        values = merged(KEYS, values, toml_values(toml_text))
    if changes:
        values = merged(KEYS, values, changed_values(changes))
    return _checked(values)


def from_json(obj: Mapping[str, Any]) -> Ruleset:
    """The inverse of `to_json`; keys left out take their defaults. Raises CrowntableError."""
    return _checked(merged(KEYS, default_values(), obj))


def to_json(rules: Ruleset) -> Json:
    """The ruleset as plain JSON, keys in the file's order."""
    values: Json = {}
    for key in KEYS:
        value = getattr(rules, key)
        values[key] = list(value) if isinstance(value, tuple) else value
    values["score"] = {kind: {"value": v, "copies": n} for kind, v, n in rules.score}
    values["specials"] = dict(rules.specials)
    return values


def _checked(values: Json) -> Ruleset:
    """The ruleset of these values, after the checks that need more than one key."""
    scale, score, specials = values["die_scale"], values["score"], values["specials"]
    if len(scale) < 6:
        raise refuse("die_scale", scale, f"face {len(scale) + 1} is missing; allowed: six numbers")
    if len(scale) > 6:
        raise refuse("die_scale", scale, "a die has six faces; allowed: six numbers")
    plays, least, hand = values["plays"], values["min_hand"], values["hand_size"]
    if least < plays:
        raise refuse("min_hand", least, f"allowed: plays ({plays}) or more, a duel takes that many")
    if hand < least:
        raise refuse("hand_size", hand, f"allowed: min_hand ({least}) or more")
    if hand <= plays:
        # A player who has intervened may come to a duel one card short and must still have enough.
        raise refuse("hand_size", hand, f"allowed: more than plays ({plays})")
    if not any(card["copies"] for card in score.values()):
        raise refuse("score", "no copies at all", "allowed: at least one score card")
    size = sum(card["copies"] for card in score.values()) + sum(specials.values())
    if size < hand:
        raise refuse("hand_size", hand, f"allowed: at most the {size} cards of a house deck")
    copies = {kind: score[kind]["copies"] for kind in SCORE_KINDS} | specials
    worth = {kind: score[kind]["value"] for kind in SCORE_KINDS}
    return Ruleset(
        **{
            **values,
            "retreat_faces": tuple(sorted(values["retreat_faces"])),
            "turns": tuple(sorted(values["turns"])),
            "die_scale": tuple(scale),
            "score": tuple((kind, worth[kind], copies[kind]) for kind in SCORE_KINDS),
            "specials": tuple((kind, specials[kind]) for kind in SPECIAL_KINDS),
        },
        cards={card.id: card for house in HOUSES for card in deck(house, copies, worth)},
    )
