"""`crowntable lab study` and `lab report`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from engine.errors import CrowntableError, UsageError
from engine.lab.cli import add_json_option, add_worker_options, whole, workers_of
from engine.lab.more_cli import add_live_options, given_marks, given_records

_RAW = argparse.RawDescriptionHelpFormatter


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the commands."""
    _register_study(commands)
    _register_report(commands)


def _register_study(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    study = commands.add_parser(
        "study",
        help="the worked study: Althera v2 as it stands",
        description="Plays the matches of the study and writes it up: seat and initiative advantage for 2 to "
        "5 players, each ruling's effect, each special's worth, lengths. Every question gets a fixed part of "
        "the matches. The same command goes on where it was stopped; Ctrl-C writes up what is there.",
        epilog="example:\n  crowntable lab study --matches 5000 --store try.sqlite --out try",
        formatter_class=_RAW,
    )
    study.add_argument(
        "--matches",
        default="1000000",
        metavar="M",
        help="matches in all (1000000); each question gets at least ten under each of its rules",
    )
    study.add_argument(
        "--store",
        type=Path,
        default=Path("study.sqlite"),
        metavar="FILE",
        help="what is played (study.sqlite)",
    )
    study.add_argument(
        "--out", type=Path, default=Path("docs/studies"), metavar="FOLDER", help="the text (docs/studies)"
    )
    study.add_argument("--write-only", action="store_true", help="play nothing, write up what the file has")
    add_worker_options(study)
    add_json_option(study)
    study.set_defaults(run=run_study)


def _register_report(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    report = commands.add_parser(
        "report",
        help="a playtest report to print",
        description="One HTML page, made for print, out of what `lab run --out` and `lab compare --out` have "
        "written (the .json files): each question with its answer and picture, people's matches beside.",
        epilog="example:\n  crowntable lab report night.json whole-duel.json --live m12 friday.jsonl "
        "--html report.html",
        formatter_class=_RAW,
    )
    report.add_argument("file", nargs="+", type=Path, metavar="FILE", help="results, .json")
    report.add_argument(
        "--live",
        nargs="+",
        default=[],
        metavar="MATCH",
        help="people's matches: records, or ids at this table",
    )
    add_live_options(report)
    report.add_argument("--lang", default="en", metavar="LANGUAGE", help="en (default) or it")
    report.add_argument("--html", type=Path, required=True, metavar="OUT", help="the page to write")
    report.set_defaults(run=run_report)


def run_report(args: Namespace) -> int:
    """Writes the report. Raises CrowntableError for a file that is no result, or can't be written."""
    from engine.lab.show.paper import page
    from engine.lab.show.people import measured
    from engine.lab.show.reports import paper_of, read_result
    from engine.lab.show.words import Words, languages
    from engine.whole import write_whole

    if args.lang not in languages():
        raise UsageError(f"There is no language {args.lang!r}.", f"Choose from: {', '.join(languages())}.")
    without = given_marks(args.without)
    answers = [(path.name, read_result(path)) for path in args.file]
    matches = [measured(name, record) for name, record in given_records(args, args.live)]
    words = Words(args.lang)
    made = time.strftime("%Y-%m-%d")
    paper = paper_of(answers, matches, without, args.mix, words, made)
    # What people said of them lies with their table, which the whole program knows and this room does not.
    said = getattr(args, "said", None)
    if said is not None:
        paper = replace(paper, more=said([name for name in args.live if name not in paper.people.why], words))
    text = page(paper, words)
    try:
        write_whole(args.html, text)
    except OSError as error:
        raise CrowntableError(
            f"{args.html} could not be written: {error.strerror}.", "Choose another place for --html."
        ) from None
    print(f"{args.html}: {len(text) // 1024} kB")
    return 0


def run_study(args: Namespace) -> int:
    """Plays what is missing and writes it up; on Ctrl-C what is there is written up, and it is passed on."""
    from engine.lab.progress import bar
    from engine.lab.show.study import Kept, parts, play
    from engine.lab.show.study import whole as whole_of
    from engine.lab.show.study_text import findings, write

    todo, workers = parts(whole("--matches", args.matches)), workers_of(args)
    began, stopped = time.monotonic(), False
    with Kept(args.store) as kept:
        try:
            if not args.write_only:
                play(kept, todo, workers, args.cluster, bar(whole_of(todo), "matches", lines=args.progress))
        except KeyboardInterrupt:
            stopped = True
            print(f"\nStopped; the same command goes on from {args.store}.", file=sys.stderr)
        found = findings(kept, todo)
    path = write(found, todo, args.out)
    seconds = round(time.monotonic() - began, 1)
    answer = {"matches": found.played, "asked": found.asked, "seconds": seconds, "text": str(path)}
    told = f"{path}: {found.played} of {found.asked} matches"
    print(json.dumps(answer | {"stopped": stopped}) if args.json else told)
    if stopped:
        sys.stdout.flush()
        raise KeyboardInterrupt
    return 0
