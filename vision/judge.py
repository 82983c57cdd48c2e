"""From a candidate to a sure reading or a doubt with its reason.

The confidence is the chance that the number is right, fitted on photos of authors the network had not
seen (`weights/calibration.json`, made by `vision.training.calibrate`). What is below the threshold is
`unsure`; the reason is what can be seen in the picture: cut off, too small, glare, cocked, touching,
blurred, in that order, else "unclear".
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.colour import name_colour
from vision.network import COCKED, WEIGHTS, Spot
from vision.readings import Box, Image, Reading, Unsure, Why

SMALL = 15.0  # pixels of a die's longer side below which nothing is claimed
FAINT = 0.4  # less belief than this in there being a die at all: nothing is said
VAGUE = 0.3  # a reader whose likeliest face is less likely than this knows nothing of the die
NONE = 0.35  # the chance of there being no die from which on nothing is said
TILTED = 0.3  # the chance of being cocked from which on a die has no number
_LEAST = 1e-6
_FEWEST = 1e-5  # less than this the reader's chances do not tell


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of how little speaks for another face and of the finder's heat, and the constant; the
    threshold."""

    rivals: float
    heat: float
    constant: float
    sure: float

    @classmethod
    def load(cls, path: Path = WEIGHTS / "calibration.json") -> Calibration:
        """The shipped calibration."""
        return cls(**json.loads(path.read_text())["calibration"])

    def confidence(self, spot: Spot) -> float:
        """The chance that the likeliest face is right, 0 to 1."""
        weights = (self.rivals, self.heat, self.constant)
        score = sum(weight * value for weight, value in zip(weights, features(spot), strict=True))
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


def logit(value: float) -> float:
    """The logarithm of the odds, kept finite."""
    value = min(max(value, _LEAST), 1.0 - _LEAST)
    return math.log(value / (1.0 - value))


def features(spot: Spot) -> list[float]:
    """What the confidence is made of, in the order of the calibration's weights. That a die may be cocked, or
    be none, lowers the chance of its number and does not make the number wrong: the other faces do."""
    others = float(spot.chances[1:7].sum()) - float(spot.chances[spot.value])
    return [-math.log(max(others, _FEWEST)), logit(spot.heat), 1.0]


def belief(spot: Spot) -> float:
    """How much speaks for a die being there at all, 0 to 1: finder and reader together."""
    return math.sqrt(max(0.0, 1.0 - float(spot.chances[0])) * spot.heat)


def noticed(spot: Spot) -> bool:
    """Whether anything is said of a candidate, be it a doubt. Not where finder and reader together hardly
    believe in it, nor where the finder is faint and the reader names no face, nor where the reader deems it
    rather likely that there is none: on photos not seen in training nearly all of those are no dice."""
    vague = spot.heat < FAINT and float(spot.chances.max()) < VAGUE
    return belief(spot) >= FAINT and not vague and float(spot.chances[0]) < NONE


def named(spot: Spot) -> bool:
    """Whether the reader names a face: likelier than all else together, and the die hardly cocked."""
    return float(spot.chances[spot.value]) > 0.5 and float(spot.chances[COCKED]) < TILTED


def judge(
    frame: Image,
    spots: list[Spot],
    calibration: Calibration,
    gain: tuple[float, float, float] = (1.0, 1.0, 1.0),
) -> tuple[list[Reading], list[Unsure]]:
    """Readings and doubts for the candidates of one frame."""
    spots = [spot for spot in spots if noticed(spot)]
    dice: list[Reading] = []
    unsure: list[Unsure] = []
    for spot in spots:
        box = _whole(spot.box)
        colour = name_colour(middle(frame, box), gain)
        confidence = calibration.confidence(spot)
        hard = hard_reason((frame.shape[1], frame.shape[0]), spot)
        if hard is None and named(spot) and confidence >= calibration.sure:
            centre = (spot.box[0] + spot.box[2] / 2, spot.box[1] + spot.box[3] / 2)
            dice.append(Reading(spot.value, centre, box, angle(frame, box), colour, confidence))
        else:
            why = hard or _soft_reason(frame, spot, spots)
            unsure.append(Unsure(box, why, colour, min(confidence, 0.99), spot.value))
    return dice, unsure


