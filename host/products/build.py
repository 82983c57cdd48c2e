"""How a table is built: a layout (`hardware/tables/NAME.toml`) with its build (`hardware/builds/NAME.toml`).

The layout says what the program sees; the build adds what only a builder needs: where things lie on the
table in millimetres, lights, supplies, pins that differ from the usual. Everything else is derived.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import CrowntableError
from host.layout import Layout, Reader, Zone, load_layout, shipped_layouts, tables_folder

Spot = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a seat is: the middle of its stretch of the table's edge, and which way it looks
    (degrees, 0 up on the drawing, 90 to the right)."""

    seat: int
    at: Spot
    looks: float

    def spot(self, right: float, forward: float) -> Spot:
        """A point in the seat's own frame, millimetres to its right and towards the table's middle."""
        angle = math.radians(self.looks)
        across, ahead = (math.cos(angle), math.sin(angle)), (math.sin(angle), -math.cos(angle))
        return (
            round(self.at[0] + right * across[0] + forward * ahead[0], 1),
            round(self.at[1] + right * across[1] + forward * ahead[1], 1),
        )


@dataclass(frozen=True, slots=True)
class Build:
    """One table to build. Lengths are millimetres, currents milliamperes; `table` is width and depth,
    `spot` the seats' spots by name (`field`, `crown`, `place1` …) in the seat's own frame, `branches` into
    how many chains the readers' bus is divided, `cards` how many want a tag."""

    layout: Layout
    pi: str
    table: tuple[float, float]
    shape: str = "rectangle"
    tray: Spot | None = None
    pico: Spot | None = None
    scan: Spot | None = None
    shielded: bool = False
    branches: int = 1
    cards: int = 120
    seats: tuple[Place, ...] = ()
    spot: Mapping[str, Spot] = field(default_factory=dict)
    ring: int = 0
    lamps: int = 0
    budget: int = 900
    strip: bool = False
    supply: str | None = None
    pins: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The layout's name."""
        return self.layout.name

    def link(self) -> Reader | None:
        """The Pico, None where there is none. Raises CrowntableError for several."""
        found = [reader for reader in self.layout.readers if reader.driver == "link"]
        if len(found) > 1:
            raise wrong(
                self.name, f'it has {len(found)} readers of driver "link".', "Build one Pico a table."
            )
        return found[0] if found else None

    def antennas(self) -> tuple[Zone, ...]:
        """The Pico's zones, by antenna."""
        link = self.link()
        zones = [zone for zone in self.layout.zones if link is not None and zone.reader == link.id]
        return tuple(sorted(zones, key=lambda zone: zone.antenna))

    def where(self, zone: Zone) -> Spot:
        """A zone's middle on the table. Raises CrowntableError where the build does not say."""
        if zone.kind == "scan":
            if self.scan is None:
                raise wrong(self.name, f"zone {zone.id!r} has no place.", "Add scan = [x, y].")
            return self.scan
        key = f"place{zone.place}" if zone.kind == "place" else zone.kind
        place = next((place for place in self.seats if place.seat == zone.seat), None)
        if place is None:
            raise wrong(
                self.name, f"seat {zone.seat} has no place.", f"Add a [[seat]] with id = {zone.seat}."
            )
        if key not in self.spot:
            raise wrong(
                self.name, f"zone {zone.id!r} has no spot.", f"Add {key} = [right, forward] to [spot]."
            )
        return place.spot(*self.spot[key])


def wrong(name: str, what: str, cure: str) -> CrowntableError:
    """A fault in a build, in one sentence."""
    return CrowntableError(f"The build of {name}: {what}", cure)


def builds_folder() -> Path:
    """Where the shipped builds lie: beside the layouts' folder."""
    return tables_folder().parent / "builds"


