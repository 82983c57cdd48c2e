"""The fit of the confidence: which candidates count as right, and what a threshold keeps out."""

from pathlib import Path

import numpy as np
import pytest

from vision.network import Spot
from vision.training.calibrate import Seen, chance, fit, left_out, right, table, threshold
from vision.training.real import Photo


def spot(box: tuple[float, float, float, float], value: int, chance: float = 0.9) -> Spot:
    chances = np.full(8, (1 - chance) / 7, np.float32)
    chances[value] = chance
    return Spot(box, 0.9, chances)


def seen(boxed: bool, *spots: Spot) -> Seen:
    photo = Photo(Path("one.jpg"), (4, 2), ((10, 10, 20, 20), (60, 10, 20, 20)) if boxed else (None, None))
    return Seen(photo, spots, (200, 100))


def test_a_number_where_no_die_is_labelled_is_wrong_even_when_all_dice_are_found() -> None:
    found = seen(
        True,
        spot((10, 10, 20, 20), 4, 0.99),
        spot((60, 10, 20, 20), 2, 0.98),
        spot((120, 40, 20, 20), 4, 0.7),  # a screw, read after both dice
    )
    assert right(found) == [True, True, False]


def test_a_box_round_two_dice_takes_one_label_and_leaves_the_other_to_its_own_candidate() -> None:
    both = spot((8, 5, 76, 30), 4, 0.95)
    assert right(seen(True, both, spot((60, 10, 20, 20), 2, 0.9))) == [True, True]
    assert right(seen(True, both, spot((10, 10, 20, 20), 4, 0.9))) == [False, True]


def test_without_boxes_the_surest_candidates_take_the_values() -> None:
    found = seen(False, spot((10, 10, 20, 20), 4, 0.7), spot((60, 10, 20, 20), 4, 0.9))
    assert right(found) == [False, True]


def test_what_is_never_shown_does_not_move_the_threshold() -> None:
    cut_off, tiny = spot((-9, 10, 20, 20), 4), spot((120, 40, 9, 9), 4)
    rows, good = table([seen(True, spot((10, 10, 20, 20), 4), cut_off, tiny)])
    assert rows.shape == (1, 3) and good.tolist() == [True]


def test_the_threshold_lies_above_the_wrong_ones_and_a_set_left_out_is_held_to_the_others() -> None:
    confidence = np.array([0.99, 0.98, 0.9, 0.8])
    assert threshold(confidence, np.array([True, True, False, True]), 0.1) == 0.98
    x = np.column_stack([np.linspace(-4, 4, 40), np.zeros(40), np.zeros(40), np.ones(40)])
    clean, misled = x[:, 0] > 0, x[:, 0] < 3
    told = left_out({"clean": (x, clean), "misled": (x, misled)}, 0.001)
    assert told["misled"]["wrong"] > 0 and told["misled"]["numbers"] == 40


@pytest.mark.parametrize("seed", range(12))
def test_the_fit_finds_the_best_weights_even_where_few_numbers_are_wrong(seed: int) -> None:
    """Newton's full steps overshoot where nearly all is right: they once ended at weights in the hundreds."""
    random = np.random.default_rng(seed)
    x = np.column_stack([random.uniform(-6, 12, (4000, 2)), random.uniform(-3, 3, 4000), np.ones(4000)])
    y = (random.random(4000) < chance(x, np.array([2.0, 0.5, 0.0, 2.0]))).astype(float)
    weights = fit(x, y)
    assert weights[:2] == pytest.approx([2.0, 0.5], abs=0.5) and (weights[:-1] >= 0).all()
    slope = x.T @ (y - chance(x, weights)) - 0.3 * weights
    free = weights > 0
    free[-1] = True
    assert np.abs(slope[free]).max() < 0.01  # nowhere better along any weight that may move
    assert (slope[~free] <= 0.01).all()
