"""What the interpreter knows, and what is the same in every game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from host.action import Action, Ask, Intent, Note, TakenBack, Withdraw
from host.face import Who
from host.layout import Layout, Zone
from host.match import Answer, OpenFinding, Question
from host.settled import CardArrived, CardDoubt, CardLeft, DieChanged, Pressed, ZoneRate, ZoneTrouble
from host.words import Words

Json = dict[str, Any]

#: the id that the crown token's own tag carries
CROWN = "crown"
#: begins the `about` of a question that makes sense only until the state of the match changes
NOW = "now:"
#: the `about` of a question on a card that comes too early unless another was missed: it stays until then
MISSED = "missed"


@dataclass(frozen=True, slots=True)
class Context:
    """One moment of the table. `state` is the game's public state as contracts/referee.md has it,
    `owners` card id -> seat; `judge` tries an action: whether the rules take it, and the state then.
    `taken_back`: cards whose play a person undid and that the table has not seen since it started.
    `seen`: the cards, and the crown, that it has seen since then. `rules` is the match's ruleset, `last`
    the action applied last, `unread` the zones that can't be read now."""

    layout: Layout
    game: str | None
    state: Mapping[str, Any]
    owners: Mapping[str, int]
    questions: Sequence[Question]
    findings: Sequence[OpenFinding]
    words: Words
    judge: Callable[[Json], tuple[bool, Json]]
    taken_back: frozenset[str] = frozenset()
    rules: Mapping[str, Any] = field(default_factory=dict)
    last: Mapping[str, Any] | None = None
    unread: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()

    def zone(self, zone_id: str) -> Zone:
        """The layout's zone of that id."""
        return next(z for z in self.layout.zones if z.id == zone_id)

    def device(self, zone_id: str) -> Who:
        """The reader behind a zone, as the one who did it."""
        return Who("device", self.zone(zone_id).reader)

    def allows(self, action: Mapping[str, Any]) -> bool:
        """Whether the rules would take this action now."""
        return self.judge(dict(action))[0]

    def stranger(self, event: CardArrived) -> list[Intent]:
        """The scan spot's word on any tag, and a tag that is no card of ours anywhere."""
        zone = self.zone(event.zone)
        where = "" if zone.kind == "scan" else f" at {self.words.zone(zone)}"
        if event.card is None:
            what = event.why or "not a game card"
            return [Note(f"{what[:1].upper()}{what[1:]}{where}.", zone.kind == "scan")]
        if zone.kind == "scan":
            return [Note(self.words.card_full(event.card), True, event.card)]
        return []

    def idle(self, event: CardArrived) -> list[Intent]:
        """A card laid while no match is running."""
        return [Note(f"{self.words.card(event.card or '')} is laid, but no match is running.")]

    def known(self, event: CardArrived) -> bool:
        """Whether this card's lying there is already a question or an open warning: after a restart
        the table sees again what it has asked or said before."""
        return any(q.card == event.card and q.zone == event.zone for q in self.questions) or any(
            f.open and f.finding["severity"] == "illegal" and f.action.get("card") == event.card
            for f in self.findings
        )

    def ask_again(self, event: CardArrived, meant: list[Intent]) -> list[Intent]:
        """A play that a person undid is never done again by itself because the table restarted with
        the card still lying there: it is asked."""
        acts = tuple(i.game_action for i in meant if isinstance(i, Action))
        if event.card not in self.taken_back or not acts:
            return meant
        name = self.words.card(event.card or "")
        where = self.words.zone(self.zone(event.zone))
        question = Question(
            f"{name} lies at {where}, and its play was taken back. Does it count now?",
            (int(acts[-1]["seat"]),),
            (Answer("yes", "Yes, it is played", acts), Answer("no", "No")),
            event.card,
            event.zone,
            "again",
        )
        return [Ask(question, (event,))]

    def last_duel(self) -> set[str]:
        """The cards of the duel that has just ended."""
        last = self.state.get("last_duel") or {}
        return {*last.get("captured", ()), *(c for got in last.get("specials", {}).values() for c in got)}

    def left_over(self, event: CardArrived, meant: list[Intent]) -> list[Intent]:
        """Misread or misplay? A card of the last duel that the rules refuse now was likelier left lying
        (and nudged, or seen again) than played: that is asked before anybody is warned."""
        acts = tuple(i.game_action for i in meant if isinstance(i, Action))
        if event.card not in self.last_duel() or not acts or self.allows(acts[0]):
            return meant
        name = self.words.card(event.card or "")
        where = self.words.zone(self.zone(event.zone))
        question = Question(
            f"{name} of the last duel lies at {where}. Was it left there?",
            (int(acts[-1]["seat"]),),
            (Answer("left", "Yes, it was left there"), Answer("played", "No, it is played", acts)),
            event.card,
            event.zone,
            "left-over",
        )
        return [Ask(question, (event,))]

    def card_left(self, event: CardLeft) -> list[Intent]:
        """Lifting a card takes its question and its illegal play back."""
        if event.card is None:
            return []
        name = self.words.card(event.card)
        intents: list[Intent] = [
            Withdraw(q.id, f"{name} was taken back.")
            for q in self.questions
            if q.card == event.card and q.zone in (event.zone, None)
        ]
        lying = tuple(
            f.id
            for f in self.findings
            if f.open and f.finding["severity"] == "illegal" and f.action.get("card") == event.card
        )
        if lying:
            intents.append(TakenBack(lying, f"{name} was taken back."))
        return intents

    def judge_called(self, event: Pressed) -> list[Intent]:
        """A seat's button that calls a judge; nothing for any other button."""
        button = next((b for b in self.layout.buttons if b.id == event.button), None)
        if button is None or button.does != "judge":
            return []
        return [Note(f"{self.words.seat(button.seat)} asks for a judge.")]

    def doubt(self, event: CardDoubt) -> list[Intent]:
        """One tag in two zones: nothing moves, and both are named (F09). Two tags with one number: one of
        the cards needs another tag (F11)."""
        name = self.words.card(event.card) if event.card else "A tag"
        kept, other = (self.words.zone(self.zone(z)) for z in (event.kept, event.other))
        if event.twins:
            return [Note(twins(name, kept, other))]
        return [Note(f"{name} is read at {kept} and at {other}: taken as lying at {kept}.")]

    def die_changed(self, event: DieChanged) -> list[Intent]:
        """A die turned after its roll: said, never taken for a roll (F34)."""
        seat = self.layout.seat_of_die(event.colour or "")
        if seat is None or event.before is None or event.after in (None, event.before):
            return []
        return [
            Note(
                f"The die of {self.words.seat(seat)} was a {event.before} and now shows {event.after}; "
                "the roll stands."
            )
        ]

    def zone_rate(self, event: ZoneRate) -> list[Intent]:
        """A zone that reads badly, or well again (F07)."""
        where = self.words.zone(self.zone(event.zone))
        if not event.weak:
            return [Note(f"{where[:1].upper()}{where[1:]} reads well again.")]
        return [
            Note(
                f"{where[:1].upper()}{where[1:]} reads badly ({event.rate:.0%} of scans): move the card "
                "to the middle of the spot, or check the spacer under it."
            )
        ]

    def zone_trouble(self, event: ZoneTrouble) -> list[Intent]:
        """A zone that can't be read, or that reads again (F03, F10)."""
        where = self.words.zone(self.zone(event.zone))
        if event.trouble:
            return [Note(TROUBLES[event.why](where))]
        return [Note(f"{where[:1].upper()}{where[1:]} is read again.")]


def overlap(where: str) -> str:
    """The sentence on a spot where cards lie on each other (F10)."""
    return f"Cards overlap at {where}: spread them, or enter the card by hand."


def silent(where: str) -> str:
    """The sentence on a spot whose antenna does not answer (F03)."""
    return f"{where[:1].upper()}{where[1:]} does not answer: enter its cards by hand, and check its antenna."


def twins(name: str, kept: str, other: str) -> str:
    """The sentence on two tags with one number (F11)."""
    return (
        f"Two tags carry the number of {name}, one at {kept} and one at {other}: only the first counts; "
        "enrol one of the two cards with another tag."
    )


#: the sentence on each kind of settled.ZoneTrouble
TROUBLES: Mapping[str, Callable[[str], str]] = {"overlap": overlap, "silent": silent}


def early_card(words: Words, found: OpenFinding, about: str) -> Question:
    """The question whether a card that was laid too early counts now that its turn has come."""
    card, seat = str(found.action["card"]), int(found.action["seat"])
    text = f"{words.seat(seat)} laid {words.card(card)} too early and it lies there still. Does it count now?"
    answers = (Answer("yes", "Yes, it is played", (found.action,)), Answer("no", "No"))
    return Question(text, (seat,), answers, card, None, about)
