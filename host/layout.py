"""Table layouts: `hardware/tables/*.toml`, the only place that knows which antenna lies before which seat.

A layout is read once, checked whole, and refused with the key's name, what stood there and what may.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from engine.errors import CrowntableError

ZoneKind = Literal["field", "place", "crown", "scan"]
ButtonDoes = Literal["stand", "retreat", "keep", "redraw", "judge"]
DIE_COLOURS = ("crimson", "gold", "sky blue", "green", "purple", "white")


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table; `die` is the colour of its die, `name` who usually sits there."""

    id: int
    die: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Zone:
    """A spot on the table that one antenna covers. `place` is 1 to 6 for Anthem's places."""

    id: str
    kind: ZoneKind
    reader: str
    antenna: int = 0
    seat: int | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """A tag reader: our firmware over serial (`link`) or one that nfcpy drives (`nfc`). `port` is a
    serial port, a by-id path, `socket://host:port`, an nfcpy path, or `auto`."""

    id: str
    driver: Literal["link", "nfc"]
    port: str = "auto"


@dataclass(frozen=True, slots=True)
class Camera:
    """A dice camera: `source` is a device path or number, a file, a folder of pictures or a URL."""

    id: str
    source: str


@dataclass(frozen=True, slots=True)
class Button:
    """A push button at a link reader and what pressing it says for its seat."""

    id: str
    reader: str
    does: ButtonDoes
    seat: int


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When the tracker believes a change. Reads and misses are counted in scans of that antenna.

    `arrive_reads`: reads before a known card has arrived; `strange_reads`: the same for a UID never
    seen (a garbled UID is not repeated, F09); `leave_misses` *and* `leave_ms`: both must have passed
    before a card is gone (F06); `weak_rate`: below this success rate a zone is marked weak (F07);
    `trouble_scans` *and* `trouble_ms`: so long its scans must have failed in a row before cards are
    said to overlap there (F10)."""

    arrive_reads: int = 2
    strange_reads: int = 2
    leave_misses: int = 4
    leave_ms: int = 700
    weak_rate: float = 0.6
    trouble_scans: int = 3
    trouble_ms: int = 1500
    die_frames: int = 4


@dataclass(frozen=True, slots=True)
class Switches:
    """What the table takes for granted. `roll_means_retreat`: a duellist who may retreat and rolls
    its die has chosen to (`yes`), or is asked (`ask`). `infer_opponent`: a card laid by the declarer
    where only one opponent is left declares that duel."""

    roll_means_retreat: Literal["ask", "yes"] = "ask"
    infer_opponent: bool = True


@dataclass(frozen=True, slots=True)
class Crown:
    """The LED crown: `gpio` are the BCM pins of a red, green, blue LED; `link` the reader with the ring."""

    gpio: tuple[int, int, int] | None = None
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """A whole table."""

    name: str
    game: str
    seats: tuple[Seat, ...]
    zones: tuple[Zone, ...]
    readers: tuple[Reader, ...] = ()
    cameras: tuple[Camera, ...] = ()
    buttons: tuple[Button, ...] = ()
    thresholds: Thresholds = field(default_factory=Thresholds)
    switches: Switches = field(default_factory=Switches)
    crown: Crown = field(default_factory=Crown)

    def zone_at(self, reader: str, antenna: int) -> Zone | None:
        """The zone that this antenna covers, None where the layout has none there."""
        for zone in self.zones:
            if zone.reader == reader and zone.antenna == antenna:
                return zone
        return None

    def field_of(self, seat: int) -> Zone | None:
        """The field zone of a seat."""
        return next((z for z in self.zones if z.kind == "field" and z.seat == seat), None)

    def seat_of_die(self, colour: str) -> int | None:
        """The seat whose die this is: by its colour, or by the part of the tray where it lies."""
        return next((s.id for s in self.seats if (s.die or part_of_tray(s.id)) == colour), None)

    def antennas(self, reader: str) -> int:
        """How many antennas of a reader the layout uses (highest number + 1)."""
        return max((z.antenna for z in self.zones if z.reader == reader), default=-1) + 1


_KINDS: dict[str, tuple[type[Any], str]] = {
    "seat": (Seat, "seats"),
    "zone": (Zone, "zones"),
    "reader": (Reader, "readers"),
    "camera": (Camera, "cameras"),
    "button": (Button, "buttons"),
}
_SECTIONS: dict[str, type[Any]] = {"thresholds": Thresholds, "switches": Switches, "crown": Crown}
_CHOICES: dict[tuple[type[Any], str], tuple[Any, ...]] = {
    (Zone, "kind"): get_args(ZoneKind),
    (Reader, "driver"): ("link", "nfc"),
    (Button, "does"): get_args(ButtonDoes),
    (Switches, "roll_means_retreat"): ("ask", "yes"),
    (Seat, "die"): DIE_COLOURS,
}
_TYPES: dict[str, tuple[type[Any] | tuple[type[Any], ...], str]] = {
    "str": (str, "a text"),
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
    "bool": (bool, "true or false"),
}


def part_of_tray(seat: int) -> str:
    """The name of a seat's own part of the dice tray."""
    return f"seat{seat}"


