"""Keyboards: square keys with a glyph or two, which a reader that never saw one takes for dice."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training import tables
from vision.training.samples import DECOY
from vision.training.scenes import camera, illuminate

Array = NDArray[np.float32]
Random = np.random.Generator
WORDS = ("fn", "ctrl", "alt", "tab", "esc", "shift", "enter", "cmd", "del", "option", "end", "home")
KEY = 96  # pixels in which a key's print is drawn


def keyboard(random: Random, size: int = 416) -> tuple[NDArray[np.uint8], list[tuple[float, ...]]]:
    """A picture (size x size x 3, B G R) of keys in rows, aslant; rows x, y, w, h (pixels), DECOY."""
    picture = tables.table(random, size)
    side = math.exp(random.uniform(math.log(22), math.log(110)))
    pitch = side * random.uniform(1.08, 1.3)
    turn = random.normal(0, 0.35) if random.random() < 0.6 else random.uniform(-math.pi, math.pi)
    flat = random.uniform(0.5, 1.0)  # how far from above the camera looks
    case, keys = tables.colour(random), tables.colour(random)
    if random.random() < 0.6:
        keys = np.full(3, random.uniform(0.02, 0.2))
    ink = np.full(3, random.uniform(0.6, 1.0) if keys.mean() < 0.45 else random.uniform(0.0, 0.2))
    c, s = math.cos(turn), math.sin(turn)
    matrix = np.array([[c, -s, size / 2], [flat * s, flat * c, size / 2]], np.float32)  # key plane to picture
    reach = random.uniform(0.5, 1.6) * size
    _polygon(picture, matrix, (-reach, -0.6 * reach, 2 * reach, 1.2 * reach), case)
    rows: list[tuple[float, ...]] = []
    for line in np.arange(-0.55 * reach, 0.5 * reach, pitch):
        across = -0.95 * reach + random.uniform(0, pitch)
        while across < 0.9 * reach:
            wide = side * (1.0 if random.random() < 0.8 else random.uniform(1.2, 1.8))
            corners = _polygon(picture, matrix, (across, line, wide, side), keys, rounded=0.12 * side)
            _print(picture, matrix, (across, line, wide, side), ink, random)
            across += wide + pitch - side
            (x, y), (right, low) = corners.min(axis=0), corners.max(axis=0)
            if x > 2 and y > 2 and right < size - 2 and low < size - 2:
                rows.append((float(x), float(y), float(right - x), float(low - y), DECOY))
    return camera(random, illuminate(random, picture)), rows


def _polygon(
    picture: Array,
    matrix: Array,
    place: tuple[float, float, float, float],
    colour: NDArray[np.floating],
    rounded: float = 0.0,
) -> Array:
    """Fills x, y, w, h of the key plane, its corners rounded; gives the corners in the picture, (4, 2)."""
    x, y, w, h = place
    corners = np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float32)
    inner = corners + np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]], np.float32) * rounded
    shown = inner @ matrix[:, :2].T + matrix[:, 2]
    paint = tuple(float(v) for v in colour)
    cv2.fillPoly(picture, [shown.round().astype(np.int32)], paint, cv2.LINE_AA)
    if rounded:
        cv2.polylines(
            picture,
            [shown.round().astype(np.int32)],
            True,
            paint,
            max(1, round(2 * rounded)),
            cv2.LINE_AA,
        )
    return np.asarray(corners @ matrix[:, :2].T + matrix[:, 2], np.float32)


def _print(
    picture: Array,
    matrix: Array,
    place: tuple[float, float, float, float],
    ink: NDArray[np.floating],
    random: Random,
) -> None:
    """Prints a letter, a word, two signs or an arrow on a key."""
    x, y, w, h = place
    mask = np.zeros((KEY, KEY), np.uint8)
    kind, font = random.random(), int(random.choice([0, 2, 3]))
    if kind < 0.15:
        text = str(random.choice(WORDS))
        lines = [(text, 0.022 * KEY / max(2, len(text)), (8, int(random.choice([30, 60, 86]))))]
    elif kind < 0.6:
        at = (int(random.integers(8, 40)), int(random.integers(34, 80)))
        lines = [(chr(int(random.integers(48, 91))), random.uniform(0.6, 1.6), at)]
    elif kind < 0.9:  # two signs, one above the other
        signs = [chr(int(random.integers(33, 65))) for _ in range(2)]
        left = int(random.integers(10, 50))
        lines = [
            (signs[0], random.uniform(0.6, 1.1), (left, 36)),
            (signs[1], random.uniform(0.6, 1.1), (left, 82)),
        ]
    else:
        lines = []
        ends = random.integers(20, KEY - 20, 4)
        cv2.arrowedLine(mask, (int(ends[0]), int(ends[1])), (int(ends[2]), int(ends[3])), 255, 4, cv2.LINE_AA)
    for text, scale, at in lines:
        cv2.putText(mask, text, at, font, scale, 255, int(random.integers(1, 5)), cv2.LINE_AA)
    scaled = np.array([[w / KEY, 0, x], [0, h / KEY, y], [0, 0, 1]], np.float32)
    cover = cv2.warpAffine(mask, matrix @ scaled, picture.shape[1::-1], flags=cv2.INTER_AREA)
    picture += (cover.astype(np.float32) / 255.0)[..., None] * (ink.astype(np.float32) - picture)
