"""Rendered trays as a calibrated camera above the table sees them, to measure on: house dice, 1280 x 720.

None of these is learnt on: they are drawn from seeds of their own. They are by the same renderer, though, so
what is measured on them says how size, slant, light and touching dice are borne, not how real dice are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training import tables
from vision.training.geometry import Pose, bank
from vision.training.scenes import Label, box_of, camera, illuminate, shows_each, stamp
from vision.training.shading import HOUSES, Style, draw_light, draw_style, faces, shade

Random = np.random.Generator
WIDTH, HEIGHT = 1280, 720
MIRRORED = 0.2  # the share of dice that mirror a lamp where one hangs over the table
BURNT = 0.35  # of a die's pixels: an exposure that the calibration refuses
BRIGHT = (25.0, 210.0)  # a frame's mean
ASLANT = 14.0  # degrees at most: a camera above the tray's middle
WHITE = (236, 232, 222)
FELTS = ((24, 60, 46), (70, 22, 28), (30, 36, 64), (40, 40, 42), (96, 74, 52), (120, 122, 120))  # R, G, B


def trays(count: int, seed: int, mirrored: float = 0.0) -> Iterator[tuple[NDArray[np.uint8], list[int]]]:
    """`count` frames (720 x 1280 x 3, B G R) and the numbers on their dice. `mirrored`: the share of dice
    whose faces mirror a lamp: a tray's own strip lies under its lip, where no top face shows it to the
    camera."""
    random = np.random.default_rng(seed)
    poses = [pose for pose in bank(120, seed) if not pose.tilt and pose.aslant < ASLANT]
    for _ in range(count):
        yield _tray(random, poses, mirrored)


def house_dice(random: Random) -> list[Style]:
    """A die of each house's colour and a white one, of one make: light pips on dark bodies, dark on light."""
    make = draw_style(random)
    make = replace(make, second=None, clear=0.0, specks=0.0, six=float(random.uniform(0.8, 1.0)))
    found = []
    for body in (*HOUSES.values(), WHITE):
        light = sum(body) / 3 < 150
        pip = np.full(3, 0.95 if light else 0.05) + random.normal(0, 0.02, 3)
        ink = (float(pip[0]), float(pip[1]), float(pip[2]))
        paint = (body[0] / 255, body[1] / 255, body[2] / 255)
        found.append(replace(make, body=paint, pip=ink, ace=ink))
    return found


def _tray(random: Random, poses: list[Pose], mirrored: float) -> tuple[NDArray[np.uint8], list[int]]:
    felt = np.array(FELTS[int(random.integers(len(FELTS)))], np.float32) / 255.0
    grain = tables.clouds(random, WIDTH, 2.5) * 0.05 + tables.clouds(random, WIDTH, 1.0) * 0.03
    picture = np.asarray(felt * (1.0 + grain[..., None]), np.float32)  # square, cut to the frame at the end
    edge = int(random.integers(20, 70))
    wood = np.array([0.45, 0.3, 0.18], np.float32) * np.float32(random.uniform(0.5, 1.3))
    cv2.rectangle(picture, (0, 0), (WIDTH - 1, HEIGHT - 1), [float(v) for v in wood], 2 * edge)
    light = draw_light(random)
    side = math.exp(random.uniform(math.log(28), math.log(90)))
    pips = np.zeros((WIDTH, WIDTH), np.uint8)
    shadow = (random.normal(0, 0.2), random.normal(0, 0.2), random.uniform(0.1, 0.6), 0.1)
    styles = house_dice(random)
    labels, places = [], list[tuple[float, float]]()
    count, room = int(random.integers(2, 9)), edge + side
    while len(places) < count:
        x, y = random.uniform(room, WIDTH - room), random.uniform(room, HEIGHT - room)
        if any(math.hypot(x - px, y - py) < 1.25 * side for px, py in places):
            continue
        pose, value = poses[int(random.integers(len(poses)))], int(random.integers(1, 7))
        places.append((x, y))
        style = styles[int(random.integers(len(styles)))]
        sprite, top = shade(pose, style, light, faces(pose, value, random), random, polish=mirrored)
        turn = random.uniform(-180, 180)
        mask, dots = stamp(picture, sprite, top, pose, (x, y, side, turn), shadow)
        pips[dots] = len(places)
        labels.append(Label(box_of(mask), value, len(places)))
    frame = camera(random, illuminate(random, picture)[:HEIGHT], shaken=0.0)  # only dice at rest are read
    lit = BRIGHT[0] < float(frame.mean()) < BRIGHT[1]
    if lit and all(shows_each(frame, pips, label) and _burnt(frame, label) < BURNT for label in labels):
        return frame, [label.value for label in labels]
    # The calibration refuses such light, or nobody can say what the die shows.
    return _tray(random, poses, mirrored)


def _burnt(frame: NDArray[np.uint8], label: Label) -> float:
    """The share of a die's pixels that are as bright as can be."""
    x, y, w, h = (int(n) for n in label.box)
    return float((frame[y : y + h, x : x + w].max(axis=2) > 250).mean())
