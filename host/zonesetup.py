"""Zones set up by touch: the screen names a zone, any card laid there shows which antenna it is.

Pure: scans in, a layout out. Only a tag that was not there when the zone was asked for counts, and only
where one antenna alone reads it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import InitVar, dataclass, field, replace
from pathlib import Path

from engine.errors import CrowntableError
from engine.whole import write_whole
from host.entry import Json
from host.layout import Layout, Zone, load_layout, to_toml
from host.sighting import Inventory
from host.words import listed

#: reads at one antenna before it is believed
READS = 4
#: seconds without a read after which what lay at a spot has been lifted
LIFTED = 1.0
#: an antenna that reads a tag at least so often as a share of the strongest hears it too
TOO_NEAR = 0.34

Spot = tuple[str, int]


@dataclass(slots=True)
class ZoneSetup:
    """A running set-up. `lying`: what lies on the table when it begins, (spot, UID) each; `bound`: zone
    id -> (reader, antenna) as touched so far."""

    layout: Layout
    lying: InitVar[Iterable[tuple[Spot, str]]] = ()
    bound: dict[str, Spot] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    level: str = "wait"
    said: str = ""
    _lying: dict[Spot, frozenset[str]] = field(default_factory=dict)
    _before: frozenset[tuple[Spot, str]] = frozenset()
    _missed: dict[tuple[Spot, str], float] = field(default_factory=dict)
    _reads: dict[str, dict[Spot, int]] = field(default_factory=dict)

    def __post_init__(self, lying: Iterable[tuple[Spot, str]]) -> None:
        self._before = frozenset(lying)

    def zone(self) -> Zone | None:
        """The zone that is asked for now; None when all are done."""
        done = self.bound.keys() | self.skipped
        return next((z for z in self.layout.zones if z.id not in done), None)

    def skip(self) -> None:
        """Leaves the zone that is asked for as it is."""
        zone = self.zone()
        if zone is not None:
            self.skipped.add(zone.id)
            self._ask("wait", "")

    def back(self) -> None:
        """Asks once more for the zone that was bound last."""
        if self.bound:
            self.bound.popitem()
            self._ask("wait", "")

    def see(self, scan: Inventory) -> bool:
        """Takes one scan in. True where a screen should change."""
        spot = (scan.reader, scan.antenna)
        if not scan.ok:
            return False
        here = frozenset(tag.uid for tag in scan.tags)
        self._lying[spot] = here
        self._lifted(spot, here, scan.at)
        zone = self.zone()
        if zone is None:
            return False
        for uid in here:
            if (spot, uid) not in self._before:
                reads = self._reads.setdefault(uid, {})
                reads[spot] = reads.get(spot, 0) + min(scan.scans, READS)
                if reads[spot] >= READS:
                    return self._decide(zone, uid, reads)
        return False

    def _lifted(self, spot: Spot, here: frozenset[str], now: float) -> None:
        """What has lain there all the while and is missed for some time is gone; a few missed reads, as a
        weak tag or a busy reader has now and then, would make the next a touch."""
        for lying in [p for p in self._before if p[0] == spot]:
            if lying[1] in here:
                self._missed.pop(lying, None)
            elif now - self._missed.setdefault(lying, now) >= LIFTED:
                self._before -= {lying}
                del self._missed[lying]

    def result(self) -> Layout:
        """The layout with the zones as they were touched. Raises CrowntableError where two zones would
        have one antenna: a skipped zone kept the one that another was touched at."""
        zones = []
        for zone in self.layout.zones:
            reader, antenna = self.bound.get(zone.id, (zone.reader, zone.antenna))
            zones.append(replace(zone, reader=reader, antenna=antenna))
        taken: dict[Spot, str] = {}
        for zone in zones:
            other = taken.setdefault((zone.reader, zone.antenna), zone.id)
            if other != zone.id:
                raise CrowntableError(
                    f"Zones {other} and {zone.id} would both be antenna {zone.antenna} of {zone.reader}.",
                    "Set up the one that was skipped, too.",
                )
        return replace(self.layout, zones=tuple(zones))

    def view(self) -> Json:
        """The `zone_setup` of the operator's view (docs/view.md)."""
        zone = self.zone()
        return {
            "zone": zone.id if zone else None,
            "kind": zone.kind if zone else None,
            "seat": zone.seat if zone else None,
            "place": zone.place if zone else None,
            "to_go": len(self.layout.zones) - len(self.bound.keys() | self.skipped),
            "total": len(self.layout.zones),
            "level": self.level,
            "text": self.said,
            "bound": [{"zone": z, "reader": r, "antenna": a} for z, (r, a) in self.bound.items()],
        }

    def _decide(self, zone: Zone, uid: str, reads: dict[Spot, int]) -> bool:
        strongest = max(reads, key=lambda spot: reads[spot])
        rivals = [s for s, n in reads.items() if s != strongest and n >= TOO_NEAR * reads[strongest]]
        owner = next((z for z, spot in self.bound.items() if spot == strongest), None)
        if rivals:
            names = listed([_name(spot) for spot in sorted([strongest, *rivals])])
            self._ask("warn", f"{names} both read this card: lay it in the middle of the spot.")
        elif owner is not None:
            self._ask("warn", f"{_name(strongest)} is {owner} already: lay the card on the zone asked for.")
        else:
            self.bound[zone.id] = strongest
            self._ask("ok", f"{zone.id} is {_name(strongest)}.")
        return True

    def _ask(self, level: str, said: str) -> None:
        """Asks for the next zone; what lies anywhere now must be lifted before it counts again."""
        self.level, self.said = level, said
        unseen = {lying for lying in self._before if lying[0] not in self._lying}
        self._before = frozenset((spot, uid) for spot, uids in self._lying.items() for uid in uids) | unseen
        self._reads.clear()


def _name(spot: Spot) -> str:
    return f"antenna {spot[1]} of {spot[0]}"


def layout_file(data: Path, name: str) -> Path:
    """Where the layout of a table whose zones were set up by touch is kept."""
    return data / "layouts" / f"{name}.toml"


def save_layout(path: Path, layout: Layout) -> None:
    """Writes a layout so that a power cut leaves the old file or the new one; the old one is kept
    beside it. Raises CrowntableError when it can't be written."""
    text = "# Written by the table: its zones as they were set up by touch.\n" + to_toml(layout)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            shutil.copy2(path, path.with_name(f"{path.name}.before"))
        write_whole(path, text)
    except OSError as error:
        raise CrowntableError(
            f"The layout {path} can't be written ({error.strerror}).", "Check the disk and its rights."
        ) from error


def as_set_up(data: Path, layout: Layout) -> Layout:
    """The layout with the readers and antennas that were set up by touch at this table, where they were
    and still fit: the same zones, on readers that the layout has. Raises CrowntableError where the file
    is there and wrong."""
    path = layout_file(data, layout.name)
    if not path.exists():
        return layout
    kept = {zone.id: zone for zone in load_layout(path).zones}
    readers = {reader.id for reader in layout.readers}
    if kept.keys() != {zone.id for zone in layout.zones} or {z.reader for z in kept.values()} - readers:
        return layout
    zones = (replace(z, reader=kept[z.id].reader, antenna=kept[z.id].antenna) for z in layout.zones)
    return replace(layout, zones=tuple(zones))
