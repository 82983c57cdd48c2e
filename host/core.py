"""The table's core: one item in, entries out. Called from one thread only (host.table owns it).

Every change goes the same way: an intent becomes an Entry, the Entry is committed, then folded into
the match and only then visible. What the disk did not take stays in a backlog that is tried again;
until then the screen says so (F52).
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.game import Finding
from host import claims
from host.action import Action, Ask, Intent, Note, TakenBack, Withdraw
from host.backlog import Backlog
from host.dice import DiceDesk
from host.enrolment import Enrolment
from host.entry import Entry, EntryKind, Json
from host.face import Outcome, Who
from host.identity import CardBook
from host.interpret import MISSED, NOW, Context, early_card, interpret
from host.interpret.althera import awaited
from host.journal import Journal
from host.layout import Layout
from host.match import Match
from host.recall import damage_words, recalled
from host.settled import CardArrived, CardLeft, DeviceChanged, Settled, evidence_text, settled_json
from host.sighting import DiceFrame, DieSeen, Health, Inventory, Sighting
from host.tracker import Tracker
from host.words import Words
from host.workbench import Workbench
from host.zonesetup import ZoneSetup

TABLE = Who("table")
#: how many events a screen shows
EVENTS = 30
#: seconds for which the scan spot's word on a tag stays on the screen once the tag is lifted
SCAN_STAYS = 4.0
#: seconds between two changes of what the screen says lies in the dice tray
TRAY_PAUSE = 0.5


@dataclass(frozen=True, slots=True)
class Clocks:
    """Where time comes from: `wall` Unix seconds, `mono` monotonic seconds, `boot` this start's id."""

    wall: Callable[[], float]
    mono: Callable[[], float]
    boot: str


@dataclass(frozen=True, slots=True)
class NoteShown:
    """Something the table said, with when (Unix seconds)."""

    text: str
    at: float
    card: str | None = None


@dataclass(slots=True)
class DeviceState:
    """The last word of one device and since when (Unix seconds) it has been so."""

    health: Health
    since: float


