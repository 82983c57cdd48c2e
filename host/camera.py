"""The camera as a device: runs vision in a process of its own and turns its lines into Sightings.

The process may die, hang or be killed: it is started again, with growing pauses, and the table is told
"camera lost" meanwhile (F31). Times are the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import vision
from engine.errors import CrowntableError
from host.device import Emit
from host.sighting import DiceFrame, DieSeen, Health

SILENCE = 2.5  # seconds without a line from the process that mean it hangs
LOOKS = 5.0  # pictures a second at most that are packed for watchers
FIRST_LINE = 15.0  # seconds it may take to start on a slow machine
_PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)
State = Literal["starting", "up", "weak", "lost"]


@dataclass(frozen=True, slots=True)
class Look:
    """A picture for whoever watches: `jpeg` in base64, at most 960 pixels wide; `size` of the frame itself,
    in whose pixels the dice's boxes are; `ms` the reading took."""

    jpeg: str
    size: tuple[int, int]
    moving: bool
    ms: float
    dice: tuple[DieSeen, ...]


class CameraDevice:
    """A `host.device.Device`. `source`: device number or path, file, folder of pictures, stream's URL."""

    def __init__(self, id: str, source: str, calibration: Path | None = None) -> None:
        """`id` is the layout's id of the camera; `calibration` the file where its calibration is kept."""
        self.id = id
        self.source = source
        self.calibration = calibration
        self._calibrated: dict[str, str] | None = None
        self._calibrated_came = threading.Condition()
        self._emit: Emit | None = None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._look: Look | None = None
        self._looked = 0.0
        self._look_came = threading.Condition()
        self._looking = threading.Lock()
        self._said: tuple[str, str, tuple[tuple[str, str | int | float], ...]] | None = None
        self._frames_before = 0
        self._frames = 0

    def start(self, emit: Emit) -> None:
        """Begins; Sightings go to `emit` from the device's own thread."""
        self._emit = emit
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, name=f"camera-{self.id}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the process and the thread. May be called twice."""
        self._stopping.set()
        self._kill()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(2.0)

    @property
    def pid(self) -> int | None:
        """The process id of the running vision process, for `doctor` and the chaos scenarios."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def look(self, timeout: float = 1.5) -> Look | None:
        """The newest frame as it is, with the readings beside it, for whoever watches; None while there is
        no picture. However many ask: the process packs at most LOOKS pictures a second."""
        if not self._looking.acquire(timeout=timeout):
            return None
        try:
            if self._look is not None and time.monotonic() - self._looked < 1.0 / LOOKS:
                return self._look
            with self._look_came:
                self._look = None
                if self._ask(b"look\n"):
                    self._look_came.wait_for(lambda: self._look is not None, timeout)
                self._looked = time.monotonic()
                return self._look
        finally:
            self._looking.release()

    def calibrate(self, timeout: float = 10.0) -> str:
        """Calibrates from the frame of now, in which the printed board lies in the tray; gives the
        score in one sentence. Raises CrowntableError."""
        with self._calibrated_came:
            self._calibrated = None
            if not self._ask(b"calibrate\n"):
                raise CrowntableError("The camera is not running.", "Check its cable; it is tried again.")
            self._calibrated_came.wait_for(lambda: self._calibrated is not None, timeout)
            answer = self._calibrated
        if answer is None:
            raise CrowntableError("The camera gave no picture in time.", "Is it up? Then try again.")
        if "score" in answer:
            return answer["score"]
        raise CrowntableError(answer["what"], answer["cure"])

    # -- the device's thread -----------------------------------------------------------------------

    def _run(self) -> None:
        attempt = 0
        while not self._stopping.is_set():
            self._health("starting", f"starting the camera process for {self.source}")
            began = time.monotonic()
            reason = self._serve()
            if self._stopping.is_set():
                return
            attempt = 0 if time.monotonic() - began > 10.0 else attempt + 1
            pause = _PAUSES[min(attempt, len(_PAUSES) - 1)]
            self._health("lost", f"{reason}; starting it again in {pause:g} s")
            self._stopping.wait(pause)

    def _serve(self) -> str:
        """Runs the process once; gives the reason for its end."""
        try:
            process = self._spawn()
        except OSError as error:
            return f"the camera process could not be started ({error.strerror})"
        try:
            return self._listen(process)
        finally:
            self._kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def _spawn(self) -> subprocess.Popen[bytes]:
        root = str(Path(vision.__file__).parents[1])
        kept = [] if self.calibration is None else [str(self.calibration)]
        environment = {**os.environ, "PYTHONPATH": root, "OPENCV_LOG_LEVEL": "ERROR"}
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "vision.process", self.source, *kept],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        with self._lock:
            self._process = process
        if self._stopping.is_set():
            self._kill()
        return process

    def _listen(self, process: subprocess.Popen[bytes]) -> str:
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        self._frames_before = self._frames
        heard, patience, rest = time.monotonic(), FIRST_LINE, b""
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while not self._stopping.is_set():
                if selector.select(0.25):
                    data = os.read(descriptor, 1 << 16)
                    if not data:
                        return "the camera process ended"
                    heard, patience = time.monotonic(), SILENCE
                    *lines, rest = (rest + data).split(b"\n")
                    for line in lines:
                        self._take(line)
                elif time.monotonic() - heard > patience:
                    return "the camera process does not answer"
        return "stopped"

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
            kind = message["is"]
        except (ValueError, KeyError, TypeError):
            return  # a library's print that slipped in; the next line is whole again
        if kind == "frame":
            self._frame(message)
        elif kind == "health":
            facts = tuple((str(key), value) for key, value in message["facts"].items())
            self._health(cast(State, message["state"]), str(message["detail"]), facts)
        elif kind == "look":
            size = (int(message["size"][0]), int(message["size"][1]))
            fresh = Look(
                message["data"], size, bool(message["moving"]), float(message["ms"]), _dice(message["dice"])
            )
            with self._look_came:
                self._look = fresh
                self._look_came.notify_all()
        elif kind == "calibrated":
            with self._calibrated_came:
                self._calibrated = {
                    key: str(message[key]) for key in ("score", "what", "cure") if key in message
                }
                self._calibrated_came.notify_all()

    def _frame(self, message: dict[str, Any]) -> None:
        dice = _dice(message["dice"])
        # The process counts from 1 each time it starts; the camera's count goes on.
        self._frames = self._frames_before + int(message["frame"])
        if self._emit is not None and not self._stopping.is_set():
            self._emit(DiceFrame(message["at"], self.id, self._frames, dice, message["moving"]))

    def _health(
        self, state: State, detail: str, facts: tuple[tuple[str, str | int | float], ...] = ()
    ) -> None:
        if self._emit is None or self._stopping.is_set() or self._said == (state, detail, facts):
            return
        self._said = (state, detail, facts)
        self._emit(Health(time.monotonic(), self.id, "camera", state, detail, facts))

    def _ask(self, command: bytes) -> bool:
        with self._lock:
            process = self._process
            if process is None or process.stdin is None or process.poll() is not None:
                return False
            try:
                process.stdin.write(command)
                process.stdin.flush()
            except (OSError, ValueError):  # it has just died or been closed
                return False
            return True

    def _kill(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()


def _dice(told: list[dict[str, Any]]) -> tuple[DieSeen, ...]:
    """The process's readings of one frame."""
    return tuple(
        DieSeen(
            face=die["face"],
            colour=die["colour"],
            box=(die["box"][0], die["box"][1], die["box"][2], die["box"][3]),
            confidence=die["confidence"],
            why=die.get("why"),
        )
        for die in told
    )
