"""Matches of people beside simulated ones: which may be counted with which, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.game import Json
from engine.lab.live import marks_of
from engine.lab.measures import Facts, measure
from engine.lab.report import summary
from engine.lab.tally import Tally
from engine.lab.trace import seen_in
from engine.records.record import Record, game_of, header_of


@dataclass(frozen=True, slots=True)
class Match:
    """A match that people played, measured. `turns` is None where the game has no number of them; `cards`
    says whether its cards are those that its rules give its houses today; `left` is why it can't be counted
    at all: `running`, `unread`, `reading`, else empty."""

    name: str
    game: str = ""
    rules: str = ""
    cards: bool = True
    players: int = 0
    turns: int | None = None
    facts: Facts = field(default_factory=dict)
    winners: tuple[int, ...] | None = None
    marks: tuple[str, ...] = ()
    corrections: int = 0
    doubts: tuple[str, ...] = ()
    left: str = ""


@dataclass(frozen=True, slots=True)
class People:
    """What of people's matches stands beside a result: `summary` as a report has it, None where no match
    counts; `minutes` of each; how many bear which mark; how many are left out, by the reason."""

    summary: Json | None = None
    minutes: tuple[tuple[str, float], ...] = ()
    counted: int = 0
    marked: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)
    mixed: bool = False


def measured(name: str, record: Record) -> Match:
    """A record as a match to be counted. Raises CrowntableError as `trace.seen_in` does."""
    seen, head = seen_in(record), record.header
    first = seen.steps[0]
    # A card set's hash goes by the houses that sat there: it is compared with the same houses' of today.
    game, ruleset = game_of(record)
    today = header_of(game, ruleset, game.dump(first.action), first.after)
    turns = next(
        (line.action.get("turns") for line in record.lines if line.action.get("do") == "setup"), None
    )
    return Match(
        name,
        head.game,
        head.ruleset_hash,
        head.cards_hash == today.cards_hash,
        len(seen.players),
        turns if isinstance(turns, int) else None,
        measure(seen),
        seen.winners,
        tuple(marks_of(seen)),
        seen.corrected,
        seen.doubts,
        "" if seen.winners is not None else "running",
    )


def beside(matches: Iterable[Match], result: Json, without: Sequence[str] = (), mix: bool = False) -> People:
    """Of these matches, those that may stand beside a result of `crowntable lab run`: the same game,
    number of players and turns, and the same rules and cards unless `mix`. `without` names marks."""
    tally, left, why, marked = Tally(), Counter[str](), dict[str, str](), Counter[str]()
    minutes: list[tuple[str, float]] = []
    rules = set[tuple[str, bool]]()
    for match in matches:
        reason = (
            match.left or _differs(match, result, mix) or next((m for m in match.marks if m in without), "")
        )
        if reason:
            left[reason] += 1
            why[match.name] = reason
            continue
        rules.add((match.rules, match.cards))
        marked.update(match.marks)
        tally.count(match.facts, match.winners)
        seconds = match.facts.get("length.seconds")
        if seconds is not None:
            minutes.append((match.name, seconds[0] / 60))
    return People(
        summary(tally) if tally.matches else None,
        tuple(minutes),
        tally.matches,
        dict(marked),
        dict(left),
        why,
        bool(rules - {(result["ruleset"]["hash"], True)}),
    )


def _differs(match: Match, result: Json, mix: bool) -> str:
    """Why this match says nothing about that result; empty where it does."""
    if match.game != result["game"]:
        return "game"
    if match.players != result["players"] or _turns(match.turns) != _turns(result["turns"]):
        return "players"
    same = match.rules == result["ruleset"]["hash"] and match.cards
    return "" if same or mix else "rules"


def _turns(turns: int | None) -> int:
    """A simulated match of Althera has three turns where nothing else is said (`plan.setup_of`)."""
    return 3 if turns is None else turns
