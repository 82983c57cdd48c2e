"""The detector: a BGR frame in, sure readings and doubts out."""

from __future__ import annotations

import time

from vision import classical
from vision.colour import name_colour
from vision.readings import Box, Found, Image, Reading, Unsure

SURE = 0.6  # a reading with less confidence is a doubt


class Detector:
    """Reads dice in frames. Holds no memory of earlier frames: the same frame, the same answer."""

    def __init__(self, gain: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> None:
        """`gain`: white balance for B, G, R, from the calibration."""
        self._gain = gain

    def read(self, frame: Image) -> Found:
        """The dice of one frame, h x w x 3 BGR uint8. Never raises for what a picture shows."""
        began = time.perf_counter()
        dice: list[Reading] = []
        unsure: list[Unsure] = []
        for spot in classical.read(frame):
            colour = name_colour(_middle(frame, spot.box), self._gain)
            if spot.value is not None and spot.confidence >= SURE and spot.why is None:
                x, y, w, h = spot.box
                centre = (x + w / 2, y + h / 2)
                dice.append(Reading(spot.value, centre, spot.box, spot.angle, colour, spot.confidence))
            else:
                why = spot.why or "unclear"
                unsure.append(Unsure(spot.box, why, colour, spot.confidence, spot.value))
        return Found(tuple(dice), tuple(unsure), (time.perf_counter() - began) * 1000.0)


def _middle(frame: Image, box: Box) -> Image:
    """The inner part of a box, where there is die and no table."""
    x, y, w, h = box
    left, top = max(0, x + w // 5), max(0, y + h // 5)
    patch = frame[top : max(top + 1, y + h - h // 5), left : max(left + 1, x + w - w // 5)]
    return patch if patch.size else frame[:1, :1]
