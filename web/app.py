"""The Flask application: pages and API by audience, and the rules that hold for every answer."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from flask import Blueprint, Flask, Response, current_app, g, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from host.face import Table
from web import assets, catalogue, cookies, keys
from web.security import Guard

CSP: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: browsers then send `Origin: null` with our own forms.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Site:
    """What the views need: the table, the guard, the number of open streams, where we listen."""

    table: Table
    guard: Guard
    streams: Callable[[], int]
    host: str
    port: int
    #: the pages linked at the top instead of a table's: address, page, its text
    nav: tuple[tuple[str, str, str], ...] = ()


def site() -> Site:
    """The site of the request under way."""
    return cast(Site, current_app.config["SITE"])


def wants_json() -> bool:
    """Is the request one of a program's, to be answered in JSON?"""
    return request.path.startswith("/api/") or (request.path == "/health" and not wants_page())


def wants_page() -> bool:
    """Does a browser ask, which names HTML before all else? Programs take anything, or JSON."""
    kinds = request.accept_mimetypes
    return kinds["text/html"] > kinds["application/json"]


def refusal(status: int, text: str, cure: str = "") -> tuple[Response, int]:
    """A refused API request: one sentence, and what to do next where there is something to do."""
    return jsonify(ok=False, text=text, cure=cure), status


def _before() -> Any:
    guard = site().guard
    if not guard.is_host(request.headers.get("Host")):
        return refuse(421, "host")
    g.key = None
    given = keys.bearer(request.headers.get("Authorization"))
    if given is not None and wants_json():
        return _with_key(given)
    g.visitor = request.cookies.get(cookies.VISITOR)
    g.new_visitor = not g.visitor or len(g.visitor) > 64
    if g.new_visitor:
        g.visitor = secrets.token_urlsafe(12)
    # What a visitor has chosen; else what the table was set up with; else what the browser asks for.
    g.language = catalogue.choose(
        request.cookies.get(cookies.LANGUAGE),
        f"{site().table.language()},{request.headers.get('Accept-Language', '')}",
    )
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        origin = request.headers.get("Origin")
        if origin not in (None, f"http://{request.host}", f"https://{request.host}"):
            return refuse(403, "origin")
        token = request.headers.get("X-CSRF-Token") or request.form.get("csrf")
        if g.new_visitor or not guard.is_csrf(g.visitor, token):
            return refuse(403, "csrf")
        if not guard.pace.allows(request.remote_addr or "?"):
            return refuse(429, "pace")
    return None


def _with_key(given: str) -> Any:
    """A program's request. A key is no cookie: no browser sends it by itself, so it needs no page's token."""
    guard = site().guard
    g.language = catalogue.choose(None, request.headers.get("Accept-Language"))
    g.key = guard.keys.find(given)
    if g.key is None:
        known = guard.pace.allows(request.remote_addr or "?")
        return refuse(401, "key") if known else refuse(429, "pace")
    return None if guard.key_pace.allows(g.key.id) else refuse(429, "pace")


def refuse(status: int, key: str, **values: object) -> Any:
    """A refusal with the catalogue's words: JSON for programs, a page for people."""
    words = catalogue.texts(g.get("language", catalogue.DEFAULT))
    text, cure = words[f"refused.{key}"], words[f"refused.{key}_cure"]
    for name, value in values.items():
        text, cure = text.replace(f"{{{name}}}", str(value)), cure.replace(f"{{{name}}}", str(value))
    if wants_json():
        return refusal(status, text, cure)
    return render_template("refused.html", title=text, text=text, cure=cure, status=status), status


def _after(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers["Server"] = "crowntable"
    if g.get("new_visitor") and not request.path.startswith("/static/"):
        set_cookie(response, cookies.VISITOR, g.visitor, max_age=30 * 86400)
    return response


def set_cookie(response: Any, name: str, value: str, max_age: int | None = None) -> None:
    """A cookie as all of ours are: not for scripts, not sent from other sites' forms."""
    response.set_cookie(
        name, value, max_age=max_age, httponly=True, samesite="Lax", secure=request.is_secure, path="/"
    )


def _http_error(error: HTTPException) -> Any:
    status = error.code or 500
    if 300 <= status < 400:
        return error
    key = {404: "missing", 405: "method", 413: "large"}.get(status, "bad" if status < 500 else "broken")
    if status in (400, 404) and request.path.startswith("/api/"):
        key = {400: "call", 404: "route"}[status]  # a program reads this, and has no links above
    refused = refuse(status, key)
    if isinstance(error, MethodNotAllowed):
        response = make_response(refused)
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
        return response
    return refused


def _crash(error: Exception) -> Any:
    # The room's edge: whatever a page stumbles over is logged, and the visitor reads one sentence.
    current_app.logger.exception("a request failed: %s", error)
    return refuse(500, "broken")


def _context() -> dict[str, Any]:
    words = catalogue.texts(g.get("language", catalogue.DEFAULT))
    return {
        "t": lambda key: words[key],
        "lang": g.get("language", catalogue.DEFAULT),
        "languages": catalogue.languages(),
        "assets": f"/static/{assets.version()}",
        "csrf": site().guard.csrf(g.get("visitor") or ""),
        "nav": site().nav,
        "nav_virtual": site().table.virtual is not None,
    }


def _static(version: str, name: str) -> Any:
    found = assets.asset(name)
    if found is None:
        return refuse(404, "missing")
    packed = found.packed is not None and "gzip" in request.headers.get("Accept-Encoding", "")
    body = found.packed if packed and found.packed is not None else found.plain
    response = Response(body, content_type=found.kind)
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    forever = version == assets.version()
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if forever else "no-cache"
    return response


def create_app(
    table: Table, guard: Guard, *, streams: Callable[[], int] = lambda: 0, host: str = "", port: int = 0
) -> Flask:
    """The application for one table. Threads of a pool may run it at once."""
    # they import `site` from here
    from web import (
        answers,
        api,
        attract,
        feedback,
        health,
        operator,
        public,
        records,
        rules,
        seat,
        setup,
        virtual,
    )
    from web.lab import pages as lab

    kept = (rules, records, lab, feedback, answers)
    parts = (public, seat, operator, setup, health, virtual, *kept, attract, api)
    return framed(Site(table, guard, streams, host, port), [part.blueprint for part in parts])


def framed(here: Site, parts: Sequence[Blueprint]) -> Flask:
    """An application of these pages with everything that holds for every answer of ours."""
    app = Flask("web", static_folder=None, template_folder="templates")
    app.config["SITE"] = here
    app.config["MAX_CONTENT_LENGTH"] = 64 * 1024
    app.json.sort_keys = False  # type: ignore[attr-defined]  # Flask types the base provider only
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.before_request(_before)
    app.after_request(_after)
    app.context_processor(_context)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(RecursionError, lambda _: refuse(400, "bad"))
    app.register_error_handler(Exception, _crash)
    app.add_url_rule("/static/<version>/<path:name>", "static", _static)
    for part in parts:
        app.register_blueprint(part)
    return app
