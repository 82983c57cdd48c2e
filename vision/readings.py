"""What vision says of one frame: dice it is sure of, and places where it is not, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Why = Literal["glare", "touching", "cocked", "moving", "cut off", "blurred", "too small", "unclear"]
Image = NDArray[np.uint8]  # h x w x 3, BGR
Box = tuple[int, int, int, int]  # x, y, w, h in pixels


@dataclass(frozen=True, slots=True)
class Reading:
    """A die that is sure: `value` 1 to 6 is the top face, `center` and `box` (x, y, w, h) are
    pixels of the frame, `angle` its turn in degrees, 0 to 90, `confidence` 0 to 1."""

    value: int
    center: tuple[float, float]
    box: Box
    angle: float
    colour: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Unsure:
    """Something that looks like a die but whose number is not to be believed, and why.

    `guess` is the likeliest value with its `confidence`; it is shown to nobody as a number, it
    only orders the buttons of a one-tap entry.
    """

    box: Box
    why: Why
    colour: str
    confidence: float = 0.0
    guess: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """All that one frame holds, and the milliseconds that reading it took."""

    dice: tuple[Reading, ...]
    unsure: tuple[Unsure, ...]
    ms: float

    def as_json(self) -> dict[str, Any]:
        """The contract's form of it (`crowntable dice --json`), without the file."""
        return {
            "dice": [
                {
                    "value": die.value,
                    "center": [round(part, 1) for part in die.center],
                    "box": list(die.box),
                    "angle": round(die.angle, 1),
                    "colour": die.colour,
                    "confidence": round(die.confidence, 4),
                }
                for die in self.dice
            ],
            "unsure": [{"box": list(spot.box), "why": spot.why} for spot in self.unsure],
            "ms": round(self.ms, 1),
        }
