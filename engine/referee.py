"""`crowntable referee`: one JSON action a line in, one JSON verdict a line out (contracts/referee.md).

Nothing that comes in may grow it or end it: lines are read with a bound, and whatever is no action
gets a `bad-input` verdict.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from engine.errors import CrowntableError, UsageError
from engine.findings import bad_input
from engine.game import Finding, Game, Verdict

#: The longest line that is read, in bytes without its newline.
LONGEST = 64 * 1024


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `crowntable referee`."""
    parser = sub.add_parser(
        "referee",
        help="judge actions: JSON lines in, verdicts out",
        description="Reads one JSON action a line and writes one JSON verdict a line, flushed at once.",
        epilog="example: crowntable referee --game althera --set initiative=leader actions.jsonl",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--game", default="althera", help="althera (default) or anthem")
    add_ruleset_options(parser)
    parser.add_argument("file", nargs="?", default="-", help="actions, - for standard input (default)")
    parser.set_defaults(run=referee)


def add_ruleset_options(parser: argparse.ArgumentParser) -> None:
    """`--ruleset FILE` and `--set KEY=VALUE`, read back by `chosen_ruleset`."""
    parser.add_argument("--ruleset", type=Path, metavar="FILE.toml", help="a ruleset; it may be partial")
    parser.add_argument(
        "--set",
        type=_key_value,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change one key of the ruleset; may be given often",
    )


def _key_value(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key.strip(), value.strip()


def chosen_ruleset(game: Game, args: argparse.Namespace) -> Any:
    """The ruleset that `--ruleset` and `--set` ask for. Raises CrowntableError; UsageError for `--set`."""
    text = None
    if args.ruleset is not None:
        try:
            text = args.ruleset.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CrowntableError(
                f"The ruleset {args.ruleset} can't be read: {_reason(error)}.",
                "Give the path of a TOML file.",
            ) from None
    ruleset = game.ruleset(text)
    if not args.set:
        return ruleset
    try:
        return game.ruleset(text, dict(args.set))
    except CrowntableError as error:
        raise UsageError(error.what, error.cure) from None


def _reason(error: OSError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return error.strerror or str(error)


def referee(args: argparse.Namespace) -> int:
    """The command: 0 at the end of input."""
    from engine.games import game_named

    game = game_named(args.game)
    state = game.initial(chosen_ruleset(game, args))
    if args.file == "-":
        serve(game, state, sys.stdin.buffer, sys.stdout.buffer)
        return 0
    try:
        with Path(args.file).open("rb") as source:
            serve(game, state, source, sys.stdout.buffer)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CrowntableError(
            f"{args.file} can't be read: {_reason(error)}.", "Give a file of JSON lines, or - for a pipe."
        ) from None
    return 0


def serve(game: Game, state: Any, source: BinaryIO, sink: BinaryIO) -> Any:
    """Judges every line of `source` into `sink`, each verdict flushed; the state at the end."""
    shown, state_text = None, ""
    for raw in lines(source):
        verdict = judge(game, state, raw)
        state = verdict.state
        if state is not shown:
            shown, state_text = state, _text(game.state_json(state))
        ok = "true" if verdict.ok else "false"
        found = _text([finding.to_json() for finding in verdict.findings]) if verdict.findings else "[]"
        sink.write(f'{{"ok":{ok},"findings":{found},"state":{state_text}}}\n'.encode())
        sink.flush()
    return state


_text = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def lines(source: BinaryIO) -> Iterator[bytes | None]:
    """The lines of `source` without their ends; None for one that is too long, which is skipped
    piece by piece and never held."""
    while line := source.readline(LONGEST + 1):
        if len(line) <= LONGEST or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(LONGEST)
        yield None


def judge(game: Game, state: Any, raw: bytes | None) -> Verdict:
    """The verdict on one line."""
    action = game_action(game, raw)
    if isinstance(action, Finding):
        return Verdict(False, (action,), state)
    return game.apply(state, action)


def game_action(game: Game, raw: bytes | None) -> Any | Finding:
    """The action that a line holds, or the `bad-input` finding."""
    if raw is None:
        return bad_input("the line is longer than 64 KiB")
    try:
        obj = _decode(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return bad_input("the line is not UTF-8")
    except RecursionError:
        return bad_input("the line is nested too deeply")
    except ValueError as error:
        return bad_input(f"the line is not JSON ({error})")
    return game.parse(obj)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    obj = dict(pairs)
    if len(obj) != len(pairs):
        raise ValueError("a field stands twice")
    return obj


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_decode = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant).decode
