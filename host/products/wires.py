"""Every wire of a table: devices with their pins, and cables between them; as WireViz text and as tables.

Pins are numbered as on the parts themselves: the Pico's 40 pins, the Pi's header, the MFRC522 board's eight,
the chips' DIP pins.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass

from host.layout import Zone
from host.products.build import Build
from host.products.geometry import Branch, branches
from host.products.pins import PI, PICO, claims, pinning
from host.products.power import leds, own_regulator

#: the reader board's pins, and the colour of each wire on the bus (IEC 60757)
READER = ("SDA", "SCK", "MOSI", "MISO", "IRQ", "GND", "RST", "3.3V")
COLOURS = {
    "3.3V": "OG", "GND": "BK", "SCK": "YE", "MOSI": "BU", "MISO": "GN", "RST": "WH", "SDA": "GY",
    "5V": "RD", "DATA": "VT", "TXD": "GN", "RXD": "BU", "RED": "RD", "GREEN": "GN", "BLUE": "BU",
}  # fmt: skip
_BUS = ("3.3V", "GND", "SCK", "MOSI", "MISO", "RST")
#: 74HC154: the pin of each output
OUTPUTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17)
#: the hub's 74AHC244: (in, out) for SCK and for MOSI of each branch; its 74AHC08: the branches' MISO pins
HUB_SCK = ((2, 18), (4, 16), (6, 14), (8, 12))
HUB_MOSI = ((11, 9), (13, 7), (15, 5), (17, 3))
HUB_MISO = (1, 2, 4, 5)


@dataclass(frozen=True, slots=True)
class Device:
    """A thing with pins: `pins` are (number on it, what it is)."""

    id: str
    title: str
    pins: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Wire:
    """One conductor from a device's pin to another's. `signal` is a key of COLOURS."""

    signal: str
    one: tuple[str, int]
    other: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Cable:
    """Wires that run together, `length` metres."""

    id: str
    length: float
    wires: tuple[Wire, ...]


@dataclass(frozen=True, slots=True)
class Harness:
    """The whole wiring."""

    devices: tuple[Device, ...]
    cables: tuple[Cable, ...]


def reader_id(zone: Zone) -> str:
    """A reader board's name on the drawings: R and its antenna."""
    return f"R{zone.antenna}"


def zone_words(zone: Zone) -> str:
    """A zone for people: `seat 2, place 3`.

    >>> zone_words(Zone("seat2.field", "field", "pico", 1, 2))
    'seat 2, field spot'
    """
    if zone.kind == "scan":
        return "scan spot"
    what = {"field": "field spot", "crown": "crown rest"}.get(zone.kind) or f"place {zone.place}"
    return f"seat {zone.seat}, {what}"


def harness(build: Build) -> Harness:
    """Every device and cable. Raises CrowntableError where two want one pin."""
    claims(build)
    devices: list[Device] = []
    cables: list[Cable] = []
    if build.link() is not None:
        devices += _pico_devices(build)
        cables += _bus(build)
        cables += _lights(build)
        cables += _buttons(build)
        cables += _power(build)
    _pi_side(build, devices, cables)
    return Harness(tuple(devices), tuple(cables))


#: The chips' names on the drawings and what each DIP pin is.
_SHIFTER = ("1OE", "1A", "1Y", "2OE", "2A", "2Y", "GND", "3Y", "3A", "3OE", "4Y", "4A", "4OE", "VCC")
_GATES = ("MISO 1", "MISO 2", "1Y", "MISO 3", "MISO 4", "2Y", "GND", "3Y, MISO out", "3A", "3B", "4Y", "4A",
          "4B", "VCC")  # fmt: skip
_DRIVERS = ("1OE", "in SCK 1", "out MOSI 4", "in SCK 2", "out MOSI 3", "in SCK 3", "out MOSI 2", "in SCK 4",
            "out MOSI 1", "GND", "in MOSI 1", "out SCK 4", "in MOSI 2", "out SCK 3", "in MOSI 3", "out SCK 2",
            "in MOSI 4", "out SCK 1", "2OE", "VCC")  # fmt: skip
_DECODER = (*(f"Y{code}" for code in range(11)), "GND", *(f"Y{code}" for code in range(11, 16)), "E0", "E1",
            "A3", "A2", "A1", "A0", "VCC")  # fmt: skip


