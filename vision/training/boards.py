"""Game boards with round tokens that bear figures, some on fields of their own: no dice, but like a one."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training import tables
from vision.training.samples import DECOY
from vision.training.scenes import camera, illuminate

Array = NDArray[np.float32]
Colour = NDArray[np.floating]
Random = np.random.Generator


def board(random: Random, size: int = 416) -> tuple[NDArray[np.uint8], list[tuple[float, ...]]]:
    """A picture (size x size x 3, B G R) of tokens on a board; rows x, y, w, h (pixels), DECOY.
    Where tokens lie on fields the row is the field's: the finder takes it for a die with one pip."""
    picture = tables.table(random, size)
    middle = math.exp(random.uniform(math.log(18), math.log(70)))  # smaller ones' figures nobody reads
    ground, ink, rim = (tables.colour(random) for _ in range(3))
    if random.random() < 0.6:  # mostly pale
        ground = np.clip(np.array([0.93, 0.86, 0.72]) * random.uniform(0.7, 1.05), 0, 1)
    if random.random() < 0.6:
        ink = np.array([0.75, 0.1, 0.08]) if random.random() < 0.3 else np.full(3, random.uniform(0.02, 0.2))
    while np.abs(ink - ground).max() < 0.35:  # a figure that does not show would teach that ones are no dice
        ink = tables.colour(random)
    flat = random.uniform(0.5, 1.0)  # how far from above the camera looks
    field = random.uniform(1.5, 2.4) if random.random() < 0.6 else 1.0
    corners, turned = int(random.choice([4, 6, 6, 40])), random.uniform(0, 6)
    rows: list[tuple[float, ...]] = []
    for _ in range(int(random.integers(5, 22))):
        wide = middle * math.exp(random.normal(0, 0.12))
        high = wide * flat
        x, y = random.uniform(0.06, 0.94, 2) * size
        w, h = wide * field, high * field
        if any(math.hypot(x - a - c / 2, y - b - d / 2) < 0.55 * (w + c) for a, b, c, d, _ in rows):
            continue
        if field > 1:
            turn = turned + np.arange(corners) * 2 * np.pi / corners
            shape = np.stack([x + w * 0.56 * np.cos(turn), y + h * 0.56 * np.sin(turn)], -1).astype(np.int32)
            cv2.fillPoly(picture, [shape], tuple(float(v) for v in tables.colour(random)), cv2.LINE_AA)
        _lay(picture, token(random, ground, ink, rim), (x, y, wide, high), random)
        rows.append((x - w / 2, y - h / 2, w, h, DECOY))
    return camera(random, illuminate(random, picture)), rows


def token(random: Random, ground: Colour, ink: Colour, rim: Colour) -> Array:
    """A disc (R G B and how much it covers, 256 x 256 x 4): a figure or a letter, a rim, dots below."""
    disc = np.zeros((256, 256, 4), np.float32)
    cv2.circle(disc, (128, 128), 124, (*(float(v) for v in ground), 1.0), -1, cv2.LINE_AA)
    if random.random() < 0.35:
        wide = int(random.integers(4, 22))
        cv2.circle(disc, (128, 128), 124 - wide // 2, (*(float(v) for v in rim), 1.0), wide, cv2.LINE_AA)
    shade = (*(float(v) for v in ink), 1.0)
    text = str(int(random.integers(0, 13)))
    if random.random() < 0.2:
        text = chr(int(random.integers(65, 91)))
    font, thick = int(random.choice([0, 2, 3, 4])), int(random.integers(8, 22))
    (wide, high), _ = cv2.getTextSize(text, font, 1.0, 1)
    scale = min(random.uniform(60, 150) / high, 170 / wide)
    dots = int(random.integers(1, 6)) if random.random() < 0.4 else 0
    low = 108 if dots else 128
    at = (int(128 - scale * wide / 2), int(low + scale * high / 2))
    mask = np.zeros((256, 256), np.uint8)  # letters go into eight bits only
    cv2.putText(mask, text, at, font, scale, 255, thick, cv2.LINE_AA)
    disc += (mask.astype(np.float32) / 255)[..., None] * (np.array(shade, np.float32) - disc)
    for k in range(dots):
        cv2.circle(disc, (int(128 + 22 * (k - (dots - 1) / 2)), 205), 8, shade, -1, cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((128, 128), random.uniform(-180, 180), 1.0)
    return np.asarray(cv2.warpAffine(disc, turn, (256, 256)), np.float32)


def _lay(picture: Array, disc: Array, place: tuple[float, float, float, float], random: Random) -> None:
    """Lays a token and its slight shadow into the picture, its middle at x, y, wide by high pixels."""
    x, y, wide, high = place
    small = (max(4, round(wide)), max(4, round(high)))
    disc = np.asarray(cv2.resize(disc, small, interpolation=cv2.INTER_AREA), np.float32)
    cover = np.zeros((*picture.shape[:2], 4), np.float32)
    move = np.array([[1, 0, x - small[0] / 2], [0, 1, y - small[1] / 2]], np.float32)
    cv2.warpAffine(disc, move, cover.shape[1::-1], cover)
    alpha = cover[..., 3]
    away = 0.06 * wide
    shade = np.array([[1, 0, random.normal(0, away)], [0, 1, random.normal(0, away)]], np.float32)
    dark = np.asarray(cv2.warpAffine(alpha, shade, cover.shape[1::-1]), np.float32)
    dark = np.asarray(cv2.GaussianBlur(dark, (0, 0), 0.5 + 0.03 * wide), np.float32)
    picture *= 1 - random.uniform(0.1, 0.5) * dark[..., None]
    picture *= 1 - alpha[..., None]
    picture += cover[..., :3]
