"""The rulings to try, each value on its own, and small decks that bring eliminations and ties about."""

from __future__ import annotations

from random import Random
from typing import Any

from engine.althera import GAME as ALTHERA
from engine.anthem import GAME as ANTHEM
from tests.model.althera_rules import DEFAULT

Dict = dict[str, Any]

#: key -> every value that the rulebook lists, and numbers beside it where the key is a number or a list
ALTHERA_VALUES: dict[str, list[Any]] = {
    "closing_card": ["optional", "required"],
    "initiative": ["fixed", "clockwise", "leader"],
    "shield_reach": ["answered_and_later", "later_only", "whole_duel"],
    "overtake_value": ["accumulates", "replaces"],
    "alteration_rounding": ["result_up", "change_up"],
    "answer_scope": ["enemy_field", "defender_only"],
    "retreat_by": ["answerer", "defender_only"],
    "retreat_faces": [[5, 6], [6], [1, 2, 3, 4, 5, 6]],
    "refill": ["up_to_five", "fresh_five"],
    "hand_size": [5, 4, 6],
    "plays": [3, 1, 2],
    "min_hand": [3, 4],
    "turns": [[3, 5, 10], [1], [2, 4]],
    "tiebreak_many": ["round_robin", "sudden_death"],
    "unmatched_elimination": ["enemy"],
    "die": [[2, 5, 9, 15, 23, 37], [1, 2, 3, 4, 5, 6]],
}

ANTHEM_VALUES: dict[str, list[Any]] = {
    "dragon": ["off", "on"],
    "both_win": ["hero", "dragon", "shared"],
    "proof": ["show", "trust"],
    "hints": ["off", "on"],
}


def named(values: dict[str, list[Any]]) -> dict[str, Dict]:
    """A name for every value of every key on its own: `shield_reach=whole_duel` -> the change it makes."""
    rulings: dict[str, Dict] = {"default": {}}
    for key, choices in values.items():
        for value in choices[1:]:
            rulings[f"{key}={value}".replace(" ", "")] = {key: value}
    return rulings


def mixed(rng: Random, values: dict[str, list[Any]]) -> Dict:
    """Any value of any key, together."""
    return {key: rng.choice(choices) for key, choices in values.items() if rng.random() < 0.6}


def deck(specials: tuple[int, int, int, int], **scores: int) -> Dict:
    """A house deck: copies of shield, overtake, alteration, oracle, and of the score cards that it has."""
    kinds = ("shield", "overtake", "alteration", "oracle")
    return {
        "scores": {card: (value, scores.get(card, 0)) for card, (value, _) in DEFAULT["scores"].items()},
        "specials": dict(zip(kinds, specials, strict=True)),
    }


#: The printed deck, then small ones: balanced, with many shields, poor in scores, poor in specials.
DECKS: list[Dict] = [
    {},
    {},
    deck((1, 1, 1, 1), commoners=2, marksman=1, captain=1, champion=1),
    deck((3, 1, 1, 1), commoners=1, marksman=1, champion=1),
    deck((5, 0, 1, 1), commoners=2),
    deck((1, 0, 1, 1), commoners=3, cavalry=2),
    deck((1, 2, 2, 3), captain=1),
    deck((0, 1, 0, 1), commoners=3, vanguard=2),
]


def althera_deck(rng: Random, changes: Dict) -> Dict:
    """The rules of one match under these changes: with the printed decks, or with small ones."""
    return {**changes, **rng.choice(DECKS)}


def althera_engine(rules: Dict) -> Any:
    """The same as the engine's ruleset."""
    plain: Dict = ALTHERA.ruleset_json(ALTHERA.ruleset(None, {}))
    for key, value in rules.items():
        if key == "scores":
            plain["score"] = {card: {"value": v, "copies": n} for card, (v, n) in value.items()}
        else:
            plain["die_scale" if key == "die" else key] = value
    return ALTHERA.ruleset_from_json(plain)


def anthem_engine(rules: Dict) -> Any:
    return ANTHEM.ruleset(None, rules)
