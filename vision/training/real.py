"""The development photos with their labels (shared/data/dice; authors and licences: its README)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

Box = tuple[float, float, float, float]
SETS = (
    "nell-byler__dice_detection",
    "matteop65__Dice_Detection_Recognition",
    "DamianTab__DiceDetection",
    "KamilPiechowiak__DiceDetection",
)
EXTRA = "Epanemu__GameDiceRecognition"


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo and its dice: values in the labels' order, boxes (x, y, w, h, pixels) or None."""

    path: Path
    values: tuple[int, ...]
    boxes: tuple[Box | None, ...]


def photos(root: Path, name: str) -> list[Photo]:
    """The labelled photos of one set (a folder of `root`), in the order of their names."""
    dice: dict[str, list[tuple[int, Box | None]]] = {}
    with (root / name / "labels.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            box = None
            if row["w"]:
                box = (float(row["x"]), float(row["y"]), float(row["w"]), float(row["h"]))
            dice.setdefault(row["file"], []).append((int(row["value"]), box))
    return [
        Photo(root / name / file, tuple(v for v, _ in rows), tuple(b for _, b in rows))
        for file, rows in sorted(dice.items())
    ]


PIPS_ONLY = frozenset({"matteop65__Dice_Detection_Recognition"})  # boxes of the pip pattern, not the die
Rows = list[tuple[float, float, float, float, float]]


def whole_dice(path: Path) -> dict[tuple[str, str], Rows]:
    """Whole-die boxes as `vision.training.box` wrote them: (set, file) to rows x, y, w, h, value."""
    found: dict[tuple[str, str], Rows] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            x, y, w, h = (float(row[key]) for key in "xywh")
            found.setdefault((row["set"], row["file"]), []).append((x, y, w, h, float(row["value"])))
    return found
