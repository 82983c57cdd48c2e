"""The table from above, to scale: spots, antennas, what must stay free of metal, distances, wires' ways."""

from __future__ import annotations

import itertools
import math

from engine.althera.cards import HOUSES
from host.layout import Zone
from host.products.build import Build, Place, Spot
from host.products.canvas import Canvas, turned
from host.products.geometry import (
    CARD,
    METAL_DIAMETERS,
    TRAY,
    antenna,
    branches,
    closest_gaps,
    metal,
)

INK, SOFT, GOLD, FREE, WAY = "#1d1a26", "#6b6480", "#b08d2e", "#c2452d", "#8a84a0"
_EDGE = 90.0  # room around the table for its measures
_BY_COLOUR = {house.colour: "#{:02x}{:02x}{:02x}".format(*house.rgb) for house in HOUSES.values()}


def house_colour(die: str | None) -> str:
    """The colour of a seat's house as #rrggbb; a neutral one where it has no die."""
    return _BY_COLOUR.get(die or "", "#5b5568")


def table_picture(build: Build) -> Canvas:
    """The drawing; one of its units is a millimetre on the table."""
    width, depth = build.table
    page = Canvas(width + 2 * _EDGE, depth + 2 * _EDGE + 70, f"The table {build.name} from above, to scale")
    _table(page, build)
    _things(page, build)
    _bus(page, build)
    for zone in build.layout.zones:
        _free_area(page, build, zone)
    for zone in build.layout.zones:
        _spot(page, build, zone)
    _gaps(page, build)
    for place in build.seats:
        _seat(page, build, place)
    _measures(page, build)
    return page


def _shift(at: Spot) -> Spot:
    return at[0] + _EDGE, at[1] + _EDGE


def _table(page: Canvas, build: Build) -> None:
    width, depth = build.table
    if build.shape == "round":
        page.circle(_EDGE + width / 2, _EDGE + depth / 2, width / 2, fill="#fbf7ec", stroke=GOLD, width=3)
    else:
        page.rect(_EDGE, _EDGE, width, depth, fill="#fbf7ec", stroke=GOLD, width=3, round=25)


def _things(page: Canvas, build: Build) -> None:
    for what, (left, top, w, h) in metal(build).items():
        x, y = _shift((left, top))
        fill = "#efe8d3" if what == "the dice tray" else "#dcd7e4"
        page.rect(x, y, w, h, fill=fill, stroke=SOFT, width=1.2, round=6)
        if what == "the dice tray":
            page.rect(x + (w - TRAY[0]) / 2, y + (h - TRAY[1]) / 2, *TRAY, fill="#ffffff", stroke=SOFT)
            page.text(x + w / 2, y + h / 2 + 6, "dice tray", 18, anchor="middle", fill=SOFT)
            page.text(x + w / 2, y + h / 2 + 28, "camera above", 13, anchor="middle", fill=SOFT)
        else:
            page.text(x + w / 2, y + 20, "Pico, lights", 13, anchor="middle", fill=INK)


def _bus(page: Canvas, build: Build) -> None:
    for branch in branches(build):
        stops = [build.pico or (0.0, 0.0), *(build.where(zone) for zone in branch.zones)]
        for a, b in itertools.pairwise(stops):
            (ax, ay), (bx, by) = _shift(a), _shift(b)
            page.line((ax, ay), (bx, ay), (bx, by), stroke=WAY, width=1.6, dash=6)


def _free_area(page: Canvas, build: Build, zone: Zone) -> None:
    x, y = _shift(build.where(zone))
    size = antenna(zone, build)
    page.circle(x, y, size / 2 + METAL_DIAMETERS * size, stroke=FREE, width=1, dash=4)


def _angle(build: Build, zone: Zone) -> float:
    return next((place.looks for place in build.seats if place.seat == zone.seat), 0.0)


