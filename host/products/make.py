"""All products of one table: made, written, or held against what is committed."""

from __future__ import annotations

from pathlib import Path

from engine.errors import CrowntableError
from host.layout import shipped_layouts, tables_folder
from host.link.protocol import crc16
from host.products import bom, geometry, power, prints
from host.products.build import Build, find_build
from host.products.guide import guide
from host.products.pins import claims, firmware_config
from host.products.table_picture import table_picture
from host.products.wires import harness, wireviz
from host.products.wiring_picture import wiring_picture


def check(build: Build) -> None:
    """Everything that can be wrong with a table. Raises CrowntableError with the first fault."""
    claims(build)
    power.check(build)
    geometry.check(build)


def products(build: Build) -> dict[str, str]:
    """Every product's text by file name. Raises CrowntableError where the build is wrong."""
    check(build)
    made = {
        "guide.md": guide(build),
        "bom.csv": bom.as_csv(build),
        "table.svg": table_picture(build).svg(),
        "wiring.svg": wiring_picture(build).svg(1.0),
        "wiring.yml": wireviz(harness(build)),
    }
    words = firmware_config(build)
    if words:
        body = " ".join(f"{key}={words[key]}" for key in sorted(words))
        made["pico-config.txt"] = f"{body}*{crc16(body.encode()):04X}\n"
    return made


def write(build: Build, out: Path) -> list[Path]:
    """Writes a table's products into a folder. Raises CrowntableError where that can't be."""
    made = products(build)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in made.items():
            (out / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CrowntableError(
            f"{out} can't be written: {error.strerror or error}.", "Give another folder with -o."
        ) from None
    return [out / name for name in made]


def stale(build: Build, out: Path) -> list[Path]:
    """The products in `out` that are missing, or not what the description says now, or none any more."""
    made = products(build)
    there = {path.name for path in out.iterdir()} if out.is_dir() else set()
    old = {name for name, text in made.items() if name in there and (out / name).read_text("utf-8") != text}
    return [out / name for name in sorted(old | (set(made) - there) | (there - set(made)))]


def committed() -> Path:
    """Where the shipped tables' products lie."""
    return tables_folder().parent / "products"


def pictures_folder() -> Path:
    """Where the printable parts' preview pictures lie."""
    return tables_folder().parents[1] / "docs" / "pictures"


def all_stale() -> list[Path]:
    """Every committed product, of every shipped table and of the printable parts, that is stale."""
    found = [path for name in shipped_layouts() for path in stale(find_build(name), committed() / name)]
    return found + [pictures_folder() / name for name in prints.stale_pictures(pictures_folder())]
