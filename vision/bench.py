"""`crowntable bench dice`: reads the development photos and counts, each set with weights that never saw
its author's pictures, beside the hobbyists' method."""

from __future__ import annotations

import importlib.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision import classical
from vision.detect import Detector
from vision.errors import VisionError
from vision.network import WEIGHTS
from vision.pictures import load
from vision.readings import Found, Image
from vision.score import Score, total
from vision.training.real import EXTRA, SETS, Photo, photos
from vision.training.trays import MIRRORED, trays

METHOD = """\
Reads every labelled photo of the development sets (shared/data/dice, or the folder that the variable
CROWNTABLE_DICE_PHOTOS names) on one core. Cross-validated by source: each set is read with weights trained
without any picture of its author (vision/training/folds); where these are not at hand, with the shipped
weights, and the report says so. A photo is exact when the numbers shown as sure are just the labels'; what
is called unsure counts as not found. Beside it the same for contours and pips (vision/classical.py) and for a
blob detector with density clustering (tests/peers/blob_dice.py). Empty pictures: quarters of labelled photos
in which no die lies. Rendered trays: a hundred frames of 1280x720 with house dice at rest under a camera
above the tray, lit from its rim, and a hundred under a lamp that a fifth of the dice mirror; each pip can be
seen; drawn from a seed that no training scene has, by the same renderer. Time: a frame of those trays with
five dice, median of 15 reads, by the clock and in processor time. Memory: of a process of its own that reads
a frame and the eight photos with most dice."""

ROOT = Path(__file__).resolve().parents[1]
FOLDS = ROOT / "vision" / "training" / "folds"
TRAYS = 4242  # the seed of the rendered trays; no training scene has it
# Which fold's weights have not seen which set.
HELD_OUT = {
    "nell-byler__dice_detection": "without_nell-byler",
    "matteop65__Dice_Detection_Recognition": "without_matteop65",
    "DamianTab__DiceDetection": "without_the_small_sets",
    "KamilPiechowiak__DiceDetection": "without_the_small_sets",
    "Epanemu__GameDiceRecognition": "without_the_small_sets",
}


@dataclass(frozen=True, slots=True)
class Read:
    """A photo and what was read in it."""

    photo: Photo
    found: Found


def folder() -> Path:
    """Where the development photos lie. Raises VisionError where they don't."""
    path = Path(os.environ.get("CROWNTABLE_DICE_PHOTOS", ROOT.parent / "shared" / "data" / "dice"))
    if not path.is_dir():
        raise VisionError(
            f"The development photos are not at {path}.",
            "Set CROWNTABLE_DICE_PHOTOS to the folder of the labelled photos.",
        )
    return path


def read_set(root: Path, name: str) -> tuple[list[Read], bool]:
    """Reads a set; True with weights that have not seen it."""
    fold = FOLDS / HELD_OUT[name]
    held_out = (fold / "reader.onnx").is_file()
    detector = Detector(weights=fold if held_out else WEIGHTS)
    return [Read(photo, detector.read(load(photo.path))) for photo in photos(root, name)], held_out


def score(reads: list[Read]) -> Score:
    """The readings held against the labels."""
    result = Score()
    for read in reads:
        result.add(read.photo.values, [die.value for die in read.found.dice], read.found.ms)
    return result


def worst(reads: list[Read], count: int) -> list[Read]:
    """The photos with the most numbers wrong or missing, wrong ones weighing three times."""

    def badness(read: Read) -> tuple[float, str]:
        one = Score()
        off = one.add(read.photo.values, [die.value for die in read.found.dice])
        return -(off + 2.0 * (one.claimed - one.found)), read.photo.path.name

    return sorted(reads, key=badness)[:count]


def empty_pictures(root: Path) -> list[Image]:
    """Quarters of photos in which no labelled die lies, of the sets whose labels are complete."""
    found = []
    for photo in photos(root, SETS[0]):
        frame = load(photo.path)
        h, w = frame.shape[0] // 2, frame.shape[1] // 2
        for left, top in ((0, 0), (w, 0), (0, h), (w, h)):
            boxes = [box for box in photo.boxes if box is not None]
            if not any(
                x < left + w + 12 and x + bw > left - 12 and y < top + h + 12 and y + bh > top - 12
                for x, y, bw, bh in boxes
            ):
                found.append(np.ascontiguousarray(frame[top : top + h, left : left + w]))
    return found