def _spot(page: Canvas, build: Build, zone: Zone) -> None:
    x, y = _shift(build.where(zone))
    die = next((seat.die for seat in build.layout.seats if seat.id == zone.seat), None)
    colour = house_colour(die) if zone.seat else GOLD
    turn = _angle(build, zone)
    page.rect(
        x - CARD[0] / 2, y - CARD[1] / 2, *CARD, fill="#ffffff", stroke=colour, width=2, turn=turn, round=3
    )
    page.circle(x, y, antenna(zone, build) / 2, stroke=SOFT, width=1.4)
    link = build.link()
    number = f"R{zone.antenna}" if link is not None and zone.reader == link.id else "PN532"
    words = {"field": "field", "crown": "crown", "scan": "scan"}.get(zone.kind) or f"place {zone.place}"
    upright = _readable(turn)
    for dy, text, size, bold in ((-2, number, 13, True), (12, words, 11, False)):
        at = turned((x, y + dy), (x, y), upright)
        page.text(*at, text, size, anchor="middle", bold=bold, fill=INK, turn=upright, most=38)


def _readable(turn: float) -> float:
    """The turn of a text along that direction which does not stand on its head."""
    return turn if (turn + 90) % 360 <= 180 else turn + 180


def _gaps(page: Canvas, build: Build) -> None:
    """The free distance between neighbours, drawn where there is room to read it."""
    for gap in closest_gaps(build):
        (ax, ay), (bx, by) = _shift(build.where(gap.one)), _shift(build.where(gap.other))
        far = math.dist((ax, ay), (bx, by))
        if far > 320 or (build.shielded and gap.one.antenna % 6):
            continue
        ux, uy = (bx - ax) / far, (by - ay) / far
        ra, rb = antenna(gap.one, build) / 2, antenna(gap.other, build) / 2
        start, end = (ax + ux * ra, ay + uy * ra), (bx - ux * rb, by - uy * rb)
        page.line(start, end, stroke=FREE, width=1.2)
        turn = math.degrees(math.atan2(uy, ux))
        turn = turn + 180 if abs(turn) > 91 else turn
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        words = f"{gap.free:.0f}"
        box = (15.0 + 8 * len(words), 20.0)
        page.rect(middle[0] - box[0] / 2, middle[1] - 10, *box, fill="#fbf7ec", turn=turn)
        page.text(
            *turned((middle[0], middle[1] + 5), middle, turn),
            words,
            14,
            anchor="middle",
            fill=FREE,
            turn=turn,
        )


def _seat(page: Canvas, build: Build, place: Place) -> None:
    seat = next((seat for seat in build.layout.seats if seat.id == place.seat), None)
    if seat is None:
        return
    x, y = _shift(place.spot(0, -34))
    house = next((house.name for house in HOUSES.values() if house.colour == seat.die), "")
    turn = _readable(place.looks)
    words = " · ".join(word for word in (f"Seat {seat.id}", seat.name or "", house) if word)
    page.text(*turned((x, y + 6), (x, y), turn), words, 18, anchor="middle", bold=True,
              fill=house_colour(seat.die), turn=turn)  # fmt: skip


def _measures(page: Canvas, build: Build) -> None:
    width, depth = build.table
    foot = page.height - 66
    for i in range(4):
        page.rect(_EDGE + 50 * i, foot, 50, 8, fill=INK if i % 2 == 0 else "#ffffff", stroke=INK, width=0.8)
    for i in (0, 100, 200):
        page.text(_EDGE + i, foot + 26, f"{i}", 14, anchor="middle", fill=INK)
    shape = f"diameter {width:.0f} mm" if build.shape == "round" else f"{width:.0f} x {depth:.0f} mm"
    page.text(_EDGE + 225, foot + 11, f"mm · {build.name}, {shape}", 16, fill=INK)
    legend = "circle: antenna · red: free of metal, and free distance in mm · grey: the bus wires' way"
    page.text(_EDGE, foot + 52, legend, 15, fill=SOFT, most=width)
