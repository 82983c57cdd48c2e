"""One match played by bots, step by step or from the setup to the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from engine.althera import state as althera
from engine.althera.actions import Roll
from engine.althera.apply import carry_out
from engine.althera.state import declarer
from engine.anthem import state as anthem
from engine.game import Finding, Game, Json
from engine.lab.bots import Act, Acting, Bot, act_of
from engine.lab.hands import Hand, Hands, dealer_of

#: After so many actions a match counts as unfinished: Anthem's rules let cards be kept for ever.
LIMIT = 5000

#: Whose dice are awaited, and which seats may have something to do, in the order in which to ask them.
Due = tuple[Sequence[int], Sequence[int]]


class Step(NamedTuple):
    """One action of a match that was applied, the state before it and the one after it."""

    before: Any
    action: Any
    after: Any


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
    action = _next(game, _ways_of(game), state, hands.hand, acts, rng, rng if dice else None)
    return None if action is None else game.dump(action)


def _next(
    game: Game,
    ways: _Ways,
    state: Any,
    hand: Callable[[int], Hand],
    acts: Mapping[int, tuple[Act, Random]],
    order: Random,
    dice: Random | None,
) -> Any:
    """The next action, or None where nobody has anything to do."""
    awaited, may = ways.due(game, state, order)
    if awaited and dice is not None:
        return ways.roll(game, awaited[0], 1 + int(dice.random() * 6))
    for seat in may:
        if seat in acts:
            act, rng = acts[seat]
            action = act(state, seat, hand(seat), rng)
            if action is not None:
                return action
    return None


def _mixed(seats: list[int], order: Random) -> list[int]:
    """The seats, beginning with any of them."""
    if len(seats) < 2:
        return seats
    first = int(order.random() * len(seats))
    return seats[first:] + seats[:first]


def _due_in_althera(game: Game, state: althera.State, order: Random) -> Due:
    match, duels = state.match, state.duels
    if match.to_roll:
        return match.to_roll, ()
    if match.phase in ("setup", "over"):
        return (), ()
    awaited, may, scored = [], [], False
    for duel in duels:
        attacker, defender, _, by_attacker, by_defender, pending, _, _, _, has_score, _, _ = duel
        if has_score:
            scored = True
        if pending is not None:
            awaited.append(pending.seat)
        elif by_attacker > by_defender:
            may.append(defender)
        else:
            may.append(attacker)
            if by_defender == 0:
                may.append(defender)  # may still redraw
    if 2 * len(duels) < len(state.seats):
        if scored:
            busy = {seat for duel in duels for seat in duel[:2]}
            may += [number for number, seat in state.seats.items() if number not in busy and not seat.out]
        elif (turn := declarer(state)) is not None:
            may.append(turn)
    if len(awaited) > 1:
        awaited.sort()
    return awaited, may if len(may) < 2 else _mixed(may, order)


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


def _winners_in_json(game: Game, state: Any) -> Sequence[int] | None:
    winners: Sequence[int] | None = game.state_json(state).get("winners")
    return winners


def _roll_in_json(game: Game, seat: int, face: int) -> Any:
    return _parsed(game, {"do": "roll", "seat": seat, "face": face})


class _Ways(NamedTuple):
    """What a game offers beside its contract, so that a match need not go through JSON; `carry_out` is
    the state after an action that is known to be legal, where the game can tell that without judging."""

    due: Callable[[Game, Any, Random], Due] = _due_in_json
    winners: Callable[[Game, Any], Sequence[int] | None] = _winners_in_json
    roll: Callable[[Game, int, int], Any] = _roll_in_json
    carry_out: Callable[[Any, Any], Any] | None = None


_WAYS: Mapping[str, _Ways] = {
    "althera": _Ways(
        _due_in_althera,
        lambda game, state: state.match.winners,
        lambda game, seat, face: Roll(seat, face),
        carry_out,
    ),
    "anthem": _Ways(_due_in_anthem, lambda game, state: anthem.winners(state)),
}
_BY_JSON = _Ways()


def _ways_of(game: Game) -> _Ways:
    return _WAYS.get(game.name, _BY_JSON)


def play(
    game: Game,
    ruleset: Any,
    bots: Mapping[int, Bot],
    rng: Random,
    setup: Json | None = None,
    limit: int = LIMIT,
) -> Played:
    """A whole match between bots, every action judged. Else as `walk`."""
    steps = list(walk(game, ruleset, bots, rng, setup, limit))
    state = steps[-1].after
    return Played(game, ruleset, tuple(step.action for step in steps), state, winners_of(game, state))


def winners_of(game: Game, state: Any) -> tuple[int, ...] | None:
    """Who has won in this state, None while nobody has."""
    winners = _ways_of(game).winners(game, state)
    return None if winners is None else tuple(winners)


def walk(
    game: Game,
    ruleset: Any,
    bots: Mapping[int, Bot],
    rng: Random,
    setup: Json | None = None,
    limit: int = LIMIT,
    judged: bool = True,
) -> Iterator[Step]:
    """A whole match between bots, step by step. The same `rng` state gives the same match.

    `setup` is the JSON setup action, by default the game's own for the bots' seats. Cards, dice, the
    order of acting and each seat's own chance come from generators of their own, so that matches of
    the same seed under two rulesets share what they can (`engine.lab.compare`).

    Every action is judged by `game.apply`; ValueError where a bot's is illegal. The lab's own bots have
    asked the rules already for what they do: with `judged` False their actions are carried out without
    asking again, which gives the same states. The setup and forced actions are always judged.
    """
    dealt, dice, order, *minds = (Random(rng.getrandbits(64)) for _ in range(3 + len(bots)))
    acts = {seat: (act_of(game, bots[seat]), mind) for seat, mind in zip(sorted(bots), minds, strict=True)}
    ours = all(isinstance(player, Acting) for player in bots.values())
    before, dealer = game.initial(ruleset), dealer_of(game.name)(dealt)
    hand, sync, ways = dealer.hand, dealer.sync, _ways_of(game)
    carry = ways.carry_out if ours and not judged else None
    action = _parsed(game, setup or game.setup_action(sorted(bots)))
    after = _judged(game, before, action)
    for left in range(limit - 1, -1, -1):
        yield Step(before, action, after)
        sync(after)
        if not left:
            return
        before = after
        action = _next(game, ways, before, hand, acts, order, dice)
        if action is None:
            return
        after = _judged(game, before, action) if carry is None or action.force else carry(before, action)


def _judged(game: Game, state: Any, action: Any) -> Any:
    """The state after a bot's action. Raises ValueError where the rules refuse it."""
    verdict = game.apply(state, action)
    if not verdict.ok:
        raise ValueError(f"a bot's action is illegal: {action}: {verdict.findings}")
    return verdict.state


def _parsed(game: Game, action: Json) -> Any:
    parsed = game.parse(action)
    if isinstance(parsed, Finding):
        raise ValueError(f"this is no action: {action}: {parsed.text}")
    return parsed
