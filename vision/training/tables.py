"""What dice lie on and among: plain, wooden, woven, carpeted, printed tables; things that are no dice."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Random = np.random.Generator


def colour(random: Random) -> NDArray[np.float64]:
    """A table's colour, R G B 0 to 1: greys, browns, and now and then anything."""
    kind = random.random()
    if kind < 0.35:
        return np.clip(np.full(3, random.uniform(0.1, 0.95)) + random.normal(0, 0.03, 3), 0.02, 0.98)
    if kind < 0.65:
        wood = np.array([0.62, 0.42, 0.26]) * random.uniform(0.4, 1.45)
        return np.clip(wood + random.normal(0, 0.04, 3), 0.03, 0.97)
    return np.clip(random.uniform(0.05, 0.95, 3), 0.02, 0.98)


def clouds(random: Random, size: int, grain: float, stretch: float = 1.0) -> Array:
    """Smooth noise, zero mean, about unit spread; `grain` pixels wide, `stretch` times as long."""
    w = max(2, int(size / grain))
    h = max(2, int(size / (grain * stretch)))
    noise = random.normal(0, 1, (h, w)).astype(np.float32)
    return np.asarray(cv2.resize(noise, (size, size), interpolation=cv2.INTER_CUBIC), np.float32)


def _turned(random: Random, plane: Array) -> Array:
    size = plane.shape[0]
    matrix = cv2.getRotationMatrix2D((size / 2, size / 2), random.uniform(0, 360), 1.5)
    return np.asarray(cv2.warpAffine(plane, matrix, (size, size), borderMode=cv2.BORDER_REFLECT), np.float32)


def plain(random: Random, size: int) -> Array:
    """Paper, plastic, a painted board."""
    base = np.asarray(colour(random), np.float32)
    grain = clouds(random, size, random.uniform(1, 4)) * random.uniform(0, 0.02)
    return np.asarray(base + grain[..., None], np.float32)


def wood(random: Random, size: int) -> Array:
    """Long grain in one direction, rings, boards side by side."""
    base = np.array([0.62, 0.42, 0.26]) * random.uniform(0.4, 1.6)
    fine = clouds(random, size, random.uniform(2, 5), random.uniform(15, 60))
    broad = clouds(random, size, random.uniform(15, 40), random.uniform(4, 12))
    rings = np.sin(broad * random.uniform(1, 6))
    plane = fine * random.uniform(0.01, 0.06) + rings * random.uniform(0.01, 0.06)
    if random.random() < 0.3:
        width = int(random.integers(40, 160))
        board = (np.arange(size) // width) % 7
        plane = plane + random.normal(0, 0.05, 7).astype(np.float32)[board][None, :]
        plane[:, ::width] -= random.uniform(0, 0.3)
    plane = _turned(random, np.asarray(plane, np.float32))
    return np.asarray(np.clip(base, 0, 1) * (1 + plane[..., None] * 2), np.float32)


def woven(random: Random, size: int) -> Array:
    """Threads crossing: two waves, blurred noise along them, two colours."""
    first, second = colour(random), colour(random)
    if random.random() < 0.5:
        second = first * random.uniform(0.5, 0.9)
    period = random.uniform(2.5, 9)
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    wave = np.sin(x * 2 * np.pi / period) * np.sin(y * 2 * np.pi / (period * random.uniform(0.8, 1.6)))
    wave += clouds(random, size, period / 2) * random.uniform(0.2, 1.2)
    mix = np.clip(0.5 + _turned(random, wave.astype(np.float32)) * 0.6, 0, 1)[..., None]
    return np.asarray(first * mix + second * (1 - mix), np.float32)


def carpet(random: Random, size: int) -> Array:
    """Tufts: noise of two grains, strong."""
    base = colour(random)
    plane = clouds(random, size, random.uniform(2, 7)) * random.uniform(0.04, 0.2)
    plane = plane + clouds(random, size, random.uniform(1, 2)) * random.uniform(0.02, 0.12)
    return np.asarray(base * (1 + plane[..., None]), np.float32)


def speckled(random: Random, size: int) -> Array:
    """Stone and terrazzo: many small blots."""
    picture = plain(random, size)
    for _ in range(int(random.integers(60, 700))):
        at = (int(random.integers(size)), int(random.integers(size)))
        shade = tuple(float(v) for v in colour(random))
        axes = (int(random.integers(1, 5)), int(random.integers(1, 5)))
        cv2.ellipse(picture, at, axes, float(random.uniform(0, 180)), 0, 360, shade, cv2.FILLED)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), random.uniform(0.5, 1.0)), np.float32)


def printed(random: Random, size: int) -> Array:
    """A game board or a page: fields, lines, discs, words."""
    picture = plain(random, size)
    for _ in range(int(random.integers(3, 26))):
        shade = tuple(float(v) for v in colour(random))
        x, y = int(random.integers(size)), int(random.integers(size))
        reach = int(random.integers(8, size // 2))
        kind = random.integers(5)
        if kind == 0:
            cv2.rectangle(picture, (x, y), (x + reach, y + int(reach * random.uniform(0.3, 1.5))), shade, -1)
        elif kind == 1:
            cv2.circle(
                picture, (x, y), max(2, reach // 4), shade, int(random.choice([-1, 1, 2, 4])), cv2.LINE_AA
            )
        elif kind == 2:
            corners = int(random.integers(3, 8))
            turn = random.uniform(0, 6) + np.arange(corners) * 2 * np.pi / corners
            shape = np.stack([x + reach / 2 * np.cos(turn), y + reach / 2 * np.sin(turn)], -1)
            cv2.fillPoly(picture, [shape.astype(np.int32)], shade, cv2.LINE_AA)
        elif kind == 3:
            end = (int(random.integers(size)), int(random.integers(size)))
            cv2.line(picture, (x, y), end, shade, int(random.integers(1, 6)), cv2.LINE_AA)
        else:
            letters = "".join(chr(int(random.integers(33, 126))) for _ in range(int(random.integers(1, 14))))
            _write(picture, letters, (x, y), random, float(random.uniform(0.3, 2.0)), shade)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), random.uniform(0.4, 0.9)), np.float32)


