"""The live stream: Server-Sent Events, written straight to the sockets from the server's one loop.

Every client gets the whole view on connecting and after each change; what changes within a tick is
sent once, and a client that has not taken the last view yet gets only the newest when it has. One
JSON text an audience and version serves all its clients. docs/stream.md names the events.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, Final

from tornado.iostream import IOStream, StreamClosedError

from engine.game import Audience
from host.face import Table
from web import assets, audience

TICK_S: Final = 0.04
BEAT_S: Final = 5.0
STALL_S: Final = 20.0
#: More than this many open streams are refused: a bound for memory, far above any table's crowd.
MOST_CLIENTS: Final = 1000
#: A client's kernel buffer; a sleeping phone then stops us after a few views instead of megabytes.
SEND_BUFFER: Final = 256 * 1024
HEAD: Final = (
    b"HTTP/1.1 200 OK\r\n"
    b"Content-Type: text/event-stream; charset=utf-8\r\n"
    b"Cache-Control: no-cache, no-store, no-transform\r\n"
    b"X-Accel-Buffering: no\r\n"
    b"X-Content-Type-Options: nosniff\r\n"
    b"Connection: close\r\n\r\n"
)

log = logging.getLogger("crowntable.web")


def event(kind: str, data: dict[str, Any], ident: int | None = None) -> bytes:
    """One event on the wire. JSON holds no raw line break, so `data` is one line."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    head = f"event: {kind}\n" + (f"id: {ident}\n" if ident is not None else "")
    return f"{head}data: {text}\n\n".encode()


class Client:
    """One open stream: what it has been sent, and whether its last write is still under way."""

    __slots__ = ("audiences", "busy_since", "sent", "stream")

    def __init__(self, stream: IOStream, audiences: tuple[Audience, ...]) -> None:
        self.stream = stream
        self.audiences = audiences
        self.sent: dict[Audience, int] = {}
        self.busy_since: float | None = None


class Hub:
    """All open streams of one server. Everything but `changed` runs on the server's loop."""

    def __init__(self, table: Table, pool: Executor) -> None:
        self._table = table
        self._pool = pool
        self._clients: set[Client] = set()
        self._latest: dict[Audience, tuple[int, bytes]] = {}
        self._dirty = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._marked = False
        self._task: asyncio.Task[None] | None = None
        self._unlisten: Callable[[], None] | None = None

    def __len__(self) -> int:
        """How many streams are open."""
        return len(self._clients)

    def start(self) -> None:
        """Begins to listen to the table."""
        self._unlisten = self._table.listen(self._changed)
        self._task = asyncio.create_task(self._run(), name="stream ticks")

    async def stop(self) -> None:
        """Stops listening and closes every stream."""
        if self._unlisten is not None:
            self._unlisten()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for client in list(self._clients):
            self._drop(client)

    def _changed(self, version: int) -> None:
        """From the table's thread: at most one wake-up is under way at any time."""
        if not self._marked:
            self._marked = True
            try:
                self._loop.call_soon_threadsafe(self._dirty.set)
            except RuntimeError:
                log.debug("version %d came after the server had stopped", version)

    async def _encode(self, wanted: Audience) -> tuple[int, bytes]:
        """The newest view of an audience as an event, made once a version."""
        known = self._latest.get(wanted)
        if known is not None and known[0] == self._table.version():
            return known
        fresh = await self._loop.run_in_executor(self._pool, self._encode_now, wanted)
        self._latest[wanted] = fresh
        return fresh

    def _encode_now(self, wanted: Audience) -> tuple[int, bytes]:
        view = self._table.view(wanted)
        version = int(view["version"])
        body = {"audience": audience.name(wanted), "version": version, "view": view}
        return version, event("view", body, version)

    async def add(self, stream: IOStream, audiences: tuple[Audience, ...]) -> None:
        """Takes over a detached connection: answers it with the head, a hello and the views."""
        stream.set_nodelay(True)
        raw = stream.socket
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux: unanswered bytes end the connection
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(STALL_S * 1000))
        client = Client(stream, audiences)
        parts = [HEAD, b"retry: 1000\n\n", self._hello()]
        for wanted in audiences:
            version, chunk = await self._encode(wanted)
            client.sent[wanted] = version
            parts.append(chunk)
        if stream.closed():
            return
        self._clients.add(client)
        stream.set_close_callback(lambda: self._clients.discard(client))
        self._write(client, b"".join(parts))
        self._watch(client)
        self._dirty.set()  # a change while the views were made is still owed to this client

    def _hello(self) -> bytes:
        return event("hello", {"assets": assets.version(), "beat": BEAT_S, "at": time.time()})

    def _watch(self, client: Client) -> None:
        """A client has nothing more to say: its first byte, or its end, ends the stream."""

        def done(read: asyncio.Future[bytes]) -> None:
            if not read.cancelled():
                read.exception()
            self._drop(client)

        try:
            asyncio.ensure_future(client.stream.read_bytes(1, partial=True)).add_done_callback(done)
        except StreamClosedError:
            self._drop(client)

    def _drop(self, client: Client) -> None:
        self._clients.discard(client)
        if not client.stream.closed():
            client.stream.close()

    def _write(self, client: Client, chunk: bytes) -> None:
        try:
            sending = client.stream.write(chunk)
        except StreamClosedError:
            self._drop(client)
            return
        if not client.stream.writing():
            client.busy_since = None
            sending.add_done_callback(_settled)
            return
        client.busy_since = time.monotonic()

        def done(sent: asyncio.Future[None]) -> None:
            _settled(sent)
            client.busy_since = None
            self._catch_up(client)

        sending.add_done_callback(done)

    def _catch_up(self, client: Client) -> None:
        """Sends whatever this client lacks, in one write, unless its last write is under way."""
        if client.busy_since is not None or client.stream.closed():
            return
        parts = []
        for wanted in client.audiences:
            version, chunk = self._latest[wanted]
            if client.sent.get(wanted, -1) < version:
                client.sent[wanted] = version
                parts.append(chunk)
        if parts:
            self._write(client, parts[0] if len(parts) == 1 else b"".join(parts))

    async def _run(self) -> None:
        beat_at = time.monotonic() + BEAT_S
        while True:
            wait = max(0.0, beat_at - time.monotonic())
            try:
                # Not wait_for: up to Python 3.11 it may swallow the cancellation that `stop` relies on.
                async with asyncio.timeout(wait):
                    await self._dirty.wait()
            except TimeoutError:
                self._beat()
                beat_at = time.monotonic() + BEAT_S
                continue
            self._dirty.clear()
            self._marked = False
            try:
                await self._publish()
            except Exception:  # the room's edge: a view that fails must not end the stream for good
                log.exception("a view could not be sent")
            if time.monotonic() >= beat_at:
                self._beat()
                beat_at = time.monotonic() + BEAT_S
            await asyncio.sleep(TICK_S)

    async def _publish(self) -> None:
        for wanted in {one for client in self._clients for one in client.audiences}:
            await self._encode(wanted)
        for client in list(self._clients):
            self._catch_up(client)

    def _beat(self) -> None:
        """Tells every client that all is well, and drops those that take nothing any more."""
        now = time.monotonic()
        chunk = event("beat", {"version": self._table.version(), "at": time.time()})
        for client in list(self._clients):
            if client.busy_since is None:
                self._write(client, chunk)
            elif now - client.busy_since > STALL_S:
                self._drop(client)


def _settled(sent: asyncio.Future[None]) -> None:
    """Fetches a write's failure; the stream's close callback has done what there is to do."""
    if not sent.cancelled():
        sent.exception()
