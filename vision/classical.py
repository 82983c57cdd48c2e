"""Dice by contours and pips: bodies that stand out from the table, round pips, the six patterns.

No learning. It is mostly right in what it says on plain tables and misses much elsewhere
(docs/vision.md has the figures); it stays as the measured yardstick beside the network.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.readings import Box, Image, Why

SIDE = 64  # pixels of the straightened face
_Q = 0.25  # a pip row's distance from the face's middle, in sides
PATTERNS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0.0, 0.0),),
    2: ((-_Q, -_Q), (_Q, _Q)),
    3: ((-_Q, -_Q), (0.0, 0.0), (_Q, _Q)),
    4: ((-_Q, -_Q), (_Q, -_Q), (-_Q, _Q), (_Q, _Q)),
    5: ((-_Q, -_Q), (_Q, -_Q), (0.0, 0.0), (-_Q, _Q), (_Q, _Q)),
    6: ((-_Q, -_Q), (_Q, -_Q), (-_Q, 0.0), (_Q, 0.0), (-_Q, _Q), (_Q, _Q)),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may be a die: its box in pixels, turn in degrees, likeliest value and confidence
    (value None: no pattern fits), and the reason for doubt where the place itself gives one."""

    box: Box
    angle: float
    value: int | None
    confidence: float
    why: Why | None = None


def bodies(frame: Image) -> list[tuple[tuple[float, float], tuple[float, float], float]]:
    """Squarish regions that stand out from the table, as OpenCV's rotated rectangles in pixels."""
    height, width = frame.shape[:2]
    lab = cv2.cvtColor(cv2.GaussianBlur(frame, (3, 3), 0), cv2.COLOR_BGR2LAB).astype(np.float32)
    size = (80, max(1, round(80 * height / width)))
    small = np.asarray(cv2.resize(lab, size, interpolation=cv2.INTER_AREA), np.float32)
    table = np.asarray(cv2.resize(_medianed(small), (width, height)), np.float32)
    change = lab - table
    # Shadows darken without colouring: less light counts less than more light or another colour.
    change[..., 0] *= np.where(change[..., 0] < 0, 0.35, 0.7)
    distance = np.sqrt((change * np.array([1.0, 1.4, 1.4], np.float32)) ** 2 @ np.ones(3, np.float32))
    level, _ = cv2.threshold(
        np.clip(distance, 0, 255).astype(np.uint8), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU
    )
    mask = (distance > min(32.0, max(18.0, 0.6 * level))).astype(np.uint8) * 255
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        centre, (w, h), angle = cv2.minAreaRect(contour)
        if min(w, h) < 14 or max(w, h) > 0.5 * height or max(w, h) > 1.5 * min(w, h):
            continue
        if cv2.contourArea(contour) < 0.7 * w * h:
            continue
        found.append(((centre[0], centre[1]), (w, h), angle))
    return found


def _medianed(small: NDArray[np.float32]) -> NDArray[np.float32]:
    """The table without what lies on it: a wide median of a small picture."""
    parts = [cv2.medianBlur(np.clip(small[..., k], 0, 255).astype(np.uint8), 31) for k in range(3)]
    return np.stack(parts, axis=2).astype(np.float32)


def straighten(frame: Image, rect: tuple[tuple[float, float], tuple[float, float], float]) -> Image:
    """The rectangle turned upright and scaled to SIDE x SIDE pixels."""
    corners = cv2.boxPoints(rect).astype(np.float32)
    target = np.array([[0, SIDE], [0, 0], [SIDE, 0], [SIDE, SIDE]], np.float32)
    return np.asarray(
        cv2.warpPerspective(
            frame, cv2.getPerspectiveTransform(corners, target), (SIDE, SIDE), flags=cv2.INTER_AREA
        ),
        np.uint8,
    )


def pips(face: Image) -> list[tuple[float, float, float]]:
    """Round pips of an upright face as x, y, radius, in sides from the middle."""
    grey = cv2.GaussianBlur(face.max(axis=2), (3, 3), 0)
    dark = cv2.GaussianBlur(face.min(axis=2), (3, 3), 0)
    best: list[tuple[float, float, float]] = []
    for plane, kind in ((grey, cv2.THRESH_BINARY_INV), (dark, cv2.THRESH_BINARY)):
        inner = plane[6:-6, 6:-6]
        spread = float(np.percentile(inner, 98)) - float(np.percentile(inner, 2))
        if spread < 30:
            continue
        level, _ = cv2.threshold(inner, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
        _, mask = cv2.threshold(plane, level, 255, kind)
        round_ones = _round_blobs(np.asarray(mask, np.uint8))
        if len(round_ones) > len(best):
            best = round_ones
    return best


def _round_blobs(mask: Image) -> list[tuple[float, float, float]]:
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    found = []
    for contour in contours:
        area = cv2.contourArea(contour)
        if area < 12:
            continue
        (x, y), radius = cv2.minEnclosingCircle(contour)
        if not 0.05 * SIDE < radius < 0.19 * SIDE or area < 0.55 * np.pi * radius * radius:
            continue
        fx, fy = x / SIDE - 0.5, y / SIDE - 0.5
        if max(abs(fx), abs(fy)) < 0.42:
            found.append((fx, fy, radius / SIDE))
    return found


def match(spots: list[tuple[float, float, float]]) -> tuple[int | None, float]:
    """The value whose pattern fits the pips, with a fit of 0 to 1 (1 = every pip in its place)."""
    count = len(spots)
    if count not in PATTERNS:
        return None, 0.0
    points = np.array([spot[:2] for spot in spots])
    radii = np.array([spot[2] for spot in spots])
    pattern = np.array(PATTERNS[count])
    worst = 1.0
    for turned in (pattern, pattern[:, ::-1] * [1.0, -1.0]):
        gaps = np.linalg.norm(points[:, None] - turned[None], axis=2)
        nearest = gaps.argmin(axis=1)
        if len(set(nearest.tolist())) == count:
            worst = min(worst, float(gaps.min(axis=1).max()))
    if worst > 0.16 or radii.max() > 1.8 * radii.min():
        return None, 0.0
    return count, float(1.0 - 0.5 * worst / 0.16)


def read(frame: Image) -> list[Candidate]:
    """Every candidate of a BGR frame (h x w x 3, uint8)."""
    height, width = frame.shape[:2]
    found = []
    for rect in bodies(frame):
        value, fit = match(pips(straighten(frame, rect)))
        x, y, w, h = cv2.boundingRect(cv2.boxPoints(rect))
        why: Why | None = None
        if x <= 0 or y <= 0 or x + w >= width or y + h >= height:
            why = "cut off"
        found.append(Candidate((x, y, w, h), rect[2] % 90.0, value, 0.99 * fit, why))
    return found
