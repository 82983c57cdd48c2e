"""Reading picture files, with one clear sentence for what cannot be read."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.errors import VisionError
from vision.readings import Image

SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff")
_MOST_BYTES = 100_000_000


def load(path: Path) -> Image:
    """The picture as h x w x 3 BGR uint8, turned upright by its EXIF. Raises VisionError."""
    cure = "Give a JPEG, PNG, BMP, WebP or TIFF picture."
    try:
        if path.is_dir():
            raise VisionError(f"{path} is a folder, not a picture.", "Name the files in it.")
        if path.stat().st_size > _MOST_BYTES:
            raise VisionError(f"{path} is too large for a picture.", cure)
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except FileNotFoundError:
        raise VisionError(f"{path} does not exist.", "Check the file's name.") from None
    except OSError as error:
        raise VisionError(
            f"{path} cannot be read: {error.strerror or error}.", "Check the file's permissions."
        ) from None
    picture = None
    if data.size:
        try:
            picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
        except cv2.error:
            picture = None
    if picture is None:
        raise VisionError(f"{path} is not a picture, or it is damaged.", cure)
    return np.asarray(picture, np.uint8)


def save(path: Path, picture: Image) -> None:
    """Writes a picture in the form that its suffix names (JPEG for others). Raises VisionError."""
    suffix = path.suffix.lower() if path.suffix.lower() in SUFFIXES else ".jpg"
    done, data = cv2.imencode(suffix, picture)
    try:
        if not done:
            raise VisionError(f"{path} could not be encoded.", "Give the picture another name.")
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise VisionError(
            f"{path} cannot be written: {error.strerror or error}.", "Is there room on the disk?"
        ) from None
