"""What the networks see: crops of dice, normalised. Used by the detector and by the training alike."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.readings import Image

CELL = 4  # pixels of a cell of the finder's maps
CROP = 48  # pixels of the reader's crops
MARGIN = 1.36  # a crop's side, in the die's longer side


def crop(
    frame: Image, middle: tuple[float, float], side: float, turn: float = 0.0, size: int = CROP
) -> Image:
    """The size x size picture of a square of `side` pixels round `middle`, turned by `turn` degrees."""
    scale = size / side
    c, s = np.cos(np.radians(turn)) * scale, np.sin(np.radians(turn)) * scale
    x, y = middle
    if scale < 0.7:  # average first, of the square's surroundings only; whole pixels, as others take ten times as long
        reach = side * 0.75 + 2
        left, top = max(0, int(x - reach)), max(0, int(y - reach))
        piece = frame[top : int(y + reach) + 1, left : int(x + reach) + 1]
        if not piece.size:
            return np.zeros((size, size, 3), np.uint8)
        by = max(1, min(int(1.0 / scale), *piece.shape[:2]))
        if by > 1:
            small = piece.shape[1] // by, piece.shape[0] // by
            piece = piece[: small[1] * by, : small[0] * by]
            piece = np.asarray(cv2.resize(piece, small, interpolation=cv2.INTER_AREA), np.uint8)
        if scale * by < 0.7:
            piece = np.asarray(cv2.blur(piece, (2, 2), anchor=(0, 0), borderType=cv2.BORDER_REPLICATE), np.uint8)
            shift = 0.5
        else:
            shift = 0.0
        # A pixel's middle is at its whole number: where `by` became one, theirs lies half of that less one on.
        x, y = (x - left - (by - 1) / 2) / by - shift, (y - top - (by - 1) / 2) / by - shift
        frame, c, s = piece, c * by, s * by
    matrix = np.array([[c, s, size / 2 - c * x - s * y], [-s, c, size / 2 + s * x - c * y]], np.float32)
    return np.asarray(cv2.warpAffine(frame, matrix, (size, size), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def normalise(batch: Image) -> NDArray[np.float32]:
    """Crops (n, 48, 48, 3) as the reader takes them: (n, 3, 48, 48), zero mean, unit spread each."""
    values = batch.astype(np.float32)
    values -= values.mean(axis=(1, 2, 3), keepdims=True)
    values /= values.std(axis=(1, 2, 3), keepdims=True) + 4.0
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2))
