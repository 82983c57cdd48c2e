"""The virtual camera over the dice tray: rendered frames, served as MJPEG over HTTP on 127.0.0.1.

A real wire: OpenCV's VideoCapture opens `url` as it opens a network camera. While nothing moves the
same few JPEGs go out again and again (they differ by the sensor's noise, as a live camera's do).
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np
from numpy.typing import NDArray

from host.virtual import tray_picture as picture
from host.virtual.tray_picture import Placed

RATE = 15.0
ROLL = 0.7  # seconds that a die rolls
_BOUNDARY = b"frame"
_IDLE_FRAMES = 4


class _Roll:
    """A die on its way: from outside the tray to where it ends, tumbling."""

    def __init__(self, end: Placed, began: float, chance: random.Random) -> None:
        self.end = end
        self.began = began
        side = chance.choice((-1, 1))
        self.start = Placed(
            end.colour,
            end.face,
            picture.WIDTH / 2 + side * (picture.WIDTH / 2 + picture.SIDE),
            chance.uniform(0.2, 0.8) * picture.HEIGHT,
            end.angle + chance.choice((-1, 1)) * chance.uniform(500, 900),
        )
        self.faces = [chance.randint(1, 6) for _ in range(12)]


class VirtualTray:
    """A tray with dice that can be thrown, put and taken, and a camera that can fail."""

    def __init__(self, port: int = 0, seed: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        """`port` 0 takes a free one; `seed` decides where dice come to lie; `clock` gives the seconds
        by which they roll."""
        self._clock = clock
        self._chance = random.Random(seed)
        self._lock = threading.Condition()
        self._dice: dict[str, Placed] = {}
        self._rolls: list[_Roll] = []
        self._frozen = self._unplugged = self._glare = self._hand = False
        self._jpegs: list[bytes] = []
        self._jpeg = b""
        self._sent = 0
        self._stopping = threading.Event()
        self._server = _serve(self, port)
        self._threads: list[threading.Thread] = []

    @property
    def url(self) -> str:
        """The stream's address, fit for a layout's `source`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/tray.mjpg"

    @property
    def dice(self) -> dict[str, int]:
        """Colour and face of every die in the tray, those still rolling with the face to come."""
        with self._lock:
            return {colour: die.face for colour, die in self._dice.items()}

    def start(self) -> None:
        """Begins to render and to serve."""
        for target, name in ((self._server.serve_forever, "tray-http"), (self._paint, "tray-paint")):
            thread = threading.Thread(target=target, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Ends both, closes the port. May be called twice."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        with self._lock:
            self._lock.notify_all()
        if self._threads:
            self._server.shutdown()
        self._server.server_close()
        for thread in self._threads:
            thread.join(2.0)

    # -- dice --------------------------------------------------------------------------------------

    def throw(self, faces: Mapping[str, int], delay: float = 0.0) -> None:
        """Dice roll in, `delay` seconds from now, and come to lie with the given faces (1 to 6) after
        about 0.7 s. A die of that colour that lies in the tray is picked up for it."""
        began = self._clock() + delay
        with self._lock:
            for colour in faces:
                self._dice.pop(colour, None)
            for colour, face in faces.items():
                end = self._place(colour, face)
                self._dice[colour] = end
                self._rolls = [roll for roll in self._rolls if roll.end.colour != colour]
                self._rolls.append(_Roll(end, began, self._chance))
            self._jpegs = []

    def put(self, faces: Mapping[str, int]) -> None:
        """Dice lie there at once, without rolling."""
        with self._lock:
            for colour in faces:
                self._dice.pop(colour, None)
            for colour, face in faces.items():
                self._dice[colour] = self._place(colour, face)
            self._rolls = [roll for roll in self._rolls if roll.end.colour not in faces]
            self._jpegs = []

    def nudge(self) -> None:
        """Every die is tipped over to its next face, where it lies; nobody has thrown it."""
        with self._lock:
            self._dice = {name: replace(die, face=die.face % 6 + 1) for name, die in self._dice.items()}
            self._rolls, self._jpegs = [], []

    def take(self, colour: str | None = None) -> None:
        """One die (or all) is picked up."""
        with self._lock:
            gone = set(self._dice) if colour is None else {colour}
            self._dice = {name: die for name, die in self._dice.items() if name not in gone}
            self._rolls = [roll for roll in self._rolls if roll.end.colour not in gone]
            self._jpegs = []

    def _place(self, colour: str, face: int) -> Placed:
        if colour not in picture.BODY:
            raise ValueError(f"no die of colour {colour!r}; there are {', '.join(picture.BODY)}")
        if not 1 <= face <= 6:
            raise ValueError(f"a die has faces 1 to 6, not {face}")
        side, best, room = picture.SIDE, (0.0, 0.0), -1.0
        for _ in range(60):
            x = self._chance.uniform(1.3 * side, picture.WIDTH - 1.3 * side)
            y = self._chance.uniform(1.3 * side, picture.HEIGHT - 1.3 * side)
            gaps = [np.hypot(die.x - x, die.y - y) for die in self._dice.values()]
            nearest = float(min(gaps, default=1e9))
            if nearest > room:
                best, room = (x, y), nearest
            if nearest > 1.9 * side:
                break
        return Placed(colour, face, *best, self._chance.uniform(0, 90))

    # -- faults ------------------------------------------------------------------------------------

    def freeze(self, on: bool = True) -> None:
        """The camera repeats its last picture for ever."""
        with self._lock:
            self._frozen = on

    def unplug(self) -> None:
        """The stream breaks and cannot be opened again until `plug`."""
        with self._lock:
            self._unplugged = True
            self._lock.notify_all()

    def plug(self) -> None:
        """The camera is back."""
        with self._lock:
            self._unplugged = False

    def glare(self, on: bool = True) -> None:
        """A lamp mirrors in every die."""
        with self._lock:
            self._glare, self._jpegs = on, []

    def hand(self, on: bool = True) -> None:
        """A hand over the tray, never quite still."""
        with self._lock:
            self._hand, self._jpegs = on, []

    # -- frames ------------------------------------------------------------------------------------

    def _paint(self) -> None:
        due = time.monotonic()
        while not self._stopping.is_set():
            due = max(due + 1.0 / RATE, time.monotonic() - 0.2)
            self._stopping.wait(max(0.0, due - time.monotonic()))
            now = self._clock()
            with self._lock:
                self._sent += 1
                if not self._frozen:
                    self._jpeg = self._next_jpeg(now)
                self._lock.notify_all()

    def _next_jpeg(self, now: float) -> bytes:
        rolling = any(now < roll.began + ROLL + 0.1 for roll in self._rolls)
        if not rolling and self._rolls:
            self._rolls, self._jpegs = [], []
        if rolling or self._hand:
            return _encode(self._render(now), self._sent)
        if len(self._jpegs) < _IDLE_FRAMES:
            self._jpegs.append(_encode(self._render(now), len(self._jpegs)))
            return self._jpegs[-1]
        return self._jpegs[self._sent % _IDLE_FRAMES]

    def frame(self) -> picture.Image:
        """What the camera sees now, without the wire: HEIGHT x WIDTH x 3, B G R."""
        with self._lock:
            self._sent += 1
            return picture.finish(self._render(self._clock()), self._sent)

    def _render(self, now: float) -> NDArray[np.float32]:
        canvas = picture.felt().copy()
        rolls = {roll.end.colour: roll for roll in self._rolls}
        for colour, die in self._dice.items():
            roll = rolls.get(colour)
            if roll is None:
                picture.draw(canvas, die, (0.0, 0.0, 0.0))
            elif now >= roll.began:
                _draw_rolling(canvas, roll, (now - roll.began) / ROLL)
        if self._glare:
            for die in self._dice.values():
                picture.lay_glare(canvas, die)
        if self._hand:
            picture.lay_hand(canvas, 14.0 * np.sin(now * 5.0))
        return canvas

    def wait_frame(self, after: int) -> tuple[bytes, int] | None:
        """The next JPEG after number `after`, for the HTTP side; None when unplugged or stopped."""
        with self._lock:
            self._lock.wait_for(lambda: self._sent > after or self._unplugged or self._stopping.is_set(), 1.0)
            if self._unplugged or self._stopping.is_set():
                return None
            return self._jpeg, self._sent


def _draw_rolling(canvas: NDArray[np.float32], roll: _Roll, part: float) -> None:
    if part >= 1.0:
        picture.draw(canvas, roll.end, (0.0, 0.0, 0.0))
        return
    x, y, angle = picture.path(roll.start, roll.end, part)
    # What it moves while the shutter is open: a third of a frame's time.
    ahead = min(1.0, part + 0.33 / RATE / ROLL)
    x2, y2, angle2 = picture.path(roll.start, roll.end, ahead)
    face = roll.end.face if part > 0.8 else roll.faces[int(part * 12)]
    die = Placed(roll.end.colour, face, x, y, angle)
    picture.draw(canvas, die, (x2 - x + 0.01, y2 - y, angle2 - angle))


def _encode(canvas: NDArray[np.float32], noise: int) -> bytes:
    frame = picture.finish(canvas, noise)
    return bytes(cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes())


def _serve(tray: VirtualTray, port: int) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        """Sends the stream to whoever asks, until the camera is unplugged."""

        def do_GET(self) -> None:
            """The stream, whatever the path."""
            first = tray.wait_frame(-1)
            if first is None:
                self.send_error(503, "no camera")
                return
            self.send_response(200)
            kind = f"multipart/x-mixed-replace; boundary={_BOUNDARY.decode()}"
            self.send_header("Content-Type", kind)
            self.end_headers()
            sent = 0
            while (item := tray.wait_frame(sent)) is not None:
                data, sent = item
                head = b"--%s\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n"
                try:
                    self.wfile.write(head % (_BOUNDARY, len(data)) + data + b"\r\n")
                except OSError:  # the viewer has gone
                    return

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: the table's log is not the tray's."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    return server
