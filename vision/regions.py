"""Whose part of the tray a die lies in, where the layout tells seats apart by place and not by colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Point = tuple[float, float]


def region_of(point: Point, regions: Mapping[str, Sequence[Point]]) -> str | None:
    """The name of the region (a polygon of corners in pixels, in order round it) that holds `point`;
    None outside all, and where two regions overlap: a doubt is nobody's.

    >>> halves = {"seat1": [(0, 0), (320, 0), (320, 480), (0, 480)]}
    >>> region_of((100, 100), halves), region_of((400, 100), halves)
    ('seat1', None)
    """
    inside = [name for name, corners in regions.items() if _inside(point, corners)]
    return inside[0] if len(inside) == 1 else None


def _inside(point: Point, corners: Sequence[Point]) -> bool:
    """Whether a ray to the right crosses the polygon's border an odd number of times."""
    x, y = point
    odd = False
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            odd = not odd
    return odd
