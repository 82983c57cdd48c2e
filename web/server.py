"""The web server: Tornado on one port, carrying Flask in a few threads and the live stream itself."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import tornado.web
from flask import Flask
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPServerRequest
from tornado.netutil import bind_sockets
from tornado.wsgi import WSGIContainer

from engine.errors import CrowntableError
from host.face import Table
from web import audience, catalogue, keys
from web.app import create_app
from web.audience import Channel
from web.cookies import may_see
from web.security import Guard
from web.stream import MOST_CLIENTS, Hub

#: Largest request body in bytes; the largest honest one, a new match, is under 4 kB.
MOST_BODY: Final = 64 * 1024
FLASK_THREADS: Final = 8
#: what makes the application: `create_app`, or another with its parameters
Pages = Callable[..., Flask]
log = logging.getLogger("crowntable.web")


class Refusing(tornado.web.RequestHandler):
    """What the server refuses by itself, in the one shape that all refusals have."""

    def refuse(self, status: int, key: str) -> None:
        """One sentence and what to do next (`texts/`, refused.<key>)."""
        words = catalogue.texts(catalogue.choose(None, self.request.headers.get("Accept-Language")))
        self.set_status(status)
        self.set_header("Cache-Control", "no-store")
        self.finish({"ok": False, "text": words[f"refused.{key}"], "cure": words[f"refused.{key}_cure"]})

    def write_error(self, status_code: int, **_: Any) -> None:
        """Tornado's own refusals, of a method that nobody knows for one."""
        if status_code == 405:
            self.set_header("Allow", "GET, HEAD, POST")
        key = {405: "method", 404: "missing"}.get(status_code, "bad" if status_code < 500 else "broken")
        self.refuse(status_code, key)


class FlaskHandler(Refusing, tornado.web.FallbackHandler):
    """Everything but the stream."""


class StreamHandler(Refusing):
    """`GET /api/v1/stream?audience=spectator,seat:2`: checks, then hands the socket to the hub."""

    def initialize(self, hub: Hub, guard: Guard) -> None:
        """Tornado's own way to pass things in."""
        self.hub = hub
        self.guard = guard

    async def get(self) -> None:
        """Opens the stream, or answers 400, 401, 421, 429 or 503 with one sentence."""
        cookies = {name: morsel.value for name, morsel in self.request.cookies.items()}
        if not self.guard.is_host(self.request.headers.get("Host")):
            return self.refuse(421, "host")
        given = keys.bearer(self.request.headers.get("Authorization"))
        key = None if given is None else self.guard.keys.find(given)
        if given is not None and key is None:
            return self.refuse(401, "key")
        if key is not None and not self.guard.key_pace.allows(key.id):
            return self.refuse(429, "pace")
        names = [part for part in self.get_query_argument("audience", "spectator").split(",") if part]
        wanted: list[Channel] = []
        for name in names[:8]:
            one = audience.channel(name)
            if one is None:
                return self.refuse(400, "audience")
            if not may_see(self.guard, one.audience, cookies, key):
                return self.refuse(401, "pin")
            if one not in wanted:
                wanted.append(one)
        if not wanted:
            return self.refuse(400, "audience")
        if len(self.hub) >= MOST_CLIENTS:
            self.set_header("Retry-After", "10")
            return self.refuse(503, "full")
        stream = self.detach()
        if stream.closed():
            return None  # whoever asked has gone already
        taken = stream.socket.dup()  # Tornado lets go of its own one; the connection lives on in ours
        stream.close()
        await self.hub.add(taken, tuple(wanted))
        return None


class FlaskInThreads(WSGIContainer):
    """Flask in Tornado, its log without queries: links carry tokens."""

    def _log(self, status_code: int, request: HTTPServerRequest) -> None:
        log.debug("%s %s %d", request.method, request.path, status_code)