def _wrong(where: str, what: str, cure: str) -> CrowntableError:
    return CrowntableError(f"Layout {where}: {what}", cure)


def _check_value(where: str, kind: type[Any], name: str, annotation: str, value: Any) -> Any:
    """`value` if it may stand at key `name` of a table of this kind; raises CrowntableError otherwise."""
    choices = _CHOICES.get((kind, name))
    if choices is not None:
        if value not in choices:
            raise _wrong(
                where,
                f"{name} = {value!r} is not known.",
                f"Allowed are {', '.join(map(repr, choices))}.",
            )
        return value
    if kind is Crown and name == "gpio":
        if not (
            isinstance(value, list)
            and len(value) == 3
            and all(isinstance(pin, int) and 0 <= pin <= 27 for pin in value)
        ):
            raise _wrong(where, f"gpio = {value!r} is not three pins.", "For example: gpio = [17, 27, 22].")
        return tuple(value)
    wanted, words = _TYPES[annotation.split(" | ")[0]]
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise _wrong(where, f"{name} = {value!r} is not {words}.", f"Write {name} = …, {words}.")
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        raise _wrong(where, f"{name} = {value!r} is below zero.", "Use zero or more.")
    return value


def _table(where: str, kind: type[Any], obj: Any) -> Any:
    """One TOML table as an object of `kind`, every key checked."""
    if not isinstance(obj, dict):
        raise _wrong(where, "is not a table of keys.", "See the layouts in hardware/tables.")
    known = {f.name: f for f in fields(kind)}
    values: dict[str, Any] = {}
    for key, value in obj.items():
        if key not in known:
            raise _wrong(where, f"unknown key {key!r}.", f"Known keys: {', '.join(known)}.")
        values[key] = _check_value(where, kind, key, str(known[key].type), value)
    for name, entry in known.items():
        if name not in values and entry.default is MISSING and entry.default_factory is MISSING:
            raise _wrong(where, f"the key {name!r} is missing.", f"Add {name} = … there.")
    return kind(**values)


