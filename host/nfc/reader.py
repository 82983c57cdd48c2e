"""An NFC reader as a device of the table: its own thread, an `Inventory` for every scan.

A worker thread opens, scans, and opens again with growing pauses. A watchman thread looks whether
the worker still breathes: a driver that hangs in the kernel (a USB port that drains, a library that
waits for ever) is left behind and replaced, so that neither the table nor `stop` ever waits for it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, NoReturn, TypeVar

from engine.errors import CrowntableError
from host.device import Emit
from host.nfc.chip import Chip, open_chip
from host.nfc.faults import ReaderError, ReaderSilentError, TagError
from host.nfc.scan import Scanner
from host.nfc.write import Written, write_message
from host.sighting import Health, Inventory, Sighting

#: seconds between two scans
PERIOD = 0.05
#: a living chip is asked for its firmware this often even where every scan is answered (F03)
FIRMWARE_SECONDS = 3.0
#: scans in a row that may fail before the reader is opened anew
FAILED_SCANS = 3
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
#: a reader that held out so long starts with the short pause again
SETTLED_SECONDS = 2.0
#: facts are repeated so often while nothing changes
REPORT_SECONDS = 5.0
#: the last scans, of which no more than this share may fail before the reader is called weak
RECENT, WEAK_SHARE = 50, 0.2
#: hung workers that may be left behind before the watchman waits for one of them
MOST_LEFT_BEHIND = 4
_STOP_SECONDS = 1.5

T = TypeVar("T")
Job = Callable[[Chip], Any]


class _StoppedError(Exception):
    """The worker was asked to end, or another one has its place."""


@dataclass(slots=True, eq=False)
class _Turn:
    """One worker's time in office. `beat` is when it last did something."""

    beat: float
    over: bool = False


