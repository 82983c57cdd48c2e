"""The engine's own answers about a running match of Anthem: only what the whole table may know."""

from __future__ import annotations

from dataclasses import replace

from engine.anthem.state import DEAD, VALUE_OF, State, index_of, places_for, unlaid
from engine.ask.question import Asked
from engine.ask.table import Table, Verdict
from engine.game import Json


def answer(asked: Asked, table: Table) -> Verdict | None:
    """The table's answer, or None where the question is not one it can answer."""
    state: State = table.state
    if state.phase == "setup":
        return table.verdict("not_started")
    if asked.intent == "ahead":
        return _ahead(table, state)
    if state.phase == "over":
        names = table.names_of(table.game.state_json(state)["winners"] or ())
        return table.verdict("over", more=table.say("won", names=names))
    if asked.intent == "turn":
        return _turn(table, state)
    if asked.intent == "left":
        return _left(asked, table, state)
    seat, assumed = _who(asked, table, state)
    if asked.intent == "cards":
        one = next(s for s in state.seats if s.seat == seat)
        laid = 8 - one.layout.count(None)
        found = table.verdict("cards_anthem", rule="ANT-2.2", name=table.name(seat), hand=one.hand, laid=laid)
    elif asked.intent == "options":
        found = _options(table, state, seat)
    elif asked.intent == "can" and asked.subjects:
        found = _can_lay(asked, table, state, seat)
    else:
        return None
    return found.assuming(table.say("for_turn", name=table.name(seat))) if assumed else found


def _who(asked: Asked, table: Table, state: State) -> tuple[int, bool]:
    if asked.seats and not (asked.me and table.seat is not None):
        return asked.seats[0], False
    if table.seat is not None and index_of(state, table.seat) is not None:
        return table.seat, False
    return state.to_move or state.seats[0].seat, True


def _can_lay(asked: Asked, table: Table, state: State, seat: int) -> Verdict:
    """Whether a value fits the seat's layout; the turn is left aside: anyone may think ahead."""
    kind = asked.subjects[0]
    me = state.seats[index_of(state, seat) or 0]
    name, card = table.name(seat), table.card(kind)
    cards = [c for c in unlaid(state) if (c.endswith(DEAD) if kind == DEAD else VALUE_OF[c] == int(kind))]
    if not cards:
        return table.verdict("no_card", legal=False, rule="ANT-1.1", name=name, card=card)
    fitting = [] if kind == DEAD else places_for(me.layout, int(kind))
    if fitting:
        places = table.listed(fitting, "or")
        return table.verdict("lay_yes", legal=True, rule="ANT-4.2", name=name, card=card, places=places)
    free = [place for place in range(1, 7) if me.layout[place] is None]
    action: Json = {"do": "lay", "seat": seat, "card": cards[0], "place": (free or [1])[0]}
    found = table.game.apply(state, table.game.parse(action)).findings
    why = found[-1]
    reason = table.reason(why)
    return table.verdict("lay_no", legal=False, rule=why.rule, name=name, card=card, why=reason)


def _options(table: Table, state: State, seat: int) -> Verdict:
    if seat != state.to_move:
        return _turn(table, state)
    said = []
    for option in table.game.options(state, seat):
        if option.legal and option.action["do"] == "lay":
            places = table.listed(option.action["places"], "or")
            said.append(table.say("do_lay", card=option.action["kind"], places=places))
        elif option.legal:
            said.append(table.say(f"do_{option.action['do']}"))
    return table.verdict("can_do", legal=True, rule="ANT-3.1", name=table.name(seat), list="; ".join(said))


def _turn(table: Table, state: State) -> Verdict:
    at = index_of(state, state.to_move or 0) or 0
    other = table.name(state.seats[at - 1].seat)
    return table.verdict("turn_move", rule="ANT-3.1", name=table.name(state.to_move), other=other)


def _left(asked: Asked, table: Table, state: State) -> Verdict:
    kind = asked.subjects[0]
    hands = unlaid(state)
    if kind == DEAD:
        return table.verdict("left_dead", rule="ANT-1.1", count=sum(card.endswith(DEAD) for card in hands))
    count = sum(VALUE_OF[card] == int(kind) for card in hands)
    return table.verdict("left", rule="ANT-1.1", count=count, card=kind)


def _ahead(table: Table, state: State) -> Verdict:
    laid = {seat.seat: 8 - seat.layout.count(None) for seat in state.seats}
    ranked = sorted(laid.items(), key=lambda row: -row[1])
    most = ranked[0][1]
    first = [seat for seat, count in ranked if count == most]
    listed = ", ".join(f"{table.name(seat)} {count}" for seat, count in ranked)
    if len(first) > 1:
        names = table.names_of(first)
        return table.verdict("tied_anthem", rule="ANT-6.1", names=names, most=most, list=listed)
    found = table.verdict("ahead_anthem", rule="ANT-6.1", name=table.name(first[0]), most=most, list=listed)
    return replace(found, sum=f"{most} / 8")
