"""Where frames come from: V4L2 cameras, Picamera2, video files, picture folders, network streams.

`open_source` gives a `Source`; its `read` blocks until the next frame or says that there is none. What
blocks for ever is the business of the watchdog in `vision.process`.
"""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from vision.errors import VisionError
from vision.pictures import SUFFIXES, load
from vision.readings import Image

WIDTH, HEIGHT, RATE = 1280, 720, 30
FOLDER_SECONDS = 2.0  # how long each picture of a folder is shown
_NETWORK = ("http://", "https://", "rtsp://", "rtsps://", "tcp://", "udp://")


class Source(Protocol):
    """An open source of frames. `live`: frames come when they come, and identical ones mean frozen."""

    live: bool
    mode: str

    def read(self) -> Image | None:
        """The next frame (h x w x 3 BGR), or None where none came."""

    def exposure(self) -> str:
        """How long and how strongly the device exposes, read back from it; "" where it does not say."""

    def close(self) -> None:
        """Lets the device go. May be called twice."""


def open_source(source: str) -> Source:
    """Opens a device number or path, picture, folder of pictures, video file, URL or `picamera2`.

    Raises VisionError, with the cause where it can be known.
    """
    if source.startswith(_NETWORK):
        return _Capture.of(source, live=True)
    if source == "picamera2" or source.startswith("picamera2:"):
        number = source.partition(":")[2] or "0"
        if not number.isdecimal():
            raise VisionError(f"There is no Pi camera {number!r}.", "Write picamera2:0 for the first one.")
        return _PiCamera(int(number))
    if source.isdigit() or source.startswith("/dev/"):
        return _device(source)
    path = Path(source)
    if not path.exists():
        raise VisionError(
            f"The camera source {source} does not exist.",
            "Name a device (/dev/video0), a video, a picture folder or a stream's URL.",
        )
    if path.is_dir():
        return _Folder.of(sorted(p for p in path.iterdir() if p.suffix.lower() in SUFFIXES), source)
    if path.suffix.lower() in SUFFIXES:
        return _Folder.of([path], source)
    return _Capture.of(source, live=False)


def found_cameras() -> list[str]:
    """The V4L2 cameras of this machine by stable path where they have one, else by number."""
    by_id = sorted(Path("/dev/v4l/by-id").glob("*-video-index0"))
    return [str(path) for path in (by_id or sorted(Path("/dev").glob("video[0-9]*")))]


def pi_cameras() -> int:
    """How many cameras Picamera2 sees; 0 where it is not installed."""
    try:
        picamera2: Any = importlib.import_module("picamera2")
        return len(picamera2.Picamera2.global_camera_info())
    except (ImportError, RuntimeError, OSError):
        return 0


def _device(source: str) -> Source:
    path = Path(f"/dev/video{source}") if source.isdigit() else Path(source)
    if not path.exists():
        others = ", ".join(found_cameras()) or "none"
        raise VisionError(
            f"There is no camera at {path}.", f"Plug it in, or name another; cameras found: {others}."
        )
    return _Capture.of(str(path), live=True, device=True)


@dataclass(slots=True)
class _Capture:
    """OpenCV's VideoCapture, for devices, files and streams."""

    capture: cv2.VideoCapture
    live: bool
    mode: str
    pause: float = 0.0
    device: bool = False
    due: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, source: str, live: bool, device: bool = False) -> _Capture:
        capture = _opened(source, live, device)
        if not capture.isOpened():
            capture.release()
            raise VisionError(
                f"The camera {source} could not be opened.",
                "Is it in use by another program, and may this user read it? crowntable doctor tells.",
            )
        if device:
            _ask_for_mode(capture)
        rate = capture.get(cv2.CAP_PROP_FPS) or 0.0
        size = (int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)))
        mode = f"{size[0]}x{size[1]}"
        if device and size != (WIDTH, HEIGHT):
            mode += f" instead of {WIDTH}x{HEIGHT}"
        pause = 0.0 if live else 1.0 / (rate if 1.0 <= rate <= 120.0 else 30.0)
        return cls(capture, live, mode, pause, device)

    def read(self) -> Image | None:
        if self.pause:  # a file is played at its own pace
            time.sleep(max(0.0, self.due - time.monotonic()))
            self.due = max(self.due + self.pause, time.monotonic())
        done, frame = self.capture.read()
        return np.asarray(frame, np.uint8) if done and frame is not None and frame.size else None

    def exposure(self) -> str:
        if not self.device:
            return ""
        return exposure_words(
            self.capture.get(cv2.CAP_PROP_AUTO_EXPOSURE),
            self.capture.get(cv2.CAP_PROP_EXPOSURE),
            self.capture.get(cv2.CAP_PROP_GAIN),
        )

    def close(self) -> None:
        self.capture.release()


