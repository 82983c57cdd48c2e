"""`crowntable lab run`: matches between bots, counted."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from engine.referee import add_ruleset_options, chosen_ruleset


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command `lab` with what it offers."""
    lab = sub.add_parser(
        "lab",
        help="matches between bots, counted",
        description="The playtest lab: matches between bots through the same rules that the table runs.",
        epilog="example:\n  crowntable lab run --game althera --players 3 --matches 500 --bots random,greedy",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = lab.add_subparsers(dest="lab_command", metavar="COMMAND", required=True)
    run = commands.add_parser(
        "run",
        help="simulate matches",
        description="Simulates matches. The bots take the seats in turn and move on by one seat every match; "
        "houses and first player are drawn anew. The same seed gives the same counts whatever the workers. "
        "Rates come with their 95 % Wilson intervals.",
        epilog="example:\n  crowntable lab run --game althera --players 3 --turns 3 --matches 1000 "
        "--bots random,greedy \\\n      --set shield_reach=whole_duel --seed 7 --workers 2 --json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("--game", default="althera", help="althera (default) or anthem")
    run.add_argument("--players", type=_at_least(1), default=2, metavar="N", help="seats taken (2)")
    run.add_argument(
        "--turns", type=_at_least(1), metavar="T", help="length of the match, where the game has one"
    )
    run.add_argument("--matches", type=_at_least(1), default=100, metavar="M", help="matches to play (100)")
    run.add_argument("--bots", default="random", metavar="A,B", help="who plays: random, greedy")
    run.add_argument(
        "--seed", default="1", metavar="S", help="any text; the same one gives the same result (1)"
    )
    add_ruleset_options(run)
    run.add_argument("--workers", type=_at_least(1), default=1, metavar="W", help="processes (1)")
    run.add_argument("--json", action="store_true", help="one JSON document on stdout")
    run.set_defaults(run=run_lab)


def run_lab(args: argparse.Namespace) -> int:
    """Simulates and reports."""
    from engine.games import game_named
    from engine.lab.simulate import Plan, report, simulate

    game = game_named(args.game)
    ruleset = chosen_ruleset(game, args)
    plan = Plan(
        game.name,
        game.ruleset_json(ruleset),
        args.players,
        args.turns,
        tuple(name.strip() for name in args.bots.split(",")),
        args.matches,
        args.seed,
    )
    began = time.monotonic()
    tally = simulate(plan, args.workers, _progress(args.matches, began))
    answer = report(plan, tally, time.monotonic() - began)
    print(json.dumps(answer) if args.json else _in_words(answer))
    return 0


def _progress(matches: int, began: float) -> Callable[[int], None] | None:
    """Rate and time left on a terminal; nothing where nobody watches."""
    if not sys.stderr.isatty():
        return None

    def told(done: int) -> None:
        rate = done / max(time.monotonic() - began, 1e-6)
        left = (matches - done) / rate
        end = "\n" if done >= matches else ""
        print(
            f"\r{done} of {matches} matches, {rate:.0f} a second, {left:.0f} s left ",
            end=end,
            file=sys.stderr,
            flush=True,
        )

    return told


def _in_words(answer: dict[str, Any]) -> str:
    """The report as text for a terminal."""
    lines = [
        f"{answer['matches']} matches of {answer['game']}, {answer['players']} players, "
        f"rules {answer['ruleset']['name']}, seed {answer['seed']}: {answer['seconds']} s, "
        f"{answer['matches_per_s']} a second"
    ]
    if answer["unfinished"]:
        lines.append(f"{answer['unfinished']} of them were left unfinished")
    for title, by in (("seats", "seat"), ("houses", "house"), ("bots", "bot"), ("cards", "card")):
        if answer[title]:
            heading = "won by who played it" if by == "card" else "won"
            lines += ["", f"{by:<12} {'matches':>8} {heading:>22}   95 % interval"]
        for row in answer[title]:
            lines.append(
                f"{row[by]!s:<12} {row['matches']:>8} {100 * row['rate']:>20.1f} %   "
                f"{100 * row['low']:.1f} to {100 * row['high']:.1f} %"
            )
    lines.append("")
    for title in ("length", "swings"):
        for name, spread in answer[title].items():
            lines.append(
                f"{title} ({name}): mean {spread['mean']:.1f}, median {spread['median']}, "
                f"{spread['min']} to {spread['max']}"
            )
    return "\n".join(lines)


def _at_least(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 12 or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} on")
        return int(text)

    return read
