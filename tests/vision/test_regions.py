"""Seats by their part of the tray."""

import doctest

from vision import regions
from vision.regions import region_of

TRAY = {
    "seat1": [(0, 0), (300, 0), (200, 480), (0, 480)],
    "seat2": [(300, 0), (640, 0), (640, 480), (200, 480)],
}


def test_a_slanted_border_parts_two_seats() -> None:
    assert region_of((240, 100), TRAY) == "seat1"
    assert region_of((240, 400), TRAY) == "seat2"
    assert region_of((700, 100), TRAY) is None


def test_where_regions_overlap_it_is_nobodys() -> None:
    assert region_of((50, 50), {**TRAY, "seat3": [(0, 0), (100, 0), (100, 100), (0, 100)]}) is None


def test_the_example_in_the_words_runs() -> None:
    assert doctest.testmod(regions).failed == 0
