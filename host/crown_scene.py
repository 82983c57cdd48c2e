"""CrownScene: what the crown shows, derived from the view alone; drivers only carry it out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Pattern = Literal["breathe", "blink", "pulse", "sweep", "wave", "dim", "steady"]


@dataclass(frozen=True, slots=True)
class CrownScene:
    """`colour` is RGB 0 to 255, `pace` cycles a second, `why` the sentence the dashboard shows."""

    colour: tuple[int, int, int]
    pattern: Pattern
    pace: float
    why: str


class CrownDriver(Protocol):
    """Something that can show a scene: gpiozero's RGBLED, the link's ring."""

    id: str

    def show(self, scene: CrownScene) -> None:
        """Shows `scene` from now on; the latest wins; never blocks, never raises."""
