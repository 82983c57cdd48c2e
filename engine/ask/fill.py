"""Numbers of a ruleset as words for the rulebook: the book says what is played, whatever that is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from engine.game import Json

_NUMBERS = {
    "en": ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    "it": ("nessuna", "una", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci"),
}
_OR = {"en": "or", "it": "o"}
_THEN = {"en": "then", "it": "poi"}
_NONE = {"en": "no face", "it": "nessuna faccia"}


def number(value: int, language: str) -> str:
    """A count in words up to ten.

    >>> number(5, "en"), number(3, "it"), number(24, "en")
    ('five', 'tre', '24')
    """
    words = _NUMBERS[language]
    return words[value] if value < len(words) else str(value)


def either(values: Sequence[object], language: str) -> str:
    """Alternatives in words.

    >>> either([3, 5, 10], "en"), either([5, 6], "it")
    ('3, 5 or 10', '5 o 6')
    """
    if not values:
        return _NONE[language]
    *first, last = map(str, values)
    return f"{', '.join(first)} {_OR[language]} {last}" if first else last


def filled(text: str, values: Mapping[str, str]) -> str:
    """`text` with its {names} filled in and each sentence beginning with a capital.

    Raises KeyError for a name that `values` lacks.

    >>> filled("Draw. {n} cards.", {"n": "five"})
    'Draw. Five cards.'
    """
    put = re.sub(r"\{([a-z_.]+)\}", lambda found: values[found[1]], text)
    return re.sub(r"(^|[.!?] )([a-zà-ù])", lambda found: found[1] + found[2].upper(), put)


def values_of(game: str, rules: Json, language: str) -> dict[str, str]:
    """What the {names} of a book mean under a ruleset; `ruling.<key>` is a ruling's value in words."""
    if game != "althera":
        return {}
    return _althera(rules, language)


def _althera(rules: Json, language: str) -> dict[str, str]:
    score, specials, scale = rules["score"], rules["specials"], rules["die_scale"]
    names = kind_names("althera", language)
    scores, extras = sum(card["copies"] for card in score.values()), sum(specials.values())
    hand, least = rules["hand_size"], rules["min_hand"]
    fewer = [number(count, language) for count in range(hand - 1, least - 1, -1)]
    worth = [f"{names[kind]} {card['value']} (× {card['copies']})" for kind, card in score.items()]
    copies = [f"{names[kind]} × {count}" for kind, count in specials.items()]
    die = [f"{face} = {value}" for face, value in enumerate(scale, 1)]
    either_turns, faces = either(rules["turns"], language), either(rules["retreat_faces"], language)
    return {
        "deck": str(scores + extras),
        "scores": str(scores),
        "specials": number(extras, language),
        "all_cards": str(5 * (scores + extras)),
        "faces": str(5 * sum(count > 0 for count in (*specials.values(), *_copies(score)))),
        "score_list": ", ".join(worth),
        "score_short": ", ".join(f"{names[kind]} {card['value']}" for kind, card in score.items()),
        "special_list": ", ".join(copies),
        "special_short": ", ".join(copies),
        "die_list": ", ".join(die),
        "die_short": ", ".join(die),
        "hand_size": number(hand, language),
        "min_hand": number(least, language),
        "plays": number(rules["plays"], language),
        "turns": either_turns,
        "retreat_faces": faces,
        "redraws": f", {_THEN[language]} ".join(fewer) or number(hand, language),
        "ruling.retreat_faces": faces,
        "ruling.hand_size": number(hand, language),
        "ruling.plays": number(rules["plays"], language),
        "ruling.min_hand": number(least, language),
        "ruling.turns": either_turns,
        "ruling.die_scale": ", ".join(die),
        "ruling.score": ", ".join(worth),
        "ruling.specials": ", ".join(copies),
    }


def _copies(score: Mapping[str, Any]) -> list[int]:
    return [card["copies"] for card in score.values()]


@cache
def kind_names(game: str, language: str) -> dict[str, str]:
    """Kind of card -> its name."""
    text = resources.files(f"engine.{game}").joinpath("book", f"{language}.toml").read_text("utf-8")
    return {kind: entry["name"] for kind, entry in tomllib.loads(text)["kind"].items()}
