"""`crowntable chaos list`: the troubles that the virtual table can rehearse."""

from __future__ import annotations

import argparse
import json


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command."""
    chaos = sub.add_parser(
        "chaos",
        help="the troubles that the virtual table can rehearse",
        description="Lists the chaos scenarios: which failures, what happens, what you see instead.",
        epilog="example: crowntable chaos list\n         crowntable run --virtual --chaos flicker",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    chaos.add_argument("what", choices=["list"])
    chaos.add_argument("--json", action="store_true", help="one JSON document on stdout")
    chaos.set_defaults(run=_list)


def _list(args: argparse.Namespace) -> int:
    from host.virtual.chaos import SCENARIOS

    if args.json:
        rows = {n: {"failures": s.failures.split(), "happens": s.happens, "instead": s.instead}
                for n, s in SCENARIOS.items()}  # fmt: skip
        print(json.dumps(rows))
        return 0
    for name, scenario in SCENARIOS.items():
        print(f"{name}  ({scenario.failures})\n    {scenario.happens}\n    instead: {scenario.instead}")
    return 0
