"""A picture of a mesh: parallel projection from above one corner, flat light, edges drawn."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from host.products.mesh import Mesh

RGB = tuple[int, int, int]
_PAPER: RGB = (255, 255, 255)
_FINE = 2  # drawn so many times larger and then averaged


def picture(
    mesh: Mesh, colour: RGB, turn: float = 35.0, tilt: float = 55.0, width: int = 640
) -> NDArray[np.uint8]:
    """The part seen from `turn` degrees round and `tilt` degrees from straight above; (h, w, 3)."""
    view = _view(turn, tilt)
    seen = mesh.points @ view.T
    low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
    scale = width * _FINE * 0.92 / max(high[0] - low[0], (high[1] - low[1]) * 1.25)
    height = round(((high[1] - low[1]) * scale / 0.92) / _FINE) * _FINE
    middle = (low + high) / 2
    flat = (seen[:, :2] - middle) * (scale, -scale) + (width * _FINE / 2, height / 2)
    depth, face = _draw(flat, seen[:, 2], mesh.faces, (height, width * _FINE))
    shades = _shades(mesh.normals() @ view.T)
    bare = np.array(colour, np.float64)
    image = np.where((face >= 0)[..., None], bare * shades[np.maximum(face, 0)][..., None], _PAPER)
    image[_edges(depth, face, mesh.normals(), scale)] *= 0.45
    image = image.reshape(height // _FINE, _FINE, width, _FINE, 3).mean(axis=(1, 3))
    return np.asarray(image.clip(0, 255), np.uint8)


def _view(turn: float, tilt: float) -> NDArray[np.float64]:
    """Rows: the picture's right, up, and towards the eye."""
    a, b = np.radians(turn), np.radians(tilt)
    right = np.array([np.cos(a), np.sin(a), 0.0])
    eye = np.array([np.sin(a) * np.sin(b), -np.cos(a) * np.sin(b), np.cos(b)])
    return np.array([right, np.cross(eye, right), eye])


def _shades(normals: NDArray[np.float64]) -> NDArray[np.float64]:
    light = np.array([-0.45, 0.65, 0.62])
    return np.asarray(0.42 + 0.62 * np.clip(normals @ light, 0, 1), np.float64)


def _draw(
    flat: NDArray[np.float64], far: NDArray[np.float64], faces: NDArray[np.int64], size: tuple[int, int]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Depth (towards the eye) and face number at each pixel; -1 where there is none."""
    depth, face = np.full(size, -np.inf), np.full(size, -1, np.int64)
    for number, corners in enumerate(faces):
        (ax, ay), (bx, by), (cx, cy) = flat[corners]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area >= -1e-9:  # seen from behind, or edge on (y runs down here)
            continue
        x0, x1 = max(0, int(min(ax, bx, cx))), min(size[1], int(max(ax, bx, cx)) + 2)
        y0, y1 = max(0, int(min(ay, by, cy))), min(size[0], int(max(ay, by, cy)) + 2)
        if x0 >= x1 or y0 >= y1:
            continue
        y, x = np.mgrid[y0:y1, x0:x1] + 0.5
        u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area
        v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area
        w = 1 - u - v
        here = u * far[corners[0]] + v * far[corners[1]] + w * far[corners[2]]
        inside = (u >= -1e-6) & (v >= -1e-6) & (w >= -1e-6) & (here > depth[y0:y1, x0:x1])
        depth[y0:y1, x0:x1][inside] = here[inside]
        face[y0:y1, x0:x1][inside] = number
    return depth, face


def _edges(
    depth: NDArray[np.float64], face: NDArray[np.int64], normals: NDArray[np.float64], scale: float
) -> NDArray[np.bool_]:
    """Pixels where the surface bends sharply, or where one part of it hides another."""
    edge = np.zeros(face.shape, np.bool_)
    solid = np.where(np.isfinite(depth), depth, -1e6)
    for axis in (0, 1):
        other = np.roll(face, 1, axis)
        bend = np.einsum("ijk,ijk->ij", normals[face], normals[other]) < 0.8
        jump = np.abs(solid - np.roll(solid, 1, axis)) > 1.2 + 6 / scale
        both = (face >= 0) | (other >= 0)
        edge |= both & (jump | (bend & (face >= 0) & (other >= 0)))
    return edge


def write_png(path: Path, image: NDArray[np.uint8], note: str = "") -> None:
    """Writes an RGB picture; `note` goes into it as a text under "Source"."""
    height, width, _ = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"tEXt", b"Source\0" + note.encode("latin-1"))
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


def png_note(path: Path) -> str:
    """The text that `write_png` put into a picture; empty where there is none."""
    head, _, rest = path.read_bytes()[:400].partition(b"tEXtSource\0")
    return rest[: int.from_bytes(head[-4:], "big") - 7].decode("latin-1") if rest else ""
