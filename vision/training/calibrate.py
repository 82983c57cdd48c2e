"""Fits the confidence on held-out photos: what share of numbers is right, given what finder and reader say.

Each set is read with weights that have not seen it (`--fold SET=FOLDER`); a logistic regression on what
speaks for another face and on the finder's heat gives the confidence, and the threshold is the least one
above which fewer than `--wrong` of the numbers are wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.judge import Calibration, features, hard_reason, named, noticed
from vision.network import Box, Network, Spot
from vision.pictures import load
from vision.training import real
from vision.training.real import Photo

Floats = NDArray[np.float64]
Table = tuple[Floats, NDArray[np.bool_]]  # features, whether the number is right


@dataclass(frozen=True, slots=True)
class Seen:
    """A photo and its candidates, read with weights that never saw its author's pictures."""

    photo: Photo
    spots: tuple[Spot, ...]
    size: tuple[int, int]


def read_fold(root: Path, name: str, weights: Path, every: int = 1) -> list[Seen]:
    """Reads every photo of a set, or each `every`-th."""
    network = Network(weights)
    found = []
    for photo in real.photos(root, name)[::every]:
        frame = load(photo.path)
        found.append(Seen(photo, tuple(network.spots(frame)), (frame.shape[1], frame.shape[0])))
    return found


def right(seen: Seen) -> list[bool]:
    """For each candidate, whether its number is right: by place where the labels have boxes, else the
    surest candidates take the values that the photo holds. A label is one candidate's at most."""
    boxes = [(box, value) for box, value in zip(seen.photo.boxes, seen.photo.values, strict=True) if box]
    if boxes:
        own = _placed(seen.spots, [box for box, _ in boxes])
        return [k in own and boxes[own[k]][1] == spot.value for k, spot in enumerate(seen.spots)]
    left = Counter(seen.photo.values)
    verdicts = [False] * len(seen.spots)
    order = sorted(range(len(seen.spots)), key=lambda k: -float(seen.spots[k].chances[seen.spots[k].value]))
    for k in order:
        value = seen.spots[k].value
        verdicts[k] = left[value] > 0
        left[value] -= verdicts[k]
    return verdicts


def _placed(spots: tuple[Spot, ...], boxes: list[Box]) -> dict[int, int]:
    """Which label is which candidate's: of those whose middles lie in its box one, nearest pairs first."""
    pairs = []
    for k, spot in enumerate(spots):
        x, y, w, h = spot.box
        for label, box in enumerate(boxes):
            across, down = box[0] + box[2] / 2 - x - w / 2, box[1] + box[3] / 2 - y - h / 2
            if abs(across) < w / 2 and abs(down) < h / 2:
                pairs.append((math.hypot(across, down), k, label))
    own: dict[int, int] = {}
    for _, k, label in sorted(pairs):
        if k not in own and label not in own.values():
            own[k] = label
    return own


def fit(x: Floats, y: Floats, ridge: float = 0.3) -> Floats:
    """Logistic regression by Newton's method, its steps halved while they lead uphill; weights kept at or
    above 0 except the constant."""

    def cost(weights: Floats) -> float:
        score = x @ weights
        return float(np.logaddexp(0.0, score).sum() - y @ score + 0.5 * ridge * weights @ weights)

    def kept(weights: Floats) -> Floats:
        return np.append(np.maximum(weights[:-1], 0.0), weights[-1])

    weights = np.zeros(x.shape[1])
    for _ in range(60):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (y - p) - ridge * weights
        bend = (x * (p * (1 - p))[:, None]).T @ x + ridge * np.eye(x.shape[1])
        # A weight that lies at 0 and is pushed below stays there and must not bend the others' way.
        free = (weights > 0) | (slope > 0)
        free[-1] = True
        step = np.zeros_like(weights)
        step[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        size = 1.0
        while size > 1e-6 and cost(kept(weights + size * step)) > cost(weights):
            size /= 2
        weights = kept(weights + size * step)
    return np.asarray(weights, np.float64)


def threshold(confidence: Floats, good: NDArray[np.bool_], wrong: float) -> float:
    """The least confidence from which on fewer than `wrong` of the numbers are wrong."""
    order = np.argsort(-confidence)
    share = np.cumsum(~good[order]) / np.arange(1, len(order) + 1)
    fine = np.flatnonzero(share <= wrong)
    return float(confidence[order][fine[-1]]) if len(fine) else 1.0


def table(photos: list[Seen]) -> Table:
    """Features and verdicts of all candidates that could be shown as a number."""
    rows, good = [], []
    for seen in photos:
        for spot, verdict in zip(seen.spots, right(seen), strict=True):
            if noticed(spot) and named(spot) and hard_reason(seen.size, spot) is None:
                rows.append(features(spot))
                good.append(verdict)
    return np.array(rows), np.array(good, bool)


def joined(tables: Iterable[Table]) -> Table:
    """Several tables as one."""
    both = list(tables)
    return np.concatenate([x for x, _ in both]), np.concatenate([y for _, y in both])


def chance(x: Floats, weights: Floats) -> Floats:
    """The confidence that the weights give to each row."""
    return np.asarray(1.0 / (1.0 + np.exp(-x @ weights)), np.float64)


def fitted(x: Floats, y: NDArray[np.bool_], wrong: float) -> tuple[Floats, float]:
    """The weights and the threshold."""
    weights = fit(x, y.astype(np.float64))
    return weights, threshold(chance(x, weights), y, wrong)


def left_out(tables: dict[str, Table], wrong: float) -> dict[str, dict[str, int]]:
    """What a threshold fitted on the other sets alone does on each: numbers, sure ones, wrong sure ones."""
    told = {}
    for name, (x, y) in tables.items():
        weights, sure = fitted(*joined(one for other, one in tables.items() if other != name), wrong)
        shown = chance(x, weights) >= sure
        told[name] = {"numbers": len(y), "sure": int(shown.sum()), "wrong": int((shown & ~y).sum())}
    return told


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--fold", nargs="+", required=True, metavar="SET=FOLDER")
    parser.add_argument("--wrong", type=float, default=0.001)
    parser.add_argument("--every", type=int, default=1, help="of the larger sets' photos")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    tables = {}
    for fold in args.fold:
        name, _, folder = fold.partition("=")
        every = args.every if name in real.SETS[:2] else 1
        tables[name] = table(read_fold(args.root, name, Path(folder), every))
    x, y = joined(tables.values())
    weights, sure = fitted(x, y, args.wrong)
    confidence = chance(x, weights)
    names = ("rivals", "heat", "constant")
    calibration = {name: round(float(w), 5) for name, w in zip(names, weights, strict=True)}
    Calibration(**calibration, sure=sure)  # the same names, or this fails
    report = {
        "calibration": {**calibration, "sure": round(sure, 5)},
        "fitted_on": list(tables),
        "numbers": len(y),
        "wrong_among_sure": int((~y[confidence >= sure]).sum()),
        "sure": int((confidence >= sure).sum()),
        "fitted_on_the_others": left_out(tables, args.wrong),
    }
    args.out.write_text(json.dumps(report, indent=1) + "\n")
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
