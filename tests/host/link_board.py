"""Helpers for the link's tests: what a device emits, and a board on a pseudo-terminal played by the test."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path

from host import ndef
from host.link.protocol import LineReader, format_line
from host.sighting import Health, Inventory, Sighting

PATIENCE_S = 20.0
UID = "04A1B2C3D4E5F6"
OTHER = "04112233445566"


def card_memory(card: str, uid: str = UID) -> bytes:
    """A NTAG213's pages with our record on it."""
    raw = bytes.fromhex(uid)
    head = raw[:3] + bytes((0x88 ^ raw[0] ^ raw[1] ^ raw[2],)) + raw[3:] + b"\0\x48\0\0" + b"\xe1\x10\x12\0"
    return (head + ndef.tlv(ndef.encode_card(card)) + b"\xfe").ljust(180, b"\0")


def wait_until(what: Callable[[], bool], why: str = "waited in vain") -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < deadline, why
        time.sleep(0.01)


class Heard:
    """Everything a device emits, with waiting for it."""

    def __init__(self) -> None:
        self.all: list[Sighting] = []
        self._news = threading.Condition()

    def __call__(self, sighting: Sighting) -> None:
        with self._news:
            self.all.append(sighting)
            self._news.notify_all()

    def wait(self, wanted: Callable[[Sighting], bool], since: int = 0) -> Sighting:
        """The first sighting from number `since` on that is wanted."""
        deadline = time.monotonic() + PATIENCE_S
        with self._news:
            while True:
                for sighting in self.all[since:]:
                    if wanted(sighting):
                        return sighting
                assert self._news.wait(deadline - time.monotonic()), f"waited in vain; heard {self.all[-5:]}"

    def health(self, state: str, since: int = 0, words: str = "") -> Health:
        found = self.wait(
            lambda s: isinstance(s, Health) and s.state == state and words in s.detail,
            since,
        )
        assert isinstance(found, Health)
        return found

    def tags(self, antenna: int, uids: set[str], since: int = 0) -> Inventory:
        """The first good inventory of an antenna with exactly these tags."""
        found = self.wait(
            lambda s: (
                isinstance(s, Inventory) and s.ok and s.antenna == antenna and {t.uid for t in s.tags} == uids
            ),
            since,
        )
        assert isinstance(found, Inventory)
        return found


class Board:
    """A board whose every byte the test decides. It answers asks for hello unless told not to."""

    def __init__(self, link: Path, *, proto: int = 1, name: str = "pico", answers: bool = True) -> None:
        self.link = link
        self.proto = proto
        self.name = name
        self.answers = answers
        self.boot = "B00T0001"
        self.identity = "E6"
        self.number = 0
        self.started = time.monotonic()
        self.orders: list[tuple[str, dict[str, str]]] = []
        self._reader = LineReader()
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(self._slave))
        self.path = str(link)
        self.reading = threading.Event()
        self.reading.set()
        self._closing = False
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Pulls the cable."""
        self._closing = True
        self._thread.join()  # a file that somebody still reads is not closed
        for end in (self._master, self._slave):
            with contextlib.suppress(OSError):
                os.close(end)
        self._master = self._slave = -1

    def raw(self, data: bytes) -> None:
        os.write(self._master, data)

    def say(self, verb: str, at: float | None = None, **words: str | int) -> None:
        """A line as the firmware would say it now, or as it would have said it at `at` (monotonic)."""
        moment = time.monotonic() if at is None else at
        line = format_line(
            verb, {**words, "n": self.number, "t": max(round((moment - self.started) * 1000), 0)}
        )
        self.number = (self.number + 1) & 0xFFFF
        self.raw(line)

    def hello(self, k: str = "-") -> None:
        self.say(
            "hello",
            proto=self.proto,
            fw="0.0.1",
            name=self.name,
            id=self.identity,
            boot=self.boot,
            ants=4,
            ring=0,
            cfg="none",
            dim=0,
            k=k,
        )

    def _listen(self) -> None:
        while not self._closing:
            if not self.reading.is_set() or not select.select([self._master], [], [], 0.02)[0]:
                self.reading.wait(0.02)
                continue
            try:
                data = os.read(self._master, 4096)
            except OSError:
                return
            for line in self._reader.feed(data):
                self.orders.append((line.verb, dict(line.words)))
                if line.verb == "ask" and self.answers:
                    if line.words.get("what") == "hello":
                        self.hello(k=line.words["k"])
                    elif line.words.get("what") == "time":
                        self.say("time", k=line.words["k"])
