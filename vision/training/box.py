"""Whole-die boxes for photos whose labels have none: a network trained on synthetic scenes alone finds as
many dice as the labels name, with a clear gap to everything else; the labels' values are dealt out to
them by place where the labels have one, else by likelihood. `boxes.csv` beside this file is its output.

For photos with whole-die boxes the labels' own boxes are kept; where labels are known to be incomplete
(the extra set) a photo is left out in which the network is sure of a die that nobody labelled.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import cv2

from vision.judge import belief
from vision.network import Network, Spot
from vision.pictures import load
from vision.training import real
from vision.training.real import Photo, Rows
from vision.training.samples import DECOY

BELIEVED = 0.5


def believed(spots: list[Spot], least: float = BELIEVED) -> list[Spot]:
    """The candidates that the network takes for a lying die with at least this chance."""
    return [
        spot
        for spot in spots
        if spot.heat > 0.3 and spot.chances.argmax() == spot.value and spot.chances[spot.value] >= least
    ]


def rows(photo: Photo, spots: list[Spot], pips_only: bool) -> Rows | None:
    """The photo's dice as x, y, w, h, value, and what the finder took for one (value -2: the reader
    shall learn that it is none); None where they cannot be had for sure."""
    found = _dice(photo, spots, pips_only)
    return None if found is None else found + _decoys(spots, found)


def _dice(photo: Photo, spots: list[Spot], pips_only: bool) -> Rows | None:
    if all(photo.boxes) and not pips_only:
        labelled = [(*box, float(v)) for box, v in zip(photo.boxes, photo.values, strict=True) if box]
        for spot in believed(spots, 0.9):
            x, y = spot.box[0] + spot.box[2] / 2, spot.box[1] + spot.box[3] / 2
            if not any(bx <= x <= bx + w and by <= y <= by + h for bx, by, w, h, _ in labelled):
                return None
        return labelled
    count = len(photo.values)
    ranked = sorted(spots, key=lambda spot: -belief(spot))
    chosen, rest = ranked[:count], ranked[count:]
    if (
        len(chosen) < count
        or belief(chosen[-1]) < 0.5
        or (rest and belief(rest[0]) > 0.6 * belief(chosen[-1]))
    ):
        return None  # not clear which candidates are the labelled dice
    values = _by_place(photo, chosen) if all(photo.boxes) else _by_chance(photo, chosen)
    if values is None:
        return None
    return [(*spot.box, float(value)) for spot, value in zip(chosen, values, strict=True)]


def _by_place(photo: Photo, chosen: list[Spot]) -> list[int] | None:
    """Each candidate takes the value whose pip pattern lies in it; None unless it is one each."""
    values = []
    for spot in chosen:
        x, y, w, h = spot.box
        inside = [
            value
            for box, value in zip(photo.boxes, photo.values, strict=True)
            if box and x < box[0] + box[2] / 2 < x + w and y < box[1] + box[3] / 2 < y + h
        ]
        if len(inside) != 1:
            return None
        values += inside
    return values


def _by_chance(photo: Photo, chosen: list[Spot]) -> list[int]:
    """The labels' values dealt out to the candidates, the likeliest pairs first."""
    left, values = list(photo.values), [0] * len(chosen)
    pairs = [(float(spot.chances[v]), k, v) for k, spot in enumerate(chosen) for v in set(photo.values)]
    for _, k, value in sorted(pairs, reverse=True):
        if values[k] == 0 and value in left:
            values[k] = value
            left.remove(value)
    return values


def _decoys(spots: list[Spot], dice: Rows) -> Rows:
    """Candidates whose middle is far from every die's, in parts of the die's side."""
    found: Rows = []
    for spot in spots:
        x, y = spot.box[0] + spot.box[2] / 2, spot.box[1] + spot.box[3] / 2
        if all(max(abs(x - dx - w / 2), abs(y - dy - h / 2)) > 0.4 * max(w, h) for dx, dy, w, h, _ in dice):
            found.append((*spot.box, DECOY))
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="shared/data/dice")
    parser.add_argument("--weights", type=Path, required=True, help="folder of finder.onnx, reader.onnx")
    parser.add_argument("--sets", nargs="+", default=[*real.SETS, real.EXTRA])
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    network = Network(args.weights)
    with args.out.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["set", "file", "x", "y", "w", "h", "value"])
        for name in args.sets:
            for photo in real.photos(args.root, name):
                found = rows(photo, network.spots(load(photo.path)), name in real.PIPS_ONLY)
                for x, y, w, h, value in found or []:
                    box = [round(part, 1) for part in (x, y, w, h)]
                    writer.writerow([name, photo.path.name, *box, int(value)])


if __name__ == "__main__":
    main()
