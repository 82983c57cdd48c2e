"""Names of audiences in addresses: `spectator`, `operator`, `stream`, `seat:2`."""

from __future__ import annotations

from typing import Final

from engine.game import Audience

SPECTATOR: Final = Audience("spectator")
OPERATOR: Final = Audience("operator")


def parse(name: str) -> Audience | None:
    """The audience of that name, None for anything else.

    >>> parse("seat:2"), parse("seat:x"), parse("god")
    (Audience(kind='seat', seat=2), None, None)
    """
    if name == "spectator":
        return SPECTATOR
    if name == "operator":
        return OPERATOR
    if name == "stream":
        return Audience("stream")
    kind, _, seat = name.partition(":")
    if kind == "seat" and seat.isascii() and seat.isdigit() and 1 <= int(seat) <= 9:
        return Audience("seat", int(seat))
    return None


def name(audience: Audience) -> str:
    """The inverse of `parse`."""
    return f"seat:{audience.seat}" if audience.kind == "seat" else audience.kind
