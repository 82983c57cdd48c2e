"""Settled: the tracker's judgement over many sightings, with the evidence it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from host.sighting import Health


@dataclass(frozen=True, slots=True)
class CardArrived:
    """A tag has come to rest in a zone. `card` is None for a tag that is no card of ours (`why` names
    it). `reads` of `scans` scans since it was first seen read it; `first` and `at` are monotonic s."""

    at: float
    zone: str
    uid: str
    card: str | None
    why: str | None
    reads: int
    scans: int
    first: float


@dataclass(frozen=True, slots=True)
class CardLeft:
    """A tag has left a zone: `misses` scans in a row over `ms` milliseconds did not read it, or it was
    read elsewhere in the meantime (`moved_to`)."""

    at: float
    zone: str
    uid: str
    card: str | None
    misses: int
    ms: int
    moved_to: str | None = None


@dataclass(frozen=True, slots=True)
class CardDoubt:
    """One tag is read in two zones at once (F09). It stays in `kept` until that changes. `twins`: both have
    read it again and again, as if each lay there by itself: two tags with one number (F11)."""

    at: float
    uid: str
    card: str | None
    kept: str
    other: str
    twins: bool = False


@dataclass(frozen=True, slots=True)
class ZoneRate:
    """A zone has become weak or well again: `rate` of its last scans with a card there read it (F07)."""

    at: float
    zone: str
    rate: float
    weak: bool


@dataclass(frozen=True, slots=True)
class ZoneTrouble:
    """A zone's scans fail again and again (`trouble`), or they succeed again. `why`: `overlap`, its reader is
    well, so that cards that lie on each other answer over each other (F10); `silent`, what is at that
    zone's antenna does not answer (F03). `scans` of them failed over `ms` milliseconds."""

    at: float
    zone: str
    trouble: bool
    scans: int
    ms: int
    why: Literal["overlap", "silent"] = "overlap"


@dataclass(frozen=True, slots=True)
class DieRested:
    """A die that was thrown lies still. `face` is None where no face is sure; then `why` says so."""

    at: float
    camera: str
    colour: str | None
    face: int | None
    confidence: float
    why: str | None
    frames: int
    first: float


@dataclass(frozen=True, slots=True)
class DieChanged:
    """A die that had come to rest shows another face although no roll was awaited (F34)."""

    at: float
    camera: str
    colour: str | None
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button was pressed."""

    at: float
    device: str
    button: str


@dataclass(frozen=True, slots=True)
class DeviceChanged:
    """A device came, went, or is in trouble."""

    at: float
    health: Health


Settled = (
    CardArrived
    | CardLeft
    | CardDoubt
    | ZoneRate
    | ZoneTrouble
    | DieRested
    | DieChanged
    | Pressed
    | DeviceChanged
)
CardState = Literal["settled", "uncertain"]


def evidence_text(settled: Settled) -> str:
    """One line for people: what this judgement rests on."""
    return evidence_line(settled_json(settled))


def evidence_line(found: Mapping[str, Any]) -> str:
    """The same from the judgement as the journal keeps it (older ones lack the younger fields)."""
    match found["kind"]:
        case "CardArrived":
            ms = round((found["at"] - found["first"]) * 1000)
            return f"zone {found['zone']}, {found['reads']} of {found['scans']} reads in {ms} ms"
        case "CardLeft" if found.get("moved_to"):
            return f"zone {found['zone']}: no longer read there, read at {found['moved_to']}"
        case "CardLeft":
            return f"zone {found['zone']}: not read for {found['misses']} scans, {found['ms']} ms"
        case "CardDoubt" if found.get("twins"):
            return f"read again and again in {found['kept']} and in {found['other']}"
        case "CardDoubt":
            return f"read in {found['kept']} and in {found['other']} at once"
        case "ZoneRate":
            return f"zone {found['zone']}: {found['rate']:.0%} of scans read the card"
        case "ZoneTrouble" if found["trouble"]:
            return f"zone {found['zone']}: {found['scans']} scans in a row failed in {found['ms']} ms"
        case "ZoneTrouble":
            return f"zone {found['zone']}: scans succeed again"
        case "DieRested" if found["face"]:
            sure = f"confidence {found['confidence']:.2f}"
            return f"camera {found['camera']}, {found['frames']} frames, {sure}"
        case "DieRested":
            return f"camera {found['camera']}: {found['why'] or 'not sure'}"
        case "DieChanged":
            was, now = found["before"] or "nothing", found["after"] or "nothing"
            return f"camera {found['camera']}: {was}, now {now}"
        case "Pressed":
            return f"button {found['button']} at {found['device']}"
        case "DeviceChanged":
            return f"{found['device']}: {found['state']}"
    return str(found["kind"])


def settled_json(settled: Settled) -> dict[str, Any]:
    """The judgement as the journal keeps it."""
    kind = type(settled).__name__
    if isinstance(settled, DeviceChanged):
        health = settled.health
        return {"kind": kind, "at": settled.at, "device": health.device, "state": health.state,
                "detail": health.detail}  # fmt: skip
    row = {"kind": kind} | {name: getattr(settled, name) for name in settled.__slots__}
    if row.get("uid") and row.get("card") is None:
        row["uid"] = ""  # nothing of a stranger's tag is kept
    return row
