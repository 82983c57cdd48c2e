"""`crowntable hardware`: everything that building a table takes."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

_EPILOG = """\
LAYOUT is a shipped table's name, a layout file, `all` (every shipped table) or `parts` (the printable parts:
STL files, measured, and their pictures; needs OpenSCAD).

example:
  crowntable hardware althera-3 -o my-table     guide, parts list, wiring, drawing, the Pico's settings
  crowntable hardware parts -o stl              the printable parts
  crowntable hardware all --check               is what is committed still true?
"""


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `hardware`."""
    command = sub.add_parser(
        "hardware",
        help="wiring, parts, power, guide of a table",
        description="Makes, from a table's one description, its wiring, bill of materials, power budget, "
        "drawing to scale, assembly guide and the Pico's settings; refuses a table that can't work.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "layout", metavar="LAYOUT", nargs="?", default="all", help="see below (default: all)"
    )
    command.add_argument("-o", "--out", type=Path, metavar="DIR", help="where to (default: as committed)")
    command.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 where something is stale"
    )
    command.add_argument("--json", action="store_true", help="one JSON document on stdout")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carries it out. Raises CrowntableError."""
    if args.check:
        return _check(args)
    if args.layout == "parts":
        return _parts(args)
    from host.layout import shipped_layouts
    from host.products import bom, make
    from host.products.build import find_build

    names = list(shipped_layouts()) if args.layout == "all" else [args.layout]
    report = []
    for name in names:
        build = find_build(name)
        out = args.out or make.committed() / build.name
        files = make.write(build, out / build.name if args.out and args.layout == "all" else out)
        report.append({"table": build.name, "eur": bom.total(build), "files": [str(file) for file in files]})
        if not args.json:
            print(
                f"{build.name}: {len(files)} files in {files[0].parent}, parts for {bom.total(build):.2f} EUR"
            )
    if args.json:
        print(json.dumps(report))
    return 0


def _check(args: argparse.Namespace) -> int:
    from host.products import make
    from host.products.build import find_build

    if args.layout in ("all", "parts"):
        stale = make.all_stale()
    else:
        build = find_build(args.layout)
        stale = make.stale(build, args.out or make.committed() / build.name)
    if args.json:
        print(json.dumps({"stale": [str(path) for path in stale]}))
    if not stale:
        return 0
    print(
        "Not what the description says now: " + ", ".join(str(path) for path in stale) + ".", file=sys.stderr
    )
    made = {"parts" if path.suffix == ".png" else args.layout for path in stale}
    print("Run: " + "; ".join(f"crowntable hardware {one}" for one in sorted(made)), file=sys.stderr)
    return 1


def _parts(args: argparse.Namespace) -> int:
    from engine.errors import CrowntableError
    from host.products import make, prints

    folder = args.out or make.pictures_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".try").touch()
        (folder / ".try").unlink()
    except OSError as error:
        reason = error.strerror or str(error)
        raise CrowntableError(
            f"{folder} can't be written: {reason}.", "Give another folder with -o."
        ) from None
    meshes = prints.render_all(args.out)
    faults = []
    for name, mesh in meshes.items():
        part = prints.printed_parts()[name]
        faults += prints.judge(part, mesh)
        if not args.json:
            print(prints.figures(part, mesh))
    if args.json:
        print(json.dumps({"parts": sorted(meshes), "faults": faults}))
    if faults:
        raise CrowntableError(" ".join(faults), "Mend hardware/printed, or what parts.toml says of it.")
    for name in prints.pictures():
        prints.draw(name, meshes, folder / f"hardware-{name}.png")
    return 0
