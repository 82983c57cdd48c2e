"""What can be bought: `hardware/parts.toml` as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from engine.errors import CrowntableError
from host.layout import tables_folder


@dataclass(frozen=True, slots=True)
class Part:
    """A part by generic name. `price` in euros for one; currents in milliamperes at its own voltage:
    `idle` and `peak` it draws, `gives` a supply gives, `usb` all USB ports together give, `peak_m` a
    metre draws; `antenna` a loop's diameter in millimetres; `leds` how many it carries."""

    id: str
    name: str
    price: float
    idle: float = 0
    peak: float = 0
    gives: float = 0
    usb: float = 0
    peak_m: float = 0
    antenna: float = 0
    leds: int = 0


@cache
def _document() -> Mapping[str, Any]:
    return tomllib.loads((tables_folder().parent / "parts.toml").read_text(encoding="utf-8"))


def price_date() -> str:
    """The day on which the prices were set down, YYYY-MM-DD."""
    return str(_document()["price_date"])


def part(id: str) -> Part:
    """A part by its key. Raises CrowntableError for one that is not in the list."""
    listed = _document()["part"]
    if id not in listed:
        raise CrowntableError(
            f"There is no part {id!r} in hardware/parts.toml.", f"It has: {', '.join(sorted(listed))}."
        )
    return Part(id=id, **listed[id])
