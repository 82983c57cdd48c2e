"""What cards and buttons mean in Anthem.

A card on a place is a lay by that place's seat; the keeps before it are the rules' to infer. A hand is
shown card by card at the scan spot. How far that has come is a question on the screen, so that a restart
forgets nothing of it: `now:claim:<seat>:<win>:<cards>` in its `about`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from host.action import Action, Ask, Intent, Note, Withdraw
from host.face import Who
from host.interpret.context import NOW, Context
from host.match import Answer, Question
from host.settled import CardArrived, CardLeft, DieRested, Pressed

Json = dict[str, Any]

_CLAIM = f"{NOW}claim"
_WHOSE = f"{NOW}whose"


def card_arrived(ctx: Context, event: CardArrived) -> list[Intent]:
    """A card on a place: a lay, a card put back or slid about, or one that lies already."""
    zone = ctx.zone(event.zone)
    card, seat, place = event.card or "", zone.seat or 0, zone.place or 0
    if zone.kind != "place":
        return [Note(f"{_big(ctx.words.card(card))} lies at {ctx.words.zone(zone)}.")]
    lies = _lies(ctx.state, card)
    if lies == (seat, place):
        return [Withdraw(q.id, f"{_big(ctx.words.card(card))} is back.") for q in _lifted(ctx, card)]
    if ctx.state.get("phase") == "over":
        return ctx.idle(event)
    lay = {"do": "lay", "seat": seat, "card": card, "place": place}
    if lies is not None and lies[0] == seat and abs(lies[1] - place) == 1:
        return [Ask(_slipped(ctx, event, lay, lies[1]), (event,))]
    return [Action(lay, ctx.device(event.zone), (event,))]


def card_left(ctx: Context, event: CardLeft) -> list[Intent]:
    """A laid card lifted off: perhaps its lay is taken back; otherwise it is said that it stays."""
    zone = ctx.zone(event.zone)
    card = event.card or ""
    if zone.kind != "place" or event.moved_to is not None or ctx.state.get("phase") != "play":
        return []
    if _lies(ctx.state, card) != (zone.seat, zone.place):
        return []
    name, where = _big(ctx.words.card(card)), ctx.words.zone(zone)
    last = ctx.last or {}
    if last.get("do") != "lay" or last.get("card") != card:
        return [Note(f"{name} was lifted from {where}; a card that lies stays there.")]
    answers = (Answer("no", "No, it lies there"), Answer("yes", "Yes, it is taken back", ({"do": "undo"},)))
    text = f"{name} was lifted from {where}, where it was just laid. Is it taken back?"
    return [Ask(Question(text, (zone.seat or 0,), answers, card, None, f"{NOW}lifted"), (event,))]


def card_shown(ctx: Context, event: CardArrived) -> list[Intent]:
    """A card at the scan spot: one more of the hand that is being shown, or the first of one."""
    card = event.card or ""
    if not ctx.state or ctx.rules.get("proof") != "show" or _lies(ctx.state, card) is not None:
        return []
    running = shown_claim(ctx.questions)
    if running is not None:
        question, seat, win, cards = running
        if card in cards:
            return []
        end = Withdraw(question.id, f"{len(cards) + 1} cards are shown.")
        return [end, *_show(ctx, event, seat, win, (*cards, card))]
    if ctx.state.get("phase") != "play" or any(q.about == _WHOSE for q in ctx.questions):
        return []
    claims = [(s["seat"], "hero") for s in ctx.state["seats"] if s["complete"]]
    if ctx.rules.get("dragon") == "on":
        claims += [(s["seat"], "dragon") for s in ctx.state["seats"]]
    if len(claims) == 1:
        return _show(ctx, event, *claims[0], (card,))
    return [Ask(_whose(ctx, claims), (event,))] if claims else []


def die_rested(ctx: Context, event: DieRested) -> list[Intent]:
    """Anthem has no dice."""
    return []


def pressed(ctx: Context, event: Pressed) -> list[Intent]:
    """The keep button of a seat."""
    button = next((b for b in ctx.layout.buttons if b.id == event.button), None)
    if button is None or button.does != "keep":
        return []
    return [Action({"do": "keep", "seat": button.seat}, Who("seat", str(button.seat)), (event,))]


def showing(ctx: Context, seat: int, win: str, cards: Sequence[str]) -> Question:
    """The question that stands while a hand is shown, with how many cards it still takes."""
    name, size = ctx.words.seat(seat), _hand(ctx.state, seat)
    text = (
        f"{name} claims the {win}'s win and shows the hand at the scan spot, card by card: "
        f"{len(cards)} of {size}."
    )
    claim = {"do": "claim", "seat": seat, "win": win, "shown": list(cards)}
    answers = (Answer("all", "That is the whole hand", (claim,)), Answer("stop", "Stop showing"))
    return Question(text, (seat,), answers, about=f"{_CLAIM}:{seat}:{win}:{','.join(cards)}")


def shown_claim(questions: Sequence[Question]) -> tuple[Question, int, str, tuple[str, ...]] | None:
    """The hand that is being shown now: its question, the seat, the win claimed, the cards so far."""
    for question in questions:
        if question.about.startswith(f"{_CLAIM}:"):
            seat, win, cards = question.about.removeprefix(f"{_CLAIM}:").split(":")
            return question, int(seat), win, tuple(cards.split(",")) if cards else ()
    return None


def _show(ctx: Context, event: CardArrived, seat: int, win: str, cards: tuple[str, ...]) -> list[Intent]:
    """The claim itself once as many cards are shown as the hand has; until then how far it is."""
    if len(cards) < _hand(ctx.state, seat):
        return [Ask(showing(ctx, seat, win, cards), (event,))]
    claim = {"do": "claim", "seat": seat, "win": win, "shown": list(cards)}
    return [Action(claim, ctx.device(event.zone), (event,))]


def _whose(ctx: Context, claims: Sequence[tuple[int, str]]) -> Question:
    """Who shows a hand, where more than one claim is possible."""
    answers = [
        Answer(
            f"{seat}:{win}",
            f"{ctx.words.seat(seat)}, the {win}'s win",
            ({"do": "claim", "seat": seat, "win": win},),
        )
        for seat, win in claims
    ]
    answers.append(Answer("none", "Nobody, it is only looked at"))
    text = "A card is shown at the scan spot. Whose claim is it?"
    return Question(text, tuple(sorted({seat for seat, _ in claims})), tuple(answers), about=_WHOSE)


def _slipped(ctx: Context, event: CardArrived, lay: Json, was: int) -> Question:
    """Misread or misplay? A laid card that is read one place further has likelier slipped than moved."""
    name, where = _big(ctx.words.card(event.card or "")), ctx.words.zone(ctx.zone(event.zone))
    answers = (
        Answer("back", f"It slipped, and goes back to place {was}"),
        Answer("stays", "It stays here: the table allows it", (lay | {"force": True},)),
    )
    text = f"{name} lies on place {was} and is now read at {where}. Has it slipped?"
    return Question(text, (lay["seat"],), answers, event.card, event.zone, "slipped")


def _lies(state: Mapping[str, Any], card: str) -> tuple[int, int] | None:
    """Seat and place where the card lies by the rules; None while it is in somebody's hand."""
    for seat in state.get("seats", ()):
        if card in seat["layout"]:
            return seat["seat"], seat["layout"].index(card)
    return None


def _lifted(ctx: Context, card: str) -> list[Question]:
    return [q for q in ctx.questions if q.about == f"{NOW}lifted" and q.card == card]


def _hand(state: Mapping[str, Any], seat: int) -> int:
    return next((int(s["hand"]) for s in state["seats"] if s["seat"] == seat), 0)


def _big(text: str) -> str:
    return text[:1].upper() + text[1:]