def _chip(id: str, title: str, names: tuple[str, ...]) -> Device:
    return Device(id, title, tuple(enumerate(names, 1)))


def _pico_devices(build: Build) -> Iterator[Device]:
    used = [(claim.pin, f"GP{claim.gpio} {claim.who}") for claim in claims(build) if claim.board == "Pico"]
    rails = [(28, "GND of the lights"), (36, "3V3 out"), (38, "GND of the readers"), (40, "VBUS, 5 V of USB")]
    yield Device("PICO", "Raspberry Pi Pico", tuple(sorted([*used, *rails])))
    for zone in build.antennas():
        yield _chip(reader_id(zone), f"MFRC522 board, {zone_words(zone)}", READER)
    pins = pinning(build)
    for i, _ in enumerate(pins.enables):
        yield _chip(f"DEC{i + 1}", "74HC154 decoder at 3.3 V", _DECODER)
    if build.branches > 1:
        yield _chip("DRV", "74AHC244 drivers at 3.3 V", _DRIVERS)
        yield _chip("AND", "74AHC08 gates at 3.3 V", _GATES)
    if leds(build):
        yield _chip("SHIFT", "74AHCT125 level shifter at 5 V", _SHIFTER)
    if build.ring:
        yield _chip("RING", f"crown, ring of {build.ring} LEDs", ("5V", "GND", "DIN"))
    if build.lamps:
        for zone in build.antennas():
            yield _chip(f"L{zone.antenna}", f"lamp, {zone_words(zone)}", ("5V", "GND", "DIN", "DOUT"))
    for name, _ in pins.buttons:
        yield _chip(f"BTN {name}", "push button", ("a", "b"))
    if build.supply:
        yield _chip("PWR", "socket of the 5 V supply", ("5V", "GND"))
    if own_regulator(build):
        yield _chip("REG", "step-down module", ("IN+ 5 V", "IN-", "OUT+ 3.3 V", "OUT-"))
    if build.strip:
        yield _chip("STRIP", "white strip in the tray's rim", ("5V", "GND"))


def _source(build: Build, signal: str, branch: int) -> tuple[str, int]:
    """Where a branch's bus wire begins."""
    pins = pinning(build)
    if signal == "3.3V":
        return ("REG", 3) if own_regulator(build) else ("PICO", 36)
    if signal == "GND":
        return ("REG", 4) if own_regulator(build) else ("PICO", 38)
    if build.branches > 1 and signal in ("SCK", "MOSI", "MISO"):
        if signal == "MISO":
            return "AND", HUB_MISO[branch]
        return "DRV", (HUB_SCK if signal == "SCK" else HUB_MOSI)[branch][1]
    return "PICO", PICO[{"SCK": pins.sck, "MOSI": pins.mosi, "MISO": pins.miso, "RST": pins.reset}[signal]]


def _bus(build: Build) -> Iterator[Cable]:
    if build.branches > 1:
        yield _hub(build)
    if pinning(build).enables:
        yield from _decoders(build)
    for number, branch in enumerate(branches(build)):
        before: Zone | None = None
        for zone, length in zip(branch.zones, branch.pieces, strict=True):
            wires = []
            for signal in _BUS:
                pin = READER.index(signal) + 1
                start = _source(build, signal, number) if before is None else (reader_id(before), pin)
                wires.append(Wire(signal, start, (reader_id(zone), pin)))
            yield Cable(f"B{number + 1}-{zone.antenna}", length, tuple(wires))
            before = zone
        yield _selects(build, branch, number)


def select_source(build: Build, zone: Zone) -> tuple[str, int]:
    """The device and pin that a reader's select line (SDA) comes from."""
    pins = pinning(build)
    if pins.select:
        return "PICO", PICO[pins.select[zone.antenna]]
    return f"DEC{zone.antenna // 16 + 1}", OUTPUTS[zone.antenna % 16]


def _selects(build: Build, branch: Branch, number: int) -> Cable:
    """The select lines run along with the bus; each is as long as the bus up to its reader."""
    wires = tuple(Wire("SDA", select_source(build, zone), (reader_id(zone), 1)) for zone in branch.zones)
    return Cable(f"S{number + 1}", branch.length, wires)


