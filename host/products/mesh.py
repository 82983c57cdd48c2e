"""Meshes of printable parts, judged by number: closed, thick enough, printable without support, fitting.

Lengths are millimetres, z is up from the printer's bed at z = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import CrowntableError

Points = NDArray[np.float64]
Faces = NDArray[np.int64]
_NEAR = 1e-6


@dataclass(frozen=True, slots=True)
class Mesh:
    """Triangles: `points` (n, 3) and `faces` (m, 3), indices counter-clockwise seen from outside."""

    points: Points
    faces: Faces

    def corners(self) -> Points:
        """Each face's three corners, (m, 3, 3)."""
        return np.asarray(self.points[self.faces], np.float64)

    def normals(self) -> Points:
        """Each face's outward normal of length 1, (m, 3)."""
        a, b, c = np.moveaxis(self.corners(), 1, 0)
        across = np.cross(b - a, c - a)
        return np.asarray(across / np.linalg.norm(across, axis=1, keepdims=True), np.float64)

    def size(self) -> tuple[float, float, float]:
        """Extent along x, y and z."""
        x, y, z = self.points.max(axis=0) - self.points.min(axis=0)
        return float(x), float(y), float(z)

    def volume(self) -> float:
        """Cubic millimetres; negative where the faces look inwards."""
        a, b, c = np.moveaxis(self.corners(), 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def read_stl(path: Path) -> Mesh:
    """A binary STL file, corners that coincide (to a tenth of a micrometre) made one, slivers left out."""
    raw = path.read_bytes()
    count = int.from_bytes(raw[80:84], "little") if len(raw) >= 84 else -1
    if len(raw) != 84 + 50 * count:
        raise CrowntableError(f"{path} is not a binary STL file.", "Render it again.")
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    corners = np.frombuffer(raw, record, count, 84)["corners"].astype(np.float64).round(4)
    points, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    faces = index.reshape(-1, 3).astype(np.int64)
    proper = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return Mesh(points, faces[proper])


def open_edges(mesh: Mesh) -> int:
    """How many edges are not shared by exactly two faces that run along them in opposite directions:
    0 for a closed (watertight) body."""
    edges = np.concatenate([mesh.faces[:, [i, (i + 1) % 3]] for i in range(3)])
    forth = edges[:, 0] * len(mesh.points) + edges[:, 1]
    back = edges[:, 1] * len(mesh.points) + edges[:, 0]
    codes, times = np.unique(forth, return_counts=True)
    return int((times != 1).sum() + (~np.isin(codes, back)).sum())


def steepest_overhang(mesh: Mesh, least_area: float = 0.05) -> float:
    """The worst overhang in degrees from the vertical, of faces above the bed: 0 where no face looks
    down, 90 for a flat ceiling. Faces under `least_area` square millimetres are left out."""
    corners = mesh.corners()
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    bed = mesh.points[:, 2].min() + 0.01
    counted = (corners[:, :, 2].max(axis=1) > bed) & (area > least_area)
    down = -mesh.normals()[counted, 2]
    return math.degrees(math.asin(min(1.0, max(0.0, float(down.max(initial=0.0))))))


def reach(mesh: Mesh, origins: Points, directions: Points) -> tuple[Points, Faces]:
    """How far from each origin along its direction (of length 1) the first face lies, and which it is;
    inf and -1 where none.

    Möller and Trumbore's intersection, 1997, for all faces at once.
    """
    a, b, c = np.moveaxis(mesh.corners(), 1, 0)
    one, two = b - a, c - a
    found, which = np.full(len(origins), np.inf), np.full(len(origins), -1, np.int64)
    for i in range(len(origins)):
        p = np.cross(directions[i], two)
        det = np.einsum("ij,ij->i", one, p)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = origins[i] - a
            u = np.einsum("ij,ij->i", t, p) / det
            q = np.cross(t, one)
            v = q @ directions[i] / det
            far = np.einsum("ij,ij->i", two, q) / det
            hit = (np.abs(det) > 1e-12) & (u > -_NEAR) & (v > -_NEAR) & (u + v < 1 + _NEAR) & (far > _NEAR)
        if hit.any():
            which[i] = int(np.where(hit, far, np.inf).argmin())
            found[i] = far[which[i]]
    return found, which


def thinnest_wall(mesh: Mesh, step: float = 6.0, most: int = 1500) -> float:
    """The least thickness found: from points over all faces (at most `most`, a face's large ones every
    `step` mm) straight into the material to where it ends."""
    corners, normals = mesh.corners(), mesh.normals()
    origins, inward = [], []
    for face, normal in zip(corners, normals, strict=True):
        longest = float(np.linalg.norm(face - np.roll(face, 1, axis=0), axis=1).max())
        parts = max(1, min(6, math.ceil(longest / step)))
        for i in range(parts):
            for j in range(parts - i):
                u, v = (i + 1 / 3) / parts, (j + 1 / 3) / parts
                origins.append(face[0] + u * (face[1] - face[0]) + v * (face[2] - face[0]))
                inward.append(-normal)
    chosen = np.linspace(0, len(origins) - 1, min(most, len(origins))).astype(np.int64)
    along = np.array(inward)[chosen]
    starts = np.array(origins)[chosen] + along * 1e-4
    far, face = reach(mesh, starts, along)
    # Faces that meet at more than 45 degrees make an edge, not a wall, however near to it one measures.
    opposite = np.einsum("ij,ij->i", along, normals[face]) > math.cos(math.radians(45))
    return float(far[opposite].min(initial=np.inf)) + 1e-4


def gap(mesh: Mesh, origin: tuple[float, float, float], direction: tuple[float, float, float]) -> float:
    """The free way from a point outside the material along a direction, for fits; inf where nothing comes."""
    along = np.array([direction], np.float64)
    return float(reach(mesh, np.array([origin], np.float64), along / np.linalg.norm(along))[0][0])
