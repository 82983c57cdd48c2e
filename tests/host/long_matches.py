"""Whole matches written into a journal at once, as a table would have written them play by play."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

from engine.games import games
from host.entry import Entry, Json
from host.face import Who
from host.journal import Journal
from host.words import Words

PICO = Who("device", "pico")
HOUSES = ("cremisi", "aurea", "celeste", "quercia", "purpurea")
NAMES = ("Ada", "Bruno", "Chiara", "Dario", "Elena")


@cache
def legal_walk(name: str, seats: int, seed: int, turns: int = 3, most: int = 100_000) -> list[Json]:
    """Legal actions of a whole match at random, its setup first; redraws and retreats only where nothing
    else can be done."""
    game, rng = games()[name], random.Random(seed)
    players: list[Json] = [{"seat": i + 1, "name": NAMES[i]} for i in range(seats)]
    setup: Json = {"do": "setup", "players": players}
    if name == "althera":
        for player, house in zip(players, HOUSES, strict=False):
            player["house"] = house
        setup["turns"] = turns
    else:
        setup["first"] = 1
    state = game.apply(game.initial(game.ruleset()), game.parse(setup)).state
    done = [setup]
    while len(done) < most and game.state_json(state)["phase"] != "over":
        choices = [game.dump(action) for action in game.actions(state)]
        action = rng.choice([c for c in choices if c["do"] not in ("redraw", "retreat")] or choices)
        state = game.apply(state, game.parse(action)).state
        done.append(action)
    return done


def written(folder: Path, name: str, matches: list[list[Json]]) -> None:
    """A journal in `folder` with these matches, each action a second after the one before."""
    game, journal = games()[name], Journal(folder)
    ruleset = game.ruleset()
    entries: list[Entry] = []

    def add(
        kind: Any, match: int, action: Json | None = None, text: str = "", body: Json | None = None
    ) -> None:
        seq = len(entries) + 1
        ok = None if action is None else True
        when = 100.0 + seq
        entries.append(Entry(seq, kind, 1.7e9 + when, when, "boot1", match, PICO, action, ok, text=text,
                             body=body or {}))  # fmt: skip

    add("boot", 0, text="The table starts.")
    for number, actions in enumerate(matches, 1):
        seats = [dict(player) for player in actions[0]["players"]]
        body = {"game": name, "ruleset": game.ruleset_json(ruleset), "ruleset_sha256": "0" * 64,
                "seats": seats, "number": number}  # fmt: skip
        begun = len(entries) + 1
        add("match", begun, text="A new match begins.", body=body)
        words = Words({s["seat"]: s["name"] for s in seats})
        state = game.initial(ruleset)
        for action in actions:
            before = game.state_json(state)
            state = game.apply(state, game.parse(action)).state
            add("action", begun, action, words.happened(action, before, game.state_json(state)))
    journal.append(entries)
    journal.close()
