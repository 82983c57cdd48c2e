"""The hall's pages and its API: every table, the big screen, the day. Everybody may look; the staff's PIN
is needed for one thing only, saying that somebody goes to a table that has called."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, cast

from flask import Blueprint, Flask, current_app, g, jsonify, redirect, request

from engine.errors import CrowntableError
from host.face import Table
from host.hall.board import Board
from host.hall.collector import Collector
from host.hall.day import Slot, bounds, plan, read_schedule, standings
from host.hall.store import Store, StoreError
from host.hall.wire import Json, is_name
from web import addresses, assets, catalogue, cookies, operator, page, public, spoken
from web.app import Site, framed, refuse, site
from web.audience import SPECTATOR
from web.security import Guard

blueprint = Blueprint("hall", __name__)

NAV: Final = (
    ("/", "hall", "hall.nav_tables"),
    ("/screen", "screen", "hall.nav_screen"),
    ("/day", "day", "hall.nav_day"),
    ("/operator", "login", "hall.nav_staff"),
)
#: seconds for which a day that was worked out is given to everybody who asks
DAY_S: Final = 5.0


@dataclass(slots=True)
class Hall:
    """What the pages show: the board, the database, the schedule's file, the collecting."""

    board: Board
    store: Store
    collector: Collector
    schedule: Path | None = None
    #: the schedule is looked for where it usually is: it need not be there
    usual: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _slots: tuple[float, tuple[Slot, ...], str] = (0.0, (), "")
    _days: dict[str, tuple[float, Json]] = field(default_factory=dict)

    def slots(self) -> tuple[tuple[Slot, ...], str]:
        """The schedule, read again when its file has changed; and what is wrong with it, if anything
        is: then the one before stays."""
        if self.schedule is None:
            return (), ""
        with self._lock:
            at, slots, trouble = self._slots
            try:
                changed = self.schedule.stat().st_mtime
                if changed != at:
                    slots, trouble = read_schedule(self.schedule), ""
            except CrowntableError as error:
                trouble = f"{error.what} {error.cure}"
            except OSError:
                changed, trouble = -1.0, f"The schedule {self.schedule.name} is not there."
                if self.usual:
                    slots, trouble = (), ""
            self._slots = (changed, slots, trouble)
            return slots, trouble

    def day(self, day: date) -> Json:
        """The schedule and the standings of a day. Raises StoreError."""
        key, now = day.isoformat(), time.monotonic()
        with self._lock:
            at, known = self._days.get(key, (0.0, {}))
            if known and now - at < DAY_S:
                return known
        slots, trouble = self.slots()
        played = self.store.played(*bounds(day))
        today = day == date.today()
        made = {
            "day": key,
            "schedule": plan(slots, played, day) if today else [],
            "trouble": trouble,
            "standings": standings(played),
            "played": sum(match.ended is not None for match in played),
        }
        with self._lock:
            self._days = {key: (now, made)}
        return made


def hall() -> Hall:
    """The hall of the request under way."""
    return cast(Hall, current_app.config["HALL"])


def hall_pages(made: Hall) -> Callable[..., Flask]:
    """What `web.server.serve` makes the hall's application with."""

    def create(
        table: Table, guard: Guard, *, streams: Callable[[], int] = lambda: 0, host: str = "", port: int = 0
    ) -> Flask:
        app = framed(Site(table, guard, streams, host, port, NAV), [blueprint])
        app.config["HALL"] = made
        return app

    return create


def _page(name: str, extra: Json) -> Any:
    return page.render("hall.html", name, SPECTATOR, extra=extra)


@blueprint.get("/")
def tables() -> Any:
    """Every table: its game, turn, leader, time, and what asks for somebody."""
    here = site()
    return _page("hall", {"join": addresses.lan_url(here.host, here.port)})


@blueprint.get("/screen")
def screen() -> Any:
    """The big screen: the best running duels, one after another."""
    return _page("screen", {})


@blueprint.get("/day")
def day_page() -> Any:
    """The day's schedule and standings."""
    return _page("day", {"day": _day(date.today())})


def _told(day: Json) -> Json:
    """A day, with what the program says in it in the reader's language."""
    if not spoken.knows(g.language):
        return day
    rows = []
    for row in day["schedule"]:
        match = row["match"]
        if match is not None:
            match = {**match, "winners": [spoken.name(one, g.language) for one in match["winners"]]}
        rows.append({**row, "match": match})
    return {**day, "schedule": rows, "trouble": spoken.say(day["trouble"], g.language)}


