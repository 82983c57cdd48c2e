"""This room's commands: `crowntable run` and `crowntable key`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import host.cli
import web.hall.cli
from engine.errors import CrowntableError


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command; what it needs is imported when it runs."""
    web.hall.cli.register(sub)
    host.cli.MORE["hall"] = (_hall_method, _bench_hall)
    host.cli.MORE["stream"] = (_stream_method, _bench_stream)
    run = sub.add_parser(
        "run",
        help="the table with its dashboard",
        description="Runs the table. Goes on with the match that was open when it last stopped.",
        epilog="example: crowntable run --virtual --speed 4 --bots greedy,random",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("--virtual", action="store_true", help="stand-ins at the wire instead of devices")
    run.add_argument("--layout", metavar="FILE", help="a layout file or a shipped name (default: as set up)")
    run.add_argument("--port", type=_port, default=8000, help="0 takes a free one (default 8000)")
    run.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets phones in (default 127.0.0.1)")
    run.add_argument("--data", type=Path, metavar="DIR", help="where the journal lives")
    run.add_argument("--bots", metavar="NAMES", help="greedy, random or none; one a seat, by commas")
    run.add_argument("--speed", type=_speed, default=1.0, metavar="X", help="1 is a person's pace")
    run.add_argument("--matches", type=_count, default=0, metavar="N", help="end after N matches")
    run.add_argument("--chaos", action="append", metavar="NAME", help="a trouble; may be given often")
    run.add_argument(
        "--attract", nargs="?", type=_quiet, const=120.0, metavar="SECONDS",
        help="a free table: its screens invite after so much quiet (default 120), a card begins a match",
    )  # fmt: skip
    run.add_argument("--hall", metavar="URL", help="publish to a hall: mqtts://HOST (docs/hall.md)")
    run.add_argument(
        "--hall-account", type=Path, metavar="FILE", help="its account there (default: hall.toml in --data)"
    )
    run.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    run.set_defaults(run=_run)
    _register_key(sub)


def _register_key(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    key = sub.add_parser(
        "key",
        help="keys by which other programs use the API",
        description="Makes, lists and revokes keys. A running table knows at once. See docs/api.md.",
        epilog="example: crowntable key make scoreboard",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = key.add_subparsers(dest="verb", metavar="VERB", required=True)
    made = verbs.add_parser("make", help="a new key", epilog="example: crowntable key make bot --act")
    made.add_argument("name", help="the program that will use it")
    made.add_argument("--act", action="store_true", help="it may also enter and command, as the operator")
    listed = verbs.add_parser("list", help="all keys", epilog="example: crowntable key list --json")
    revoked = verbs.add_parser("revoke", help="ends a key", epilog="example: crowntable key revoke 1f0c77aa")
    revoked.add_argument("id", help="as `key list` shows it")
    for verb in (made, listed, revoked):
        verb.add_argument("--data", type=Path, metavar="DIR", help="where the journal lives")
        verb.add_argument("--virtual", action="store_true", help="the virtual table's folder")
        verb.add_argument("--json", action="store_true", help="one JSON document on stdout")
        verb.set_defaults(run=_key)


def _key(args: argparse.Namespace) -> int:
    from host.run import default_data
    from web import keys

    data: Path = args.data or default_data(args.virtual)
    if args.verb != "make" and not data.is_dir():
        raise CrowntableError(
            f"There is no folder {data}, so no table has keys there.",
            "Name the table's folder with --data DIR; `crowntable run` prints it as it starts.",
        )
    if args.verb == "make":
        key, text = keys.make(data, args.name, args.act)
        _report(args.json, {"id": key.id, "name": key.name, "scopes": key.scopes, "key": text}, [text])
        print("Keep it well: it is not shown again.", file=sys.stderr)
    elif args.verb == "revoke":
        gone = keys.revoke(data, args.id)
        _report(args.json, {"revoked": gone.id}, [f"{gone.name} ({gone.id}) opens nothing any more."])
    else:
        rows = [{"id": k.id, "name": k.name, "scopes": k.scopes, "made": k.made} for k in keys.read(data)]
        lines = [f"{key.id}  {', '.join(key.scopes):10}  {key.name}" for key in keys.read(data)]
        _report(args.json, rows, lines or ["There are no keys."])
    return 0


def _report(as_json: bool, document: Any, lines: list[str]) -> None:
    print(json.dumps(document) if as_json else "\n".join(lines))


def _run(args: argparse.Namespace) -> int:
    from web.run import run

    return run(args)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; ports are 0 to 65535")
    return int(text)


def _quiet(text: str) -> float:
    if not text.isascii() or not text.isdigit() or not 10 <= int(text) <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 10 to 3600")
    return float(text)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is no speed; 1 is a person's pace, 50 is quick")
    return speed


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of matches; leave it out to play for ever")
    return int(text)


def _stream_method() -> str:
    from web import bench

    return (bench.__doc__ or "").partition("Method: ")[2].strip()


def _bench_stream(_: argparse.Namespace) -> dict[str, Any]:
    """The live stream to 200 and to 500 clients (`web.bench`)."""
    import tempfile

    from host.run import bare_table
    from web.bench import DUEL, OPERATOR, measure

    figures: dict[str, Any] = {}
    for clients in (200, 500):
        with tempfile.TemporaryDirectory() as folder:
            table = bare_table(Path(folder))
            for action in DUEL:
                table.act(action, OPERATOR)
            try:
                figures[f"{clients} clients"] = measure(table, clients)
            finally:
                table.stop()
    return figures


def _hall_method() -> str:
    from web.hall import bench

    return (bench.__doc__ or "").partition("Method: ")[2].strip()


def _bench_hall(args: argparse.Namespace) -> dict[str, Any]:
    """A hall of many tables (`web.hall.bench`)."""
    from web.hall.bench import Wish, measure

    return measure(Wish(args.tables, args.seconds, tuple(args.kill), args.cut))
