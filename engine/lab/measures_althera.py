"""Althera's own measures: duels, specials, retreats, interventions, eliminations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from engine.althera.state import Duel, Field, Laid, LastDuel, State
from engine.lab.bots.althera_odds import captured_if_lost
from engine.lab.measures import AFTER_DUEL, Facts, add, lead
from engine.lab.trace import Seen


@dataclass(frozen=True, slots=True)
class Fought:
    """A duel that has ended: at which action, how, and the cards that everyone owned before and after."""

    index: int
    last: LastDuel
    before: State
    after: State


def measure_althera(seen: Seen, facts: Facts) -> None:
    """Adds all of them."""
    duels = list(_fought(seen))
    winner = seen.winners[0] if seen.winners else None
    _first(seen, facts)
    facts["length.duels"] = (len(duels), 1)
    if seen.seconds is None:
        seconds, _ = facts["length.seconds"]
        facts["length.seconds"] = (seconds + AFTER_DUEL * len(duels), 1)
    facts["swing.field"] = (0, 1)
    facts["intervene.laid"] = (0, 1)
    made = False
    for fought in duels:
        fields = _fields(fought.last.duel)
        _field(fought, fields, facts)
        _specials(fought, facts)
        _retreats(fought, facts)
        made = _interventions(fought, fields, winner, facts) or made
    if winner is not None:
        facts["kingmaking"] = (int(made), 1)
    plain = [fought for fought in duels if fought.before.match.tiebreak is None]
    lead(facts, [(fought.index, _scores(fought.after)) for fought in plain], seen)
    _eliminations(plain, len(seen.steps) - 1, facts)


def _fought(seen: Seen) -> Iterator[Fought]:
    for index, (before, _, after) in enumerate(seen.steps):
        was, now = before.match, after.match
        if now is was:
            continue
        last = now.last_duel
        if last is not was.last_duel and last is not None:
            yield Fought(index, last, before, after)


def _scores(state: State) -> Mapping[int, int]:
    """What each seat owns; the final count where a tie-break has laid the decks apart."""
    seats = state.seats if state.match.tiebreak is None else state.match.tiebreak.seats
    return {number: seat.cards for number, seat in seats.items()}


def _first(seen: Seen, facts: Facts) -> None:
    """Who held the crown when the first turn began."""
    if seen.winners is None:
        return
    for _, _, after in seen.steps:
        if after.match.crown is not None:
            facts["win.first"] = (int(after.match.crown in seen.winners), 1)
            return


def _fields(duel: Duel) -> list[Field | None]:
    """The field after each card, as it then stood."""
    return [*(laid.before for laid in duel.laid[1:]), duel.field]


def _field(fought: Fought, fields: list[Field | None], facts: Facts) -> None:
    duel, swings, was = fought.last.duel, 0, None
    for name, field in zip(_field_at(len(fields)), fields, strict=True):
        if field is None:
            add(facts, name, 0)
        else:
            add(facts, name, field.value)
            swings += was is not None and was.owner != field.owner
        was = field
    add(facts, "swing.field", swings, 0)
    add(facts, "field.final", 0 if duel.field is None else duel.field.value)
    if fought.last.winner is not None:
        add(facts, "duel.attacker", int(fought.last.winner == duel.attacker))
        before_last = duel.laid[-1].before if duel.laid else None
        turned = fought.last.ended_by != "retreat" and (
            before_last is None or before_last.owner != fought.last.winner
        )
        add(facts, "duel.last_card", int(turned))


@cache
def _field_at(cards: int) -> tuple[str, ...]:
    """The names of the facts about the field after each of so many cards."""
    return tuple(f"field.at/{number}" for number in range(1, cards + 1))


def _gain(fought: Fought, side: int) -> int:
    """Cards that the side has won less those it has lost in this duel, captures and specials alike.

    An intervener's special is no loss of the side that it was laid for.
    """
    duel, winner = fought.last.duel, fought.last.winner
    gain = 0
    for card, by, of, *_ in duel.laid:
        if card.value is None:
            gain += (of != side) - (by == side)
        elif winner is not None and of != winner:
            gain += 1 if winner == side else -1
    return gain


#: What stands for a special where a side has laid none.
_NONE = ("none",)


def _specials(fought: Fought, facts: Facts) -> None:
    duel, winner = fought.last.duel, fought.last.winner
    used: dict[int, set[str]] = {duel.attacker: set(), duel.defender: set()}
    for laid in duel.laid:
        card, by, side, *_ = laid
        if card.value is not None:
            continue
        add(facts, "special.acted/" + card.kind, int(_acted(duel, laid)))
        add(facts, "special.success/" + card.kind, int(winner == side))
        if by == side:
            used[side].add(card.kind)
    for side, kinds in used.items():
        gain = _gain(fought, side)
        for kind in kinds or _NONE:
            add(facts, "special.gain/" + kind, gain)


def _acted(duel: Duel, laid: Laid) -> bool:
    """Whether the special did anything: a shield where it cancelled one, any other unless cancelled."""
    if laid.card.kind != "shield":
        return not laid.cancelled and not laid.barred
    enemy = duel.enemy(laid.side)
    return duel.shield == laid.side and any(other.cancelled and other.side == enemy for other in duel.laid)


def _retreats(fought: Fought, facts: Facts) -> None:
    duel = fought.last.duel
    saved = fought.last.ended_by == "retreat"
    add(facts, "retreat.tried", len(duel.retreated), 2)
    if duel.retreated:
        add(facts, "retreat.saved", int(saved), len(duel.retreated))
    if saved and fought.last.winner is not None:
        add(facts, "retreat.cost", len(fought.last.captured))


def _interventions(fought: Fought, fields: list[Field | None], winner: int | None, facts: Facts) -> bool:
    """Adds them; whether one of them made somebody else the winner of the match."""
    duel, made = fought.last.duel, False
    if not duel.interveners:
        return False
    scores = _scores(fought.before)
    best = max(scores.values())
    leaders = [seat for seat, cards in scores.items() if cards == best]
    for laid, field in zip(duel.laid, fields, strict=True):
        if laid.by == laid.side:
            continue
        add(facts, "intervene.laid", 1, 0)
        was = laid.before.owner if laid.before is not None else None
        turned = field is not None and field.owner == laid.side and was != laid.side
        success = fought.last.winner == laid.side
        add(facts, "intervene.turned", int(turned))
        add(facts, "intervene.success", int(success))
        add(facts, "intervene.against_leader", int(leaders == [duel.enemy(laid.side)]))
        if winner is not None:
            add(facts, "intervene.for_winner", int(laid.side == winner))
            made = made or (
                turned and success and laid.side == winner and laid.by != winner and _close(fought, winner)
            )
    return made


def _close(fought: Fought, winner: int) -> bool:
    """Whether the winner would not have led after this duel had it gone the other way."""
    scores = _scores(fought.after)
    swing = len(fought.last.captured)
    loser_side = fought.last.duel.enemy(winner)
    if winner not in scores or loser_side not in scores:
        return False
    lost = captured_if_lost(fought.last.duel, winner)
    other = {seat: cards + (swing + lost) * (seat == loser_side) for seat, cards in scores.items()}
    other[winner] = scores[winner] - swing - lost
    return any(cards >= other[winner] for seat, cards in other.items() if seat != winner)


def _eliminations(duels: list[Fought], plays: int, facts: Facts) -> None:
    out = 0
    for fought in duels:
        seats = fought.before.seats
        gone = sum([seat.out and not seats[n].out for n, seat in fought.after.seats.items()])
        for _ in range(gone):
            add(facts, "out.at", 1000 * fought.index // max(1, plays))
        out += gone
    facts["out.players"] = (out, 1)
