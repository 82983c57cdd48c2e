"""The engine's own answers about a running match of Althera: it is asked, nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.althera.cards import SCORE_KINDS, SPECIAL_KINDS, Card
from engine.althera.field import after
from engine.althera.state import Duel, Field, Laid, State, declarer, duel_of
from engine.althera.steps import steps
from engine.ask.question import Asked
from engine.ask.table import Table, Verdict, refused
from engine.game import Finding, Json

_KINDS = frozenset((*SCORE_KINDS, *SPECIAL_KINDS))


def answer(asked: Asked, table: Table) -> Verdict | None:
    """The table's answer, or None where the question is not one it can answer."""
    state: State = table.state
    phase = state.match.phase
    if asked.intent == "ahead":
        return _ahead(asked, table, state)
    if phase == "setup":
        return table.verdict("not_started")
    if phase == "over":
        names = table.names_of(state.match.winners or ())
        return table.verdict("over", more=table.say("won", names=names))
    if asked.intent == "turn":
        return _turn(table, state)
    if asked.intent == "crown":
        holder = state.match.crown
        said = "crown_none" if holder is None else "crown_is"
        return table.verdict(said, rule="ALT-1.6", name=table.name(holder))
    if asked.intent == "turns":
        match = state.match
        left = match.turns - match.turn
        return table.verdict("turns_left", rule="ALT-2.2", turn=match.turn, turns=match.turns, left=left)
    seat, assumed = _who(asked, table, state)
    if seat is None:
        return table.verdict("which_seat")
    if asked.intent is None or asked.intent not in _ANSWERS:
        return None
    mine = table if seat == table.seat else replace(table, state=_as_if_owned(state, seat))
    found = _ANSWERS[asked.intent](asked, mine, seat)
    if found is None or not assumed or asked.intent == "field":
        return found
    return found.assuming(table.say("for_turn", name=table.name(seat)))


def _who(asked: Asked, table: Table, state: State) -> tuple[int | None, bool]:
    """Whom the question is about, and whether that was assumed: a seat named, the asker's own, else the
    one whose play it is, where there is just one duel."""
    if asked.seats and not (asked.me and table.seat in state.seats):
        return asked.seats[0], False
    if table.seat is not None and table.seat in state.seats:
        return table.seat, False
    if len(state.duels) == 1:
        duel = state.duels[0]
        return (duel.awaited.seat if duel.awaited else duel.turn), True
    turn = declarer(state)
    return (turn, True) if turn is not None and not state.duels else (None, False)


def _as_if_owned(state: State, seat: int) -> State:
    """The state with one card of each special kind for `seat`: what somebody else's deck holds is not to
    be learned by asking (ALT-1.7)."""
    given = {}
    for kind in SPECIAL_KINDS:
        if _card_of(state, seat, kind) is None:
            lying = {card for duel in state.duels for card in duel.cards}
            printed = (card for card in state.match.rules.cards.values() if card.kind == kind)
            spare = [card.id for card in printed if card.id not in lying]
            given.update(dict.fromkeys(spare[:1], seat))
    return replace(state, match=state.match._replace(owners={**state.match.owners, **given}))


def _supposing(state: State, seat: int, asked: Asked) -> State:
    """The state as the question supposes it: whose the field is, and the seat to play."""
    duel = duel_of(state, seat)
    if asked.condition is None or duel is None:
        return state
    value = duel.field.value if duel.field else 10
    owner = seat if asked.condition == "own" else duel.enemy(seat)
    field = None if asked.condition == "empty" else Field(owner, value)
    plays = state.match.rules.plays
    mine = min(duel.played(seat), plays - 1)
    before = mine if seat == duel.attacker else mine + 1
    supposed = duel._replace(field=field, awaited=None, by_attacker=before, by_defender=mine)
    return replace(state, duels=tuple(supposed if one is duel else one for one in state.duels))


def _supposed_words(asked: Asked, table: Table, seat: int) -> str:
    return table.say(f"supposing_{asked.condition}", name=table.name(seat)) if asked.condition else ""


# Whether something may be done.


def _can(asked: Asked, table: Table, seat: int) -> Verdict | None:
    state = _supposing(table.state, seat, asked)
    subject = asked.subjects[0]
    assumes = _supposed_words(asked, table, seat)
    if subject in ("intervene", "declare"):
        found = _can_towards(asked, table, state, seat, subject)
    elif subject in ("retreat", "redraw"):
        found = _judged(table, state, {"do": subject, "seat": seat}, table.say(f"do_{subject}"))
    else:
        found = _can_play(asked, table, state, seat, subject)
    return found.assuming(assumes) if assumes else found


