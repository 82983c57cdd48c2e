"""What a request's cookies or key allow, the same for pages and for the stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.game import Audience
from web.keys import Key
from web.security import Guard

OPERATOR: Final = "crowntable_operator"
VISITOR: Final = "crowntable_visitor"
LANGUAGE: Final = "crowntable_lang"
#: what makes answers about matches this phone's, to change and to delete
ANSWERS: Final = "crowntable_answers"


def seat_cookie(seat: int) -> str:
    """The name of the cookie that holds a seat's token."""
    return f"crowntable_seat_{seat}"


def is_operator(guard: Guard, cookies: Mapping[str, str]) -> bool:
    """Does this browser have a running operator session?"""
    return guard.is_session(cookies.get(OPERATOR))


def has_seat(guard: Guard, seat: int, cookies: Mapping[str, str]) -> bool:
    """Has this browser opened the seat's present link?"""
    return guard.is_seat(seat, cookies.get(seat_cookie(seat)))


def may_see(guard: Guard, audience: Audience, cookies: Mapping[str, str], key: Key | None = None) -> bool:
    """Spectators' and the stream's view are everybody's; a seat's is its own and the operator's; a key
    that may read sees them all."""
    if audience.kind in ("spectator", "stream") or (key is not None and key.may("read")):
        return True
    if audience.kind == "seat" and has_seat(guard, audience.seat or 0, cookies):
        return True
    return is_operator(guard, cookies)
