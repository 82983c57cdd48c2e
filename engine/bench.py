"""How fast the engine is: actions a second through `apply` and through the referee's pipe."""

from __future__ import annotations

import gc
import io
import json
import random
import resource
import sys
import time
from collections.abc import Sequence
from typing import Any

from engine.game import Finding, Game, Json

METHOD = """\
A fixed stream of Althera actions is made first and not timed: 40 random matches of 2 to 5 players, each
action drawn from all that are legal on public knowledge (no hands, no strategy). In the mixed stream about
every fifth line is one that the rules refuse at that point.
apply: parsed actions through GAME.apply in one process, one after the other, no input or output; best of
five runs. referee: the same as JSON lines through the loop of `crowntable referee` in the same process,
from memory to memory; best of three runs.
Rates are actions a second of processor time on one core. Memory is the process's peak in KiB before and
after the timed runs."""

_MATCHES = 40


def random_match(game: Game, seed: int, refused: float = 0.0) -> list[Json]:
    """One random match of 2 to 5 players as JSON actions; a share of lines that are refused mixed in."""
    rng = random.Random(seed)
    seats = sorted(rng.sample(range(1, 6), rng.randint(2, 5)))
    stream = [game.setup_action(seats)]
    state = game.apply(game.initial(game.ruleset()), game.parse(stream[0])).state
    while legal := game.actions(state):
        if refused and rng.random() < refused:
            wrong = _refused(game, state, seats, rng)
            if wrong is not None:
                stream.append(wrong)
        action = rng.choice(legal)
        stream.append(game.dump(action))
        state = game.apply(state, action).state
    return stream


def _refused(game: Game, state: Any, seats: Sequence[int], rng: random.Random) -> Json | None:
    """An action that the rules refuse now, or None where the one tried happens to be legal."""
    seat = rng.choice(seats)
    wrong: Json = rng.choice(
        (
            {"do": "play", "seat": seat, "card": rng.choice(list(game.cards(state)))},
            {"do": "declare", "seat": seat, "against": rng.choice(seats)},
            {"do": rng.choice(("stand", "retreat", "redraw")), "seat": seat},
        )
    )
    return None if game.apply(state, game.parse(wrong)).ok else wrong


def measure() -> Json:
    """Runs it all, about half a minute: rates in actions a second, memory in KiB."""
    from engine.althera import GAME

    legal = [line for seed in range(_MATCHES) for line in random_match(GAME, seed)]
    mixed = [line for seed in range(_MATCHES) for line in random_match(GAME, seed, 0.25)]
    before = _peak()
    result: Json = {
        "game": "althera",
        "matches": _MATCHES,
        "actions": len(legal),
        "apply_per_s": _apply_rate(GAME, legal),
        "apply_mixed_per_s": _apply_rate(GAME, mixed),
        "referee_per_s": _referee_rate(GAME, legal),
        "referee_mixed_per_s": _referee_rate(GAME, mixed),
        "refused_share": round(1 - len(legal) / len(mixed), 3),
        "peak_kib_before": before,
    }
    result["peak_kib_after"] = _peak()
    result["python"] = sys.version.split()[0]
    return result


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _apply_rate(game: Game, stream: list[Json], runs: int = 5) -> int:
    actions = [game.parse(obj) for obj in stream]
    assert not any(isinstance(action, Finding) for action in actions)
    start = game.initial(game.ruleset())
    apply = game.apply
    best = float("inf")
    for _ in range(runs):
        gc.collect()
        state = start
        begun = time.process_time()
        for action in actions:
            state = apply(state, action).state
        best = min(best, time.process_time() - begun)
    return round(len(actions) / best)


def _referee_rate(game: Game, stream: list[Json], runs: int = 3) -> int:
    from engine.referee import serve

    text = "".join(json.dumps(obj) + "\n" for obj in stream).encode()
    best = float("inf")
    for _ in range(runs):
        gc.collect()
        source, sink = io.BytesIO(text), io.BytesIO()
        begun = time.process_time()
        serve(game, game.initial(game.ruleset()), source, sink)
        best = min(best, time.process_time() - begun)
    return round(len(stream) / best)
