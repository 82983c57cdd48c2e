"""One match as a fold over its journal entries: the same code runs live and after a restart.

`Match.fold(entry)` is the only way in, so that what the screen shows is what the journal says.
Corrections never rewrite history: they mark lines as undone or amended, and the state is worked out
again from the lines that hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from engine.errors import CrowntableError
from engine.game import Finding, Game, Verdict
from engine.games import games
from host.entry import Entry, Json


@dataclass(frozen=True, slots=True)
class Line:
    """One applied action. `undone`: taken back; `amended`: corrected afterwards by a person;
    `broken`: after a correction before it the rules no longer accept it, and this is why."""

    seq: int
    action: Json
    undone: bool = False
    amended: bool = False
    broken: Finding | None = None


@dataclass(frozen=True, slots=True)
class OpenFinding:
    """A remark that waits for somebody: an illegal play still lying there, a warning not yet seen."""

    id: str
    seq: int
    finding: Json
    action: Json
    at: float
    open: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """One way to answer: the game actions it stands for (none: nothing happens)."""

    id: str
    label: str
    acts: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What the table could not decide. `card` and `zone` name what it is about: when that card is
    lifted the question goes too. `allows`: the entry whose refused action the answer lets stand."""

    text: str
    seats: tuple[int, ...]
    answers: tuple[Answer, ...]
    card: str | None = None
    zone: str | None = None
    about: str = ""
    allows: int | None = None
    id: str = ""
    since: float = 0.0

    def to_json(self) -> Json:
        """The question as the journal keeps it."""
        return {
            "text": self.text,
            "seats": list(self.seats),
            "answers": [{"id": a.id, "label": a.label, "acts": list(a.acts)} for a in self.answers],
            "card": self.card,
            "zone": self.zone,
            "about": self.about,
            **({} if self.allows is None else {"allows": self.allows}),
        }

    @staticmethod
    def from_entry(entry: Entry) -> Question:
        """The question that a `question` entry asked."""
        body = entry.body
        return Question(
            body["text"],
            tuple(body["seats"]),
            tuple(Answer(a["id"], a["label"], tuple(a["acts"])) for a in body["answers"]),
            body["card"],
            body["zone"],
            body["about"],
            body.get("allows"),
            id=f"q{entry.seq}",
            since=entry.wall,
        )


@dataclass(slots=True)
class Clock:
    """How long the match has run: monotonic seconds, counted within each boot, pauses left out."""

    seconds: float = 0.0
    boot: str = ""
    mono: float = 0.0
    paused: bool = False

    def fold(self, entry: Entry) -> None:
        """Counts the time up to this entry."""
        if entry.boot == self.boot and not self.paused:
            self.seconds += max(0.0, entry.mono - self.mono)
        self.boot, self.mono = entry.boot, entry.mono
        if entry.kind in ("pause", "resume"):
            self.paused = entry.kind == "pause"

    def now(self, boot: str, mono: float) -> float:
        """Seconds up to `mono` of this `boot`."""
        running = boot == self.boot and not self.paused
        return self.seconds + (max(0.0, mono - self.mono) if running else 0.0)


