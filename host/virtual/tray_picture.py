"""The virtual dice tray as a picture: felt, house-coloured dice with pips, shadow, glare, a hand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

WIDTH, HEIGHT = 640, 480
SIDE = 62  # pixels of a die's side
BODY: dict[str, tuple[int, int, int]] = {  # B, G, R
    "crimson": (52, 26, 178),
    "gold": (36, 170, 226),
    "sky blue": (222, 165, 80),
    "green": (74, 150, 44),
    "purple": (158, 56, 104),
    "white": (226, 232, 234),
}
_DARK_PIPS = frozenset({"gold", "white"})
_Q = 0.25
_PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-_Q, -_Q), (_Q, _Q)),
    3: ((-_Q, -_Q), (0, 0), (_Q, _Q)),
    4: ((-_Q, -_Q), (_Q, -_Q), (-_Q, _Q), (_Q, _Q)),
    5: ((-_Q, -_Q), (_Q, -_Q), (0, 0), (-_Q, _Q), (_Q, _Q)),
    6: ((-_Q, -_Q), (_Q, -_Q), (-_Q, 0), (_Q, 0), (-_Q, _Q), (_Q, _Q)),
}
_SPRITE = 192  # pixels of a sprite's side, margin included
_FACE = 128  # pixels of the die's side within


@dataclass(frozen=True, slots=True)
class Placed:
    """A die in the picture: centre in pixels, turn in degrees."""

    colour: str
    face: int
    x: float
    y: float
    angle: float


@lru_cache(maxsize=64)
def sprite(colour: str, face: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A die from above at angle 0: BGR 0 to 255 and coverage 0 to 1, _SPRITE pixels square."""
    grid = (np.mgrid[0:_SPRITE, 0:_SPRITE].astype(np.float32) + 0.5 - _SPRITE / 2) / _FACE
    y, x = grid[0], grid[1]
    # Distance to a square with rounded corners, in sides: below 0 is inside.
    qx, qy = np.abs(x) - 0.34, np.abs(y) - 0.34
    distance = np.hypot(np.maximum(qx, 0), np.maximum(qy, 0)) + np.minimum(np.maximum(qx, qy), 0)
    distance -= 0.16
    cover = np.clip(0.5 - distance * _FACE, 0, 1)
    # The edges fall away: darker towards the rim, a lit line on the lamp's side.
    rim = np.clip((distance + 0.11) / 0.11, 0, 1)
    light = 1.0 - 0.42 * rim**2 - 0.10 * (x + y) * (1.0 + rim)
    colours = np.array(BODY[colour], np.float32)[None, None] * light[..., None]
    pip = np.array((40, 36, 34) if colour in _DARK_PIPS else (238, 240, 242), np.float32)
    for px, py in _PIPS[face]:
        radius = 0.125 if face == 1 else 0.098
        inside = np.clip(0.5 - (np.hypot(x - px, y - py) - radius) * _FACE, 0, 1)[..., None]
        shade = 1.0 - 0.12 * np.clip((x - px + y - py) / radius, -1, 1)[..., None]
        colours = colours * (1 - inside) + pip * shade * inside
    return np.clip(colours, 0, 255).astype(np.float32), cover.astype(np.float32)


@lru_cache(maxsize=1)
def felt() -> NDArray[np.float32]:
    """The empty tray, BGR 0 to 255: grey felt under a lamp, a rim around."""
    random = np.random.default_rng(7)
    weave = cv2.GaussianBlur(random.normal(0, 7, (HEIGHT, WIDTH)).astype(np.float32), (0, 0), 0.8)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    lamp = 1.06 - 0.22 * (np.hypot(x - 250, y - 180) / 420.0) ** 2
    picture = (np.array((128, 132, 130), np.float32) + np.asarray(weave)[..., None]) * lamp[..., None]
    edge = np.minimum(np.minimum(x, WIDTH - 1 - x), np.minimum(y, HEIGHT - 1 - y))
    rim = np.clip((14 - edge) / 3.0, 0, 1)[..., None]
    return np.asarray(picture * (1 - rim) + np.array((52, 70, 92), np.float32) * rim, np.float32)


