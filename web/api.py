"""`/api/v1`: the same JSON for pages, tests and other programs. The stream is in web/stream.py."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, g, jsonify, request

from engine.game import Audience
from host.face import Outcome, Who
from web import audience, cookies, spoken
from web.app import refuse, site
from web.owned import owned_cards

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")

#: What a seat may do by itself: its own moves, entered by hand where the table missed them.
SEAT_ACTIONS: Final = frozenset(
    {"roll", "declare", "redraw", "play", "retreat", "stand", "intervene", "lay", "keep", "claim"}
)
SEAT_COMMANDS: Final = frozenset({"answer", "judge"})


def _body(key: str) -> tuple[dict[str, Any] | None, Audience | None]:
    """The request's object under `key` and as whom it is meant; None where malformed."""
    body = request.get_json(silent=True)
    if not isinstance(body, dict) or not isinstance(body.get(key), dict):
        return None, None
    return body[key], audience.parse(str(body.get("as", "operator")))


def _who(meant: Audience | None) -> Who | None:
    """The person, where this browser may act as meant; None where it may not."""
    guard = site().guard
    if meant is None:
        return None
    if g.key is not None:
        return Who("operator", g.key.name) if meant.kind == "operator" and g.key.may("act") else None
    if meant.kind == "operator" and cookies.is_operator(guard, request.cookies):
        return Who("operator")
    if meant.kind == "seat" and cookies.has_seat(guard, meant.seat or 0, request.cookies):
        return Who("seat", str(meant.seat))
    return None


def reads_all() -> bool:
    """May this request read what the operator reads: by the PIN's session or by a key?"""
    if g.key is not None:
        return bool(g.key.may("read"))
    return cookies.is_operator(site().guard, request.cookies)


def _denied() -> Any:
    """Why a request may not act: a program's key has not the right, or the PIN or the link is missing."""
    return refuse(403, "key_scope") if g.key is not None else refuse(401, "pin")


def _answer(outcome: Outcome) -> Any:
    answer = {"ok": outcome.ok, "text": outcome.text, "findings": list(outcome.findings), "seq": outcome.seq}
    return jsonify(spoken.told(answer, g.language))


def _seat_may_act(action: dict[str, Any], seat: str) -> bool:
    return (
        action.get("do") in SEAT_ACTIONS
        and isinstance(action.get("seat"), int)
        and str(action["seat"]) == seat
        and "force" not in action
    )


def _seat_may_command(command: dict[str, Any], seat: int) -> bool:
    if command.get("cmd") not in SEAT_COMMANDS:
        return False
    if command["cmd"] == "answer":
        view = site().table.view(Audience("seat", seat))
        mine = {one["id"] for one in view["questions"] if seat in one.get("seats", [])}
        return command.get("question") in mine
    return True


@blueprint.post("/act")
def act() -> Any:
    """`{"as": "operator" | "seat:2", "action": {"do": …}}`: a game action."""
    action, meant = _body("action")
    if action is None:
        return refuse(400, "body")
    who = _who(meant)
    if who is None:
        return _denied()
    if who.kind == "seat" and not _seat_may_act(action, who.id):
        return refuse(403, "not_seat")
    return _answer(site().table.act(action, who))


@blueprint.post("/command")
def command() -> Any:
    """`{"as": …, "command": {"cmd": …}}`: what is not a game action (host/face.py lists them)."""
    wanted, meant = _body("command")
    if wanted is None:
        return refuse(400, "body")
    who = _who(meant)
    if who is None:
        return _denied()
    if who.kind == "seat":
        seat = int(who.id)
        if not _seat_may_command(wanted, seat):
            return refuse(403, "not_seat")
    return _answer(site().table.command(wanted, who))


@blueprint.get("/virtual")
def virtual_state() -> Any:
    """The virtual table's people and devices. Shows hidden hands, so the operator's only."""
    here = site()
    if here.table.virtual is None:
        return refuse(404, "no_virtual")
    if not reads_all():
        return refuse(401, "pin")
    return jsonify(here.table.virtual.state())


@blueprint.post("/virtual")
def virtual_do() -> Any:
    """`{"command": {"move": …, "to": …}}`: a hand's movement at the virtual table."""
    here = site()
    wanted, _ = _body("command")
    if wanted is None:
        return refuse(400, "body")
    if here.table.virtual is None:
        return refuse(404, "no_virtual")
    if _who(audience.OPERATOR) is None:
        return _denied()
    return _answer(here.table.virtual.do(wanted))


@cache
def description() -> dict[str, Any]:
    """The API's OpenAPI description, the file of this package."""
    read: dict[str, Any] = json.loads(Path(__file__).with_name("openapi.json").read_text(encoding="utf-8"))
    return read


@blueprint.get("/openapi.json")
def openapi() -> Any:
    """What this API takes and gives, as OpenAPI 3.1."""
    return jsonify(description())


@blueprint.get("/view")
def view() -> Any:
    """`?audience=spectator | stream | operator | seat:2`, each also in a language (`seat:2@it`): the View."""
    meant = audience.channel(request.args.get("audience", "spectator"))
    if meant is None:
        return refuse(400, "audience")
    if not cookies.may_see(site().guard, meant.audience, request.cookies, g.key):
        return refuse(401, "pin")
    return jsonify(spoken.told(site().table.view(meant.audience), meant.language))


@blueprint.get("/cards")
def cards() -> Any:
    """`?audience=operator | seat:2`: which cards the seats own, a seat only its own."""
    meant = audience.parse(request.args.get("audience", "operator"))
    if meant is None or meant.kind not in ("operator", "seat"):
        return refuse(400, "audience")
    if not cookies.may_see(site().guard, meant, request.cookies, g.key):
        return refuse(401, "pin")
    every = owned_cards(site().table)
    wanted = ("0", str(meant.seat))
    return jsonify(every if meant.kind == "operator" else {k: every[k] for k in wanted if k in every})


@blueprint.get("/entries")
def entries() -> Any:
    """`?after=0&limit=500`: the journal's entries, oldest first. The operator's."""
    if not reads_all():
        return refuse(401, "pin")
    after, limit = request.args.get("after", "0"), request.args.get("limit", "500")
    if not all(text.isascii() and text.isdigit() and len(text) < 16 for text in (after, limit)):
        return refuse(400, "bad")
    return jsonify(site().table.entries(int(after), max(1, min(int(limit), 2000))))


@blueprint.get("/matches")
def matches() -> Any:
    """Every match in the journal, newest first."""
    return jsonify(site().table.matches())


@blueprint.get("/undo-preview")
def undo_preview() -> Any:
    """What an undo would take back, without doing it. The operator's."""
    if not reads_all():
        return refuse(401, "pin")
    return jsonify(spoken.told(site().table.preview_undo(), g.language))
