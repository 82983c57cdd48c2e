"""This room's command: `crowntable run`."""

from __future__ import annotations

import argparse
from pathlib import Path


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command; what it needs is imported when it runs."""
    run = sub.add_parser(
        "run",
        help="the table with its dashboard",
        description="Runs the table. Goes on with the match that was open when it last stopped.",
        epilog="example: crowntable run --virtual --speed 4 --bots greedy,random",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("--virtual", action="store_true", help="stand-ins at the wire instead of devices")
    run.add_argument("--layout", default="althera-3", metavar="FILE", help="a layout file or a shipped name")
    run.add_argument("--port", type=int, default=8000, help="0 takes a free one (default 8000)")
    run.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets phones in (default 127.0.0.1)")
    run.add_argument("--data", type=Path, metavar="DIR", help="where the journal lives")
    run.add_argument("--bots", metavar="NAMES", help="greedy, random or none; one a seat, by commas")
    run.add_argument("--speed", type=float, default=1.0, metavar="X", help="1 is a person's pace")
    run.add_argument("--matches", type=int, default=0, metavar="N", help="end after N matches")
    run.add_argument("--chaos", action="append", metavar="NAME", help="a trouble; may be given often")
    run.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    run.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from web.run import run

    return run(args)