def parse_layout(text: str, name: str) -> Layout:
    """A layout from TOML text. `name` stands in messages. Raises CrowntableError naming the key."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _wrong(name, f"it is not valid TOML: {error}.", "Mend that line.") from None
    values: dict[str, Any] = {"name": name, "seats": (), "zones": ()}
    for key, value in document.items():
        if key in ("game", "name"):
            if not isinstance(value, str):
                raise _wrong(name, f"{key} = {value!r} is not a text.", f'Write {key} = "…".')
            values[key] = value
        elif key in _KINDS:
            kind, attribute = _KINDS[key]
            if not isinstance(value, list):
                raise _wrong(name, f"[{key}] must be [[{key}]].", f"Write [[{key}]] for each.")
            values[attribute] = tuple(
                _table(f"{name}, [[{key}]] number {i}", kind, item) for i, item in enumerate(value, 1)
            )
        elif key in _SECTIONS:
            values[key] = _table(f"{name}, [{key}]", _SECTIONS[key], value)
        else:
            allowed = ", ".join(["game", "name", *_KINDS, *_SECTIONS])
            raise _wrong(name, f"unknown key {key!r}.", f"Known keys: {allowed}.")
    if "game" not in values:
        raise _wrong(name, "the key 'game' is missing.", 'Add game = "althera" at the top.')
    layout = Layout(**values)
    _check_whole(layout)
    return layout


def _unique(name: str, what: str, ids: Iterable[Any]) -> None:
    seen: set[Any] = set()
    for one in ids:
        if one in seen:
            raise _wrong(name, f"{what} {one!r} stands there twice.", "Give each its own.")
        seen.add(one)


def _check_whole(layout: Layout) -> None:
    """What one key alone can't show: references, doubles, a table without seats."""
    name = layout.name
    if not layout.seats:
        raise _wrong(name, "there is no [[seat]].", "Add a [[seat]] with an id for each player.")
    _unique(name, "seat", (s.id for s in layout.seats))
    _unique(name, "die", (s.die for s in layout.seats if s.die))
    _unique(name, "zone", (z.id for z in layout.zones))
    _unique(name, "device", [*(r.id for r in layout.readers), *(c.id for c in layout.cameras)])
    _unique(name, "reader, antenna", ((z.reader, z.antenna) for z in layout.zones))
    seats = {s.id for s in layout.seats}
    readers = {r.id for r in layout.readers}

    def reference(who: str, value: Any, known: set[Any], key: str) -> None:
        if value is not None and value not in known:
            raise _wrong(
                name,
                f"{who} has {key} = {value!r}, which the layout does not have.",
                f"It has: {', '.join(map(str, sorted(known)))}.",
            )

    for zone in layout.zones:
        reference(f"zone {zone.id!r}", zone.seat, seats, "seat")
        reference(f"zone {zone.id!r}", zone.reader, readers, "reader")
        if zone.kind != "scan" and zone.seat is None:
            raise _wrong(name, f"zone {zone.id!r} has no seat.", "Add seat = … to it.")
        if zone.kind == "place" and not 1 <= (zone.place or 0) <= 6:
            raise _wrong(name, f"zone {zone.id!r}: place must be 1 to 6.", "Add place = … to it.")
    for button in layout.buttons:
        reference(f"button {button.id!r}", button.seat, seats, "seat")
        reference(f"button {button.id!r}", button.reader, readers, "reader")
    reference("[crown]", layout.crown.link, readers, "link")


def load_layout(path: Path) -> Layout:
    """The layout in a file. Raises CrowntableError where it can't be read or is wrong."""
    try:
        return parse_layout(path.read_text(encoding="utf-8"), path.stem)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise CrowntableError(
            f"The layout {path} can't be read: {reason}.",
            f"Layouts that come with Crowntable: {', '.join(sorted(shipped_layouts()))}.",
        ) from None


def to_toml(layout: Layout) -> str:
    """The layout as TOML text that `parse_layout` reads back to the same."""
    lines = [f"game = {_toml(layout.game)}", f"name = {_toml(layout.name)}"]
    for key, (_, attribute) in _KINDS.items():
        for item in getattr(layout, attribute):
            lines.append(f"[[{key}]]")
            lines += _keys(item)
    for key in _SECTIONS:
        lines.append(f"[{key}]")
        lines += _keys(getattr(layout, key))
    return "\n".join(lines) + "\n"


def _keys(item: Any) -> list[str]:
    values = ((f.name, getattr(item, f.name)) for f in fields(item))
    return [f"{name} = {_toml(value)}" for name, value in values if value is not None]


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=True)
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, tuple) else repr(value)


def tables_folder() -> Path:
    """Where the shipped layouts lie: in the checkout, or beside an installed distribution."""
    checkout = Path(__file__).resolve().parents[1] / "hardware" / "tables"
    if checkout.is_dir():
        return checkout
    return Path(os.environ.get("CROWNTABLE_SHARE", Path(sys.prefix) / "share" / "crowntable")) / (
        "hardware/tables"
    )


def shipped_layouts() -> dict[str, Path]:
    """Name -> file of the layouts that come with Crowntable."""
    return {path.stem: path for path in sorted(tables_folder().glob("*.toml"))}


def find_layout(name_or_path: str) -> Layout:
    """A shipped layout by name, or any by path."""
    shipped = shipped_layouts()
    return load_layout(shipped.get(name_or_path, Path(name_or_path)))
