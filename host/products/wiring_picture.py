"""The wiring as a picture: each board with the pins that are used, each wire in its colour.

Columns from left to right: what hangs on the Pi and the lights; the Pi and the level shifter; the Pico;
decoders and hub; the readers, six to a column. In the channels between columns a net is one upright line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from host.layout import Zone
from host.products.build import Build
from host.products.canvas import Anchor, Canvas
from host.products.geometry import branches
from host.products.wires import COLOURS, HUB_MISO, READER, Device, Harness, harness, select_source, zone_words

PAINT = {
    "OG": "#e07b1f", "BK": "#22202a", "YE": "#d8b400", "BU": "#2b6cc4", "GN": "#2e8b4f", "WH": "#a9a4b5",
    "GY": "#7d7890", "RD": "#cf2e2e", "VT": "#8a3fc0",
}  # fmt: skip
INK, SOFT, PAPER, FRAME = "#1d1a26", "#6b6480", "#f7f3e8", "#b08d2e"
ROW, HEAD = 15.0, 34.0
_LEGEND = (
    ("5 V", "RD"), ("3.3 V", "OG"), ("GND", "BK"), ("SCK", "YE"), ("MOSI, RXD", "BU"), ("MISO, TXD", "GN"),
    ("RST", "WH"), ("LED data", "VT"), ("select, button", "GY"),
)  # fmt: skip
_TRUNK = ("3.3V", "GND", "SCK", "MOSI", "MISO", "RST")


@dataclass
class Box:
    """A device on the picture. `rows` are its pins from the top; `left`: its wires leave to the left."""

    device: Device
    x: float
    y: float
    width: float
    left: frozenset[int] = frozenset()
    rows: list[int] = field(default_factory=list)

    @property
    def height(self) -> float:
        """Altogether, in the picture's units."""
        return HEAD + ROW * len(self.rows) + 6

    def end(self, pin: int, left: bool | None = None) -> tuple[float, float]:
        """Where a wire to this pin ends."""
        y = self.y + HEAD + ROW * self.rows.index(pin) + ROW / 2
        to_left = pin in self.left if left is None else left
        return (self.x if to_left else self.x + self.width, y)

    def draw(self, page: Canvas) -> None:
        """Frame, title, pins with their numbers."""
        page.rect(self.x, self.y, self.width, self.height, fill=PAPER, stroke=FRAME, width=1.2, round=5)
        page.text(self.x + 9, self.y + 15, self.device.id, 11.5, bold=True, fill=INK)
        page.text(self.x + 9, self.y + 27, self.device.title, 8.5, fill=SOFT, most=self.width - 16)
        labels = dict(self.device.pins)
        for pin in self.rows:
            x, y = self.end(pin)
            left = pin in self.left
            page.circle(x, y, 2.2, fill=INK)
            anchor: Anchor = "start" if left else "end"
            step = 7 if left else -7
            page.text(x + step, y + 3, f"{pin}", 8.5, anchor=anchor, bold=True, fill=INK)
            words = labels[pin].replace("the select line of antenna", "select")
            page.text(x + 3.4 * step, y + 3, words, 8.5, anchor=anchor, fill=INK, most=self.width - 34)


def wiring_picture(build: Build) -> Canvas:
    """The picture of a table's wiring."""
    plan = harness(build)
    page = Canvas(100, 100, f"The wiring of {build.name}")
    boxes = _place(build, plan)
    right = max(box.x + box.width for box in boxes.values())
    low = max(box.y + box.height for box in boxes.values())
    trunks = _readers(page, build, boxes, right)
    _nets(page, boxes, plan, trunks)
    for box in boxes.values():
        box.draw(page)
    _cables(page, build, boxes)
    page.width = max(right + 30, trunks.right + 20, 860.0)
    page.height = max(low, trunks.low) + 46
    _legend(page, {COLOURS[wire.signal] for cable in plan.cables for wire in cable.wires})
    return page


def _cables(page: Canvas, build: Build, boxes: dict[str, Box]) -> None:
    """The ready-made cables, as grey bands: USB from the Pi to the Pico; and how the lamps go on."""
    if "PI" in boxes and "PICO" in boxes:
        (x, y), end = (boxes["PI"].x + boxes["PI"].width, boxes["PI"].y + 14), boxes["PICO"].x
        page.line((x, y), (end, y), stroke="#b9b4c6", width=6)
        page.text((x + end) / 2, y - 6, "USB cable", 9, anchor="middle", fill=SOFT)
    lamps = boxes.get("L0")
    if lamps is not None and len(build.antennas()) > 1:
        x, y = lamps.x, lamps.y + lamps.height + 11
        page.text(
            x, y, f"to L{len(build.antennas()) - 1}, each from DOUT to the next DIN", 8, fill=SOFT, most=150
        )