def tray_score(detector: Detector, mirrored: float, count: int = 100) -> Score:
    """Rendered trays of house dice under a calibrated camera, read with the shipped weights. `mirrored`: the
    share of dice that mirror a lamp."""
    result = Score()
    for frame, values in trays(count, TRAYS, mirrored):
        found = detector.read(frame)
        result.add(values, [die.value for die in found.dice], found.ms)
    return result


def frame_ms(detector: Detector, reads: int = 15) -> tuple[float, float]:
    """Milliseconds of a 1280x720 frame with five dice on one core, the medians by the clock and of
    processor time: on a machine with other work they differ."""
    frame = next(frame for frame, values in trays(100, TRAYS) if len(values) == 5)
    clock, work = [], []
    for _ in range(reads):
        began = time.process_time()
        clock.append(detector.read(frame).ms)
        work.append(1000.0 * (time.process_time() - began))
    return round(statistics.median(clock), 1), round(statistics.median(work), 1)


def first_frame_s() -> float:
    """Seconds from a process's start to its first reading."""
    began = time.perf_counter()
    _alone(FIRST_FRAME)
    return round(time.perf_counter() - began, 2)


def memory_mb(root: Path) -> int:
    """The most memory (megabytes) of a process that reads a frame and the eight photos with most dice."""
    fullest = sorted(photos(root, SETS[0]), key=lambda photo: -len(photo.values))[:8]
    return int(_alone(FIRST_FRAME + MEMORY, *(str(photo.path) for photo in fullest)))


FIRST_FRAME = """\
import numpy as np
from vision.detect import Detector
detector = Detector()
detector.read(np.full((720, 1280, 3), 128, np.uint8))
"""
MEMORY = """\
import re, sys
from pathlib import Path
from vision.pictures import load
for name in sys.argv[1:]:
    detector.read(load(Path(name)))
status = Path("/proc/self/status").read_text()  # getrusage also counts what the parent had before the start
print(int(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1]) // 1024)
"""


def _alone(script: str, *words: str) -> str:
    """What a script says that runs in a process of its own."""
    where = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script, *words], check=True, env=where, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def measure() -> dict[str, Any]:
    """The whole report, ready for JSON. Takes some four minutes."""
    cv2.setNumThreads(1)
    root = folder()
    peer = _peer()
    scores: dict[str, Score] = {}
    report: dict[str, Any] = {"sets": {}, "held_out": True}
    for name in (*SETS, EXTRA):
        reads, held_out = read_set(root, name)
        report["held_out"] = report["held_out"] and held_out
        scores[name] = score(reads)
        row: dict[str, Any] = {
            **scores[name].as_json(),
            "unsure": sum(len(read.found.unsure) for read in reads),
        }
        row["contours_and_pips"] = _other(reads, _contours).as_json()
        if peer is not None:
            row["blobs_and_clustering"] = _other(reads, peer).as_json()
        row["worst"] = [read.photo.path.name for read in worst(reads, 5)]
        report["sets"][name] = row
    report["four_sets"] = total(scores[name] for name in SETS).as_json()
    detector = Detector()
    empty = [detector.read(picture) for picture in empty_pictures(root)]
    report["empty_pictures"] = {
        "pictures": len(empty),
        "with_a_number": sum(bool(found.dice) for found in empty),
        "with_a_doubt": sum(bool(found.unsure) for found in empty),
    }
    report["rendered_trays"] = tray_score(detector, 0.0).as_json()
    report["rendered_trays_under_a_lamp"] = tray_score(detector, MIRRORED).as_json()
    report["ms_1280x720"], report["processor_ms_1280x720"] = frame_ms(detector)
    report["memory_mb"] = memory_mb(root)
    report["first_frame_s"] = first_frame_s()
    return report


def _other(reads: list[Read], method: Callable[[Image], list[int]]) -> Score:
    result = Score()
    for read in reads:
        frame = load(read.photo.path)
        began = time.perf_counter()
        values = method(frame)
        result.add(read.photo.values, values, (time.perf_counter() - began) * 1000.0)
    return result


def _contours(frame: Image) -> list[int]:
    return [spot.value for spot in classical.read(frame) if spot.value and spot.confidence > 0.6]


def _peer() -> Callable[[Image], list[int]] | None:
    """The hobbyists' method, where the tests are at hand."""
    path = ROOT / "tests" / "peers" / "blob_dice.py"
    spec = importlib.util.spec_from_file_location("blob_dice", path) if path.is_file() else None
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    read: Callable[[Image], list[int]] = module.read
    return read
