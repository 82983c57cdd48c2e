"""Static files under an address that carries their own hash: cached for ever, new at once."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parent / "static"
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
    return digest.hexdigest()[:12]


@cache
def listing() -> dict[str, Path]:
    """Every file that may be served, by its address below /static/<version>/. What is not in this
    table does not exist, so no path can lead out of the folder."""
    return {
        path.relative_to(ROOT).as_posix(): path
        for path in ROOT.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


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
