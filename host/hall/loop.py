"""One thread for any number of connections to a broker: their sockets, their clocks, and who wakes them.

A table has one loop with one connection. Tables that run beside each other in one process, as those of
a measurement do, share one: a hundred threads that hand the interpreter to each other cost more than
all that they do. Only opening a connection may take a while (`host.hall.account.CONNECT`), and the others
wait for it.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import socket
import threading
import time
from collections import deque
from typing import Final, Protocol

log = logging.getLogger(__name__)

#: seconds that `stop` waits for the thread
PATIENCE: Final = 2.0


class Served(Protocol):
    """What a loop serves; it calls all of this from its own thread."""

    def network(self, readable: bool, writable: bool) -> None:
        """Its socket is ready."""

    def step(self) -> float | None:
        """Does what is due. When to be called again at the latest (monotonic seconds); None: it has ended."""

    def socket(self) -> socket.socket | None:
        """What to watch, None where there is no connection."""

    def wants_to_write(self) -> bool:
        """Does something wait until the socket takes it?"""


class Loop:
    """`start`; `add` and `wake` from any thread; `stop` ends the thread, not what it serves."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._ear, self._bell = socket.socketpair()
        self._ear.setblocking(False)
        self._bell.setblocking(False)
        self._selector.register(self._ear, selectors.EVENT_READ)
        self._woken: deque[Served] = deque()
        self._rung = False
        self._due: dict[Served, float] = {}
        self._watched: dict[Served, tuple[socket.socket, int]] = {}
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="hall", daemon=True)

    def start(self) -> None:
        """Begins to serve."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread."""
        self._ended = True
        self._ring()
        if self._thread.is_alive():
            self._thread.join(PATIENCE)

    def wake(self, one: Served) -> None:
        """Has `one` make a step soon, if it is served or not yet."""
        self._woken.append(one)
        # Whoever finds it rung comes before the thread looks who has been woken: it will be seen.
        if not self._rung:
            self._ring()

    def _ring(self) -> None:
        self._rung = True
        with contextlib.suppress(OSError):  # full: then it is being heard; closed: nobody is there to hear
            self._bell.send(b"!")

    def _run(self) -> None:
        while not self._ended:
            soon = min(self._due.values(), default=float("inf")) - time.monotonic()
            ready = self._selector.select(None if soon == float("inf") else max(0.0, soon))
            turn: dict[Served, None] = {}
            for key, events in ready:
                if key.data is None:
                    self._hear()
                else:
                    self._network(key.data, events)
                    turn[key.data] = None
            while self._woken:
                turn[self._woken.popleft()] = None
            now = time.monotonic()
            turn |= {one: None for one, due in self._due.items() if due <= now}
            for one in turn:
                self._step(one)
        for one in list(self._watched):
            self._watch(one, None)
        self._selector.close()
        self._ear.close()
        self._bell.close()

    def _hear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._ear.recv(4096)
        self._rung = False

    def _network(self, one: Served, events: int) -> None:
        # The room's edge, as below: what one stumbles over must not end the others.
        try:
            one.network(bool(events & selectors.EVENT_READ), bool(events & selectors.EVENT_WRITE))
        except Exception:
            log.exception("a connection to the hall's broker failed")
        # At once: a closed socket's number may be the next one's.
        self._watch(one, one.socket())

    def _step(self, one: Served) -> None:
        try:
            due = one.step()
        except Exception:
            log.exception("publishing to the hall failed")
            due = time.monotonic() + 1.0
        if due is None:
            self._due.pop(one, None)
            self._watch(one, None)
        else:
            self._due[one] = due
            self._watch(one, one.socket())

    def _watch(self, one: Served, wanted: socket.socket | None) -> None:
        """Watches this socket of `one` from now on, and no longer the one before."""
        known = self._watched.get(one)
        events = selectors.EVENT_READ
        if wanted is not None and one.wants_to_write():
            events |= selectors.EVENT_WRITE
        if known == (wanted, events):
            return
        if known is not None and known[0] is wanted:
            self._selector.modify(wanted, events, one)
        else:
            if known is not None:
                self._selector.unregister(known[0])
                del self._watched[one]
            if wanted is None:
                return
            self._selector.register(wanted, events, one)
        self._watched[one] = (wanted, events)