class Server:
    """A running server; made by `serve`. `port` is the real one where 0 was asked for."""

    def __init__(
        self, table: Table, sockets: list[socket.socket], host: str, guard: Guard, pages: Pages = create_app
    ) -> None:
        self.host = host
        self._pages = pages
        self.port: int = sockets[0].getsockname()[1]
        self.guard = guard
        self._table = table
        self._sockets = sockets
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Event | None = None
        self._hub: Hub | None = None
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)

    def operator_path(self) -> str:
        """`/operator?once=…`: opens the operator page without the PIN, once, within the hour."""
        return f"/operator?once={self.guard.one_time_token()}"

    def seat_path(self, seat: int) -> str:
        """`/seat/2?t=…`: makes the phone that opens it that seat's."""
        return f"/seat/{seat}?t={self.guard.seat_token(seat)}"

    def streams(self) -> int:
        """How many live streams are open."""
        return len(self._hub) if self._hub is not None else 0

    def start(self) -> None:
        """Returns once the port answers. Raises what the start failed with."""
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            raise self._failed

    def stop(self) -> None:
        """Closes the port and every stream and ends the threads, within two seconds; may be called twice."""
        if self._loop is not None and self._ending is not None and self._thread.is_alive():
            try:
                self._loop.call_soon_threadsafe(self._ending.set)
            except RuntimeError:
                log.debug("the loop had ended by itself")
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)

    def _serve(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:  # noqa: BLE001 - the thread's edge: `start` raises it to the caller
            self._failed = error
            log.error("the web server ended: %s", error)
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        flask_pool = ThreadPoolExecutor(FLASK_THREADS, thread_name_prefix="web-page")
        view_pool = ThreadPoolExecutor(1, thread_name_prefix="web-view")
        hub = self._hub = Hub(self._table, view_pool)
        app = self._pages(self._table, self.guard, streams=self.streams, host=self.host, port=self.port)
        app_in_threads = FlaskInThreads(app.wsgi_app, executor=flask_pool)
        handlers: list[Any] = [
            (r"/api/v1/stream", StreamHandler, {"hub": hub, "guard": self.guard}),
            (r".*", FlaskHandler, {"fallback": app_in_threads}),
        ]
        web = tornado.web.Application(handlers, log_function=_log_request)
        server = HTTPServer(
            web,
            max_body_size=16 * MOST_BODY,  # what is over MOST_BODY the application refuses in words
            max_header_size=16 * 1024,
            max_buffer_size=256 * 1024,
            idle_connection_timeout=75.0,
            body_timeout=15.0,
        )
        server.add_sockets(self._sockets)
        hub.start()
        self._ready.set()
        try:
            await self._ending.wait()
        finally:
            server.stop()
            await hub.stop()
            try:
                async with asyncio.timeout(0.7):
                    await server.close_all_connections()
            except TimeoutError:
                log.info("some requests were still under way when the web server stopped")
            flask_pool.shutdown(wait=False, cancel_futures=True)
            view_pool.shutdown(wait=False, cancel_futures=True)


def _log_request(handler: tornado.web.RequestHandler) -> None:
    """Requests are logged without their query: links carry tokens."""
    log.debug("%s %s %d", handler.request.method, handler.request.path, handler.get_status())


def _bind(host: str, port: int) -> list[socket.socket]:
    cure_port = "Stop the other program, or start with --port 0, which takes a free one."
    if not 0 <= port <= 65535:
        raise CrowntableError(f"{port} is not a port number.", "Ports are 0 to 65535.")
    try:
        return bind_sockets(port, address=host, backlog=512)
    except socket.gaierror as error:
        raise CrowntableError(
            f"{host} is not an address of this machine.", "Use --host 127.0.0.1 or --host 0.0.0.0."
        ) from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CrowntableError(f"Port {port} is in use by another program.", cure_port) from error
        if error.errno in (errno.EACCES, errno.EPERM):
            raise CrowntableError(
                f"Port {port} needs more rights than this user has.", "Use a port above 1023."
            ) from error
        raise CrowntableError(
            f"{host}:{port} can't be served: {error.strerror or error}.",
            "Use --host 127.0.0.1 or --host 0.0.0.0.",
        ) from error


def serve(
    table: Table,
    host: str,
    port: int,
    data: Path,
    *,
    on_ready: Callable[[Server], None] | None = None,
    guard: Guard | None = None,
    pages: Pages = create_app,
) -> Server:
    """Serves `table` at host:port (0: a free port) in threads of its own, and returns once it answers.

    `data` is the folder that keeps the PIN; `guard` the one in use so far, where a table starts anew: its
    sessions, and whoever has to wait after wrong PINs, stay. `pages` makes the application. `on_ready` is
    called with the server before returning.

    Raises CrowntableError: the port is in use or forbidden, the address is not ours, no PIN can be kept."""
    sockets = _bind(host, port)
    try:
        server = Server(table, sockets, host, guard or Guard.open(data), pages)
        server.start()
    except BaseException:
        for one in sockets:
            one.close()
        raise
    if on_ready is not None:
        on_ready(server)
    return server
