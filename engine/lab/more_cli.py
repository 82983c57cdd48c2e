"""`crowntable lab compare`, `skill` and `live`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.lab.cli import add_json_option, add_match_options, add_worker_options, plan_of, workers_of
from engine.referee import add_ruleset_options, chosen_ruleset

if TYPE_CHECKING:
    from engine.game import Json
    from engine.records.record import Record

_RAW = argparse.RawDescriptionHelpFormatter


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the commands."""
    _register_compare(commands)
    _register_skill(commands)
    _register_live(commands)
    import engine.lab.show.cli

    engine.lab.show.cli.register(commands)


def _register_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    compare = commands.add_parser(
        "compare",
        help="rulesets against each other",
        description="Plays the same seeds under each ruleset and says what differs from the first: the "
        "difference in every measure with its 95 % interval (paired bootstrap), whether it is settled, and "
        "about how many more matches would settle it.",
        epilog="example:\n  crowntable lab compare default whole-duel.toml --players 2 --turns 3 "
        "--matches 5000 --bots careful --workers 2",
        formatter_class=_RAW,
    )
    compare.add_argument(
        "rulesets", nargs="+", metavar="A.toml", help="two or more rulesets; `default` is the shipped one"
    )
    add_match_options(compare, bots="greedy", matches=1000)
    add_worker_options(compare)
    compare.add_argument(
        "--margin", metavar="D", help="the smallest difference of a share that matters (0.02)"
    )
    compare.add_argument("--out", type=Path, metavar="FILE.json", help="keep the report in this file too")
    add_json_option(compare)
    compare.set_defaults(run=run_compare, ruleset=None, set=[])


def _register_skill(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    skill = commands.add_parser(
        "skill",
        help="how far each bot beats the one before it",
        description="Plays each bot against the one before it in the list: how far the better one wins says "
        "how much of the game is skill. Every deal is played twice, the second time with the seats changed.",
        epilog="example:\n  crowntable lab skill --game anthem --players 3 --matches 1000 "
        "--bots random,greedy,careful",
        formatter_class=_RAW,
    )
    add_match_options(skill, bots="random,greedy,careful,searching", matches=400)
    add_ruleset_options(skill)
    add_worker_options(skill)
    add_json_option(skill)
    skill.set_defaults(run=run_skill)


def _register_live(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    live = commands.add_parser(
        "live",
        help="measure matches that people played",
        description="The lab's measures of match records. Matches of different rules are not counted "
        "together unasked; those corrected by hand and doubtful ones are marked.",
        epilog="example:\n  crowntable lab live m12 m13 friday.jsonl --without doubtful",
        formatter_class=_RAW,
    )
    live.add_argument("match", nargs="+", help="records' paths, or matches' ids at this table")
    add_live_options(live)
    add_json_option(live)
    live.set_defaults(run=run_live)


def add_live_options(parser: argparse.ArgumentParser) -> None:
    """Which of people's matches count."""
    parser.add_argument(
        "--without", default="", metavar="MARKS", help="leave out: corrected, doubtful, or both by a comma"
    )
    parser.add_argument("--mix", action="store_true", help="count matches of different rules together")


def run_compare(args: Namespace) -> int:
    """Plays, compares, reports; Ctrl-C reports what is done and is passed on."""
    from engine.games import game_named
    from engine.lab.compare import Block, blocks, described, differences, in_words
    from engine.lab.progress import bar
    from engine.lab.store import write_json

    game = game_named(args.game)
    if len(args.rulesets) < 2:
        raise UsageError("It takes two rulesets to compare.", "For example: default mine.toml.")
    margin = _margin(args.margin)
    plans = [plan_of(args, game, chosen_ruleset(game, _with_file(args, name))) for name in args.rulesets]
    workers, began, done, stopped = workers_of(args), time.monotonic(), list[Block](), False
    told, matches = bar(plans[0].matches, "matches under each", lines=args.progress), 0
    told(0)
    try:
        for block in blocks(plans, workers, args.cluster):
            done.append(block)
            matches += block.tallies[0].matches
            told(matches)
    except KeyboardInterrupt:
        stopped = True
        if not done:
            raise
        print(f"\nStopped after {matches} of {plans[0].matches} matches.", file=sys.stderr)
    answer: Json = {
        "game": game.name,
        "players": plans[0].players,
        "turns": plans[0].turns,
        "line_up": list(plans[0].bots),
        "seed": plans[0].seed,
        "matches": matches,
        "seconds": round(time.monotonic() - began, 3),
        "stopped": stopped,
        "rulesets": described(plans, args.rulesets),
        "compared": differences(plans, done, margin),
    }
    if args.out is not None:
        write_json(args.out, answer)
    _print(answer, args.json, in_words)
    if stopped:
        raise KeyboardInterrupt
    return 0


def _with_file(args: Namespace, name: str) -> Namespace:
    """The options with that ruleset's file; `default`, where no such file is there, means none."""
    path = Path(name)
    return Namespace(ruleset=None if name == "default" and not path.exists() else path, set=[])


def _margin(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1:
        raise UsageError(
            f"--margin takes a number between 0 and 1, not {text!r}.", "For example --margin 0.01."
        )
    return value


def run_skill(args: Namespace) -> int:
    """Plays the ladder and reports it."""
    from engine.games import game_named
    from engine.lab.progress import bar
    from engine.lab.skill import in_words, ladder

    game = game_named(args.game)
    plan = plan_of(args, game, chosen_ruleset(game, args))
    plan = replace(plan, matches=plan.matches + plan.matches % 2)  # each deal is played twice
    if len(plan.bots) < 2:
        raise UsageError("A ladder takes two bots or more.", "For example --bots greedy,careful.")
    began = time.monotonic()
    told = bar(plan.matches * (len(plan.bots) - 1), "matches", lines=args.progress)
    rows = ladder(plan, plan.bots, workers_of(args), args.cluster, told)
    answer: Json = {
        "game": game.name,
        "players": plan.players,
        "turns": plan.turns,
        "matches": plan.matches,
        "seed": plan.seed,
        "seconds": round(time.monotonic() - began, 3),
        "ladder": rows,
    }
    _print(answer, args.json, in_words)
    return 0


def run_live(args: Namespace) -> int:
    """Measures records and reports them."""
    from engine.lab.live import in_words, measure_records

    without, records = given_marks(args.without), given_records(args, args.match)
    _print(measure_records(records, without, args.mix), args.json, in_words)
    return 0


def given_marks(text: str) -> list[str]:
    """The marks of `--without`. Raises UsageError for one that there is not."""
    from engine.lab.live import MARKS

    without = [mark.strip() for mark in text.split(",") if mark.strip()]
    wrong = [mark for mark in without if mark not in MARKS]
    if wrong:
        raise UsageError(f"There is no mark {wrong[0]!r}.", f"Choose from: {', '.join(MARKS)}.")
    return without


def given_records(args: Namespace, names: list[str]) -> list[tuple[str, Record]]:
    """The records of these names: files, else matches of this table. Raises CrowntableError."""
    from engine.records.files import read

    resolve = getattr(args, "resolve", None)
    records = []
    for name in names:
        path = Path(name)
        found = resolve(name) if resolve is not None and not path.exists() else None
        records.append((name, read(path) if found is None else found))
    return records


def _print(answer: Any, as_json: bool, in_words: Callable[[Any], str]) -> None:
    print(json.dumps(answer) if as_json else in_words(answer))
    sys.stdout.flush()
