"""What charts and reports call cards, houses, bots and measures."""

from __future__ import annotations

from engine.althera.cards import HOUSES
from engine.game import Json
from engine.lab.measures import BY_NAME
from engine.lab.show.words import Words


def house_name(house: str) -> str:
    """A house as the box calls it."""
    return HOUSES[house].name if house in HOUSES else house


def kind_name(kind: str, words: Words) -> str:
    """A kind of card, or that it was none."""
    return words("who.none") if kind == "none" else words.get(f"kind.{kind}", kind)


def bot_name(spec: str, words: Words) -> str:
    """`greedy:never=shield+oracle` in words.

    >>> bot_name("greedy:never=shield+oracle", Words("en"))
    'greedy without Shield and Oracle'
    """
    name, _, options = spec.partition(":")
    how, _, what = options.partition("=")
    if how not in ("never", "always"):
        return spec
    cards = words.both([kind_name(kind, words) for kind in what.split("+")])
    return words(f"bots.{how}", name=name, cards=cards)


def measure_name(row: Json, words: Words) -> str:
    """A measure's row in words, with whom or what it is about."""
    per = BY_NAME[row["measure"]].per
    group = str(row.get(per, ""))
    if per == "house":
        group = house_name(group)
    elif per == "bot":
        group = bot_name(group, words)
    elif per == "card" and row["measure"] != "field.at":
        group = kind_name(group, words)
    return words(f"measure.{row['measure']}", group=group)
