"""What cards, dice and buttons mean in Althera."""

from __future__ import annotations

from typing import Any

from engine.althera.cards import is_special
from host.action import Action, Ask, Intent, Note
from host.face import Who
from host.interpret.context import CROWN, MISSED, Context
from host.match import Answer, Question
from host.settled import CardArrived, CardLeft, DieRested, Pressed

Json = dict[str, Any]


def card_arrived(ctx: Context, event: CardArrived) -> list[Intent]:
    """A card on a field spot is a play, an intervention, a card being slid about, or a question."""
    zone = ctx.zone(event.zone)
    card, seat = event.card or "", zone.seat or 0
    if card == CROWN:
        return _crown(ctx, event, seat) if zone.kind == "crown" else []
    if zone.kind == "crown":
        return [Note(f"{ctx.words.card(card)} lies on the crown rest of {ctx.words.seat(seat)}.")]
    if ctx.state.get("phase") == "over":
        return ctx.idle(event)
    if any(card in duel["plays"] for duel in ctx.state["duels"]):
        return []  # already played: it is being slid about, or the table has just started again
    owner = ctx.owners.get(card, seat)
    if owner != seat and (asked := _owners_play(ctx, event, owner)) is not None:
        return [Ask(asked, (event,))]
    if _duel_of(ctx, seat) is not None:
        return _at_a_duel(ctx, event, seat, owner)
    if is_special(card) and owner == seat and ctx.state["duels"]:
        return _for_whom(ctx, event, seat)
    return _opening(ctx, event, seat)


def card_left(ctx: Context, event: CardLeft) -> list[Intent]:
    """A played card slid to its pile is nothing more, unless its defender may stand now: lifting the own
    cards is how that is done without a word."""
    zone, seat = ctx.zone(event.zone), ctx.zone(event.zone).seat or 0
    duel = _duel_of(ctx, seat) if ctx.state.get("phase") not in (None, "over") else None
    if zone.kind != "field" or event.moved_to is not None or duel is None or duel["defender"] != seat:
        return []
    stand = {"do": "stand", "seat": seat}
    own = event.card in duel["plays"] and ctx.owners.get(event.card or "") == seat
    if not own or not ctx.allows(stand) or any(q.about == "stand" for q in ctx.questions):
        return []
    name = ctx.words.seat(seat)
    answers = (Answer("yes", f"Yes, {name} stands", (stand,)), Answer("no", "No, another card comes"))
    text = f"{name} lifted {ctx.words.card(event.card or '')}. Does {name} stand?"
    return [Ask(Question(text, (seat,), answers, about="stand"), (event,))]


def card_shown(ctx: Context, event: CardArrived) -> list[Intent]:
    """Althera proves nothing at the scan spot."""
    return []


def die_rested(ctx: Context, event: DieRested) -> list[Intent]:
    """A die at rest answers the roll that its seat owes; a duellist who may retreat may mean that."""
    seat = ctx.layout.seat_of_die(event.colour or "")
    if seat is None and event.face is None:
        why = event.why or "not sure"
        return [Note(f"A die can't be read ({why}), nor its colour: enter the roll on the screen.")]
    if seat is None:
        return [Note("A die was thrown whose colour belongs to no seat.")]
    who = Who("device", event.camera)
    if seat in awaited(ctx.state):
        return _roll(seat, event, who, ctx, ())
    retreat = {"do": "retreat", "seat": seat}
    if not ctx.allows(retreat):
        return []
    if ctx.layout.switches.roll_means_retreat == "yes":
        return [Action(retreat, who, (event,)), *_roll(seat, event, who, ctx, ())]
    if event.face is None:
        return []
    roll = {"do": "roll", "seat": seat, "face": event.face}
    question = Question(
        f"{ctx.words.seat(seat)} threw a {event.face}. Was that a retreat?",
        (seat,),
        (Answer("yes", "Yes, retreat", (retreat, roll)), Answer("no", "No")),
        about="retreat",
    )
    return [Ask(question, (event,))]


def pressed(ctx: Context, event: Pressed) -> list[Intent]:
    """A button does what the layout says it does."""
    button = next((b for b in ctx.layout.buttons if b.id == event.button), None)
    if button is None or button.does in ("keep", "judge"):
        return []
    return [Action({"do": button.does, "seat": button.seat}, Who("seat", str(button.seat)), (event,))]


def awaited(state: Any) -> list[int]:
    """The seats whose roll the game awaits: for the crown, an oracle or a retreat."""
    if not state:
        return []
    duels = [d["awaiting_roll"] for d in state["duels"] if d["awaiting_roll"] is not None]
    return [*state["awaiting_rolls"], *duels]


