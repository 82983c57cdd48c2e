"""Many matches between bots, counted; the same seed gives the same counts whatever the workers."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from random import Random
from typing import Any

from engine.errors import UsageError
from engine.game import Game, Json
from engine.games import game_named
from engine.lab.bots import Bot, bot
from engine.lab.match import LIMIT, Played, play
from engine.lab.measures import Watch
from engine.records.record import hash_of, judge

#: Matches that a worker plays before it reports.
CHUNK = 100


@dataclass(frozen=True, slots=True)
class Plan:
    """What to simulate. `bots` take the seats in turn and move on by one seat every match, so that
    each sits everywhere equally often; houses are drawn anew for every match."""

    game: str
    ruleset: Json
    players: int
    turns: int | None
    bots: tuple[str, ...]
    matches: int
    seed: str
    limit: int = LIMIT


@dataclass(slots=True)
class Tally:
    """Counts over matches, all whole numbers, so that tallies add up the same in any order.

    `played` and `won` are counted by ("seat", 1), ("house", "cremisi"), ("bot", "greedy") and, once a
    match and seat that played it, ("card", "captain"). `lengths` and `swings` are histograms by
    name; `uses` is how often each kind of card was played.
    """

    matches: int = 0
    unfinished: int = 0
    shared: int = 0
    played: Counter[tuple[str, Any]] = field(default_factory=Counter)
    won: Counter[tuple[str, Any]] = field(default_factory=Counter)
    lengths: dict[str, Counter[int]] = field(default_factory=dict)
    swings: dict[str, Counter[int]] = field(default_factory=dict)
    uses: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Takes in another tally."""
        self.matches += other.matches
        self.unfinished += other.unfinished
        self.shared += other.shared
        self.played.update(other.played)
        self.won.update(other.won)
        self.uses.update(other.uses)
        for mine, theirs in ((self.lengths, other.lengths), (self.swings, other.swings)):
            for name, histogram in theirs.items():
                mine.setdefault(name, Counter()).update(histogram)


def check(plan: Plan) -> None:
    """Raises UsageError where no match can be played by this plan."""
    game = game_named(plan.game)
    ruleset = game.ruleset_from_json(plan.ruleset)
    for name in plan.bots:
        bot(name, game)
    verdict = judge(game, game.initial(ruleset), _setup(game, plan, Random(0)))
    if not verdict.ok:
        raise UsageError(
            f"No match can be set up like this: {verdict.findings[0].text}",
            "Change --players or --turns, or what the ruleset says of them.",
        )


def simulate(plan: Plan, workers: int = 1, told: Callable[[int], None] | None = None) -> Tally:
    """Plays all matches of the plan, in this process or in `workers` of their own.

    `told` is called with the number of matches done now and then. KeyboardInterrupt ends the workers.
    Raises CrowntableError as `check` does.
    """
    check(plan)
    total = Tally()
    for part in _parts(plan, workers):
        total.add(part)
        if told is not None:
            told(total.matches)
    return total


def _parts(plan: Plan, workers: int) -> Iterator[Tally]:
    starts = range(0, plan.matches, CHUNK)
    if workers <= 1 or len(starts) <= 1:
        for start in starts:
            yield chunk(plan, start)
        return
    context = get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_leave_ctrl_c_to_the_parent)
    try:
        waiting: set[Future[Tally]] = {pool.submit(chunk, plan, start) for start in starts}
        for done in as_completed(waiting):
            yield done.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def chunk(plan: Plan, start: int) -> Tally:
    """The tally of up to CHUNK matches from number `start` on; each has a seed of its own."""
    game = game_named(plan.game)
    ruleset = game.ruleset_from_json(plan.ruleset)
    table = {name: bot(name, game) for name in plan.bots}
    tally = Tally()
    for number in range(start, min(start + CHUNK, plan.matches)):
        _count(tally, *_one(plan, game, ruleset, table, number))
    return tally


def _one(
    plan: Plan, game: Game, ruleset: Any, table: dict[str, Bot], number: int
) -> tuple[Played, Watch, dict[int, str]]:
    """Match `number` of the plan, what was seen in it, and which bot sat where."""
    rng = Random(f"{plan.seed}/{number}")
    sits = {seat: plan.bots[(seat + number) % len(plan.bots)] for seat in range(1, plan.players + 1)}
    watch = Watch(game.name)
    setup = _setup(game, plan, rng)
    bots = {seat: table[name] for seat, name in sits.items()}
    return play(game, ruleset, bots, rng, setup, (watch,), plan.limit), watch, sits


