"""Restricted play: any bot, but never with a certain card, or always with it where the rules allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from engine.errors import UsageError
from engine.game import Game
from engine.lab.bots import Act, Acting, Bot, act_of
from engine.lab.hands import Hand
from engine.lab.kinds import kind_of, kinds

#: The legal ways in which a seat may use cards of certain kinds now, out of its hand.
Uses = Callable[[Any, int, Hand, frozenset[str]], Iterable[Any]]


def restricted(game: Game, player: Bot, rule: str, value: str, uses: Uses | None) -> Bot:
    """`player`, but `rule` ("never" or "always") holds for the kinds of card in `value` (joined by `+`).

    never: the bot is shown its hand without them; only where it has nothing else to do does it see
    them. always: one of them is used whenever it may be, in the bot's own duel or turn.
    Raises UsageError for a kind that the game does not have.
    """
    wanted, known = frozenset(value.split("+")), kinds(game)
    unknown = sorted(wanted - set(known))
    if unknown or uses is None:
        raise UsageError(
            f"{game.name} has no card of the kind {', '.join(unknown) or value!r}.",
            f"Choose from: {', '.join(known)}." if known else "Leave never= and always= out.",
        )
    act = act_of(game, player)
    if rule == "always":
        return Acting(player.name, _always(act, wanted, uses))
    return Acting(player.name, (_never_laid if game.name == "anthem" else _never)(act, wanted))


def _never(act: Act, banned: frozenset[str]) -> Act:
    def choose(state: Any, seat: int, hand: Hand, rng: Random) -> Any:
        allowed = tuple(card for card in hand.cards if kind_of(card) not in banned)
        if len(allowed) == len(hand.cards):
            return act(state, seat, hand, rng)
        action = act(state, seat, hand._replace(cards=allowed), rng)
        if action is None or getattr(action, "force", False):
            action = act(state, seat, hand, rng) or action
        return action

    return choose


def _never_laid(act: Act, banned: frozenset[str]) -> Act:
    """Anthem: such a card is kept when it was drawn; the rest of the hand is never laid anyway."""
    from engine.anthem.actions import Keep, Lay

    def choose(state: Any, seat: int, hand: Hand, rng: Random) -> Any:
        action = act(state, seat, hand, rng)
        return Keep(seat) if isinstance(action, Lay) and kind_of(action.card) in banned else action

    return choose


def _always(act: Act, wanted: frozenset[str], uses: Uses) -> Act:
    def choose(state: Any, seat: int, hand: Hand, rng: Random) -> Any:
        if any(kind_of(card) in wanted for card in (*hand.cards, hand.drawn or "")):
            ways = list(uses(state, seat, hand, wanted))
            if ways:
                return rng.choice(ways)
        return act(state, seat, hand, rng)

    return choose