def _crown(ctx: Context, event: CardArrived, seat: int) -> list[Intent]:
    """The crown's token before another seat: moved by hand, or, where the table has only just started and
    never saw it lie elsewhere, perhaps left there: that is asked."""
    holder = ctx.state.get("crown")
    if holder is None or holder == seat or ctx.state.get("phase") == "over":
        return []
    goes = {"do": "crown", "seat": seat}
    if CROWN in ctx.seen:
        return [Action(goes, ctx.device(event.zone), (event,))]
    before, holds = ctx.words.seat(seat), ctx.words.seat(holder)
    question = Question(
        f"The crown lies before {before}; by the match {holds} holds it. Has it changed hands?",
        (holder, seat),
        (Answer("no", f"No, {holds} holds it"), Answer("yes", f"Yes, {before} has it now", (goes,))),
        CROWN,
        event.zone,
        "crown",
    )
    return [Ask(question, (event,))]


def _duel_of(ctx: Context, seat: int) -> Json | None:
    for duel in ctx.state["duels"]:
        if seat in (duel["attacker"], duel["defender"]):
            return dict(duel)
    return None


def _owners_play(ctx: Context, event: CardArrived, owner: int) -> Question | None:
    """Misread or misplay? A card before somebody else, which its owner might just play: likelier it was
    laid or read at the wrong spot than played by the neighbour. Asked before anybody is warned."""
    card, seat = event.card or "", ctx.zone(event.zone).seat or 0
    play: Json = {"do": "play", "seat": owner, "card": card}
    ways = {"+": ", +50 %", "-": ", −50 %"} if "alteration" in card else {"": ""}
    plays = {sign: play | ({"sign": sign} if sign else {}) for sign in ways}
    if _duel_of(ctx, owner) is None or card in ctx.last_duel() or not all(map(ctx.allows, plays.values())):
        return None
    name, mine = ctx.words.card(card), ctx.words.seat(owner)
    answers = [Answer(f"yes{s}", f"Yes, {mine} plays it{way}", (plays[s],)) for s, way in ways.items()]
    answers.append(Answer("no", "No, it only lies there"))
    text = f"{name} of {mine} lies at {ctx.words.zone(ctx.zone(event.zone))}. Does {mine} play it?"
    return Question(text, (owner, seat), tuple(answers), card, event.zone, "whose")


def _at_a_duel(ctx: Context, event: CardArrived, seat: int, owner: int) -> list[Intent]:
    """Laid before a duellist: the duellist's own play, or a waiting player's help for that side."""
    card = event.card or ""
    if owner != seat and is_special(card) and _duel_of(ctx, owner) is None:
        return _signed(ctx, event, {"do": "intervene", "seat": owner, "for": seat, "card": card})
    if owner == seat and (asked := _after_a_missed_one(ctx, event, seat)) is not None:
        return [Ask(asked, (event,))]
    return _signed(ctx, event, {"do": "play", "seat": seat, "card": card})


def _after_a_missed_one(ctx: Context, event: CardArrived, seat: int) -> Question | None:
    """Misread or misplay? A card that comes too early while the spot of the player on turn can't be read
    (cards overlap there, its antenna is silent): likelier that player's card was missed. Asked of both
    before anybody is warned; once the missed card is entered, one tap makes this one count."""
    duel, card = _duel_of(ctx, seat), event.card or ""
    first = duel["to_play"] if duel is not None else None
    spot = ctx.layout.field_of(first) if first is not None else None
    if first in (None, seat) or spot is None or spot.id not in ctx.unread:
        return None
    play = {"do": "play", "seat": seat, "card": card}
    ways = {"+": ", +50 %", "-": ", −50 %"} if "alteration" in card else {"": ""}
    answers = [
        Answer(f"yes{s}", f"Yes, and now this one counts{way}", (play | ({"sign": s} if s else {}),))
        for s, way in ways.items()
    ]
    answers.append(Answer("no", "No, it is too early"))
    name, before = ctx.words.card(card), ctx.words.seat(first)
    where = ctx.words.zone(spot)
    text = (
        f"{ctx.words.seat(seat)} laid {name}, but {before} comes first, and {where} can't be read. "
        f"Was a card of {before} missed? Enter it, then answer."
    )
    return Question(text, (seat, int(first or 0)), tuple(answers), card, event.zone, MISSED)


