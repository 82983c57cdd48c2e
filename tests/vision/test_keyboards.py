"""Keyboards that the reader learns as nothing."""

import cv2
import numpy as np

from vision.training.keyboards import keyboard
from vision.training.samples import DECOY, NOTHING, Picture, cut


def test_every_key_that_lies_whole_in_the_picture_is_learnt_as_nothing() -> None:
    for seed in (1, 2, 3, 4):
        frame, rows = keyboard(np.random.default_rng(seed))
        assert frame.shape == (416, 416, 3) and len(rows) >= 3
        for x, y, w, h, value in rows:
            assert value == DECOY and min(w, h) > 8
            assert x > 0 and y > 0 and x + w < 416 and y + h < 416
        shown = Picture(cv2.imencode(".png", frame)[1].tobytes(), np.array(rows, np.float32))
        crops, values = cut(shown, np.random.default_rng(seed))
        assert len(crops) >= len(rows) and set(values) == {NOTHING}


def test_the_same_seed_gives_the_same_keyboard_and_keys_bear_print() -> None:
    frame, rows = keyboard(np.random.default_rng(7))
    assert np.array_equal(frame, keyboard(np.random.default_rng(7))[0])
    spread = [frame[int(y) : int(y + h), int(x) : int(x + w)].std() for x, y, w, h, _ in rows]
    assert np.median(spread) > 4
