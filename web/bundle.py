"""A page's scripts as one file and its style sheets as one file, put together when first asked for.

The files in `static/` stay as they are written: modules that import each other. A phone, though, pays for
each of them before the first paint; twenty cost a slow one half a second. Nothing is rewritten but the
lines that begin with `import` and `export`, in the few forms our modules use; another form is a ValueError,
which the tests find for every page.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent / "static"

#: The style sheets of each page or family of pages, in the order in which they hold.
SHEETS: Final = {
    "plain": ("base",),
    "table": ("base", "table", "attract"),
    **dict.fromkeys(("seat", "operator", "virtual"), ("base", "table", "desk")),
    **dict.fromkeys(("setup", "health"), ("base", "table", "desk", "setup")),
    "overlay": ("base", "table", "overlay"),
    "replay": ("base", "table", "replay"),
    "hall": ("base", "table", "hall"),
    "rules": ("base", "table", "rules"),
    "lab": ("base", "table"),
    "answers": ("base", "table", "feedback"),
    "feedback": ("base", "feedback"),
}
#: Pages that follow the table's stream in the frame of main.js, each drawn by the module of its name.
FRAMED: Final = ("table", "seat", "operator", "virtual", "setup", "health", "overlay")
#: How each page with more than one script begins, `need` being what brings a module.
SCRIPTS: Final = {
    **{name: f'need("main.js").start(need("{name}.js").draw);' for name in FRAMED},
    "replay": 'need("replay.js");',
    "hall": 'need("hall.js");',
}

_FROM: Final = re.compile(r'^import \{ ([^}]+) \} from "\./([\w-]+\.js)";$', re.MULTILINE)
_LATER: Final = re.compile(r'\bimport\("\./([\w-]+\.js)"\)')
_EXPORT: Final = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
_NEEDED: Final = re.compile(r'\bneed\("([\w-]+\.js)"\)')
_FRAME: Final = """const made = new Map();
const need = (name) => {
  if (!made.has(name)) made.set(name, parts[name]());
  return made.get(name);
};
"""


@cache
def sheet(page: str) -> bytes | None:
    """The style sheets of a page as one, None for an unknown page."""
    names = SHEETS.get(page)
    if names is None:
        return None
    return b"\n".join((ROOT / "css" / f"{name}.css").read_bytes() for name in names)


@cache
def script(page: str) -> bytes | None:
    """The scripts of a page as one module, each part run when it is first needed, None for an unknown
    page."""
    start = SCRIPTS.get(page)
    if start is None:
        return None
    parts = [f'  "{name}": () => {{\n{_part(name)}\n  }},' for name in closure(*_NEEDED.findall(start))]
    return "\n".join(["const parts = {", *parts, "};", _FRAME + start, ""]).encode()


def closure(*names: str) -> tuple[str, ...]:
    """These modules and all that they import, at once or later."""
    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += [*imported(name), *_LATER.findall(source(name))]
    return tuple(found)


def imported(name: str) -> tuple[str, ...]:
    """The modules that have to run before this one."""
    return tuple(other for _, other in _FROM.findall(source(name)))


@cache
def source(name: str) -> str:
    """A module as it is written."""
    return (ROOT / "js" / name).read_text(encoding="utf-8")


def _part(name: str) -> str:
    """A module as the body of a function that returns what it exports."""
    text = _FROM.sub(lambda found: f'const {{ {_renamed(found[1])} }} = need("{found[2]}");', source(name))
    text = _LATER.sub(r'Promise.resolve("\1").then(need)', text)
    exports = ", ".join(found[2] for found in _EXPORT.finditer(text))
    text = _EXPORT.sub(r"\1 \2", text)
    if odd := re.search(r"^(?:import|export)\b.*|\bimport[.(].*", text, re.MULTILINE):
        raise ValueError(f"{name}: a page's one file can't be made with this form: {odd[0]}")
    return f"{text}\nreturn {{ {exports} }};"


def _renamed(names: str) -> str:
    return ", ".join(name.strip().replace(" as ", ": ") for name in names.split(","))
