"""What is printed on paper: read back from the PDF's own bytes, to scale."""

from __future__ import annotations

import re
import zlib
from argparse import ArgumentParser
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

import host.print.cli
from engine.errors import CrowntableError, UsageError
from host.layout import find_layout, shipped_layouts
from host.print.calibration import BOARD
from host.print.pdf import pdf_bytes
from host.products.canvas import Canvas, text_width
from vision.calibration import COLUMNS, ROWS, SQUARE, calibrate

MM = 72 / 25.4
Polygon = NDArray[np.float64]


def printed(tmp_path: Path, *arguments: str, **defaults: object) -> bytes:
    """The PDF that `crowntable print …` writes."""
    parser = ArgumentParser()
    host.print.cli.register(parser.add_subparsers())
    parser.set_defaults(**defaults)
    args = parser.parse_args(["print", *arguments, "-o", str(tmp_path / "out.pdf")])
    assert args.run(args) == 0
    return (tmp_path / "out.pdf").read_bytes()


def sizes(pdf: bytes) -> list[tuple[float, float]]:
    """Each page's width and height in millimetres."""
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    return [(round(float(w) / MM, 1), round(float(h) / MM, 1)) for w, h in boxes]


def drawings(pdf: bytes) -> list[str]:
    """Each page's drawing, unpacked."""
    streams = re.findall(rb"/FlateDecode >>\nstream\n(.*?)\nendstream", pdf, re.S)
    return [zlib.decompress(stream).decode("cp1252") for stream in streams]


def black(drawing: str) -> list[Polygon]:
    """The polygons filled black, in millimetres from the page's upper left corner."""
    found = []
    for line in drawing.splitlines():
        if line.startswith("0 0 0 rg ") and line.endswith(" h f"):
            found.append(np.array(re.findall(r"([-\d.]+) ([-\d.]+) [ml]", line), np.float64))
    return found


def seen(drawing: str, size: tuple[float, float], dots: float) -> NDArray[np.uint8]:
    """The page's black parts as a grey picture of `dots` a millimetre."""
    image = np.full((round(size[1] * dots), round(size[0] * dots)), 255, np.uint8)
    for polygon in black(drawing):
        (x0, y0), (x1, y1) = polygon.min(axis=0) * dots, polygon.max(axis=0) * dots
        image[round(y0) : round(y1), round(x0) : round(x1)] = 0
    return image


def test_the_board_on_paper_is_the_one_that_vision_calibrates_with(tmp_path: Path) -> None:
    pdf = printed(tmp_path, "calibration")
    assert sizes(pdf) == [(297.0, 210.0)]
    (drawing,) = drawings(pdf)
    image = seen(drawing, (297, 210), 6)
    tray = calibrate([np.repeat(image[..., None], 3, axis=2)])
    assert tray.scale == pytest.approx(6, rel=0.002)  # pixels a millimetre: printed to scale
    assert tray.error < 0.5
    spread = np.concatenate(black(drawing))
    assert spread.max(axis=0) - spread.min(axis=0) == pytest.approx(
        [COLUMNS * SQUARE, ROWS * SQUARE], abs=0.01
    )
    assert BOARD == (240, 180)


