"""The console script `crowntable`: every room brings its own commands; here they meet.

It stands in the topmost room because only that one may see all others.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

from engine.errors import CrowntableError, UsageError


class Parser(argparse.ArgumentParser):
    """Says after a wrong usage what to do next; every command's own parser is one of these as well."""

    def error(self, message: str) -> NoReturn:
        """One sentence with the fault, one with the way out; exit code 2."""
        self.exit(2, f"{self.prog}: {message}\n`{self.prog} --help` lists what it takes, with an example.\n")


def parser() -> argparse.ArgumentParser:
    """The whole command line. Rooms import what is heavy only when a command runs; and they themselves
    are imported here, so that Ctrl-C during the start ends as quietly as any other."""
    import engine.cli
    import host.cli
    import web.cli

    top: argparse.ArgumentParser = Parser(
        prog="crowntable",
        description="A table that knows the game lying on it.",
        epilog="example: crowntable run --virtual",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sub = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    web.cli.register(sub)
    engine.cli.register(sub)
    host.cli.register(sub)
    # What `replay m12` and `export m12` mean: only the host knows journals.
    top.set_defaults(resolve=host.cli.resolve_match, said=host.cli.said_of)
    # What a printed seat code opens: only the web knows its seats' tokens.
    top.set_defaults(seat_path=_seat_path)
    return top


def _seat_path(data: Path, seat: int) -> str:
    from web.security import Guard

    return f"/seat/{seat}?t={Guard.open(data).seat_token(seat)}"


def _run(args: argparse.Namespace) -> int:
    import host.cli

    try:
        return int(args.run(args))
    except (CrowntableError, host.cli.VisionError) as error:
        print(error.what, error.cure, sep="\n", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1


def main(argv: list[str] | None = None) -> int:
    """Runs one command. 0 done, 1 the work failed, 2 wrong usage, 130 on Ctrl-C."""
    try:
        args = parser().parse_args(argv)
        return _run(args)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has gone (`… | head`): nothing more to say, and nowhere to say it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