def _can_towards(asked: Asked, table: Table, state: State, seat: int, subject: str) -> Verdict:
    """Whether `seat` may declare or intervene, and against or for whom."""
    options = [o for o in table.game.options(state, seat) if o.action["do"] == subject]
    key = "against" if subject == "declare" else "for"
    named = [seat for seat in asked.seats if seat in state.seats]
    options = [o for o in options if o.action[key] in named] or options
    open_ones = [o.action for o in options if o.legal]
    if open_ones:
        others = table.names_of(dict.fromkeys(action[key] for action in open_ones), "or")
        kinds = dict.fromkeys(action["kind"] for action in open_ones if "kind" in action)
        cards = ", ".join(map(table.card, kinds))
        rule = "ALT-3.2" if subject == "declare" else "ALT-7.1"
        what = table.say(f"do_{subject}", others=others, cards=cards)
        return table.verdict("yes", legal=True, rule=rule, name=table.name(seat), what=what)
    if subject == "declare":
        return refused(table, _no_declaration(table, state, [o.action for o in options]))
    why = next((o.why for o in options if o.why is not None), None)
    if why is None and duel_of(state, seat) is not None:
        return table.verdict("in_duel", legal=False, rule="ALT-7.2", name=table.name(seat))
    if why is None:
        return table.verdict("no_duel", legal=False, rule="ALT-7.1")
    return refused(table, why)


def _no_declaration(table: Table, state: State, actions: list[Json]) -> Finding:
    """The reason that holds against every declaration, where there is one; else the first."""
    verdicts = [table.game.apply(state, table.game.parse(action)) for action in actions]
    found = [finding for verdict in verdicts for finding in verdict.findings]
    return next((finding for finding in found if finding.code == "not-your-declaration"), found[0])


def _can_play(asked: Asked, table: Table, state: State, seat: int, subject: str) -> Verdict:
    card, name = _card_of(state, seat, subject), table.name(seat)
    if card is None:
        return table.verdict("no_card", legal=False, rule="ALT-1.2", name=name, card=table.card(subject))
    what = table.say("do_score") if subject == "scorecard" else table.say("do_play", card=table.the(subject))
    if duel_of(state, seat) is None and card.value is None and state.duels:
        return _from_outside(table, state, seat, card)
    found = _judged(table, state, _laying(seat, card), what)
    if found.legal and card.value is None:
        hand = table.say("kinds_yes" if seat == table.seat else "kinds_if", name=name)
        return replace(found, why=f"{found.why} {hand}")
    return found


def _from_outside(table: Table, state: State, seat: int, card: Card) -> Verdict:
    """A special of somebody who waits: for whom it could intervene."""
    sides, why = [], None
    for side in (number for duel in state.duels for number in duel[:2]):
        found = _verdict(table, state, {**_laying(seat, card), "do": "intervene", "for": side})
        if found is None:
            sides.append(side)
        why = why or found
    name = table.name(seat)
    if sides:
        others = table.names_of(sides, "or")
        return table.verdict("maybe_help", legal=True, rule="ALT-7.1", name=name, others=others)
    assert why is not None, "every side was judged"
    return table.verdict("not_help", legal=False, rule=why.rule, name=name, why=table.reason(why))


def _laying(seat: int, card: Card) -> Json:
    action: Json = {"do": "play", "seat": seat, "card": card.id}
    return {**action, "sign": "+"} if card.kind == "alteration" else action


def _verdict(table: Table, state: State, action: Json) -> Finding | None:
    """The first reason against an action, None where it is legal."""
    verdict = table.game.apply(state, table.game.parse(action))
    return None if verdict.ok else verdict.findings[0]


def _judged(table: Table, state: State, action: Json, what: str) -> Verdict:
    why = _verdict(table, state, action)
    if why is not None:
        return refused(table, why)
    rule = {"retreat": "ALT-6.1", "redraw": "ALT-4.1"}.get(action["do"])
    name = table.name(action["seat"])
    said = "yes" if state is table.state else "yes_if"
    return table.verdict(said, legal=True, rule=rule or _rule_of(action["card"]), name=name, what=what)


def _rule_of(card_id: str) -> str:
    kind = card_id.split("/")[1]
    rules = {"shield": "ALT-5.1", "overtake": "ALT-5.2", "alteration": "ALT-5.3", "oracle": "ALT-5.4"}
    return rules.get(kind, "ALT-4.3")


def _card_of(state: State, seat: int, subject: str) -> Card | None:
    """A card of that kind that the seat owns and that lies in no duel."""
    lying = {card for duel in state.duels for card in duel.cards}
    for card_id, owner in state.match.owners.items():
        card = state.match.rules.cards[card_id]
        fits = card.value is not None if subject == "scorecard" else card.kind == subject
        if owner == seat and fits and card_id not in lying:
            return card
    return None


# What the field is, or would be.


