"""`crowntable replay` and `crowntable export`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import CrowntableError

if TYPE_CHECKING:
    from engine.records.record import Record
    from engine.records.replay import Replayed

#: Finds a record by what was typed (a match's id); None where it knows none of that name.
Resolve = Callable[[str], "Record | None"]

FORMATS = ("jsonl", "csv", "text", "html")


def register(
    sub: argparse._SubParsersAction[argparse.ArgumentParser], resolve: Resolve | None = None
) -> None:
    """Adds both commands. A program that knows matches by id gives `resolve`, here or with
    `parser.set_defaults(resolve=...)` on the whole parser; paths come first."""
    play_again = sub.add_parser(
        "replay",
        help="play a match record again through today's rules",
        description="Plays a match record again through today's rules, under the ruleset that it carries. "
        "Exit 1 and the first difference if it comes out otherwise.",
        epilog="example:\n  crowntable replay friday.jsonl --until 40",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    play_again.add_argument("match", metavar="MATCH", help="a record's path, or a match's id at this table")
    play_again.add_argument("--until", type=_count, metavar="N", help="stop after N actions")
    play_again.add_argument(
        "--speed", type=_speed, metavar="X", help="show every play, X times as fast as it was played"
    )
    play_again.add_argument("--json", action="store_true", help="one JSON document on stdout")
    play_again.set_defaults(run=run_replay)
    give = sub.add_parser(
        "export",
        help="write a match record for people or other tools",
        description="Writes a match record: jsonl (the record itself), csv (a row an action), text (a score "
        "sheet to read), html (a page to print). What the record does not carry is left out.",
        epilog="example:\n  crowntable export friday.jsonl --to html > friday.html",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    give.add_argument("match", metavar="MATCH", help="a record's path, or a match's id at this table")
    give.add_argument("--to", choices=FORMATS, required=True, help="the format")
    give.set_defaults(run=run_export)
    if resolve is not None:
        play_again.set_defaults(resolve=resolve)
        give.set_defaults(resolve=resolve)


def run_replay(args: argparse.Namespace) -> int:
    """Replays; 1 where it comes out otherwise."""
    from engine.records.replay import replay

    record = _record(args)
    result = replay(record, args.until)
    if args.speed is not None and not args.json:
        _show(record, result.count, args.speed)
    if args.json:
        _print(json.dumps(_as_json(result, record)) + "\n")
        return 0 if result.difference is None else 1
    if result.difference is not None:
        raise CrowntableError(
            f"Action {result.difference.n} comes out otherwise: {result.difference.what}.",
            f"See the play before it with: crowntable replay {args.match} --until {result.count}",
        )
    _print(
        f"{result.count} of {len(record.lines)} actions come out as recorded.\n{_standing(record, result)}"
    )
    return 0


def run_export(args: argparse.Namespace) -> int:
    """Writes the record to stdout in the format asked for."""
    from engine.records.export import export

    _print(export(_record(args), args.to))
    return 0


def _record(args: argparse.Namespace) -> Record:
    """The record that MATCH means; says on stderr what was cut off its end."""
    from engine.records.files import read

    path, resolve = Path(args.match), getattr(args, "resolve", None)
    record: Record | None = None
    if resolve is not None and not path.exists():
        record = resolve(args.match)
    if record is None:
        record = read(path)
    if record.torn is not None:
        print(record.torn, file=sys.stderr)
    return record


def _standing(record: Record, result: Replayed) -> str:
    """How the match stands after a replay, in a line."""
    from engine.records.sheets import standing

    text = standing(record, result.state)
    return f"{text}\n" if text else ""


def _as_json(result: Replayed, record: Record) -> dict[str, object]:
    different = result.difference
    return {
        "same": different is None,
        "game": result.game.name,
        "actions": result.count,
        "of": len(record.lines),
        "difference": None if different is None else {"n": different.n, "what": different.what},
        "state": result.game.state_json(result.state),
        "torn": record.torn,
    }


def _show(record: Record, until: int | None, speed: float) -> None:
    """Prints the plays as fast as they were played, times `speed`; at once where no times are kept."""
    from engine.records.export import play_lines

    before: float | None = None
    for line, text in play_lines(record, until):
        if line.mono is not None and before is not None:
            time.sleep(max(0.0, line.mono - before) / speed)
        before = line.mono if line.mono is not None else before
        _print(text)


def _print(text: str) -> None:
    """To stdout as UTF-8 whatever the terminal says of itself."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of actions")
    return int(text)


def _speed(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a speed above 0")
    return value
