"""The bill of materials: what to buy, how many, for how much."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass

from host.products.build import Build
from host.products.geometry import branches
from host.products.parts import Part, part, price_date
from host.products.pins import pinning
from host.products.power import STRIP_M, leds, own_regulator
from host.products.prints import printed_parts
from host.products.wires import harness

PLASTIC = 1.27  # g/cm3, PETG; PLA is 1.24


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `quantity` of a part (pieces, or metres where its name says so) and what for."""

    quantity: float
    part: Part
    why: str

    @property
    def total(self) -> float:
        """Euros."""
        return round(self.quantity * self.part.price, 2)


def lines(build: Build) -> tuple[Line, ...]:
    """Everything to buy. Raises CrowntableError where the build is wrong."""
    return tuple(Line(quantity, part(id), why) for quantity, id, why in _wanted(build) if quantity)


def total(build: Build) -> float:
    """Euros altogether."""
    return round(sum(line.total for line in lines(build)), 2)


def _wanted(build: Build) -> Iterator[tuple[float, str, str]]:
    yield 1, build.pi, "runs the table"
    if build.pi != "own-computer":
        yield 1, f"supply-{build.pi}", "for the Pi"
    if build.supply:
        yield 1, build.supply, "for lights" + (" and readers" if own_regulator(build) else "")
        yield 1, "socket", "for that supply's plug"
    yield from _readers(build)
    yield len(build.layout.cameras), "webcam", "sees the dice"
    yield from _lights(build)
    yield len(build.layout.buttons), "button", "at the seats"
    yield from _wires(build)
    yield math.ceil(build.cards * 1.05 / 10), "tags", f"for {build.cards} cards, and spares"
    yield from _table(build)


def _readers(build: Build) -> Iterator[tuple[float, str, str]]:
    count = len(build.antennas())
    if build.link() is not None:
        yield 1, "pico", "scans the antennas, lights the LEDs"
        yield count, "rc522", "one a spot"
        yield len(pinning(build).enables), "decoder", "selects the readers"
        if build.branches > 1:
            yield 1, "hub-drivers", "the bus in branches"
            yield 1, "hub-and", "the bus in branches"
        yield 1 if own_regulator(build) else 0, "regulator", "3.3 V for the readers"
        yield 1, "perfboard", "carries Pico and chips"
        yield 1, "resistors", "at the bus and the LEDs' data lines"
    scans = [reader for reader in build.layout.readers if reader.driver == "nfc"]
    yield len(scans), "pn532", "the scan spot"
    yield sum(reader.port.startswith("tty:USB") for reader in scans), "usb-serial", "connects the PN532"
    if build.shielded:
        yield count, "ferrite", "behind each antenna"
        yield math.ceil(count * 0.35), "copper", "a frame round each spot"


def _lights(build: Build) -> Iterator[tuple[float, str, str]]:
    if build.ring:
        yield math.ceil(build.ring / part("ring-24").leds), "ring-24", "the crown"
    yield build.lamps * len(build.antennas()), "lamp", "at the spots"
    if leds(build):
        yield 1, "shifter", "data for the LEDs at 5 V"
        yield 1, "capacitor", "at the LEDs' supply"
    if build.strip:
        yield math.ceil(STRIP_M), "strip", "even light in the tray"
    if build.layout.crown.gpio is not None and build.pi != "own-computer":
        yield 1, "rgb-led", "a second crown, on the Pi's pins"


def _wires(build: Build) -> Iterator[tuple[float, str, str]]:
    signal = sum(branch.length for branch in branches(build))
    power = sum(cable.length for cable in harness(build).cables if cable.id[0] in "LR" or cable.id == "STRIP")
    yield math.ceil(signal), "wire-signal", "bus and select lines"
    yield math.ceil(power), "wire-power", "to lamps, crown and tray"
    yield 1, "jumpers", "to the PN532" + (" and the LED" if build.layout.crown.gpio else "")


def prints(build: Build) -> dict[str, int]:
    """The printed parts and how many of each."""
    if build.link() is None:
        return {}
    wanted = {
        "crown-cable": 1 if build.ring else 0,
        "crown-floor": 1 if build.ring else 0,
        "antenna-rc522": len(build.antennas()),
        "antenna-pn532": sum(reader.driver == "nfc" for reader in build.layout.readers),
    }
    if build.tray is not None:
        wanted |= {"tray-a": 2, "tray-b": 2, "arm-foot": 1, "arm-elbow": 1, "arm-head": 1}
    return {name: count for name, count in wanted.items() if count}


def _table(build: Build) -> Iterator[tuple[float, str, str]]:
    if build.link() is None:
        return
    area = round(build.table[0] * build.table[1] / 1e6, 2)
    yield area, "base", "carries everything"
    yield area, "foam", "the antennas lie in its cut-outs"
    yield area, "mat", "on top"
    if build.tray is not None:
        yield 1, "rod", "the camera's arm"
    yield 1, "screws", "camera arm and tray"
    solid = sum(printed_parts()[name].cm3 * count for name, count in prints(build).items())
    grams = solid * PLASTIC
    cards = f"{len(build.antennas()) + 1} frames" + (", crown" if build.ring else "")
    yield (
        math.ceil(grams / 100),
        "filament",
        f"{cards}{', tray, arm' if build.tray else ''}: {grams:.0f} g solid",
    )


def as_csv(build: Build) -> str:
    """The list as CSV with a running total."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["quantity", "part", "for", "price EUR", "price of", "total EUR", "running total EUR"])
    running = 0.0
    for line in lines(build):
        running += line.total
        writer.writerow([
            f"{line.quantity:g}", line.part.name, line.why, f"{line.part.price:.2f}", price_date(),
            f"{line.total:.2f}", f"{running:.2f}",
        ])  # fmt: skip
    return out.getvalue()
