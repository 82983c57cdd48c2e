"""The words of charts and reports, one TOML file a language; numbers as that language writes them."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

FOLDER = resources.files("engine.lab.show") / "words"
DEFAULT = "en"


@cache
def _texts(language: str) -> dict[str, str]:
    with (FOLDER / f"{language}.toml").open("rb") as file:
        tables: dict[str, dict[str, str]] = tomllib.load(file)
    return {f"{name}.{key}": text for name, table in tables.items() for key, text in table.items()}


def languages() -> tuple[str, ...]:
    """The languages there are.

    >>> languages()
    ('en', 'it')
    """
    return tuple(sorted(file.name[:-5] for file in FOLDER.iterdir() if file.name.endswith(".toml")))


class Words:
    """The texts in one language; an unknown language is English.

    >>> Words("it").number(1234.5, 1), Words("en").number(-3, 0, sign=True)
    ('1.234,5', '−3')
    """

    def __init__(self, language: str = DEFAULT) -> None:
        self.language = language if language in languages() else DEFAULT
        self._texts = _texts(self.language)

    def __call__(self, key: str, **values: object) -> str:
        """The text of that key with its {names} filled in. Raises KeyError where there is none."""
        text = self._texts[key]
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def get(self, key: str, otherwise: str) -> str:
        """The text where there is one, else `otherwise`."""
        return self._texts.get(key, otherwise)

    def number(self, value: float, digits: int = 1, sign: bool = False) -> str:
        """A number as it is written here, with its sign if asked for."""
        text = f"{abs(value):,.{digits}f}"
        if self.language == "it":
            text = text.translate(str.maketrans(",.", ".,"))
        minus = value < 0 and float(f"{value:.{digits}f}") != 0
        return f"{'−' if minus else '+' if sign else ''}{text}"

    def columns(self) -> dict[str, str]:
        """The headings of a chart's table."""
        return {key: self(f"column.{key}") for key in ("source", "value", "low", "high", "n")}

    def both(self, parts: list[str]) -> str:
        """`a, b and c`."""
        if len(parts) < 2:
            return "".join(parts)
        return f"{', '.join(parts[:-1])} {self('list.and')} {parts[-1]}"
