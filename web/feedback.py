"""What people say of a match: the form that the QR code at its end opens. Nobody sees another's answer."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

from flask import Blueprint, Response, g, make_response, redirect, render_template, request

from engine.errors import CrowntableError
from host.face import Table
from host.feedback import LONGEST, POINTS, SCALES, Answer, Feedback, Moment, Said, said, window
from host.moments import found, stretches
from web import addresses, cookies, spoken
from web.app import refuse, set_cookie, site

blueprint = Blueprint("feedback", __name__)

Json = dict[str, Any]
#: whether a match takes answers at this table: as host.feedback.Window, or `off`, where nobody is asked
State = Literal["running", "open", "closed", "off"]
#: the store, the match's row, whether it takes answers and until when
Asked = tuple[Feedback, Json, State, float | None]
#: seconds that a page waits for records that are still being read
PATIENCE: Final = 2.0
#: how long a phone may delete what it said
KEEP_S: Final = 365 * 86400
_MOMENT: Final = re.compile(r"(play|duel):([0-9]{1,15})", re.ASCII)


def _asked(match: str) -> Asked | None:
    """What there is to know of a match; None where there is no such match, or answers are never kept here."""
    table = site().table
    rows = table.matches(PATIENCE)
    row = next((one for one in rows if one["id"] == match), None)
    if row is None or table.feedback is None:
        return None
    state, until = window(rows, match, time.time())
    return table.feedback, row, state if table.asking() else "off", until


def _secret() -> str:
    return request.cookies.get(cookies.ANSWERS, "")[:64]


@blueprint.get("/feedback/<match>")
def form(match: str) -> Any:
    """The form; or that this match goes on still, or takes no more answers; with what this phone has said."""
    asked = _asked(match)
    return refuse(404, "match") if asked is None else _page(asked)


def _page(
    asked: Asked,
    problem: CrowntableError | None = None,
    typed: Mapping[str, str] | None = None,
    status: int = 200,
) -> Any:
    """The page, with what was `typed` where it could not be taken."""
    kept, row, state, until = asked
    mine = kept.mine(_secret(), row)
    began = datetime.fromtimestamp(row["started"]).astimezone()
    shown = render_template(
        "feedback.html",
        page="feedback",
        row=row,
        began={"iso": began.isoformat(timespec="minutes"), "text": began.strftime("%Y-%m-%d %H:%M")},
        state=state,
        until=_hour(until),
        mine=mine,
        gone="gone" in request.args,
        typed=typed if typed is not None else _typed(mine, row),
        moment=_moment_words(mine),
        problem=problem and [spoken.say(text, g.language) for text in (problem.what, problem.cure)],
        scales=SCALES,
        points=range(1, POINTS + 1),
        longest=LONGEST,
    )
    return shown, status


def _hour(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def _typed(mine: Answer | None, row: Json) -> dict[str, str]:
    """The form's fields as this phone last sent them; for a new answer the seat whose link it has."""
    if mine is None:
        guard = site().guard
        every = [seat["seat"] for seat in row["seats"]]
        seats = [seat for seat in every if cookies.has_seat(guard, seat, request.cookies)]
        wanted = request.args.get("seat", type=int)
        own = wanted if wanted in seats else seats[0] if len(seats) == 1 else None
        return {} if own is None else {"seat": str(own)}
    told = mine.said
    fields = {name: str(point) for name, point in told.scales.items()} | {"text": told.text}
    if told.seat is not None:
        fields["seat"] = str(told.seat)
    if told.moment is not None:
        fields["moment"] = f"{told.moment.kind}:{told.moment.seq}"
    return fields


def _moment_words(mine: Answer | None) -> str:
    where = mine.said.moment if mine is not None else None
    return "" if where is None else spoken.say(where.text, g.language)


@blueprint.post("/feedback/<match>")
def send(match: str) -> Any:
    """Keeps this phone's answer, in the place of the one before. What can't be kept comes back as typed."""
    asked = _asked(match)
    if asked is None:
        return refuse(404, "match")
    if not site().guard.answer_pace.allows(request.remote_addr or "?"):
        return refuse(429, "pace")
    kept, row, state, _ = asked
    if state != "open":
        return _page(asked, typed=request.form, status=409)
    secret = _secret() or secrets.token_urlsafe(24)
    try:
        given = _given(site().table, row, request.form)
    except CrowntableError as error:
        return _page(asked, error, request.form, 422)
    try:
        kept.keep(secret, row, given, time.time())
    except CrowntableError as error:
        return _page(asked, error, request.form, 507)
    response = make_response(redirect(f"/feedback/{match}", code=303))
    set_cookie(response, cookies.ANSWERS, secret, max_age=KEEP_S)
    return response


def _given(table: Table, row: Json, fields: Mapping[str, str]) -> Said:
    """The answer in a form's fields. Raises CrowntableError."""
    given = {name: fields.get(name, "") for name in SCALES}
    # What is no digit is no point either: 0 is refused.
    points = {name: int(text) if text in "0123456789" else 0 for name, text in given.items() if text}
    seat = next((s["seat"] for s in row["seats"] if str(s["seat"]) == fields.get("seat")), None)
    return said(
        points,
        fields.get("text", ""),
        seat=seat,
        by_link=seat is not None and cookies.has_seat(site().guard, seat, request.cookies),
        moment=_moment(table, row, fields.get("moment", "")),
        language=g.language,
    )


def _moment(table: Table, row: Json, text: str) -> Moment | None:
    """The moment that was picked, with what the record says of it where that can be read by now."""
    picked = _MOMENT.fullmatch(text)
    if picked is None:
        return None
    kind, seq = picked[1], int(picked[2])
    opened = table.replay(row["id"], PATIENCE)
    if opened is None or opened.replay is None:
        return Moment("duel" if kind == "duel" else "play", seq)
    step = found(opened.replay.summary(), seq)
    if step is None:
        return None
    return Moment("duel" if kind == "duel" else "play", seq, step["n"], step["clock"], step["text"])


@blueprint.post("/feedback/<match>/delete")
def delete(match: str) -> Any:
    """Deletes what this phone said of the match, whenever it likes."""
    asked = _asked(match)
    if asked is None:
        return refuse(404, "match")
    kept, row, _, _ = asked
    mine = kept.mine(_secret(), row)
    try:
        if mine is not None:
            kept.forget(mine.id)
    except CrowntableError as error:
        return _page(asked, error, status=507)
    return redirect(f"/feedback/{match}?gone", code=303)


@blueprint.get("/feedback/<match>/moments")
def moments(match: str) -> Any:
    """The match's time line to pick from; 202 while it is still being read."""
    opened = site().table.replay(match, PATIENCE)
    if opened is None:
        return refuse(404, "match")
    if opened.replay is None:
        return Response(status=202) if not opened.trouble else refuse(422, "match")
    summary = opened.replay.summary()
    line, seats = spoken.told([stretches(summary), summary["seats"]], g.language)
    return render_template("moments.html", line=line, seats={seat["seat"]: seat for seat in seats})


@blueprint.get("/feedback/<match>/qr.svg")
def code(match: str) -> Any:
    """The QR code that opens the form, for the table's screen; 404 where phones can't reach the table."""
    here = site()
    url = addresses.lan_url(here.host, here.port)
    if url is None or not re.fullmatch(r"m[0-9]{1,9}", match, re.ASCII):
        return refuse(404, "missing")
    return Response(addresses.qr_svg(f"{url}/feedback/{match}"), content_type="image/svg+xml")