TABLES: tuple[tuple[Callable[[Random, int], Array], float], ...] = (
    (plain, 0.25),
    (wood, 0.2),
    (woven, 0.13),
    (carpet, 0.14),
    (speckled, 0.06),
    (printed, 0.22),
)


def table(random: Random, size: int) -> Array:
    """A table seen from above, size x size x 3, R G B about 0 to 1; sometimes two meet in an edge."""
    kinds, chances = zip(*TABLES, strict=True)
    picture = kinds[random.choice(len(kinds), p=np.array(chances))](random, size)
    if random.random() < 0.25:
        other = kinds[random.choice(len(kinds), p=np.array(chances))](random, size)
        y, x = np.mgrid[0:size, 0:size].astype(np.float32) - size / 2
        angle, offset = random.uniform(0, 2 * np.pi), random.uniform(0, size * 0.45)
        side = np.clip((x * np.cos(angle) + y * np.sin(angle) - offset), 0, 1)[..., None]
        picture = picture * (1 - side) + other * side
    return np.asarray(np.clip(picture, 0, 1.1), np.float32)


def clutter(random: Random, picture: Array) -> None:
    """Lays things that are no dice into the picture: screws, coins, buttons, cubes, keys, cables, cards."""
    size = picture.shape[0]
    for _ in range(int(random.poisson(2.2))):
        x, y = int(random.integers(size)), int(random.integers(size))
        reach = int(np.exp(random.uniform(np.log(4), np.log(60))))
        shade = tuple(float(v) for v in colour(random))
        ink = tuple(float(v) for v in colour(random))
        dark = tuple(0.6 * v for v in shade)
        kind = random.integers(8)
        if kind == 0:  # a coin, a screw, a token
            cv2.circle(picture, (x + 2, y + 3), reach, dark, -1, cv2.LINE_AA)
            cv2.circle(picture, (x, y), reach, shade, -1, cv2.LINE_AA)
            if random.random() < 0.5:
                cv2.circle(picture, (x, y), int(reach * 0.7), ink, max(1, reach // 8), cv2.LINE_AA)
        elif kind == 1:  # a button with holes
            cv2.circle(picture, (x, y), reach, shade, -1, cv2.LINE_AA)
            for turn in range(4 if random.random() < 0.6 else 2):
                at = (
                    int(x + reach * 0.3 * np.cos(turn * np.pi / 2)),
                    int(y + reach * 0.3 * np.sin(turn * np.pi / 2)),
                )
                cv2.circle(picture, at, max(1, reach // 9), ink, -1, cv2.LINE_AA)
        elif kind == 2:  # a bare cube or block
            _box(random, picture, (x, y), reach, shade)
        elif kind == 3:  # a cube with a letter, a key
            _box(random, picture, (x, y), reach, shade)
            letter = chr(int(random.integers(48, 91)))
            _write(picture, letter, (x - reach // 2, y + reach // 2), random, reach / 22, ink)
        elif kind == 4:  # a cable, a crack, a pen
            points = np.cumsum(random.normal(0, 22, (8, 2)), axis=0) + np.array((x, y))
            cv2.polylines(
                picture, [points.astype(np.int32)], False, shade, int(random.integers(1, 12)), cv2.LINE_AA
            )
        elif kind == 5:  # a card
            wide, high = reach * 1.6, reach * 2.2
            shape = cv2.boxPoints(((x, y), (wide, high), float(random.uniform(0, 180))))
            cv2.fillPoly(picture, [shape.astype(np.int32)], shade, cv2.LINE_AA)
            cv2.circle(picture, (x, y), max(2, reach // 4), ink, -1, cv2.LINE_AA)
        elif kind == 6:  # dots and crumbs
            for _ in range(int(random.integers(1, 12))):
                at = (int(x + random.normal(0, 40)), int(y + random.normal(0, 40)))
                cv2.circle(picture, at, int(random.integers(1, 6)), ink, -1, cv2.LINE_AA)
        else:  # a ring
            cv2.circle(picture, (x, y), reach, shade, int(random.integers(1, 8)), cv2.LINE_AA)


def _write(
    picture: Array,
    text: str,
    at: tuple[int, int],
    random: Random,
    scale: float,
    ink: tuple[float, ...],
) -> None:
    mask = np.zeros(picture.shape[:2], np.uint8)
    thick = max(1, round(scale * random.uniform(1, 3)))
    cv2.putText(mask, text, at, int(random.integers(0, 8)), scale, 255, thick, cv2.LINE_AA)
    cover = (mask.astype(np.float32) / 255.0)[..., None]
    picture += cover * (np.array(ink, np.float32) - picture)


def _box(random: Random, picture: Array, at: tuple[int, int], reach: int, shade: tuple[float, ...]) -> None:
    high = reach * random.uniform(0.6, 1.6)
    shape = cv2.boxPoints((at, (reach * 2.0, high * 2.0), float(random.uniform(0, 90)))).astype(np.int32)
    cv2.fillPoly(picture, [shape + 3], tuple(0.55 * v for v in shade), cv2.LINE_AA)
    cv2.fillPoly(picture, [shape], shade, cv2.LINE_AA)
    cv2.polylines(picture, [shape], True, tuple(0.8 * v for v in shade), 2, cv2.LINE_AA)
