"""What the networks see: crops of dice, normalised. Used by the detector and by the training alike."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.readings import Image

CELL = 4  # pixels of a cell of the finder's maps
CROP = 48  # pixels of the reader's crops
FINE = 0.7  # pixels of a crop for one of the frame, from which on nothing is skipped
MARGIN = 1.36  # a crop's side, in the die's longer side


def crop(
    frame: Image, middle: tuple[float, float], side: float, turn: float = 0.0, size: int = CROP
) -> Image:
    """The size x size picture of a square of `side` pixels round `middle`, turned by `turn` degrees."""
    scale = size / side
    c, s = np.cos(np.radians(turn)) * scale, np.sin(np.radians(turn)) * scale
    x, y = middle
    if scale < FINE:  # average first, of the square's surroundings only
        reach = side * 0.75 + 2
        left, top = max(0, int(x - reach)), max(0, int(y - reach))
        piece = frame[top : int(y + reach) + 1, left : int(x + reach) + 1]
        if not piece.size:
            return np.zeros((size, size, 3), np.uint8)
        frame, by, first = _averaged(piece, scale)
        x, y, c, s = (x - left - first) / by, (y - top - first) / by, c * by, s * by
    matrix = np.array([[c, s, size / 2 - c * x - s * y], [-s, c, size / 2 + s * x - c * y]], np.float32)
    return np.asarray(cv2.warpAffine(frame, matrix, (size, size), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _averaged(piece: Image, scale: float) -> tuple[Image, int, float]:
    """A piece shrunk so that sampling it at `scale` skips nothing; by how much, and where the middle of its
    first pixel lies in the piece. Shrunk by whole numbers: by others it takes ten times as long."""
    by = max(1, min(int(1.0 / scale), *piece.shape[:2]))
    if by > 1:
        small = piece.shape[1] // by, piece.shape[0] // by
        whole = piece[: small[1] * by, : small[0] * by]
        piece = np.asarray(cv2.resize(whole, small, interpolation=cv2.INTER_AREA), np.uint8)
    if scale * by >= FINE:
        return piece, by, (by - 1) / 2
    pairs = cv2.blur(piece, (2, 2), anchor=(0, 0), borderType=cv2.BORDER_REPLICATE)
    return np.asarray(pairs, np.uint8), by, (by - 1) / 2 + by / 2


def normalise(batch: Image) -> NDArray[np.float32]:
    """Crops (n, 48, 48, 3) as the reader takes them: (n, 3, 48, 48), zero mean, unit spread each."""
    values = batch.astype(np.float32)
    values -= values.mean(axis=(1, 2, 3), keepdims=True)
    values /= values.std(axis=(1, 2, 3), keepdims=True) + 4.0
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2))
