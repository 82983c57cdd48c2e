"""What the set-up page has learnt about this table: `settings.toml` in the data folder.

Small, readable, written whole or not at all. A file that can't be used is said in one sentence and left
where it is (`settings.toml.bad` once something new is written); the table runs with what it knows itself.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from engine.errors import CrowntableError
from engine.whole import write_whole
from host.layout import Layout, find_layout, load_layout, shipped_layouts, to_toml

FILE: Final = "settings.toml"
#: the steps of the set-up page, in the order in which they are walked
STEPS: Final = ("language", "table", "devices", "zones", "camera", "lights", "decks", "pin")
STATES: Final = ("done", "skipped")
SEEN: Final = ("seen", "unseen")
#: a layout's name becomes a file's name: nothing else may stand in it
NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
#: a rectangle of a camera's picture in its own pixels: left, top, width, height
Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Settings:
    """`language`: of screens whose visitor chose none; `layout`: a shipped or own one by name; empty
    where nothing was chosen. `asking`: whether screens ask how a match was. `ports`: reader -> port, camera
    -> source, instead of the layout's.
    `steps`: step -> done or skipped. `lights`: lamp -> seen or unseen at the last test. `trays`: camera
    -> part of the tray ("tray", "seat1" …) -> its box in the camera's pixels."""

    language: str = ""
    layout: str = ""
    asking: bool = True
    ports: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, str] = field(default_factory=dict)
    lights: Mapping[str, str] = field(default_factory=dict)
    trays: Mapping[str, Mapping[str, Box]] = field(default_factory=dict)


def load_settings(data: Path) -> Settings:
    """The settings of a data folder; empty ones where there is no file.

    Raises CrowntableError, with the key's name, where the file can't be used."""
    path = data / FILE
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise _wrong(path, f"can't be read: {why}") from None
    except tomllib.TOMLDecodeError as error:
        raise _wrong(path, f"is damaged: {error}") from None
    for key in raw:
        if key not in _SHAPES:
            raise _wrong(path, f"has the unknown key {key!r}")
    return Settings(**{key: _SHAPES[key](path, key, value) for key, value in raw.items()})


def save_settings(data: Path, settings: Settings) -> None:
    """Writes the settings so that a power cut leaves the old file or the new one, never half of either.

    Raises CrowntableError when they can't be written; the old file is then untouched."""
    path = data / FILE
    try:
        load_settings(data)
    except CrowntableError:
        _put_aside(path)
    _keep(path, _to_toml(settings), "settings")


def _keep(path: Path, text: str, what: str) -> None:
    """Writes it whole or not at all. Raises CrowntableError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise CrowntableError(
            f"The {what} {path} can't be written ({error.strerror}).",
            "Free some space or give the table's user that folder; then do it again.",
        ) from None


def layout_of(data: Path, name: str) -> Layout:
    """A shipped layout, or one of this table's own, by name. Raises CrowntableError."""
    own = own_file(data, name) if NAME.fullmatch(name) else None
    return load_layout(own) if own is not None and own.exists() else find_layout(name)


def own_file(data: Path, name: str) -> Path:
    """Where this table's own layout of that name is kept."""
    return data / "tables" / f"{name}.toml"


def own_layouts(data: Path) -> dict[str, Path]:
    """Name -> file of the layouts that were given to this table."""
    return {path.stem: path for path in sorted((data / "tables").glob("*.toml"))}


def keep_own(data: Path, layout: Layout) -> None:
    """Keeps a layout that somebody gave. Raises CrowntableError where its name can't be a file's, or is
    a shipped one's."""
    if not NAME.fullmatch(layout.name):
        raise CrowntableError(
            f"The layout's name {layout.name[:40]!r} can't be used.",
            'Write name = "my-table" at its top: small letters, digits and hyphens, at most 40.',
        )
    if layout.name in shipped_layouts():
        raise CrowntableError(
            f"A layout named {layout.name} comes with Crowntable.",
            'Give yours another name: name = "my-table" at its top.',
        )
    _keep(own_file(data, layout.name), to_toml(layout), "layout")