def _duel_for(state: State, seat: int) -> Duel | None:
    return duel_of(state, seat) or (state.duels[0] if len(state.duels) == 1 else None)


def _field(asked: Asked, table: Table, seat: int) -> Verdict:
    duel = _duel_for(table.state, seat)
    if duel is None:
        return table.verdict("no_duel")
    if duel.field is None:
        return table.verdict("worth_empty", rule="ALT-4.3")
    total = steps(table.state.match.rules, duel)[-1]["sum"]
    owner = table.name(duel.field.owner)
    return table.verdict("worth_now", rule="ALT-4.3", value=duel.field.value, name=owner, sum=total)


def _worth(asked: Asked, table: Table, seat: int) -> Verdict | None:
    subject = next((one for one in asked.subjects if one in _KINDS), None)
    state = _supposing(table.state, seat, asked)
    duel = _duel_for(state, seat)
    if subject is None:
        return None
    if duel is None:
        return table.verdict("no_duel")
    if seat not in duel[:2]:
        seat = duel.turn
    card = next(card for card in state.match.rules.cards.values() if card.kind == subject)
    found = _shielded(table, state, duel, seat, card) or _changed(asked, table, state, duel, seat, card)
    owned = _card_of(state, seat, subject)
    why = None if owned is None else _verdict(table, state, _laying(seat, owned))
    if why is not None and asked.condition is None:
        but = table.say("but_illegal", why=table.reason(why))
        found = replace(found, legal=False, why=f"{found.why} {but}")
    assumes = _supposed_words(asked, table, seat)
    return found.assuming(assumes) if assumes else found


def _shielded(table: Table, state: State, duel: Duel, seat: int, card: Card) -> Verdict | None:
    """What a special meets: a standing enemy shield, or, being a shield itself, the enemy's specials."""
    enemy = table.name(duel.enemy(seat))
    where: dict[str, Any] = {
        "value": duel.field.value if duel.field else 0,
        "whose": _whose(table, duel.field),
    }
    if card.value is None and duel.shield == duel.enemy(seat):
        the = table.the(card.kind)
        return table.verdict("worth_cancelled", rule="ALT-5.1", enemy=enemy, card=the, **where)
    if card.kind != "shield":
        return None
    if duel.field is None:
        return table.verdict("shield_open", rule="ALT-5.1", enemy=enemy)
    owned = _card_of(state, seat, "shield")
    played = table.game.apply(state, table.game.parse(_laying(seat, owned))) if owned else None
    then = duel_of(played.state, seat) if played is not None and played.ok else None
    if then is not None and then.field != duel.field:
        value = then.field.value if then.field else 0
        return table.verdict("shield_undo", rule="ALT-5.1", value=value, whose=_whose(table, then.field))
    return table.verdict("worth_same", rule="ALT-5.1", card=table.the("shield"), **where)


def _changed(asked: Asked, table: Table, state: State, duel: Duel, seat: int, card: Card) -> Verdict:
    """The field after a card that changes it, with the sum."""
    rule, name = _rule_of(card.id), table.the(card.kind)
    if duel.field is None and card.kind in ("overtake", "alteration"):
        return table.verdict("worth_none", rule=rule, card=name)
    faces = [n for n in asked.numbers if 1 <= n <= 6]
    if card.kind == "oracle" and not faces:
        values = [_after(state, duel, seat, card, None, face).value for face in range(1, 7)]
        return table.verdict("faces", rule=rule, values=table.listed(values, "or"))
    signs: tuple[str | None, ...] = (None,)
    if card.kind == "alteration":
        signs = (asked.sign,) if asked.sign else ("+", "-")
    said, sums = [], []
    for sign in signs:
        then = _after(state, duel, seat, card, sign, faces[0] if faces else None)
        total = table.number(_sum(state, duel.field, card, sign, then))
        label = f"{name} {'+50 %' if sign == '+' else '−50 %'}" if sign else name
        said.append(table.say("worth_if", card=label, value=then.value, whose=_whose(table, then), sum=total))
        sums.append(total)
    return Verdict("worth", None, " ".join(said), rule, "; ".join(sums))


def _after(state: State, duel: Duel, seat: int, card: Card, sign: str | None, face: int | None) -> Field:
    """The field after the card as the engine works it out, its timing aside."""
    laid = Laid(card, seat, seat, sign, face, False, card.kind == "alteration", duel.field)
    then = after(state.match.rules, duel.field, laid)
    assert then is not None, "an empty field was looked after"
    return then


def _sum(state: State, field: Field | None, card: Card, sign: str | None, then: Field) -> str:
    if field is None:
        return str(then.value)
    if sign is not None and state.match.rules.alteration_rounding == "change_up" and sign == "-":
        return f"{field.value} − {field.value - then.value} = {then.value}"
    if sign is not None:
        exact = field.value * (1.5 if sign == "+" else 0.5)
        rounded = "" if exact == then.value else f" → {then.value}"
        return f"{field.value} × {'1.5' if sign == '+' else '0.5'} = {exact:g}{rounded}"
    if then.owner == field.owner and then.value == field.value:
        return str(field.value)
    return f"{field.value} + {then.value - field.value} = {then.value}"


