"""Whole scenes: a table, clutter, dice under one lamp seen by one camera; what a cheap camera makes of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training import tables
from vision.training.geometry import SCALE, SIZE, Pose
from vision.training.shading import Light, Style, draw_light, draw_style, faces, shade

Array = NDArray[np.float32]
Random = np.random.Generator


UNREADABLE, HIDDEN = -1, -9
FADED = 8.0  # steps of brightness; a pip that differs less from its die is not seen
FINE = 48.0  # pixels of a die's side from which on it is shaded in full


@dataclass(frozen=True, slots=True)
class Label:
    """A die of a scene: its box (x, y, w, h, pixels), the top value, 0 where it is cocked, -1 where
    glare hides its pips; its number in the map of the top faces' pips."""

    box: tuple[float, float, float, float]
    value: int
    number: int = 0


class Studio:
    """Makes scenes from a bank of poses; the same seed, the same scenes."""

    def __init__(self, poses: list[Pose], seed: int, size: int = 416) -> None:
        """`size`: a scene's width and height in pixels."""
        self.flat = sorted((pose for pose in poses if not pose.tilt), key=lambda pose: pose.aslant)
        self.cocked = [pose for pose in poses if pose.tilt]
        self.angles = np.array([pose.aslant for pose in self.flat])
        self.random = np.random.default_rng(seed)
        self.size = size

    def scene(self) -> tuple[NDArray[np.uint8], list[Label], NDArray[np.uint8]]:
        """A picture (size x size x 3, B G R), its dice, and a map (size x size) of the pips on the dice's
        top faces: the die's number where there is one, else 0."""
        random, size = self.random, self.size
        picture = tables.table(random, size)
        if random.random() < 0.6:
            tables.clutter(random, picture)
        light = draw_light(random)
        pips = np.zeros((size, size), np.uint8)
        labels = self._lay(picture, pips, light) if random.random() > 0.05 else []
        frame = camera(random, illuminate(random, picture))
        told = [label if shows(frame, pips, label) else replace(label, value=UNREADABLE) for label in labels]
        return frame, told, pips

    def _lay(self, picture: Array, pips: NDArray[np.uint8], light: Light) -> list[Label]:
        random, size = self.random, self.size
        foot, focal = self._viewpoint()
        styles = [draw_style(random) for _ in range(int(random.choice([1, 2, 4, 8])))]
        middle = math.exp(random.uniform(math.log(21), math.log(110)))
        count = int(min(14, max(1, random.poisson(min(9.0, (0.4 * size / middle) ** 2)))))
        cluster = random.random() < 0.4
        anchor = random.uniform(0.25, 0.75, 2) * size
        placed: list[tuple[float, float, float, Pose, Style]] = []
        for _ in range(count):
            side = middle * math.exp(random.normal(0, 0.18 if random.random() < 0.8 else 0.5))
            side = min(max(side, 13.0), 150.0)
            spot = self._free(placed, side, anchor if cluster else None)
            if spot is None:
                continue
            pose = self._pose(spot, foot, focal)
            placed.append((*spot, side, pose, styles[int(random.integers(len(styles)))]))
        placed.sort(key=lambda one: -math.hypot(one[0] - foot[0], one[1] - foot[1]))
        shadow = (
            random.normal(0, 0.25),
            random.normal(0, 0.25),
            random.uniform(0.1, 0.8),
            random.uniform(0.03, 0.2),
        )
        cover = np.zeros((size, size), np.int16) - 1
        labels: list[tuple[Label, float]] = []
        for number, (x, y, side, pose, style) in enumerate(placed):
            toward = math.degrees(math.atan2(foot[0] - x, foot[1] - y))
            if math.hypot(foot[0] - x, foot[1] - y) < 0.1 * size:
                toward = random.uniform(-180, 180)
            value = int(random.integers(1, 7))
            values = faces(pose, value, random)
            sprite, top = shade(pose, style, light, values, random, 2 if side < FINE else 1)
            mask, dots = stamp(picture, sprite, top, pose, (x, y, side, toward), shadow)
            cover[mask] = number
            pips[mask] = 0
            pips[dots] = number + 1
            if mask.sum() < 30:
                labels.append((Label((0, 0, 0, 0), HIDDEN), 1.0))
                continue
            box = box_of(mask)
            labels.append((Label(box, 0 if pose.tilt else value, number + 1), float(mask.sum())))
        return [
            label
            for k, (label, area) in enumerate(labels)
            if label.value != HIDDEN and (cover == k).sum() > 0.8 * area
        ]

    def _viewpoint(self) -> tuple[tuple[float, float], float]:
        """Where in the picture the point straight below the camera lies, and the focal length."""
        random, size = self.random, self.size
        focal = size * random.uniform(1.0, 3.5)
        aslant = abs(random.normal(0, 6)) if random.random() < 0.45 else random.uniform(5, 46)
        turn = random.normal(0, 0.25) if random.random() < 0.8 else random.uniform(-math.pi, math.pi)
        reach = focal * math.tan(math.radians(aslant))
        return (size / 2 + reach * math.sin(turn), size / 2 + reach * math.cos(turn)), focal

    def _pose(self, spot: tuple[float, float], foot: tuple[float, float], focal: float) -> Pose:
        if self.random.random() < 0.035:
            return self.cocked[int(self.random.integers(len(self.cocked)))]
        away = math.hypot(foot[0] - spot[0], foot[1] - spot[1])
        aslant = min(52.0, math.degrees(math.atan2(away, focal)))
        first = int(np.searchsorted(self.angles, aslant - 3))
        last = int(np.searchsorted(self.angles, aslant + 3))
        return self.flat[int(self.random.integers(first, max(first + 1, last)) % len(self.flat))]

    def _free(
        self,
        placed: list[tuple[float, float, float, Pose, Style]],
        side: float,
        anchor: NDArray[np.float64] | None,
    ) -> tuple[float, float] | None:
        random, size = self.random, self.size
        for _ in range(25):
            if anchor is None:
                x, y = random.uniform(0.04, 0.96, 2) * size
            else:
                x, y = anchor + random.normal(0, 1.6 * side + 8, 2)
            x, y = float(np.clip(x, 0, size)), float(np.clip(y, 0, size))
            gap = random.uniform(0.98, 1.5) if anchor is None else random.uniform(0.88, 1.3)
            if all(math.hypot(x - px, y - py) > gap * 0.56 * (side + ps) for px, py, ps, _, _ in placed):
                return x, y
        return None