def with_ports(layout: Layout, ports: Mapping[str, str]) -> Layout:
    """The layout with readers and cameras where the set-up page says they are."""
    readers = tuple(replace(r, port=ports.get(r.id, r.port)) for r in layout.readers)
    cameras = tuple(replace(c, source=ports.get(c.id, c.source)) for c in layout.cameras)
    return replace(layout, readers=readers, cameras=cameras)


def _wrong(path: Path, what: str) -> CrowntableError:
    return CrowntableError(
        f"The settings file {path} {what}.",
        "Mend that line, or move the file away and set the table up again; it plays without it meanwhile.",
    )


def _text(path: Path, key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(path, f"has {key} = {value!r}, which is no text")
    return value


def _switch(path: Path, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(path, f"has {key} = {value!r}, which is not true or false")
    return value


def _texts(path: Path, key: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _wrong(path, f"has {key} = {value!r}, which is no table of texts")
    return {name: _text(path, f"{key}.{name}", one) for name, one in value.items()}


def _words(*allowed: str) -> Any:
    def check(path: Path, key: str, value: Any) -> dict[str, str]:
        texts = _texts(path, key, value)
        for name, word in texts.items():
            if word not in allowed:
                raise _wrong(path, f"has {key}.{name} = {word!r}; allowed are {', '.join(allowed)}")
        return texts

    return check


def _trays(path: Path, key: str, value: Any) -> dict[str, dict[str, Box]]:
    if not isinstance(value, dict) or not all(isinstance(parts, dict) for parts in value.values()):
        raise _wrong(path, f"has {key} = {value!r}, which is no table of cameras")
    return {camera: _boxes(path, f"{key}.{camera}", parts) for camera, parts in value.items()}


def _boxes(path: Path, key: str, value: dict[str, Any]) -> dict[str, Box]:
    boxes: dict[str, Box] = {}
    for name, one in value.items():
        found = box_of(one)
        if found is None:
            raise _wrong(path, f"has {key}.{name} = {one!r}, which is not [left, top, width, height]")
        boxes[name] = found
    return boxes


def box_of(value: object) -> Box | None:
    """Four whole numbers as a box: none negative, some width and height; None for anything else.

    >>> box_of([10, 20, 300, 200]), box_of([0, 0, 0, 5]), box_of("x")
    ((10, 20, 300, 200), None, None)
    """
    if not isinstance(value, list | tuple) or len(value) != 4:
        return None
    if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= 20000 for n in value):
        return None
    left, top, width, height = value
    return (left, top, width, height) if width and height else None


_SHAPES: Final[dict[str, Any]] = {
    "language": _text,
    "layout": _text,
    "asking": _switch,
    "ports": _texts,
    "steps": _words(*STATES),
    "lights": _words(*SEEN),
    "trays": _trays,
}


def _to_toml(settings: Settings) -> str:
    lines = ["# Written by the set-up page. Delete this file to begin again."]
    lines += [
        f"{key} = {_quoted(value)}"
        for key, value in (("language", settings.language), ("layout", settings.layout))
        if value
    ]
    if not settings.asking:
        lines.append("asking = false")
    for key in ("ports", "steps", "lights"):
        table: Mapping[str, str] = getattr(settings, key)
        if table:
            lines += ["", f"[{key}]", *(f"{_quoted(k)} = {_quoted(v)}" for k, v in table.items())]
    for camera, boxes in settings.trays.items():
        if boxes:
            lines += ["", f"[trays.{_quoted(camera)}]"]
            lines += [f"{_quoted(name)} = {list(box)}" for name, box in boxes.items()]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A TOML basic string. `json.dumps` is one, but for characters beyond the first plane."""
    escaped = "".join(
        f"\\U{ord(ch):08X}" if not ch.isprintable() or ch in '"\\' else ch
        for ch in text.encode("utf-8", "replace").decode("utf-8")
    )
    return f'"{escaped}"'


def _put_aside(path: Path) -> None:
    try:
        path.replace(path.with_name(f"{path.name}.bad"))
    except OSError as error:
        raise CrowntableError(
            f"The settings file {path} can't be put aside ({error.strerror}).", "Move it away by hand."
        ) from None
