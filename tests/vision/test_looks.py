"""How often the reader looks at a candidate, and what its looks say together."""

from typing import Any

import numpy as np
import pytest

from vision.network import FIRST, FURTHER, MORE, Network, clear, seen_as
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
        (looks((4, 0.9995), (4, 0.999)), True),
        (looks((4, 0.9995), (4, 0.97)), False),
        (looks((4, 0.9995), (5, 0.9995)), False),
        (looks((0, 0.95), (0, 0.92)), True),  # no die: less will do
        (looks((0, 0.95), (0, 0.5)), False),
        (looks((7, 0.95), (7, 0.95)), False),
    ],
)
def test_two_looks_are_enough_only_where_they_leave_no_doubt(seen: Any, enough: bool) -> None:
    assert clear(seen) is enough


def test_a_look_that_contradicts_weighs_in_everything() -> None:
    box = (10.0, 10.0, 40.0, 40.0)
    one = seen_as(box, 0.9, looks((6, 0.99), (6, 0.98), (6, 0.99)))
    other = seen_as(box, 0.9, looks((6, 0.99), (6, 0.98), (5, 0.9)))
    assert one.value == other.value == 6
    assert one.agreed == 1.0 and other.agreed == pytest.approx(2 / 3)
    assert other.least < 0.05 < one.least
    assert other.chances[6] < one.chances[6]
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
