"""Canvases as the pages of a PDF 1.4: vector only, the viewer's own Helvetica, the same bytes every time."""

from __future__ import annotations

import math
import unicodedata
import zlib
from collections.abc import Sequence
from pathlib import Path as File

from engine.errors import CrowntableError
from host.products.canvas import Canvas, Circle, Path, Shape, Text, text_width

POINTS_PER_MM = 72 / 25.4
_ROUND = 0.5522847498  # a quarter circle as a Bézier curve


def write_pdf(path: File, pages: Sequence[Canvas], title: str, *, packed: bool = True) -> None:
    """Writes the pages, each in its own size, to scale. Raises CrowntableError where it can't."""
    try:
        path.write_bytes(pdf_bytes(pages, title, packed=packed))
    except OSError as error:
        raise CrowntableError(
            f"{path} can't be written: {error.strerror or error}.", "Give another file with -o."
        ) from None


def pdf_bytes(pages: Sequence[Canvas], title: str, *, packed: bool = True) -> bytes:
    """The document. `packed=False` leaves the drawing readable."""
    kids = " ".join(f"{6 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
            for name in ("Helvetica", "Helvetica-Bold")
        ),
        b"<< /Title (" + _letters(title) + b") >>",
    ]
    for i, page in enumerate(pages):
        box = f"[0 0 {_n(page.width * POINTS_PER_MM)} {_n(page.height * POINTS_PER_MM)}]"
        fonts = "<< /Font << /F1 3 0 R /F2 4 0 R >> >>"
        what = f"/Parent 2 0 R /MediaBox {box} /Resources {fonts} /Contents {7 + 2 * i} 0 R"
        objects.append(f"<< /Type /Page {what} >>".encode())
        stream = _content(page)
        words = ""
        if packed:
            stream, words = zlib.compress(stream, 9), " /Filter /FlateDecode"
        objects.append(f"<< /Length {len(stream)}{words} >>\nstream\n".encode() + stream + b"\nendstream")
    return _file(objects)


def _file(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 5 0 R >>\n".encode()
    return bytes(out + f"startxref\n{start}\n%%EOF\n".encode())


def _content(page: Canvas) -> bytes:
    """The page's drawing, in millimetres with y down by one transformation."""
    k = POINTS_PER_MM
    lines = [f"{_n(k)} 0 0 {_n(-k)} 0 {_n(page.height * k)} cm 1 J 1 j".encode()]
    lines += [_shape(shape) for shape in page.shapes]
    return b"\n".join(lines)


def _shape(shape: Shape) -> bytes:
    if isinstance(shape, Text):
        return _text(shape)
    words = []
    if shape.fill:
        words.append(f"{_colour(shape.fill)} rg")
    if shape.stroke:
        dash = f"[{_n(shape.dash)}] 0 d" if shape.dash else "[] 0 d"
        words.append(f"{_colour(shape.stroke)} RG {_n(shape.width)} w {dash}")
    words.append(_circle(shape) if isinstance(shape, Circle) else _way(shape))
    closed = isinstance(shape, Circle) or shape.closed
    words.append(("B" if shape.stroke else "f") if shape.fill else ("s" if closed else "S"))
    return " ".join(words).encode()


def _way(shape: Path) -> str:
    (x, y), *rest = shape.points
    way = f"{_n(x)} {_n(y)} m " + " ".join(f"{_n(a)} {_n(b)} l" for a, b in rest)
    return way + (" h" if shape.closed else "")


def _circle(shape: Circle) -> str:
    (x, y), r = shape.middle, shape.radius
    c = r * _ROUND
    return (
        f"{_n(x + r)} {_n(y)} m "
        f"{_n(x + r)} {_n(y + c)} {_n(x + c)} {_n(y + r)} {_n(x)} {_n(y + r)} c "
        f"{_n(x - c)} {_n(y + r)} {_n(x - r)} {_n(y + c)} {_n(x - r)} {_n(y)} c "
        f"{_n(x - r)} {_n(y - c)} {_n(x - c)} {_n(y - r)} {_n(x)} {_n(y - r)} c "
        f"{_n(x + c)} {_n(y - r)} {_n(x + r)} {_n(y - c)} {_n(x + r)} {_n(y)} c h"
    )


def _text(shape: Text) -> bytes:
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor]
    back = -shift * text_width(shape.text, shape.size, shape.bold)
    cos, sin = math.cos(math.radians(shape.turn)), math.sin(math.radians(shape.turn))
    x, y = shape.at[0] + back * cos, shape.at[1] + back * sin
    # The page is turned over, so each line of text is turned back.
    matrix = f"{_n(cos)} {_n(sin)} {_n(sin)} {_n(-cos)} {_n(x)} {_n(y)} Tm"
    font = f"/F{2 if shape.bold else 1} {_n(shape.size)} Tf"
    head = f"BT {_colour(shape.fill)} rg {font} {matrix} (".encode()
    return head + _letters(shape.text) + b") Tj ET"


def _letters(text: str) -> bytes:
    """A text in the fonts' own encoding; a letter that it lacks without its accent, or as a question mark."""
    raw = bytearray()
    for letter in text:
        for candidate in (letter, unicodedata.normalize("NFKD", letter)[0], "?"):
            try:
                raw += candidate.encode("cp1252")
                break
            except UnicodeEncodeError:
                continue
    return bytes(raw).replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _colour(code: str) -> str:
    return " ".join(_n(int(code[i : i + 2], 16) / 255) for i in (1, 3, 5))


def _n(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") or "0"
