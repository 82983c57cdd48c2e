"""A chart as an SVG picture: for paper and for documents, where no script runs.

Plotly's own way to a picture needs a whole browser on the machine, which a table's Pi need not have.
"""

from __future__ import annotations

from html import escape
from math import floor, log10

from engine.lab.show.chart import Chart, Point, Series

WIDE, ROW, TALL = 760, 34, 340
#: Ink, faint ink, grid, band; and the colour of each kind of series (`web/lab/figures.py` has the same).
INK, FAINT, GRID, BAND = "#2a1d2e", "#5f4e58", "#e4d7bd", "#f3e7c9"
COLOURS = {"simulated": "#7b540b", "live": "#1d4f77", "other": "#8f1425"}
_FACE = "Palatino, &quot;Palatino Linotype&quot;, &quot;URW Palladio L&quot;, Georgia, serif"
_SMALL = f'font-size="12" fill="{FAINT}"'


def svg(chart: Chart, caption: bool = True) -> str:
    """The picture, 760 wide; `caption` puts title, answer and notes into it, so that it stands for itself."""
    body, tall = (_rows if chart.shape == "rows" else _line)(chart)
    above = _text_block([chart.title], 24, 17, True) if caption else ("", 0)
    legend = _legend(chart.series, above[1] + 8) if len(chart.series) > 1 else ("", 0)
    top = above[1] + legend[1]
    notes = _text_block(_wrapped(" · ".join(chart.notes), 118), top + tall + 18, 12) if caption else ("", 0)
    whole = (notes[1] if caption else top + tall) + 10
    ident = f"chart-{chart.id}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {whole:.0f}" role="img" '
        f'aria-labelledby="{ident}-t {ident}-d" font-family="{_FACE}" font-size="14" fill="{INK}">'
        f'<title id="{ident}-t">{escape(chart.title)}</title>'
        f'<desc id="{ident}-d">{escape(chart.answer)}</desc>'
        f'<rect width="{WIDE}" height="{whole:.0f}" fill="#fffdf7"/>'
        f'{above[0]}{legend[0]}<g transform="translate(0 {top})">{body}</g>{notes[0]}</svg>\n'
    )


