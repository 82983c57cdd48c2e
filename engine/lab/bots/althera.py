"""Bots for Althera."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from engine.althera.actions import Action, Declare, Intervene, Play, Redraw, Retreat, Sign, Stand, dump
from engine.althera.apply import apply
from engine.althera.cards import Card
from engine.althera.legality import findings
from engine.althera.state import Duel, State, declarer, duel_of
from engine.game import Game, Json
from engine.lab.bots import Bot
from engine.lab.hands import Hand

#: How often a random bot makes use of what it may but need not do, each time it is asked.
REDRAWS, RETREATS, INTERVENES = 0.1, 0.1, 0.05


class RandomBot:
    """Plays any card that the rules allow; redraws, retreats, stands and intervenes now and then."""

    name = "random"

    def choose(self, game: Game, state: Any, seat: int, hand: Hand, rng: Random) -> Json | None:
        """See `Bot.choose`."""
        action = self._choose(state, seat, hand, rng)
        return None if action is None else dump(action)

    def _choose(self, state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
        duel = duel_of(state, seat)
        if duel is None:
            if declarer(state) == seat:
                return rng.choice(list(_declarations(state, seat)))
            return self._intervene(state, seat, hand, rng) if rng.random() < INTERVENES else None
        if _may_redraw(state, duel, seat) and rng.random() < REDRAWS:
            return Redraw(seat)
        if duel.turn != seat or duel.awaited is not None:
            return None
        if rng.random() < RETREATS and _legal(state, Retreat(seat)):
            return Retreat(seat)
        if rng.random() < 0.5 and _legal(state, Stand(seat)):
            return Stand(seat)
        plays = [play for card in hand.cards for play in _plays(state, seat, card)]
        return _any(state, plays, rng) or _forced(seat, [state.match.rules.cards[c] for c in hand.cards])

    def _intervene(self, state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
        return _any(state, list(_interventions(state, seat, hand)), rng)


class GreedyBot:
    """Takes the field as cheaply as it can, throws small cards on a field it can't take, saves its
    specials for the end of a duel, and retreats from a duel that it has lost."""

    name = "greedy"

    def choose(self, game: Game, state: Any, seat: int, hand: Hand, rng: Random) -> Json | None:
        """See `Bot.choose`."""
        action = self._choose(state, seat, hand, rng)
        return None if action is None else dump(action)

    def _choose(self, state: State, seat: int, hand: Hand, rng: Random) -> Action | None:
        duel = duel_of(state, seat)
        if duel is None:
            if declarer(state) == seat:
                return self._declare(state, seat, rng)
            return self._intervene(state, seat, hand)
        cards = [state.match.rules.cards[card] for card in hand.cards]
        if _may_redraw(state, duel, seat) and _hopeless(state, seat, cards):
            return Redraw(seat)
        if duel.turn != seat or duel.awaited is not None:
            return None
        if _legal(state, Stand(seat)):
            return Stand(seat)
        return self._play(state, duel, seat, cards) or self._anything(state, seat, cards)

    def _anything(self, state: State, seat: int, cards: list[Card]) -> Action | None:
        plays = (play for card in cards for play in _plays(state, seat, card.id))
        return next((play for play in plays if _legal(state, play)), None) or _forced(seat, cards)

    def _declare(self, state: State, seat: int, rng: Random) -> Action:
        """Against whoever has most to lose."""
        offered = list(_declarations(state, seat))
        most = max(state.seats[d.against].cards for d in offered)
        return rng.choice([d for d in offered if state.seats[d.against].cards == most])

    def _play(self, state: State, duel: Duel, seat: int, cards: list[Card]) -> Action | None:
        plays = state.match.rules.plays
        mine, theirs = plays - duel.played(seat), plays - duel.played(duel.enemy(seat))
        scores = sorted((c for c in cards if c.value is not None), key=lambda c: c.value or 0)
        if duel.field is None or duel.field.owner == seat:
            # The higher the field stands, the fewer cards can answer it.
            if scores:
                return Play(seat, scores[-1].id)
            return self._special(state, duel, seat, cards)
        takes = next((c for c in scores if (c.value or 0) >= duel.field.value), None)
        if takes is not None:
            return Play(seat, takes.id)
        if mine == 1 or theirs <= 1:
            special = self._special(state, duel, seat, cards)
            if special is not None:
                return special
            if _legal(state, Retreat(seat)):
                return Retreat(seat)
        if scores:
            return Play(seat, scores[0].id)
        return self._special(state, duel, seat, cards)

    def _special(self, state: State, duel: Duel, seat: int, cards: list[Card]) -> Action | None:
        """A special after which the field is ours, the oracle first and the shield last."""
        order = {"oracle": 0, "alteration": 1, "overtake": 2, "shield": 3}
        specials = sorted((c for c in cards if c.special), key=lambda c: order[c.kind])
        for card in specials:
            for play in _plays(state, seat, card.id):
                if _legal(state, play) and _takes(state, play, seat):
                    return play
        return None

    def _intervene(self, state: State, seat: int, hand: Hand) -> Action | None:
        """Against the leader, in a duel's last plays, with a special to spare."""
        specials = [c for c in hand.cards if state.match.rules.cards[c].special]
        if len(specials) < 2:
            return None
        leader = max(state.seats.values(), key=lambda s: (s.cards, -s.seat)).seat
        late = 2 * state.match.rules.plays - 1
        for duel in state.duels:
            if leader in duel[:2] and duel.by_attacker + duel.by_defender >= late and duel.field is not None:
                side = duel.enemy(leader)
                if duel.field.owner == leader:
                    for action in _interventions(state, seat, hand):
                        if action.side == side and _legal(state, action) and _takes(state, action, side):
                            return action
        return None


