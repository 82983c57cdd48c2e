"""Labels for the cards' backs: all alike (ALT-1.7), and a template for where the tag goes under them."""

from __future__ import annotations

import math

from host.print.calibration import A4, ruler
from host.print.mats import crown
from host.products.canvas import Canvas
from host.products.geometry import CARD

LABEL = (CARD[0] - 3, CARD[1] - 3)
TAG = 25.0
_NIGHT, _GOLD, _LINE = "#241a33", "#d9ab4a", "#4b3a63"
_ACROSS, _DOWN = 3, 3


def label_pages(cards: int) -> list[Canvas]:
    """The template, then as many pages of nine backs as `cards` need."""
    return [_template(), *(_labels() for _ in range(math.ceil(cards / (_ACROSS * _DOWN))))]


def _cells() -> list[tuple[float, float]]:
    left, top = (A4[0] - _ACROSS * CARD[0]) / 2, 14.0
    return [(left + i % _ACROSS * CARD[0], top + i // _ACROSS * CARD[1]) for i in range(_ACROSS * _DOWN)]


def _labels() -> Canvas:
    page = Canvas(*A4, "Crowntable: card backs")
    page.text(12, 9, "Card backs. Cut out, and glue one over each tag; the ticks show the middle.", 4)
    for x, y in _cells():
        _back(page, x + (CARD[0] - LABEL[0]) / 2, y + (CARD[1] - LABEL[1]) / 2)
        middle = (x + CARD[0] / 2, y + CARD[1] / 2)
        for one, other in (
            ((x + 0.2, middle[1]), (x + 1.3, middle[1])),
            ((middle[0], y + 0.2), (middle[0], y + 1.3)),
        ):
            page.line(one, other, stroke="#1d1a26", width=0.2)
    ruler(page, 12, A4[1] - 8)
    return page


def _back(page: Canvas, x: float, y: float) -> None:
    w, h = LABEL
    page.rect(x, y, w, h, fill=_NIGHT, round=3)
    for i in range(1, 12):
        step = i * h / 12
        page.line((x + 4, y + step), (x + w - 4, y + h - step), stroke=_LINE, width=0.3)
    page.rect(x + 2.5, y + 2.5, w - 5, h - 5, stroke=_GOLD, width=0.6, round=2)
    page.circle(x + w / 2, y + h / 2, 17, fill=_NIGHT, stroke=_GOLD, width=0.5)
    crown(page, x + w / 2, y + h / 2 + 5, 21, _GOLD)
    for turn in (0, 180):
        page.text(x + w / 2, y + (h - 6 if turn == 0 else 6), "CROWNTABLE", 3.2, anchor="middle", bold=True,
                  fill=_GOLD, turn=turn)  # fmt: skip


def _template() -> Canvas:
    page = Canvas(*A4, "Crowntable: where the tag goes")
    page.text(12, 16, "Where the tag goes", 7, bold=True)
    lines = (
        "Every tag lies in the middle of the card's back: the antennas lie under the middles of the spots.",
        "1. Lay the card face down into an outline.   2. Stick the tag where the circle is.",
        "3. Enrol it (crowntable tag enrol).   4. Glue the label over it. All backs stay alike.",
    )
    for i, words in enumerate(lines):
        page.text(12, 24 + 6 * i, words, 4)
    for i, size in enumerate((22.0, TAG, 30.0)):
        x, y = (A4[0] - 2 * CARD[0] - 20) / 2 + (i % 2) * (CARD[0] + 20), 50 + (i // 2) * (CARD[1] + 16)
        page.rect(x, y, *CARD, stroke="#1d1a26", width=0.4, round=3)
        middle = (x + CARD[0] / 2, y + CARD[1] / 2)
        page.circle(*middle, size / 2, fill="#f3ead3", stroke="#b08d2e", width=0.4)
        for dx, dy in ((CARD[0] / 2, 0), (0, CARD[1] / 2)):
            ends = (middle[0] - dx, middle[1] - dy), (middle[0] + dx, middle[1] + dy)
            page.line(*ends, stroke="#b9b4c6", width=0.2, dash=2)
        words = f"tag of {size:.0f} mm, card {CARD[0]:.0f} x {CARD[1]:.0f} mm"
        page.text(middle[0], y + CARD[1] + 6, words, 4, anchor="middle")
    ruler(page, 12, A4[1] - 8)
    return page
