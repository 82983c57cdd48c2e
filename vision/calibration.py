"""Calibrating a camera: a printed ChArUco board gives scale, slant, lens, white balance, and a score.

The board lies flat in the tray. One picture is enough for scale, slant and colours; five or more with the
board in other places add the lens. Kept as JSON, one file a camera; an anchor (a small grey picture of
the tray) is kept with it, by which a camera that has been moved is noticed later.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionError
from vision.readings import Image

COLUMNS, ROWS = 7, 5  # squares of the board
SQUARE, MARKER = 30.0, 22.0  # millimetres
DIE = 16.0  # millimetres of a usual die's side, for the score
_ANCHOR = (96, 72)


@dataclass(frozen=True, slots=True)
class Tray:
    """What is known of a camera over its tray.

    `homography` (9 numbers, rows first) takes the board's millimetres to pixels; `gain` is the white
    balance for B, G, R; `error` the mean distance in pixels between corners seen and expected;
    `aslant` degrees from straight down; `scale` pixels a millimetre at the board; `lens` OpenCV's camera
    matrix and distortion, empty where only one picture was given; `anchor` the tray's grey thumbnail.
    """

    size: tuple[int, int]
    homography: tuple[float, ...]
    gain: tuple[float, float, float]
    error: float
    aslant: float
    scale: float
    lens: tuple[tuple[float, ...], tuple[float, ...]] | None
    anchor: tuple[int, ...]

    def score(self) -> str:
        """The calibration in one sentence for people, worst point first."""
        die = self.scale * DIE
        told = f"a {DIE:.0f} mm die is {die:.0f} pixels wide, seen {self.aslant:.0f} degrees aslant"
        if self.error > 2.0:
            return f"Poor: the board's corners are {self.error:.1f} pixels off; lay it flat and try again."
        if die < 24:
            return f"Poor: {told}; 24 pixels are needed. Bring the camera nearer."
        if self.aslant > 40:
            return f"Poor: {told}; at most 40 degrees are good. Hang the camera higher."
        word = "Good" if self.error < 0.8 and self.aslant < 20 and die >= 32 else "Usable"
        return f"{word}: {told}; corners {self.error:.1f} pixels off."

    def light(self) -> str:
        """The light at the tray in words, as the white balance found it, for people."""
        blue, _, red = self.gain
        if self.gain == (1.0, 1.0, 1.0):
            return "not measured: the board's white squares were too dark or too bright"
        if max(abs(math.log(blue)), abs(math.log(red))) < 0.05:
            return "neutral light, nothing to correct"
        return f"{'warm' if blue > red else 'cold'} light, corrected: blue x {blue:.2f}, red x {red:.2f}"

    def to_board(self, x: float, y: float) -> tuple[float, float]:
        """A pixel's place in the board's millimetres (on the table's plane)."""
        inverse = np.linalg.inv(np.array(self.homography).reshape(3, 3))
        px, py, pw = inverse @ np.array([x, y, 1.0])
        return float(px / pw), float(py / pw)

    def save(self, path: Path) -> None:
        """Writes it, whole or not at all."""
        part = path.with_suffix(".part")
        part.write_text(json.dumps(asdict(self)) + "\n")
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> Tray:
        """Reads what `save` wrote. Raises VisionError."""
        cure = "Calibrate the camera again on the set-up page."
        try:
            data: dict[str, Any] = json.loads(path.read_text())
            lens = data["lens"]
            return cls(
                size=(data["size"][0], data["size"][1]),
                homography=tuple(data["homography"]),
                gain=(data["gain"][0], data["gain"][1], data["gain"][2]),
                error=float(data["error"]),
                aslant=float(data["aslant"]),
                scale=float(data["scale"]),
                lens=None if lens is None else (tuple(lens[0]), tuple(lens[1])),
                anchor=tuple(data["anchor"]),
            )
        except FileNotFoundError:
            raise VisionError(f"There is no calibration at {path}.", cure) from None
        except (ValueError, KeyError, TypeError, IndexError):
            raise VisionError(f"The calibration in {path} is damaged.", cure) from None


def board_picture(dots_per_mm: float = 8.0) -> NDArray[np.uint8]:
    """The board as a grey picture, white margin of half a square included, for printing to scale."""
    size = (round((COLUMNS + 1) * SQUARE * dots_per_mm), round((ROWS + 1) * SQUARE * dots_per_mm))
    margin = round(SQUARE / 2 * dots_per_mm)
    return np.asarray(_board().generateImage(size, None, margin, 1), np.uint8)


def calibrate(frames: Sequence[Image]) -> Tray:
    """Calibrates from pictures of the board; the last one says where the tray is.

    Raises VisionError where the board is not seen well enough, with what to do about it.
    """
    if not frames:
        raise VisionError("There is no picture to calibrate from.", "Is the camera up?")
    seen = [_corners(frame) for frame in frames]
    corners, ids = seen[-1]
    if len(ids) < 8:
        raise VisionError(
            f"Only {len(ids)} of the board's {(COLUMNS - 1) * (ROWS - 1)} corners are seen.",
            "Lay the whole board flat into the view, with even light and no glare on it.",
        )
    spots = np.asarray(_board().getChessboardCorners(), np.float64)[ids][:, :2]
    found, _ = cv2.findHomography(spots, corners)
    if found is None:
        raise VisionError("The board's corners make no plane.", "Lay the board flat and try again.")
    homography = np.asarray(found, np.float64)
    mapped = np.asarray(cv2.perspectiveTransform(spots[None], homography), np.float64)[0]
    error = float(np.linalg.norm(mapped - corners, axis=1).mean())
    frame = frames[-1]
    height, width = frame.shape[:2]
    scale, aslant = _slant(homography, spots.mean(axis=0), (width, height))
    return Tray(
        size=(width, height),
        homography=tuple(float(v) for v in (homography / homography[2, 2]).ravel()),
        gain=_gain(frame, homography),
        error=round(error, 3),
        aslant=round(aslant, 1),
        scale=round(scale, 3),
        lens=_lens([one for one in seen if len(one[1]) >= 8], (width, height)),
        anchor=anchor(frame),
    )


def anchor(frame: Image) -> tuple[int, ...]:
    """The frame as a small grey picture, by which a moved camera is noticed."""
    grey = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
    small = np.asarray(cv2.resize(grey, _ANCHOR, interpolation=cv2.INTER_AREA), np.uint8)
    return tuple(int(v) for v in small.ravel())


def shift(tray: Tray, frame: Image) -> float:
    """How far the picture has shifted against the calibration's, in parts of its width; dice and
    light matter little. Above 0.02 the camera has been moved."""
    planes = []
    for values in (tray.anchor, anchor(frame)):
        plane = np.array(values, np.float32).reshape(_ANCHOR[1], _ANCHOR[0])
        edges = np.hypot(
            np.asarray(cv2.Sobel(plane, cv2.CV_32F, 1, 0)), np.asarray(cv2.Sobel(plane, cv2.CV_32F, 0, 1))
        )
        planes.append(np.asarray(np.minimum(edges, 60.0), np.float32))
    window = np.asarray(cv2.createHanningWindow(_ANCHOR, cv2.CV_32F), np.float32)
    (dx, dy), _ = cv2.phaseCorrelate(planes[0], planes[1], window)
    return math.hypot(dx / _ANCHOR[0], dy / _ANCHOR[1] * _ANCHOR[1] / _ANCHOR[0])


def _board() -> Any:
    words = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), SQUARE, MARKER, words)


