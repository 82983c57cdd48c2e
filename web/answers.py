"""What people said of the matches, for the operator: a page, a table for other programs, and the API."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from flask import Blueprint, Response, g, jsonify, redirect, render_template, request

from engine.errors import CrowntableError
from host.face import Who
from host.feedback import FORM, SCALES, read
from host.feedback_report import as_csv, report
from host.moments import stretches
from web import cookies, spoken
from web.api import reads_all
from web.app import refuse, site
from web.operator import login_page

blueprint = Blueprint("answers", __name__)

Json = dict[str, Any]
#: matches on one page
PAGE: Final = 8
#: seconds that the page waits for records that are still being read
PATIENCE: Final = 2.0
_MATCH: Final = re.compile(r"m[0-9]{1,9}", re.ASCII)


def _report(match: str | None) -> Json:
    """The report of this table. Raises CrowntableError."""
    table = site().table
    if table.feedback is None:
        return report((), ())
    rows = [row for row in table.matches(PATIENCE) if match in (None, row["id"])]
    given, broken = read(table.feedback.folder, match)
    return report(given, rows, len(broken))


def _wanted() -> tuple[str | None, bool]:
    """The match asked for, None for all; and whether that is one's name at all."""
    match = request.args.get("match")
    return match, match is None or bool(_MATCH.fullmatch(match))


def _is_operator() -> bool:
    return cookies.is_operator(site().guard, request.cookies)


@blueprint.get("/feedback")
def page() -> Any:
    """`?match=m3&p=2`: means, texts, moments and flags, newest match first."""
    if not _is_operator():
        return login_page("/feedback")
    match, good = _wanted()
    if not good:
        return refuse(404, "match")
    told = _report(match)
    last = max(1, -(-len(told["matches"]) // PAGE))
    at = min(last, max(1, request.args.get("p", 1, type=int)))
    here = told["matches"][(at - 1) * PAGE : at * PAGE]
    return render_template(
        "answers.html",
        page="answers",
        told=told,
        asking=site().table.asking(),
        rows=[_shown(one, alone=match is not None) for one in here],
        scales=SCALES,
        form=FORM,
        match=match,
        at=at,
        last=last,
    )


def _shown(one: Json, alone: bool) -> Json:
    """A match of the report with what the template says of it worked out; `alone`: with its duels."""
    names = {seat.get("seat"): seat.get("name") or "" for seat in one["seats"]}
    opened = site().table.replay(one["match"], PATIENCE) if alone and one["here"] else None
    line: list[Json] = []
    if opened is not None and opened.replay is not None:
        line = [part for part in stretches(opened.replay.summary()) if part["kind"] == "duel"]
    moments = [answer["moment"] for answer in one["answers"] if answer["moment"]]
    clocks = [m["clock"] for m in (*moments, *one["flags"])] + [part["until"] for part in line]
    return {
        **one,
        **_when(one["started"]),
        "answers": [_told(answer) for answer in one["answers"]],
        "names": names,
        "houses": {seat.get("seat"): seat.get("house") for seat in one["seats"]},
        "line": line,
        "drawn": alone and bool(clocks),
        "length": max([one["seconds"] or 0.0, 1.0, *clocks]),
    }


def _told(answer: Json) -> Json:
    where = answer["moment"]
    moment = where and {**where, "text": spoken.say(where["text"], g.language)}
    return {**answer, "given": _when(answer["at"]), "moment": moment}


def _when(seconds: float) -> Json:
    at = datetime.fromtimestamp(seconds).astimezone()
    return {"iso": at.isoformat(timespec="minutes"), "date": at.strftime("%Y-%m-%d %H:%M")}


@blueprint.post("/feedback/asking")
def asking() -> Any:
    """`on=1`: the screens ask after each match; anything else: they no longer do. Raises CrowntableError."""
    if not _is_operator():
        return refuse(401, "pin")
    on = request.form.get("on") == "1"
    outcome = site().table.command({"cmd": "setup-asking", "on": on}, Who("operator"))
    if not outcome.ok:
        raise CrowntableError(outcome.text, "")
    return redirect("/feedback", code=303)


@blueprint.post("/feedback/delete")
def delete() -> Any:
    """Deletes anybody's answer."""
    if not _is_operator():
        return refuse(401, "pin")
    table = site().table
    if table.feedback is not None:
        table.feedback.forget(request.form.get("id", ""))
    match = request.form.get("match", "")
    return redirect(f"/feedback?match={match}" if _MATCH.fullmatch(match) else "/feedback", code=303)


@blueprint.get("/feedback.csv")
def table() -> Any:
    """`?match=m3`: the answers as CSV."""
    if not _is_operator():
        return login_page("/feedback")
    match, good = _wanted()
    kept = site().table.feedback
    if not good or kept is None:
        return refuse(404, "match")
    response = Response(as_csv(read(kept.folder, match)[0]), content_type="text/csv; charset=utf-8")
    name = f"crowntable-answers{f'-{match}' if match else ''}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@blueprint.get("/api/v1/feedback")
def told() -> Any:
    """`?match=m3`: the report as JSON. The operator's."""
    if not reads_all():
        return refuse(401, "pin")
    match, good = _wanted()
    if not good:
        return refuse(400, "bad")
    return jsonify(_report(match))
