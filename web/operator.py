"""The operator's pages: everything by hand, behind the PIN; and the QR codes for phones."""

from __future__ import annotations

import math
import re
from typing import Any

from flask import Blueprint, g, make_response, redirect, render_template, request
from markupsafe import Markup

from web import addresses, catalogue, cookies, page, rulesets
from web.app import refuse, set_cookie, site
from web.audience import OPERATOR, SPECTATOR
from web.security import SESSION_S

blueprint = Blueprint("operator", __name__)
#: where the PIN may lead: pages of ours and nowhere else
_PAGES = re.compile(r"/(operator|virtual|qr|health|feedback|lab(/runs)?|setup(/[a-z]{1,20})?)")


def _is_operator() -> bool:
    return cookies.is_operator(site().guard, request.cookies)


def _safe_next(wanted: str | None) -> str:
    return wanted if wanted and _PAGES.fullmatch(wanted) else "/operator"


def login_page(wanted: str, problem: str = "", status: int = 200) -> Any:
    """The page that asks for the PIN, with what was wrong before."""
    return render_template("login.html", page="login", wanted=wanted, problem=problem), status


@blueprint.get("/operator")
def operator() -> Any:
    """The operator page; a one-time link from the console opens it without the PIN."""
    once = request.args.get("once")
    if once is not None:
        if _is_operator():
            return redirect("/operator", code=303)
        if site().guard.spend_one_time(once):
            return opened(_safe_next(request.args.get("next")))
        problem = catalogue.texts(g.language)["html.once_spent"]
        return login_page("/operator", problem, 403)
    if not _is_operator():
        return login_page("/operator")
    return page.render("page.html", "operator", OPERATOR, extra=_operator_extra())


def _operator_extra() -> dict[str, Any]:
    here = site()
    url = addresses.lan_url(here.host, here.port)
    return {"games": rulesets.games(), "lan": url}


def opened(wanted: str) -> Any:
    """Leads to a page of ours with a new session."""
    table = site().table
    if wanted == "/operator" and table.workshop is not None and not table.is_set_up():
        wanted = "/setup"  # the first time: nothing else is of use before
    response = make_response(redirect(wanted, code=303))
    set_cookie(response, cookies.OPERATOR, site().guard.new_session(), max_age=SESSION_S)
    return response


@blueprint.post("/operator/login")
def login() -> Any:
    """Checks the PIN; wrong ones wait longer and longer."""
    guard = site().guard
    address = request.remote_addr or "?"
    wanted = _safe_next(request.form.get("next"))
    words = catalogue.texts(g.language)
    wait = guard.attempts.wait(address)
    if wait > 0:
        text = words["html.pin_wait"].replace("{seconds}", str(math.ceil(wait)))
        body, _ = login_page(wanted, text)
        return body, 429, {"Retry-After": str(math.ceil(wait))}
    if not guard.check_pin(request.form.get("pin", "")[:64], address):
        return login_page(wanted, words["html.pin_wrong"], 403)
    return opened(wanted)


@blueprint.post("/operator/logout")
def logout() -> Any:
    """Ends the session on the server too."""
    site().guard.end_session(request.cookies.get(cookies.OPERATOR))
    response = make_response(redirect("/", code=303))
    response.delete_cookie(cookies.OPERATOR, path="/")
    return response


@blueprint.post("/operator/renew-links")
def renew_links() -> Any:
    """Makes the seats' links anew."""
    if not _is_operator():
        return refuse(401, "pin")
    site().guard.renew_seat_links()
    return redirect("/qr", code=303)


@blueprint.get("/qr")
def qr() -> Any:
    """QR codes with the LAN address: the table for everybody, and each seat's own link."""
    if not _is_operator():
        return login_page("/qr")
    here = site()
    url = addresses.lan_url(here.host, here.port)
    base = url or f"http://127.0.0.1:{here.port}"
    seats = here.table.view(SPECTATOR).get("seats") or []
    codes = [
        {
            "seat": one["seat"],
            "name": one.get("name") or "",
            "house": one.get("house_name") or "",
            "url": (link := f"{base}/seat/{one['seat']}?t={here.guard.seat_token(one['seat'])}"),
            "svg": Markup(addresses.qr_svg(link)),
        }
        for one in seats
    ]
    return render_template(
        "qr.html", page="qr", url=base, lan=url is not None, svg=Markup(addresses.qr_svg(base)), seats=codes
    )