@pytest.mark.parametrize("name", sorted(shipped_layouts()))
def test_every_zone_has_a_mat_with_a_card_sized_spot(name: str, tmp_path: Path) -> None:
    pdf = printed(tmp_path, "sheets", "--layout", name)
    zones = find_layout(name).zones
    assert sizes(pdf) == [(210.0, 297.0)] * -(-len(zones) // 4)
    spots = 0
    for drawing in drawings(pdf):
        for line in drawing.splitlines():
            if "[3] 0 d" in line:
                points = np.array(re.findall(r"([-\d.]+) ([-\d.]+) [ml]", line), np.float64)
                assert points.max(axis=0) - points.min(axis=0) == pytest.approx([63, 88], abs=0.01)
                spots += 1
    assert spots == len(zones)


def test_mats_carry_their_houses_names(tmp_path: Path) -> None:
    text = "".join(drawings(printed(tmp_path, "sheets", "--layout", "althera-5")))
    for house in (
        "Fortezza Cremisi",
        "Corona Aurea",
        "Ordine Celeste",
        "Casata della Quercia",
        "Corte Purpurea",
    ):
        assert house in text


def test_all_card_backs_are_alike(tmp_path: Path) -> None:
    """ALT-1.7: a face-down card can't be told from the others."""
    pdf = printed(tmp_path, "labels", "--cards", "120")
    pages = drawings(pdf)
    assert len(pages) == 1 + 14
    assert len(set(pages[1:])) == 1
    backs = set()
    for line in pages[1].splitlines():
        shape = np.array(re.findall(r"([-\d.]+) ([-\d.]+) [ml]", line), np.float64)
        if line.startswith("0.1412 0.102 0.2 rg") and len(shape) > 4:
            backs.add(str((shape - shape[0]).round(3).tolist()))
    assert len(backs) == 1


def test_the_tags_place_is_the_middle_of_a_card(tmp_path: Path) -> None:
    template = drawings(printed(tmp_path, "labels"))[0]
    assert "tag of 25 mm, card 63 x 88 mm" in template


def test_a_seats_code_leads_to_its_seat(tmp_path: Path) -> None:
    def path(data: Path, seat: int) -> str:
        return f"/seat/{seat}?t=secret{seat}"

    url = "http://192.168.1.20:8000/"
    pdf = printed(tmp_path, "seats", "--layout", "althera-5", "--url", url, seat_path=path)
    read = set()
    for drawing in drawings(pdf):
        assert "secret" not in drawing  # only in the code, not for reading over a shoulder
        image = seen(drawing, (210, 297), 6)
        for x in (0, 630):
            for y in (90, 880):
                text, _, _ = cv2.QRCodeDetector().detectAndDecode(image[y : y + 780, x : x + 630])
                read.add(text)
    read.discard("")
    assert read == {f"http://192.168.1.20:8000/seat/{seat}?t=secret{seat}" for seat in range(1, 6)}


@pytest.mark.parametrize(
    ("switch", "given", "said"),
    [("--data", "nowhere", "There is no folder"), ("--url", "table:8000", "is no address of a table")],
)
def test_codes_that_would_open_no_seat_are_not_printed(
    tmp_path: Path, switch: str, given: str, said: str
) -> None:
    where = str(tmp_path / given) if switch == "--data" else given
    with pytest.raises(CrowntableError, match=said):
        printed(tmp_path, "seats", switch, where)
    assert list(tmp_path.iterdir()) == []


def test_without_a_tables_secret_the_code_opens_the_seat_to_look(tmp_path: Path) -> None:
    pdf = printed(tmp_path, "seats", "--url", "http://table:8000")
    assert "http://table:8000/seat/3" in drawings(pdf)[0]


def test_a_page_has_a_line_to_measure_and_asks_not_to_be_scaled(tmp_path: Path) -> None:
    for what in ("sheets", "labels", "calibration", "seats"):
        pdf = printed(tmp_path, what)
        assert b"/PrintScaling /None" in pdf
        for drawing in drawings(pdf):
            ways = re.findall(r"([-\d.]+) ([-\d.]+) m ([-\d.]+) ([-\d.]+) l S", drawing)
            assert any(abs(float(c) - float(a) - 100) < 0.001 and b == d for a, b, c, d in ways)


def test_the_same_is_printed_to_the_same_bytes(tmp_path: Path) -> None:
    assert printed(tmp_path, "sheets") == printed(tmp_path, "sheets")


def test_every_object_of_a_pdf_lies_where_its_table_says(tmp_path: Path) -> None:
    pdf = printed(tmp_path, "labels")
    start = int(re.findall(rb"startxref\n(\d+)", pdf)[0])
    assert pdf[start : start + 4] == b"xref"
    places = re.findall(rb"(\d{10}) 00000 n", pdf)
    for number, place in enumerate(places, 1):
        assert pdf[int(place) :].startswith(b"%d 0 obj" % number)


def test_letters_that_the_font_lacks_lose_their_accent_and_brackets_are_kept() -> None:
    page = Canvas(100, 100)
    page.text(10, 10, "Zoë (Łódź) \\ 日", 5)
    drawing = pdf_bytes([page], "t", packed=False).decode("cp1252")
    assert "(Zoë \\(?ódz\\) \\\\ ?)" in drawing


def test_texts_are_as_wide_as_helvetica_sets_them() -> None:
    assert text_width("Crown", 10) == pytest.approx(28.89)  # C 722, r 333, o 556, w 722, n 556
    assert text_width("é", 10) == text_width("e", 10)
    assert text_width("Crown", 10, bold=True) > text_width("Crown", 10)
    page = Canvas(100, 100)
    page.text(0, 5, "a long line of words", 10, most=20)
    assert text_width("a long line of words", page.shapes[0].size) == pytest.approx(20)  # type: ignore[union-attr]


def test_what_cant_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(CrowntableError, match="can't be written"):
        printed(tmp_path / "no" / "folder", "calibration")
    with pytest.raises(UsageError, match="--cards 0"):
        printed(tmp_path, "labels", "--cards", "0")
