"""Zone mats: a card-sized spot for each zone, in its house's colours, to lay on the table."""

from __future__ import annotations

from engine.althera.cards import HOUSES
from host.layout import Layout, Zone
from host.print.calibration import A4, ruler
from host.products.canvas import Canvas
from host.products.geometry import CARD
from host.products.table_picture import house_colour
from host.products.wires import zone_words

MAT = (90.0, 118.0)
_HEAD = 14.0
_GAP = 6.0
_PLAIN = "#3b3450"


def mat_pages(layout: Layout) -> list[Canvas]:
    """A4 pages with four mats each: every zone of the layout once."""
    pages = []
    for start in range(0, len(layout.zones), 4):
        page = Canvas(*A4, f"Crowntable: zone mats of {layout.name}")
        for i, zone in enumerate(layout.zones[start : start + 4]):
            x = (A4[0] - 2 * MAT[0] - _GAP) / 2 + (i % 2) * (MAT[0] + _GAP)
            _mat(page, layout, zone, x, 18 + (i // 2) * (MAT[1] + _GAP))
        page.text(12, 12, f"{layout.name}: zone mats. Cut along the coloured edge.", 4)
        ruler(page, 12, A4[1] - 12)
        pages.append(page)
    return pages


def _mat(page: Canvas, layout: Layout, zone: Zone, x: float, y: float) -> None:
    seat = next((seat for seat in layout.seats if seat.id == zone.seat), None)
    colour = house_colour(seat.die) if seat is not None and seat.die else _PLAIN
    house = next(
        (house.name for house in HOUSES.values() if seat is not None and house.colour == seat.die), ""
    )
    page.rect(x, y, *MAT, fill=tint(colour, 0.12), stroke=colour, width=0.8, round=4)
    page.rect(x, y, MAT[0], _HEAD, fill=colour, round=4)
    page.rect(x, y + _HEAD / 2, MAT[0], _HEAD / 2, fill=colour)
    title = zone_words(zone).capitalize()
    page.text(x + 5, y + 6.4, title, 5, bold=True, fill=ink_on(colour), most=MAT[0] - 10)
    who = " · ".join(word for word in (house, seat.name if seat is not None and seat.name else "") if word)
    who = who or "Lay a card here to see which it is"
    page.text(x + 5, y + 11.4, who, 3.8, fill=ink_on(colour), most=MAT[0] - 10)
    left, top = x + (MAT[0] - CARD[0]) / 2, y + _HEAD + (MAT[1] - _HEAD - CARD[1]) / 2
    page.rect(left, top, *CARD, fill="#ffffff", stroke=colour, width=0.5, dash=3, round=3)
    middle = (left + CARD[0] / 2, top + CARD[1] / 2)
    if zone.kind == "crown":
        crown(page, middle[0], middle[1] - 16, 24, tint(colour, 0.35))
    for dx, dy in ((6, 0), (0, 6)):
        ends = (middle[0] - dx, middle[1] - dy), (middle[0] + dx, middle[1] + dy)
        page.line(*ends, stroke=colour, width=0.3)
    page.circle(*middle, 12.5, stroke=colour, width=0.3, dash=1.5)
    names = {"crown": "crown rest", "scan": "scan spot", "field": "play here"}
    name = names.get(zone.kind, f"place {zone.place}")
    page.text(middle[0], top + CARD[1] - 6, name, 4.5, anchor="middle", fill=colour)


def tint(colour: str, part: float) -> str:
    """A colour thinned with white: `part` of it.

    >>> tint("#000000", 0.2)
    '#cccccc'
    """
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - value) * part):02x}" for value in parts)


def ink_on(colour: str) -> str:
    """Black or white, whichever is read better on a colour (relative luminance of WCAG 2).

    >>> ink_on("#e6ac1c"), ink_on("#c81e34")
    ('#1d1a26', '#ffffff')
    """
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#1d1a26" if light > 0.25 else "#ffffff"


def crown(page: Canvas, x: float, y: float, width: float, colour: str) -> None:
    """A five-pointed crown, `x`, `y` the middle of its foot."""
    w, h = width / 2, width * 0.62
    tops = [(-w, 0.78 * h), (-w / 2, 0.9 * h), (0.0, h), (w / 2, 0.9 * h), (w, 0.78 * h)]
    points = [(-0.8 * w, 0.0)]
    for i, (px, py) in enumerate(tops):
        points.append((px, py))
        if i < 4:
            points.append(((px + tops[i + 1][0]) / 2, 0.4 * h))
    points.append((0.8 * w, 0.0))
    page.area([(x + px, y - py) for px, py in points], fill=colour)
    page.rect(x - 0.8 * w, y + 0.06 * h, 1.6 * w, 0.14 * h, fill=colour)
