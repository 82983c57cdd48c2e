"""The table's matches: the list, a replay step by step, the score sheet, and the record to take away."""

from __future__ import annotations

import gzip
import json
from datetime import datetime
from typing import Any, Final

from flask import Blueprint, Response, g, render_template, request

from engine.errors import CrowntableError
from engine.game import Audience
from web import page, spoken
from web.app import refuse, site

blueprint = Blueprint("records", __name__)

Json = dict[str, Any]
SPECTATOR: Final = Audience("spectator")
#: seconds that a page waits for records that are still being read; it asks again by itself
PATIENCE: Final = 0.8
#: matches on one page of the list
PAGE: Final = 25
#: most steps in one answer
MOST_VIEWS: Final = 60
FORMATS: Final = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
#: an export's ending in its address and its file's name
ENDINGS: Final = {"jsonl": "jsonl", "csv": "csv", "txt": "text", "html": "html"}
MARKS: Final = ("corrected", "doubtful")


@blueprint.get("/matches")
def matches() -> Any:
    """`?q=ada&game=althera&mark=doubtful&p=2`: the table's matches, newest first."""
    wanted = {key: request.args.get(key, "")[:80] for key in ("q", "game", "mark")}
    problem, rows = "", []
    try:
        rows = site().table.matches(PATIENCE)
    except CrowntableError as error:
        problem = spoken.say(f"{error.what} {error.cure}", g.language)
    found = [row for row in rows if _fits(row, **wanted)]
    last = max(1, -(-len(found) // PAGE))
    at = min(last, max(1, request.args.get("p", 1, type=int)))
    return render_template(
        "records.html",
        page="records",
        rows=[_shown(row) for row in found[(at - 1) * PAGE : at * PAGE]],
        wanted=wanted,
        marks=MARKS,
        games=sorted({row["game"] for row in rows}),
        total=len(rows),
        found=len(found),
        unread=sum(not row["ready"] for row in rows),
        at=at,
        last=last,
        problem=problem,
    )


def _fits(row: Json, q: str, game: str, mark: str) -> bool:
    """Whether a match is one of those looked for: every word of `q` in its names, houses or number."""
    if game and row["game"] != game:
        return False
    if mark in MARKS and not (row.get(mark) or (mark == "doubtful" and row["trouble"])):
        return False
    about = [row["id"], str(row["number"]), row["game"], str(row.get("ruleset", ""))]
    about += [datetime.fromtimestamp(row["started"]).strftime("%Y-%m-%d")]
    about += [str(seat.get(key, "")) for seat in row["seats"] for key in ("name", "house", "house_name")]
    text = " ".join(about).casefold()
    return all(word in text for word in q.casefold().split())


def _shown(row: Json) -> Json:
    """A row with what the template says of it worked out."""
    begun = datetime.fromtimestamp(row["started"]).astimezone()
    winners = row["winners"] or []
    seats = [{**seat, "won": seat.get("seat") in winners} for seat in row["seats"]]
    minutes = round(row.get("seconds", 0) / 60)
    when = {"iso": begun.isoformat(timespec="minutes"), "date": begun.strftime("%Y-%m-%d %H:%M")}
    trouble = spoken.say(row["trouble"], g.language)
    return {**row, **when, "seats": seats, "minutes": minutes, "trouble": trouble}


@blueprint.get("/matches/<name>")
def replay(name: str) -> Any:
    """A match step by step, as the table page shows it; `#42` in the address is a step."""
    if _row(name) is None:
        return refuse(404, "match")
    more = {"extra": {"match": name}, "view": None, "match": name}
    return page.render("replay.html", "replay", SPECTATOR, **more)


def _row(name: str) -> Json | None:
    """The match's row in the list; None where there is no such match."""
    return next((row for row in site().table.matches(0.0) if row["id"] == name), None)


@blueprint.get("/matches/<name>/sheet")
def sheet(name: str) -> Any:
    """The score sheet, made for paper."""
    found = site().table.sheet(name)
    if found is None:
        return refuse(404, "match")
    return render_template("sheet.html", page="sheet", sheet=found, match=name)


@blueprint.get("/matches/<name>/record.<ending>")
def take_away(name: str, ending: str) -> Any:
    """The record as a file: jsonl, csv, txt (a score sheet to read) or html (a page to print)."""
    to = ENDINGS.get(ending)
    text = site().table.export(name, to) if to else None
    if to is None or text is None:
        return refuse(404, "match")
    response = Response(text, content_type=FORMATS[to])
    response.headers["Content-Disposition"] = f'attachment; filename="crowntable-{name}.{ending}"'
    return response


@blueprint.get("/api/v1/matches/<name>")
def summary(name: str) -> Any:
    """The match's steps, events and duels (docs/view.md); 202 while it is still being read."""
    opened = site().table.replay(name, PATIENCE)
    if opened is None:
        return refuse(404, "match")
    if opened.replay is None and not opened.trouble:
        return _packed({"ready": False}, 202)
    if opened.replay is None:
        return _packed({"ok": False, "text": spoken.say(opened.trouble, g.language), "cure": ""}, 422)
    return _packed(spoken.told({**opened.replay.summary(), "ready": True}, g.language))


@blueprint.get("/api/v1/matches/<name>/views")
def views(name: str) -> Any:
    """`?first=1&count=40`: the spectators' views after these steps; 202 while it is still being read."""
    first, count = (request.args.get(key, default) for key, default in (("first", "1"), ("count", "40")))
    if not all(text.isascii() and text.isdigit() and len(text) < 10 for text in (first, count)):
        return refuse(400, "bad")
    opened = site().table.replay(name, PATIENCE)
    if opened is None:
        return refuse(404, "match")
    if opened.replay is None:
        return _packed({"ready": False}, 202)
    found = opened.replay.views(int(first), min(int(count), MOST_VIEWS))
    return _packed({"ready": True, "first": max(1, int(first)), "views": spoken.told(found, g.language)})


def _packed(body: Json, status: int = 200) -> Response:
    """JSON, packed for those who take it: a long match is a megabyte of much the same."""
    data = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    response = Response(data, status=status, content_type="application/json")
    if "gzip" in request.headers.get("Accept-Encoding", "") and len(data) > 2000:
        response.set_data(gzip.compress(data, 3))
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    return response


@blueprint.app_errorhandler(CrowntableError)
def _trouble(error: CrowntableError) -> Any:
    """A journal or record that can't be read: its own sentence and what to do."""
    what, cure = spoken.say(error.what, g.language), spoken.say(error.cure, g.language)
    if request.path.startswith("/api/"):
        return _packed({"ok": False, "text": what, "cure": cure}, 422)
    text = {"title": what, "text": what, "cure": cure}
    return render_template("refused.html", page="refused", status=422, lang=g.language, **text), 422
