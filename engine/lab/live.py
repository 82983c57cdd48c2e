"""Matches that people played, measured out of their records as simulated ones are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.errors import CrowntableError
from engine.game import Json
from engine.lab.measures import measure
from engine.lab.report import summary, summary_in_words
from engine.lab.tally import Tally
from engine.lab.trace import Seen, seen_in
from engine.records.record import Record

#: What may be left out: matches with corrections by hand, and those that can't be trusted whole.
MARKS = ("corrected", "doubtful")


def measure_records(
    records: Iterable[tuple[str, Record]], without: Sequence[str] = (), mix: bool = False
) -> Json:
    """The measures of these records, called by their names.

    `matches` lists each with its marks, its rules and whether it was counted; `without` names marks
    (`MARKS`) that keep a match out. Raises CrowntableError where the records are of different games,
    rules or card sets and `mix` does not allow that, or where there is nothing to count.
    """
    tally, listed, groups = Tally(), list[Json](), dict[tuple[str, str, str], list[str]]()
    players: set[int] = set()
    for name, record in records:
        seen, head = seen_in(record), record.header
        marks = marks_of(seen)
        counted = not set(marks) & set(without) and len(seen.steps) > 1
        listed.append(
            {
                "match": name,
                "ruleset": {"name": head.ruleset.get("name"), "hash": head.ruleset_hash},
                "cards": head.cards_hash,
                "players": len(seen.players),
                "marks": marks,
                "corrections": seen.corrected,
                "doubts": list(seen.doubts),
                "counted": counted,
            }
        )
        if not counted:
            continue
        groups.setdefault((head.game, head.ruleset_hash, head.cards_hash), []).append(name)
        players.add(len(seen.players))
        tally.count(measure(seen), seen.winners)
    if len({game for game, _, _ in groups}) > 1:
        raise CrowntableError("These are matches of different games.", "Give those of one game.")
    if len({rules for _, rules, _ in groups}) > 1 and not mix:
        told = "; ".join(f"{rules[:8]}: {', '.join(names)}" for (_, rules, _), names in groups.items())
        raise CrowntableError(
            f"These matches were played by different rules ({told}).",
            "Give those of one ruleset, or say --mix to count them together.",
        )
    if not tally.matches:
        raise CrowntableError(
            "No match is left to be measured.", "Give other matches, or leave less out with --without."
        )
    return {
        "game": next(iter(groups))[0],
        "players": sorted(players),
        "rulesets": sorted({rules for _, rules, _ in groups}),
        "matches": tally.matches,
        "unfinished": tally.unfinished,
        "left_out": len(listed) - tally.matches,
        "without": list(without),
        "marked": {mark: sum(mark in entry["marks"] for entry in listed) for mark in MARKS},
        "records": listed,
        **summary(tally),
    }


def marks_of(seen: Seen) -> list[str]:
    """`corrected`: a person changed, entered or took back something; `doubtful`: see `Seen.doubts`."""
    return [mark for mark, there in zip(MARKS, (seen.corrected, seen.doubts), strict=True) if there]


def in_words(answer: Json) -> str:
    """The measures as text for a terminal."""
    lines = [
        f"{answer['matches']} matches of {answer['game']} measured, {answer['left_out']} left out; "
        f"{answer['marked']['corrected']} corrected by hand, {answer['marked']['doubtful']} doubtful"
    ]
    for entry in answer["records"]:
        for doubt in entry["doubts"]:
            lines.append(f"{entry['match']}: {doubt}")
    return "\n".join([*lines, *summary_in_words(answer)])
