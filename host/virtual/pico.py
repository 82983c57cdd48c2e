"""A virtual Pico: our firmware in a real MicroPython, on a pseudo-terminal, with tags in its fields.

The firmware's files run unchanged; `firmware/sim` stands in for the chip's own modules, down to the
registers of the reader chips. What lies on which antenna, faults and button presses go in over a pipe;
what the LEDs show comes out over another.
"""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tty
from collections.abc import Mapping, Sequence
from pathlib import Path

from host.link.files import firmware_folder
from host.link.protocol import crc16

# Runs in the child: dies with the thread that started it, then becomes MicroPython.
_LAUNCH = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != int(sys.argv[1]):
    sys.exit(0)
from micropython_unix import run_main
sys.exit(run_main(["micropython", "-X", "heapsize=" + sys.argv[2], *sys.argv[3:]]))
"""
_CAUSES = {3: "restart", 4: "power"}
RGB = tuple[int, int, int]


class VirtualPico:
    """One Pico. `path` is the serial port the host opens: a link to whichever pseudo-terminal it is now.

    `wiring` are settings as in firmware/config.py, over the defaults; they are both how the board is
    wired and what is stored in its flash at first. `flash` keeps the flash between runs (a folder).
    `buttons` are names of up to eight buttons, on pins of their own. `heap`: a Pico's is about 190 KB;
    words are twice as long here, and the simulated chips and tags lie in it too. `from_flash`: it runs
    the files that are in its flash, as a real one does (none at first: only the prompt), not those of
    this program.
    """

    def __init__(
        self,
        id: str,
        antennas: int,
        link_path: Path | str | None = None,
        *,
        wiring: Mapping[str, str] | None = None,
        flash: Path | str | None = None,
        heap: str = "320k",
        buttons: Sequence[str] = (),
        from_flash: bool = False,
    ) -> None:
        self.id = id
        self.antennas = antennas
        self._own: list[Path] = []
        if link_path is None:
            link_path = self._make_own(Path(tempfile.mkdtemp(prefix="crowntable-pico-"))) / "port"
        self.path = str(link_path)
        # A flash that nobody asked to keep starts empty, whatever a killed run left behind.
        self.flash = Path(flash) if flash else self._make_own(Path(self.path + ".flash"))
        self.flash.mkdir(parents=True, exist_ok=True)
        self.wiring = {"name": id, "antennas": str(antennas), **(wiring or {})}
        if buttons:
            self.wiring["buttons"] = ",".join(f"{name}:{8 + at}" for at, name in enumerate(buttons))
        self._from_flash = from_flash
        if not from_flash:
            self._write_config()
        self._heap = heap
        self._lock = threading.RLock()
        self._tags: dict[int, dict[str, str]] = {number: {} for number in range(antennas)}
        self._faults: dict[tuple[int, str], int] = {}
        self._supply = 0
        self._leds: dict[int, bytes] = {}
        self.most_fields = 0
        """The most fields that were on at once: more than one is the firmware's fault."""
        self.starts = 0
        self._cause = "power"
        self._plugged = threading.Event()
        self._stopping = False
        self._child: subprocess.Popen[bytes] | None = None
        self._control: int | None = None
        self._thread: threading.Thread | None = None

    def _write_config(self) -> None:
        """What somebody who built the board would have stored in it; a kept flash stays as it is."""
        stored = self.flash / "config.txt"
        if not stored.exists():
            body = " ".join(f"{key}={self.wiring[key]}" for key in sorted(self.wiring))
            stored.write_text(f"{body}*{crc16(body.encode('ascii')):04X}\n", encoding="ascii")

    def _make_own(self, folder: Path) -> Path:
        """An empty folder that is removed at the end."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._own.append(folder)
        return folder

    # -- life --------------------------------------------------------------------------------------

    def start(self) -> None:
        """Plugs it in. Returns when its port exists; the firmware says hello a moment later."""
        self.plug()
        if self._thread is None:
            self._thread = threading.Thread(target=self._supervise, name=f"pico {self.id}", daemon=True)
            self._thread.start()
        deadline = time.monotonic() + 5
        while not Path(self.path).exists() and time.monotonic() < deadline:
            time.sleep(0.01)

    def stop(self) -> None:
        """Pulls the plug for good and removes its files (not a flash folder that was given)."""
        self._stopping = True
        self._plugged.set()
        self._kill()
        if self._thread is not None:
            self._thread.join(5)
            self._thread = None
        with contextlib.suppress(OSError):
            Path(self.path).unlink()
        for folder in self._own:
            shutil.rmtree(folder, ignore_errors=True)

    def unplug(self) -> None:
        """Pulls the USB cable: the port hangs up and vanishes, the board loses its power."""
        self._plugged.clear()
        self._cause = "power"
        self._kill()

    def plug(self) -> None:
        """Puts the cable back; the port gets another pseudo-terminal, as a real one another number."""
        self._plugged.set()

    def _kill(self) -> None:
        with self._lock:
            if self._child is not None and self._child.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    self._child.send_signal(signal.SIGKILL)

    def _supervise(self) -> None:
        # The child dies with this very thread (PR_SET_PDEATHSIG), so one thread sees to all its lives.
        while not self._stopping:
            self._plugged.wait()
            if self._stopping:
                return
            code = self._live()
            self._cause = _CAUSES.get(code, "power")
            time.sleep(0.15)  # the bus needs a moment to see a device again

    def _live(self) -> int:
        """One life of the board, from power-on to reset. Returns the child's exit code."""
        board, host = pty.openpty()
        tty.setraw(host)  # else the terminal would echo the board's own lines back to it
        os.set_blocking(board, False)
        control_read, control_write = os.pipe()
        report_read, report_write = os.pipe()
        os.set_blocking(control_write, False)
        link = Path(self.path)
        fresh = link.with_name(link.name + ".new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.ttyname(host))
        fresh.replace(link)
        with self._lock:
            if self._stopping or not self._plugged.is_set():
                child = None
            else:
                child = self._spawn(board, control_read, report_write)
            self._child = child
            self._control = control_write
            self.starts += 1
            self._leds.clear()
            self._tell_everything()
        for unused in (board, control_read, report_write):
            os.close(unused)
        try:
            with os.fdopen(report_read, "rb") as reports:
                for report in reports:
                    self._heard(report.decode("ascii", "replace").split())
            return child.wait() if child is not None else 0
        finally:
            with self._lock:
                self._control = None
                self._leds.clear()
            os.close(control_write)
            os.close(host)
            link.unlink(missing_ok=True)

    def _spawn(self, board: int, control: int, report: int) -> subprocess.Popen[bytes]:
        firmware = firmware_folder()
        wiring = " ".join(f"{key}={value}" for key, value in self.wiring.items())
        environment = {
            **os.environ,
            "MICROPYPATH": f"{self.flash if self._from_flash else firmware}:.frozen",
            "CROWNTABLE_SIM_FIRMWARE": str(firmware) if self._from_flash else "",
            "CROWNTABLE_SIM_WIRING": wiring,
            "CROWNTABLE_SIM_CAUSE": self._cause,
            "CROWNTABLE_SIM_ID": self._identity(),
            "CROWNTABLE_SIM_IN": f"/dev/fd/{control}",
            "CROWNTABLE_SIM_OUT": f"/dev/fd/{report}",
        }
        return subprocess.Popen(
            [
                sys.executable,
                "-c",
                _LAUNCH,
                str(os.getpid()),
                self._heap,
                str(firmware / "sim" / "boot.py"),
            ],
            stdin=board,
            stdout=board,
            stderr=subprocess.DEVNULL,
            cwd=self.flash,
            env=environment,
            pass_fds=(control, report),
            start_new_session=True,
        )

    def _identity(self) -> str:
        """Eight bytes that stay the same for a Pico of this name, as a chip's serial number does."""
        return ("E6" + self.id.encode().hex().upper() + "0" * 16)[:16]

    # -- what happens to it ------------------------------------------------------------------------

    def place(self, antenna: int, uid: str | bytes, memory: bytes = b"", sak: int = 0) -> None:
        """Lays a tag on an antenna. `memory`: its pages from page 0 on; empty: it answers no READ."""
        name = _hex(uid)
        words = f"place {antenna} {name} {sak:02X} {memory.hex() or '-'}"
        with self._lock:
            self._tags[antenna][name] = words
            self._tell(words)

    def lift(self, antenna: int, uid: str | bytes) -> None:
        """Takes a tag away; nothing happens where it does not lie."""
        name = _hex(uid)
        with self._lock:
            if self._tags[antenna].pop(name, None) is not None:
                self._tell(f"lift {antenna} {name}")

    def lying(self, antenna: int) -> tuple[str, ...]:
        """The UIDs that lie on an antenna."""
        with self._lock:
            return tuple(self._tags[antenna])

    def press(self, button: str, seconds: float = 0.1) -> None:
        """Presses a button and lets it go `seconds` later."""
        self._tell(f"press {button}")
        threading.Timer(seconds, self._tell, [f"release {button}"]).start()

    def fault(self, antenna: int, kind: str, value: int) -> None:
        """Makes an antenna sick, or well again with 0: mute, hung, noise (%), weak (%), version,
        gain_stuck, as in firmware/sim/mfrc522_chip.py."""
        with self._lock:
            self._faults[antenna, kind] = value
            self._tell(f"fault {antenna} {kind} {value}")

    def supply(self, milliamperes: int) -> None:
        """The 5 V supply breaks down, and the board resets, when the LEDs draw more. 0: never."""
        with self._lock:
            self._supply = milliamperes
            self._tell(f"supply {milliamperes}")

    def battery(self, millivolts: int) -> None:
        """The voltage of its battery, where the wiring has one."""
        self._tell(f"battery {millivolts}")

    def garbage(self, data: bytes) -> None:
        """Puts bytes on the serial line that the firmware never sent."""
        self._tell(f"garbage {data.hex()}")

    def hurry_watchdog(self, times: int) -> None:
        """Lets the watchdog's time pass faster, until the next start."""
        self._tell(f"hurry {times}")

    def stall(self, seconds: float) -> None:
        """The firmware stands still for a while."""
        self._tell(f"stall {round(seconds * 1000)}")

    def reset_in_line(self) -> None:
        """Half a line, then a reset."""
        self._tell("half")

    def power_cut(self) -> None:
        """The board loses its power for a moment."""
        self._tell("cut")

    # -- what it shows -----------------------------------------------------------------------------

    def leds(self, which: str = "ring") -> tuple[RGB, ...]:
        """What the LEDs of "ring" or "lamps" show now, red green blue each; () where none are lit yet."""
        setting = self.wiring.get(which) or {"ring": "22:24", "lamps": "21:1"}[which]
        if setting == "-":
            return ()
        with self._lock:
            raw = self._leds.get(int(setting.partition(":")[0]), b"")
        return tuple((raw[at + 1], raw[at], raw[at + 2]) for at in range(0, len(raw) - 2, 3))

    # -- the pipes ---------------------------------------------------------------------------------

    def _tell_everything(self) -> None:
        for tags in self._tags.values():
            for words in tags.values():
                self._tell(words)
        for (antenna, kind), value in self._faults.items():
            self._tell(f"fault {antenna} {kind} {value}")
        if self._supply:
            self._tell(f"supply {self._supply}")

    def _tell(self, words: str) -> None:
        with self._lock:
            if self._control is not None:
                # A board that is gone, or hangs, hears nothing; what lies on it is told at its next start.
                with contextlib.suppress(BlockingIOError, BrokenPipeError):
                    os.write(self._control, words.encode("ascii") + b"\n")

    def _heard(self, words: list[str]) -> None:
        if len(words) == 3 and words[0] == "leds":
            with self._lock:
                self._leds[int(words[1])] = bytes.fromhex(words[2])
        elif len(words) == 2 and words[0] == "fields":
            self.most_fields = max(self.most_fields, int(words[1]))


def _hex(uid: str | bytes) -> str:
    return uid.hex().upper() if isinstance(uid, bytes) else uid.upper()
