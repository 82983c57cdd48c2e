"""From labelled pictures to what the networks learn on: patches with maps, crops with classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import CELL, MARGIN, crop

Array = NDArray[np.float32]
Random = np.random.Generator

PATCH = 320  # pixels of the finder's training patches
NOTHING, COCKED = 0, 7
DECOY = -2.0  # the value of what the finder takes for a die and is none


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded picture and its dice as rows x, y, w, h, value (0: cocked, -1: value not known)."""

    data: bytes
    dice: NDArray[np.float32]
    real: bool = False

    def decode(self) -> NDArray[np.uint8]:
        """h x w x 3, B G R. Photos are large and few: they are kept decoded."""
        return _decode_once(self.data) if self.real else _decode(self.data)


def _decode(data: bytes) -> NDArray[np.uint8]:
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)


_decode_once = lru_cache(maxsize=2000)(_decode)


def patch(picture: Picture, random: Random) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A PATCH x PATCH piece at a random scale and turn, with its dice (x, y, w, h, value)."""
    frame, dice = picture.decode(), picture.dice[picture.dice[:, 4] != DECOY]
    scale = float(np.exp(random.uniform(np.log(0.6), np.log(1.5))))
    if picture.real:  # to the size in which the finder will see it (640 wide), then varied
        scale *= 640.0 / max(frame.shape[:2])
    if len(dice):  # dice between 9 and 130 pixels
        sides = dice[:, 2:4].max(axis=1)
        scale = min(max(scale, 9.5 / float(sides.min())), 140.0 / float(sides.max()))
    aim = np.array([random.uniform(0, frame.shape[1]), random.uniform(0, frame.shape[0])])
    if len(dice) and random.random() < 0.8:
        aim = dice[int(random.integers(len(dice))), :2] + random.normal(0, 60, 2) / scale
    matrix = np.array(
        [[scale, 0, PATCH / 2 - scale * aim[0]], [0, scale, PATCH / 2 - scale * aim[1]]], np.float32
    )
    flags = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    if scale < 0.75:  # warpAffine cannot average
        small = cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        frame = np.asarray(small, np.uint8)
        matrix[0, 0] = matrix[1, 1] = 1.0
    out = np.asarray(cv2.warpAffine(frame, matrix, (PATCH, PATCH), flags=flags), np.uint8)
    if len(dice):
        dice[:, :4] *= scale
        dice[:, :2] += matrix[:, 2]
        middle = dice[:, :2] + dice[:, 2:4] / 2
        dice = dice[(middle > 2).all(axis=1) & (middle < PATCH - 2).all(axis=1)]
    if random.random() < 0.5:
        out = out[:, ::-1]
        if len(dice):
            dice[:, 0] = PATCH - dice[:, 0] - dice[:, 2]
    if random.random() < 0.15:  # a quarter or half turn: the camera stands on another side
        for _ in range(int(random.integers(1, 4))):
            out = np.rot90(out)
            if len(dice):
                x, y, w, h = (dice[:, k].copy() for k in range(4))
                dice[:, 0], dice[:, 1], dice[:, 2], dice[:, 3] = y, PATCH - x - w, h, w
    return recolour(np.asarray(out, np.uint8), random), dice


def recolour(picture: NDArray[np.uint8], random: Random) -> NDArray[np.uint8]:
    """Other light, other colours, another camera's noise and blur; now and then grey."""
    gain = np.exp(random.normal(0, 0.18)) * np.exp(random.normal(0, 0.05, 3))
    shift = random.normal(0, 10)
    out = picture.astype(np.float32) * gain.astype(np.float32) + np.float32(shift)
    if random.random() < 0.1:
        out[:] = out.mean(axis=2, keepdims=True)
    elif random.random() < 0.15:
        out = out[..., random.permutation(3)]
    if random.random() < 0.25:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), random.uniform(0.4, 1.2)), np.float32)
    if random.random() < 0.3:
        out += random.normal(0, random.uniform(1, 9), out.shape).astype(np.float32)
    return np.asarray(np.clip(out, 0, 255), np.uint8)