def find_build(name_or_path: str) -> Build:
    """A shipped table's build by name; or a layout file's, whose build is `builds/NAME.toml` beside its
    folder or `NAME.build.toml` beside itself. Raises CrowntableError."""
    path = shipped_layouts().get(name_or_path, Path(name_or_path))
    layout = load_layout(path)
    places = (path.parent.parent / "builds" / path.name, path.with_suffix(".build.toml"))
    for place in places:
        if place.is_file():
            return parse_build(place.read_text(encoding="utf-8"), layout)
    raise CrowntableError(
        f"The layout {layout.name} has no build file: {places[1].name} is missing.",
        f"Copy {builds_folder() / 'althera-3.toml'} to {places[1]} and change it to your table.",
    )


_SCALARS: dict[str, tuple[type, ...]] = {
    "pi": (str,), "shape": (str,), "shielded": (bool,), "branches": (int,), "cards": (int,),
}  # fmt: skip
_POINTS = ("table", "tray", "pico", "scan")
_LIGHTS: dict[str, tuple[type, ...]] = {"ring": (int,), "lamps": (int,), "budget": (int,), "strip": (bool,)}
_PINS = ("spi", "select", "reset", "ring", "lamps", "buttons")


def parse_build(text: str, layout: Layout) -> Build:
    """A build from its TOML text. Raises CrowntableError that names the key."""
    name = layout.name
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise wrong(name, f"it is not valid TOML: {error}.", "Mend that line.") from None
    values: dict[str, Any] = {"layout": layout}
    for key, value in document.items():
        if key in _SCALARS:
            values[key] = _typed(name, key, value, _SCALARS[key])
        elif key in _POINTS:
            values[key] = _point(name, key, value)
        elif key == "spot":
            values[key] = {spot: _point(name, f"[spot] {spot}", at) for spot, at in value.items()}
        elif key == "seat":
            values["seats"] = tuple(_place(name, one) for one in value)
        elif key == "lights":
            for light, number in value.items():
                if light not in _LIGHTS:
                    raise wrong(name, f"[lights] has no key {light!r}.", f"Known keys: {', '.join(_LIGHTS)}.")
                values[light] = _typed(name, f"[lights] {light}", number, _LIGHTS[light])
        elif key == "supply":
            values["supply"] = _typed(name, "[supply] table", value.get("table"), (str,))
        elif key == "pins":
            values["pins"] = _pins(name, value)
        else:
            known = ", ".join([*_SCALARS, *_POINTS, "seat", "spot", "lights", "supply", "pins"])
            raise wrong(name, f"unknown key {key!r}.", f"Known keys: {known}.")
    for key in ("pi", "table"):
        if key not in values:
            raise wrong(name, f"the key {key!r} is missing.", "See hardware/builds/althera-2.toml.")
    if values.get("shape", "rectangle") not in ("rectangle", "round"):
        raise wrong(name, f"shape = {values['shape']!r} is not known.", 'Write "rectangle" or "round".')
    return Build(**values)


def _typed(name: str, key: str, value: Any, kinds: tuple[type, ...]) -> Any:
    if type(value) not in kinds or (isinstance(value, int) and value < 0):
        words = {str: "a text", int: "a whole number", bool: "true or false"}[kinds[0]]
        raise wrong(name, f"{key} = {value!r} is not {words}.", f"Write {key} = …, {words}.")
    return value


def _point(name: str, key: str, value: Any) -> Spot:
    if not (isinstance(value, list) and len(value) == 2 and all(type(v) in (int, float) for v in value)):
        raise wrong(name, f"{key} = {value!r} is not two numbers.", f"Write {key} = [x, y] in millimetres.")
    return float(value[0]), float(value[1])


def _place(name: str, one: Mapping[str, Any]) -> Place:
    for key in ("id", "at", "looks"):
        if key not in one:
            raise wrong(name, f"a [[seat]] lacks {key!r}.", "It needs id, at and looks.")
    looks = one["looks"]
    if type(looks) not in (int, float):
        raise wrong(name, f"looks = {looks!r} is not a number.", "Write degrees: 0 is up, 90 to the right.")
    return Place(int(one["id"]), _point(name, "at", one["at"]), float(looks))


def _pins(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    for key in given:
        if key not in _PINS:
            raise wrong(name, f"[pins] has no key {key!r}.", f"Known keys: {', '.join(_PINS)}.")
    return dict(given)
