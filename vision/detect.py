"""The detector: a BGR frame in, sure readings and doubts out."""

from __future__ import annotations

import time
from pathlib import Path

from vision.judge import Calibration, judge
from vision.network import WEIGHTS, Network
from vision.readings import Found, Image


class Detector:
    """Reads dice in frames. Holds no memory of earlier frames: the same frame, the same answer."""

    def __init__(self, gain: tuple[float, float, float] = (1.0, 1.0, 1.0), weights: Path = WEIGHTS) -> None:
        """`gain`: white balance for B, G, R, from the calibration. Loads the weights; VisionError
        where they are missing."""
        self._gain = gain
        self._network = Network(weights)
        self._calibration = Calibration.load()

    def balance(self, gain: tuple[float, float, float]) -> None:
        """Another white balance from now on."""
        self._gain = gain

    def read(self, frame: Image) -> Found:
        """The dice of one frame, h x w x 3 BGR uint8. Never raises for what a picture shows."""
        began = time.perf_counter()
        spots = self._network.spots(frame) if min(frame.shape[:2]) >= 8 else []
        dice, unsure = judge(frame, spots, self._calibration, self._gain)
        return Found(tuple(dice), tuple(unsure), (time.perf_counter() - began) * 1000.0)
