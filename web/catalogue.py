"""All words of the pages: one TOML file a language in web/texts, English is the whole of it."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

from engine.errors import CrowntableError

FOLDER: Final = Path(__file__).parent / "texts"
DEFAULT: Final = "en"


def languages() -> tuple[str, ...]:
    """The languages there are, English first.

    >>> languages()[0]
    'en'
    """
    names = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return (DEFAULT, *(name for name in names if name != DEFAULT))


def _flat(table: dict[str, object], prefix: str, into: dict[str, str]) -> None:
    for key, value in table.items():
        if isinstance(value, dict):
            _flat(value, f"{prefix}{key}.", into)
        else:
            into[f"{prefix}{key}"] = str(value)


def read(path: Path) -> dict[str, str]:
    """One catalogue, flat: section.key -> text. Raises CrowntableError for a damaged file."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CrowntableError(
            f"The texts {path.name} can't be read: {error}.", "Mend the file or install afresh."
        ) from error
    flat: dict[str, str] = {}
    _flat(table, "", flat)
    return flat


@cache
def texts(language: str) -> dict[str, str]:
    """The texts in a language; what it lacks is English. An unknown language is English."""
    base = read(FOLDER / f"{DEFAULT}.toml")
    if language == DEFAULT or language not in languages():
        return base
    return base | read(FOLDER / f"{language}.toml")


def choose(cookie: str | None, accepted: str | None) -> str:
    """The language of a visitor: their choice, else the first of the browser's that we have.

    >>> choose(None, "xx-YY,en;q=0.5")
    'en'
    """
    have = languages()
    if cookie in have:
        return str(cookie)
    for part in (accepted or "").split(","):
        name = part.split(";")[0].strip().lower().split("-")[0]
        if name in have:
            return name
    return DEFAULT