def draw(canvas: NDArray[np.float32], die: Placed, smear: tuple[float, float, float]) -> None:
    """Draws a die and its shadow into `canvas`. `smear`: what it moves in x, y (pixels) and turns
    (degrees) while the shutter is open; 0, 0, 0 at rest."""
    steps = 1 if smear == (0.0, 0.0, 0.0) else 7
    colours, cover = sprite(die.colour, die.face)
    reach = int(SIDE + max(abs(smear[0]), abs(smear[1])) / 2 + 12)
    left, top = max(0, int(die.x) - reach), max(0, int(die.y) - reach)
    right, bottom = min(WIDTH, int(die.x) + reach), min(HEIGHT, int(die.y) + reach)
    if right <= left or bottom <= top:
        return
    size = (right - left, bottom - top)
    body = np.zeros((size[1], size[0], 3), np.float32)
    mask = np.zeros((size[1], size[0]), np.float32)
    for step in range(steps):
        part = 0.0 if steps == 1 else step / (steps - 1) - 0.5
        matrix = cv2.getRotationMatrix2D(
            (_SPRITE / 2, _SPRITE / 2), die.angle + smear[2] * part, SIDE / _FACE
        )
        matrix[0, 2] += die.x + smear[0] * part - left - _SPRITE / 2
        matrix[1, 2] += die.y + smear[1] * part - top - _SPRITE / 2
        one = cv2.warpAffine(cover, matrix, size, flags=cv2.INTER_AREA)
        body += np.asarray(cv2.warpAffine(colours, matrix, size, flags=cv2.INTER_AREA)) * one[..., None]
        mask += one
    body /= np.maximum(mask, 1e-3)[..., None]
    mask /= steps
    shadow = cv2.GaussianBlur(mask, (0, 0), 5.0)
    shadow = np.roll(np.roll(shadow, 6, axis=1), 7, axis=0)[..., None] * 0.5
    spot = canvas[top:bottom, left:right]
    spot[:] = spot * (1 - shadow * (1 - mask[..., None]))
    spot[:] = spot * (1 - mask[..., None]) + body * mask[..., None]


def lay_glare(canvas: NDArray[np.float32], die: Placed) -> None:
    """A lamp's mirror image over a die, that drowns its pips."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    glow = np.exp(-(((x - die.x) / (0.55 * SIDE)) ** 4) - ((y - die.y) / (0.5 * SIDE)) ** 4)[..., None]
    canvas[:] = canvas * (1 - glow) + 255.0 * glow


def lay_hand(canvas: NDArray[np.float32], sway: float) -> None:
    """A forearm and fist over the tray's middle, `sway` pixels to the side."""
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    x = round(WIDTH / 2 + sway)
    cv2.line(mask, (x + 60, HEIGHT + 60), (x, HEIGHT // 2), 255, 150)
    cv2.ellipse(mask, (x, HEIGHT // 2), (130, 150), 15.0, 0, 360, 255, cv2.FILLED)
    for finger in range(4):
        tip = (x - 90 + 55 * finger, HEIGHT // 2 - 190 + 12 * abs(finger - 1))
        cv2.line(mask, (x - 60 + 40 * finger, HEIGHT // 2 - 80), tip, 255, 46)
    soft = np.asarray(cv2.GaussianBlur(mask, (0, 0), 3.0), np.float32)[..., None] / 255.0
    canvas[:] = canvas * (1 - soft) + np.array((120, 150, 205), np.float32) * soft


def finish(canvas: NDArray[np.float32], noise: int) -> Image:
    """The sensor's part: noise (`noise` picks one of a few fixed patterns), 8 bits."""
    return np.asarray(np.clip(canvas + _grain(noise % 4), 0, 255), np.uint8)


@lru_cache(maxsize=4)
def _grain(number: int) -> NDArray[np.float32]:
    return np.random.default_rng(number).normal(0, 2.0, (HEIGHT, WIDTH, 3)).astype(np.float32)


def path(start: Placed, end: Placed, part: float) -> tuple[float, float, float]:
    """Where a rolling die is (x, y, angle) when `part` (0 to 1) of its roll is over: it slows down."""
    eased = 1.0 - (1.0 - part) ** 2
    bow = 36.0 * math.sin(math.pi * eased)
    x = start.x + (end.x - start.x) * eased + bow
    y = start.y + (end.y - start.y) * eased - bow
    return x, y, start.angle + (end.angle - start.angle) * eased
