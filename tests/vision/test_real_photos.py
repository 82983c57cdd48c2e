"""Real photos: what is shown as sure is right, most of it is sure, and a sequence of them is a video."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from host.sighting import DiceFrame, DieSeen
from tests.shared_data import SHARED
from vision.detect import Detector
from vision.pictures import load
from vision.process import Reader
from vision.score import Score
from vision.settle import Event, Rested, Settler
from vision.training.real import SETS, photos

DATA = Path(__file__).parents[1] / "data" / "dice"


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def labels() -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    with (DATA / "labels.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["file"], []).append(int(row["value"]))
    return found


def test_on_the_kept_photos_no_number_is_wrong_and_most_are_there(detector: Detector) -> None:
    score = Score()
    for name, values in labels().items():
        found = detector.read(load(DATA / name))
        sure = Counter(die.value for die in found.dice)
        assert not sure - Counter(values), (name, sure)
        score.add(values, list(sure.elements()))
    assert score.as_json()["found_percent"] >= 90


@pytest.mark.parametrize("name", SETS)
def test_on_a_sample_of_every_set_what_is_sure_is_right(detector: Detector, name: str) -> None:
    sample = photos(SHARED / "data" / "dice", name)
    score = Score()
    for photo in sample[1 :: max(1, len(sample) // 12)]:
        found = detector.read(load(photo.path))
        score.add(photo.values, [die.value for die in found.dice])
    told = score.as_json()
    assert told["wrong"] <= 1, told
    assert told["found_percent"] >= 85, told


def test_boxes_lie_where_the_labels_have_them(detector: Detector) -> None:
    photo = next(p for p in photos(SHARED / "data" / "dice", SETS[0]) if len(p.values) == 6)
    found = detector.read(load(photo.path))
    assert found.dice
    for die in found.dice:
        w, h = die.box[2:]
        assert any(
            bx < die.center[0] < bx + bw and by < die.center[1] < by + bh and 0.4 < w * h / (bw * bh) < 1.7
            for bx, by, bw, bh in (box for box in photo.boxes if box is not None)
        ), (die, photo.boxes)


def test_photos_one_after_the_other_make_one_roll_each() -> None:
    """Each photo lies still for a second with a camera's noise; between them a blur."""
    rng = np.random.default_rng(2)
    names = ["Train_five_11.jpg", "Train_six_12.jpg", "Train_three_48.jpg"]
    reader, settler = Reader(), Settler()
    now, count, events = 50.0, 0, list[Event]()
    previous = load(DATA / "Train_dice_11.jpg")
    for name in names:
        picture = load(DATA / name)
        settler.expect(now, ())
        for k in range(22):
            now, count = now + 1 / 15, count + 1
            share = min(1.0, k / 6)
            mixed = picture * share + previous * (1 - share) + rng.normal(0, 1.5, picture.shape)
            frame = np.asarray(np.clip(mixed, 0, 255), np.uint8)
            found, moving = reader.read(frame, now)
            dice = [DieSeen(d.value, d.colour, d.box, d.confidence) for d in found.dice]
            dice += [DieSeen(None, d.colour, d.box, 0.0, d.why) for d in found.unsure]
            events += settler.feed(DiceFrame(now, "dice", count, tuple(dice), moving))
            assert not (moving and isinstance(events[-1], Rested))
        previous = picture
    rolls = [sorted(d.face for d in e.dice) for e in events if isinstance(e, Rested)]
    assert rolls == [sorted(labels()[name]) for name in names]
