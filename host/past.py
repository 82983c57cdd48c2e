"""A match of the journal to be looked at again: the actions that hold, the state after each of them,
what happened beside them, and a spectator's view of any step.

`host.match.Match` is a match as it goes on; this is the same one worked out in a single pass, so that a
match of thousands of actions and corrections costs what its actions cost.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import CrowntableError
from engine.game import Audience, Finding, Game
from engine.games import game_named
from engine.records.record import hash_of
from host.entry import Entry, Json
from host.grounds import grounds
from host.match import Clock, Line, lines_of, name_of
from host.past_duels import DuelLog, points_of
from host.scene import scene
from host.view import EVENT_KINDS, event_row, program_version, seat_rows
from host.words import Words

#: actions after which a replay ends: what one match may cost in memory, at about 8 kB an action
MOST_STEPS = 20_000
SPECTATOR = Audience("spectator")


@dataclass(frozen=True, slots=True)
class Step:
    """The n-th action that holds, counted from 1 as in the record: its line, the state after it, the
    rules' findings, one sentence, the match's clock then (seconds), the last face each die showed, and
    how many of the match's events had happened."""

    n: int
    line: Line
    entry: Entry
    state: Any
    findings: tuple[Finding, ...]
    text: str
    clock: float
    faces: Json
    events: int

    @property
    def by_hand(self) -> bool:
        """Whether a person entered it at a screen."""
        return self.entry.who.kind in ("seat", "operator")

    @property
    def forced(self) -> bool:
        """Whether the table ruled otherwise than the rules."""
        return bool(self.line.action.get("force"))


@dataclass(frozen=True, slots=True)
class _UpTo:
    """The match as far as a step (host.grounds.Told)."""

    lines: Sequence[Line]
    told: Mapping[int, Entry]


@dataclass(frozen=True, slots=True)
class Past:
    """One match, worked out. `row` is what a list of matches says of it, `points` what charts draw of
    each step, `duels` the duels in order, `trouble` what is wrong with the record, empty where nothing
    is: the steps then end where it still could be read."""

    begun: Entry
    game: Game
    words: Words
    steps: tuple[Step, ...]
    points: tuple[Json, ...]
    duels: tuple[Json, ...]
    events: tuple[Json, ...]
    row: Json
    trouble: str
    told: Mapping[int, Entry]

    def summary(self) -> Json:
        """All but the views, as docs/view.md describes it."""
        return {
            **self.row,
            "seats": seat_rows(self.begun, self.words),
            "steps": [self._step(step) for step in self.steps],
            "events": list(self.events),
            "duels": list(self.duels),
        }

    def _step(self, step: Step) -> Json:
        action = step.line.action
        return {
            "n": step.n,
            "seq": step.line.seq,
            "at": step.entry.wall,
            "clock": round(step.clock, 1),
            "do": action.get("do"),
            "seat": action.get("seat"),
            "text": step.text,
            "by_hand": step.by_hand,
            "edited": step.line.amended,
            "forced": step.forced,
            "broken": step.line.broken is not None,
            "events": step.events,
            **self.points[step.n - 1],
        }

    def views(self, first: int, count: int) -> list[Json]:
        """The spectator's views after steps `first` to `first + count - 1`, as far as there are such;
        their `events` are empty: `summary()` has them once for all steps."""
        first = max(1, first)
        return [self._view(step) for step in self.steps[first - 1 : first - 1 + max(0, count)]]

    def _view(self, step: Step) -> Json:
        game = self.game.view(step.state, SPECTATOR)
        why = "initiative" if game.get("phase") == "initiative" else "duel"
        rolls = [{"seat": s, "why": why, "since": step.entry.wall} for s in game.get("awaiting_rolls") or ()]
        view: Json = {
            "version": step.n,
            "seq": step.line.seq,
            "boot": step.entry.boot,
            "at": step.entry.wall,
            "program": program_version(),
            "audience": {"kind": "spectator", "seat": None},
            "match": self._match(step, game),
            "game": game,
            "seats": seat_rows(self.begun, self.words),
            "findings": self._findings(step),
            "questions": [],
            "events": [],
            "devices": [],
            "banner": [],
            "zones": [],
            "scan": None,
            "dice": {
                "awaited": rolls,
                "last": [{"seat": int(s), "face": f, "sure": True} for s, f in sorted(step.faces.items())],
                "seen": [],
            },
            "grounds": grounds(_UpTo([s.line for s in self.steps[: step.n]], self.told), game),
            "undo": {"possible": False, "text": None},
            "redo": {"possible": False, "text": None},
            "asking": False,
            "notices": [],
        }
        shown = scene(view)
        colour = "#{:02x}{:02x}{:02x}".format(*shown.colour)
        light = {"colour": colour, "pattern": shown.pattern, "pace": shown.pace, "why": shown.why}
        return {**view, "crown": {**light, "hardware": None}}

    def _match(self, step: Step, game: Json) -> Json:
        return {
            "id": self.row["id"],
            "game": self.game.name,
            "ruleset": self.row["ruleset"],
            "number": self.row["number"],
            "started": self.begun.wall,
            "elapsed": step.clock,
            "expected": None,
            "paused": False,
            "over": game.get("phase") == "over",
            "virtual": False,
            "layout": "",
            "edited": 0,
            "broken": [],
        }

    def _findings(self, step: Step) -> list[Json]:
        return [
            {
                "id": f"f{step.line.seq}-{i}",
                "seq": step.line.seq,
                **f.to_json(),
                "text": self.words.named(f.text),
                "rule_text": self.game.rules.get(f.rule, ""),
                "cure": "",
                "action": step.line.action,
                "at": step.entry.wall,
                "open": True,
            }
            for i, f in enumerate(step.findings)
            if f.severity != "info"
        ]