def _signed(ctx: Context, event: CardArrived, action: Json) -> list[Intent]:
    """The action, or the question which way an alteration goes (only where it may be played)."""
    if "alteration" not in (event.card or ""):
        return [Action(action, ctx.device(event.zone), (event,))]
    if not ctx.allows(action | {"sign": "+"}):
        return [Action(action, ctx.device(event.zone), (event,))]
    return [Ask(which_way(ctx, action, event.card or "", event.zone), (event,))]


def which_way(ctx: Context, action: Json, card: str, zone: str | None) -> Question:
    """The question which way an alteration goes, each answer with what the field becomes."""
    side = int(action["for" if "for" in action else "seat"])
    value = _field_value(ctx.state, side)
    answers = tuple(
        Answer(
            sign,
            f"{sign.replace('-', '−')}50 %: {value} becomes {_field_value(ctx.judge(signed)[1], side)}",
            (signed,),
        )
        for sign in ("+", "-")
        for signed in (action | {"sign": sign},)
    )
    seat = action["seat"]
    text = f"{ctx.words.seat(seat)} laid an Alteration: up or down?"
    return Question(text, (seat,), answers, card, zone, "sign")


def _field_value(state: Any, seat: int) -> int:
    """The field of the duel that `seat` is in; of the one just ended, where that was its last play."""
    duel = next((d for d in state["duels"] if seat in (d["attacker"], d["defender"])), None)
    if duel is None:
        return int((state["last_duel"] or {"value": 0})["value"])
    return int(duel["field"]["value"]) if duel["field"] else 0


def _for_whom(ctx: Context, event: CardArrived, seat: int) -> list[Intent]:
    """A waiting player's special on its own spot: whom does it help? Only legal sides are offered."""
    card = event.card or ""
    signs = [{"sign": "+"}, {"sign": "-"}] if "alteration" in card else [{}]
    answers = []
    for duel in ctx.state["duels"]:
        for side in (duel["attacker"], duel["defender"]):
            for sign in signs:
                act = {"do": "intervene", "seat": seat, "for": side, "card": card} | sign
                if ctx.allows(act):
                    way = f" ({sign['sign']}50 %)" if sign else ""
                    label = f"For {ctx.words.seat(side)}{way}"
                    answers.append(Answer(f"{side}{sign.get('sign', '')}", label, (act,)))
    if not answers:
        duel = ctx.state["duels"][0]
        act = {"do": "intervene", "seat": seat, "for": duel["attacker"], "card": card} | signs[0]
        return [Action(act, ctx.device(event.zone), (event,))]
    if len(answers) == 1:
        return [Action(answers[0].acts[0], ctx.device(event.zone), (event,))]
    text = f"{ctx.words.seat(seat)} laid {ctx.words.card(card)}: for whom?"
    return [Ask(Question(text, (seat,), tuple(answers), card, event.zone, "for"), (event,))]


def _opening(ctx: Context, event: CardArrived, seat: int) -> list[Intent]:
    """A card of a player in no duel: with one opponent possible it declares that duel."""
    card = event.card or ""
    play = {"do": "play", "seat": seat, "card": card}
    declares = [
        {"do": "declare", "seat": seat, "against": other.id}
        for other in ctx.layout.seats
        if ctx.layout.switches.infer_opponent
        and ctx.allows({"do": "declare", "seat": seat, "against": other.id})
    ]
    who = ctx.device(event.zone)
    if len(declares) == 1:
        return [Action(declares[0], who, (event,)), Action(play, who, (event,))]
    if declares:
        answers = tuple(
            Answer(str(d["against"]), f"Against {ctx.words.seat(int(str(d['against'])))}", (d, play))
            for d in declares
        )
        text = f"{ctx.words.seat(seat)} laid {ctx.words.card(card)}: a duel against whom?"
        return [Ask(Question(text, (seat,), answers, card, event.zone, "against"), (event,))]
    return [Action(play, who, (event,))]


def _roll(seat: int, event: DieRested, who: Who, ctx: Context, first: tuple[Json, ...]) -> list[Intent]:
    if event.face is not None:
        return [Action({"do": "roll", "seat": seat, "face": event.face}, who, (event,))]
    if any(q.about == "face" and q.seats == (seat,) for q in ctx.questions):
        return []
    answers = tuple(
        Answer(str(n), str(n), (*first, {"do": "roll", "seat": seat, "face": n})) for n in range(1, 7)
    )
    text = f"The die of {ctx.words.seat(seat)} can't be read ({event.why or 'not sure'}). What does it show?"
    return [Ask(Question(text, (seat,), answers, about="face"), (event,))]
