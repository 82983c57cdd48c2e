"""Records for the tests: matches of both games by bots, with mistakes and corrections mixed in."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from engine.game import Json
from engine.games import game_named
from engine.lab.bots import bot
from engine.lab.match import play
from engine.records.record import Record, record_of

NAMES = {1: "Ada", 2: "Zoë <b>&</b>", 3: "=SUM(A1)"}


@cache
def match_record(game_name: str, seed: int = 1, *changes: tuple[str, str], states: bool = False) -> Record:
    """A three-player match with refused actions, undos and everything that a table adds to a line."""
    game, rng = game_named(game_name), Random(seed)
    rules = game.ruleset(None, dict(changes))
    setup = game.setup_action([1, 2, 3], names=NAMES)
    played = play(game, rules, {s: bot("greedy", game) for s in (1, 2, 3)}, rng, setup)
    actions: list[Json] = []
    for action in played.actions:
        actions.append(action)
        if action["do"] != "setup" and rng.random() < 0.1:
            actions += [{"do": "undo"}, action]
        if rng.random() < 0.1:
            actions.append({"do": "lay" if game_name == "anthem" else "play", "seat": 1, "card": "aurea/x/1"})
    details = [detail(i, rng) for i in range(len(actions))]
    about = {"match": "friday-1", "started": 1780000000.0, "program": "0.1.0"}
    return record_of(game, rules, actions, states=states, details=details, **about)


def detail(i: int, rng: Random) -> dict[str, Any]:
    """What the table knows of an action beside the action."""
    seconds = round(3.1 * i, 3)
    by_hand = rng.random() < 0.2
    return {
        "seq": i + 4,
        "wall": 1780000000.0 + seconds,
        "mono": 50.0 + seconds,
        "boot": "b1",
        "who": {"kind": "operator" if by_hand else "device", "id": "" if by_hand else "pico"},
        "evidence": () if by_hand else ("zone seat1.field, 6 of 6 reads",),
        "edited": by_hand,
    }
