"""`crowntable doctor`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command."""
    doctor = sub.add_parser(
        "doctor",
        help="is this table fit to play?",
        description="Checks readers, camera, LEDs, permissions, disk, voltage, clock; exit 1 if one fails.",
        epilog="example: crowntable doctor --layout althera-3 --bundle help.zip",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    doctor.add_argument("--layout", metavar="FILE", help="a layout file or a shipped name")
    doctor.add_argument("--data", type=Path, metavar="DIR", help="where the journal lives")
    doctor.add_argument("--json", action="store_true", help="one JSON document on stdout")
    doctor.add_argument("--bundle", type=Path, metavar="FILE.zip", help="all that a helper needs")
    doctor.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from host.doctor import bundle, examine, layout_check, report
    from host.run import default_data

    data = args.data or default_data(virtual=False)
    layout, first = layout_check(args.layout) if args.layout else (None, None)
    checks = [*([first] if first else []), *examine(layout, data)]
    if args.bundle is not None:
        bundle(args.bundle, checks, layout, data)
        print(f"Written: {args.bundle}", file=sys.stderr)
    if args.json:
        print(json.dumps({"checks": [asdict(c) for c in checks]}))
    else:
        print(report(checks))
    return 1 if any(c.level == "fail" for c in checks) else 0
