"""From labelled pictures to what the networks learn on: patches with maps, crops with classes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import CELL, CROP, MARGIN, crop

Array = NDArray[np.float32]
Random = np.random.Generator

PATCH = 320  # pixels of the finder's training patches
NOTHING, COCKED = 0, 7
WIDE, REACH = 84, 1.9  # pixels of a crop that is still to be shaken, and its side in the die's
UNNUMBERED = 255  # in the map of pips nobody's number
DECOY = -2.0  # the value of what the finder takes for a die and is none


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded picture and its dice as rows x, y, w, h, value (0: cocked, -1: value not known). A rendered
    one also has the map of its top faces' pips, encoded, and each die's number in that map."""

    data: bytes
    dice: NDArray[np.float32]
    real: bool = False
    pips: bytes = b""
    numbers: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))

    def decode(self) -> NDArray[np.uint8]:
        """h x w x 3, B G R. Photos are large and few: they are kept decoded."""
        return _decode_once(self.data) if self.real else _decode(self.data)


def _decode(data: bytes) -> NDArray[np.uint8]:
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def _decode_grey(data: bytes) -> NDArray[np.uint8]:
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE), np.uint8)


_decode_once = lru_cache(maxsize=2000)(_decode)


def patch(picture: Picture, random: Random) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A PATCH x PATCH piece at a random scale and turn, with its dice (x, y, w, h, value)."""
    frame, dice = picture.decode(), picture.dice[picture.dice[:, 4] != DECOY]
    scale = float(np.exp(random.uniform(np.log(0.55), np.log(2.4))))
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


def cut(picture: Picture, random: Random) -> tuple[list[NDArray[np.uint8]], list[int]]:
    """A picture's dice and places that hold none, each WIDE pixels wide with room to shake: B, G, R and, in
    a rendered picture, 255 where the die's own top face shows a pip."""
    frame = picture.decode()
    pips = _decode_grey(picture.pips) if picture.pips else np.zeros(frame.shape[:2], np.uint8)
    height, width = frame.shape[:2]
    dice = picture.dice[picture.dice[:, 4] != DECOY]
    middles = dice[:, :2] + dice[:, 2:4] / 2
    places: list[tuple[NDArray[np.floating], float, int, int]] = []  # middle, side, class, number in `pips`
    for x, y, w, h, _ in picture.dice[picture.dice[:, 4] == DECOY]:
        places.append((np.array([x + w / 2, y + h / 2]), float(max(w, h)), NOTHING, UNNUMBERED))
    for k, (x, y, w, h, value) in enumerate(dice):
        inside = x > 1 and y > 1 and x + w < width - 1 and y + h < height - 1
        if not inside or value < 0:
            continue
        side = float(max(w, h))
        number = int(picture.numbers[k]) if len(picture.numbers) else UNNUMBERED
        places.append((middles[k], side, int(value) or COCKED, number))
        if random.random() < 0.15:  # beside the die, or far too near or far: nothing
            kind, turn = random.random(), random.uniform(0, 2 * np.pi)
            away = side * random.uniform(0.55, 1.0) * np.array([np.cos(turn), np.sin(turn)])
            if kind < 0.6 and not _near(middles[k] + away, middles, dice):
                places.append((middles[k] + away, side, NOTHING, UNNUMBERED))
            elif 0.6 <= kind < 0.8:
                places.append((middles[k] + away * 0.3, side * random.uniform(0.3, 0.5), NOTHING, UNNUMBERED))
            elif kind >= 0.8:
                places.append((middles[k], side * random.uniform(2.2, 3.5), NOTHING, UNNUMBERED))
    middle = random.uniform(0, 1, 2) * (width, height)
    side = float(np.exp(random.uniform(np.log(16), np.log(160))))
    if not _near(middle, middles, dice, side):
        places.append((middle, side, NOTHING, UNNUMBERED))
    cuts = []
    for at, side, _, number in places:
        own = np.where(pips == number, np.uint8(255), np.uint8(0))
        both = [crop(one, _pair(at), side * REACH, 0.0, WIDE) for one in (frame, own)]
        cuts.append(np.dstack(both))
    return cuts, [value for _, _, value, _ in places]


