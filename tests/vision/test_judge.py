"""From candidates to numbers and doubts: what is sure, and which reason is given where it is not."""

import numpy as np
import pytest

from vision.judge import Calibration, angle, judge
from vision.network import Spot
from vision.readings import Image

EVEN = Calibration(rivals=1.0, heat=0.0, constant=0.0, sure=0.96)


def frame(colour: tuple[int, int, int] = (60, 30, 180), boxes: tuple[tuple[int, int], ...] = ()) -> Image:
    """A grey table with plain dice of 60 pixels at `boxes`, each with three pips."""
    picture = np.full((480, 640, 3), 120, np.uint8)
    for x, y in boxes:
        picture[y : y + 60, x : x + 60] = colour
        for d in (15, 30, 45):
            picture[y + d - 5 : y + d + 5, x + d - 5 : x + d + 5] = 240
    return picture


def spot(
    x: float,
    y: float,
    chance: float,
    value: int = 3,
    cocked: float = 0.0,
    nothing: float = 0.0,
    side: float = 60.0,
    heat: float = 0.9,
) -> Spot:
    chances = np.full(8, (1 - chance - cocked - nothing) / 5, np.float32)
    chances[0], chances[7] = nothing, cocked
    chances[value] = chance
    return Spot((x, y, side, side), heat, chances)


def test_a_sure_candidate_becomes_a_reading_with_colour_and_place() -> None:
    dice, unsure = judge(frame(boxes=((100, 100),)), [spot(100, 100, 0.97)], EVEN)
    assert not unsure and len(dice) == 1
    assert (dice[0].value, dice[0].colour, dice[0].box) == (3, "crimson", (100, 100, 60, 60))
    assert dice[0].center == (130, 130) and dice[0].confidence == pytest.approx(0.97, abs=0.002)


@pytest.mark.parametrize(
    ("spots", "why"),
    [
        ([spot(-10, 100, 0.99)], "cut off"),
        ([spot(600, 100, 0.99)], "cut off"),
        ([spot(100, 100, 0.99, side=11)], "too small"),
        ([spot(100, 100, 0.5, cocked=0.45)], "cocked"),
        ([spot(100, 100, 0.6, cocked=0.3999)], "cocked"),  # no other face, and yet no number
        ([spot(100, 100, 0.45, nothing=0.3, cocked=0.2499)], "unclear"),  # no face that outweighs the rest
        ([spot(100, 100, 0.5), spot(161, 100, 0.99)], "touching"),
        ([spot(100, 100, 0.5)], "unclear"),
    ],
)
def test_each_doubt_has_its_reason(spots: list[Spot], why: str) -> None:
    _, unsure = judge(frame(boxes=((100, 100),)), spots, EVEN)
    assert [one.why for one in unsure] == [why]


def test_glare_and_blur_are_told_apart() -> None:
    glaring = frame(boxes=((100, 100),))
    glaring[105:150, 105:150] = 255
    _, unsure = judge(glaring, [spot(100, 100, 0.4)], EVEN)
    assert [one.why for one in unsure] == ["glare"]
    soft = frame()
    y, x = np.mgrid[0:60, 0:60]
    soft[100:160, 100:160] = (90 + x + y)[..., None]
    _, unsure = judge(soft, [spot(100, 100, 0.4)], EVEN)
    assert [one.why for one in unsure] == ["blurred"]


def test_what_is_hardly_a_die_is_not_mentioned() -> None:
    dice, unsure = judge(frame(), [spot(100, 100, 0.02, nothing=0.97, heat=0.3)], EVEN)
    assert not dice and not unsure


def test_what_the_reader_deems_rather_likely_to_be_no_die_is_not_spoken_of() -> None:
    """A cable's ferrite bead, which the finder takes for a die: it kept a roll from being counted."""
    bead = spot(100, 100, 0.11, value=6, nothing=0.53, heat=0.64)
    assert judge(frame(), [bead], EVEN) == ([], [])
    assert judge(frame(), [spot(100, 100, 0.3, nothing=0.3, heat=0.64)], EVEN)[1]


@pytest.mark.parametrize("turn", [0, 20, 45, 70])
def test_the_angle_follows_the_edges(turn: int) -> None:
    import cv2

    picture = np.full((200, 200, 3), 120, np.uint8)
    shape = cv2.boxPoints(((100, 100), (80, 80), float(turn))).astype(np.int32)
    cv2.fillPoly(picture, [shape], (40, 40, 200), cv2.LINE_AA)
    off = abs(angle(picture, (35, 35, 130, 130)) - turn) % 90
    assert min(off, 90 - off) < 4


def test_nothing_is_said_where_the_finder_is_faint_and_the_reader_names_no_face() -> None:
    picture = frame(boxes=((100, 100),))
    vague = spot(100, 100, 0.2, heat=0.38)
    assert judge(picture, [vague], EVEN) == ([], [])
    for one in (spot(100, 100, 0.2, heat=0.42), spot(100, 100, 0.35, heat=0.38)):
        dice, unsure = judge(picture, [one], EVEN)
        assert not dice and [doubt.why for doubt in unsure] == ["unclear"]
