"""The link as a device: finds the Pico, keeps the conversation going, and comes back after a loss.

One thread owns the port: it waits for bytes, for something to send, and for the time. Others only leave
the latest LED scenes and a wake-up. A lost port raises half a dozen kinds of exceptions, depending on
where the thread was just then (serial, termios, OSError): all end in the same place.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import secrets
import select
import termios
import threading
import time
from collections.abc import Callable, Mapping
from typing import Literal

import serial

from host.crown_scene import CrownScene
from host.device import Emit
from host.link import ports
from host.link.protocol import PROTOCOL, Line, LineReader, crc16, format_line
from host.link.session import Session
from host.sighting import Health

State = Literal["starting", "up", "weak", "lost"]
HELLO_S = 5.0
"""A Pico may start when its port is opened (S09), so the first answer can take so long."""
PROBE_S = 1.5
"""The same when there are several ports to try."""
ASK_AGAIN_S = 0.4
QUIET_S = 1.0
DEAD_S = 3.0
CLOCK_S = 5.0
LEDS_AGAIN_S = 2.0
FACTS_S = 5.0
WRITE_TIMEOUT_S = 0.5
LOW_BATTERY_MV = 3400
"""Of one lithium cell: under 3.3 V a Pico's converter and the LEDs begin to fail."""
PAUSE_S = (0.2, 5.0)
CONFIG_TRIES = 2
"""So often the board is sent its configuration before it is taken with the one that it keeps."""
BUSY_PATIENCE_S = 15.0
"""So long after a plug-in ModemManager may hold the port (S08): no alarm before."""


class LinkLostError(Exception):
    """The conversation is over; the text says why, for people."""


