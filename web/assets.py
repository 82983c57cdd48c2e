"""Static files under an address that carries their own hash: cached for ever, new at once."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parent / "static"
#: Plotly's script, served from the installed package; the address of it.
PLOTLY: Final = "vendor/plotly.min.js"
_KINDS: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


class Asset(NamedTuple):
    """A file as it is sent: plain, packed (None where packing gains nothing), its media type."""

    plain: bytes
    packed: bytes | None
    kind: str


@cache
def version() -> str:
    """A hash over all static files, texts and templates: pages reload when it has changed."""
    digest = hashlib.sha256()
    for folder in (ROOT, ROOT.parent / "texts", ROOT.parent / "templates"):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
                digest.update(path.read_bytes())
    plotly = _plotly()
    if plotly is not None:
        stat = plotly.stat()
        digest.update(f"{stat.st_size} {stat.st_mtime_ns}".encode())  # not its 5 MB at every start
    return digest.hexdigest()[:12]


@cache
def listing() -> dict[str, Path]:
    """Every file that may be served, by its address below /static/<version>/. What is not in this
    table does not exist, so no path can lead out of the folder."""
    ours = {
        path.relative_to(ROOT).as_posix(): path
        for path in ROOT.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
    plotly = _plotly()
    return ours if plotly is None else {**ours, PLOTLY: plotly}


@cache
def _plotly() -> Path | None:
    """Plotly's script in the installed package, found without importing it (that takes a Pi seconds)."""
    spec = find_spec("plotly")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(folder) / "package_data" / "plotly.min.js"
        if path.is_file():
            return path
    return None


@cache
def plotly_styles() -> tuple[str, ...]:
    """The ids of the style elements that Plotly's script would add to a page, which our pages forbid. Where
    an element of that id stands already, it adds none; what the charts need stands in css/lab.css."""
    path = _plotly()
    text = "" if path is None else path.read_text(encoding="utf-8")
    maps = re.findall(r'getElementById\("([0-9a-f]{64})"\)', text)
    return ("plotly.js-style-global", *dict.fromkeys(maps))


@cache
def modules(*names: str) -> tuple[str, ...]:
    """The scripts of these names and all that they import, for a page to ask for at once: found one
    after the other, each row of imports would cost a phone another round trip."""
    found: dict[str, None] = {}
    waiting = [name for name in names if name in listing()]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            text = listing()[name].read_text(encoding="utf-8")
            imported = re.findall(r'^import [^;]* from "\./([\w-]+\.js)"', text, re.MULTILINE)
            waiting += [f"js/{other}" for other in imported]
    return tuple(found)


@cache
def asset(name: str) -> Asset | None:
    """The file of that name, read once; None where there is none."""
    path = listing().get(name)
    if path is None:
        return None
    plain = path.read_bytes()
    guessed = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    kind = _KINDS.get(path.suffix, guessed)
    packed = gzip.compress(plain, 6, mtime=0) if path.suffix in _KINDS else None
    return Asset(plain, packed if packed and len(packed) < len(plain) else None, kind)
