"""`crowntable lab`: matches between bots, counted; rules compared; live matches measured."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.referee import add_ruleset_options, chosen_ruleset

if TYPE_CHECKING:
    from engine.game import Game
    from engine.lab.plan import Plan

_RAW = argparse.RawDescriptionHelpFormatter


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `lab` with what it offers."""
    lab = sub.add_parser(
        "lab",
        help="matches between bots, counted",
        description="The playtest lab: matches between bots through the same rules that the table runs.",
        epilog="example:\n  crowntable lab run --players 3 --matches 500 --bots careful,greedy",
        formatter_class=_RAW,
    )
    commands = lab.add_subparsers(dest="lab_command", metavar="COMMAND", required=True)
    _register_run(commands)
    import engine.lab.more_cli

    engine.lab.more_cli.register(commands)


def _register_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser(
        "run",
        help="simulate matches",
        description="Simulates matches. The bots take the seats in turn and move on by one seat every match; "
        "houses and first player are drawn anew. The same seed gives the same counts whatever the workers. "
        "Rates come with their 95 % intervals; docs/measures.md says what is measured, docs/bots.md who "
        "plays.",
        epilog="example:\n  crowntable lab run --game althera --players 3 --turns 3 --matches 100000 "
        "--bots careful,greedy:never=shield \\\n      --set shield_reach=whole_duel --seed 7 --workers 2 "
        "--out night.sqlite --json",
        formatter_class=_RAW,
    )
    add_match_options(run, bots="random")
    add_ruleset_options(run)
    run.add_argument(
        "--handicap",
        action="append",
        default=[],
        metavar="SEAT=PERCENT",
        help="that seat's house cards are worth so much more (althera); may be given often",
    )
    add_worker_options(run)
    run.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="keep the matches in this SQLite file and the report beside it as JSON; "
        "the same command goes on where it was stopped",
    )
    add_json_option(run)
    run.set_defaults(run=run_lab)


def add_match_options(parser: argparse.ArgumentParser, bots: str, matches: int = 100) -> None:
    """What is played: game, players, turns, matches, bots, seed."""
    parser.add_argument("--game", default="althera", help="althera (default) or anthem")
    parser.add_argument("--players", default="2", metavar="N", help="seats taken (2)")
    parser.add_argument("--turns", metavar="T", help="length of the match, where the game has one")
    parser.add_argument("--matches", default=str(matches), metavar="M", help=f"matches to play ({matches})")
    parser.add_argument(
        "--bots",
        default=bots,
        metavar="A,B",
        help="who plays: random, greedy, careful, searching; "
        f"each may be restricted: greedy:never=shield, careful:always=oracle ({bots})",
    )
    parser.add_argument(
        "--seed", default="1", metavar="S", help="any text; the same one gives the same result (1)"
    )


def add_worker_options(parser: argparse.ArgumentParser) -> None:
    """Where it is played: processes here, or a cluster."""
    parser.add_argument("--workers", default="1", metavar="W", help="processes on this machine (1)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler instead, tcp://HOST:8786")
    parser.add_argument("--progress", action="store_true", help="how far it is, as JSON lines on stderr")


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """The answer as JSON instead of words."""
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def plan_of(args: argparse.Namespace, game: Game, ruleset: Any) -> Plan:
    """The plan that the options ask for. Raises UsageError with one sentence for what can't be."""
    from engine.lab.plan import Plan, check

    plan = Plan(
        game.name,
        game.ruleset_json(ruleset),
        whole("--players", args.players),
        None if args.turns is None else whole("--turns", args.turns),
        tuple(name.strip() for name in args.bots.split(",")),
        whole("--matches", args.matches),
        args.seed,
        handicap=tuple(_handicap(text) for text in getattr(args, "handicap", ())),
    )
    check(plan)
    return plan


def workers_of(args: argparse.Namespace) -> int:
    """How many processes. Raises UsageError."""
    workers = whole("--workers", args.workers)
    if args.cluster is not None and workers > 1:
        raise UsageError("--workers and --cluster exclude each other.", "Give one of them.")
    if workers > 256:
        raise UsageError(f"{workers} workers are more than one machine runs.", "Give at most 256.")
    return workers


def whole(option: str, text: str) -> int:
    """A whole number from 1 on. Raises UsageError."""
    if not text.isascii() or not text.isdigit() or len(text) > 12 or int(text) < 1:
        raise UsageError(
            f"{option} takes a whole number from 1 on, not {text!r}.", f"For example {option} 3."
        )
    return int(text)


def _handicap(text: str) -> tuple[int, int]:
    seat, _, percent = text.partition("=")
    sign, digits = (-1, percent[1:]) if percent.startswith("-") else (1, percent.lstrip("+"))
    if not (seat.isascii() and seat.isdigit() and digits.isascii() and digits.isdigit() and int(seat) > 0):
        raise UsageError(f"--handicap takes SEAT=PERCENT, not {text!r}.", "For example --handicap 1=20.")
    if not -90 <= sign * int(digits) <= 900:
        raise UsageError("A handicap goes from -90 to 900 percent.", "For example --handicap 1=20.")
    return int(seat), sign * int(digits)


def run_lab(args: argparse.Namespace) -> int:
    """Simulates and reports. Ctrl-C keeps what is done, reports it, and is passed on."""
    from engine.games import game_named

    game = game_named(args.game)
    plan = plan_of(args, game, chosen_ruleset(game, args))
    workers = workers_of(args)
    return _run(args, plan, workers)


def _run(args: argparse.Namespace, plan: Plan, workers: int) -> int:
    from contextlib import ExitStack

    from engine.lab.progress import bar
    from engine.lab.report import in_words, report
    from engine.lab.simulate import parts
    from engine.lab.store import Results, write_json
    from engine.lab.tally import Tally

    began, tally, stopped = time.monotonic(), Tally(), False
    with ExitStack() as stack:
        results = None
        missing = [(0, plan.matches)]
        if args.out is not None:
            results = stack.enter_context(Results(args.out, plan))
            missing, tally = results.missing(plan.matches), results.tally()
        already = tally.matches
        told = bar(plan.matches, "matches", already, args.progress)
        told(already)
        try:
            for part in parts(plan, missing, workers, args.cluster):
                if results is not None:
                    results.add(part)
                tally.add(part.tally)
                told(tally.matches)
        except KeyboardInterrupt:
            stopped = True
            if results is not None:
                tally = results.tally()  # it may have come between a part's writing and its counting
    fresh = tally.matches - already
    if stopped:
        _say_stopped(args, plan, tally.matches)
        if not tally.matches:
            raise KeyboardInterrupt
    answer = report(plan, tally, time.monotonic() - began, fresh) | {"stopped": stopped, "earlier": already}
    if args.out is not None:
        write_json(args.out.with_suffix(".json"), answer)
    print(json.dumps(answer) if args.json else in_words(answer))
    if stopped:
        sys.stdout.flush()
        raise KeyboardInterrupt
    return 0


def _say_stopped(args: argparse.Namespace, plan: Plan, done: int) -> None:
    kept = (
        f"They are in {args.out}; the same command goes on from there."
        if args.out is not None
        else "With --out FILE the same command could go on from there."
    )
    print(f"\nStopped after {done} of {plan.matches} matches.", kept, sep="\n", file=sys.stderr)
