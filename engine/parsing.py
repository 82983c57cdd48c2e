"""Reading the fields of a JSON action strictly: nothing missing, nothing unlisted, no type bent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.findings import shown

#: Says what is wrong with a value ("must be a whole number"), or None where it is right.
Check = Callable[[Any], str | None]


class Shape(NamedTuple):
    """The fields that an action of one kind may have. `force` and `do` go without saying."""

    required: Mapping[str, Check]
    optional: Mapping[str, Check] = {}


def whole(value: object) -> str | None:
    """A whole number; `true` and 1.0 are none."""
    return None if type(value) is int else "must be a whole number"


def text(value: object) -> str | None:
    """A string."""
    return None if type(value) is str else "must be a string"


def truth(value: object) -> str | None:
    """`true` or `false`."""
    return None if type(value) is bool else "must be true or false"


def listing(value: object) -> str | None:
    """A list."""
    return None if type(value) is list else "must be a list"


def face(value: object) -> str | None:
    """A face of a die, 1 to 6."""
    if type(value) is not int:
        return "must be a whole number"
    return None if 1 <= value <= 6 else "must be a face of a die, 1 to 6"


def one_of(*allowed: str) -> Check:
    """One of some words."""
    choices = " or ".join(repr(word) for word in allowed)

    def check(value: object) -> str | None:
        return None if type(value) is str and value in allowed else f"must be {choices}"

    return check


def problem(obj: Mapping[str, Any], shape: Shape, free: frozenset[str] = frozenset()) -> str | None:
    """The first thing wrong with `obj` against `shape` ("seat must be a whole number"), or None.

    `free` are fields looked after elsewhere, such as `do`.
    """
    required, optional = shape
    for name, check in required.items():
        if name not in obj:
            return f"{name} is missing"
        wrong = check(obj[name])
        if wrong:
            return f"{name} {wrong}, not {shown(obj[name])}"
    for name, value in obj.items():
        if name in required or name in free:
            continue
        if name not in optional:
            return f"there is no field {shown(name)} here"
        wrong = optional[name](value)
        if wrong:
            return f"{name} {wrong}, not {shown(value)}"
    return None
