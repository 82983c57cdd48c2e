"""A player's own page: `/seat/2`, opened by the QR code at the seat."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, make_response, redirect, request

from engine.game import Audience
from web import cookies, page
from web.app import refuse, set_cookie, site
from web.audience import SPECTATOR

blueprint = Blueprint("seat", __name__)
#: A phone keeps its seat for a convention's weekend.
KEEP_S = 3 * 86400


@blueprint.get("/seat/<int:seat>")
def seat_page(seat: int) -> Any:
    """With the seat's token (once in the link, then in a cookie) the seat's page; without, read-only."""
    if not 1 <= seat <= 9:
        return refuse(404, "missing")
    guard = site().guard
    token = request.args.get("t")
    if token is not None:
        if not guard.is_seat(seat, token):
            return refuse(403, "link")
        # The token leaves the address bar, so that a photo of the screen or a shared link gives nothing.
        response = make_response(redirect(f"/seat/{seat}", code=303))
        set_cookie(response, cookies.seat_cookie(seat), token, max_age=KEEP_S)
        return response
    mine = cookies.has_seat(guard, seat, request.cookies)
    sees = Audience("seat", seat) if mine else SPECTATOR
    return page.render("page.html", "seat", sees, extra={"seat": seat, "mine": mine})
