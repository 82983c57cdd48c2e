"""`crowntable replay MATCH --from-sensors`: what the host adds to the engine's replay."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path

from engine.errors import CrowntableError


def extend(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the switches to the `replay` command that the engine has registered."""
    replay = sub.choices["replay"]
    replay.add_argument(
        "--from-sensors", action="store_true", help="judge the match again from what the devices saw"
    )
    replay.add_argument("--layout", metavar="FILE", help="with --from-sensors: other thresholds than then")
    records: Callable[[argparse.Namespace], int] = replay.get_default("run")
    replay.set_defaults(run=lambda args: _from_sensors(args) if args.from_sensors else records(args))


def _from_sensors(args: argparse.Namespace) -> int:
    from host.layout import find_layout
    from host.sensors import rejudge_match

    folder, number = _where(args.match)
    again = rejudge_match(folder, number, find_layout(args.layout) if args.layout else None)
    at = again.difference
    if args.json:
        print(json.dumps({"same": at is None, "actions": len(again.then), "difference": at}))
        return 0 if at is None else 1
    if at is None:
        print(f"{len(again.now)} actions come out of the sensors as they were recorded.")
        return 0
    then, now = ((list(a) + [None] * at)[at - 1] for a in (again.then, again.now))
    raise CrowntableError(
        f"Action {at} comes out otherwise: recorded {json.dumps(then)}, from the sensors {json.dumps(now)}.",
        f"See the play before it with: crowntable replay {args.match} --until {at - 1}",
    )


def _where(name: str) -> tuple[Path, int]:
    """The data folder and match number that `m12` or `FOLDER/m12` means."""
    from host.run import default_data

    folder, _, ident = name.rpartition("/")
    number = re.fullmatch(r"m(\d+)", ident)
    if number is None:
        raise CrowntableError(f"{name!r} is no match of a table.", "Give m12, or FOLDER/m12.")
    folders = [Path(folder)] if folder else [default_data(virtual=False), default_data(virtual=True)]
    found = next((f for f in folders if (f / "journal.sqlite").exists()), folders[0])
    return found, int(number[1])
