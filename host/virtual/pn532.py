"""A PN532 on a pseudo-terminal: open its path with nfcpy, libnfc or any driver for the real chip.

    >>> from host.virtual import tags
    >>> chip = VirtualPn532()
    >>> chip.start()
    >>> chip.place(tags.make_card_tag("s2/5"))
    >>> chip.path.startswith("/dev/pts/")
    True
    >>> chip.stop()

With `link_path` the path stays the same over `unplug` and `plug`, as a udev link does.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import select
import termios
import threading
import time
import tty
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.errors import CrowntableError
from host.nfc.frames import ACK, MAX_DATA, NACK, Frame, FrameParser, encode
from host.virtual.pn532_chip import ERROR, Pn532Chip, Reply, Waiting
from host.virtual.pn532_faults import FAULTS
from host.virtual.tags import Tag

_SPEEDS = {
    getattr(termios, f"B{baud}"): baud
    for baud in (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600)
    if hasattr(termios, f"B{baud}")
}
_SLOW_SECONDS = 1.5
_LATE_SECONDS = 0.15
_NO_ACK_EVERY = 50
#: wake-up needs this many rising edges on the line (UM0701-02, 7.2.11: HSU wake-up)
_WAKE_EDGES = 5


@dataclass(slots=True)
class _Pending:
    """An answer that is under way: a wait for a tag, or a delayed reply."""

    waiting: Waiting | None
    reply: bytes
    due: float


class VirtualPn532:
    """The stand-in. `delays` models the line's and the chip's times; `seed` is that of the noise.

    All methods may be called from any thread. `start` opens the terminal, `stop` closes everything
    within two seconds; both may be called twice.
    """

    def __init__(
        self, link_path: str | os.PathLike[str] | None = None, *, delays: bool = False, seed: int = 0
    ) -> None:
        self.chip = Pn532Chip()
        self.delays = delays
        #: commands whose bytes can be seen: called with "<" or ">" and the raw bytes
        self.log: Callable[[str, bytes], None] | None = None
        #: some boards wake up for 55 bytes only (F04)
        self.wakes_on_55_only = False
        self._link = None if link_path is None else Path(link_path)
        self.power_losses = 0
        """How often it has lost its power since it was made, its plugging in included."""
        self._path = ""
        self._master = self._slave = -1
        self._wake_r = self._wake_w = -1
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._lock = threading.RLock()
        self._parser = FrameParser()
        self._pending: _Pending | None = None
        self._stuck: list[tuple[float, bytes]] = []
        self._faults: dict[str, int] = {}
        self._rng = random.Random(seed)
        self._edges = 0

    @property
    def path(self) -> str:
        """Where a driver opens it: the link where there is one, else the terminal's own name."""
        return str(self._link) if self._link is not None else self._path

    @property
    def plugged(self) -> bool:
        """False between `unplug` and `plug`, and before `start`."""
        return self._master >= 0

    def start(self) -> None:
        """Opens the pseudo-terminal and begins to answer. Raises CrowntableError when that fails."""
        with self._lock:
            if self._thread is not None:
                return
            self._stopping.clear()
            self._wake_r, self._wake_w = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
            self._open()
            self._thread = threading.Thread(target=self._run, name=f"pn532 {self.path}", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Ends the thread, closes and removes everything."""
        self._stopping.set()
        self._poke()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=2.0)
        with self._lock:
            self._close()
            for fd in (self._wake_r, self._wake_w):
                if fd >= 0:
                    os.close(fd)
            self._wake_r = self._wake_w = -1

    # -- what lies on it --------------------------------------------------------------------------

    def place(self, tag: Tag, strength: float = 1.0) -> None:
        """Lays a tag on the antenna; `strength` 0 to 1 is the share of polls it answers."""
        with self._lock:
            self.chip.radio.place(tag, strength)
        self._poke()

    def lift(self, tag: Tag) -> None:
        """Takes a tag off; nothing happens where it does not lie there."""
        with self._lock:
            self.chip.radio.lift(tag)

    def clear(self) -> None:
        """Takes every tag off."""
        with self._lock:
            self.chip.radio.present.clear()

    @property
    def tags(self) -> tuple[Tag, ...]:
        """What lies on the antenna."""
        with self._lock:
            return tuple(item.tag for item in self.chip.radio.present)

    # -- what goes wrong with it ------------------------------------------------------------------

    def fault(self, name: str, times: int = -1) -> None:
        """Something breaks (see FAULTS), for `times` commands or until `mend`.

        Raises CrowntableError for a name that is not in FAULTS."""
        if name not in FAULTS:
            raise CrowntableError(f"There is no fault {name!r}.", f"Take one of: {', '.join(FAULTS)}.")
        if name == "unplug":
            return self.unplug()
        with self._lock:
            if name == "power-loss":
                self._power_loss()
            else:
                self._faults[name] = times
                self._switches()
        return None

    def mend(self, name: str | None = None) -> None:
        """Ends a fault, or all of them, the unplugged state included."""
        with self._lock:
            if name is None:
                self._faults.clear()
            else:
                self._faults.pop(name, None)
            self._switches()
        if name in (None, "unplug"):
            self.plug()

    def unplug(self) -> None:
        """Pulls the cable: the terminal hangs up and its path is gone."""
        with self._lock:
            self._close()
        self._poke()

    def plug(self) -> None:
        """Puts the cable in again: a chip fresh from power-on, on a new terminal, the link renewed."""
        with self._lock:
            if self._thread is not None and not self.plugged:
                self._power_loss()
                self._open()
        self._poke()

    def _switches(self) -> None:
        self.chip.flicker = "flicker" in self._faults
        self.chip.stale = "stale" in self._faults
        self.chip.radio.overlap = "overlap" in self._faults

    def _power_loss(self) -> None:
        self.power_losses += 1
        self.chip.reset()
        self._parser.reset()
        self._pending = None
        self._edges = 0

    def _failing(self, name: str) -> bool:
        """Whether a fault is on for this command; one that was ordered for some commands runs out."""
        left = self._faults.get(name, 0)
        if left > 0:
            self._faults[name] = left - 1
            if left == 1:
                del self._faults[name]
        return left != 0

    # -- terminal ---------------------------------------------------------------------------------

    def _open(self) -> None:
        try:
            self._master, self._slave = os.openpty()
        except OSError as fault:
            raise CrowntableError(
                f"No pseudo-terminal for the virtual reader ({fault.strerror}).", "Is /dev/pts mounted?"
            ) from fault
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._path = os.ttyname(self._slave)
        if self._link is not None:
            self._link.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._link.with_name(f".{self._link.name}.{os.getpid()}")
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(self._path)
            fresh.replace(self._link)

    def _close(self) -> None:
        for fd in (self._master, self._slave):
            if fd >= 0:
                os.close(fd)
        self._master = self._slave = -1
        self._pending = None
        self._stuck.clear()
        if self._link is not None and self._link.is_symlink():
            self._link.unlink(missing_ok=True)

    def _poke(self) -> None:
        with contextlib.suppress(OSError):  # the pipe is full (it will wake anyway) or closed
            os.write(self._wake_w, b"!")

    def _run(self) -> None:
        while not self._stopping.is_set():
            poll = select.poll()
            with self._lock:
                master, wait = self._master, self._next_due()
                poll.register(self._wake_r, select.POLLIN)
                if master >= 0:
                    poll.register(master, select.POLLIN)
            ready = {fd for fd, event in poll.poll(wait) if event & select.POLLIN}
            if self._wake_r in ready:
                os.read(self._wake_r, 4096)
            with self._lock:
                # The terminal may have been closed, or be another one, since it was polled.
                if master in ready and master == self._master:
                    self._receive()
                self._finish_pending(time.monotonic())

    def _next_due(self) -> float | None:
        """Milliseconds until an answer is due; None: nothing is under way."""
        dues = [due for due, _ in self._stuck] + ([self._pending.due] if self._pending else [])
        return max(0.0, 1000 * (min(dues) - time.monotonic())) if dues else None

    def _receive(self) -> None:
        try:
            data = os.read(self._master, 4096)
        except BlockingIOError:
            return
        except OSError:  # nobody has it open
            data = b""
        if not data:
            time.sleep(0.01)
            return
        if self.log is not None:
            self.log(">", data)
        data = self._heard(data)
        for frame in self._parser.feed(data):
            self._obey(frame)

    def _heard(self, data: bytes) -> bytes:
        """What arrives at the chip: nothing at another speed, and only the rest while it wakes up."""
        if self._master < 0:  # a log callback pulled the cable
            return b""
        speed = _SPEEDS.get(termios.tcgetattr(self._master)[4], 0)
        if speed == self.chip.next_baud:
            # nfcpy closes the port right behind its ACK and drops what is still under way.
            self.chip.host_ack()
        if speed != self.chip.baud:
            return b""
        while self.chip.asleep and data:
            if not self.wakes_on_55_only or data[0] == 0x55:
                self._edges += _rising_edges(data[0])
            data = data[1:]
            if self._edges >= _WAKE_EDGES:
                self.chip.asleep, self._edges = False, 0
        return data

    def _obey(self, frame: Frame) -> None:
        if frame.kind == "nack" or self._failing("mute"):
            return
        self._pending = None  # ACK or the next command: the one before is aborted
        if frame.kind == "ack":
            self.chip.host_ack()
            return
        if "no-ack" in self._faults and self._rng.randrange(_NO_ACK_EVERY) == 0:
            return
        if self._failing("nak"):
            self._send(NACK)
            return
        late = self._failing("late")
        if not late:
            self._send(ACK)
        if self._failing("ack-only"):
            return
        result = Reply(ERROR) if self._failing("error") else self.chip.command(frame.data, time.monotonic())
        now = time.monotonic()
        if isinstance(result, Waiting):
            self._pending = _Pending(result, b"", now)
            self._finish_pending(now)
            return
        reply = encode(result.data)
        if late:
            self._stuck.append((now + _LATE_SECONDS, ACK + reply))
            return
        wait = _SLOW_SECONDS if self._failing("slow") else 0.0
        if self.delays:
            wait += 0.001 + result.seconds + 10 * len(reply) / self.chip.baud
        self._pending = _Pending(None, reply, now + wait)
        self._finish_pending(now)

    def _finish_pending(self, now: float) -> None:
        """Sends what is due."""
        while self._stuck and self._stuck[0][0] <= now:
            self._write(self._stuck.pop(0)[1])
        pending = self._pending
        if pending is None or now < pending.due:
            return
        if pending.waiting is not None:
            waiting = pending.waiting
            found = waiting.ask()
            if found is None and (waiting.until is None or now < waiting.until):
                pending.due = now + waiting.every
                return
            pending.reply = encode(found if found is not None else waiting.give_up)
        self._pending = None
        self._send(self._spoiled(pending.reply))

    def _spoiled(self, reply: bytes) -> bytes:
        if self._failing("garbage"):
            return self._rng.randbytes(self._rng.randint(1, MAX_DATA))
        if self._failing("half"):
            return reply[: len(reply) // 2]
        if self._failing("zeros"):
            return bytes(self._rng.randint(1, 4)) + reply + bytes(3)
        if self._failing("tail"):
            return bytes.fromhex("00fee2")[: self._rng.randint(1, 3)] + reply
        return reply

    def _send(self, data: bytes) -> None:
        if self._stuck:  # nothing overtakes on a line
            self._stuck.append((self._stuck[-1][0], data))
        else:
            self._write(data)

    def _write(self, data: bytes) -> None:
        if self._master < 0:
            return
        if self.log is not None:
            self.log("<", data)
        step = 1 if "dribble" in self._faults else len(data)
        for at in range(0, len(data), step):
            # Nobody reads, or nobody is there: lost, as on a wire.
            with contextlib.suppress(OSError):
                os.write(self._master, data[at : at + step])
            if step < len(data):
                time.sleep(0.0005)


def _rising_edges(byte: int) -> int:
    """Rising edges on the line while `byte` is sent: start bit low, lowest bit first, stop bit high."""
    bits = [0, *(byte >> n & 1 for n in range(8)), 1]
    return sum(1 for a, b in itertools.pairwise(bits) if b > a)
