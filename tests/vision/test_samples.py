"""What the reader learns on: crops that are shaken and disguised, and still show the die that they name."""

from dataclasses import replace

import cv2
import numpy as np

from vision.crops import CROP, MARGIN
from vision.training import samples
from vision.training.boards import board, token
from vision.training.samples import (
    COCKED,
    DECOY,
    NOTHING,
    REACH,
    WIDE,
    Picture,
    coloured,
    cut,
    disguised,
    shaken,
)


def picture(*dice: tuple[float, float, float, float, float]) -> Picture:
    """Red squares on grey where the dice are said to lie."""
    frame = np.full((300, 400, 3), 120, np.uint8)
    for x, y, w, h, _ in dice:
        cv2.rectangle(frame, (int(x), int(y)), (int(x + w) - 1, int(y + h) - 1), (0, 0, 255), -1)
    return Picture(cv2.imencode(".png", frame)[1].tobytes(), np.array(dice, np.float32).reshape(-1, 5))


def red(crop: np.ndarray) -> np.ndarray:
    return np.asarray(crop[..., 2].astype(int) - crop[..., 0] > 100, np.uint8)


def test_dice_are_cut_whole_and_what_is_none_is_called_nothing() -> None:
    shown = picture(
        (50, 60, 40, 40, 5),
        (200, 60, 30, 30, 0),  # cocked
        (300, 200, 30, 30, -1),  # not to be read: neither a die nor nothing
        (380, 100, 40, 40, 6),  # cut off
        (120, 220, 20, 20, DECOY),
    )
    crops, values = cut(shown, np.random.default_rng(1))
    assert values.count(5) == 1 and values.count(COCKED) == 1 and values.count(6) == 0
    assert values.count(NOTHING) >= 1 and set(values) == {NOTHING, 5, COCKED}
    die = crops[values.index(5)]
    assert die.shape == (WIDE, WIDE, 4) and not die[..., 3].any()  # nobody knows a photo's pips
    side = np.sqrt(red(die).sum())
    assert abs(side - WIDE / REACH) < 2


def test_the_pips_of_a_die_go_with_its_crop_and_not_its_neighbours() -> None:
    pips = np.zeros((300, 400), np.uint8)
    cv2.circle(pips, (160, 130), 6, 1, -1)
    cv2.circle(pips, (220, 130), 6, 2, -1)
    shown = picture((130, 100, 60, 60, 1), (191, 100, 60, 60, 1))
    known = replace(shown, pips=cv2.imencode(".png", pips)[1].tobytes(), numbers=np.array([1, 2], np.uint8))
    crops, values = cut(known, np.random.default_rng(5))
    for crop in [crop for crop, value in zip(crops, values, strict=True) if value == 1]:
        piece = shaken(crop, 1, np.random.default_rng(6))
        assert piece.shape == (CROP, CROP, 4)
        count, _, stats, middles = cv2.connectedComponentsWithStats((piece[..., 3] > 127).astype(np.uint8))
        assert count == 2 and 25 < stats[1, cv2.CC_STAT_AREA] < 80
        ys, xs = np.nonzero(red(piece))
        assert np.hypot(*(middles[1] - (xs.mean(), ys.mean()))) < 14
    assert values.count(1) == 2


def test_shaking_keeps_the_die_in_the_picture_at_the_readers_scale() -> None:
    (die, *_), _ = cut(picture((150, 120, 60, 60, 4)), np.random.default_rng(2))
    random = np.random.default_rng(3)
    sides, middles = [], []
    for _ in range(60):
        one = red(shaken(die, 4, random))
        ys, xs = np.nonzero(one)
        sides.append(np.sqrt(one.sum()))
        middles.append((xs.mean(), ys.mean()))
    assert abs(np.mean(sides) - CROP / MARGIN) < 1.5
    assert np.abs(np.mean(middles, axis=0) - CROP / 2).max() < 1.0
    assert np.abs(np.array(middles) - CROP / 2).max() < 8


def test_a_disguise_changes_colours_and_not_what_is_where() -> None:
    crop = np.full((CROP, CROP, 3), (40, 40, 160), np.uint8)
    cv2.circle(crop, (24, 24), 8, (230, 230, 230), -1)
    random = np.random.default_rng(4)
    hues, seen = set(), 0
    for _ in range(80):
        one = disguised(crop, random).astype(int)
        assert one.shape == crop.shape
        inside, outside = one[20:28, 20:28].mean((0, 1)), one[:8].mean((0, 1))
        seen += bool(np.abs(inside - outside).max() > 40)
        hues.add(int(outside.argmax()))
    assert seen > 72
    assert hues == {0, 1, 2}
    assert samples.WIDE / samples.REACH > CROP / MARGIN  # nothing is lost by cutting in advance


def test_pips_that_only_their_hue_tells_apart_keep_it_where_brightness_is_taken_away() -> None:
    body, pip = (70, 52, 60), (50, 40, 125)  # about as bright as each other
    crop = np.full((CROP, CROP, 3), body, np.float32)
    cv2.circle(crop, (24, 24), 8, pip, -1)
    random = np.random.default_rng(5)
    for _ in range(40):
        one = coloured(crop, random)
        inside, outside = one[20:28, 20:28].mean((0, 1)), one[:8].mean((0, 1))
        assert (inside - outside)[2] > 35 > 10 > (inside - outside)[0]
    bright = np.full((CROP, CROP, 3), 60, np.float32)
    cv2.circle(bright, (24, 24), 8, (200, 200, 200), -1)
    steps = [float(np.ptp(coloured(bright, random)[..., 1])) for _ in range(40)]
    assert min(steps) < 60 and max(steps) < 140  # of 140


def test_a_board_of_tokens_holds_no_die_and_each_is_learnt_as_nothing() -> None:
    for seed in (1, 2, 3):
        frame, rows = board(np.random.default_rng(seed))
        assert frame.shape == (416, 416, 3) and len(rows) >= 3
        assert {row[4] for row in rows} == {DECOY}
        shown = Picture(cv2.imencode(".png", frame)[1].tobytes(), np.array(rows, np.float32))
        crops, values = cut(shown, np.random.default_rng(seed))
        assert len(crops) >= len(rows) and set(values) == {NOTHING}


def test_a_tokens_figure_shows_and_lies_within_its_disc() -> None:
    ground, ink = np.array([0.9, 0.8, 0.7]), np.array([0.1, 0.1, 0.1])
    for seed in range(12):
        disc = token(np.random.default_rng(seed), ground, ink, ground)
        dark = (disc[..., 3] > 0.99) & (disc[..., 0] < 0.2)
        ys, xs = np.nonzero(dark)
        assert dark.sum() > 500
        assert np.hypot(xs - 128, ys - 128).max() < 124
