"""This room's commands, and those of vision, which only we may import."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import host.doctor_cli
import host.feedback_cli
import host.link.cli
import host.nfc.cli
import host.print.cli
import host.products.cli
import host.replay_cli
import host.virtual.chaos_cli
import host.virtual.cli
import vision.cli
from vision.errors import VisionError

if TYPE_CHECKING:
    from engine.lab.show.words import Words
    from engine.records.record import Record
    from host.feedback_paper import Section

#: the measurements of host.bench, named here so that a start need not import them
NAMES = ("ask", "dice", "engine", "journal", "lab", "tap")
#: measurements of rooms that we may not import: name -> (its method in words, what measures)
MORE: dict[str, tuple[Callable[[], str], Callable[[argparse.Namespace], dict[str, Any]]]] = {}

__all__ = ["VisionError", "register"]


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the commands; what they need is imported when they run."""
    vision.cli.register(sub)
    host.nfc.cli.register(sub)
    host.virtual.cli.register(sub)
    host.virtual.chaos_cli.register(sub)
    host.doctor_cli.register(sub)
    host.replay_cli.extend(sub)
    host.feedback_cli.extend(sub)
    host.link.cli.register(sub)
    host.print.cli.register(sub)
    host.products.cli.register(sub)
    _bench(sub)


def resolve_match(name: str) -> Record | None:
    """The record that a match's id means: `m12` of this user's tables, or `FOLDER/m12`."""
    from host.records import find_match
    from host.run import default_data

    return find_match(name, [default_data(virtual=False), default_data(virtual=True)])


def said_of(names: Sequence[str], words: Words) -> tuple[Section, ...]:
    """What people said of matches of this user's tables, as sections of a playtest report."""
    from host.feedback_paper import of_names
    from host.run import default_data

    return of_names(names, [default_data(virtual=False), default_data(virtual=True)], words)


class _BenchHelp(argparse.Action):
    """--help with each measurement's method, read from its module only when somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from host.bench import methods

        texts = methods() | {name: method() for name, (method, _) in MORE.items()}
        listing = "\n\n".join(f"{name}: {text}" for name, text in texts.items())
        parser.epilog = f"{listing}\n\n{parser.epilog}"
        parser.print_help()
        parser.exit()


def _bench(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    bench = sub.add_parser(
        "bench",
        help="the project's own measurements",
        description="Measures Crowntable on this machine.",
        epilog="example: crowntable bench engine --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    bench.add_argument("-h", "--help", nargs=0, action=_BenchHelp, help="this text and how each is measured")
    bench.add_argument("what", choices=sorted({*NAMES, *MORE}), nargs="?", default="engine")
    bench.add_argument("--json", action="store_true", help="one JSON document on stdout")
    hall = bench.add_argument_group("hall", "how large a hall, and what goes wrong in it")
    hall.add_argument("--tables", type=_positive, default=400, metavar="N", help="tables (default 400)")
    hall.add_argument("--seconds", type=_positive, default=60, metavar="S", help="how long (default 60)")
    hall.add_argument("--kill", action="append", choices=("broker", "hall"), default=[], help="SIGKILL it")
    hall.add_argument("--cut", action="store_true", help="a table's network is away for a while")
    bench.set_defaults(run=_run_bench)


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 100000")
    return int(text)


def _run_bench(args: argparse.Namespace) -> int:
    from host.bench import measure

    figures = MORE[args.what][1](args) if args.what in MORE else measure(args.what)
    if args.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name}: {value}")
    return 0
