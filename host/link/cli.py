"""`crowntable flash`: the firmware onto a Pico."""

from __future__ import annotations

import argparse
import json
import sys

_EPILOG = """\
The board's settings are never touched. A new Pico needs MicroPython first: hold BOOTSEL while plugging it
in, and copy the UF2 file from micropython.org onto the drive that appears.

example:
  crowntable flash --dry-run      what would be copied
  crowntable flash --port /dev/ttyACM0
"""


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `flash`."""
    flash = sub.add_parser(
        "flash",
        help="put the firmware on a Pico",
        description="Puts the firmware on a Raspberry Pi Pico: shows which version runs there and which "
        "files differ, copies those, and starts it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    flash.add_argument("--port", default="auto", help="its serial port (default: the only Pico there is)")
    flash.add_argument("--dry-run", action="store_true", help="compare only; the board goes on afterwards")
    flash.add_argument("--json", action="store_true", help="one JSON document instead of text")
    flash.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carries it out. Raises CrowntableError."""
    from host.link import flash

    path = flash.find_port(args.port)
    before = flash.to_prompt(path)
    states = flash.compare(path)
    changed = [state.name for state in states if state.state != "same"]
    if not args.json:
        ran = f"firmware {before.words.get('fw', '?')}" if before else "no firmware of ours"
        print(f"{path}: {ran}")
        for state in states:
            print(f"  {state.state:<8} {state.name}")
    if changed and not args.dry_run:
        flash.copy(path, changed)
    after = flash.restart(path)
    version = after.words.get("fw") if after else None
    if args.json:
        report = {
            "port": path,
            "before": before.words.get("fw") if before else None,
            "after": version,
            "files": {state.name: state.state for state in states},
            "copied": [] if args.dry_run else changed,
        }
        print(json.dumps(report))
    elif args.dry_run:
        print(f"{len(changed)} of {len(states)} files would be copied.")
    else:
        print(f"{len(changed)} of {len(states)} files copied.")
    if version is None and not (args.dry_run and before is None):
        print("The board does not say hello.", file=sys.stderr)
        print("Pull its cable and put it back; `crowntable doctor` says what it answers.", file=sys.stderr)
        return 1
    if not args.json and version is not None:
        print(f"Firmware {version} runs.")
    return 0
