"""The name of a die's colour: the five house colours, and white, black, grey, orange.

Colours are judged by hue, saturation and brightness after white balance. The hue ranges come from
the house colours' definitions (crimson #B01C3C, gold #D9A21B, sky blue #4FA3D9, green #2E9E4F,
purple #6A3FA0) widened half-way to their neighbours, so that lamps and cameras may drift.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.readings import Image

# Upper end of each hue range (OpenCV's half degrees, 0 to 180), in order round the circle.
_HUES: tuple[tuple[float, str], ...] = (
    (8.0, "crimson"),
    (15.0, "orange"),
    (36.0, "gold"),
    (84.0, "green"),
    (118.0, "sky blue"),
    (160.0, "purple"),
    (180.0, "crimson"),
)
HOUSE_COLOURS = ("crimson", "gold", "sky blue", "green", "purple")


def hue_name(hue: float) -> str:
    """The colour name of a hue in OpenCV's half degrees (0 to 180).

    >>> hue_name(175.0), hue_name(22.0), hue_name(100.0)
    ('crimson', 'gold', 'sky blue')
    """
    for end, name in _HUES:
        if hue < end:
            return name
    return "crimson"


def name_colour(patch: Image, gain: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> str:
    """Names the body colour of a die from `patch` (h x w x 3, BGR uint8: the die with little else).

    `gain` is the white balance for B, G, R. Pips and glare are left out by taking the more
    saturated half of the pixels when a good part of them is colourful at all.
    """
    balanced = patch.reshape(1, -1, 3).astype(np.float32) * np.asarray(gain, np.float32)
    balanced = np.clip(balanced, 0, 255).astype(np.uint8)
    hsv = np.asarray(cv2.cvtColor(balanced, cv2.COLOR_BGR2HSV), np.float32)[0]
    hue, saturation, value = hsv[:, 0], hsv[:, 1], hsv[:, 2]
    chroma = saturation * value / 255.0
    colourful = (chroma > 45) & (saturation > 70)
    if colourful.mean() < 0.3:
        middle = float(np.median(value))
        if middle > 140:
            return "white"
        return "black" if middle < 85 else "grey"
    # The mean direction on the hue circle, weighted by chroma, does not split red at 0 = 180.
    angles = hue[colourful] * (np.pi / 90.0)
    weight = chroma[colourful]
    x, y = float((np.cos(angles) * weight).sum()), float((np.sin(angles) * weight).sum())
    return hue_name(float(np.degrees(np.arctan2(y, x))) % 360.0 / 2.0)