def past_of(entries: Sequence[Entry], trouble: str = "", breathe: Callable[[], None] = lambda: None) -> Past:
    """The match that these entries (its `match` entry first) tell. `trouble` is what cut them short;
    `breathe` is called between the steps. Raises CrowntableError where the match's own entry is
    damaged, or its game or ruleset is not known here."""
    begun = entries[0]
    game, ruleset = _rules(begun)
    words = _words(begun)
    every = lines_of(entries)
    held = [line for line in every.values() if not line.undone]
    if len(held) > MOST_STEPS:
        trouble = f"The match has {len(held)} actions; the first {MOST_STEPS} are shown."
    by_seq = {entry.seq: entry for entry in entries}
    clocks = _clocks(entries)
    events, counted = _events(entries, every)
    log = DuelLog(game.name)
    state = game.initial(ruleset)
    before = game.state_json(state)
    faces: Json = {}
    steps: list[Step] = []
    points: list[Json] = []
    for n, taken in enumerate(held[:MOST_STEPS], 1):
        breathe()
        line, findings, state = _judged(game, state, taken)
        after = before if line.broken else game.state_json(state)
        if line.action.get("do") == "roll" and not line.broken:
            faces = {**faces, str(line.action["seat"]): line.action["face"]}
        log.step(n, line, before, after)
        points.append(points_of(game.name, before, after))
        text = _sentence(words, line, findings, before, after)
        seq = line.seq
        steps.append(Step(n, line, by_seq[seq], state, findings, text, clocks[seq], faces, counted[seq]))
        before = after
    row = _row(entries, game, every, steps, before, clocks, trouble)
    row["best"] = log.best(row["id"], before, len(steps))
    return Past(
        begun, game, words, tuple(steps), tuple(points), tuple(log.duels), tuple(events), row, trouble, by_seq
    )


def _judged(game: Game, state: Any, line: Line) -> tuple[Line, tuple[Finding, ...], Any]:
    """A line by today's rules: marked `broken` where they refuse it, the findings, the state after it."""
    parsed = game.parse(line.action)
    if isinstance(parsed, Finding):
        return replace(line, broken=parsed), (parsed,), state
    verdict = game.apply(state, parsed)
    if verdict.ok:
        return line, verdict.findings, verdict.state
    return replace(line, broken=verdict.findings[0]), verdict.findings, state


