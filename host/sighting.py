"""Sighting: raw, from one device at one moment. What a device says, before anybody judges it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class TagRead:
    """One tag answering at an antenna. `uid` is canonical (host.uid); `card` is the id from a valid
    `crowntable:card` record, None where there is none or it was not read; `why` says in words what
    else the tag is ("a phone", "a blank tag", "not a game card: web address") where that is known.
    `certain` False: its content is not read yet, or could not be. `fit` False: it must not become a
    card even by its number (phones, smart cards)."""

    uid: str
    card: str | None = None
    why: str | None = None
    certain: bool = field(default=True, compare=False)
    fit: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class Inventory:
    """One scan of one antenna: the tags that answered. `ok` False: the scan itself failed (noise,
    time-out), which says nothing about tags that are not named. `at`: monotonic seconds when the scan
    ended. `scans`: how many scans in a row gave this very result, where the device sums them up.
    `reader_ok` False: it failed because the reader is unwell, not because of what lies in its field."""

    at: float
    reader: str
    antenna: int
    tags: tuple[TagRead, ...]
    ok: bool = True
    scans: int = 1
    reader_ok: bool = True


@dataclass(frozen=True, slots=True)
class DieSeen:
    """One die in one frame. `box` is x, y, w, h in pixels; `face` None when unsure (`why` says so)."""

    face: int | None
    colour: str | None
    box: tuple[int, int, int, int]
    confidence: float
    why: str | None = None


@dataclass(frozen=True, slots=True)
class DiceFrame:
    """All dice in one camera frame. `frame` counts frames of this camera since it opened; `at` is the
    monotonic time of the frame's capture, not of its reading."""

    at: float
    camera: str
    frame: int
    dice: tuple[DieSeen, ...]
    moving: bool


@dataclass(frozen=True, slots=True)
class Press:
    """A button on the table (`device` is the reader id of the link, `button` its name)."""

    at: float
    device: str
    button: str


@dataclass(frozen=True, slots=True)
class Health:
    """A device's own word on itself. `detail` is one sentence for people ("reader not answering;
    trying again in 2 s"), `facts` numbers for the health page (reads, failures, ms, firmware)."""

    at: float
    device: str
    kind: Literal["reader", "camera", "crown", "pi"]
    state: Literal["starting", "up", "weak", "lost"]
    detail: str
    facts: tuple[tuple[str, str | int | float], ...] = ()


Sighting = Inventory | DiceFrame | Press | Health
