"""Rendered scenes: what they say of their dice is what they show."""

from collections import Counter

import cv2
import numpy as np

from vision.detect import Detector
from vision.training.geometry import bank
from vision.training.scenes import Label, Studio, shows, shows_each
from vision.training.trays import trays


def pips_of(pips: np.ndarray, label: Label) -> int:
    return int(cv2.connectedComponents((pips == label.number).astype(np.uint8))[0]) - 1


def test_the_map_has_as_many_pips_of_a_die_as_its_value_says() -> None:
    studio = Studio(bank(24, 5), 6)
    right = counted = 0
    for _ in range(30):
        frame, labels, pips = studio.scene()
        assert frame.shape == (416, 416, 3) and pips.shape == (416, 416)
        assert len({label.number for label in labels}) == len(labels)
        for label in labels:
            x, y, w, h = label.box
            if label.value > 0 and min(w, h) > 45 and min(x, y, 416 - x - w, 416 - y - h) > 2:
                counted += 1
                right += pips_of(pips, label) == label.value
    assert counted > 30
    assert right >= 0.9 * counted  # neighbours hide some, close pips run together now and then


def test_a_die_whose_pips_nobody_can_see_is_not_called_by_its_number() -> None:
    pips = np.zeros((60, 60), np.uint8)
    cv2.circle(pips, (30, 30), 5, 3, -1)
    label = Label((10, 10, 40, 40), 1, 3)
    frame = np.full((60, 60, 3), 200, np.uint8)
    assert not shows(frame, pips, label)
    frame[pips == 3] = (200, 200, 60)  # told by its hue
    assert shows(frame, pips, label)
    assert shows(
        np.full((60, 60, 3), 200, np.uint8), pips, Label((10, 10, 40, 40), 0, 3)
    )  # cocked: no number


def test_a_pip_lost_in_a_lamps_image_is_noticed_where_each_is_asked_for() -> None:
    pips = np.zeros((60, 60), np.uint8)
    for x in (20, 40):
        cv2.circle(pips, (x, 30), 4, 3, -1)
    label = Label((10, 10, 40, 40), 2, 3)
    frame = np.full((60, 60, 3), 200, np.uint8)
    frame[pips == 3] = 40
    assert shows(frame, pips, label) and shows_each(frame, pips, label)
    frame[:, 30:] = 250  # a bar over the right half
    assert shows(frame, pips, label) and not shows_each(frame, pips, label)
    assert not shows_each(frame, np.zeros_like(pips), label)


def test_a_tray_is_the_same_each_time_and_its_dice_are_read_right_where_they_are_sure() -> None:
    frames = list(trays(3, 4242))
    again = next(trays(1, 4242))
    assert again[1] == frames[0][1] and np.array_equal(again[0], frames[0][0])
    detector, found = Detector(), 0
    for frame, values in frames:
        assert frame.shape == (720, 1280, 3) and 2 <= len(values) <= 8
        sure = Counter(die.value for die in detector.read(frame).dice)
        assert not sure - Counter(values)
        found += sure.total()
    assert found >= 0.8 * sum(len(values) for _, values in frames)
    under_a_lamp = next(trays(1, 4242, 1.0))
    assert not np.array_equal(under_a_lamp[0], frames[0][0])
