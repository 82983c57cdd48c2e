"""What to simulate: the game, its rules, who plays, how often, from which seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from importlib.abc import Traversable
from random import Random
from typing import Any

from engine.errors import UsageError
from engine.game import Game, Json
from engine.games import game_named
from engine.lab.bots import bot
from engine.lab.match import LIMIT
from engine.records.record import hash_of, header_of, judge


@dataclass(frozen=True, slots=True)
class Plan:
    """What to simulate. `bots` take the seats in turn and move on by one seat every match, so that
    each sits everywhere equally often; houses are drawn anew for every match.

    `handicap`: (seat, percent) pairs; the cards printed for that seat's house are worth so much more
    (Althera). It is for checks of the lab itself, and for tables of unequal players.
    """

    game: str
    ruleset: Json
    players: int
    turns: int | None
    bots: tuple[str, ...]
    matches: int
    seed: str
    limit: int = LIMIT
    handicap: tuple[tuple[int, int], ...] = ()


def check(plan: Plan) -> None:
    """Raises UsageError where no match can be played by this plan, with what may stand there."""
    game = game_named(plan.game)
    ruleset = game.ruleset_from_json(plan.ruleset)
    for name in plan.bots:
        bot(name, game)
    seated = [n for n in range(2, 10) if _sets_up(game, ruleset, replace(plan, players=n, turns=None))]
    if plan.players not in seated:
        most = f"{seated[0]} to {seated[-1]}" if len(seated) > 1 else "".join(map(str, seated))
        raise UsageError(
            f"{game.name.capitalize()} is played by {most} players, not by {plan.players}."
            if seated
            else f"No match of {game.name} can be set up under these rules.",
            f"Give --players {seated[0]}, for example." if seated else "Look at the ruleset.",
        )
    if plan.turns is not None and "turns" not in plan.ruleset:
        raise UsageError(f"A match of {game.name} has no number of turns to choose.", "Leave --turns out.")
    if not _sets_up(game, ruleset, plan):
        offered = plan.ruleset.get("turns")
        if plan.turns is not None and isinstance(offered, list):
            listed = ", ".join(map(str, offered))
            raise UsageError(
                f"These rules offer matches of {listed} turns, not of {plan.turns}.",
                f"Give --turns {offered[0]}, or allow it with --set turns=[{plan.turns}].",
            )
        raise UsageError(f"No match of {game.name} can be set up like this.", "Leave --turns out.")
    if plan.handicap and (game.name != "althera" or any(seat > plan.players for seat, _ in plan.handicap)):
        raise UsageError("A handicap is for a seat that is taken, in althera.", "Change or drop --handicap.")


def _sets_up(game: Game, ruleset: Any, plan: Plan) -> bool:
    try:
        return judge(game, game.initial(ruleset), setup_of(game, plan, Random(0))).ok
    except (TypeError, ValueError):  # details that this game's setup does not take
        return False


def setup_of(game: Game, plan: Plan, rng: Random) -> Json:
    """A setup with what chance decides at a real table: houses, and who begins."""
    seats = list(range(1, plan.players + 1))
    details: dict[str, Any] = {} if plan.turns is None else {"turns": plan.turns}
    if game.name == "althera":
        from engine.althera import HOUSES

        offered = plan.ruleset.get("turns")
        if plan.turns is None and offered:
            details["turns"] = 3 if 3 in offered else offered[0]
        houses = rng.sample(sorted(HOUSES), min(len(seats), len(HOUSES)))
        details["houses"] = dict(zip(seats, houses, strict=False))
    elif game.name == "anthem" and seats:
        details["first"] = rng.choice(seats)
    return game.setup_action(seats, **details)


def sits(plan: Plan, number: int) -> dict[int, str]:
    """Which bot sits where in match `number`."""
    return {seat: plan.bots[(seat + number) % len(plan.bots)] for seat in range(1, plan.players + 1)}


def rules_of(game: Game, plan: Plan, ruleset: Any, setup: Json) -> Any:
    """The rules of one match: the plan's, with its handicap on the cards of that seat's house."""
    if not plan.handicap:
        return ruleset
    houses = {player["seat"]: player["house"] for player in setup["players"]}
    more: Mapping[str, int] = {houses[seat]: percent for seat, percent in plan.handicap}
    cards = {
        card.id: card
        if card.value is None or card.house not in more
        else card._replace(value=max(1, round(card.value * (100 + more[card.house]) / 100)))
        for card in ruleset.cards.values()
    }
    return replace(ruleset, cards=cards)


def hashes(plan: Plan) -> tuple[str, str]:
    """The hashes of the plan's rules and of its card set, as match records have them."""
    game = game_named(plan.game)
    ruleset = game.ruleset_from_json(plan.ruleset)
    setup = game.setup_action(range(1, plan.players + 1))
    if game.name == "althera":
        setup["turns"] = plan.ruleset["turns"][0]
    state = judge(game, game.initial(ruleset), setup).state
    header = header_of(game, ruleset, setup, state)
    return header.ruleset_hash, header.cards_hash


def key_of(plan: Plan) -> str:
    """What matches must share to be counted together: all of the plan but how many there are, and the
    program that plays them."""
    about = asdict(plan)
    del about["matches"]
    return hash_of({**about, "program": program()})


@cache
def program() -> str:
    """A hash of the engine that runs: the same text of rules, bots and measures gives the same one. What
    only answers questions about the rules (`ask`) or shows results (`lab/show`) is not in it."""
    text = hashlib.sha256()
    for name, file in sorted(_sources(resources.files("engine"), "engine")):
        text.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return text.hexdigest()


def _sources(folder: Traversable, name: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in ("__pycache__", "ask", "show"):
            found += _sources(entry, f"{name}/{entry.name}")
        elif entry.name.endswith((".py", ".toml")):
            found.append((f"{name}/{entry.name}", entry))
    return found
