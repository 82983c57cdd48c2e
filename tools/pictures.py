"""Draws docs/pictures/*.svg from the code as it is: the rooms with their imports, and the data's way.

.venv/bin/python tools/pictures.py           draws them
.venv/bin/python tools/pictures.py --check   exits 1 where one is not what the code says now
"""

from __future__ import annotations

import sys
from html import escape
from importlib import import_module
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "pictures"
ROOMS = {
    "web": "pages, API, live stream",
    "host": "devices, tracking, interpretation,\njournal, crown, the virtual table",
    "engine": "rules, records, bots, the lab",
    "vision": "a frame in, dice out",
}
#: The data's way: (type, module of the type, who makes it, module and name of the maker).
WAY = [
    ("Sighting", "host.sighting", "a device saw something", "host.device", "Device"),
    ("Settled", "host.settled", "many sightings judged", "host.tracker", "Tracker"),
    ("Action", "host.action", "what it means in the game", "host.interpret", "interpret"),
    ("Verdict", "engine.game", "what the rules say", "host.match", "Match"),
    ("Entry", "host.entry", "committed to disk, then shown", "host.journal", "Journal"),
    ("View", "host.view", "made for one audience", "host.view", "make_view"),
]
STYLE = """<style>
text{font:14px system-ui,sans-serif;fill:#1d1a26}.h{font-weight:700;font-size:17px}
.s{font-size:12px;fill:#5b5568}
.m{font:12px ui-monospace,monospace;fill:#5b5568}rect{fill:#f7f3e8;stroke:#b08d2e;stroke-width:1.5}
path{fill:none;stroke:#6b6480;stroke-width:1.6;marker-end:url(#a)}.n{font-size:12px;fill:#6b6480}
.bg{fill:#fff;stroke:none}
</style><defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8"
orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" style="fill:#6b6480;stroke:none"/></marker></defs>"""


def svg(width: int, height: int, body: list[str], title: str) -> str:
    """A whole picture."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
    ground = f'<rect class="bg" width="{width}" height="{height}"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE, ground, *body, "</svg>\n"])


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "middle") -> str:
    """One line of text."""
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def rooms() -> str:
    """Each room, and an arrow where a module of one imports a module of another."""
    graph = grimp.build_graph(*ROOMS, cache_dir=None)
    arrows = {
        (importer.split(".")[0], imported.split(".")[0])
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    }
    place = {"web": (380, 30), "host": (380, 170), "engine": (150, 340), "vision": (610, 340)}
    body = []
    for name, words in ROOMS.items():
        x, y = place[name]
        body.append(f'<rect x="{x - 140}" y="{y}" width="280" height="86" rx="8"/>')
        body.append(text(x, y + 25, f"{name}/", "h"))
        for i, line in enumerate(words.split("\n")):
            body.append(text(x, y + 45 + 16 * i, line, "s"))
    ends = {
        ("web", "host"): "M380 116V168", ("host", "engine"): "M320 256L220 338",
        ("host", "vision"): "M440 256L540 338", ("web", "engine"): "M240 80C90 110 70 240 110 338",
    }  # fmt: skip
    for pair in sorted(arrows):
        if pair[0] == pair[1]:
            continue
        if pair not in ends:
            raise SystemExit(f"{pair[0]} imports {pair[1]}: the design has no such arrow")
        body.append(f'<path d="{ends[pair]}"/>')
    body.append(text(390, 146, "imports", "n", "start"))
    for i, (name, words) in enumerate(
        [("firmware/", "MicroPython on the Pico; talks to host/link over a serial line"),
         ("hardware/", "table layouts, read by host/layout"),
         ("tests/", "mirrors the rooms; tests/system runs whole tables")]
    ):  # fmt: skip
        body.append(text(20, 460 + 22 * i, name, "h", "start"))
        body.append(text(124, 460 + 22 * i, words, "s", "start"))
    return svg(760, 520, body, "The rooms and who imports whom")


def way() -> str:
    """The six types in a row, each with the module it lives in and who makes it."""
    body, step = [], 122
    body.append(text(14, 26, "readers, camera, buttons", "s", "start"))
    body.append('<path d="M70 34V58"/>')
    for i, (name, module, words, maker, maker_name) in enumerate(WAY):
        loaded = import_module(module)
        if name not in ("View",) and not hasattr(loaded, name):
            raise SystemExit(f"{module} has no {name}: mend WAY in tools/pictures.py")
        if not hasattr(import_module(maker), maker_name):
            raise SystemExit(f"{maker} has no {maker_name}: mend WAY in tools/pictures.py")
        y = 60 + i * 74
        body.append(f'<rect x="14" y="{y}" width="112" height="46" rx="8"/>')
        body.append(text(70, y + 29, name, "h"))
        body.append(text(step + 24, y + 18, words, "", "start"))
        body.append(text(step + 24, y + 37, f"{module}   by {maker}.{maker_name}", "m", "start"))
        if i:
            body.append(f'<path d="M70 {y - 28}V{y - 2}"/>')
    end = 60 + len(WAY) * 74
    body.append(f'<path d="M70 {end - 28}V{end - 4}"/>')
    body.append(text(14, end + 16, "browsers and the crown", "s", "start"))
    body.append('<path d="M600 230H470"/>')
    body.append(text(610, 226, "operator, seats, API:", "s", "start"))
    body.append(text(610, 242, "the same actions", "s", "start"))
    body.append('<path d="M420 398C500 398 500 310 420 310"/>')
    body.append(text(496, 350, "replay rebuilds", "s", "start"))
    body.append(text(496, 366, "all from entries", "s", "start"))
    return svg(820, end + 30, body, "The way of the data")


def main() -> int:
    """Draws or checks."""
    stale = []
    OUT.mkdir(parents=True, exist_ok=True)
    for name, picture in (("rooms.svg", rooms()), ("way.svg", way())):
        path = OUT / name
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != picture:
                stale.append(name)
        else:
            path.write_text(picture, encoding="utf-8")
    if stale:
        print(f"{', '.join(stale)}: not what the code says now. Run: .venv/bin/python tools/pictures.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
