"""One match played by bots, step by step or from the setup to the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.althera import state as althera
from engine.althera.actions import Roll
from engine.althera.state import declarer
from engine.anthem import state as anthem
from engine.game import Finding, Game, Json, Verdict
from engine.lab.bots import Act, Bot, act_of
from engine.lab.hands import Hand, Hands, dealer_of

#: After so many actions a match counts as unfinished: Anthem's rules let cards be kept for ever.
LIMIT = 5000

#: Told of every action of a match: the state before, the action, the verdict.
Listener = Callable[[Any, Any, Verdict], None]


@dataclass(frozen=True, slots=True)
class Played:
    """A match that bots have played.

    `moves` are all its actions in the game's own types, the setup first; `state` is the last one;
    `winners` is None where the match was left unfinished at the limit.
    """

    game: Game
    ruleset: Any
    moves: tuple[Any, ...]
    state: Any
    winners: tuple[int, ...] | None

    @property
    def actions(self) -> tuple[Json, ...]:
        """All actions in JSON."""
        return tuple(map(self.game.dump, self.moves))


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
    acts = {seat: (act_of(game, player), rng) for seat, player in bots.items()}
    action = _next(game, state, hands.hand, acts, rng, rng if dice else None)
    return None if action is None else game.dump(action)


def _next(
    game: Game,
    state: Any,
    hand: Callable[[int], Hand],
    acts: Mapping[int, tuple[Act, Random]],
    order: Random,
    dice: Random | None,
) -> Any:
    """The next action, or None where nobody has anything to do."""
    awaited, may = _DUE.get(game.name, _due_in_json)(game, state, order)
    if awaited and dice is not None:
        return _roll(game, awaited[0], 1 + int(dice.random() * 6))
    for seat in may:
        if seat in acts:
            act, rng = acts[seat]
            action = act(state, seat, hand(seat), rng)
            if action is not None:
                return action
    return None


#: Whose dice are awaited, and which seats may have something to do, in the order in which to ask them.
Due = tuple[Sequence[int], Sequence[int]]


def _mixed(seats: list[int], order: Random) -> list[int]:
    """The seats, beginning with any of them."""
    if len(seats) < 2:
        return seats
    first = int(order.random() * len(seats))
    return seats[first:] + seats[:first]


def _due_in_althera(game: Game, state: althera.State, order: Random) -> Due:
    match, duels = state.match, state.duels
    if match.phase in ("setup", "over"):
        return (), ()
    if match.to_roll:
        return match.to_roll, ()
    awaited, may, scored = [], [], False
    for duel in duels:
        attacker, defender = duel[:2]
        scored = scored or duel.scored
        if duel.awaited is not None:
            awaited.append(duel.awaited.seat)
        elif duel.by_attacker <= duel.by_defender:
            may.append(attacker)
            if duel.by_defender == 0:
                may.append(defender)  # may still redraw
        else:
            may.append(defender)
    if 2 * len(duels) < len(state.seats):
        if scored:
            busy = {seat for duel in duels for seat in duel[:2]}
            may += [number for number, seat in state.seats.items() if number not in busy and not seat.out]
        elif (turn := declarer(state)) is not None:
            may.append(turn)
    return sorted(awaited), _mixed(may, order)


def _due_in_anthem(game: Game, state: anthem.State, order: Random) -> Due:
    """Whoever is not on move goes first: a win is claimed before the next card is drawn."""
    seats = [seat.seat for seat in state.seats]
    if state.phase != "play":
        return (), _mixed(seats, order) if state.phase == "over" else ()
    mover = state.to_move
    claims = [seat.seat for seat in state.seats if seat.seat != mover and anthem.complete(seat.layout)]
    if state.rules.dragon == "on":
        claims = [seat for seat in seats if seat != mover]
    return (), _mixed(claims, order) + ([] if mover is None else [mover])


def _due_in_json(game: Game, state: Any, order: Random) -> Due:
    public = game.state_json(state)
    seats = [player["seat"] for player in public.get("seats", ())] or list(range(1, 10))
    mover = public.get("to_move")
    return rolls(public), sorted(_mixed(seats, order), key=lambda seat: bool(seat == mover))


_DUE: Mapping[str, Callable[[Game, Any, Random], Due]] = {
    "althera": _due_in_althera,
    "anthem": _due_in_anthem,
}


def _roll(game: Game, seat: int, face: int) -> Any:
    if game.name == "althera":
        return Roll(seat, face)
    return _parsed(game, {"do": "roll", "seat": seat, "face": face})


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

    `setup` is the JSON setup action, by default the game's own for the bots' seats. Cards, dice, the
    order of acting and each seat's own chance come from generators of their own, so that matches of
    the same seed under two rulesets share what they can (`engine.lab.compare`).
    """
    dealt, dice, order, *minds = (Random(rng.getrandbits(64)) for _ in range(3 + len(bots)))
    acts = {seat: (act_of(game, bots[seat]), mind) for seat, mind in zip(sorted(bots), minds, strict=True)}
    state, dealer, apply = game.initial(ruleset), dealer_of(game.name)(dealt), game.apply
    moves = [_parsed(game, setup or game.setup_action(sorted(bots)))]
    for _ in range(limit):
        action = moves[-1]
        verdict = apply(state, action)
        for listen in listeners:
            listen(state, action, verdict)
        if not verdict.ok:
            raise ValueError(f"a bot's action is illegal: {action}: {verdict.findings}")
        state = verdict.state
        dealer.sync(state)
        action = _next(game, state, dealer.hand, acts, order, dice)
        if action is None:
            break
        moves.append(action)
    else:
        moves.pop()
    winners = game.state_json(state).get("winners")
    return Played(game, ruleset, tuple(moves), state, None if winners is None else tuple(winners))


def _parsed(game: Game, action: Json) -> Any:
    parsed = game.parse(action)
    if isinstance(parsed, Finding):
        raise ValueError(f"this is no action: {action}: {parsed.text}")
    return parsed