class NfcReader:
    """A PN53x reader: PN532 on a serial port, or a USB reader with such a chip.

    `path`: `tty:AMA0:pn532`, `usb`, or any device path. `open_timeout`: seconds without a sign of
    life after which a hanging driver is replaced. `key`: checks signatures of card records.
    """

    def __init__(
        self,
        id: str,
        path: str,
        antenna: int = 0,
        open_timeout: float = 5.0,
        *,
        period: float = PERIOD,
        key: bytes | None = None,
    ) -> None:
        self.id = id
        self.path = path
        self.antenna = antenna
        self.period = period
        self.key = key
        self._open_timeout = open_timeout
        self._emit_to: Emit | None = None
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._turn: _Turn | None = None
        self._threads: list[threading.Thread] = []
        self._jobs: SimpleQueue[tuple[Job, Future[Any]]] = SimpleQueue()
        self._said: tuple[str, str] | None = None
        self._reads = 0
        self._failures = 0
        self._firmware = ""
        self._recent: deque[tuple[bool, float]] = deque(maxlen=RECENT)

    # -- the device protocol ----------------------------------------------------------------------

    def start(self, emit: Emit) -> None:
        """See host.device.Device."""
        with self._lock:
            if self._emit_to is not None:
                return
            self._stopping.clear()
            self._said = None
            self._emit_to = emit
            self._begin_turn()
            watchman = threading.Thread(target=self._watch, name=f"{self.id} watchman", daemon=True)
            self._threads.append(watchman)
            watchman.start()

    def stop(self) -> None:
        """See host.device.Device. Nothing is emitted after it returns; it takes no more than two
        seconds even when the port hangs (the hanging thread is then left behind)."""
        self._stopping.set()
        with self._lock:
            threads, self._threads = self._threads, []
        until = time.monotonic() + _STOP_SECONDS
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))
        with self._lock:
            self._emit_to = None
            self._turn = None
        self._refuse_jobs("the reader was stopped")

    # -- writing ----------------------------------------------------------------------------------

    def write(self, uid: str, message: bytes, *, lock: bool = False) -> Future[Written]:
        """Writes an NDEF message to the tag with this UID between two scans.

        The future gives what was written, or raises CrowntableError with what to do about it."""

        def job(chip: Chip) -> Written:
            return write_message(chip, uid, message, lock=lock)

        return self.submit(job)

    def submit(self, job: Callable[[Chip], T]) -> Future[T]:
        """Does something with the chip between two scans, in the reader's thread."""
        future: Future[T] = Future()
        if self._emit_to is None or self._stopping.is_set():
            future.set_exception(CrowntableError("The reader is not running.", "Start the table first."))
            return future
        self._jobs.put((job, future))
        return future

    # -- worker -----------------------------------------------------------------------------------

    def _begin_turn(self) -> None:
        turn = _Turn(time.monotonic())
        self._turn = turn
        worker = threading.Thread(target=self._work, args=(turn,), name=f"{self.id} reader", daemon=True)
        self._threads.append(worker)
        worker.start()

    def _work(self, turn: _Turn) -> None:
        pause = FIRST_PAUSE
        self._say(turn, "starting", f"opening {self.path}")
        try:
            while True:
                begun = time.monotonic()
                fault = self._once(turn)
                if time.monotonic() - begun > SETTLED_SECONDS:
                    pause = FIRST_PAUSE
                self._lost(turn, fault, pause)
                pause = min(2 * pause, LONGEST_PAUSE)
        except _StoppedError:
            return
        finally:
            turn.over = True

    def _once(self, turn: _Turn) -> ReaderError:
        """Opens the reader and serves until it is lost; says by what. Raises _StoppedError."""
        try:
            chip = open_chip(self.path, lambda: self._breathe(turn))
            try:
                self._serve(turn, chip)
            finally:
                chip.close()
        except _StoppedError:
            raise
        except ReaderError as fault:
            return fault
        except Exception as fault:  # noqa: BLE001 - whatever a driver library thinks of: this try ends
            return ReaderError(f"the reader's driver failed ({fault!r})", "It is opened again by itself.")

    def _breathe(self, turn: _Turn) -> None:
        turn.beat = time.monotonic()
        if self._stopping.is_set() or self._turn is not turn:
            raise _StoppedError

    def _lost(self, turn: _Turn, fault: ReaderError, pause: float) -> None:
        self._say(turn, "lost", f"{fault.what}; trying again. {fault.cure}")
        self._recent.clear()
        self._refuse_jobs(fault.what)
        until = time.monotonic() + pause
        while (left := until - time.monotonic()) > 0:
            self._breathe(turn)
            self._stopping.wait(min(left, 0.2))

    def _serve(self, turn: _Turn, chip: Chip) -> NoReturn:
        """Scans until the reader is lost. Raises ReaderError or _StoppedError."""
        self._firmware = chip.firmware
        scanner = Scanner(chip, self.key)
        failed = 0
        asked = reported = time.monotonic()
        self._say(turn, "up", f"{self._firmware} at {chip.path}")
        while True:
            begun = time.monotonic()
            self._breathe(turn)
            try:
                self._do_jobs(chip, scanner)
                if begun - asked >= FIRMWARE_SECONDS:
                    chip.ask_firmware()
                    asked = begun
                tags = scanner.scan()
            except ReaderSilentError:
                failed += 1
                self._note(False, time.monotonic() - begun)
                self._emit(
                    turn, Inventory(time.monotonic(), self.id, self.antenna, (), ok=False, reader_ok=False)
                )
                if failed >= FAILED_SCANS:
                    raise
            else:
                failed = 0
                now = time.monotonic()
                self._note(True, now - begun)
                self._emit(turn, Inventory(now, self.id, self.antenna, tags))
                if now - reported >= REPORT_SECONDS:
                    reported = now
                    self._said = None
                self._report(turn, chip)
            self._stopping.wait(max(0.0, self.period - (time.monotonic() - begun)))

    def _note(self, ok: bool, seconds: float) -> None:
        self._reads += ok
        self._failures += not ok
        self._recent.append((ok, seconds))

    def _report(self, turn: _Turn, chip: Chip) -> None:
        bad = sum(1 for ok, _ in self._recent if not ok)
        if bad > WEAK_SHARE * len(self._recent) and len(self._recent) >= 10:
            self._say(turn, "weak", f"{self._firmware}: some scans fail; check cable and supply")
        else:
            self._say(turn, "up", f"{self._firmware} at {chip.path}")

    # -- jobs -------------------------------------------------------------------------------------

    def _do_jobs(self, chip: Chip, scanner: Scanner) -> None:
        while True:
            try:
                job, future = self._jobs.get_nowait()
            except Empty:
                return
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(job(chip))
            except (CrowntableError, TagError) as fault:
                future.set_exception(fault)
            except ReaderError as fault:
                future.set_exception(fault.for_user())
                raise
            except _StoppedError:
                future.set_exception(CrowntableError("The reader was stopped.", "Start it again."))
                raise
            finally:
                scanner.forget_all()

    def _refuse_jobs(self, why: str) -> None:
        while True:
            try:
                _, future = self._jobs.get_nowait()
            except Empty:
                return
            if future.set_running_or_notify_cancel():
                future.set_exception(
                    CrowntableError(f"Not done: {why}.", "Try again when the reader is back.")
                )

    # -- watchman ---------------------------------------------------------------------------------

    def _watch(self) -> None:
        left_behind: list[_Turn] = []
        while not self._stopping.wait(0.2):
            left_behind = [turn for turn in left_behind if not turn.over]
            with self._lock:
                turn = self._turn
                if turn is None or time.monotonic() - turn.beat < self._open_timeout:
                    continue
                if len(left_behind) >= MOST_LEFT_BEHIND:
                    continue
                self._say(turn, "lost", "the reader's driver hangs; starting it anew")
                left_behind.append(turn)
                self._begin_turn()

    # -- saying -----------------------------------------------------------------------------------

    def _say(self, turn: _Turn, state: Any, detail: str) -> None:
        """A Health where state or sentence has changed."""
        with self._lock:
            if self._said == (state, detail) or self._turn is not turn:
                return
            self._said = (state, detail)
            self._emit(turn, Health(time.monotonic(), self.id, "reader", state, detail, self._facts()))

    def _facts(self) -> tuple[tuple[str, str | int | float], ...]:
        times = [seconds for ok, seconds in self._recent if ok]
        mean = 1000 * sum(times) / len(times) if times else 0.0
        good = sum(1 for ok, _ in self._recent if ok)
        rate = good / len(self._recent) if self._recent else 0.0
        return (
            ("reads", self._reads),
            ("failures", self._failures),
            ("ms", round(mean, 1)),
            ("rate", round(rate, 3)),
            ("firmware", self._firmware),
        )

    def _emit(self, turn: _Turn, sighting: Sighting) -> None:
        with self._lock:
            if self._turn is turn and self._emit_to is not None:
                self._emit_to(sighting)