def _hub(build: Build) -> Cable:
    pins = pinning(build)
    wires = []
    for i in range(len(branches(build))):
        wires.append(Wire("SCK", ("PICO", PICO[pins.sck]), ("DRV", HUB_SCK[i][0])))
        wires.append(Wire("MOSI", ("PICO", PICO[pins.mosi]), ("DRV", HUB_MOSI[i][0])))
    for i in range(len(branches(build)), 4):  # inputs may not float
        wires.append(Wire("3.3V", ("AND", 14), ("AND", HUB_MISO[i])))
        wires += [Wire("GND", ("PICO", 38), ("DRV", pair[i][0])) for pair in (HUB_SCK, HUB_MOSI)]
    wires += [
        Wire("MISO", ("AND", 3), ("AND", 9)),
        Wire("MISO", ("AND", 6), ("AND", 10)),
        Wire("MISO", ("AND", 8), ("PICO", PICO[pins.miso])),
    ]
    three = _source(build, "3.3V", 0)
    for chip, power, grounds in (("DRV", 20, (10, 1, 19)), ("AND", 14, (7, 12, 13))):
        wires.append(Wire("3.3V", three, (chip, power)))
        wires += [Wire("GND", ("PICO", 38), (chip, ground)) for ground in grounds]
    return Cable("HUB", 0.1, tuple(wires))


def _decoders(build: Build) -> Iterator[Cable]:
    pins = pinning(build)
    three = _source(build, "3.3V", 0)
    for i, enable in enumerate(pins.enables):
        chip = f"DEC{i + 1}"
        wires = [Wire("SDA", ("PICO", PICO[gpio]), (chip, 23 - bit)) for bit, gpio in enumerate(pins.decoder)]
        wires += [
            Wire("SDA", ("PICO", PICO[enable]), (chip, 18)),
            Wire("GND", ("PICO", 38), (chip, 19)),
            Wire("GND", ("PICO", 38), (chip, 12)),
            Wire("3.3V", three, (chip, 24)),
        ]
        yield Cable(f"A{i + 1}", 0.1, tuple(wires))


def _five(build: Build) -> tuple[tuple[str, int], tuple[str, int]]:
    """Where 5 V and its ground for the lights come from."""
    return (("PWR", 1), ("PWR", 2)) if build.supply else (("PICO", 40), ("PICO", 28))


def _lights(build: Build) -> Iterator[Cable]:
    pins = pinning(build)
    plus, minus = _five(build)
    if not leds(build):
        return
    # The two gates that are used are open, the others shut, their inputs held.
    feed = [Wire("5V", plus, ("SHIFT", pin)) for pin in (14, 10, 13)]
    feed += [Wire("GND", minus, ("SHIFT", pin)) for pin in (7, 1, 4, 9, 12)]
    if pins.ring is not None:
        feed.append(Wire("DATA", ("PICO", PICO[pins.ring]), ("SHIFT", 2)))
        ring = (Wire("5V", plus, ("RING", 1)), Wire("GND", minus, ("RING", 2)))
        yield Cable("RING", 0.8, (*ring, Wire("DATA", ("SHIFT", 3), ("RING", 3))))
    if pins.lamps is not None:
        feed.append(Wire("DATA", ("PICO", PICO[pins.lamps]), ("SHIFT", 5)))
        yield from _lamps(build, plus, minus)
    yield Cable("SHIFT", 0.1, tuple(feed))


def _lamps(build: Build, plus: tuple[str, int], minus: tuple[str, int]) -> Iterator[Cable]:
    """The lamps hang one behind the other, in the antennas' order: that is how the firmware counts them."""
    zones = build.antennas()
    pico = build.pico or (0.0, 0.0)
    stops = [pico, *(build.where(zone) for zone in zones)]
    starts: list[tuple[tuple[str, int], ...]] = [(plus, minus, ("SHIFT", 6))]
    starts += [((f"L{z.antenna}", 1), (f"L{z.antenna}", 2), (f"L{z.antenna}", 4)) for z in zones]
    for zone, start, (a, b) in zip(zones, starts, itertools.pairwise(stops), strict=False):
        length = round((abs(a[0] - b[0]) + abs(a[1] - b[1])) * 1.15 / 1000 + 0.08, 2)
        ends = tuple((f"L{zone.antenna}", pin) for pin in (1, 2, 3))
        wires = tuple(map(Wire, ("5V", "GND", "DATA"), start, ends))
        yield Cable(f"L{zone.antenna}", length, wires)


