"""Whole-die boxes for photos whose labels have none: what a network trained on synthetic scenes alone
finds, kept only where its numbers are exactly the labels'. `boxes.csv` beside this file is its output.

For photos with whole-die boxes the labels' own boxes are kept; where labels are known to be incomplete
(the extra set) a photo is left out in which the network is sure of a die that nobody labelled.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

import cv2

from vision.network import Network, Spot
from vision.pictures import load
from vision.training import real
from vision.training.real import Photo, Rows

BELIEVED = 0.5


def believed(spots: list[Spot], least: float = BELIEVED) -> list[Spot]:
    """The candidates that the network takes for a lying die with at least this chance."""
    return [
        spot
        for spot in spots
        if spot.heat > 0.3 and spot.chances.argmax() == spot.value and spot.chances[spot.value] >= least
    ]


def rows(photo: Photo, spots: list[Spot], pips_only: bool) -> Rows | None:
    """The photo's dice as x, y, w, h, value, or None where they cannot be had for sure."""
    if all(photo.boxes) and not pips_only:
        labelled = [(*box, float(v)) for box, v in zip(photo.boxes, photo.values, strict=True) if box]
        for spot in believed(spots, 0.9):
            x, y = spot.box[0] + spot.box[2] / 2, spot.box[1] + spot.box[3] / 2
            if not any(bx <= x <= bx + w and by <= y <= by + h for bx, by, w, h, _ in labelled):
                return None
        return labelled
    found = believed(spots)
    if Counter(spot.value for spot in found) != Counter(photo.values):
        return None
    return [(*spot.box, float(spot.value)) for spot in found]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="shared/data/dice")
    parser.add_argument("--weights", type=Path, required=True, help="folder of finder.onnx, reader.onnx")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    network = Network(args.weights)
    with args.out.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["set", "file", "x", "y", "w", "h", "value"])
        for name in (*real.SETS, real.EXTRA):
            for photo in real.photos(args.root, name):
                found = rows(photo, network.spots(load(photo.path)), name in real.PIPS_ONLY)
                for x, y, w, h, value in found or []:
                    box = [round(part, 1) for part in (x, y, w, h)]
                    writer.writerow([name, photo.path.name, *box, int(value)])


if __name__ == "__main__":
    main()
