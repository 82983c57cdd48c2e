"""The camera's calibration board on A4, exactly the one that vision looks for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from host.products.canvas import Canvas
from vision.calibration import COLUMNS, ROWS, SQUARE, board_picture

A4 = (210.0, 297.0)
_DOTS = 3.0  # a millimetre: a square is 90 dots, a marker's cell 11, so nothing is rounded
BOARD = ((COLUMNS + 1) * SQUARE, (ROWS + 1) * SQUARE)  # with its white margin


def calibration_pages() -> list[Canvas]:
    """One page, A4 across: the board with its cutting line, and a ruler to see that it is to scale."""
    page = Canvas(A4[1], A4[0], "Crowntable: camera calibration board")
    left, top = (page.width - BOARD[0]) / 2, (page.height - BOARD[1]) / 2
    for x, y, w, h in dark_rectangles(board_picture(_DOTS)):
        page.rect(left + x / _DOTS, top + y / _DOTS, w / _DOTS, h / _DOTS, fill="#000000")
    page.rect(left, top, *BOARD, stroke="#9a95a6", width=0.2, dash=2)
    words = f"Cut along the dashed line and lay it flat in the dice tray. Each square is {SQUARE:.0f} mm."
    page.text(left, top - 4, words, 4)
    ruler(page, left, page.height - 7)
    return [page]


def ruler(page: Canvas, x: float, y: float) -> None:
    """A hundred millimetres to measure: a printer that scales is found out before anything is cut."""
    page.line((x, y), (x + 100, y), stroke="#1d1a26", width=0.25)
    for i in range(0, 101, 10):
        page.line((x + i, y), (x + i, y - (3 if i % 50 == 0 else 1.8)), stroke="#1d1a26", width=0.25)
    page.text(x + 104, y, "100 mm. If it is not, print again at 100 % (actual size).", 3.2)


def dark_rectangles(image: NDArray[np.uint8]) -> Iterator[tuple[int, int, int, int]]:
    """The dark parts of a picture as x, y, width, height in dots: runs of each row, equal rows joined."""
    dark = image < 128
    start = 0
    for row in range(1, len(dark) + 1):
        if row == len(dark) or not np.array_equal(dark[row], dark[start]):
            edges = np.flatnonzero(np.diff(np.concatenate([[0], dark[start].astype(np.int8), [0]])))
            for first, last in zip(edges[::2], edges[1::2], strict=True):
                yield int(first), start, int(last - first), row - start
            start = row
