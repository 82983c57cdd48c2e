"""Many matches between bots, measured; the same seed gives the same counts whatever the workers.

>>> from engine.games import game_named
>>> rules = game_named("anthem").ruleset_json(game_named("anthem").ruleset())
>>> simulate(Plan("anthem", rules, 2, None, ("greedy",), 3, "7")).matches
3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.errors import CrowntableError
from engine.game import Game
from engine.games import game_named
from engine.lab.bots import Bot, bot
from engine.lab.choices import Choices, watched
from engine.lab.match import walk, winners_of
from engine.lab.measures import Facts, measure
from engine.lab.plan import Plan, check, program, rules_of, setup_of, sits
from engine.lab.tally import Tally
from engine.lab.trace import Seen
from engine.lab.work import work

#: Matches that a worker plays before it reports, by the slowest bot at the table: about half a second of
#: work, so that handing them out costs next to nothing and Ctrl-C waits for little. Althera's are for two
#: players; of more, where every pair duels, as many fewer.
CHUNKS: Mapping[str, Mapping[str, int]] = {
    "althera": {"random": 400, "greedy": 400, "careful": 100},
    "anthem": {"random": 4, "greedy": 100, "careful": 25},
}
SLOW = 2
#: In every so many-th match it is counted how many decisions were real: that takes time.
CHOICES_EVERY = 10
#: And in every so many-th match all actions are judged again, though the bots have asked the rules: a bot
#: that has not would soon be found out. It changes no match.
JUDGED_EVERY = 10

#: The columns of a match in a file of results, beside its number.
ROW = ("winners", "plays", "cards", "duels", "turns", "seconds", "leads", "fields")


@dataclass(frozen=True, slots=True)
class Part:
    """Matches `start` to `stop` (exclusive), counted; a row a match; the program that played them."""

    start: int
    stop: int
    tally: Tally
    rows: tuple[tuple[int | None, ...], ...]
    program: str


def simulate(
    plan: Plan,
    workers: int = 1,
    told: Callable[[int], None] | None = None,
    cluster: str | None = None,
) -> Tally:
    """Plays all matches of the plan: in this process, in `workers` of their own, or on a Dask cluster.

    `told` is called with the number of matches done now and then. KeyboardInterrupt ends the workers.
    Raises CrowntableError as `plan.check` and `work.work` do.
    """
    check(plan)
    total = Tally()
    for part in parts(plan, [(0, plan.matches)], workers, cluster):
        total.add(part.tally)
        if told is not None:
            told(total.matches)
    return total


def parts(
    plan: Plan, ranges: Sequence[tuple[int, int]], workers: int = 1, cluster: str | None = None
) -> Iterator[Part]:
    """The parts that make up these ranges of matches, as they get done."""
    jobs = [(plan, start, stop) for start, stop in pieces(plan, ranges)]
    for part in work(chunk, jobs, workers, cluster):
        if part.program != program():
            raise CrowntableError(
                f"A worker runs another version of the rules and bots: {part.program[:8]} instead of "
                f"{program()[:8]}.",
                "Install the same version of crowntable on every machine of the cluster.",
            )
        yield part


def pieces(plan: Plan, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges in pieces of what a worker plays at a time; fewer at a time where there are few."""
    sizes = CHUNKS.get(plan.game, {})
    size = min(sizes.get(name.partition(":")[0], SLOW) for name in plan.bots)
    if plan.game == "althera":
        size //= plan.players * (plan.players - 1) // 2
    total = sum(stop - start for start, stop in ranges)
    size = max(1, min(size, total // 20))
    return [(start, min(start + size, end)) for begin, end in ranges for start in range(begin, end, size)]


def chunk(plan: Plan, start: int, stop: int | None = None) -> Part:
    """Matches from number `start` on, up to `stop` or a hundred; each has a seed of its own."""
    game = game_named(plan.game)
    ruleset = game.ruleset_from_json(plan.ruleset)
    table = {name: bot(name, game) for name in plan.bots}
    tally, rows = Tally(), []
    end = min(start + 100, plan.matches) if stop is None else stop
    for number in range(start, end):
        seen = one(plan, game, ruleset, table, number)
        facts = measure(seen)
        tally.count(facts, seen.winners)
        tally.forced += sum(getattr(step.action, "force", False) for step in seen.steps)
        rows.append(_row(number, seen, facts))
    return Part(start, end, tally, tuple(rows), program())


def one(plan: Plan, game: Game, ruleset: Any, table: dict[str, Bot], number: int) -> Seen:
    """Match `number` of the plan."""
    rng = Random(f"{plan.seed}/{number}")
    setup = setup_of(game, plan, rng)
    seated, choices = sits(plan, number), Choices()
    bots = {seat: table[name] for seat, name in seated.items()}
    if number % CHOICES_EVERY == 0:
        bots = {seat: watched(game, player, choices) for seat, player in bots.items()}
    rules, judged = rules_of(game, plan, ruleset, setup), number % JUDGED_EVERY == 0
    steps = tuple(walk(game, rules, bots, rng, setup, plan.limit, judged))
    counted = {seat: (count, real) for seat, (count, real) in choices.items()}
    winners = winners_of(game, steps[-1].after)
    return Seen(game, steps, tuple(setup["players"]), winners, seated, counted)


def _row(number: int, seen: Seen, facts: Facts) -> tuple[int | None, ...]:
    """A match for the file of results; the winners as a sum of 2^(seat - 1)."""
    names = ("plays", "cards", "duels", "turns", "seconds")
    lengths = [facts.get(f"length.{name}", (None, 1))[0] for name in names]
    swings = [facts.get(f"swing.{name}", (None, 1))[0] for name in ("lead", "field")]
    winners = None if seen.winners is None else sum(1 << (seat - 1) for seat in seen.winners)
    return (number, winners, *lengths, *swings)
