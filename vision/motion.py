"""The motion gate: has anything moved between two frames? And: is this the same frame for ever?"""

from __future__ import annotations

import zlib

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.readings import Box, Image

_WIDTH = 320
_STEP = 14.0  # grey levels beyond the lighting's own drift that count as change
_AREA = 12  # changed pixels (of 320 wide) that make motion: a quarter of the smallest die's face


class MotionGate:
    """Compares each frame with the one before, in a small grey copy, the mean drift taken out."""

    def __init__(self) -> None:
        """No frame seen yet: the first counts as still."""
        self._last: NDArray[np.float32] | None = None
        self._mask: NDArray[np.bool_] | None = None
        self._scale = 1.0

    def moving(self, frame: Image) -> bool:
        """Whether `frame` (BGR) differs from the frame before by more than noise and flicker."""
        self._scale = frame.shape[1] / _WIDTH
        height, width = frame.shape[:2]
        size = (_WIDTH, max(1, round(_WIDTH * height / width)))
        grey = cv2.cvtColor(
            np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8),
            cv2.COLOR_BGR2GRAY,
        )
        now = np.asarray(cv2.GaussianBlur(grey, (5, 5), 0), np.float32)
        before, self._last = self._last, now
        if before is None or before.shape != now.shape:
            self._mask = None
            return False
        change = now - before
        change -= np.median(change)
        self._mask = np.abs(change) > _STEP
        return int(self._mask.sum()) >= _AREA

    def moving_at(self, box: Box) -> bool:
        """Whether anything moved within `box` (pixels of the last frame)."""
        if self._mask is None:
            return False
        x, y, w, h = (part / self._scale for part in box)
        left, top = max(0, int(x)), max(0, int(y))
        return bool(self._mask[top : int(y + h) + 1, left : int(x + w) + 1].any())


class FreezeDetector:
    """Live cameras are noisy: exactly the same picture for `after` seconds is a dead one (F31)."""

    def __init__(self, after: float = 2.0) -> None:
        """`after`: seconds of identical pictures that mean frozen."""
        self._after = after
        self._sum: int | None = None
        self._since = 0.0

    def frozen(self, frame: Image, at: float) -> bool:
        """Whether the picture has not changed by one bit since `after` seconds. `at`: seconds."""
        checksum = zlib.crc32(np.ascontiguousarray(frame[::2, ::3]).tobytes())
        if checksum != self._sum:
            self._sum, self._since = checksum, at
            return False
        return at - self._since >= self._after