def _sentence(words: Words, line: Line, findings: tuple[Finding, ...], before: Json, after: Json) -> str:
    """What a step did, as the table says it."""
    if line.broken is not None:
        return f"{words.action(line.action)}: {words.named(line.broken.text)}"
    infos = [words.named(f.text) for f in findings if f.severity == "info"]
    return " ".join([words.happened(line.action, before, after), *infos])


def _rules(begun: Entry) -> tuple[Game, Any]:
    try:
        game = game_named(begun.body["game"])
        return game, game.ruleset_from_json(begun.body["ruleset"])
    except (KeyError, TypeError):
        raise CrowntableError(
            f"The record of {name_of(begun)} is damaged at its very beginning.",
            "The journal beside it, and its copies, may still have it; other matches are not touched.",
        ) from None


def _words(begun: Entry) -> Words:
    """How the table of then spoke: its players' names, its cards' values."""
    names = {s["seat"]: s["name"] for s in begun.body["seats"] if s.get("name")}
    score = begun.body["ruleset"].get("score", {})
    return Words(names, {kind: card["value"] for kind, card in score.items()})


def _clocks(entries: Sequence[Entry]) -> dict[int, float]:
    """The match's clock at each entry, in seconds."""
    clock, times = Clock(), {}
    for entry in entries:
        clock.fold(entry)
        times[entry.seq] = clock.seconds
    return times


def _events(entries: Sequence[Entry], lines: dict[int, Line]) -> tuple[list[Json], dict[int, int]]:
    """The match's events, oldest first, and how many there were at each entry."""
    rows: list[Json] = []
    counted: dict[int, int] = {}
    for entry in entries:
        if entry.kind in EVENT_KINDS and entry.kind != "device" and entry.text:
            line = lines.get(entry.seq)
            rows.append(event_row(entry, bool(line and line.amended), bool(line and line.undone)))
        counted[entry.seq] = len(rows)
    return rows, counted


def _row(
    entries: Sequence[Entry],
    game: Game,
    lines: dict[int, Line],
    steps: Sequence[Step],
    state: Json,
    clocks: dict[int, float],
    trouble: str,
) -> Json:
    """What a list of matches says of it. `corrected` counts what people changed afterwards, `doubtful`
    what holds against the rules or no longer holds at all."""
    begun = entries[0]
    over = state.get("phase") == "over"
    # What is said and flagged after its end, and the table's next start, are no part of it.
    last = steps[-1].entry if over else entries[-1]
    return {
        "id": name_of(begun),
        "number": begun.body.get("number", 1),
        "game": game.name,
        **rules_of(begun),
        "started": begun.wall,
        "ended": last.wall if over else None,
        "over": over,
        "seats": begun.body["seats"],
        "winners": state.get("winners"),
        "entries": len(lines),
        "plays": sum(step.line.action.get("do") in ("play", "intervene", "lay") for step in steps),
        "seconds": round(clocks[last.seq], 1),
        "turn": state.get("turn"),
        "turns": state.get("turns"),
        "by_hand": sum(step.by_hand for step in steps[1:]),
        "corrected": sum(entry.kind in ("undo", "redo", "amend", "allow") for entry in entries),
        "doubtful": sum(step.forced or step.line.broken is not None for step in steps),
        "flags": _flags(entries, steps, clocks),
        "trouble": trouble,
    }


def rules_of(begun: Entry) -> Json:
    """The rules that a match was played by, as its row names them: `ruleset`, and `ruleset_hash` as its
    record has it; empty where the `match` entry is damaged."""
    rules = begun.body.get("ruleset")
    if not isinstance(rules, dict):
        return {"ruleset": "", "ruleset_hash": ""}
    name = rules.get("name", "") or str(begun.body.get("ruleset_sha256", ""))[:8]
    return {"ruleset": name, "ruleset_hash": hash_of(rules)}


def _flags(entries: Sequence[Entry], steps: Sequence[Step], clocks: dict[int, float]) -> list[Json]:
    """The moments that somebody flagged, each with the number of the last action before it."""
    seqs = [step.line.seq for step in steps]
    return [
        {
            "seq": entry.seq,
            "n": bisect(seqs, entry.seq),
            "at": entry.wall,
            "clock": round(clocks[entry.seq], 1),
            "text": entry.text,
        }
        for entry in entries
        if entry.kind == "flag"
    ]