class LinkDevice:
    """A Pico with our firmware. Implements host.device.Device, and shows scenes on its LEDs.

    `port`: `auto`, a device path, a by-id or by-path name, or `socket://host:port`. `antennas`: how many
    the layout uses. `config`: what the board's configuration should be (firmware/config.py); it is sent
    when the board has another one. None leaves the board's alone.
    """

    def __init__(
        self,
        id: str,
        port: str = "auto",
        antennas: int = 0,
        *,
        config: Mapping[str, str] | None = None,
        finder: ports.Finder | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.id = id
        self.port = port
        self.antennas = antennas
        self._config = None if config is None else dict(config)
        self._finder = finder or ports.Finder()
        self._clock = clock
        self._emit: Emit = lambda sighting: None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._scenes: dict[str, CrownScene] = {}
        self._fresh: set[str] = set()
        self._wake_read, self._wake_write = -1, -1
        self._said: tuple[State, str] | None = None
        self._moaned: set[str] = set()
        self._board_id: str | None = None
        self._try_next = 0
        self._keys = itertools.count(1)
        self._reader = LineReader()
        self._torn = False
        self._losses = 0
        self._write_timeouts = 0
        self._busy_since: float | None = None
        self._forgive = False
        self._config_tries = 0

    # -- Device ------------------------------------------------------------------------------------

    def start(self, emit: Emit) -> None:
        """Begins to look for the Pico; what it says goes to `emit` from the device's own thread."""
        if self._thread is not None:
            return
        self._emit = emit
        self._stopping.clear()
        self._said = None
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self._thread = threading.Thread(target=self._run, name=f"link {self.id}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Lights off, port closed, thread ended. May be called twice."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._stopping.set()
        self._wake()
        thread.join(2)
        self._emit = lambda sighting: None
        if not thread.is_alive():
            os.close(self._wake_read)
            os.close(self._wake_write)

    # -- lights ------------------------------------------------------------------------------------

    def show(self, scene: CrownScene) -> None:
        """Shows `scene` on the crown's ring from now on (host.crown_scene.CrownDriver)."""
        self.light("ring", scene)

    def light(self, at: str | int, scene: CrownScene) -> None:
        """Shows `scene` on the ring ("ring") or on the lamps of an antenna (its number)."""
        with self._lock:
            if self._scenes.get(str(at)) == scene:
                return
            self._scenes[str(at)] = scene
            self._fresh.add(str(at))
        self._wake()

    def full_brightness(self) -> None:
        """Somebody has mended the supply: the board forgets its power resets and restarts at full
        brightness (F24). Does nothing while the link is lost."""
        self._forgive = True
        self._wake()

    def _wake(self) -> None:
        # Nobody there to be woken, or woken already: either is fine.
        with contextlib.suppress(OSError):
            os.write(self._wake_write, b"w")

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        pause = PAUSE_S[0]
        self._say("starting", f"looking for the Pico at {self.port}")
        while not self._stopping.is_set():
            began = self._clock()
            why = self._once()
            if self._stopping.is_set():
                return
            self._losses += 1
            if self._clock() - began > 10:
                pause = PAUSE_S[0]
            if why is not None:
                self._say("lost", f"{why}; trying again")
            self._stopping.wait(pause)
            pause = min(pause * 1.6, PAUSE_S[1])

    def _once(self) -> str | None:
        """One attempt and, where it succeeds, the whole conversation. Returns why it ended."""
        candidates = self._finder.candidates(self.port)
        if not candidates:
            missing = "no Pico is plugged in" if self.port == "auto" else f"{self.port} is not there"
            return f"link lost: {missing}"
        path = candidates[self._try_next % len(candidates)]
        self._try_next += 1
        try:
            port = self._open(path)
        except OSError as error:
            return self._not_open(error, path)
        self._busy_since = None
        try:
            return self._converse(port, path, HELLO_S if len(candidates) == 1 else PROBE_S)
        except LinkLostError as lost:
            return str(lost)
        except (OSError, termios.error, TypeError, ValueError) as error:
            return f"link lost: {_unplugged(error)}"
        finally:
            with contextlib.suppress(OSError, termios.error, TypeError, ValueError):
                port.close()

    def _open(self, path: str) -> serial.SerialBase:
        if "://" in path:
            return serial.serial_for_url(path, timeout=0, write_timeout=WRITE_TIMEOUT_S)
        port = serial.Serial(path, 115200, timeout=0, write_timeout=WRITE_TIMEOUT_S, exclusive=True)
        # The lock above only stops programs that ask for it; this stops the others.
        with contextlib.suppress(OSError):
            fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
        return port

    def _not_open(self, error: OSError, path: str) -> str | None:
        words = ports.in_words(error, path)
        if error.errno == errno.EBUSY:
            now = self._clock()
            self._busy_since = self._busy_since or now
            if now - self._busy_since < BUSY_PATIENCE_S:
                self._say("starting", f"{words}; waiting for it")
                return None
        return f"link lost: {words}"

    # -- a conversation ----------------------------------------------------------------------------

    def _converse(self, port: serial.SerialBase, path: str, patience: float) -> str | None:
        self._reader.reset()
        self._torn = True  # whatever half line the board holds ends at our first newline
        self._write_timeouts = 0
        session = self._greet(port, path, patience)
        if session is None:
            return None
        self._try_next -= 1  # it was this one: the next attempt begins here again
        self._finder.remember(path)
        self._board_id = session.hello.words.get("id") if session.hello else None
        if self._configure(port, session):
            return None
        try:
            self._listen(port, session)
        finally:
            self._say_bye(port)
        return None

    def _greet(self, port: serial.SerialBase, path: str, patience: float) -> Session | None:
        """Asks for a hello until it comes. None: told to stop."""
        key = secrets.token_hex(4).upper()
        session = Session(self.id, self.antennas, key)
        deadline = self._clock() + patience
        ask_at = 0.0
        while session.hello is None:
            now = self._clock()
            if self._stopping.is_set():
                return None
            if now > deadline:
                raise LinkLostError(_no_answer(self._reader, path))
            if now >= ask_at:
                ask_at = now + ASK_AGAIN_S
                self._write(port, format_line("ask", {"what": "hello", "k": key}))
            self._receive(port, session, min(ask_at, deadline) - now)
        if not session.speaks_ours():
            raise LinkLostError(
                f"the firmware speaks protocol {session.hello.words.get('proto', '?')}, this program "
                f"{PROTOCOL}: run `crowntable flash`"
            )
        if not self._is_ours(session.hello, path):
            name = session.hello.words.get("name", "")
            raise LinkLostError(f"the Pico at {path} calls itself {name!r}, this reader is {self.id!r}")
        return session

    def _is_ours(self, hello: Line, path: str) -> bool:
        """May this board be taken for the reader? Only where we looked by ourselves can it be another's."""
        if self._finder.is_named(self.port, path) or hello.words.get("name") == self.id:
            return True
        if self._board_id is not None:
            return hello.words.get("id") == self._board_id
        return self.port == "auto" and hello.words.get("name") in ("pico", "", None)

    def _configure(self, port: serial.SerialBase, session: Session) -> bool:
        """Sends our configuration where the board has another. True: it restarts now."""
        if self._is_configured(session):
            self._config_tries = 0
            return False
        if self._config_tries >= CONFIG_TRIES:
            return False  # it keeps its own: better read with those than not at all
        self._config_tries += 1
        assert self._config is not None
        self._say("starting", "sending the board its configuration")
        self._write(port, format_line("config", self._config))
        deadline = self._clock() + HELLO_S
        while session.configured is None and self._clock() < deadline and not self._stopping.is_set():
            self._receive(port, session, 0.1)
        if session.configured not in ("ok", None):
            raise LinkLostError(f"the board does not take its configuration: {session.configured!r} is wrong")
        return True

    def _is_configured(self, session: Session) -> bool:
        """Whether the board says that it has our configuration, or none was given."""
        if self._config is None or session.hello is None:
            return True
        payload = " ".join(f"{key}={self._config[key]}" for key in sorted(self._config))
        return session.hello.words.get("cfg") == f"{crc16(payload.encode('ascii')):04X}"

    def _listen(self, port: serial.SerialBase, session: Session) -> None:
        """The conversation proper; ends by LinkLostError, an error of the port, or stop."""
        now = self._clock()
        heard_at, clock_at, leds_at, facts_at, tags_at = now, now, now, 0.0, now
        self._forgive = False
        while not self._stopping.is_set():
            now = self._clock()
            if now - heard_at > DEAD_S:
                raise LinkLostError(f"link lost: the Pico has said nothing for {DEAD_S:.0f} s")
            if now >= leds_at:
                leds_at = now + LEDS_AGAIN_S
                with self._lock:
                    self._fresh.update(self._scenes)
            self._send_scenes(port)
            if self._forgive:
                self._forgive = False
                self._write(port, format_line("ask", {"what": "bright"}))
            if now >= clock_at:
                clock_at = now + CLOCK_S
                key = str(next(self._keys))
                session.asked(key, now)
                self._write(port, format_line("ask", {"what": "time", "k": key}))
            if session.wants_tags and now >= tags_at:
                session.wants_tags = False
                tags_at = now + 1.0
                self._write(port, format_line("ask", {"what": "tags"}))
            if self._receive(port, session, 0.25):
                heard_at = self._clock()
            if session.restarted:
                raise LinkLostError(f"link lost: the Pico at {self.port} has restarted")
            quiet = self._clock() - heard_at > QUIET_S
            state, detail = self._judge(session, quiet)
            if self._said != (state, detail) or now >= facts_at:
                facts_at = now + FACTS_S
                self._say(state, detail, self._facts(session))

    def _receive(self, port: serial.SerialBase, session: Session, wait: float) -> bool:
        """Waits for bytes or a wake-up, at most `wait` seconds. True: whole lines came."""
        ready, _, _ = select.select([port.fileno(), self._wake_read], [], [], max(wait, 0))
        if self._wake_read in ready:
            os.read(self._wake_read, 4096)
        if port.fileno() not in ready:
            return False
        data = port.read(4096)
        now = self._clock()
        heard = False
        for line in self._reader.feed(data):
            heard = True
            for sighting in session.take(line, now):
                if not self._stopping.is_set():
                    self._emit(sighting)
        return heard

    def _send_scenes(self, port: serial.SerialBase) -> None:
        """The latest scene of each light that changed; what was overtaken is never sent."""
        with self._lock:
            waiting = [(at, self._scenes[at]) for at in sorted(self._fresh)]
            self._fresh.clear()
        for at, scene in waiting:
            self._write(port, led_line(at, scene))

    def _write(self, port: serial.SerialBase, line: bytes) -> None:
        try:
            port.write(b"\n" + line if self._torn else line)
            self._torn = False
            self._write_timeouts = 0
        except serial.SerialTimeoutException:
            # The board does not read just now. State is sent again anyway; a torn line is ended first.
            self._torn = True
            self._write_timeouts += 1
            if self._write_timeouts >= 4:
                raise LinkLostError("link lost: the Pico takes no more orders") from None

    def _say_bye(self, port: serial.SerialBase) -> None:
        if self._stopping.is_set():
            with contextlib.suppress(OSError, termios.error, LinkLostError):
                self._write(port, format_line("ask", {"what": "bye"}))
                port.flush()

    # -- what we say of ourselves ------------------------------------------------------------------

    def _judge(self, session: Session, quiet: bool) -> tuple[State, str]:
        if quiet:
            return "weak", f"the Pico has said nothing for {QUIET_S:.0f} s"
        hello = session.hello
        antennas = (hello.number("ants") if hello else 0) or 0
        if antennas < self.antennas:
            return "weak", f"the Pico scans {antennas} antennas, the layout has {self.antennas}"
        faulty = [number for number, state in sorted(session.states.items()) if state.fault]
        if faulty:
            names = ", ".join(str(number) for number in faulty)
            fault = _FAULTS.get(session.states[faulty[0]].fault or "", session.states[faulty[0]].fault)
            return "weak", f"antenna {names} of {self.id} does not work: {fault}"
        if session.battery_mv is not None and session.battery_mv < LOW_BATTERY_MV:
            return "weak", f"the battery of {self.id} is low ({session.battery_mv / 1000:.1f} V): charge it"
        if session.dim:
            part = {1: "half", 2: "a quarter"}.get(session.dim, "an eighth")
            return (
                "weak",
                f"lights at {part} brightness: the Pico lost its power again and again; check its 5 V supply",
            )
        if not self._is_configured(session):
            what = f"the Pico of {self.id} keeps other settings than its build's"
            return "weak", f"{what}; run `crowntable flash`"
        ring = (hello.number("ring") if hello else 0) or 0
        return "up", f"{antennas} antennas" if antennas else f"a ring of {ring} LEDs"

    def _facts(self, session: Session) -> tuple[tuple[str, str | int | float], ...]:
        hello = session.hello.words if session.hello else {}
        facts: list[tuple[str, str | int | float]] = [
            ("firmware", hello.get("fw", "?")),
            ("board", hello.get("id", "?")),
            ("started by", hello.get("cause", "?")),
            ("lines", self._reader.good),
            ("damaged lines", self._reader.bad),
            ("missing lines", session.lost),
            ("stale lines", session.stale),
            ("losses of the link", self._losses),
        ]
        if session.battery_mv is not None:
            facts.append(("battery mV", session.battery_mv))
        for number, state in sorted(session.states.items()):
            facts.append((f"antenna {number} scans", state.scans))
            facts.append((f"antenna {number} reads", state.reads))
            facts.append((f"antenna {number} failures", state.failures))
            facts.append((f"antenna {number} ms", round(state.scan_ms, 1)))
        return tuple(facts)

    def _say(self, state: State, detail: str, facts: tuple[tuple[str, str | int | float], ...] = ()) -> None:
        if self._said == (state, detail) and not facts:
            return
        if state == "up":
            self._moaned.clear()
        elif state == "lost":
            # Several ports tried in turn give several reasons: each is said once, not every five seconds.
            if detail in self._moaned and self._said is not None and self._said[0] == "lost":
                return
            self._moaned.add(detail)
        self._said = (state, detail)
        if not self._stopping.is_set():
            kind: Literal["reader", "crown"] = "reader" if self.antennas else "crown"
            self._emit(Health(self._clock(), self.id, kind, state, detail, facts))


def led_line(at: str, scene: CrownScene) -> bytes:
    """The `led` line of a scene; `r` is thousandths of a cycle a second."""
    red, green, blue = (min(max(part, 0), 255) for part in scene.colour)
    return format_line(
        "led",
        {
            "at": at,
            "c": f"{red:02X}{green:02X}{blue:02X}",
            "p": scene.pattern,
            "r": min(max(round(scene.pace * 1000), 0), 8000),
        },
    )


_FAULTS = {
    "mute": "its reader chip does not answer",
    "hangs": "its reader chip hangs",
    "stays-in-reset": "its reader chip stays in reset",
    "lost-settings": "its reader chip loses its settings (power?)",
    "gain": "its reader chip does not take the gain",
    "fifo": "its reader chip answers nonsense",
    "frame": "its reader chip answers nonsense",
    "no-ack": "its reader chip answers nonsense",
}


def _unplugged(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno not in (None, errno.EIO, errno.ENXIO, errno.ENODEV):
        return os.strerror(error.errno or 0).lower()
    return "the cable was pulled, or the Pico has restarted"


def _no_answer(reader: LineReader, path: str) -> str:
    """Why nobody said hello, as far as what came instead tells it."""
    heard = reader.text + reader.pending()
    if "login:" in heard:
        return f"the system's serial console uses {path}: switch it off in raspi-config"
    if ">>>" in heard or "MicroPython" in heard:
        return f"the Pico at {path} shows MicroPython's prompt: put the firmware on it (`crowntable flash`)"
    if heard.strip():
        return f"what talks at {path} is not our firmware"
    return f"nothing answers at {path}"
