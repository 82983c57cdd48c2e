"""What the set-up page changes at a running table: its settings, a light that is tested, a restart.

Owned by the core like everything else: called from the table's thread only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from engine.errors import CrowntableError
from host.crown_scene import CrownScene
from host.layout import Layout
from host.settings import Box, Settings, load_settings, save_settings

#: writes a card's record on a tag: (reader, UID, card, lock for good) -> what was written, later
Writer = Callable[[str, str, str, bool], "Future[Any]"]

#: what a light is tested with; few LEDs fail in all three
COLOURS: Final[dict[str, tuple[int, int, int]]] = {
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "white": (255, 255, 255),
}
DARK: Final = CrownScene((0, 0, 0), "steady", 0.0, "off")
#: the lamp of the zone that is asked for
ASKED: Final = CrownScene((255, 190, 40), "pulse", 1.0, "a card is awaited here")
#: seconds after which a tested light goes out by itself: nobody is looking any more
TEST_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class LightTest:
    """A light under test. `at` is "crown" or a zone's id; it ends at monotonic second `until`."""

    at: str
    colour: str
    until: float

    def scene(self) -> CrownScene:
        """What it shows."""
        return CrownScene(COLOURS[self.colour], "steady", 0.0, "The lights are being tested.")


@dataclass(slots=True)
class Workbench:
    """`data`: the table's folder; `trouble`: why the settings file can't be used, "" where it can;
    `restart`: the layout with which the table is to start anew, None while it is not; `writer`: writes
    tags at the readers in `writing`, None where there are no devices; `given`: the layout as the table was
    started with it, before zones and ports were set up."""

    data: Path
    settings: Settings = field(init=False)
    trouble: str = ""
    light: LightTest | None = None
    restart: Layout | None = None
    writer: Writer | None = None
    writing: frozenset[str] = frozenset()
    given: Layout | None = None

    def __post_init__(self) -> None:
        self.settings = Settings()
        try:
            self.settings = load_settings(self.data)
        except CrowntableError as error:
            self.trouble = f"{error.what} {error.cure}"

    def keep(self, settings: Settings) -> None:
        """Writes new settings and uses them. Raises CrowntableError; nothing has changed then."""
        save_settings(self.data, settings)
        self.settings, self.trouble = settings, ""

    def trays(self) -> Mapping[str, Mapping[str, Box]]:
        """The parts of each camera's tray, as they were drawn."""
        return self.settings.trays

    def tick(self, mono: float) -> bool:
        """Ends a test that nobody ends. True where that changed anything."""
        if self.light is None or mono < self.light.until:
            return False
        self.light = None
        return True