@dataclass(slots=True)
class Match:
    """The match that one `match` entry began. Raises CrowntableError where its game or ruleset is
    not known to this installation."""

    begun: Entry
    game: Game = field(init=False)
    ruleset: Any = field(init=False)
    state: Any = field(init=False)
    lines: list[Line] = field(default_factory=list)
    redo: list[int] = field(default_factory=list)
    findings: list[OpenFinding] = field(default_factory=list)
    questions: dict[str, Question] = field(default_factory=dict)
    edited: set[int] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    clock: Clock = field(default_factory=Clock)
    told: dict[int, Entry] = field(default_factory=dict)
    _states: list[Any] = field(default_factory=list)
    _public: tuple[Any, Json] | None = None
    _judged: tuple[Any, Any, Verdict] | None = None

    def __post_init__(self) -> None:
        name = self.begun.body["game"]
        game = games().get(name)
        if game is None:
            raise CrowntableError(
                f"The journal has a match of {name!r}, a game this installation does not have.",
                f"Known games: {', '.join(sorted(games()))}.",
            )
        self.game = game
        self.ruleset = game.ruleset_from_json(self.begun.body["ruleset"])
        self.state = game.initial(self.ruleset)
        self.clock.fold(self.begun)

    def judge(self, action: Json) -> Verdict:
        """The rules' verdict on an action now, without applying it."""
        parsed = self.game.parse(action)
        if isinstance(parsed, Finding):
            return Verdict(False, (parsed,), self.state)
        # An action is judged before it is recorded and once more when it is folded in: the same state,
        # which is never changed, and the same action have the same verdict.
        known = self._judged
        if known is None or known[0] is not self.state or known[1] != parsed:
            known = self._judged = (self.state, parsed, self.game.apply(self.state, parsed))
        return known[2]

    @property
    def over(self) -> bool:
        """Whether the match has come to its end."""
        return bool(self.public()["phase"] == "over")

    def public(self) -> Json:
        """The public state now, for reading only: worked out once a state, however many ask."""
        return self.public_of(self.state)

    def public_of(self, state: Any) -> Json:
        """The same of a state that a verdict has led to, and that is likely the next one."""
        # A state is never changed, each action makes another.
        if self._public is None or self._public[0] is not state:
            self._public = (state, self.game.state_json(state))
        return self._public[1]

    def fold(self, entry: Entry) -> None:
        """Takes one committed entry of this match in."""
        self.clock.fold(entry)
        if entry.kind in ("action", "question"):
            self.told[entry.seq] = entry
        match entry.kind:
            case "action":
                self._action(entry)
            case "undo":
                self._undo(entry.body["target"])
            case "redo":
                self._set(entry.body["target"], undone=False)
                self.redo.remove(entry.body["target"])
            case "amend":
                self.edited.add(entry.body["target"])
                self._set(entry.body["target"], action=entry.action, amended=True)
            case "question":
                question = Question.from_entry(entry)
                self.questions[question.id] = question
                self.asked.add(question.about)
            case "answer" | "withdrawn":
                self.questions.pop(entry.body["question"], None)
            case "dismiss":
                self._settle(set(entry.body["ids"]))

    def last_undoable(self) -> Line | None:
        """The line that an undo would take back; the setup stays."""
        for line in reversed(self.lines):
            if not line.undone and line.broken is None:
                return None if line is self.lines[0] else line
        return None

    def last_action(self) -> Json | None:
        """The action applied last that holds; None before any."""
        held = (x.action for x in reversed(self.lines) if not x.undone and x.broken is None)
        return next(held, None)

    def preview(self, without: int) -> Any:
        """The state as it would be with the line of that seq undone."""
        return self._work_out([replace(x, undone=True) if x.seq == without else x for x in self.lines])[-1]

    def _action(self, entry: Entry) -> None:
        assert entry.action is not None
        if entry.ok:
            self.lines.append(Line(entry.seq, entry.action))
            self._states.append(self.state)
            self.state = self.judge(entry.action).state
            if entry.body.get("allows") is not None:
                self._settle({f.id for f in self.findings if f.seq == entry.body["allows"]})
            self.redo.clear()
        opened = [
            OpenFinding(f"f{entry.seq}-{i}", entry.seq, f, entry.action, entry.wall)
            for i, f in enumerate(entry.findings)
            if f["severity"] != "info"
        ]
        self.findings.extend(opened)

    def _undo(self, target: int) -> None:
        self.redo.append(target)
        self._set(target, undone=True)
        self._settle({f.id for f in self.findings if f.seq == target})

    def _set(self, target: int, **changes: Any) -> None:
        """Changes one line and works the state out again from there on."""
        at = next(i for i, line in enumerate(self.lines) if line.seq == target)
        self.lines[at] = replace(self.lines[at], **changes)
        if changes == {"undone": True} and at == len(self.lines) - 1:
            self.state = self._states[at]
            return
        for i, line in enumerate(self.lines):
            self.lines[i] = replace(line, broken=None)
        self._states = self._work_out(self.lines)
        self.state = self._states.pop()

    def _work_out(self, lines: list[Line]) -> list[Any]:
        """The states before each line and, last, after all; marks in `self.lines` what breaks."""
        state = self.game.initial(self.ruleset)
        states = []
        for i, line in enumerate(lines):
            states.append(state)
            if line.undone:
                continue
            parsed = self.game.parse(line.action)
            if isinstance(parsed, Finding):
                self._broken(lines, i, parsed)
                continue
            verdict = self.game.apply(state, parsed)
            if verdict.ok:
                state = verdict.state
            else:
                self._broken(lines, i, verdict.findings[0])
        return [*states, state]

    def _broken(self, lines: list[Line], at: int, finding: Finding) -> None:
        if lines is self.lines:
            self.lines[at] = replace(self.lines[at], broken=finding)

    def _settle(self, ids: set[str]) -> None:
        self.findings = [replace(f, open=False) if f.id in ids else f for f in self.findings]


def rebuilt(entries: list[Entry]) -> tuple[Match, Entry]:
    """The match that these entries (its `match` entry first) tell, and the last of them."""
    match = Match(entries[0])
    for entry in entries[1:]:
        match.fold(entry)
    return match, entries[-1]


def lines_of(entries: Iterable[Entry]) -> dict[int, Line]:
    """Every applied action of a match by its seq, in order, marked as its corrections leave it, without
    working out a state: `broken` is not looked at. A correction of what is not there is passed over."""
    lines: dict[int, Line] = {}
    for entry in entries:
        if entry.kind == "action" and entry.ok and entry.action is not None:
            lines[entry.seq] = Line(entry.seq, entry.action)
        line = lines.get(entry.body.get("target", 0))
        if line is None:
            continue
        if entry.kind in ("undo", "redo"):
            lines[line.seq] = replace(line, undone=entry.kind == "undo")
        elif entry.kind == "amend" and entry.action is not None:
            lines[line.seq] = replace(line, action=entry.action, amended=True)
    return lines


def name_of(begun: Entry) -> str:
    """What people and commands call the match that this `match` entry began: m1 is a table's first."""
    return f"m{begun.body.get('number', 1)}"


def match_row(match: Match) -> Json:
    """A match in a list of matches, as host.face.Table.matches describes it."""
    state = match.public()
    over = state.get("phase") == "over"
    held = [line.seq for line in match.lines if not line.undone]
    return {
        "id": name_of(match.begun),
        "number": match.begun.body.get("number", 1),
        "game": match.game.name,
        "started": match.begun.wall,
        # What is said and flagged afterwards, and the table's next start, are no part of it.
        "ended": match.told[held[-1]].wall if over else None,
        "over": over,
        "seats": match.begun.body["seats"],
        "winners": state.get("winners"),
        "entries": len(match.lines),
    }