def hard_reason(size: tuple[int, int], spot: Spot) -> Why | None:
    """Reasons for which no number is given, however clear it seems. `size`: the frame's width and height."""
    x, y, w, h = spot.box
    slack = 0.06 * max(w, h)
    width, height = size
    if x < -slack or y < -slack or x + w > width + slack or y + h > height + slack:
        return "cut off"
    if max(w, h) < SMALL:
        return "too small"
    return None


def _soft_reason(frame: Image, spot: Spot, spots: list[Spot]) -> Why:
    patch = middle(frame, _whole(spot.box))
    if glare_share(patch) > 0.3:
        return "glare"
    if spot.chances[COCKED] >= TILTED:
        return "cocked"
    if any(_touch(spot.box, other.box) for other in spots if other is not spot):
        return "touching"
    if sharpness(patch) < 0.035:
        return "blurred"
    return "unclear"


def glare_share(patch: Image) -> float:
    """The share of burnt-out pixels, where the patch is not white all over anyway."""
    high, low = patch.max(axis=2), patch.min(axis=2)
    burnt = float(((low > 235) & (high > 245)).mean())
    return burnt if burnt < 0.97 or float(low.std()) < 4 else 0.0


def sharpness(patch: Image) -> float:
    """The strongest edges' steepness, in the patch's own range of brightness, for a die's scale."""
    size = (32, 32)
    grey = np.asarray(cv2.cvtColor(np.ascontiguousarray(patch), cv2.COLOR_BGR2GRAY), np.float32)
    small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.float32)
    spread = float(np.percentile(small, 97) - np.percentile(small, 3)) + 6.0
    edges = np.abs(np.asarray(cv2.Laplacian(small, cv2.CV_32F)))
    return float(np.percentile(edges, 95)) / spread / 4.0


def _touch(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    """Whether two boxes all but meet."""
    gap = 0.06 * max(a[2], a[3], b[2], b[3])
    return (
        max(a[0], b[0]) - min(a[0] + a[2], b[0] + b[2]) < gap
        and max(a[1], b[1]) - min(a[1] + a[3], b[1] + b[3]) < gap
    )


def angle(frame: Image, box: Box) -> float:
    """The die's turn, 0 to 90 degrees, from the direction of its edges (its fourfold mean)."""
    x, y, w, h = box
    patch = frame[max(0, y) : y + h, max(0, x) : x + w]
    if min(patch.shape[:2]) < 4:
        return 0.0
    grey = cv2.GaussianBlur(cv2.cvtColor(np.ascontiguousarray(patch), cv2.COLOR_BGR2GRAY), (3, 3), 0)
    gx = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 1, 0))
    gy = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 0, 1))
    # The gradient as a complex number to the fourth power, over its length squared: in real parts, which
    # takes a fifth of the time.
    power = gx * gx + gy * gy + np.float32(1e-12)
    even, odd = gx * gx - gy * gy, 2.0 * gx * gy
    along, across = ((even * even - odd * odd) / power).sum(), (2.0 * even * odd / power).sum()
    return math.degrees(math.atan2(float(across), float(along))) / 4.0 % 90.0


def middle(frame: Image, box: Box) -> Image:
    """The inner part of a box, where there is die and no table."""
    x, y, w, h = box
    left, top = max(0, x + w // 5), max(0, y + h // 5)
    patch = frame[top : max(top + 1, y + h - h // 5), left : max(left + 1, x + w - w // 5)]
    return patch if patch.size else frame[:1, :1]


def _whole(box: tuple[float, float, float, float]) -> Box:
    x, y, w, h = box
    return round(x), round(y), max(1, round(w)), max(1, round(h))
