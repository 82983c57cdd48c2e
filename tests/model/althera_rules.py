"""The rulebook's numbers, the contract's words and actions: what the model of Althera is told in advance."""

from __future__ import annotations

from functools import cache
from typing import Any

Dict = dict[str, Any]
Found = tuple[str, str]  # code, severity

HOUSES = ["cremisi", "aurea", "celeste", "quercia", "purpurea"]
SPECIALS = ["shield", "overtake", "alteration", "oracle"]

#: The rulebook's numbers and the first choice of every ruling.
DEFAULT: Dict = {
    "scores": {
        "commoners": (2, 4), "vanguard": (5, 3), "marksman": (9, 3), "cavalry": (15, 3),
        "guardian": (23, 2), "captain": (37, 2), "champion": (61, 1),
    },
    "specials": {"shield": 1, "overtake": 1, "alteration": 2, "oracle": 2},
    "die": [2, 5, 9, 15, 23, 37],
    "closing_card": "optional",
    "initiative": "fixed",
    "shield_reach": "answered_and_later",
    "overtake_value": "accumulates",
    "alteration_rounding": "result_up",
    "answer_scope": "enemy_field",
    "retreat_by": "answerer",
    "retreat_faces": [5, 6],
    "refill": "up_to_five",
    "hand_size": 5,
    "plays": 3,
    "min_hand": 3,
    "turns": [3, 5, 10],
    "tiebreak_many": "round_robin",
    "unmatched_elimination": "enemy",
}  # fmt: skip

#: The order in which a judge names them.
CODES = [
    "bad-input", "not-set-up", "match-over", "unknown-card", "seat-unknown", "seat-out", "not-your-card",
    "already-played", "not-in-duel", "not-your-play", "already-duelling", "already-faced",
    "not-your-declaration", "redraw-too-late", "redraw-floor", "plays-exhausted", "special-timing",
    "sign-missing", "roll-awaited", "unexpected-roll", "retreat-not-now", "retreat-used", "stand-not-now",
    "intervene-duelling", "intervene-score-card", "intervene-twice", "intervene-empty-field",
    "nothing-to-undo", "shield-cancels", "crown-moved", "seat-eliminated",
]  # fmt: skip

#: Findings that leave nothing to apply, even where the table says "allow it".
MEANINGLESS = {
    "not-set-up", "match-over", "unknown-card", "seat-unknown", "seat-out", "already-played", "not-in-duel",
    "already-duelling", "nothing-to-undo",
}  # fmt: skip

#: What each action must and may carry beside `do` and `force`.
FIELDS: dict[str, tuple[dict[str, type], dict[str, type]]] = {
    "setup": ({"players": list, "turns": int}, {}),
    "roll": ({"seat": int, "face": int}, {}),
    "crown": ({"seat": int}, {}),
    "declare": ({"seat": int, "against": int}, {}),
    "redraw": ({"seat": int}, {}),
    "play": ({"seat": int, "card": str}, {"sign": str}),
    "retreat": ({"seat": int}, {}),
    "stand": ({"seat": int}, {}),
    "intervene": ({"seat": int, "for": int, "card": str}, {"sign": str}),
    "undo": ({}, {}),
}


def well_formed(action: object) -> bool:
    """Whether this is one of the contract's actions, with the right fields of the right types."""
    if not isinstance(action, dict) or not isinstance(action.get("do"), str) or action["do"] not in FIELDS:
        return False
    must, may = FIELDS[action["do"]]
    allowed = {**must, **may, "do": str, "force": bool}
    if not set(action) <= set(allowed) or not set(must) <= set(action):
        return False
    if any(type(value) is not allowed[name] for name, value in action.items()):
        return False
    if action["do"] == "roll" and action["face"] not in range(1, 7):
        return False
    if action.get("sign", "+") not in ("+", "-"):
        return False
    return all(map(player_well_formed, action.get("players", [])))


def player_well_formed(player: object) -> bool:
    if not isinstance(player, dict) or not {"seat", "house"} <= set(player) <= {"seat", "house", "name"}:
        return False
    words = [player["house"], player.get("name", "")]
    return type(player["seat"]) is int and all(type(word) is str for word in words)


def deck_of(rules: Dict, house: str) -> list[str]:
    """ALT-1.2: the cards printed with this house."""
    copies = {card: n for card, (_, n) in rules["scores"].items()} | rules["specials"]
    return [f"{house}/{card}/{n}" for card in copies for n in range(1, copies[card] + 1)]


@cache
def kind(card: str) -> str:
    return card.split("/")[1]


@cache
def is_special(card: str) -> bool:
    return kind(card) in SPECIALS


def pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)