def exposure_words(mode: float, steps: float, gain: float) -> str:
    """V4L2's exposure controls in words. `mode`: 1 and 2 are set by hand, 0 and 3 the camera's own; `steps`:
    tenths of a millisecond; a driver without a control gives 0 or -1.

    >>> exposure_words(1.0, 156.0, 64.0), exposure_words(3.0, 156.0, -1.0), exposure_words(-1.0, -1.0, -1.0)
    ('fixed at 15.6 ms, gain 64', "the camera's own choice, now 15.6 ms", '')
    """
    if mode < 0 or steps <= 0:
        return ""
    time_ms = f"{steps / 10:g} ms"
    words = f"fixed at {time_ms}" if mode in (1.0, 2.0) else f"the camera's own choice, now {time_ms}"
    return f"{words}, gain {gain:g}" if gain > 0 else words


def _opened(source: str, live: bool, device: bool) -> cv2.VideoCapture:
    if device:
        return cv2.VideoCapture(source, cv2.CAP_V4L2)
    if not live:
        return cv2.VideoCapture(source)
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, 4000, cv2.CAP_PROP_READ_TIMEOUT_MSEC, 2000]
    return cv2.VideoCapture(source, cv2.CAP_FFMPEG, limits)


def _ask_for_mode(capture: cv2.VideoCapture) -> None:
    """MJPG first: two raw cameras do not fit on one USB bus. What came of it is read back."""
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, WIDTH)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, HEIGHT)
    capture.set(cv2.CAP_PROP_FPS, RATE)
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)


@dataclass(slots=True)
class _Folder:
    """Pictures one after the other, round and round; each stands still for a while."""

    files: list[Path]
    mode: str
    live: bool = False
    shown: Image | None = None
    number: int = -1
    since: float = float("-inf")

    @classmethod
    def of(cls, files: list[Path], source: str) -> _Folder:
        if not files:
            raise VisionError(f"There is no picture in {source}.", "Put JPEG or PNG files there.")
        return cls(files, f"{len(files)} pictures")

    def read(self) -> Image | None:
        now = time.monotonic()
        if now - self.since >= FOLDER_SECONDS:
            self.since = now
            self.number = (self.number + 1) % len(self.files)
            try:
                self.shown = load(self.files[self.number])
            except VisionError:  # a damaged picture among good ones is passed over
                self.shown, self.since = None, float("-inf")
        time.sleep(0.1)
        return None if self.shown is None else self.shown.copy()

    def exposure(self) -> str:
        return ""

    def close(self) -> None:
        self.shown = None


class _PiCamera:
    """The Pi's own camera by Picamera2 (from the system's packages), where OpenCV sees no device."""

    live = True

    def __init__(self, number: int) -> None:
        try:
            picamera2: Any = importlib.import_module("picamera2")
        except ImportError:
            raise VisionError(
                "Picamera2 is not installed.",
                "sudo apt install python3-picamera2, and a venv that sees system packages.",
            ) from None
        try:
            self._camera: Any = picamera2.Picamera2(number)
            setting = self._camera.create_video_configuration(
                main={"size": (WIDTH, HEIGHT), "format": "RGB888"}, buffer_count=2
            )
            self._camera.configure(setting)
            self._camera.start()
        except (RuntimeError, IndexError) as error:
            raise VisionError(
                f"The Pi's camera {number} could not be started: {error}.",
                "Check its ribbon cable; rpicam-hello --list-cameras shows what the Pi sees.",
            ) from None
        width, height = self._camera.camera_configuration()["main"]["size"]
        self.mode = f"{width}x{height}"
        if (width, height) != (WIDTH, HEIGHT):
            self.mode += f" instead of {WIDTH}x{HEIGHT}"

    def read(self) -> Image | None:
        return np.asarray(self._camera.capture_array("main"), np.uint8)  # RGB888 is B, G, R here

    def exposure(self) -> str:
        try:
            told: Any = self._camera.capture_metadata()
            return (
                f"the camera's own choice, now {told['ExposureTime'] / 1000:g} ms, "
                f"gain {told['AnalogueGain']:.1f}"
            )
        except (RuntimeError, KeyError, TypeError):
            return ""

    def close(self) -> None:
        self._camera.close()
