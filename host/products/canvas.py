"""Drawings in millimetres, y down: kept as shapes, written as SVG here and as PDF by host.print.pdf."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]

# Advance widths of Helvetica and Helvetica-Bold for the characters from space to tilde, in thousandths.
_PLAIN = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 "
    "556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 "
    "722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 "
    "500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
_BOLD = (
    "278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 "
    "556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 "
    "722 667 611 722 667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 "
    "556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584"
)
_WIDTHS = {bold: tuple(map(int, table.split())) for bold, table in ((False, _PLAIN), (True, _BOLD))}


def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is in Helvetica of `size` (millimetres), in millimetres."""
    total = 0
    for letter in text:
        plain = unicodedata.normalize("NFKD", letter)[0]
        at = ord(plain) - 32
        total += _WIDTHS[bold][at] if 0 <= at < 95 else 556
    return total * size / 1000


@dataclass(frozen=True, slots=True)
class Path:
    """A line or an area. `points` go round; `fill`, `stroke` are #rrggbb or None; `dash` in millimetres."""

    points: tuple[Point, ...]
    closed: bool = True
    fill: str | None = None
    stroke: str | None = None
    width: float = 0.3
    dash: float = 0.0


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle, drawn like a Path."""

    middle: Point
    radius: float
    fill: str | None = None
    stroke: str | None = None
    width: float = 0.3
    dash: float = 0.0


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; `at` is its baseline's anchor, `turn` degrees clockwise about it.

    `wide`: its width where it must not be exceeded, whatever font the reader's machine has.
    """

    at: Point
    text: str
    size: float
    anchor: Anchor = "start"
    bold: bool = False
    fill: str = "#1d1a26"
    turn: float = 0.0
    wide: float | None = None


Shape = Path | Circle | Text


@dataclass
class Canvas:
    """A page or picture of `width` by `height` millimetres; later shapes lie over earlier ones."""

    width: float
    height: float
    title: str = ""
    shapes: list[Shape] = field(default_factory=list)

    def rect(
        self, x: float, y: float, w: float, h: float, *, fill: str | None = None, stroke: str | None = None,
        width: float = 0.3, dash: float = 0.0, turn: float = 0.0, round: float = 0.0,
    ) -> None:  # fmt: skip
        """A rectangle, turned by `turn` degrees clockwise about its middle, corners cut by `round`."""
        points = _rounded(x, y, w, h, round) if round else ((x, y), (x + w, y), (x + w, y + h), (x, y + h))
        if turn:
            points = tuple(turned(point, (x + w / 2, y + h / 2), turn) for point in points)
        self.shapes.append(Path(tuple(points), True, fill, stroke, width, dash))

    def line(self, *points: Point, stroke: str, width: float = 0.3, dash: float = 0.0) -> None:
        """An open line through points."""
        self.shapes.append(Path(points, False, None, stroke, width, dash))

    def area(self, points: Sequence[Point], *, fill: str | None = None, stroke: str | None = None) -> None:
        """A polygon."""
        self.shapes.append(Path(tuple(points), True, fill, stroke))

    def circle(
        self, x: float, y: float, radius: float, *, fill: str | None = None, stroke: str | None = None,
        width: float = 0.3, dash: float = 0.0,
    ) -> None:  # fmt: skip
        """A circle."""
        self.shapes.append(Circle((x, y), radius, fill, stroke, width, dash))

    def text(
        self, x: float, y: float, text: str, size: float, *, anchor: Anchor = "start", bold: bool = False,
        fill: str = "#1d1a26", turn: float = 0.0, most: float = math.inf,
    ) -> None:  # fmt: skip
        """A line of text, made smaller where it would be wider than `most`."""
        wide = text_width(text, size, bold)
        shrunk = size * min(1.0, most / wide if wide else 1.0)
        kept = min(wide, most) if wide and most < math.inf else None
        self.shapes.append(Text((x, y), text, shrunk, anchor, bold, fill, turn, kept))

    def svg(self, scale: float | None = None) -> str:
        """The drawing as an SVG document, in true millimetres, or `scale` pixels a millimetre."""
        unit = ("mm", 1.0) if scale is None else ("", scale)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(self.width * unit[1])}{unit[0]}" '
            f'height="{_n(self.height * unit[1])}{unit[0]}" viewBox="0 0 {_n(self.width)} {_n(self.height)}" '
            'role="img" font-family="Helvetica,Arial,Liberation Sans,sans-serif">'
        )
        ground = f'<rect width="{_n(self.width)}" height="{_n(self.height)}" fill="#ffffff"/>'
        body = [_svg_shape(shape) for shape in self.shapes]
        return "\n".join([head, f"<title>{escape(self.title)}</title>", ground, *body, "</svg>\n"])


def turned(point: Point, about: Point, degrees: float) -> Point:
    """A point turned clockwise (as seen, y down) about another."""
    angle = math.radians(degrees)
    dx, dy = point[0] - about[0], point[1] - about[1]
    return (
        about[0] + dx * math.cos(angle) - dy * math.sin(angle),
        about[1] + dx * math.sin(angle) + dy * math.cos(angle),
    )


def _rounded(x: float, y: float, w: float, h: float, r: float) -> tuple[Point, ...]:
    corners = (
        ((x + w - r, y + r), -90),
        ((x + w - r, y + h - r), 0),
        ((x + r, y + h - r), 90),
        ((x + r, y + r), 180),
    )
    return tuple(
        (
            middle[0] + r * math.cos(math.radians(start + step)),
            middle[1] + r * math.sin(math.radians(start + step)),
        )
        for middle, start in corners
        for step in (0, 22.5, 45, 67.5, 90)
    )


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _style(shape: Path | Circle) -> str:
    words = f'fill="{shape.fill or "none"}"'
    if shape.stroke:
        words += f' stroke="{shape.stroke}" stroke-width="{_n(shape.width)}"'
        if shape.dash:
            words += f' stroke-dasharray="{_n(shape.dash)}"'
    return words


def _svg_shape(shape: Shape) -> str:
    if isinstance(shape, Circle):
        x, y = shape.middle
        return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(shape.radius)}" {_style(shape)}/>'
    if isinstance(shape, Path):
        way = "L".join(f"{_n(x)} {_n(y)}" for x, y in shape.points)
        return f'<path d="M{way}{"Z" if shape.closed else ""}" {_style(shape)}/>'
    x, y = shape.at
    words = f'x="{_n(x)}" y="{_n(y)}" font-size="{_n(shape.size)}" fill="{shape.fill}"'
    if shape.anchor != "start":
        words += f' text-anchor="{shape.anchor}"'
    if shape.bold:
        words += ' font-weight="bold"'
    if shape.wide is not None:
        words += f' textLength="{_n(shape.wide)}" lengthAdjust="spacingAndGlyphs"'
    if shape.turn:
        words += f' transform="rotate({_n(shape.turn)} {_n(x)} {_n(y)})"'
    return f"<text {words}>{escape(shape.text)}</text>"