def _used(plan: Harness) -> dict[str, set[int]]:
    used: dict[str, set[int]] = {device.id: set() for device in plan.devices}
    for cable in plan.cables:
        for wire in cable.wires:
            for device, pin in (wire.one, wire.other):
                used[device].add(pin)
    return used


def _place(build: Build, plan: Harness) -> dict[str, Box]:
    """Every box but the readers' and lamps', column by column."""
    used, devices = _used(plan), {device.id: device for device in plan.devices}
    buttons = [device.id for device in plan.devices if device.id.startswith("BTN")]
    first = ["SCAN", "LED", "RING", "L0", "STRIP", "PWR", *buttons]
    columns = (
        (20.0, 150.0, first),
        (310.0, 190.0, ["USB", "PI", "SHIFT", "REG"]),
        (590.0, 190.0, ["PICO"]),
        (900.0, 130.0, ["DRV", "AND", "DEC1", "DEC2"]),
    )
    boxes: dict[str, Box] = {}
    for number, (x, width, names) in enumerate(columns):
        y = 30.0
        for name in names:
            if name not in devices:
                continue
            rows = sorted(used[name])
            if name == "PICO":
                rows.sort(key=lambda pin: (pin not in _bus_pins(build, plan), pin))
            left = _left_pins(number, name, rows, plan, build)
            boxes[name] = Box(devices[name], x, y, width, left, rows)
            y += boxes[name].height + 22
    return boxes


def _bus_pins(build: Build, plan: Harness) -> set[int]:
    return {
        pin
        for cable in plan.cables
        for wire in cable.wires
        for device, pin in (wire.one, wire.other)
        if device == "PICO" and (pin == 38 or wire.signal in ("SCK", "MOSI", "MISO", "RST", "3.3V"))
    }


def _left_pins(column: int, name: str, rows: list[int], plan: Harness, build: Build) -> frozenset[int]:
    """Which pins face left: towards where their wires go."""
    if column == 0:
        return frozenset()
    if name in ("USB", "PI", "REG"):
        return frozenset(rows) - ({3, 4} if name == "REG" else set())
    if name == "SHIFT":
        return frozenset(rows) - {2, 5}
    if name == "PICO":
        # to the lights, the supply and the buttons
        lights = {
            pin
            for cable in plan.cables
            for wire in cable.wires
            for (device, pin), (other, _) in ((wire.one, wire.other), (wire.other, wire.one))
            if device == "PICO"
            and (other in ("SHIFT", "PWR", "RING", "L0", "REG", "STRIP") or other[:3] == "BTN")
        }
        return frozenset(lights)
    if name == "DRV":
        return frozenset({2, 4, 6, 8, 11, 13, 15, 17, 1, 10, 19, 20})
    if name == "AND":
        return frozenset({7, 8, 12, 13, 14, *HUB_MISO[min(build.branches, 4) :]})
    return frozenset({12, 18, 19, 20, 21, 22, 23, 24})


@dataclass
class Trunks:
    """The readers' columns: `ends` are the uprights of each branch's signals."""

    ends: list[dict[str, tuple[float, float]]]
    top: float
    right: float
    low: float


def _readers(page: Canvas, build: Build, boxes: dict[str, Box], right: float) -> Trunks:
    """Readers as small boxes along upright bus lines, six to a column, with their select line's source."""
    ends: list[dict[str, tuple[float, float]]] = []
    chains = branches(build)
    lanes = sum(3 for _ in chains) + 3
    top = 30.0 + (lanes * 8.0 if len(chains) > 1 else 60.0)
    x, low = right + (170.0 if len(chains) > 1 else 60.0), 0.0
    for number, chain in enumerate(chains):
        for start in range(0, len(chain.zones), 6):
            lines = {signal: (x + 9.0 * i, top) for i, signal in enumerate(_TRUNK)}
            ends.append({"branch": (float(number), 0.0), **lines})
            y = top + 22
            for zone in chain.zones[start : start + 6]:
                _reader(page, build, zone, x, y)
                y += 74
            for signal, (at, _) in lines.items():
                deep = y - 74 + 14 + 8.5 * _TRUNK.index(signal)
                page.line((at, top), (at, deep), stroke=PAINT[COLOURS[signal]], width=1.4)
            low, x = max(low, y), x + 220
    return Trunks(ends, top, x - 30, low)


def _reader(page: Canvas, build: Build, zone: Zone, x: float, y: float) -> None:
    box = x + 76
    page.rect(box, y, 112, 66, fill=PAPER, stroke=FRAME, width=1.2, round=5)
    page.text(box + 36, y + 15, f"R{zone.antenna}", 11.5, bold=True, fill=INK)
    page.text(box + 36, y + 28, zone_words(zone), 9, fill=SOFT, most=72)
    device, pin = select_source(build, zone)
    page.text(box + 36, y + 45, "1 SDA from", 8.5, fill=INK)
    page.text(box + 36, y + 56, f"{device} pin {pin}", 8.5, bold=True, fill=INK)
    for i, signal in enumerate(_TRUNK):
        at, high = x + 9.0 * i, y + 14 + 8.5 * i
        page.line((at, high), (box, high), stroke=PAINT[COLOURS[signal]], width=1.4)
        page.circle(at, high, 1.7, fill=PAINT[COLOURS[signal]])
        page.text(box + 4, high + 2.6, f"{READER.index(signal) + 1} {signal}", 7, fill=INK)


