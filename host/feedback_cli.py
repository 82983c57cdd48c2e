"""`crowntable lab feedback`: what people said of the matches of a table."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from engine.errors import CrowntableError, UsageError


def extend(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `feedback` to the commands of `lab`, which the engine has registered: only the host knows where
    the answers lie."""
    lab = sub.choices["lab"]
    # argparse has no public way to the commands that a parser already has.
    commands = next(one for one in lab._actions if isinstance(one, argparse._SubParsersAction))
    feedback = commands.add_parser(
        "feedback",
        help="what people said of this table's matches",
        description="The answers to the form at a match's end: means with number and spread for each "
        "ruleset, the texts, the moments named or flagged. docs/hosting.md says how they are given.",
        epilog="example:\n  crowntable lab feedback m12 --json\n  crowntable lab feedback --csv answers.csv",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    feedback.add_argument("match", nargs="?", metavar="MATCH", help="only this match, m12 (default: all)")
    feedback.add_argument("--data", type=Path, metavar="DIR", help="where the journal lives")
    feedback.add_argument("--virtual", action="store_true", help="the virtual table's folder")
    feedback.add_argument("--csv", type=Path, metavar="FILE", help="write the answers there, a row each")
    feedback.add_argument("--json", action="store_true", help="one JSON document on stdout")
    feedback.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Reports. Raises CrowntableError."""
    from host.feedback import answers
    from host.feedback_report import as_csv, folder_report, in_words
    from host.run import default_data

    match = args.match
    if match is not None and not re.fullmatch(r"m[0-9]{1,9}", match, re.ASCII):
        raise UsageError(f"{match!r} is no match of a table.", "Give m12, or nothing for all.")
    data = args.data or default_data(args.virtual)
    if not data.is_dir():
        raise CrowntableError(
            f"There is no folder {data}, so nobody has said anything there.",
            "Name the table's folder with --data DIR, or --virtual; `crowntable run` prints it as it starts.",
        )
    told = folder_report(data, match)
    if args.csv is not None:
        try:
            args.csv.write_text(as_csv(answers(data, match)), encoding="utf-8", newline="")
        except OSError as error:
            raise CrowntableError(
                f"{args.csv} can't be written: {error.strerror}.", "Give another file."
            ) from None
    print(json.dumps(told) if args.json else in_words(told))
    return 0
