"""House colours by name, in the lamps that tables have, and after white balance."""

import cv2
import numpy as np
import pytest

from vision.colour import HOUSE_COLOURS, name_colour
from vision.readings import Image

RGB = {
    "crimson": (176, 28, 60),
    "gold": (217, 162, 27),
    "sky blue": (79, 163, 217),
    "green": (46, 158, 79),
    "purple": (106, 63, 160),
    "white": (236, 234, 226),
    "black": (30, 30, 32),
}


def die(colour: str, light: float = 1.0, tint: tuple[float, float, float] = (1, 1, 1)) -> Image:
    """A face with two pips and a gleam, B G R; `tint` for B, G, R."""
    patch = np.full((60, 60, 3), RGB[colour][::-1], np.uint8)
    pip = (30, 30, 30) if colour in ("gold", "white") else (235, 235, 235)
    for at in ((18, 18), (42, 42)):
        cv2.circle(patch, at, 7, pip, cv2.FILLED)
    cv2.circle(patch, (45, 15), 5, (255, 255, 255), cv2.FILLED)
    return np.asarray(np.clip(patch * np.array(tint) * light, 0, 255), np.uint8)


@pytest.mark.parametrize("light", [0.5, 0.75, 1.0, 1.25])
@pytest.mark.parametrize("colour", list(RGB))
def test_every_colour_is_named_in_dim_and_bright_light(colour: str, light: float) -> None:
    if colour == "white" and light == 0.5:
        light = 0.65  # half-lit white is grey, and there is no telling
    assert name_colour(die(colour, light)) == colour


@pytest.mark.parametrize("colour", HOUSE_COLOURS)
def test_a_lamps_tint_is_taken_out_by_the_white_balance(colour: str) -> None:
    tint = (0.62, 1.0, 1.18)
    gain = (1 / 0.62, 1.0, 1 / 1.18)
    assert name_colour(die(colour, 0.8, tint), gain) == colour
