"""What a single RGB LED shows of a scene at a moment. Pure."""

from __future__ import annotations

import math

from host.crown_scene import CrownScene

RGB = tuple[float, float, float]
LIGHT_OF_DIM = 0.08


def colour_at(scene: CrownScene, seconds: float) -> RGB:
    """Red, green, blue from 0 to 1, `seconds` after the scene began. One LED can't show a place, so a
    sweep is a short flash once a cycle and a wave a slow swell.

    >>> colour_at(CrownScene((255, 0, 0), "blink", 1.0, ""), 0.75)
    (0.0, 0.0, 0.0)
    """
    red, green, blue = scene.colour
    share = level(scene.pattern, seconds * scene.pace) / 255
    return _clip(red * share), _clip(green * share), _clip(blue * share)


def level(pattern: str, cycles: float) -> float:
    """Brightness 0 to 1 after so many cycles of a pattern."""
    phase = cycles % 1.0
    swell = (1 - math.cos(2 * math.pi * phase)) / 2
    match pattern:
        case "breathe":
            return 0.1 + 0.9 * swell**2
        case "blink":
            return 1.0 if phase < 0.5 else 0.0
        case "pulse":
            return (1 - phase) ** 2
        case "sweep":
            return max(0.0, 1 - 4 * phase)
        case "wave":
            return 0.4 + 0.6 * swell
        case "dim":
            return LIGHT_OF_DIM
        case _:
            return 1.0


def _clip(value: float) -> float:
    return min(max(value, 0.0), 1.0)
