"""Helpers of the reader's tests: a port that says what a test wants, and an ear for Sightings."""

from __future__ import annotations

import os
import select
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from host.nfc.reader import NfcReader
from host.sighting import Health, Inventory, Sighting, TagRead
from host.virtual.pn532 import VirtualPn532

#: generous: the machine is slow and shared
PATIENT = 20.0


class Talker:
    """A pseudo-terminal whose far end answers each piece of input with `answer(piece)`."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self._answer = answer
        self.heard = bytearray()

    def __enter__(self) -> Talker:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(5)
        os.close(self._master)
        os.close(self._slave)

    def _run(self) -> None:
        while not self._over.is_set():
            if not select.select([self._master], [], [], 0.02)[0]:
                continue
            piece = os.read(self._master, 4096)
            self.heard += piece
            for at in range(0, len(answer := self._answer(piece)), 512):
                try:
                    os.write(self._master, answer[at : at + 512])
                except BlockingIOError:
                    break


class Ear:
    """Collects Sightings; `until` waits for one, and looks from behind the one it found before."""

    def __init__(self) -> None:
        self.heard: list[Sighting] = []
        self._news = threading.Condition()
        self._at = 0

    def __call__(self, sighting: Sighting) -> None:
        with self._news:
            self.heard.append(sighting)
            self._news.notify_all()

    def until(
        self, wanted: Callable[[Sighting], bool], seconds: float = PATIENT, *, new: bool = True
    ) -> Sighting:
        """The next sighting (or, not `new`, the first of all) that is wanted; fails after `seconds`."""
        end = time.monotonic() + seconds
        with self._news:
            at = self._at if new else 0
            while True:
                for number in range(at, len(self.heard)):
                    if wanted(self.heard[number]):
                        self._at = number + 1
                        return self.heard[number]
                at = len(self.heard)
                if not self._news.wait(max(0.0, end - time.monotonic())) and time.monotonic() >= end:
                    raise AssertionError(f"not seen in {seconds} s; last: {self.heard[-5:]}")

    def inventories(self) -> list[Inventory]:
        """All scans so far."""
        return [s for s in list(self.heard) if isinstance(s, Inventory)]

    def healths(self) -> list[Health]:
        """All words on itself so far."""
        return [s for s in list(self.heard) if isinstance(s, Health)]


def sees(*cards: str | None) -> Callable[[Sighting], bool]:
    """A good scan with exactly these cards (None: a tag that is none)."""

    def wanted(sighting: Sighting) -> bool:
        if not isinstance(sighting, Inventory) or not sighting.ok:
            return False
        return sorted(str(tag.card) for tag in sighting.tags) == sorted(str(card) for card in cards)

    return wanted


def is_state(state: str, text: str = "") -> Callable[[Sighting], bool]:
    """A Health of this state, with this in its sentence."""

    def wanted(sighting: Sighting) -> bool:
        return isinstance(sighting, Health) and sighting.state == state and text in sighting.detail

    return wanted


def tags_of(sighting: Sighting) -> tuple[TagRead, ...]:
    """The tags of a scan."""
    assert isinstance(sighting, Inventory)
    return sighting.tags


@contextmanager
def running(chip: VirtualPn532, ear: Ear, open_timeout: float = 5.0) -> Iterator[NfcReader]:
    """A reader on a started stand-in, scanning."""
    reader = NfcReader("scan", chip.path, open_timeout=open_timeout, period=0.01)
    reader.start(ear)
    try:
        ear.until(is_state("up"), new=False)
        yield reader
    finally:
        reader.stop()


def open_descriptors() -> int:
    """How many descriptors this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))
