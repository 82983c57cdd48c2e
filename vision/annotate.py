"""Draws what was read onto a copy of the frame: for `--annotate`, the set-up page and the docs."""

from __future__ import annotations

import cv2
import numpy as np

from vision.readings import Found, Image

_SURE = (80, 220, 80)
_DOUBT = (0, 170, 255)


def annotate(frame: Image, found: Found) -> Image:
    """A copy of `frame` (BGR) with boxes, values, colours, confidence; for doubts the reason."""
    canvas = np.ascontiguousarray(frame).copy()
    scale = max(0.4, min(canvas.shape[:2]) / 1100.0)
    for die in found.dice:
        text = f"{die.value} {die.colour} {die.confidence:.2f}"
        _label(canvas, die.box, text, _SURE, scale)
    for spot in found.unsure:
        _label(canvas, spot.box, spot.why, _DOUBT, scale)
    return canvas


def _label(
    canvas: Image,
    box: tuple[int, int, int, int],
    text: str,
    colour: tuple[int, int, int],
    scale: float,
) -> None:
    x, y, w, h = box
    cv2.rectangle(canvas, (x, y), (x + w, y + h), colour, max(1, round(2 * scale)))
    (tw, th), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 1)
    top = y - 4 if y - th - 6 > 0 else y + h + th + 4
    left = max(0, min(x, canvas.shape[1] - tw))
    cv2.rectangle(canvas, (left, top - th - 3), (left + tw, top + 3), (0, 0, 0), cv2.FILLED)
    cv2.putText(canvas, text, (left, top), cv2.FONT_HERSHEY_SIMPLEX, scale, colour, 1, cv2.LINE_AA)