def shaken(wide: NDArray[np.uint8], value: int, random: Random) -> NDArray[np.uint8]:
    """A CROP x CROP piece of a wide crop, with as many channels: shifted, turned, scaled, mirrored."""
    far = 1.3 if value == NOTHING else 1.0
    zoom = CROP * REACH / (WIDE * MARGIN) * float(np.exp(random.normal(0, 0.12 * far)))
    turn = np.radians(random.normal(0, 9) if random.random() < 0.7 else random.uniform(-180, 180))
    c, s = np.cos(turn) * zoom, np.sin(turn) * zoom
    flip = -1.0 if random.random() < 0.5 else 1.0
    dx, dy = CROP / 2 + random.normal(0, 0.05 * far, 2) * CROP / MARGIN
    half = WIDE / 2
    matrix = np.array(
        [[flip * c, s, dx - half * (flip * c + s)], [-flip * s, c, dy - half * (c - flip * s)]], np.float32
    )
    return np.asarray(cv2.warpAffine(wide, matrix, (CROP, CROP), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def disguised(picture: NDArray[np.uint8], random: Random) -> NDArray[np.uint8]:
    """A crop in other colours and of another camera: any hues, inverted, greyed, a lamp's gleam, blur, few
    pixels, noise, JPEG. What is on the die stays what it is."""
    out = picture.astype(np.float32)
    kind = random.random()
    if kind < 0.25:
        out = out[..., random.permutation(3)]
    elif kind < 0.5:  # the colours' cube turned round its grey axis
        angle = random.uniform(0, 2 * np.pi)
        c, s, third = math.cos(angle), math.sin(angle) * math.sqrt(1 / 3), 1 / 3
        a, b, d = c + (1 - c) * third, third * (1 - c) - s, third * (1 - c) + s
        out = out @ np.array([[a, b, d], [d, a, b], [b, d, a]], np.float32)
    elif kind < 0.58:
        out = np.repeat(out @ np.array([[0.2], [0.5], [0.3]], np.float32), 3, axis=2)
    elif kind < 0.66:  # one mixture of the colours only, as in the reader's further looks
        mixed = out @ random.uniform(-0.6, 1.2, (3, 1)).astype(np.float32)
        out = np.repeat(128 + 50 * (mixed - mixed.mean()) / (mixed.std() + 4), 3, axis=2)
    if random.random() < 0.15:
        out = 255 - out
    if random.random() < 0.2:
        out = coloured(out, random)
    gain = np.exp(random.normal(0, 0.18)) * np.exp(random.normal(0, 0.08, 3))
    out = out * gain.astype(np.float32) + np.float32(random.normal(0, 10))
    if random.random() < 0.25:  # a lamp mirrored
        out = out + _gleam(random)[..., None] * np.float32(random.uniform(40, 220))
    if random.random() < 0.25:
        small = int(random.integers(18, 40))
        out = cv2.resize(out, (small, small), interpolation=cv2.INTER_AREA)
        out = cv2.resize(out, (CROP, CROP), interpolation=cv2.INTER_LINEAR)
    if random.random() < 0.25:
        out = cv2.GaussianBlur(out, (0, 0), random.uniform(0.4, 1.4))
    if random.random() < 0.3:
        out = out + random.normal(0, random.uniform(1, 10), out.shape).astype(np.float32)
    done = np.asarray(np.clip(out, 0, 255), np.uint8)
    if random.random() < 0.2:
        data = cv2.imencode(".jpg", done, [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(30, 90))])[1]
        done = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return done


def _gleam(random: Random) -> Array:
    """A lamp's image on a crop, 0 to 1: a bar, a spot, or the beads of a strip or ring of small lamps, which
    pass for pips where one counts spots alone; every other one across the die's middle, where a four becomes
    a five."""
    mask = np.zeros((CROP, CROP), np.float32)
    (x, y), (u, v) = random.integers(6, CROP - 6, (2, 2)).astype(float)
    if random.random() < 0.5:
        reach, turn = random.uniform(4, 14), random.uniform(0, np.pi)
        along = reach * np.array([math.cos(turn), math.sin(turn)])
        middle = CROP / 2 + random.normal(0, 2.5, 2)
        (x, y), (u, v) = middle - along, middle + along
    kind = random.random()
    if kind < 0.4:
        count, bent = int(random.integers(3, 9)), random.normal(0, 6)
        for k in np.linspace(0, 1, count):
            bow = bent * 4 * k * (1 - k)
            at = (int(16 * (x + k * (u - x) + bow)), int(16 * (y + k * (v - y) - bow)))
            cv2.circle(mask, at, int(random.uniform(10, 34)), 1.0, cv2.FILLED, cv2.LINE_AA, 4)
    else:
        end = (int(u), int(v)) if kind < 0.76 else (int(x), int(y))
        cv2.line(mask, (int(x), int(y)), end, 1.0, int(random.integers(1, 7)))
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), random.uniform(0.5, 2.0)), np.float32)


def coloured(picture: Array, random: Random) -> Array:
    """A crop in which colour tells more than brightness, as coarse as cheap cameras record it."""
    grey = picture @ np.array([[0.11], [0.59], [0.3]], np.float32)
    hue = (picture - grey) * np.float32(random.uniform(0.8, 1.8))
    if random.random() < 0.7:
        hue = np.asarray(cv2.GaussianBlur(hue, (0, 0), random.uniform(0.6, 2.2)), np.float32)
    middle = grey.mean()
    return np.asarray(middle + (grey - middle) * np.float32(random.uniform(0.2, 0.9)) + hue, np.float32)


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
