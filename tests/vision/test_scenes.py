"""Rendered scenes: what they say of their dice is what they show."""

import cv2
import numpy as np

from vision.training.geometry import bank
from vision.training.scenes import Label, Studio, shows


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
