"""Worked examples played by the engine: what the rulebook's pages show card by card, with the sums."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from engine.althera.state import State as AltheraState
from engine.althera.state import duel_of
from engine.althera.steps import steps
from engine.ask.book import Example, book
from engine.errors import CrowntableError
from engine.game import Game, Json
from engine.games import game_named

#: what comes before Althera's examples: seat 1 has rolled highest and challenges seat 2
_BEFORE: tuple[Json, ...] = (
    {"do": "roll", "seat": 1, "face": 6},
    {"do": "roll", "seat": 2, "face": 3},
    {"do": "roll", "seat": 3, "face": 1},
    {"do": "declare", "seat": 1, "against": 2},
)
#: what a step says about itself beside the action
_EXPECTED = ("field", "layout", "refused")


@dataclass(frozen=True, slots=True)
class Frame:
    """One step of an example: the action, and the table after it.

    Althera: `field` (owner, value) or None, `sum` how it came about, `effect` what the card did, `ended`
    how the duel ended, as contracts/referee.md's last_duel. Anthem: `layout`, the acting seat's eight
    entries. `refused`: the codes of the findings that forbade it, as a judge would name them."""

    action: Json
    field: tuple[int, int] | None = None
    sum: str = ""
    effect: str = ""
    ended: Json | None = None
    layout: tuple[str | None, ...] = ()
    refused: tuple[str, ...] = ()


@cache
def played(game: str, example_id: str) -> tuple[Frame, ...]:
    """An example as the engine plays it by the default ruleset.

    Raises CrowntableError where the engine refuses a step that the book does not mark as refused.
    """
    example = next(one for one in book(game).examples if one.id == example_id)
    playing = game_named(game)
    state = _begun(playing)
    frames = []
    for step in example.steps:
        action = {key: value for key, value in step.items() if key not in _EXPECTED}
        verdict = playing.apply(state, playing.parse(action))
        if verdict.ok == ("refused" in step):
            raise CrowntableError(
                f"The rulebook's example {game}/{example_id} goes wrong at {action}.",
                "Mend book/frame.toml: the rules say otherwise.",
            )
        state = verdict.state
        against = () if verdict.ok else tuple(finding.code for finding in verdict.findings)
        frames.append((_anthem if game == "anthem" else _althera)(state, action, against))
    return tuple(frames)


def _begun(game: Game) -> Any:
    seats = (1, 2) if game.name == "anthem" else (1, 2, 3)
    state = game.initial(game.ruleset())
    before = () if game.name == "anthem" else _BEFORE
    for action in (game.setup_action(seats), *before):
        state = game.apply(state, game.parse(action)).state
    return state


def _althera(state: AltheraState, action: Json, refused: tuple[str, ...]) -> Frame:
    duel = duel_of(state, 1)
    last = state.match.last_duel
    ended: Json | None = None
    if duel is None:
        assert last is not None, "an example has a duel, running or ended"
        duel = last.duel
        ended = game_named("althera").state_json(state)["last_duel"]
    done = steps(state.match.rules, duel)
    lays = action["do"] in ("play", "intervene", "roll") and bool(done)
    field = None if duel.field is None else (duel.field.owner, duel.field.value)
    effect = done[-1]["effect"] if lays and not (ended and action["do"] == "roll") else ""
    return Frame(action, field, done[-1]["sum"] if done else "", effect, ended, refused=refused)


def _anthem(state: Any, action: Json, refused: tuple[str, ...]) -> Frame:
    seat = next(one for one in state.seats if one.seat == action["seat"])
    return Frame(action, layout=seat.layout, refused=refused)


def differences(game: str, example: Example) -> list[str]:
    """Where the engine comes to something else than the book says; empty where they agree."""
    found = []
    frames = played(game, example.id)
    for step, frame in zip(example.steps, frames, strict=True):
        if "field" in step and frame.field != tuple(step["field"]):
            found.append(f"{example.id} {frame.action}: field {frame.field}, the book says {step['field']}")
        if "layout" in step and _values(frame.layout) != step["layout"]:
            found.append(f"{example.id} {frame.action}: {frame.layout}, the book says {step['layout']}")
        if frame.refused[:1] != ((step["refused"],) if "refused" in step else ()):
            found.append(f"{example.id} {frame.action}: refused as {frame.refused}")
    ended = frames[-1].ended or {}
    for key, value in example.end.items():
        if _comparable(ended.get(key)) != _comparable(value):
            found.append(f"{example.id}: {key} is {ended.get(key)}, the book says {value}")
    return found


def _values(layout: tuple[str | None, ...]) -> list[int]:
    """What lies on places 1 to 6, 0 for nothing."""
    return [0 if card is None else int(card.split("/")[1]) for card in layout[1:-1]]


def _comparable(value: Any) -> Any:
    """Lists of cards in no particular order; seats as text, as JSON has them."""
    if isinstance(value, dict):
        return {str(key): sorted(cards) for key, cards in value.items()}
    return sorted(value) if isinstance(value, list) else value
