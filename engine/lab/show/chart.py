"""A chart as data: what it says, before anybody draws it. The pages draw it with plotly
(`web/lab/figures.py`), reports and studies as SVG (`picture.py`), and both as a table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Point:
    """One value: of the row `label`, or at `at` on a line. `low` and `high` end its whisker, where it has
    one; `n` is how many cases it rests on. In the unit of the chart's axis."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one source: bots' matches, people's, or what is compared."""

    name: str
    kind: Literal["simulated", "live", "other"]
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """One question, its answer in words, and the picture of it.

    `rows` has a row for each label, values across; `line` has values over `at`. `mark` is a value to
    compare with, `band` a range, each with its name. `notes` say n, interval, rules and what is left out.
    """

    id: str
    title: str
    answer: str
    axis: str
    series: tuple[Series, ...]
    shape: Literal["rows", "line"] = "rows"
    across: str = ""
    mark: tuple[float, str] | None = None
    band: tuple[float, float, str] | None = None
    whisker: str = ""
    notes: tuple[str, ...] = ()
    digits: int = 1

    @property
    def labels(self) -> tuple[str, ...]:
        """Every row's label once, in order."""
        return tuple(dict.fromkeys(point.label for one in self.series for point in one.points))

    def ends(self) -> tuple[float, float]:
        """The least and the greatest of all that is drawn."""
        found = [value for one in self.series for point in one.points for value in _drawn(point)]
        found += [self.mark[0]] if self.mark else []
        found += self.band[:2] if self.band else []
        return min(found, default=0.0), max(found, default=1.0)


def _drawn(point: Point) -> list[float]:
    return [value for value in (point.value, point.low, point.high) if value is not None]


def table(chart: Chart, columns: dict[str, str]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The chart as a table: headings and rows. `columns` are the words for source, value, low, high, n."""
    head = (chart.across, *(columns[key] for key in ("source", "value", "low", "high", "n")))
    rows = []
    for one in chart.series:
        for point in one.points:
            figures = [
                "" if value is None else f"{value:.{chart.digits}f}"
                for value in (point.value, point.low, point.high)
            ]
            rows.append((point.label, one.name, *figures, "" if point.n is None else str(point.n)))
    return head, rows


def as_csv(chart: Chart, columns: dict[str, str]) -> str:
    """The table as CSV with full figures, the notes as lines of their own at the end (`#`)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [chart.across, *(columns[key] for key in ("source", "value", "low", "high", "n")), chart.axis]
    )
    for one in chart.series:
        for point in one.points:
            writer.writerow(
                [_plain(point.label), _plain(one.name), point.value, point.low, point.high, point.n, ""]
            )
    for note in (chart.title, chart.answer, *chart.notes):
        writer.writerow([f"# {note}"])
    return out.getvalue()


def _plain(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text
