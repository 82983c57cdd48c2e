"""The peer that dice pictures are measured beside: a blob detector for pips and density clustering for
dice, written from the way hobbyists publicly describe it, with the parameters that they use. It has no
notion of side faces, of confidence or of doubt: what clusters is a number.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

LONG = 640  # pixels of the longer side
REACH = 40.0  # pixels within which pips belong to one die
BLUR = 7
ROUND = 0.6


def read(frame: NDArray[np.uint8]) -> list[int]:
    """The numbers of pips in each cluster, 1 to 6 (larger clusters are no die)."""
    scale = LONG / max(frame.shape[:2])
    small = cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    parameters = cv2.SimpleBlobDetector.Params()
    parameters.filterByInertia = True
    parameters.minInertiaRatio = ROUND
    detector = cv2.SimpleBlobDetector.create(parameters)
    blobs = detector.detect(cv2.medianBlur(np.asarray(small, np.uint8), BLUR))
    points = np.array([blob.pt for blob in blobs], np.float64).reshape(-1, 2)
    sizes = [len(cluster) for cluster in clusters(points, REACH)]
    return sorted(size for size in sizes if size <= 6)


def clusters(points: NDArray[np.float64], reach: float) -> list[list[int]]:
    """Density clustering with no least number of neighbours: the connected groups of points that are
    nearer than `reach` to one another, as lists of indices."""
    left = set(range(len(points)))
    found = []
    while left:
        group, front = [], [left.pop()]
        while front:
            here = front.pop()
            group.append(here)
            near = {k for k in left if np.hypot(*(points[k] - points[here])) <= reach}
            left -= near
            front += near
        found.append(sorted(group))
    return found
