"""Draws the worst photos for docs/vision.md: `python -m vision.training.worst --out docs/vision`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import cv2
import numpy as np

from vision.annotate import annotate
from vision.bench import Read, folder, read_set, worst
from vision.pictures import load, save
from vision.training.real import EXTRA, SETS

WIDE = 640  # pixels of a drawn picture's longer side


def main() -> None:
    """Writes the ten worst of all sets, named by rank, and their labels as JSON on stdout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=10)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    reads: list[Read] = []
    for name in (*SETS, EXTRA):
        reads += worst(read_set(folder(), name)[0], args.count if name != EXTRA else 3)
    for rank, read in enumerate(worst(reads, args.count), 1):
        picture = annotate(load(read.photo.path), read.found)
        scale = WIDE / max(picture.shape[:2])
        small = np.asarray(
            cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
        )
        save(args.out / f"worst-{rank:02}.jpg", small)
        told = {
            "rank": rank,
            "set": read.photo.path.parent.name,
            "file": read.photo.path.name,
            "labels": sorted(read.photo.values),
            "sure": sorted(die.value for die in read.found.dice),
            "unsure": [spot.why for spot in read.found.unsure],
        }
        sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