def _takes(state: State, action: Play | Intervene, side: int) -> bool:
    """Whether the side owns the field once the card lies (an oracle always sees to that, unless a
    shield stands against it)."""
    duel = duel_of(state, side)
    card = state.match.rules.cards[action.card]
    if duel is None or (card.special and duel.shield == duel.enemy(side)):
        return False
    if card.kind == "oracle":
        return True
    after = duel_of(apply(state, action).state, side)
    return after is None or (after.field is not None and after.field.owner == side)


def _hopeless(state: State, seat: int, cards: list[Card]) -> bool:
    """A hand worth one card less: no special, nothing of weight, and more than the least allowed."""
    weight = sum(c.value or 0 for c in cards)
    return len(cards) > state.match.rules.min_hand + 1 and weight < 25 and not any(c.special for c in cards)


def _may_redraw(state: State, duel: Duel, seat: int) -> bool:
    return duel.played(seat) == 0 and _legal(state, Redraw(seat))


def _legal(state: State, action: Action) -> bool:
    return not findings(state, action)


def _any(state: State, thinkable: Sequence[Action], rng: Random) -> Action | None:
    """One of the legal ones, each equally likely."""
    shuffled = rng.sample(thinkable, len(thinkable))
    return next((action for action in shuffled if _legal(state, action)), None)


def _forced(seat: int, cards: Sequence[Card]) -> Play | None:
    """The way out where no card of the hand may be played: on the own field, say, with nothing but
    specials that answer. The rules leave that open; the table lets a special be laid for nothing."""
    order = ("shield", "alteration", "overtake", "oracle")
    specials = sorted((c for c in cards if c.special), key=lambda c: order.index(c.kind))
    if not specials:
        return None
    return Play(seat, specials[0].id, "+" if specials[0].kind == "alteration" else None, force=True)


def _declarations(state: State, seat: int) -> Iterator[Declare]:
    for other in state.seats:
        declare = Declare(seat, other)
        if other != seat and _legal(state, declare):
            yield declare


def _plays(state: State, seat: int, card: str) -> Iterator[Play]:
    for sign in _signs(state, card):
        yield Play(seat, card, sign)


def _interventions(state: State, seat: int, hand: Hand) -> Iterator[Intervene]:
    for card in hand.cards:
        if state.match.rules.cards[card].special:
            for duel in state.duels:
                for side in duel[:2]:
                    for sign in _signs(state, card):
                        yield Intervene(seat, side, card, sign)


def _signs(state: State, card: str) -> tuple[Sign | None, ...]:
    return ("+", "-") if state.match.rules.cards[card].kind == "alteration" else (None,)


BOTS: Mapping[str, Bot] = {"random": RandomBot(), "greedy": GreedyBot()}