@dataclass(slots=True)
class Core:
    """The whole table without threads. Made from a journal it goes on where that ended."""

    journal: Journal
    layout: Layout
    clocks: Clocks
    match: Match | None = None
    seq: int = 0
    events: deque[Entry] = field(default_factory=lambda: deque(maxlen=EVENTS))
    devices: dict[str, DeviceState] = field(default_factory=dict)
    notes: deque[NoteShown] = field(default_factory=lambda: deque(maxlen=10))
    scan: NoteShown | None = None
    scan_left: float | None = None
    backlog: Backlog = field(init=False)
    last_die: dict[int, Json] = field(default_factory=dict)
    awaited_since: dict[int, float] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    in_tray: dict[str, tuple[DieSeen, ...]] = field(default_factory=dict)
    tray_shown: float = 0.0
    book: CardBook = field(init=False)
    enrolment: Enrolment | None = None
    zone_setup: ZoneSetup | None = None
    bench: Workbench = field(init=False)
    tracker: Tracker = field(init=False)
    dice: DiceDesk = field(init=False)

    def __post_init__(self) -> None:
        self.tracker = Tracker(self.layout)
        self.backlog = Backlog(self.journal)
        self.bench = Workbench(self.journal.path.parent)
        self.dice = DiceDesk(self.layout, self.bench.trays())
        self.book = CardBook(self.journal.path.parent / "cards.csv")
        self.book.refresh()
        self.seq, newest = self.journal.last()
        self.match, damaged = recalled(self.journal, newest, self.layout.game)
        self.events.extend(self.journal.read(after=max(0, self.seq - 4 * EVENTS)))
        self.record("boot", TABLE, text="The table starts.")
        if damaged:
            self.record("notice", TABLE, text=damage_words(damaged))
        self._awaiting()

    # -- what comes in -----------------------------------------------------------------------------

    def sighting(self, sighting: Sighting) -> bool:
        """Takes one sighting in. True where a screen may have changed."""
        if isinstance(sighting, Inventory):
            if self.zone_setup is not None:
                return self.zone_setup.see(sighting)
            at = (sighting.reader, sighting.antenna)
            if self.enrolment is not None and at == (self.enrolment.reader, self.enrolment.antenna):
                return self.enrolment.see(sighting)
        sighting = self.book.known(sighting)
        settled = self.dice.feed(sighting) if isinstance(sighting, DiceFrame) else self.tracker.feed(sighting)
        for event in settled:
            if isinstance(event, DeviceChanged):
                self._device(event)
            else:
                for intent in interpret(self.context(), event):
                    self._carry_out(intent, event)
                if isinstance(event, CardArrived) and event.card is not None:
                    self.seen.add(event.card)
                if isinstance(event, CardLeft) and event.zone in self._scan_spots():
                    self.scan_left = self.clocks.mono()
        changed = isinstance(sighting, DiceFrame) and self._tray(sighting)
        return changed or bool(settled)

    def _tray(self, frame: DiceFrame) -> bool:
        """Keeps what the camera sees now. True when that should be shown: other dice, faces or
        doubts than before, at most twice a second."""
        now = frame.at
        known = [(d.colour, d.face, d.why) for d in self.in_tray.get(frame.camera, ())]
        if frame.moving or known == [(d.colour, d.face, d.why) for d in frame.dice]:
            return False
        if 0 <= now - self.tray_shown < TRAY_PAUSE:
            return False
        self.in_tray[frame.camera] = frame.dice
        self.tray_shown = now
        return True

    def act(
        self,
        action: Json,
        who: Who,
        evidence: Sequence[Settled] = (),
        allows: int | None = None,
        question: str | None = None,
    ) -> Outcome:
        """A game action: judged, recorded, applied. What a person typed and the rules refuse is told
        to that person and not recorded; what lies on the table is recorded either way. `question`: the one
        whose answer this is; what the table saw is in its entry."""
        if self.match is None:
            return Outcome(False, "No match is running: begin one first.")
        if action.get("do") == "undo" and not hasattr(self.match.game.parse(action), "severity"):
            return self.undo(who)
        words = self.words()
        against = claims.to_show(self.match, action)
        if against is not None:
            return self._show_hand(action, against, who)
        before = self._state()
        verdict = self.match.judge(action)
        findings = tuple(f.to_json() | {"text": words.named(f.text)} for f in verdict.findings)
        if not verdict.ok and who.kind != "device":
            return Outcome(False, findings[0]["text"], findings)
        after = self.match.public_of(verdict.state)
        infos = [f["text"] for f in findings if f["severity"] == "info"]
        text = " ".join([words.happened(action, before, after), *infos])
        if not verdict.ok:
            text = f"{words.action(action)}: {findings[0]['text']}"
        body: Json = {} if allows is None else {"allows": allows}
        if question is not None:
            body["question"] = question
        recorded = self.record("action", who, action, verdict.ok, findings, evidence, text, body)
        self.after_change(before)
        return self.outcome(verdict.ok, text, recorded, findings)

    def _show_hand(self, action: Json, against: tuple[Finding, ...], who: Who) -> Outcome:
        """A claim that needs its hand shown begins to collect it, unless it is in vain anyway."""
        words = self.words()
        if against:
            findings = tuple(f.to_json() | {"text": words.named(f.text)} for f in against)
            return Outcome(False, findings[0]["text"], findings)
        zones = self._scan_spots()
        there = [card for zone, _, card, _ in self.tracker.cards() if zone in zones and card is not None]
        asked = claims.begun(self.context(), action, there)
        self._withdraw_passing("Another hand is shown.")
        recorded = self.record("question", who, text=asked.text, body=asked.to_json())
        return self.outcome(True, asked.text, recorded)

    def undo(self, who: Who) -> Outcome:
        """Takes the last action that holds back."""
        line = self.match.last_undoable() if self.match else None
        if self.match is None or line is None:
            return Outcome(False, "There is nothing to undo.")
        text = f"Taken back: {self.words().action(line.action)}."
        recorded = self.record("undo", who, text=text, body={"target": line.seq})
        self.after_change(None)
        return self.outcome(True, text, recorded)

    def redo(self, who: Who) -> Outcome:
        """Puts back what was undone last."""
        if self.match is None or not self.match.redo:
            return Outcome(False, "There is nothing to redo.")
        target = self.match.redo[-1]
        line = next(line for line in self.match.lines if line.seq == target)
        text = f"Put back: {self.words().action(line.action)}."
        recorded = self.record("redo", who, text=text, body={"target": target})
        self.after_change(None)
        return self.outcome(True, text, recorded)

    def new_match(self, game: Any, ruleset: Any, setup: Json, who: Who, body: Json) -> Outcome:
        """Begins a match: its `match` entry and the setup action, in one commit."""
        verdict = game.apply(game.initial(ruleset), game.parse(setup))
        if not verdict.ok:
            found = tuple(f.to_json() for f in verdict.findings)
            return Outcome(False, found[0]["text"], found)
        rules = game.ruleset_json(ruleset)
        digest = hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()
        full = {"game": game.name, "ruleset": rules, "ruleset_sha256": digest, **body}
        number = self.seq + 1
        begun = self._entry("match", who, text="A new match begins.", body=full, match=number)
        first = self._entry(
            "action", who, setup, True, text="The match is set up.", match=number, after=begun
        )
        recorded = self._commit([begun, first])
        self.match = Match(begun)
        self.match.fold(first)
        self.last_die.clear()
        self.notes.clear()  # they were of before: "laid, but no match is running"
        self.after_change(None)
        return self.outcome(True, "The match begins.", recorded)

    def say(self, kind: EntryKind, text: str, who: Who, body: Json | None = None) -> Outcome:
        """Pause, resume, a flag, an announcement, a call for a judge, a dismissed finding."""
        recorded = self.record(kind, who, text=text, body=body or {})
        return self.outcome(True, text, recorded)

    def latest(self, after: int) -> list[Entry] | None:
        """The recorded entries with seq > `after`, from memory; None where it does not reach back so far."""
        if not self.events or self.events[0].seq > after + 1:
            return None
        saved = self.saved()
        return [entry for entry in self.events if after < entry.seq <= saved]

    def saved(self) -> int:
        """The last entry that is on the disk."""
        waiting = self.backlog.waiting
        return waiting[0].seq - 1 if waiting else self.seq

    def tick(self) -> bool:
        """Once in a while: tries the backlog again, and looks at the card list. True where a screen may
        have changed."""
        changed = self.bench.tick(self.clocks.mono()) | self.book.refresh() | self._forget_scan()
        if not self.backlog.waiting:
            return changed
        return self.backlog.write() or changed

    def _scan_spots(self) -> set[str]:
        return {zone.id for zone in self.layout.zones if zone.kind == "scan"}

    def _forget_scan(self) -> bool:
        """Takes the scan spot's word from the screen a while after its tag was lifted."""
        if self.scan_left is None or self.clocks.mono() - self.scan_left < SCAN_STAYS:
            return False
        self.scan_left = None
        if any(zone in self._scan_spots() for zone, *_ in self.tracker.cards()):
            return False
        self.scan = None
        return True

    def use_layout(self, layout: Layout) -> None:
        """The same table with its zones on other antennas. What lies on it is seen anew."""
        self.layout = layout
        self.tracker = Tracker(layout)

    def use_trays(self) -> None:
        """The parts of the tray have been drawn anew."""
        self.dice = DiceDesk(self.layout, self.bench.trays())
        self._awaiting()

    # -- what goes on inside -----------------------------------------------------------------------

    def words(self) -> Words:
        """How this table speaks of its seats and cards."""
        names = {s.id: s.name for s in self.layout.seats if s.name}
        values: Json = {}
        if self.match is not None:
            names |= {s["seat"]: s["name"] for s in self.match.begun.body["seats"] if s.get("name")}
            score = self.match.begun.body["ruleset"].get("score", {})
            values = {kind: card["value"] for kind, card in score.items()}
        return Words(names, values)

    def context(self) -> Context:
        """The interpreter's knowledge now."""
        match = self.match
        if match is None:
            return Context(self.layout, None, {}, {}, (), (), self.words(), lambda _: (False, {}))
        game = match.game

        def judge(action: Json) -> tuple[bool, Json]:
            verdict = match.judge(action)
            return verdict.ok, game.state_json(verdict.state)

        return Context(
            self.layout,
            game.name,
            self._state(),
            game.cards(match.state),
            tuple(match.questions.values()),
            tuple(match.findings),
            self.words(),
            judge,
            frozenset(str(x.action.get("card")) for x in match.lines if x.undone) - self.seen,
            match.begun.body["ruleset"],
            match.last_action(),
            self.tracker.unread(),
            frozenset(self.seen),
        )

    def _carry_out(self, intent: Intent, event: Settled) -> None:
        match intent:
            case Action(action, who, evidence):
                self._face(action, evidence)
                self.act(action, who, evidence)
            case Ask(question, evidence):
                body = question.to_json()
                self.record("question", TABLE, evidence=evidence, text=question.text, body=body)
            case Withdraw(question, text):
                self.record("withdrawn", TABLE, text=text, body={"question": question})
            case TakenBack(findings, text):
                self.record("dismiss", TABLE, evidence=(event,), text=text, body={"ids": list(findings)})
            case Note(text, scan, card):
                self._note(NoteShown(text, self.clocks.wall(), card), scan, event)

    def _note(self, shown: NoteShown, scan: bool, event: Settled) -> None:
        """Shows what is worth saying; the same words are not written down again within a minute."""
        if scan:
            self.scan, self.scan_left = shown, None
            return
        again = any(n.text == shown.text and 0 <= shown.at - n.at < 60 for n in self.notes)
        if not again:
            self.notes.append(shown)
            self.record("notice", TABLE, evidence=(event,), text=shown.text)

    def _face(self, action: Json, evidence: Iterable[Settled]) -> None:
        if action.get("do") == "roll":
            text = "; ".join(evidence_text(e) for e in evidence)
            self.last_die[action["seat"]] = {"face": action["face"], "text": text}

    def _device(self, event: DeviceChanged) -> None:
        health = event.health
        known = self.devices.get(health.device)
        now = self.clocks.wall()
        if known is None or known.health.state != health.state:
            self.devices[health.device] = DeviceState(health, now)
            if known is not None or health.state != "starting":
                text = device_sentence(health)
                self.record("device", Who("device", health.device), evidence=(event,), text=text)
        else:
            self.devices[health.device] = DeviceState(health, known.since)

    def _state(self) -> Json:
        return self.match.public() if self.match else {}

    def after_change(self, before: Json | None) -> None:
        """What follows from a new state: idle questions go, awaited rolls are asked for."""
        match = self.match
        if match is None:
            return
        if before is None or before != self._state():
            self._withdraw_passing("Play has moved on.")
        for question in list(match.questions.values()):
            if question.about.startswith(NOW) or question.about == MISSED:
                continue
            acts = [answer.acts[0] for answer in question.answers if answer.acts]
            if acts and not any(match.judge(act).ok for act in acts):
                body = {"question": question.id}
                self.record("withdrawn", TABLE, text="The question has answered itself.", body=body)
        self._ask_early_cards(match)
        self._awaiting()

    def _withdraw_passing(self, text: str) -> None:
        """Ends the questions that only made sense in the state that is past now."""
        for question in list(self.match.questions.values()) if self.match else ():
            if question.about.startswith(NOW):
                self.record("withdrawn", TABLE, text=text, body={"question": question.id})

    def _ask_early_cards(self, match: Match) -> None:
        """A card laid too early and still lying there, whose play has become legal: does it count now?"""
        lying = {card for _, _, card, _ in self.tracker.cards() if card is not None}
        for found in [f for f in match.findings if f.open and f.finding["severity"] == "illegal"]:
            about = f"early:{found.id}"
            if found.action.get("card") not in lying or about in match.asked:
                continue
            if match.judge(found.action).ok:
                question = early_card(self.words(), found, about)
                self.record("question", TABLE, text=question.text, body=question.to_json())

    def _awaiting(self) -> None:
        state = self._state()
        seats = awaited(state) if state.get("game") == "althera" else []
        now = self.clocks.wall()
        self.awaited_since = {s: self.awaited_since.get(s, now) for s in seats}
        self.dice.await_rolls(self.clocks.mono(), seats, self._may_retreat(state))

    def _may_retreat(self, state: Json) -> list[int]:
        """The duellists who may throw their die unasked, which means a retreat, or asks for one."""
        if self.match is None or state.get("game") != "althera":
            return []
        duellists = [seat for duel in state["duels"] for seat in (duel["attacker"], duel["defender"])]
        return [seat for seat in duellists if self.match.judge({"do": "retreat", "seat": seat}).ok]

    def record(
        self,
        kind: EntryKind,
        who: Who,
        action: Json | None = None,
        ok: bool | None = None,
        findings: tuple[Json, ...] = (),
        evidence: Sequence[Settled] = (),
        text: str = "",
        body: Json | None = None,
    ) -> bool:
        """Commits one entry and folds it in. False where it waits in the backlog for the disk."""
        entry = self._entry(kind, who, action, ok, findings, evidence, text, body)
        recorded = self._commit([entry])
        if self.match is not None:
            self.match.fold(entry)
        return recorded

    def _entry(
        self,
        kind: EntryKind,
        who: Who,
        action: Json | None = None,
        ok: bool | None = None,
        findings: tuple[Json, ...] = (),
        evidence: Sequence[Settled] = (),
        text: str = "",
        body: Json | None = None,
        match: int | None = None,
        after: Entry | None = None,
    ) -> Entry:
        number = match if match is not None else (self.match.begun.seq if self.match else 0)
        return Entry(
            (after.seq if after else self.seq) + 1,
            kind,
            self.clocks.wall(),
            self.clocks.mono(),
            self.clocks.boot,
            number,
            who,
            action,
            ok,
            findings,
            tuple(settled_json(e) for e in evidence),
            text,
            body or {},
        )

    def _commit(self, entries: list[Entry]) -> bool:
        self.seq = entries[-1].seq
        self.events.extend(entries)
        return self.backlog.write(entries)

    def outcome(self, ok: bool, text: str, recorded: bool, findings: tuple[Json, ...] = ()) -> Outcome:
        """What whoever did it is told, with the last entry's number once it is on the disk."""
        if recorded:
            return Outcome(ok, text, findings, self.seq)
        return Outcome(ok, f"{text} Not recorded yet: {self.backlog.trouble}.", findings, None)


def device_sentence(health: Health) -> str:
    """A device's word on itself as an event, without saying its name or kind twice."""
    if health.kind == health.device:
        return f"{health.detail[:1].upper()}{health.detail[1:]}"
    return f"{health.kind.capitalize()} {health.device}: {health.detail.removeprefix(health.kind + ' ')}"
