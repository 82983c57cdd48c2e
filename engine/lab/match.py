"""One match played by bots, step by step or from the setup to the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.althera import state as althera
from engine.althera.views import awaiting_rolls
from engine.anthem import state as anthem
from engine.game import Finding, Game, Json, Verdict
from engine.lab.bots import Bot
from engine.lab.hands import Hands

#: After so many actions a match counts as unfinished: Anthem's rules let cards be kept for ever.
LIMIT = 5000

#: Told of every action of a match: the state before, the JSON action, the verdict.
Listener = Callable[[Any, Json, Verdict], None]


@dataclass(frozen=True, slots=True)
class Played:
    """A match that bots have played.

    `actions` are all of them in JSON, the setup first; `state` is the last one; `winners` is None
    where the match was left unfinished at the limit.
    """

    game: Game
    ruleset: Any
    actions: tuple[Json, ...]
    state: Any
    winners: tuple[int, ...] | None


def rolls(state_json: Json) -> tuple[int, ...]:
    """The seats whose die is awaited in this public state; none in a game without dice."""
    return tuple(state_json.get("awaiting_rolls") or ())


def is_over(state_json: Json) -> bool:
    """Whether this public state is a match's end."""
    return state_json.get("phase") == "over"


def next_action(
    game: Game, state: Any, hands: Hands, bots: Mapping[int, Bot], rng: Random, *, dice: bool = True
) -> Json | None:
    """The next thing that happens at a table: an awaited die is thrown, or one of the bots acts.

    `hands` must be in step with `state`. Seats without a bot are left to people, and so is the die
    where `dice` is False. None: nobody here has anything to do.
    """
    awaited, mover = _due(game, state)
    if awaited and dice:
        return {"do": "roll", "seat": awaited[0], "face": rng.randint(1, 6)}
    # Whoever is not on move goes first: a win is claimed before the next card is drawn.
    order = sorted(rng.sample(sorted(bots), len(bots)), key=lambda seat: seat == mover)
    for seat in order:
        action = bots[seat].choose(game, state, seat, hands.hand(seat), rng)
        if action is not None:
            return action
    return None


def _due(game: Game, state: Any) -> tuple[Sequence[int], int | None]:
    """Whose die is awaited, and who is on move in a game where that is one seat."""
    if isinstance(state, althera.State):
        return awaiting_rolls(state), None
    if isinstance(state, anthem.State):
        return (), state.to_move
    public = game.state_json(state)
    return rolls(public), public.get("to_move")


def play(
    game: Game,
    ruleset: Any,
    bots: Mapping[int, Bot],
    rng: Random,
    setup: Json | None = None,
    listeners: Sequence[Listener] = (),
    limit: int = LIMIT,
) -> Played:
    """A whole match between bots. The same `rng` state gives the same match.

    `setup` is the JSON setup action, by default the game's own for the bots' seats.
    """
    state, hands = game.initial(ruleset), Hands(game, rng)
    actions = [setup or game.setup_action(sorted(bots))]
    for _ in range(limit):
        verdict = game.apply(state, _parsed(game, actions[-1]))
        for listen in listeners:
            listen(state, actions[-1], verdict)
        if not verdict.ok:
            raise ValueError(f"a bot's action is illegal: {actions[-1]}: {verdict.findings}")
        state = verdict.state
        hands.sync(state)
        action = next_action(game, state, hands, bots, rng)
        if action is None:
            break
        actions.append(action)
    else:
        actions.pop()
    winners = game.state_json(state).get("winners")
    return Played(game, ruleset, tuple(actions), state, None if winners is None else tuple(winners))


def _parsed(game: Game, action: Json) -> Any:
    parsed = game.parse(action)
    if isinstance(parsed, Finding):
        raise ValueError(f"a bot's action is none: {action}: {parsed.text}")
    return parsed
