"""Distances on the table: antennas far enough apart, nothing of metal near one, wires not too long."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from host.layout import Zone
from host.products.build import Build, Spot, wrong
from host.products.parts import part

CARD = (63.0, 88.0)
TRAY = (260.0, 200.0)  # inside, as hardware/printed/tray.scad has it
TRAY_RIM = 16.0  # foot and joints outside of that
FREE_DIAMETERS = 3.0  # between two bare antennas, edge to edge
SHIELDED_DIAMETERS = 1.0  # with ferrite behind and an earthed copper frame around each
METAL_DIAMETERS = 1.0  # between an antenna and metal

# The readers' bus at 4 MHz: an answer must be there half a clock after it was asked for.
HALF_CLOCK_NS = 125.0
WIRE_NS_M = 5.5  # one way
WIRE_PF_M = 60.0
READER_PF = 15.0  # a reader's input with its connector
MISO_OHM = 100.0  # a reader's output: 0.4 V at 4 mA (data sheet)
SLAVE_NS = 25.0  # the chip's own delay (data sheet)
HUB_NS = 30.0  # driver and two gates at 3.3 V
MOST_BRANCHES = 4
SETTLED = 1.2  # times RC until 70 % of a step has arrived
SLACK = 1.15  # wires are not drawn with a ruler
END_MM = 80.0  # each piece's two ends


def antenna(zone: Zone, build: Build) -> float:
    """The diameter of a zone's antenna in millimetres."""
    link = build.link()
    return part("rc522" if link is not None and zone.reader == link.id else "pn532").antenna


def needed_gap(build: Build) -> float:
    """What must be free between two antennas' edges, in their diameters."""
    return SHIELDED_DIAMETERS if build.shielded else FREE_DIAMETERS


@dataclass(frozen=True, slots=True)
class Gap:
    """Two neighbours: `free` millimetres between their antennas' edges, `needed` of them."""

    one: Zone
    other: Zone
    free: float
    needed: float


def closest_gaps(build: Build) -> tuple[Gap, ...]:
    """Each zone's nearest neighbour, every pair once, nearest first."""
    zones = list(build.layout.zones)
    gaps = []
    for one, other in itertools.combinations(zones, 2):
        sizes = antenna(one, build), antenna(other, build)
        free = math.dist(build.where(one), build.where(other)) - sum(sizes) / 2
        gaps.append(Gap(one, other, round(free, 1), needed_gap(build) * max(sizes)))
    nearest = {
        min((gap for gap in gaps if zone in (gap.one, gap.other)), key=lambda gap: gap.free)
        for zone in zones
        if len(zones) > 1
    }
    return tuple(sorted(nearest, key=lambda gap: (gap.free, gap.one.id, gap.other.id)))


def check(build: Build) -> None:
    """Raises CrowntableError where the table can't work as drawn."""
    for zone in build.layout.zones:
        _on_table(build, zone)
    for gap in closest_gaps(build):
        if gap.free < gap.needed:
            cure = (
                "Move them apart." if build.shielded else "Move them apart, or shield them (shielded = true)."
            )
            raise wrong(
                build.name,
                f"the antennas of {gap.one.id} and {gap.other.id} are {gap.free:.0f} mm apart; "
                f"{gap.needed:.0f} mm are needed.",
                cure,
            )
    _clear_of_metal(build)
    _bus_fits(build)


def _on_table(build: Build, zone: Zone) -> None:
    x, y = build.where(zone)
    reach = CARD[1] / 2
    width, depth = build.table
    if build.shape == "round":
        inside = math.dist((x, y), (width / 2, depth / 2)) + reach <= width / 2
    else:
        inside = reach <= x <= width - reach and reach <= y <= depth - reach
    if not inside:
        raise wrong(
            build.name, f"the card at {zone.id} hangs over the table's edge.", "Move its spot inwards."
        )


