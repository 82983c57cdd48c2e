"""Names of audiences in addresses: `spectator`, `operator`, `stream`, `seat:2`; in Italian, `seat:2@it`."""

from __future__ import annotations

from typing import Final, NamedTuple

from engine.game import Audience
from web import catalogue

SPECTATOR: Final = Audience("spectator")
OPERATOR: Final = Audience("operator")


class Channel(NamedTuple):
    """A View as somebody follows it: for whom, and in which language the table speaks."""

    audience: Audience
    language: str = catalogue.DEFAULT


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


def channel(name: str) -> Channel | None:
    """A name that may carry a language, None where the audience or the language is unknown.

    >>> channel("seat:2@it").language, channel("spectator").language, channel("seat:2@xx")
    ('it', 'en', None)
    """
    who, at, language = name.partition("@")
    meant = parse(who)
    if meant is None or (at and language not in catalogue.languages()):
        return None
    return Channel(meant, language or catalogue.DEFAULT)


def name(audience: Audience) -> str:
    """The inverse of `parse`."""
    return f"seat:{audience.seat}" if audience.kind == "seat" else audience.kind


def channel_name(channel: Channel) -> str:
    """The inverse of `channel`; English goes without saying."""
    who = name(channel.audience)
    return who if channel.language == catalogue.DEFAULT else f"{who}@{channel.language}"
