"""Crops show what lies where, at any size."""

import cv2
import numpy as np
import pytest

from vision.crops import CROP, crop


@pytest.mark.parametrize("side", [30, 48, 64, 70, 82, 97, 140, 200, 400, 900])
@pytest.mark.parametrize("turn", [0.0, 90.0])
def test_a_spot_stays_in_the_middle_and_as_large(side: int, turn: float) -> None:
    radius, middle = 0.18 * side, (611.3, 433.8)
    y, x = np.mgrid[0:1000, 0:1300]
    spot = np.clip(radius - np.hypot(x - middle[0], y - middle[1]) + 0.5, 0, 1)
    frame = np.repeat((255 * spot).astype(np.uint8)[..., None], 3, axis=2)
    shown = crop(frame, middle, side, turn)[..., 0].astype(float)
    ys, xs = np.mgrid[0:CROP, 0:CROP]
    total = shown.sum()
    assert ((shown * xs).sum() / total, (shown * ys).sum() / total) == pytest.approx((24, 24), abs=0.05)
    assert np.sqrt(total / 255 / np.pi) * side / CROP == pytest.approx(radius, rel=0.01)


def test_fine_stripes_are_averaged_not_sampled() -> None:
    frame = np.zeros((600, 600, 3), np.uint8)
    frame[:, ::2] = 200
    for side in (80, 120, 300):
        assert crop(frame, (300.0, 300.0), side).std() < 25


def test_beyond_the_frame_there_is_an_edge_or_nothing_and_no_error() -> None:
    frame = np.full((40, 60, 3), 90, np.uint8)
    assert crop(frame, (59.0, 39.0), 100.0).min() == 90
    assert crop(frame, (500.0, 500.0), 90.0).shape == (CROP, CROP, 3)
    assert crop(np.asarray(cv2.resize(frame, (3, 2)), np.uint8), (1.0, 1.0), 400.0).min() == 90
