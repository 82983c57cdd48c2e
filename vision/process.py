"""Vision as a process of its own: `python -m vision.process SOURCE [CALIBRATION]` (by host.camera).

It writes JSON lines on standard output and takes one-word commands on standard input:

    {"is": "frame", "at": s, "frame": n, "moving": false, "dice": [...], "ms": 12.3}
    {"is": "health", "state": "up", "detail": "...", "facts": {...}}
    {"is": "beat"}                      at least twice a second
    {"is": "look", "data": base64, ...} after `look`: the latest frame as it is, and the readings beside it
    {"is": "calibrated", "score": ...}  after `calibrate` (the board lies in the tray); or "what", "cure"

`at` is the monotonic clock of the machine, the same in every process. The process ends with its
parent: the kernel's death signal, and the end of standard input.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

import cv2
import numpy as np

from vision.calibration import Tray, calibrate, shift
from vision.detect import Detector
from vision.errors import VisionError
from vision.motion import FreezeDetector, MotionGate
from vision.readings import Found, Image, Unsure
from vision.source import Source, open_source

RATE = 15.0  # frames analysed a second at most
SILENCE = 1.5  # seconds without a frame that mean lost
BROKEN = 0.3  # the same where the source itself has said that it is broken
STUCK = 10.0  # seconds for one picture after which the process is taken for hung
HANG_READ, HANG_OPEN = 5.0, 12.0  # seconds in one call of the driver after which the process gives up
SETTLE_READS = 6  # frames read one by one after motion; after that a still tray is read once a second
_PR_SET_PDEATHSIG = 1
_JPEG_WIDTH = 960
_FACTS = 5.0  # seconds after which the facts are said again where nothing else has changed
_MOVED = 0.02  # of the picture's width: further, and the camera has been moved


class Grabber(threading.Thread):
    """Drains the source all the time and keeps the latest frame only, so that no frame is ever old."""

    def __init__(self, source: str) -> None:
        """`source` as `vision.source.open_source` takes it."""
        super().__init__(name="grabber", daemon=True)
        self._name = source
        self._fresh = threading.Condition()
        self._latest: tuple[Image, float, int] | None = None
        self._count = 0
        self.since = time.monotonic()  # start of the driver call that is running
        self.opening = True
        self.problem: VisionError | None = None
        self.mode = ""
        self.exposure = ""
        self.live = True

    def run(self) -> None:
        """Opens, reads, and after a loss opens again with growing pauses."""
        pause = 0.2
        while True:
            self.since, self.opening = time.monotonic(), True
            source: Source | None = None
            try:
                source = open_source(self._name)
                self.mode, self.live, self.opening = source.mode, source.live, False
                self.exposure = source.exposure()
                got = self._drain(source)
                self.problem = VisionError(
                    "The camera gives no picture." if source.live else "The video has ended.",
                    "Check its cable; it is tried again by itself.",
                )
                pause = 0.2 if got else min(5.0, pause * 2)
            except VisionError as error:
                self.problem = error
                pause = min(5.0, pause * 2)
            except cv2.error as error:  # a driver's assertion about a frame that is none
                self.problem = VisionError(f"The camera driver failed: {error.err}.", "Try replugging.")
                pause = min(5.0, pause * 2)
            finally:
                if source is not None:
                    source.close()
            self.since = time.monotonic() + pause
            time.sleep(pause)

    def _drain(self, source: Source) -> bool:
        got, failures = False, 0
        while failures < 10:
            self.since = time.monotonic()
            frame = source.read()
            if frame is None:
                failures += 1
                time.sleep(0.05)  # the failing path must not spin (F31)
                continue
            if not got:
                self.exposure = source.exposure()  # some drivers know it once frames flow
            failures, got, self.problem = 0, True, None
            with self._fresh:
                self._count += 1
                self._latest = (frame, time.monotonic(), self._count)
                self._fresh.notify()
        return got

    def next(self, after: int, timeout: float) -> tuple[Image, float, int] | None:
        """The latest frame newer than number `after`, with its time, or None within `timeout` s."""
        with self._fresh:
            self._fresh.wait_for(lambda: self._latest is not None and self._latest[2] > after, timeout)
            return self._latest if self._latest is not None and self._latest[2] > after else None


class Reader:
    """Frames to readings, with no more work than the picture asks for."""

    def __init__(self) -> None:
        """Nothing seen yet, no white balance."""
        self._detector = Detector()
        self._gate = MotionGate()
        self._found = Found((), (), 0.0)
        self._still = 0
        self._read_at = float("-inf")

    def balance(self, gain: tuple[float, float, float]) -> None:
        """White balance for B, G, R from now on."""
        self._detector.balance(gain)

    def read(self, frame: Image, at: float) -> tuple[Found, bool]:
        """The readings of a frame, and whether it moved against the frame before."""
        moving = self._gate.moving(frame)
        self._still = 0 if moving else self._still + 1
        if self._still <= SETTLE_READS or at - self._read_at >= 1.0:
            self._found = self._detector.read(frame)
            self._read_at = at
        if moving:
            return self._in_motion(self._found), True
        return self._found, False

    def _in_motion(self, found: Found) -> Found:
        """No number for a die in whose place something moves (F30)."""
        still = tuple(die for die in found.dice if not self._gate.moving_at(die.box))
        moving = [die for die in found.dice if self._gate.moving_at(die.box)]
        doubts = [Unsure(die.box, "moving", die.colour, die.confidence, die.value) for die in moving]
        return Found(still, (*found.unsure, *doubts), found.ms)


class Vision:
    """The process's main loop."""

    def __init__(self, source: str, out: BinaryIO, calibration: Path | None = None) -> None:
        """Readings of `source` go to `out`; `calibration` is where this camera's is kept."""
        self._path = calibration
        self._tray: Tray | None = None
        self._moved_checks, self._checked = 0, 0.0
        self._grabber = Grabber(source)
        self._reader = Reader()
        self._out = out
        self._writing = threading.Lock()
        self._freeze = FreezeDetector()
        self._state = ("starting", f"opening {source}")
        self._want_look = threading.Event()
        self._round = time.monotonic()
        self._moving, self._brightness, self._facts_at = False, 0.0, 0.0
        self._want_calibration = threading.Event()
        self._shown: tuple[Image, Found] | None = None
        self._rates: list[float] = []

    def run(self) -> None:
        """Never returns; ends with `os._exit` when the driver hangs, so that the parent starts anew."""
        threading.Thread(target=self._commands, name="commands", daemon=True).start()
        self._health()
        self._load_calibration()
        self._grabber.start()
        threading.Thread(target=self._beats, name="beats", daemon=True).start()
        seen, last = 0, time.monotonic()
        while True:
            began = self._round = time.monotonic()
            got = self._grabber.next(seen, 0.25)
            now = time.monotonic()
            if got is not None:
                frame, at, seen = got
                last = now
                self._take(frame, at, seen)
            elif now - last >= (SILENCE if self._grabber.problem is None else BROKEN):
                self._no_frame(now)
            if self._want_look.is_set() and self._shown is not None:
                self._want_look.clear()
                self._send_look(*self._shown)
            if self._want_calibration.is_set() and self._shown is not None:
                self._want_calibration.clear()
                self._calibrate(self._shown[0])
            time.sleep(max(0.0, began + 1.0 / RATE - time.monotonic()))

    def _beats(self) -> None:
        """Says that the process is alive while a picture is worked on, which may take seconds on a small and
        busy machine; a main loop that is stuck for longer is said by silence."""
        while True:
            if time.monotonic() - self._round < STUCK:
                self._say({"is": "beat"})
            time.sleep(0.5)

    def _take(self, frame: Image, at: float, number: int) -> None:
        if self._grabber.live and self._freeze.frozen(frame, at):
            self._shown = None  # what was read last is not what lies there now
            self._change("lost", "the camera repeats one picture; it seems to be unplugged or hung")
            return
        found, moving = self._reader.read(frame, at)
        self._shown, self._moving = (frame, found), moving
        self._rates = [*self._rates[-29:], at]
        brightness = self._brightness = float(np.mean(frame[::8, ::8]))
        if brightness < 20.0:
            self._change("weak", "the picture is nearly black; is the lens covered, the lamp off?")
        elif brightness > 245.0:
            self._change("weak", "the picture is nearly white; is a lamp shining into the camera?")
        elif self._has_moved(frame, at, moving):
            self._change("weak", "the camera has been moved since it was calibrated; calibrate it again")
        else:
            self._change("up", f"camera up, {self._grabber.mode}")
        if at - self._facts_at >= _FACTS:
            self._health()
        dice = _dice(found)
        self._say({"is": "frame", "at": at, "frame": number, "moving": moving, "dice": dice, "ms": found.ms})

    def _has_moved(self, frame: Image, at: float, moving: bool) -> bool:
        """Whether the picture has been shifted against the calibration's for three looks, 2 s apart."""
        if self._tray is None:
            return False
        if not moving and at - self._checked >= 2.0:
            self._checked = at
            same = self._tray.size == (frame.shape[1], frame.shape[0]) and shift(self._tray, frame) < _MOVED
            self._moved_checks = 0 if same else self._moved_checks + 1
        return self._moved_checks >= 3

    def _load_calibration(self) -> None:
        if self._path is None or not self._path.exists():
            return
        try:
            self._tray = Tray.load(self._path)
        except VisionError as error:
            self._change("weak", f"{error.what} {error.cure}")
            return
        self._reader.balance(self._tray.gain)

    def _calibrate(self, frame: Image) -> None:
        try:
            tray = calibrate([frame])
            if self._path is not None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                tray.save(self._path)
        except VisionError as error:
            self._say({"is": "calibrated", "what": error.what, "cure": error.cure})
            return
        except OSError as error:
            cure = "Is there room on the disk?"
            self._say({"is": "calibrated", "what": f"It cannot be saved: {error.strerror}.", "cure": cure})
            return
        self._tray, self._moved_checks = tray, 0
        self._reader.balance(tray.gain)
        self._say({"is": "calibrated", "score": tray.score()})
        self._health()

    def _no_frame(self, now: float) -> None:
        problem = self._grabber.problem
        self._shown = None
        self._change("lost", problem.what if problem else "the camera gives no picture")
        limit = HANG_OPEN if self._grabber.opening else HANG_READ
        if now - self._grabber.since > limit:  # a thread stuck in a driver cannot be ended otherwise
            os._exit(3)

    def _change(self, state: str, detail: str) -> None:
        if self._state != (state, detail):
            self._state = (state, detail)
            self._health()

    def _health(self) -> None:
        state, detail = self._state
        facts: dict[str, Any] = {"mode": self._grabber.mode}
        if len(self._rates) > 1 and self._rates[-1] > self._rates[0]:
            facts["frames_per_s"] = round((len(self._rates) - 1) / (self._rates[-1] - self._rates[0]), 1)
        if self._shown is not None:
            facts |= {"brightness": round(self._brightness), "ms": round(self._shown[1].ms, 1)}
        if self._grabber.exposure:
            facts["exposure"] = self._grabber.exposure
        if self._tray is not None:
            facts["calibration"] = self._tray.score()
            facts["white balance"] = self._tray.light()
        self._facts_at = time.monotonic()
        self._say({"is": "health", "state": state, "detail": detail, "facts": facts})

    def _send_look(self, frame: Image, found: Found) -> None:
        size = [frame.shape[1], frame.shape[0]]
        message = {"size": size, "moving": self._moving, "ms": round(found.ms, 1), "dice": _dice(found)}
        self._say({"is": "look", "data": _packed(frame), **message})

    def _say(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._writing:
            try:
                self._out.write(line)
                self._out.flush()
            except OSError:  # the parent has gone
                os._exit(0)

    def _commands(self) -> None:
        for line in sys.stdin:
            if line.strip() == "look":
                self._want_look.set()
            elif line.strip() == "calibrate":
                self._want_calibration.set()
        os._exit(0)  # standard input has ended: so has the parent


def _dice(found: Found) -> list[dict[str, Any]]:
    """The readings of a frame for the parent: the sure ones, then the doubts with their reasons."""
    sure: list[dict[str, Any]] = [
        {"face": d.value, "colour": d.colour, "box": d.box, "confidence": round(d.confidence, 4)}
        for d in found.dice
    ]
    doubts = [
        {"face": None, "colour": s.colour, "box": s.box, "confidence": 0.0, "why": s.why}
        for s in found.unsure
    ]
    return sure + doubts


def _packed(picture: Image) -> str:
    """A picture as JPEG in base64, no wider than a page shows it."""
    if picture.shape[1] > _JPEG_WIDTH:
        size = (_JPEG_WIDTH, round(picture.shape[0] * _JPEG_WIDTH / picture.shape[1]))
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 80])
    return base64.b64encode(data.tobytes()).decode()


def main() -> None:
    """Runs vision on the source named on the command line until the parent ends."""
    with contextlib.suppress(OSError, AttributeError):  # not Linux: the end of stdin must do
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    # Libraries print to descriptor 1; the lines to the parent get a descriptor of their own.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    cv2.setNumThreads(1)
    Vision(sys.argv[1], out, Path(sys.argv[2]) if len(sys.argv) > 2 else None).run()


if __name__ == "__main__":
    main()
