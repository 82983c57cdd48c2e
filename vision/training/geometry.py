"""Dice as shapes: a bank of ray-traced poses, from which pictures are shaded in any colour and light.

A pose is what does not depend on colours: for each pixel whether the die is hit, where on the die (in
the die's own coordinates, sides -1 to 1, so that face and pip follow from it) and the surface's direction
(in the camera's). The die is a cube with rounded edges, cut by a ball as many dice are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

SIZE = 160  # pixels of a pose's picture
SCALE = 1.9  # half the picture's width, in half sides of the die


@dataclass(frozen=True, slots=True)
class Pose:
    """`spot` (SIZE, SIZE, 3): where the die is hit, its own coordinates; `normal` likewise, camera
    coordinates (x right, y down, z towards the die); `hit` (SIZE, SIZE) 0 or 1.

    `up`: the face (0..5 for +x, -x, +y, -y, +z, -z) that is on top; `aslant`: degrees between the
    camera's view and straight down; `tilt`: degrees by which the die is cocked, 0 for one that lies.
    In the picture the side faces that are seen lie below the top face.
    """

    spot: NDArray[np.float16]
    normal: NDArray[np.float16]
    hit: NDArray[np.bool_]
    up: int
    aslant: float
    tilt: float


def rotation(axis: int, degrees: float) -> NDArray[np.float64]:
    """The 3 x 3 matrix that turns by `degrees` round axis 0, 1 or 2."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = np.eye(3)
    a, b = [k for k in range(3) if k != axis]
    matrix[a, a] = matrix[b, b] = c
    matrix[a, b], matrix[b, a] = -s, s
    return matrix


def distance(points: Array, edge: float, ball: float) -> Array:
    """Signed distance of points (n, 3) to the die: half side 1, edges rounded by `edge`, cut by a ball
    of radius `ball`."""
    q = np.abs(points) - np.float32(1.0 - edge)
    outside = np.sqrt((np.maximum(q, 0) ** 2).sum(axis=1))
    cube = outside + np.minimum(q.max(axis=1), 0) - edge
    return np.asarray(np.maximum(cube, np.sqrt((points**2).sum(axis=1)) - ball), np.float32)


def trace(random: np.random.Generator, cocked: bool) -> Pose:
    """One pose, drawn at random: aslant up to 55 degrees, any spin, roundness and perspective."""
    aslant = float(min(55.0, abs(random.normal(0, 12)) if random.random() < 0.5 else random.uniform(0, 50)))
    tilt = float(random.uniform(14, 45)) if cocked else 0.0
    edge = float(random.uniform(0.04, 0.42))
    ball = float(random.uniform(1.30, 1.45)) if random.random() < 0.45 else 9.0
    away = float(random.uniform(7.0, 30.0))  # the camera's distance, in half sides: perspective
    # die -> world (z up) -> camera (z forward, y down). World: tilt after spin, and a second spin so
    # that a cocked die leans any way.
    world = rotation(2, random.uniform(0, 360)) @ rotation(0, tilt) @ rotation(2, random.uniform(0, 360))
    # Straight down: x right, y down, z away from the camera. Aslant turns it so that sides show below.
    camera = rotation(0, -aslant) @ np.diag([1.0, -1.0, -1.0])
    turn = (camera @ world).astype(np.float32)  # die -> camera
    grid = ((np.arange(SIZE, dtype=np.float32) + 0.5) / SIZE * 2 - 1) * np.float32(SCALE)
    x, y = np.meshgrid(grid, grid)
    direction = np.stack([x / away, y / away, np.ones_like(x)], axis=-1).reshape(-1, 3)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    origin = np.array([0.0, 0.0, -away], np.float32) @ turn  # in the die's coordinates
    rays = direction @ turn
    depth = np.full(len(rays), away - 1.8, np.float32)
    alive = np.arange(len(rays))
    for _ in range(26):
        step = distance(origin + rays[alive] * depth[alive, None], edge, ball)
        depth[alive] += step
        alive = alive[(np.abs(step) > 0.002) & (depth[alive] < away + 2.0)]
        if not len(alive):
            break
    spot = origin + rays * depth[:, None]
    hit = distance(spot, edge, ball) < 0.01
    normal = np.zeros_like(spot)
    where = np.flatnonzero(hit)
    for axis in range(3):
        offset = np.zeros(3, np.float32)
        offset[axis] = 0.01
        normal[where, axis] = distance(spot[where] + offset, edge, ball) - distance(
            spot[where] - offset, edge, ball
        )
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-6)
    lifted = world[2]  # the world's up in the die's coordinates
    axis = int(np.abs(lifted).argmax())
    return Pose(
        spot.reshape(SIZE, SIZE, 3).astype(np.float16),
        (normal @ turn.T).reshape(SIZE, SIZE, 3).astype(np.float16),
        hit.reshape(SIZE, SIZE),
        2 * axis + int(lifted[axis] < 0),
        aslant,
        tilt,
    )


def bank(count: int, seed: int) -> list[Pose]:
    """`count` poses; one in twelve is cocked."""
    random = np.random.default_rng(seed)
    return [trace(random, cocked=k % 12 == 0) for k in range(count)]
