"""Althera's states as JSON: the public state, and the view for one audience."""

from __future__ import annotations

from engine.althera.options import options
from engine.althera.state import Duel, LastDuel, Seat, State, declarer
from engine.althera.steps import steps
from engine.game import Audience, Json, Option


def state_json(state: State) -> Json:
    """The public state as contracts/referee.md writes it. Before a setup the phase is `setup`."""
    match = state.match
    counted = state.seats if match.tiebreak is None else match.tiebreak.seats
    return {
        "game": "althera",
        "phase": match.phase,
        "turn": match.turn,
        "turns": match.turns,
        "crown": match.crown,
        "awaiting_rolls": awaiting_rolls(state),
        "declarer": declarer(state),
        "pairs_left": [list(pair) for pair in match.pairs_left],
        "seats": [_seat(seat, counted[number].cards) for number, seat in state.seats.items()],
        "duels": [_duel(duel) for duel in state.duels],
        "last_duel": None if match.last_duel is None else _last(match.last_duel),
        "winners": None if match.winners is None else list(match.winners),
    }


def awaiting_rolls(state: State) -> list[int]:
    """The seats whose roll is awaited now: for the crown, or in a duel."""
    if state.match.to_roll:
        return list(state.match.to_roll)
    return sorted({duel.awaited.seat for duel in state.duels if duel.awaited is not None})


def _seat(seat: Seat, cards: int) -> Json:
    return {
        "seat": seat.seat,
        "house": seat.house,
        "cards": cards,
        "hand": seat.hand,
        "deck": seat.deck,
        "out": seat.out,
    }


def _duel(duel: Duel) -> Json:
    field, awaited = duel.field, duel.awaited
    return {
        "attacker": duel.attacker,
        "defender": duel.defender,
        "field": None if field is None else {"owner": field.owner, "value": field.value},
        "played": {str(duel.attacker): duel.by_attacker, str(duel.defender): duel.by_defender},
        "to_play": duel.turn if awaited is None else None,
        "awaiting_roll": None if awaited is None else awaited.seat,
        "shields": [duel.shield] if duel.shield else [],
        "interveners": list(duel.interveners),
        "plays": list(duel.cards),
    }


def _last(last: LastDuel) -> Json:
    duel = last.duel
    return {
        "attacker": duel.attacker,
        "defender": duel.defender,
        "winner": last.winner,
        "ended_by": last.ended_by,
        "value": None if duel.field is None else duel.field.value,
        "captured": list(last.captured),
        "specials": {str(seat): list(cards) for seat, cards in last.specials.items()},
    }


def view(state: State, audience: Audience) -> Json:
    """`state_json` and what a screen shows beside it.

    Each duel has its `steps`; `last_duel_steps` are those of the duel that ended last; `change` is
    seat -> cards now minus cards at this turn's start; `names` seat -> name; for an audience of
    kind `seat` there are `options`. Hands and decks are hidden because the state never knows them.
    """
    obj = state_json(state)
    match = state.match
    for shown, duel in zip(obj["duels"], state.duels, strict=True):
        shown["steps"] = steps(match.rules, duel)
    last = match.last_duel
    obj["last_duel_steps"] = [] if last is None else steps(match.rules, last.duel)
    obj["change"] = {str(seat["seat"]): seat["cards"] - match.began[seat["seat"]] for seat in obj["seats"]}
    obj["names"] = {str(player.seat): player.name for player in match.players if player.name}
    if audience.kind == "seat" and audience.seat is not None:
        obj["options"] = [_option(option) for option in options(state, audience.seat)]
    return obj


def _option(option: Option) -> Json:
    why = None if option.why is None else option.why.to_json()
    return {"action": option.action, "legal": option.legal, "why": why}
