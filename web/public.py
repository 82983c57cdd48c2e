"""Pages for everybody: the table, the overlay, the choice of a language."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, make_response, redirect, request

from engine.game import Audience
from web import addresses, assets, catalogue, cookies, page
from web.app import set_cookie, site
from web.audience import SPECTATOR

blueprint = Blueprint("public", __name__)


@blueprint.get("/")
def table() -> Any:
    """The table: what everyone looks at. `?attract`: this screen invites while nobody plays."""
    here = site()
    url = addresses.lan_url(here.host, here.port)
    first = here.table.workshop is not None and not here.table.is_set_up()
    extra = {"join": url, "first": first, "attract": "attract" in request.args}
    return page.render("page.html", "table", SPECTATOR, extra=extra)


@blueprint.get("/overlay")
def overlay() -> Any:
    """`?delay=10`: the duels alone on nothing, for streaming programs, on wish up to two minutes late."""
    delay = min(120.0, max(0.0, request.args.get("delay", 0.0, type=float)))
    return page.render("overlay.html", "overlay", Audience("stream"), extra={"delay": delay})


@blueprint.post("/language")
def language() -> Any:
    """Remembers a visitor's language and goes back to where they were."""
    wanted = request.form.get("lang", "")
    back = request.form.get("back", "/")
    safe = back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/"
    response = make_response(redirect(safe, code=303))
    if wanted in catalogue.languages():
        set_cookie(response, cookies.LANGUAGE, wanted, max_age=365 * 86400)
    return response


@blueprint.get("/favicon.ico")
def favicon() -> Any:
    """Browsers that ask for the old name get the crest."""
    return redirect(f"/static/{assets.version()}/img/crown.svg", code=302)