def _day(day: date) -> Json:
    try:
        return _told(hall().day(day))
    except StoreError:
        return {"day": day.isoformat(), "schedule": [], "trouble": "", "standings": {}, "played": None}


@blueprint.get("/operator")
def staff() -> Any:
    """The staff's PIN, or the console's one-time link; then back to the tables."""
    once = request.args.get("once")
    guard = site().guard
    if cookies.is_operator(guard, request.cookies):
        return redirect("/", code=303)
    if once is not None:
        if guard.spend_one_time(once):
            return operator.opened("/")
        return operator.login_page("/operator", catalogue.texts(g.language)["html.once_spent"], 403)
    return operator.login_page("/operator")


blueprint.add_url_rule("/operator/login", "login", operator.login, methods=["POST"])
blueprint.add_url_rule("/operator/logout", "logout", operator.logout, methods=["POST"])
blueprint.add_url_rule("/language", "language", public.language, methods=["POST"])
blueprint.add_url_rule("/favicon.ico", "favicon", public.favicon)


@blueprint.get("/api/v1/view")
def view() -> Any:
    """The hall's View, docs/hall.md."""
    return jsonify(site().table.view(SPECTATOR))


@blueprint.get("/api/v1/tables/<name>")
def one_table(name: str) -> Any:
    """The View that a table published last, as docs/view.md has it."""
    found = hall().board.table(name) if is_name(name) else None
    return refuse(404, "missing") if found is None else jsonify(found)


@blueprint.get("/api/v1/day")
def day() -> Any:
    """`?day=2026-05-02`: schedule (today's only) and standings; without it, today's."""
    try:
        wanted = datetime.strptime(request.args.get("day", date.today().isoformat()), "%Y-%m-%d").date()
        bounds(wanted)
    except (ValueError, OverflowError, OSError):
        return refuse(400, "bad")
    try:
        return jsonify(_told(hall().day(wanted)))
    except StoreError:
        return refuse(503, "database")


@blueprint.get("/api/v1/records")
def records() -> Any:
    """Every match of `?day=…` (today's without it) as a row: table, game, players, winners, times."""
    try:
        wanted = datetime.strptime(request.args.get("day", date.today().isoformat()), "%Y-%m-%d").date()
        since, until = bounds(wanted)
    except (ValueError, OverflowError, OSError):
        return refuse(400, "bad")
    try:
        found = hall().store.played(since, until)
    except StoreError:
        return refuse(503, "database")
    return jsonify(
        [
            {
                "table": m.name,
                "match": f"m{m.number}",
                "game": m.game,
                "started": m.started,
                "ended": m.ended,
                "players": list(m.players),
                "winners": list(m.winners),
                "entries": m.entries,
            }
            for m in found
        ]
    )


@blueprint.post("/api/v1/attend")
def attend() -> Any:
    """`{"table", "journal", "seq"}` of an alarm: somebody goes there. The staff's."""
    if not cookies.is_operator(site().guard, request.cookies):
        return refuse(401, "pin")
    body = request.get_json(silent=True)
    call = body if isinstance(body, dict) else {}
    table, journal, seq = (call.get(key) for key in ("table", "journal", "seq"))
    sound = is_name(table) and isinstance(journal, str) and type(seq) is int and 0 <= seq < 2**53
    if not sound:
        return refuse(400, "body")
    here = hall()
    try:
        known = here.store.attend(str(table), str(journal)[:64], int(cast(int, seq)))
        here.board.calls(here.store.calls())
    except StoreError:
        return refuse(503, "database")
    words = catalogue.texts(g.language)
    return jsonify(ok=known, text=words["hall.attended" if known else "hall.not_called"])


@blueprint.get("/health")
def health() -> Any:
    """Does this hall server collect? For programs that watch it."""
    here = hall()
    figures = here.collector.figures
    return jsonify(
        ok=not (here.collector.broker_trouble or here.collector.store_trouble),
        broker=here.collector.broker_trouble or "up",
        database=here.collector.store_trouble or "up",
        assets=assets.version(),
        streams=site().streams(),
        tables=len(site().table.view(SPECTATOR)["tables"]),
        events=figures.events,
        seen_before=figures.seen,
        ahead=figures.ahead,
        refused=figures.bad,
    )