def _whose(table: Table, field: Field | None) -> str:
    return table.say("nobody") if field is None else table.say("whose", name=table.name(field.owner))


def _need(asked: Asked, table: Table, seat: int) -> Verdict:
    state: State = table.state
    duel = _duel_for(state, seat)
    if duel is None:
        return table.verdict("no_duel")
    if duel.field is None:
        return table.verdict("need_empty", rule="ALT-4.3")
    name = table.name(seat)
    if duel.field.owner == seat:
        return table.verdict("need_own", rule="ALT-4.3", name=name)
    least, printed = duel.field.value, state.match.rules.score
    high = [f"{table.card(kind)} {value}" for kind, value, copies in printed if copies and value >= least]
    said = "need" if high else "need_none"
    return table.verdict(said, rule="ALT-4.3", name=name, value=duel.field.value, list=", ".join(high))


# How things stand.


def _ahead(asked: Asked, table: Table, state: State) -> Verdict:
    if state.match.phase == "setup":
        return table.verdict("not_started")
    if asked.duel and len(state.duels) == 1:
        return _field(asked, table, state.duels[0].attacker)
    seats = (state.match.tiebreak.seats if state.match.tiebreak else state.seats).values()
    counts = {seat.seat: seat.cards for seat in seats if not seat.out}
    ranked = sorted(counts.items(), key=lambda row: -row[1])
    most = ranked[0][1]
    first = [seat for seat, cards in ranked if cards == most]
    listed = ", ".join(f"{table.name(seat)} {cards}" for seat, cards in ranked)
    if len(first) > 1:
        return table.verdict("tied", rule="ALT-9.1", names=table.names_of(first), most=most, list=listed)
    found = table.verdict("ahead", rule="ALT-9.1", name=table.name(first[0]), most=most, list=listed)
    return replace(found, sum=f"{most} − {ranked[1][1]} = {most - ranked[1][1]}" if len(ranked) > 1 else "")


def _turn(table: Table, state: State) -> Verdict:
    said = []
    for seat in state.match.to_roll:
        said.append(table.say("turn_roll", name=table.name(seat)))
    for duel in state.duels:
        if duel.awaited:
            said.append(table.say("turn_roll", name=table.name(duel.awaited.seat)))
        else:
            names = {"name": table.name(duel.turn), "enemy": table.name(duel.enemy(duel.turn))}
            said.append(table.say("turn_play", **names))
    turn = declarer(state)
    if turn is not None:
        said.append(table.say("turn_declare", name=table.name(turn)))
    return Verdict("turn", None, " ".join(said), "ALT-4.2" if state.duels else "ALT-3.2")


def _options(asked: Asked, table: Table, seat: int) -> Verdict:
    legal = [o.action for o in table.game.options(table.state, seat) if o.legal]
    name = table.name(seat)
    if not legal:
        return table.verdict("can_nothing", name=name)
    return table.verdict("can_do", legal=True, name=name, list=", ".join(_doings(table, legal)))


def _doings(table: Table, actions: Iterable[Json]) -> Iterable[str]:
    said: dict[str, None] = {}
    helps: dict[int, list[str]] = {}
    rivals: list[int] = []
    for action in actions:
        match action["do"]:
            case "declare":
                rivals.append(action["against"])
            case "intervene":
                helps.setdefault(action["for"], []).append(table.card(action["kind"]))
            case "play" if action["kind"] != "score":
                said[table.say("do_play", card=table.the(action["kind"]))] = None
            case "play":
                said[table.say("do_score")] = None
            case plain:
                said[table.say(f"do_{plain}")] = None
    if rivals:
        said[table.say("do_declare", others=table.names_of(rivals, "or"))] = None
    for side, cards in helps.items():
        said[table.say("do_intervene", others=table.name(side), cards=", ".join(cards))] = None
    return said


def _cards(asked: Asked, table: Table, seat: int) -> Verdict:
    one = table.state.seats[seat]
    lying = table.say("cards_lying", count=one.lying) if one.lying else ""
    words: dict[str, Any] = {"name": table.name(seat), "cards": one.cards, "hand": one.hand, "deck": one.deck}
    return table.verdict("cards_of", rule="ALT-9.1", lying=lying, **words)


_ANSWERS: Mapping[str, Callable[[Asked, Table, int], Verdict | None]] = {
    "can": _can,
    "worth": _worth,
    "field": _field,
    "options": _options,
    "need": _need,
    "cards": _cards,
}
