"""The live stream: Server-Sent Events, written straight to the sockets from the server's one loop.

Every client gets the whole view on connecting and after each change; what changes within a tick is
sent once, and a client that has not taken the last view yet gets only the newest when it has. One
JSON text a channel (audience and language) and version serves all its clients; what a socket does not
take at once is kept as a view into that same text. docs/api.md names the events.

The sockets are plain ones: a future and a task a client and event, as stream classes have them, cost
several times what the sending itself does (`crowntable bench stream`).
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

from host.face import Table
from web import assets, audience, spoken
from web.audience import Channel

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
    """One open stream: what it has been sent, and what of its last write the socket has not taken yet."""

    __slots__ = ("busy_since", "channels", "fd", "rest", "sent", "socket")

    def __init__(self, taken: socket.socket, channels: tuple[Channel, ...]) -> None:
        self.socket = taken
        self.fd = taken.fileno()
        self.channels = channels
        self.sent: dict[Channel, int] = {}
        self.rest: memoryview | None = None
        self.busy_since = 0.0


class Hub:
    """All open streams of one server. All but `_changed` and `_encode_now` runs on the server's loop."""

    def __init__(self, table: Table, pool: Executor) -> None:
        self._table = table
        self._pool = pool
        self._clients: set[Client] = set()
        self._latest: dict[Channel, tuple[int, bytes]] = {}
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

    async def _encode(self, wanted: Channel) -> tuple[int, bytes]:
        """The newest view of a channel as an event, made once a version."""
        known = self._latest.get(wanted)
        if known is not None and known[0] == self._table.version():
            return known
        fresh = await self._loop.run_in_executor(self._pool, self._encode_now, wanted)
        self._latest[wanted] = fresh
        return fresh

    def _encode_now(self, wanted: Channel) -> tuple[int, bytes]:
        view = self._table.view(wanted.audience)
        version = int(view["version"])
        said = spoken.told(view, wanted.language)
        body = {"audience": audience.channel_name(wanted), "version": version, "view": said}
        return version, event("view", body, version)

    async def add(self, taken: socket.socket, channels: tuple[Channel, ...]) -> None:
        """Takes over an open connection: answers it with the head, a hello and the views."""
        taken.setblocking(False)
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux: unanswered bytes end the connection
            taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(STALL_S * 1000))
        client = Client(taken, channels)
        self._clients.add(client)
        self._loop.add_reader(client.fd, self._heard, client)
        parts = [HEAD, b"retry: 1000\n\n", self._hello()]
        # Nothing else may be written to it before the head is.
        client.rest, client.busy_since = memoryview(b""), time.monotonic()
        for wanted in channels:
            version, chunk = await self._encode(wanted)
            client.sent[wanted] = version
            parts.append(chunk)
        client.rest = None
        if client in self._clients:
            self._write(client, b"".join(parts))
            self._dirty.set()  # a change while the views were made is still owed to this client

    def _hello(self) -> bytes:
        return event("hello", {"assets": assets.version(), "beat": BEAT_S, "at": time.time()})

    def _heard(self, client: Client) -> None:
        """A client has nothing more to say: its first byte, or its end, ends the stream."""
        self._drop(client)

    def _drop(self, client: Client) -> None:
        if client in self._clients:
            self._clients.remove(client)
            self._loop.remove_reader(client.fd)
            self._loop.remove_writer(client.fd)
            client.socket.close()

    def _write(self, client: Client, chunk: bytes | memoryview) -> None:
        """Sends to a client that is not busy; what its socket does not take follows when it does."""
        try:
            taken = client.socket.send(chunk)
        except BlockingIOError:
            taken = 0
        except OSError:
            self._drop(client)
            return
        if taken < len(chunk):
            client.rest, client.busy_since = memoryview(chunk)[taken:], time.monotonic()
            self._loop.add_writer(client.fd, self._more, client)

    def _more(self, client: Client) -> None:
        rest, client.rest = client.rest, None
        self._loop.remove_writer(client.fd)
        if rest is not None:
            self._write(client, rest)
        self._catch_up(client)

    def _catch_up(self, client: Client) -> None:
        """Sends whatever this client lacks, in one write, unless its last write is under way."""
        if client.rest is not None or client not in self._clients:
            return
        parts = []
        for wanted in client.channels:
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
        for wanted in {one for client in self._clients for one in client.channels}:
            await self._encode(wanted)
        for client in list(self._clients):
            if all(wanted in self._latest for wanted in client.channels):
                self._catch_up(client)

    def _beat(self) -> None:
        """Tells every client that all is well, and drops those that take nothing any more."""
        now = time.monotonic()
        chunk = event("beat", {"version": self._table.version(), "at": time.time()})
        for client in list(self._clients):
            if client.rest is None:
                self._write(client, chunk)
            elif now - client.busy_since > STALL_S:
                self._drop(client)
