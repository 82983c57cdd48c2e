"""A chart as plotly draws it. Plotly is imported when the first figure is made: a table starts without it."""

from __future__ import annotations

import json
from typing import Any

from engine.lab.show.chart import Chart, Point, Series

Json = dict[str, Any]
#: Each colour by night and by day; the script changes one for the other (`static/js/lab.js`).
COLOURS = {
    "ink": ("#f6ecdc", "#2a1d2e"),
    "faint": ("#c9bac6", "#5f4e58"),
    "grid": ("#4c3d58", "#cdb990"),
    "band": ("#3a2f45", "#f0e2bf"),
    "simulated": ("#e5bd62", "#7b540b"),
    "live": ("#9fcdf0", "#1d4f77"),
    "other": ("#ff9d8c", "#8f1425"),
}
NIGHT = {name: night for name, (night, _) in COLOURS.items()}
#: What tells series apart without colour.
SYMBOLS = {"simulated": "circle", "live": "square-open", "other": "diamond"}
DASHES = {"simulated": "solid", "live": "dash", "other": "solid"}
FACE = 'Palatino, "Palatino Linotype", P052, serif'
ROW, APART = 46, 0.28
#: Row names longer than this many characters take a second line.
BREAK = 20


def figure(chart: Chart, separators: str = ".,") -> Json:
    """The figure as JSON for plotly.js: `data` and `layout`. `separators`: of decimals, of thousands."""
    from plotly import graph_objects

    made = graph_objects.Figure(layout=_layout(chart, separators))
    for place, one in enumerate(chart.series):
        shift = (place - (len(chart.series) - 1) / 2) * APART
        made.add_trace(
            graph_objects.Scatter(
                **(_row_trace(chart, one, shift) if chart.shape == "rows" else _line_trace(one))
            )
        )
    whole: Json = json.loads(made.to_json())
    # Plotly's own template is 7 kB a figure, and none of its colours is ours.
    whole["layout"].pop("template", None)
    return {"data": whole["data"], "layout": whole["layout"]}


def palette() -> dict[str, str]:
    """Night's colours and the day's in their places."""
    return dict(COLOURS.values())


def _whiskers(points: tuple[Point, ...], colour: str) -> Json:
    if all(point.low is None for point in points):
        return {"visible": False}
    return {
        "type": "data",
        "symmetric": False,
        "array": [None if p.high is None else p.high - p.value for p in points],
        "arrayminus": [None if p.low is None else p.value - p.low for p in points],
        "color": colour,
        "thickness": 2.5,
        "width": 6,
    }


def _trace(one: Series) -> Json:
    colour = NIGHT[one.kind]
    return {
        "name": one.name,
        "marker": {
            "color": colour,
            "size": 12,
            "symbol": SYMBOLS[one.kind],
            "line": {"color": colour, "width": 2.5},
        },
        "customdata": [
            [_end(p.low), _end(p.high), "" if p.n is None else f"n = {p.n:,}"] for p in one.points
        ],
    }


def _end(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _row_trace(chart: Chart, one: Series, shift: float) -> Json:
    labels = chart.labels
    return _trace(one) | {
        "mode": "markers",
        "x": [point.value for point in one.points],
        "y": [labels.index(point.label) + shift for point in one.points],
        "text": [point.label for point in one.points],
        "error_x": _whiskers(one.points, NIGHT[one.kind]),
        "hovertemplate": "%{text}: %{x:.4g}<br>%{customdata[0]} – %{customdata[1]}<br>%{customdata[2]}",
    }


def _line_trace(one: Series) -> Json:
    return _trace(one) | {
        "mode": "lines+markers",
        "x": [point.at for point in one.points],
        "y": [point.value for point in one.points],
        "line": {"color": NIGHT[one.kind], "width": 2.5, "dash": DASHES[one.kind]},
        "error_y": _whiskers(one.points, NIGHT[one.kind]),
        "hovertemplate": "%{x}: %{y:.4g}<br>%{customdata[0]} – %{customdata[1]}<br>%{customdata[2]}",
    }


def _layout(chart: Chart, separators: str) -> Json:
    rows = chart.shape == "rows"
    labels = chart.labels
    axis: Json = {
        "gridcolor": NIGHT["grid"],
        "zeroline": False,
        "title": {"text": _broken(chart.axis, 30)},
        "automargin": True,
    }
    return {
        "font": {"family": FACE, "size": 15, "color": NIGHT["ink"]},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "separators": separators,
        "height": 150 + ROW * len(labels) if rows else 420,
        "margin": {"l": 20, "r": 20, "t": 46, "b": 20},
        "showlegend": len(chart.series) > 1,
        "legend": {
            "orientation": "h",
            "x": 0,
            "xref": "container",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
        },
        "hoverlabel": {"font": {"family": FACE}},
        "xaxis": axis
        if rows
        else {
            "title": {"text": chart.across},
            "showgrid": False,
            "zeroline": False,
            "dtick": 1,
            "automargin": True,
        },
        "yaxis": {
            "tickmode": "array",
            "tickvals": list(range(len(labels))),
            "ticktext": [_broken(label) for label in labels],
            "range": [len(labels) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
            "automargin": True,
        }
        if rows
        else axis | {"range": [min(0.0, _least(chart)), 1.06 * chart.ends()[1]]},
        "shapes": _shapes(chart),
        "annotations": _annotations(chart),
    }


def _broken(label: str, most: int = BREAK) -> str:
    """A long name in two lines."""
    if len(label) <= most:
        return label
    space = min(
        (i for i, c in enumerate(label) if c == " "), key=lambda i: abs(i - len(label) // 2), default=0
    )
    return f"{label[:space]}<br>{label[space + 1 :]}" if space else label


def _least(chart: Chart) -> float:
    """The least value itself: whiskers of few matches may go below what a field can be worth."""
    return min((point.value for one in chart.series for point in one.points), default=0.0)


def _shapes(chart: Chart) -> list[Json]:
    whole = {"yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    found: list[Json] = []
    if chart.band:
        found.append(
            {
                "type": "rect",
                "x0": chart.band[0],
                "x1": chart.band[1],
                "fillcolor": NIGHT["band"],
                "line": {"width": 0},
            }
            | whole
        )
    if chart.mark:
        line = {"color": NIGHT["ink"], "width": 2, "dash": "dash"}
        found.append({"type": "line", "x0": chart.mark[0], "x1": chart.mark[0], "line": line} | whole)
    return found


def _annotations(chart: Chart) -> list[Json]:
    """The name of the band, else of the mark, above it."""
    if chart.band:
        at, text = (chart.band[0] + chart.band[1]) / 2, chart.band[2]
    elif chart.mark:
        at, text = chart.mark
    else:
        return []
    font = {"color": NIGHT["faint"], "size": 13}
    return [
        {
            "x": at,
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "showarrow": False,
            "text": text,
            "font": font,
        }
    ]