def _setup(game: Game, plan: Plan, rng: Random) -> Json:
    """A setup with what chance decides at a real table: houses, and who begins."""
    seats = list(range(1, plan.players + 1))
    details: dict[str, Any] = {} if plan.turns is None else {"turns": plan.turns}
    if game.name == "althera":
        from engine.althera import HOUSES

        houses = rng.sample(sorted(HOUSES), min(len(seats), len(HOUSES)))
        details["houses"] = dict(zip(seats, houses, strict=False))
    elif game.name == "anthem" and seats:
        details["first"] = rng.choice(seats)
    return game.setup_action(seats, **details)


def _count(tally: Tally, played: Played, watch: Watch, sits: dict[int, str]) -> None:
    winners = set(played.winners or ())
    tally.matches += 1
    tally.unfinished += played.winners is None
    tally.shared += len(winners) > 1
    for player in played.actions[0]["players"]:
        seat = player["seat"]
        keys: list[tuple[str, Any]] = [("seat", seat), ("bot", sits[seat])]
        if "house" in player:
            keys.append(("house", player["house"]))
        keys += [("card", kind) for who, kind in watch.used if who == seat]
        tally.played.update(keys)
        if seat in winners:
            tally.won.update(keys)
    for (_, kind), times in watch.used.items():
        tally.uses[kind] += times
    tally.lengths.setdefault("actions", Counter())[len(played.actions)] += 1
    turn = played.game.state_json(played.state).get("turn")
    if isinstance(turn, int):
        tally.lengths.setdefault("turns", Counter())[turn] += 1
    for name, count in watch.swings.items():
        tally.swings.setdefault(name, Counter())[count] += 1


def report(plan: Plan, tally: Tally, seconds: float) -> Json:
    """The tally as `contracts/cli.md` has it: rates with Wilson 95 % intervals, lengths, swings, cards."""
    return {
        "game": plan.game,
        "ruleset": {"name": plan.ruleset.get("name"), "hash": hash_of(plan.ruleset)},
        "players": plan.players,
        "turns": plan.turns,
        "line_up": list(plan.bots),
        "seed": plan.seed,
        "matches": tally.matches,
        "unfinished": tally.unfinished,
        "shared": tally.shared,
        "seconds": round(seconds, 3),
        "matches_per_s": round(tally.matches / seconds, 1) if seconds else None,
        "seats": _rates(tally, "seat"),
        "houses": _rates(tally, "house"),
        "bots": _rates(tally, "bot"),
        "length": {name: _spread(histogram) for name, histogram in tally.lengths.items()},
        "swings": {name: _spread(histogram) for name, histogram in tally.swings.items()},
        "cards": [
            row
            | {
                "uses": tally.uses[row["card"]],
                "per_match": round(tally.uses[row["card"]] / tally.matches, 4),
            }
            for row in _rates(tally, "card")
        ],
    }


def _rates(tally: Tally, by: str) -> list[Json]:
    rows = []
    for key in sorted((k for k in tally.played if k[0] == by), key=lambda k: str(k[1])):
        played, wins = tally.played[key], tally.won[key]
        low, high = wilson(wins, played)
        rows.append(
            {by: key[1], "matches": played, "wins": wins, "rate": round(wins / played, 5)}
            | {"low": round(low, 5), "high": round(high, 5)}
        )
    return rows


def wilson(wins: int, of: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a rate.

    >>> tuple(round(x, 4) for x in wilson(8, 10))
    (0.4902, 0.9433)
    """
    z = 1.959963984540054
    if of == 0:
        return 0.0, 1.0
    rate = wins / of
    middle = rate + z * z / (2 * of)
    half = z * (rate * (1 - rate) / of + z * z / (4 * of * of)) ** 0.5
    whole = 1 + z * z / of
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def _spread(histogram: Counter[int]) -> Json:
    """A histogram's mean and some of its quantiles."""
    values, total = sorted(histogram), sum(histogram.values())
    return {
        "mean": round(sum(v * histogram[v] for v in values) / total, 4),
        "min": values[0],
        "p10": _quantile(histogram, values, 0.1 * total),
        "median": _quantile(histogram, values, 0.5 * total),
        "p90": _quantile(histogram, values, 0.9 * total),
        "max": values[-1],
    }


def _quantile(histogram: Counter[int], values: list[int], rank: float) -> int:
    """The smallest value that at least `rank` of the counted ones do not exceed."""
    below = 0
    for value in values:
        below += histogram[value]
        if below >= rank:
            return value
    return values[-1]