def _corners(frame: Image) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The board's inner corners that are seen, in pixels, and their numbers."""
    corners, ids, _, _ = cv2.aruco.CharucoDetector(_board()).detectBoard(frame)
    if ids is None:
        return np.zeros((0, 2)), np.zeros(0, np.intp)
    return np.asarray(corners, np.float64).reshape(-1, 2), np.asarray(ids, np.intp).ravel()


def _slant(
    homography: NDArray[np.float64], middle: NDArray[np.float64], size: tuple[int, int]
) -> tuple[float, float]:
    """Pixels a millimetre at the board's middle, and degrees aslant, from how a small circle is
    squeezed there."""
    step = 5.0
    around = [(0.0, 0.0), (step, 0.0), (0.0, step)]
    points = np.array([[middle[0] + dx, middle[1] + dy] for dx, dy in around])
    seen = np.asarray(cv2.perspectiveTransform(points[None], homography), np.float64)[0]
    jacobian = np.stack([seen[1] - seen[0], seen[2] - seen[0]], axis=1) / step
    large, small = np.linalg.svd(jacobian, compute_uv=False)
    return float(math.sqrt(large * small)), math.degrees(math.acos(min(1.0, small / large)))


def _gain(frame: Image, homography: NDArray[np.float64]) -> tuple[float, float, float]:
    """White balance from the middles of the board's white squares."""
    whites = []
    for column in range(COLUMNS):
        for row in range(ROWS):
            spot = np.array([[[(column + 0.12) * SQUARE, (row + 0.12) * SQUARE]]])
            x, y = np.asarray(cv2.perspectiveTransform(spot, homography)).ravel()
            if 0 <= x < frame.shape[1] and 0 <= y < frame.shape[0]:
                whites.append(frame[int(y), int(x)].astype(np.float64))
    bright = [white for white in whites if white.mean() > 90 and white.max() < 254]
    if len(bright) < 4:
        return (1.0, 1.0, 1.0)
    blue, green, red = np.median(np.array(bright), axis=0)
    return (round(green / blue, 4), 1.0, round(green / red, 4))


def _lens(
    seen: Sequence[tuple[NDArray[np.float64], NDArray[np.intp]]], size: tuple[int, int]
) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Camera matrix and distortion, from five pictures or more."""
    if len(seen) < 5:
        return None
    spots = np.asarray(_board().getChessboardCorners(), np.float32)
    _, matrix, distortion, _, _ = cv2.calibrateCamera(
        [spots[ids] for _, ids in seen],
        [corners.astype(np.float32) for corners, _ in seen],
        size,
        np.eye(3),
        np.zeros(5),
    )
    return (
        tuple(float(v) for v in np.asarray(matrix).ravel()),
        tuple(float(v) for v in np.asarray(distortion).ravel()),
    )
