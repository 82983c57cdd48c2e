"""A plain reader of the live stream over a socket: no library between the test and the bytes."""

from __future__ import annotations

import json
import socket
import time
from typing import Any, NamedTuple


class Event(NamedTuple):
    kind: str
    data: dict[str, Any]


class Reader:
    """One open stream. `lines()` of the answer's head are in `head`."""

    def __init__(self, port: int, query: str = "", headers: str = "", receive_buffer: int = 0) -> None:
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(20.0)
        self.socket.connect(("127.0.0.1", port))
        request = f"GET /api/v1/stream{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n"
        self.socket.sendall(request.encode())
        self._buffer = b""
        self.head = self._until(b"\r\n\r\n").decode()

    @property
    def status(self) -> int:
        return int(self.head.split()[1])

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            got = self.socket.recv(65536)
            if not got:
                raise ConnectionError("the server closed the stream")
            self._buffer += got
        found, self._buffer = self._buffer.split(mark, 1)
        return found

    def next(self) -> Event:
        """The next event; lines that only set the retry time are passed over."""
        while True:
            block = self._until(b"\n\n").decode()
            fields = dict(line.split(": ", 1) for line in block.splitlines())
            if "event" in fields:
                return Event(fields["event"], json.loads(fields["data"]))

    def view(self, seconds: float = 20.0) -> dict[str, Any]:
        """The next view; what comes between is passed over."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            event = self.next()
            if event.kind == "view":
                return event.data
        raise TimeoutError("no view came")

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