def _nets(page: Canvas, boxes: dict[str, Box], plan: Harness, trunks: Trunks) -> None:
    """All wires between boxes: joined to nets, each an upright in its channel with a stub to each pin."""
    nets: dict[tuple[int, str, tuple[str, int]], set[tuple[float, float]]] = {}
    for cable in plan.cables:
        for wire in cable.wires:
            one, other = wire.one, wire.other
            if one[0] not in boxes or other[0] not in boxes:
                continue
            both = {boxes[device].end(pin) for device, pin in (one, other)}
            nets.setdefault((_channel(boxes, one, other), wire.signal, one), set()).update(both)
    _bus_lines(page, boxes, plan, trunks)
    lanes: dict[int, int] = {}
    for (channel, signal, _), ends in sorted(nets.items(), key=lambda item: min(y for _, y in item[1])):
        lane = lanes[channel] = lanes.get(channel, -1) + 1
        _upright(page, channel + 12 + 7.0 * lane, ends, PAINT[COLOURS[signal]])


def _channel(boxes: dict[str, Box], one: tuple[str, int], other: tuple[str, int]) -> int:
    """The x of the channel a wire runs in: right of the box that stands further left."""
    ends = []
    for device, pin in (one, other):
        box = boxes[device]
        ends.append(box.x if pin in box.left else box.x + box.width)
    edge = min(ends)
    starts = {box.x for box in boxes.values()}
    lefts = [box.x + box.width for box in boxes.values() if box.x + box.width <= max(ends) + 1]
    if edge in starts:  # both leave to the left: the channel before that column
        before = [right for right in lefts if right <= edge]
        return int(max(before, default=edge - 80))
    return int(edge)


def _upright(page: Canvas, at: float, ends: Iterable[tuple[float, float]], colour: str) -> None:
    points = sorted(ends, key=lambda end: end[1])
    page.line((at, points[0][1]), (at, points[-1][1]), stroke=colour, width=1.4)
    for x, y in points:
        page.line((x, y), (at, y), stroke=colour, width=1.4)
        if len(points) > 2:
            page.circle(at, y, 1.7, fill=colour)


def _bus_lines(page: Canvas, boxes: dict[str, Box], plan: Harness, trunks: Trunks) -> None:
    """From where each branch's signals begin, over the top, down to the readers' columns."""
    sources: dict[tuple[int, str], tuple[str, int]] = {}
    for cable in plan.cables:
        if not cable.id.startswith("B") or "-" not in cable.id:
            continue
        number = int(cable.id[1:].split("-")[0]) - 1
        for wire in cable.wires:
            if wire.one[0] in boxes:
                sources.setdefault((number, wire.signal), wire.one)
    shared = set(sources.values())
    heights = {
        source: 22.0 + 7.0 * i for i, source in enumerate(sorted(shared, key=lambda s: _from(boxes, s)))
    }
    lanes: dict[float, int] = {}
    for source, height in heights.items():
        signal = next(name for (_, name), start in sources.items() if start == source)
        colour = PAINT[COLOURS[signal]]
        x, y = boxes[source[0]].end(source[1])
        left = source[1] in boxes[source[0]].left
        lane = lanes[x] = lanes.get(x, 0) + 1
        up = x - 8 - 5.0 * lane if left else x + 8 + 5.0 * lane
        targets = [
            end[signal] for end in trunks.ends if sources.get((int(end["branch"][0]), signal)) == source
        ]
        far = max(at for at, _ in targets)
        page.line((x, y), (up, y), (up, height), (far, height), stroke=colour, width=1.4)
        for at, top in targets:
            page.line((at, height), (at, top), stroke=colour, width=1.4)
            if len(targets) > 1:
                page.circle(at, height, 1.7, fill=colour)


def _from(boxes: dict[str, Box], source: tuple[str, int]) -> tuple[float, float]:
    x, y = boxes[source[0]].end(source[1])
    return -x, y


def _legend(page: Canvas, used: set[str]) -> None:
    """What each wire's colour means, as far as this table has such a wire."""
    x, y = 20.0, page.height - 16
    for words, colour in _LEGEND:
        if colour not in used:
            continue
        page.line((x, y), (x + 18, y), stroke=PAINT[colour], width=2.4)
        page.text(x + 23, y + 3.4, words, 9.5, fill=INK)
        x += 86
