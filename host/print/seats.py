"""Seat cards: one a seat, with the QR code that makes a phone that seat's own."""

from __future__ import annotations

from collections.abc import Callable

import segno

from engine.althera.cards import HOUSES
from host.layout import Layout, Seat
from host.print.calibration import A4, ruler
from host.print.mats import crown, ink_on, tint
from host.products.canvas import Canvas
from host.products.table_picture import house_colour

CARD = (88.0, 124.0)
QR = 52.0
_GAP = 8.0


def seat_pages(layout: Layout, link: Callable[[int], str]) -> list[Canvas]:
    """A4 pages with four seat cards each. `link`: a seat's whole address."""
    pages = []
    for start in range(0, len(layout.seats), 4):
        page = Canvas(*A4, f"Crowntable: seat cards of {layout.name}")
        for i, seat in enumerate(layout.seats[start : start + 4]):
            x = (A4[0] - 2 * CARD[0] - _GAP) / 2 + (i % 2) * (CARD[0] + _GAP)
            _card(page, seat, link(seat.id), x, 16 + (i // 2) * (CARD[1] + _GAP))
        page.text(13, 11, "Seat cards. Whoever scans a code plays that seat: don't publish this page.", 4)
        ruler(page, 13, A4[1] - 10)
        pages.append(page)
    return pages


def _card(page: Canvas, seat: Seat, link: str, x: float, y: float) -> None:
    colour = house_colour(seat.die)
    house = next((house.name for house in HOUSES.values() if house.colour == seat.die), "")
    page.rect(x, y, *CARD, fill="#ffffff", stroke=colour, width=0.9, round=4)
    page.rect(x, y, CARD[0], 30, fill=colour, round=4)
    page.rect(x, y + 15, CARD[0], 15, fill=colour)
    crown(page, x + CARD[0] - 15, y + 19, 18, tint(colour, 0.45))
    page.text(x + 6, y + 14, f"Seat {seat.id}", 10, bold=True, fill=ink_on(colour))
    page.text(x + 6, y + 24, house or seat.name or "", 5.5, fill=ink_on(colour), most=CARD[0] - 32)
    middle = x + CARD[0] / 2
    _qr(page, link, middle - QR / 2, y + 36)
    page.text(middle, y + 96, "Scan: your phone becomes this seat's", 4.4, anchor="middle", bold=True)
    page.text(middle, y + 103, "its warnings, its questions, its undo", 4, anchor="middle", fill="#5b5568")
    page.text(
        middle, y + 114, link.partition("?")[0], 3.6, anchor="middle", fill="#5b5568", most=CARD[0] - 10
    )
    page.text(
        middle, y + 119.5, "The phone must be in the table's Wi-Fi.", 3.2, anchor="middle", fill="#5b5568"
    )


def _qr(page: Canvas, link: str, x: float, y: float) -> None:
    """The code with its quiet zone of four modules; runs of dark modules as one rectangle each."""
    rows = [bytes(row) for row in segno.make(link, error="m", micro=False).matrix_iter(border=4)]
    module = QR / len(rows)
    for i, row in enumerate(rows):
        start = 0
        while (first := row.find(1, start)) >= 0:
            last = row.find(0, first)
            last = len(row) if last < 0 else last
            page.rect(x + first * module, y + i * module, (last - first) * module, module, fill="#000000")
            start = last