def maps(dice: NDArray[np.float32]) -> tuple[Array, Array]:
    """The finder's targets: heat (PATCH/4 square, 1 at the middles) and offset and size (4, ...), nan
    where nothing is to be learnt."""
    cells = PATCH // CELL
    heat = np.zeros((cells, cells), np.float32)
    rest = np.full((4, cells, cells), np.nan, np.float32)
    grid = np.arange(cells, dtype=np.float32)
    order = np.argsort(-dice[:, 2] * dice[:, 3])
    for x, y, w, h in dice[order, :4]:
        mx, my = (x + w / 2) / CELL - 0.5, (y + h / 2) / CELL - 0.5
        spread = max(0.55, 0.09 * (w + h) / 2 / CELL)
        bump = np.exp(-((grid - mx)[None, :] ** 2 + (grid - my)[:, None] ** 2) / (2 * spread**2))
        near = bump > 0.5
        cx, cy = round(float(np.clip(mx, 0, cells - 1))), round(float(np.clip(my, 0, cells - 1)))
        bump[cy, cx] = 1.0
        near[cy, cx] = True
        heat = np.maximum(heat, bump)
        ys, xs = np.nonzero(near)
        rest[0, ys, xs], rest[1, ys, xs] = mx - xs, my - ys
        rest[2, ys, xs], rest[3, ys, xs] = np.log(w / CELL), np.log(h / CELL)
    return heat, rest


def crops(picture: Picture, random: Random) -> list[tuple[NDArray[np.uint8], int]]:
    """Crops of a picture's dice, shaken a little, and of places that hold none (class 0)."""
    frame = picture.decode()
    height, width = frame.shape[:2]
    found: list[tuple[NDArray[np.uint8], int]] = []
    dice = picture.dice[picture.dice[:, 4] != DECOY]
    for x, y, w, h, _ in picture.dice[picture.dice[:, 4] == DECOY]:
        middle = np.array([x + w / 2, y + h / 2]) + random.normal(0, 0.05, 2) * max(w, h)
        reach = max(w, h) * MARGIN * float(np.exp(random.normal(0, 0.12)))
        found.append((crop(frame, _pair(middle), reach, float(random.normal(0, 9))), NOTHING))
    middles = dice[:, :2] + dice[:, 2:4] / 2
    for k, (x, y, w, h, value) in enumerate(dice):
        inside = x > 1 and y > 1 and x + w < width - 1 and y + h < height - 1
        if not inside or value < 0:
            continue
        side = float(max(w, h))
        middle = middles[k] + random.normal(0, 0.045, 2) * side
        reach = side * MARGIN * float(np.exp(random.normal(0, 0.09)))
        turn = float(random.normal(0, 9) if random.random() < 0.8 else random.uniform(-180, 180))
        found.append((crop(frame, _pair(middle), reach, turn), int(value) or COCKED))
        if random.random() < 0.3:  # beside the die, or far too near or far: nothing
            kind = random.random()
            if kind < 0.6:
                angle = random.uniform(0, 2 * np.pi)
                middle = middles[k] + side * random.uniform(0.5, 1.0) * np.array(
                    [np.cos(angle), np.sin(angle)]
                )
            elif kind < 0.8:
                reach *= random.uniform(0.3, 0.55)
                middle = middles[k] + random.normal(0, 0.25, 2) * side
            else:
                reach *= random.uniform(2.0, 3.5)
            if kind < 0.6 and _near(middle, middles, dice):
                continue
            found.append((crop(frame, _pair(middle), reach, turn), NOTHING))
    for _ in range(2):  # anywhere
        middle = np.array([random.uniform(0, width), random.uniform(0, height)])
        side = float(np.exp(random.uniform(np.log(16), np.log(160))))
        if not _near(middle, middles, dice, side):
            found.append((crop(frame, _pair(middle), side), NOTHING))
    return found


def _pair(point: NDArray[np.floating]) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def _near(
    middle: NDArray[np.floating], middles: NDArray[np.floating], dice: NDArray[np.floating], side: float = 0.0
) -> bool:
    """Whether a die's middle is so near that the crop might be read as that die's."""
    if not len(middles):
        return False
    reach = np.maximum(dice[:, 2:4].max(axis=1), side) * 0.45
    return bool((np.linalg.norm(middles - middle, axis=1) < reach).any())