def _buttons(build: Build) -> Iterator[Cable]:
    for name, gpio in pinning(build).buttons:
        button = f"BTN {name}"
        wires = (Wire("SDA", ("PICO", PICO[gpio]), (button, 1)), Wire("GND", ("PICO", 28), (button, 2)))
        yield Cable(button, 0.8, wires)


def _power(build: Build) -> Iterator[Cable]:
    if build.supply:
        # Without a common ground no data line means anything.
        yield Cable("GND", 0.2, (Wire("GND", ("PWR", 2), ("PICO", 28)),))
    plus, minus = _five(build)
    if own_regulator(build):
        yield Cable("REG", 0.2, (Wire("5V", plus, ("REG", 1)), Wire("GND", minus, ("REG", 2))))
    if build.strip:
        yield Cable("STRIP", 0.6, (Wire("5V", plus, ("STRIP", 1)), Wire("GND", minus, ("STRIP", 2))))


def _pi_side(build: Build, devices: list[Device], cables: list[Cable]) -> None:
    """What hangs on the Pi's header, or on the computer's USB."""
    header = [(claim.pin, f"GPIO{claim.gpio} {claim.who}") for claim in claims(build) if claim.board == "Pi"]
    scan = ((1, "GND"), (2, "VCC"), (3, "TXD"), (4, "RXD"))
    for reader in build.layout.readers:
        if reader.driver != "nfc":
            continue
        devices.append(Device("SCAN", "PN532 board, set to UART", scan))
        if reader.port.startswith("tty:USB"):
            devices.append(
                Device(
                    "USB", "USB to serial adapter, 3.3 V", ((1, "GND"), (2, "VCC"), (3, "RXD"), (4, "TXD"))
                )
            )
            start: tuple[tuple[str, int], ...] = (("USB", 1), ("USB", 2), ("USB", 3), ("USB", 4))
        else:
            header += [(1, "3.3 V"), (6, "GND")]
            start = (("PI", 6), ("PI", 1), ("PI", PI[15]), ("PI", PI[14]))
        wires = map(Wire, ("GND", "3.3V", "TXD", "RXD"), start, (("SCAN", pin) for pin in (1, 2, 3, 4)))
        cables.append(Cable("SCAN", 0.5, tuple(wires)))
    crown = build.layout.crown.gpio
    if crown is not None and build.pi != "own-computer":
        header.append((9, "GND"))
        devices.append(Device("LED", "RGB LED, 330 ohm a colour", ((1, "R"), (2, "K"), (3, "G"), (4, "B"))))
        ends = (("LED", 1), ("LED", 3), ("LED", 4), ("LED", 2))
        starts = (*(("PI", PI[gpio]) for gpio in crown), ("PI", 9))
        cables.append(Cable("LED", 0.3, tuple(map(Wire, ("RED", "GREEN", "BLUE", "GND"), starts, ends))))
    if header:
        devices.append(Device("PI", "Raspberry Pi, 40-pin header", tuple(sorted(header))))


def wireviz(plan: Harness) -> str:
    """The wiring as WireViz reads it (YAML, of which JSON's strings and lists are a part)."""
    lines = ["# Made by `crowntable hardware`; draw it with WireViz, or read wiring.svg.", "connectors:"]
    for device in plan.devices:
        lines += [
            f"  {_q(device.id)}:",
            f"    type: {_q(device.title)}",
            f"    pins: [{', '.join(str(pin) for pin, _ in device.pins)}]",
            f"    pinlabels: [{', '.join(_q(words) for _, words in device.pins)}]",
        ]
    lines.append("cables:")
    for cable in plan.cables:
        colours = ", ".join(COLOURS[wire.signal] for wire in cable.wires)
        labels = ", ".join(_q(wire.signal) for wire in cable.wires)
        lines += [
            f"  {_q('W ' + cable.id)}:",
            f"    wirecount: {len(cable.wires)}",
            f"    length: {cable.length:g}",
            f"    colors: [{colours}]",
            f"    wirelabels: [{labels}]",
        ]
    lines.append("connections:")
    for cable in plan.cables:
        for number, wire in enumerate(cable.wires, 1):
            ends = [f"{_q(device)}: [{pin}]" for device, pin in (wire.one, wire.other)]
            lines += [f"  - - {ends[0]}", f"    - {_q('W ' + cable.id)}: [{number}]", f"    - {ends[1]}"]
    return "\n".join(lines) + "\n"


def _q(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
