"""How the table is: `/health` for people with the PIN, as JSON for programs; its log; a helper's bundle."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, g, jsonify, request

from web import assets, page, spoken
from web.app import refuse, site, wants_page
from web.audience import OPERATOR, SPECTATOR
from web.setup import allowed, workshop

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def health() -> Any:
    """For a browser the operator's page; for programs: is it alive? Nothing about people or cards."""
    if wants_page():
        return allowed("/health") or page.render(
            "page.html", "health", OPERATOR, extra={"checks": _checks(), "log": _log()}
        )
    here = site()
    view = here.table.view(SPECTATOR)
    devices = [{key: device.get(key) for key in ("id", "kind", "state")} for device in view["devices"]]
    return jsonify(
        ok=True,
        program=view.get("program"),
        assets=assets.version(),
        version=here.table.version(),
        streams=here.streams(),
        devices=devices,
    )


@blueprint.get("/api/v1/health")
def checks() -> Any:
    """The lines of `crowntable doctor` for the running table."""
    return allowed(None) or jsonify(checks=_checks(), streams=site().streams())


@blueprint.get("/api/v1/log")
def log() -> Any:
    """`?find=…&level=WARNING&before=120`: the newest lines of the log, scrubbed."""
    return allowed(None) or _log_or_refusal()


@blueprint.get("/health/bundle.zip")
def bundle() -> Any:
    """All that a helper needs, in one file, without secrets and names."""
    stopped = allowed("/health")
    if stopped is not None:
        return stopped
    response = Response(workshop().bundle(), content_type="application/zip")
    response.headers["Content-Disposition"] = 'attachment; filename="crowntable-help.zip"'
    return response


def _checks() -> Any:
    found = workshop().checks()
    told = spoken.told([{"text": one["saw"], "cure": one["do"]} for one in found], g.language)
    return [
        {"name": one["name"], "level": one["level"], "saw": said["text"], "do": said["cure"]}
        for one, said in zip(found, told, strict=True)
    ]


def _log() -> Any:
    return workshop().log()


def _log_or_refusal() -> Any:
    before = request.args.get("before")
    if before is not None and not (before.isascii() and before.isdigit() and len(before) < 10):
        return refuse(400, "bad")
    found = workshop().log(
        request.args.get("find", "")[:200],
        request.args.get("level", "")[:10],
        int(before) if before is not None else None,
    )
    return jsonify(found)
