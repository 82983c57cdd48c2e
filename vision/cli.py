"""`crowntable dice`: reads dice in pictures. The form of its output is contracts/cli.md."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vision.detect import Detector

EXAMPLE = """\
example:
  crowntable dice --json --annotate seen/ tray.jpg
  one line a picture; seen/tray.jpg then shows the boxes, values and doubts
"""


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds vision's subcommands."""
    dice = sub.add_parser(
        "dice",
        help="read dice in pictures",
        description="Reads the top faces of pipped dice in pictures. What it is not sure of, it "
        "says so, with the reason, instead of a number.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    dice.add_argument("--json", action="store_true", help="one JSON line a picture on stdout")
    dice.add_argument(
        "--annotate", metavar="DIR", type=Path, help="write each picture, what was read drawn in, into DIR"
    )
    dice.add_argument("images", metavar="IMAGE", nargs="+", type=Path, help="picture files")
    dice.set_defaults(run=run_dice)


def run_dice(args: argparse.Namespace) -> int:
    """Reads every picture; names those that cannot be read on stderr, and then returns 1."""
    from vision.detect import Detector
    from vision.errors import VisionError

    target: Path | None = args.annotate
    if target is not None:
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise VisionError(
                f"The folder {target} cannot be made: {error.strerror or error}.",
                "Name another folder for --annotate.",
            ) from None
    detector = Detector()
    failures = 0
    for path in args.images:
        try:
            _read_one(detector, path, target, args.json)
        except VisionError as error:
            failures += 1
            print(f"{error.what}\n{error.cure}", file=sys.stderr)
    return 1 if failures else 0


def _read_one(detector: Detector, path: Path, target: Path | None, as_json: bool) -> None:
    from vision.annotate import annotate
    from vision.pictures import load, save

    picture = load(path)
    found = detector.read(picture)
    if target is not None:
        save(target / path.name, annotate(picture, found))
    if as_json:
        print(json.dumps({"file": str(path), **found.as_json()}), flush=True)
        return
    parts = [f"{die.colour} {die.value}" for die in found.dice]
    parts += [f"one unsure ({spot.why})" for spot in found.unsure]
    print(f"{path}: {', '.join(parts) or 'no dice'}  [{found.ms:.0f} ms]", flush=True)
