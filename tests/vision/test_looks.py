"""How often the reader looks at a candidate, and what its looks say together."""

from typing import Any

import numpy as np
import pytest

from vision.network import (
    FIRST,
    FURTHER,
    LONG,
    MORE,
    REDDER,
    SHORT,
    Box,
    Network,
    apart,
    clear,
    mixed,
    seen_as,
)
from vision.readings import Image


def looks(*faces: tuple[int, float]) -> Any:
    """Looks that give each a face with its chance."""
    found = np.zeros((len(faces), 8), np.float32)
    for row, (face, chance) in zip(found, faces, strict=True):
        row[:] = (1 - chance) / 7
        row[face] = chance
    return found


@pytest.mark.parametrize(
    ("seen", "enough"),
    [
        (looks((4, 0.98)), True),
        (looks((4, 0.96)), False),
        (looks((0, 0.92)), True),  # no die: less will do
        (looks((0, 0.5)), False),
        (looks((7, 0.93)), False),
    ],
)
def test_one_look_is_enough_only_where_it_leaves_no_doubt(seen: Any, enough: bool) -> None:
    assert clear(seen) is enough


def test_a_look_that_contradicts_weighs_in_everything() -> None:
    box = (10.0, 10.0, 40.0, 40.0)
    one = seen_as(box, 0.9, looks((6, 0.99), (6, 0.98), (6, 0.99)))
    other = seen_as(box, 0.9, looks((6, 0.99), (6, 0.98), (5, 0.9)))
    assert one.value == other.value == 6
    assert other.chances[6] < 0.9 < 0.98 < one.chances[6]
    assert other.chances.sum() == pytest.approx(1.0, abs=1e-5)


class Counted(Network):
    """A network that tells how many crops its reader was given, and finds every look doubtful or clear."""

    def __init__(self, chance: float) -> None:
        super().__init__()
        self.chance, self.crops = chance, list[int]()

    def _read(self, frame: Image, boxes: list[Any], looks: tuple[Any, ...]) -> Any:
        assert super()._read(frame, boxes, looks).shape == (len(boxes), len(looks), 8)
        self.crops.append(len(boxes) * len(looks))
        seen = np.full((len(boxes), len(looks), 8), (1 - self.chance) / 7, np.float32)
        seen[..., 3] = self.chance
        return seen


def test_doubt_costs_time_within_bounds_and_clear_dice_none() -> None:
    frame = np.full((480, 640, 3), 90, np.uint8)
    boxes = [(20.0 * k, 50.0, 18.0, 18.0) for k in range(MORE + 4)]
    sure = Counted(0.9999)
    assert [len(look) for look in sure.look(frame, boxes)] == [len(FIRST)] * len(boxes)
    assert sure.crops == [len(boxes) * len(FIRST)]
    unsure = Counted(0.8)
    counts = [len(look) for look in unsure.look(frame, boxes)]
    assert counts == [len(FIRST) + len(FURTHER)] * MORE + [len(FIRST)] * 4


def test_red_pips_stand_out_of_a_dark_body_in_the_look_for_red() -> None:
    die = np.full((20, 20, 3), (70, 40, 60), np.uint8)
    die[8:12, 8:12] = (50, 30, 150)
    colours, red = die.astype(int), mixed(die, REDDER).astype(int)
    assert red.shape == die.shape and (red[..., 0] == red[..., 2]).all()
    assert red[10, 10].mean() - red[0, 0].mean() > 2 * (colours[10, 10].mean() - colours[0, 0].mean())


class Glancing(Network):
    """A network whose finder sees what it is told, by how large the frame is shown to it."""

    def __init__(self, seen: dict[int, list[tuple[Box, float]]]) -> None:
        super().__init__()
        self.seen, self.asked = seen, list[int]()

    def _glance(self, frame: Image, long: int) -> list[tuple[Box, float]]:
        self.asked.append(long)
        return list(self.seen[long])


def test_the_finder_glances_again_only_where_dice_may_be_too_large_for_it() -> None:
    frame = np.zeros((480, 640, 3), np.uint8)
    die, pip, large = (100.0, 100.0, 40.0, 40.0), (300.0, 200.0, 24.0, 24.0), (250.0, 150.0, 150.0, 150.0)
    plain = Glancing({LONG: [(die, 0.9)], SHORT: [(large, 0.8)]})
    assert plain.find(frame) == [(die, 0.9)] and plain.asked == [LONG]
    close = Glancing({LONG: [(pip, 0.55)], SHORT: [(large, 0.8), (die, 0.9)]})
    assert close.find(frame) == [(large, 0.8), (pip, 0.55)]  # small ones the first glance knows better
    assert close.asked == [LONG, SHORT]


def test_the_pips_of_a_large_die_are_no_dice() -> None:
    pip = seen_as((300.0, 200.0, 24.0, 24.0), 0.6, looks((1, 0.99), (1, 0.99)))
    die = seen_as((250.0, 150.0, 150.0, 150.0), 0.8, looks((6, 0.6), (6, 0.5)))
    none = seen_as((250.0, 150.0, 150.0, 150.0), 0.8, looks((0, 0.9), (0, 0.9)))
    assert apart([pip, die]) == [die]
    assert pip in apart([pip, none])


def test_dice_that_lie_together_are_not_lost_in_a_box_round_them_all() -> None:
    heap = seen_as((250.0, 150.0, 100.0, 100.0), 0.8, looks((6, 0.6), (6, 0.5)))
    four = seen_as((260.0, 160.0, 30.0, 30.0), 0.7, looks((4, 0.99), (4, 0.97)))
    two = seen_as((310.0, 200.0, 30.0, 30.0), 0.7, looks((2, 0.99), (2, 0.97)))
    found = apart([heap, four, two])
    assert sorted(spot.value for spot in found) == [2, 4]
    assert apart([heap, four]) == [heap]  # one alone may be a pip with a gleam beside it
