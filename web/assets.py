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

from web import bundle

ROOT: Final = bundle.ROOT
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
    """A hash over all static files, what puts them together, texts and templates: pages reload when it has
    changed."""
    digest = hashlib.sha256(Path(bundle.__file__).read_bytes())
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
def asset(name: str) -> Asset | None:
    """The file of that name, read once; None where there is none. `page/<page>.js` and `page/<page>.css`
    are a page's scripts and style sheets as one file each."""
    made = re.fullmatch(r"page/(\w+)\.(js|css)", name)
    if made is not None:
        plain = bundle.script(made[1]) if made[2] == "js" else bundle.sheet(made[1])
    else:
        path = listing().get(name)
        plain = None if path is None else path.read_bytes()
    if plain is None:
        return None
    suffix = Path(name).suffix
    kind = _KINDS.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    packed = gzip.compress(plain, 6, mtime=0) if suffix in _KINDS else None
    return Asset(plain, packed if packed and len(packed) < len(plain) else None, kind)