def box_of(mask: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """The box x, y, w, h (pixels) of the pixels that a die covers; there must be some."""
    ys, xs = np.nonzero(mask)
    return float(xs.min()), float(ys.min()), float(np.ptp(xs) + 1), float(np.ptp(ys) + 1)


def shows(frame: NDArray[np.uint8], pips: NDArray[np.uint8], label: Label) -> bool:
    """Whether lamp and camera have left anything of a die's pips: their colour differs from what lies round
    them by some of the 256 steps. What nobody can read teaches nothing."""
    if not label.value:
        return True  # a cocked one has no number to show
    place = _place(label)
    return _stands_out(frame[place], (pips[place] == label.number).astype(np.uint8))


def shows_each(frame: NDArray[np.uint8], pips: NDArray[np.uint8], label: Label) -> bool:
    """Whether each of a die's pips can be seen, none lost in a lamp's mirror image: what is asked of dice
    that are to be read without a doubt. `frame`, `pips` and `label` are what a scene gives."""
    place = _place(label)
    count, parts = cv2.connectedComponents((pips[place] == label.number).astype(np.uint8))
    return count > 1 and all(
        _stands_out(frame[place], (parts == k).astype(np.uint8)) for k in range(1, count)
    )


def _place(label: Label) -> tuple[slice, slice]:
    x, y, w, h = (int(n) for n in label.box)
    return np.s_[y : y + h, x : x + w]


def _stands_out(die: NDArray[np.uint8], mask: NDArray[np.uint8]) -> bool:
    """Whether the pixels of a mask differ in colour from those round them. `die`: a die's box, h x w x 3."""
    wide = 3 + 2 * (die.shape[1] // 24)
    rim = cv2.dilate(mask, np.ones((wide, wide), np.uint8)) > mask
    if not mask.any() or not rim.any():
        return False
    here = die.astype(np.float32)
    return bool(np.abs(here[mask > 0].mean(axis=0) - here[rim].mean(axis=0)).max() > FADED)


def stamp(
    picture: Array,
    sprite: Array,
    top: Array,
    pose: Pose,
    place: tuple[float, float, float, float],
    shadow: tuple[float, float, float, float],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Lays a shaded die and its shadow into the picture; gives the pixels that it covers, and those of
    them that show a pip of its top face."""
    x, y, side, toward = place
    whole = picture
    mask, dots = np.zeros(whole.shape[:2], bool), np.zeros(whole.shape[:2], bool)
    reach = int(1.7 * side) + 4
    left, high = max(0, int(x) - reach), max(0, int(y) - reach)
    picture = whole[high : int(y) + reach, left : int(x) + reach]
    height, width = picture.shape[:2]
    x, y = x - left, y - high
    fine = sprite.shape[0]
    hit = pose.hit[:: SIZE // fine, :: SIZE // fine].astype(np.float32)
    scale = side / (fine / SCALE)
    if scale < 0.6:  # shrink first, so that nothing is skipped
        small = max(16, round(fine * scale * 1.7))
        sprite = np.asarray(cv2.resize(sprite * hit[..., None], (small, small), interpolation=cv2.INTER_AREA))
        hit = np.asarray(cv2.resize(hit, (small, small), interpolation=cv2.INTER_AREA))
        sprite = np.asarray(sprite / np.maximum(hit, 1e-3)[..., None], np.float32)
    else:
        small = fine
    matrix = cv2.getRotationMatrix2D((small / 2, small / 2), toward, side * SCALE / small)
    matrix[0, 2] += x - small / 2
    matrix[1, 2] += y - small / 2
    alpha = np.asarray(cv2.warpAffine(hit, matrix, (width, height)), np.float32)
    if small != fine:
        top = np.asarray(cv2.resize(top, (small, small), interpolation=cv2.INTER_AREA))
    marks = np.asarray(cv2.warpAffine(top, matrix, (width, height)))
    body = np.asarray(
        cv2.warpAffine(sprite, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), np.float32
    )
    dx, dy, depth, soft = shadow
    move = np.array([[1, 0, dx * side], [0, 1, dy * side]], np.float32)
    dark = np.asarray(cv2.warpAffine(alpha, move, (width, height)), np.float32)
    dark = np.maximum(dark, alpha)
    dark = np.asarray(cv2.GaussianBlur(dark, (0, 0), 0.6 + soft * side), np.float32)
    contact = np.asarray(cv2.GaussianBlur(alpha, (0, 0), 0.6 + 0.05 * side), np.float32)
    dark = np.maximum(dark * depth, contact * 0.4)[..., None]
    picture *= 1 - dark * (1 - alpha[..., None])
    picture *= 1 - alpha[..., None]
    picture += body * alpha[..., None]
    place_of = np.s_[high : high + height, left : left + width]
    mask[place_of] = alpha > 0.5
    dots[place_of] = mask[place_of] & (marks > 0.5)
    return mask, dots


def illuminate(random: Random, picture: Array) -> Array:
    """Uneven light: a gradient, a spot, somebody's shadow, a lamp's gleam."""
    size = picture.shape[0]
    y, x = np.mgrid[0:size, 0:size].astype(np.float32) / size - 0.5
    field = np.ones((size, size), np.float32)
    if random.random() < 0.7:
        angle = random.uniform(0, 2 * np.pi)
        field += (x * np.cos(angle) + y * np.sin(angle)) * random.uniform(0, 0.9)
    if random.random() < 0.3:
        cx, cy = random.uniform(-0.6, 0.6, 2)
        field *= 0.55 + 0.75 * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / random.uniform(0.05, 0.5))
    if random.random() < 0.3:
        shape = (
            random.uniform(-0.3, 1.3, 2) + random.normal(0, 0.45, (int(random.integers(3, 7)), 2))
        ) * size
        mask = np.zeros((size, size), np.float32)
        cv2.fillPoly(mask, [cv2.convexHull(shape.astype(np.int32))], 1.0)
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), random.uniform(0.8, 18)), np.float32)
        field *= 1 - mask * random.uniform(0.2, 0.7)
    picture = picture * np.clip(field, 0.12, 1.8)[..., None]
    if random.random() < 0.12:
        cx, cy = random.uniform(-0.5, 0.5, 2)
        gleam = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / random.uniform(0.001, 0.03))
        picture = picture + gleam[..., None] * random.uniform(0.1, 0.7)
    return np.asarray(picture, np.float32)


def camera(random: Random, picture: Array, shaken: float = 0.12) -> NDArray[np.uint8]:
    """Exposure, white balance, blur, sharpening, noise, eight bits, JPEG. `shaken`: how likely it, or the
    dice, moved."""
    gain = np.array([1 + random.normal(0, 0.09), 1.0, 1 + random.normal(0, 0.12)]) * random.uniform(0.6, 1.35)
    picture = np.clip(picture * gain.astype(np.float32), 0, 1) ** np.float32(random.uniform(0.65, 1.35))
    if random.random() < 0.55:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), random.uniform(0.3, 1.3)))
    if random.random() < shaken:
        length = int(random.integers(2, 7))
        kernel = np.zeros((length * 2 + 1, length * 2 + 1), np.float32)
        angle = random.uniform(0, np.pi)
        reach = length * np.array([np.cos(angle), np.sin(angle)])
        ends = [(int(length + s * reach[0]), int(length + s * reach[1])) for s in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 1.0, 1)
        picture = np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum()))
    if random.random() < 0.3:
        soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.2))
        picture = picture + (picture - soft) * np.float32(random.uniform(0.3, 1.8))
    picture = picture + random.standard_normal(picture.shape, np.float32) * np.float32(
        random.uniform(0, 0.04)
    )
    frame = (np.clip(picture, 0, 1) * 255).astype(np.uint8)[..., ::-1]
    quality = int(random.integers(45, 97))
    data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