def _wrapped(text: str, most: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _text_block(lines: list[str], y: float, size: int, bold: bool = False) -> tuple[str, float]:
    """Lines of text from `y` on, and where they end."""
    weight = ' font-weight="700"' if bold else f' fill="{FAINT}"'
    parts = [
        f'<text x="16" y="{y + i * size * 1.35:.0f}" font-size="{size}"{weight}>{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return "".join(parts), y + (len(lines) - 1) * size * 1.35 + size * 0.5


def _legend(series: tuple[Series, ...], y: float) -> tuple[str, float]:
    parts, x = [], 22.0
    for one in series:
        parts.append(
            _dot(x, y + 10, one.kind) + f'<text x="{x + 12:.0f}" y="{y + 15:.0f}">{escape(one.name)}</text>'
        )
        x += 40 + 7.5 * len(one.name)
    return "".join(parts), 30


def _dot(x: float, y: float, kind: str) -> str:
    """A mark that says its series by shape and colour."""
    colour = COLOURS[kind]
    if kind == "live":
        return (
            f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" fill="#fffdf7" '
            f'stroke="{colour}" stroke-width="2.5"/>'
        )
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="{colour}"/>'


def ticks(low: float, high: float) -> list[float]:
    """Four to eight round numbers from `low` to `high`.

    >>> ticks(0, 100)
    [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
    """
    rough = (high - low) / 6 or 1.0
    power = 10 ** floor(log10(rough))
    by = next(step * power for step in (1, 2, 5, 10) if step * power >= rough * 0.999)
    first = floor(low / by + 0.999999)
    return [round(by * n, 10) for n in range(first, floor(high / by + 1e-9) + 1)]


def _span(chart: Chart) -> tuple[float, float]:
    low, high = chart.ends()
    room = (high - low or abs(high) or 1.0) * 0.06
    return low - room, high + room


def _rows(chart: Chart) -> tuple[str, float]:
    """Dots with whiskers, a row for each label."""
    labels = chart.labels
    left = min(320.0, 30 + 7.2 * max(map(len, labels), default=0))
    low, high = _span(chart)
    top, bottom = 26.0, 26.0 + ROW * len(labels)

    def x(value: float) -> float:
        return left + (value - low) / (high - low) * (WIDE - 24 - left)

    parts = []
    if chart.band:
        a, b = x(chart.band[0]), x(chart.band[1])
        parts.append(
            f'<rect x="{a:.1f}" y="{top}" width="{b - a:.1f}" height="{bottom - top}" fill="{BAND}"/>'
        )
        parts.append(_over((a + b) / 2, top, chart.band[2]))
    for tick in ticks(low, high):
        parts.append(
            f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{top}" y2="{bottom}" stroke="{GRID}"/>'
            f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle" {_SMALL}>{tick:g}</text>'
        )
    if chart.mark:
        at = x(chart.mark[0])
        parts.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{bottom}" '
            f'stroke="{INK}" stroke-dasharray="5 4"/>'
        )
        if not chart.band:
            parts.append(_over(at, top, chart.mark[1]))
    for number, label in enumerate(labels):
        y = top + ROW * (number + 0.5)
        parts.append(f'<text x="{left - 12:.0f}" y="{y + 5:.1f}" text-anchor="end">{escape(label)}</text>')
    for place, one in enumerate(chart.series):
        shift = (place - (len(chart.series) - 1) / 2) * 11
        for point in one.points:
            y = top + ROW * (labels.index(point.label) + 0.5) + shift
            parts.append(_whisker(point, one.kind, x, y) + _dot(x(point.value), y, one.kind))
    middle = (left + WIDE - 24) / 2
    parts.append(f'<text x="{middle:.0f}" y="{bottom + 38}" text-anchor="middle">{escape(chart.axis)}</text>')
    return "".join(parts), bottom + 44


def _over(x: float, top: float, text: str) -> str:
    x = min(max(x, 20 + 3.4 * len(text)), WIDE - 20 - 3.4 * len(text))
    return f'<text x="{x:.1f}" y="{top - 8}" text-anchor="middle" {_SMALL}>{escape(text)}</text>'


def _whisker(point: Point, kind: str, x: object, y: float) -> str:
    if point.low is None or point.high is None:
        return ""
    assert callable(x)
    a, b = x(point.low), x(point.high)
    return (
        f'<path d="M{a:.1f} {y - 5:.1f}V{y + 5:.1f}M{a:.1f} {y:.1f}H{b:.1f}M{b:.1f} {y - 5:.1f}V{y + 5:.1f}" '
        f'stroke="{COLOURS[kind]}" stroke-width="2.2" fill="none"/>'
    )


def _line(chart: Chart) -> tuple[str, float]:
    """A line over what was laid, with whiskers."""
    spots = sorted({point.at or 0.0 for one in chart.series for point in one.points})
    low, high = _span(chart)
    low = min(0.0, low)
    left, right, top, bottom = 64.0, WIDE - 24.0, 14.0, float(TALL)

    def y(value: float) -> float:
        return bottom - (value - low) / (high - low) * (bottom - top)

    def x(at: float) -> float:
        return left + 24 + (at - spots[0]) / max(1.0, spots[-1] - spots[0]) * (right - left - 48)

    parts = []
    for tick in ticks(low, high):
        parts.append(
            f'<line x1="{left}" x2="{right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="{GRID}"/>'
            f'<text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end" {_SMALL}>{tick:g}</text>'
        )
    for at in spots:
        parts.append(f'<text x="{x(at):.1f}" y="{bottom + 18}" text-anchor="middle" {_SMALL}>{at:g}</text>')
    for place, one in enumerate(chart.series):
        shift = (place - (len(chart.series) - 1) / 2) * 10
        path = "".join(
            f"{'L' if i else 'M'}{x(point.at or 0.0) + shift:.1f} {y(point.value):.1f}"
            for i, point in enumerate(one.points)
        )
        dashes = ' stroke-dasharray="6 4"' if one.kind == "live" else ""
        parts.append(f'<path d="{path}" fill="none" stroke="{COLOURS[one.kind]}" stroke-width="2"{dashes}/>')
        for point in one.points:
            at = x(point.at or 0.0) + shift
            if point.low is not None and point.high is not None:
                parts.append(
                    f'<path d="M{at:.1f} {y(point.low):.1f}V{y(point.high):.1f}" '
                    f'stroke="{COLOURS[one.kind]}" stroke-width="2.2"/>'
                )
            parts.append(_dot(at, y(point.value), one.kind))
    parts.append(f'<text x="{WIDE / 2}" y="{bottom + 40}" text-anchor="middle">{escape(chart.across)}</text>')
    parts.append(
        f'<text transform="translate(18 {(top + bottom) / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(chart.axis)}</text>'
    )
    return "".join(parts), bottom + 46