def metal(build: Build) -> dict[str, tuple[float, float, float, float]]:
    """What holds metal, as x, y, width, depth: the tray's rim (LED strip), the electronics."""
    found = {}
    if build.tray is not None:
        w, d = TRAY[0] + 2 * TRAY_RIM, TRAY[1] + 2 * TRAY_RIM
        found["the dice tray"] = (build.tray[0] - w / 2, build.tray[1] - d / 2, w, d)
    if build.pico is not None:
        found["the electronics"] = (build.pico[0] - 50, build.pico[1] - 40, 100.0, 80.0)
    return found


def _clear_of_metal(build: Build) -> None:
    for zone in build.layout.zones:
        x, y = build.where(zone)
        size = antenna(zone, build)
        for what, (left, top, w, d) in metal(build).items():
            far = math.hypot(max(left - x, 0, x - left - w), max(top - y, 0, y - top - d)) - size / 2
            if far < METAL_DIAMETERS * size:
                raise wrong(
                    build.name,
                    f"{what} comes within {max(far, 0):.0f} mm of the antenna of {zone.id}.",
                    f"Keep metal {METAL_DIAMETERS * size:.0f} mm away from it.",
                )


@dataclass(frozen=True, slots=True)
class Branch:
    """One chain of readers: `zones` in order, `pieces` the wires' lengths in metres (the first from the
    Pico), `delay` nanoseconds until an answer has arrived."""

    zones: tuple[Zone, ...]
    pieces: tuple[float, ...]
    delay: float

    @property
    def length(self) -> float:
        """Metres altogether."""
        return round(sum(self.pieces), 2)


def branches(build: Build) -> tuple[Branch, ...]:
    """The bus: one chain, or the seats' chains shared out among the build's branches."""
    zones = build.antennas()
    if not zones or build.pico is None:
        return ()
    seats = sorted({zone.seat or 0 for zone in zones})
    many = min(max(build.branches, 1), len(seats))
    groups = [seats[len(seats) * i // many : len(seats) * (i + 1) // many] for i in range(many)]
    return tuple(
        _branch(build, _along(build, tuple(z for z in zones if (z.seat or 0) in group))) for group in groups
    )


def _along(build: Build, zones: tuple[Zone, ...]) -> tuple[Zone, ...]:
    """The zones in the order in which a wire meets them: always on to the nearest one left."""
    rest, at, order = list(zones), build.pico or (0.0, 0.0), []
    while rest:
        nearest = min(rest, key=lambda zone: (_way(at, build.where(zone)), zone.antenna))
        rest.remove(nearest)
        order.append(nearest)
        at = build.where(nearest)
    return tuple(order)


def _way(one: Spot, other: Spot) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _branch(build: Build, zones: tuple[Zone, ...]) -> Branch:
    stops = [build.pico or (0.0, 0.0), *(build.where(zone) for zone in zones)]
    pieces = tuple(round((_way(a, b) * SLACK + END_MM) / 1000, 2) for a, b in itertools.pairwise(stops))
    length = sum(pieces)
    farads = length * WIRE_PF_M + len(zones) * READER_PF
    hub = HUB_NS if build.branches > 1 else 0.0
    delay = 2 * length * WIRE_NS_M + SLAVE_NS + SETTLED * MISO_OHM * farads / 1000 + hub
    return Branch(zones, pieces, round(delay, 1))


def _bus_fits(build: Build) -> None:
    if build.antennas() and build.pico is None:
        raise wrong(build.name, "the Pico has no place.", "Add pico = [x, y].")
    if build.branches > MOST_BRANCHES:
        raise wrong(
            build.name, f"branches = {build.branches} is too many.", f"The hub serves {MOST_BRANCHES}."
        )
    for branch in branches(build):
        if branch.delay > HALF_CLOCK_NS:
            raise wrong(
                build.name,
                f"the bus is too long: with {branch.length:.1f} m of wire and {len(branch.zones)} readers an "
                f"answer takes {branch.delay:.0f} ns, and {HALF_CLOCK_NS:.0f} ns is the time there is.",
                "Move the Pico to the middle, or divide the bus (branches = 2 to 4).",
            )
