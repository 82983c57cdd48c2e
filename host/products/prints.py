"""The printable parts: rendered from their OpenSCAD source, judged by number, pictured.

`hardware/printed/parts.toml` says which there are and what is measured on each.
"""

from __future__ import annotations

import hashlib
import math
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import CrowntableError
from host.layout import tables_folder
from host.products.mesh import Mesh, gap, open_edges, read_stl, steepest_overhang, thinnest_wall
from host.products.preview import picture, png_note, write_png

Vector = tuple[float, float, float]
GOLD = (222, 176, 74)
PATIENCE_S = 600


@dataclass(frozen=True, slots=True)
class Fit:
    """One thing measured on a part: from `at` along `along` the material comes after `least` to `most` mm."""

    what: str
    at: Vector
    along: Vector
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Printed:
    """A printable part. `settings` are OpenSCAD variables, `cm3` its solid volume, `least_wall` in mm,
    `overhang` in degrees from the vertical."""

    name: str
    source: str
    what: str
    cm3: float
    least_wall: float
    overhang: float
    settings: Mapping[str, str]
    fits: tuple[Fit, ...]


def folder() -> Path:
    """Where the sources lie."""
    return tables_folder().parent / "printed"


@cache
def _document() -> Mapping[str, Any]:
    return tomllib.loads((folder() / "parts.toml").read_text(encoding="utf-8"))


@cache
def printed_parts() -> Mapping[str, Printed]:
    """All printable parts by name."""
    found = {}
    for one in _document()["part"]:
        fits = tuple(
            Fit(fit["what"], tuple(fit["at"]), tuple(fit["along"]), fit["least"], fit["most"])
            for fit in one.get("fit", ())
        )
        found[one["name"]] = Printed(
            one["name"], one["source"], one["what"], one["cm3"], one["least_wall"], one["overhang"],
            one.get("set", {}), fits,
        )  # fmt: skip
    return found


def render(part: Printed, stl: Path) -> Mesh:
    """Renders a part into a binary STL file. Raises CrowntableError without OpenSCAD, or where it fails."""
    if shutil.which("openscad") is None:
        raise CrowntableError("OpenSCAD is not installed.", "Install it: apt-get install openscad.")
    settings = [word for key, value in part.settings.items() for word in ("-D", f'{key}="{value}"')]
    command = ["openscad", "-q", "--export-format", "binstl", *settings, "-o", str(stl)]
    try:
        done = subprocess.run(
            [*command, str(folder() / part.source)],
            capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CrowntableError(f"OpenSCAD takes too long over {part.source}.", "Try again.") from None
    if done.returncode != 0 or not stl.is_file():
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise CrowntableError(f"OpenSCAD can't render {part.name}: {last}", f"Mend {part.source}.")
    return read_stl(stl)


def judge(part: Printed, mesh: Mesh) -> list[str]:
    """Everything that is wrong with a rendered part, in sentences; empty where it can be printed."""
    faults = []
    if edges := open_edges(mesh):
        faults.append(f"{edges} edges are open: the body is not watertight")
    if mesh.points[:, 2].min() < -0.001:
        faults.append("it reaches below the printer's bed")
    if abs(mesh.volume() / 1000 / part.cm3 - 1) > 0.03:
        faults.append(f"its volume is {mesh.volume() / 1000:.1f} cm3 and not {part.cm3:.1f}")
    if (wall := thinnest_wall(mesh)) < part.least_wall:
        faults.append(f"a wall is {wall:.2f} mm thin; {part.least_wall} mm are needed")
    if (overhang := steepest_overhang(mesh)) > part.overhang + 0.5:
        faults.append(
            f"a face overhangs by {overhang:.0f} degrees; {part.overhang:.0f} print without support"
        )
    for fit in part.fits:
        far = gap(mesh, fit.at, fit.along)
        if not fit.least <= far <= fit.most:
            faults.append(f"{fit.what}: measured {far:.2f} mm, wanted {fit.least} to {fit.most}")
    return [f"{part.name}: {fault}." for fault in faults]


def figures(part: Printed, mesh: Mesh) -> str:
    """A part's measurements in one line."""
    x, y, z = mesh.size()
    fits = "; ".join(f"{gap(mesh, fit.at, fit.along):.2f} mm: {fit.what}" for fit in part.fits)
    line = (
        f"{part.name}: {x:.0f} x {y:.0f} x {z:.0f} mm, {mesh.volume() / 1000:.1f} cm3, "
        f"wall {thinnest_wall(mesh):.2f} mm, overhang {steepest_overhang(mesh):.0f} degrees"
    )
    return f"{line}; {fits}" if fits else line


def pictures() -> tuple[str, ...]:
    """The names of the preview pictures."""
    return tuple(one["name"] for one in _document()["picture"])


def sources_mark(name: str) -> str:
    """A fingerprint of all that a preview is made from: kept in the picture, so that a stale one shows."""
    one = next(one for one in _document()["picture"] if one["name"] == name)
    parts = [printed_parts()[part] for part in sorted({part for part, *_ in one["parts"]})]
    words = hashlib.sha256(repr((one, [(part.name, part.settings) for part in parts])).encode())
    for source in sorted({part.source for part in parts}):
        words.update((folder() / source).read_bytes())
    return words.hexdigest()


def stale_pictures(out: Path) -> list[str]:
    """The preview pictures under `out` (`hardware-NAME.png`) that are missing or of another source."""
    names = [(name, out / f"hardware-{name}.png") for name in pictures()]
    return [path.name for name, path in names if not path.is_file() or png_note(path) != sources_mark(name)]


def draw(name: str, meshes: Mapping[str, Mesh], path: Path) -> None:
    """A preview picture of parts side by side or put together."""
    one = next(one for one in _document()["picture"] if one["name"] == name)
    placed = [_moved(meshes[part], (x, y, z), turn) for part, x, y, z, turn in one["parts"]]
    write_png(path, picture(_joined(placed), GOLD, tilt=one["tilt"], width=820), sources_mark(name))


def _moved(mesh: Mesh, by: Sequence[float], turn: float) -> Mesh:
    a = math.radians(turn)
    spin = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])
    return Mesh(mesh.points @ spin.T + np.array(by, np.float64), mesh.faces)


def _joined(meshes: Sequence[Mesh]) -> Mesh:
    points, faces, start = [], [], 0
    for mesh in meshes:
        points.append(mesh.points)
        faces.append(mesh.faces + start)
        start += len(mesh.points)
    return Mesh(np.concatenate(points), np.concatenate(faces))


def render_all(out: Path | None, names: Iterable[str] = ()) -> dict[str, Mesh]:
    """Renders all parts (or those named) into `out`, or into nothing that stays."""
    wanted = [part for part in printed_parts().values() if not names or part.name in set(names)]
    with tempfile.TemporaryDirectory() as scratch:
        target = out or Path(scratch)
        target.mkdir(parents=True, exist_ok=True)
        return {part.name: render(part, target / f"{part.name}.stl") for part in wanted}
