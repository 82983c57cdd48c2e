"""Setting the table up: `/setup/<step>`, each step a page of its own. The operator's.

Everything that changes the table is a command like any other (POST /api/v1/command); here are the pages,
what they need to know, the camera's picture, and the PIN, which is the web's own.
"""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, Response, g, jsonify, redirect, request

from engine.errors import CrowntableError
from host.face import Workshop
from web import catalogue, cookies, page, spoken
from web.app import refuse, set_cookie, site
from web.audience import OPERATOR
from web.operator import login_page
from web.security import SESSION_S

blueprint = Blueprint("setup", __name__)

STEPS: Final = ("language", "table", "devices", "zones", "camera", "lights", "decks", "pin", "ready")


def allowed(wanted: str | None) -> Any:
    """None where this is the operator at a table that can be set up; else what to answer instead. `wanted`:
    the page to come back to after the PIN, None for programs."""
    here = site()
    if not cookies.is_operator(here.guard, request.cookies):
        return refuse(401, "pin") if wanted is None else login_page(wanted)
    if here.table.workshop is None:
        return refuse(404, "no_setup")
    return None


def workshop() -> Workshop:
    """The table's workshop, after `allowed`."""
    found = site().table.workshop
    assert found is not None
    return found


@blueprint.get("/setup")
def setup() -> Any:
    """To the first step that is neither done nor left out."""
    stopped = allowed("/setup")
    if stopped is not None:
        return stopped
    steps = site().table.view(OPERATOR)["setup"]["steps"]
    left = next((one["step"] for one in steps if one["state"] is None), "ready")
    return redirect(f"/setup/{left}", code=303)


@blueprint.get("/setup/<step>")
def step(step: str) -> Any:
    """One step."""
    if step not in STEPS:
        return refuse(404, "missing")
    stopped = allowed(f"/setup/{step}")
    if stopped is not None:
        return stopped
    languages = [{"id": one, "name": catalogue.texts(one)["html.own_name"]} for one in catalogue.languages()]
    extra = {"step": step, "facts": _facts(), "languages": languages}
    return page.render("page.html", "setup", OPERATOR, extra=extra)


@blueprint.get("/setup/cards.csv")
def cards() -> Any:
    """The card list, for a spreadsheet."""
    stopped = allowed("/setup/decks")
    if stopped is not None:
        return stopped
    return _file(workshop().cards_csv().encode(), "text/csv; charset=utf-8", "cards.csv")


@blueprint.get("/api/v1/setup")
def facts() -> Any:
    """What the steps need beyond the View (host.face.Workshop.facts)."""
    return allowed(None) or jsonify(_facts())


@blueprint.get("/api/v1/setup/look")
def look() -> Any:
    """`?camera=dice`: the camera's picture of now and what is read in it."""
    stopped = allowed(None)
    if stopped is not None:
        return stopped
    return jsonify(look=workshop().look(request.args.get("camera", "")[:80]))


@blueprint.post("/api/v1/setup/calibrate")
def calibrate() -> Any:
    """`{"camera": "dice"}`: calibrates it with the printed board that lies in its tray."""
    stopped = allowed(None)
    if stopped is not None:
        return stopped
    body = request.get_json(silent=True)
    if not isinstance(body, dict) or not isinstance(body.get("camera"), str):
        return refuse(400, "body")
    outcome = workshop().calibrate(body["camera"][:80])
    return jsonify(ok=outcome.ok, text=spoken.told({"text": outcome.text}, g.language)["text"])


@blueprint.post("/api/v1/setup/pin")
def pin() -> Any:
    """`{"pin": "…"}`: a new PIN for the operator. Every other session ends with the old one."""
    stopped = allowed(None)
    if stopped is not None:
        return stopped
    body = request.get_json(silent=True)
    if not isinstance(body, dict) or not isinstance(body.get("pin"), str):
        return refuse(400, "body")
    guard = site().guard
    try:
        guard.change_pin(body["pin"])
    except ValueError:
        return refuse(400, "weak_pin")
    except CrowntableError as error:
        return jsonify(ok=False, text=error.what, cure=error.cure), 500
    response = jsonify(ok=True, text="", cure="")
    set_cookie(response, cookies.OPERATOR, guard.new_session(), max_age=SESSION_S)
    return response


def _facts() -> Any:
    return spoken.told(workshop().facts(), g.language)


def _file(body: bytes, kind: str, name: str) -> Response:
    response = Response(body, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
