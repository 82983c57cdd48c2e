"""How fast the lab is: `crowntable bench lab`."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

from engine.errors import CrowntableError
from engine.game import Json
from engine.games import game_named
from engine.lab.plan import Plan
from engine.lab.simulate import Part, chunk, pieces, simulate
from engine.lab.work import QUIET, work

METHOD = """\
plays_per_s: two-player, three-turn Althera matches of each bot against itself, set up, played, judged action
by action and measured as `crowntable lab run` does it, in one process; a play is an action after the setup
(a card, a declaration, a redraw, a retreat, a stand, a roll). Rates are per second of processor time on one
core, the best of three runs after a first one to warm up; cards_per_s counts the cards alone. engine_per_s is
the same process's rate through the bare engine (`bench engine`): what the machine was worth just then.
million_minutes: what a million such matches by random bots take on two cores at that rate;
wall_matches_per_s: what two worker processes really do, by the clock, beside all else that runs.
dask_overhead: the time by the clock that a match takes a worker of a Dask cluster of two worker processes on
this machine, with the settings of docs/lab.md, over that of one of two plain worker processes, less one; turn
about, the better of three each. A worker's time runs from the end of its first job to the end of its last,
waits between jobs included: so neither its start counts, nor that one worker is idle while the other does the
very last job, which with some forty jobs is worth as much as what is looked for. Only an idle machine gives a
fair figure; processor time would give none on a busy machine either, for Dask's watchers tick by the clock.
Left out where Dask is not installed."""

#: Matches a run, by bot: about a second's work each on a fast core.
MATCHES = {"random": 1000, "greedy": 600, "careful": 150}
RUNS = 3


def measure(scale: float = 1.0) -> Json:
    """Runs it all: rates a second of processor time.

    `scale` makes it quicker, for tests; the figures are then worth less.
    """
    plays, cards = {}, {}
    for name, count in MATCHES.items():
        plays[name], cards[name] = _rates(_plan(name, max(20, int(count * scale))))
    per_match = _plays_a_match()
    result: Json = {
        "game": "althera",
        "players": 2,
        "turns": 3,
        "plays_per_s": plays,
        "cards_per_s": cards,
        "plays_per_match": round(per_match, 2),
        "engine_per_s": _engine(scale),
        "million_minutes": round(1e6 * per_match / plays["random"] / 2 / 60, 1),
        "wall_matches_per_s": _wall(_plan("random", int(4000 * scale) + 40)),
    }
    overhead = _dask_overhead(_plan("random", int(16000 * scale) + 40))
    if overhead is not None:
        result["dask_overhead"] = overhead
    return result | {"cores": os.cpu_count(), "python": sys.version.split()[0]}


def _plan(name: str, matches: int) -> Plan:
    game = game_named("althera")
    return Plan("althera", game.ruleset_json(game.ruleset()), 2, 3, (name,), matches, "bench")


def _rates(plan: Plan) -> tuple[int, int]:
    """Plays and cards a second of processor time: the best of some runs."""
    best, played, laid = float("inf"), 0, 0
    chunk(plan, 0, max(10, plan.matches // 10))
    for _ in range(RUNS):
        gc.collect()
        begun = time.process_time()
        tally = chunk(plan, 0, plan.matches).tally
        best = min(best, time.process_time() - begun)
        played, laid = tally.sums["length.plays"][2], tally.sums["length.cards"][2]
    return round(played / best), round(laid / best)


def _plays_a_match() -> float:
    sums = chunk(_plan("random", 200), 0, 200).tally.sums["length.plays"]
    return sums[2] / sums[0]


def _engine(scale: float) -> int:
    from engine.bench import _apply_rate, random_match

    game = game_named("althera")
    stream = [line for seed in range(max(4, int(20 * scale))) for line in random_match(game, seed)]
    return _apply_rate(game, stream, runs=3)


def _wall(plan: Plan) -> float:
    begun = time.monotonic()
    simulate(plan, workers=2)
    return round(plan.matches / (time.monotonic() - begun), 1)


def _timed(plan: Plan, start: int, stop: int) -> tuple[int, float, Part]:
    """A job as `chunk` does it, the result travelling with it; which process did it and when it was done."""
    part = chunk(plan, start, stop)
    return os.getpid(), time.monotonic(), part


def _clocked(jobs: Sequence[tuple[Any, ...]], cluster: str | None) -> float:
    """Seconds that a worker needs for a match: its first job is left out, the waits between jobs are not."""
    ended: dict[int, list[tuple[float, int]]] = {}
    for worker, at, part in work(_timed, jobs, 2, cluster):
        ended.setdefault(worker, []).append((at, part.tally.matches))
    seconds, matches = 0.0, 0
    for times in map(sorted, ended.values()):
        seconds += times[-1][0] - times[0][0]
        matches += sum([count for _, count in times[1:]])
    return seconds / matches


def _dask_overhead(plan: Plan) -> float | None:
    try:
        import dask
        from distributed import LocalCluster
    except ImportError:
        return None
    jobs: list[tuple[Any, ...]] = [(plan, start, stop) for start, stop in pieces(plan, [(0, plan.matches)])]
    plain, far = float("inf"), float("inf")
    try:
        for _ in range(RUNS):
            plain = min(plain, _clocked(jobs, None))
            # A cluster of its own each time: an idle one would use the processor during the plain runs.
            with (
                dask.config.set(QUIET),
                LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            ):
                far = min(far, _clocked(jobs, cluster.scheduler_address))
    except OSError as error:
        raise CrowntableError(
            f"No Dask cluster could be started here: {error}.", "See the other figures without it."
        ) from None
    return round(far / plain - 1, 4)
