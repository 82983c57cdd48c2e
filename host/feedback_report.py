"""What the answers about a table's matches come to: means with number and spread, texts, moments and flags;
for the operator's page, the command line and other programs."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, stdev
from typing import Final

from host.entry import Json
from host.feedback import FORM, POINTS, SCALES, Answer, read

_COLUMNS: Final = (
    "match", "match_started", "game", "ruleset", "ruleset_hash", "answer", "given", "form", "language",
    "seat", "seat_by_link", *SCALES, "moment", "moment_action", "moment_clock", "moment_text", "text",
)  # fmt: skip


def report(given: Iterable[Answer], rows: Iterable[Json], broken: int = 0) -> Json:
    """The report: `{"form", "answers", "damaged": files, "rules": [{"game", "ruleset", "ruleset_hash",
    "form", "matches", "answers", "scales"}], "matches": [{"match", "here", "started", "game", "ruleset",
    "ruleset_hash", "seats", "seconds", "flags", "scales", "answers"}]}`, newest match first.

    `scales`: name -> `{"n", "mean", "sd" (sample; None under two), "counts": how often each point}`; only of
    answers to one ruleset and one form together. `rows` are those of Table.matches; a match is `here` where
    one of them is it, and stands in the report where it has answers or flags."""
    every = list(given)
    known = {(row["id"], row["started"]): row for row in rows}
    about: dict[tuple[str, float], list[Answer]] = {key: [] for key, row in known.items() if row.get("flags")}
    for answer in every:
        about.setdefault((answer.match, answer.started), []).append(answer)
    matches = [_match(key, said, known.get(key)) for key, said in about.items()]
    groups: dict[tuple[str, str, str, int], list[Answer]] = {}
    for answer in every:
        groups.setdefault((answer.game, answer.ruleset_hash, answer.ruleset, answer.form), []).append(answer)
    return {
        "form": FORM,
        "answers": len(every),
        "damaged": broken,
        "rules": [_rules(key, said) for key, said in groups.items()],
        "matches": sorted(matches, key=lambda one: (-one["started"], one["match"])),
    }


def _rules(key: tuple[str, str, str, int], said: Sequence[Answer]) -> Json:
    game, digest, name, form = key
    played = len({(answer.match, answer.started) for answer in said})
    about: Json = {"game": game, "ruleset": name, "ruleset_hash": digest, "form": form}
    return {**about, "matches": played, "answers": len(said), "scales": scales_of(said)}


def _match(key: tuple[str, float], said: Sequence[Answer], row: Json | None) -> Json:
    at = row or {}
    first = said[0] if said else None
    return {
        "match": key[0],
        "here": row is not None,
        "started": key[1],
        **{name: getattr(first, name, at.get(name, "")) for name in ("game", "ruleset", "ruleset_hash")},
        "seats": at.get("seats", []),
        "seconds": at.get("seconds"),
        "flags": at.get("flags", []),
        "scales": scales_of(said),
        "answers": [answer_row(answer) for answer in said],
    }


def scales_of(said: Iterable[Answer]) -> Json:
    """Each scale's number, mean, sample standard deviation and counts over these answers."""
    every = list(said)
    return {name: _spread([a.said.scales[name] for a in every if name in a.said.scales]) for name in SCALES}


def _spread(points: Sequence[int]) -> Json:
    counted = Counter(points)
    return {
        "n": len(points),
        "mean": round(mean(points), 2) if points else None,
        "sd": round(stdev(points), 2) if len(points) > 1 else None,
        "counts": [counted[point] for point in range(1, POINTS + 1)],
    }


def answer_row(answer: Answer) -> Json:
    """One answer as JSON."""
    told, where = answer.said, answer.said.moment
    return {
        "id": answer.id,
        "at": answer.at,
        "form": answer.form,
        "language": told.language,
        "seat": told.seat,
        "by_link": told.by_link,
        "scales": {name: told.scales.get(name) for name in SCALES},
        "text": told.text,
        "moment": where and asdict(where),
    }


def folder_report(folder: Path, match: str | None = None) -> Json:
    """The report of a data folder, read beside a running table. Raises CrowntableError where the answers or
    the journal can't be read."""
    from host.records import rows_of

    said, broken = read(folder, match)
    wanted = {answer.match for answer in said} | ({match} if match else set())
    return report(said, rows_of(folder, wanted, every_flag=match is None), len(broken))


def as_csv(given: Iterable[Answer]) -> str:
    """The answers as a table for other programs, a row each, times in UTC. What people wrote, where a
    spreadsheet would take it for a formula, begins with an apostrophe."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(_COLUMNS)
    for answer in given:
        told, where = answer.said, answer.said.moment
        moment = (where.kind, where.n or "", where.clock, _plain(where.text)) if where else ("", "", "", "")
        table.writerow(
            (
                answer.match, _iso(answer.started), answer.game, _plain(answer.ruleset), answer.ruleset_hash,
                answer.id, _iso(answer.at), answer.form, told.language,
                told.seat if told.seat is not None else "", int(told.by_link),
                *(told.scales.get(name, "") for name in SCALES), *moment, _plain(told.text),
            )
        )  # fmt: skip
    return out.getvalue()


def _plain(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def in_words(told: Json) -> str:
    """The report as text for a terminal."""
    if not told["matches"]:
        return "Nobody has said anything about a match of this table yet, and no moment was flagged."
    lines = []
    for group in told["rules"]:
        lines.append(
            f"{group['game']}, rules {group['ruleset']} ({group['ruleset_hash'][:8]}): "
            f"answers: {group['answers']}, about matches: {group['matches']}"
        )
        lines += [f"  {line}" for line in _scales(group["scales"])]
    for one in told["matches"]:
        lines += _match_lines(one)
    if told["damaged"]:
        lines.append(f"Damaged files, not counted: {told['damaged']}.")
    return "\n".join(lines)


def _scales(scales: Json) -> list[str]:
    best = {name: "3 is best" if name == "length" else "5 is best" for name in scales}
    return [
        f"{name:8} mean {one['mean']:.2f}, sd {'-' if one['sd'] is None else format(one['sd'], '.2f')}, "
        f"n {one['n']}, points 1 to 5: {' '.join(map(str, one['counts']))} ({best[name]})"
        for name, one in scales.items()
        if one["n"]
    ]


def _match_lines(one: Json) -> list[str]:
    names = {seat.get("seat"): seat.get("name") or f"seat {seat.get('seat')}" for seat in one["seats"]}
    day = datetime.fromtimestamp(one["started"]).strftime("%Y-%m-%d %H:%M")
    lines = [f"{one['match']}, {day}: answers: {len(one['answers'])}, flags: {len(one['flags'])}"]
    for flag in one["flags"]:
        lines.append(f"  flag at {clock(flag['clock'])}, after action {flag['n']}: {flag['text']}")
    for answer in one["answers"]:
        seat = answer["seat"]
        sure = "" if answer["by_link"] else " (as said)"
        who = "no seat named" if seat is None else f"{names.get(seat, f'seat {seat}')}{sure}"
        points = " ".join(f"{name} {point}" for name, point in answer["scales"].items() if point)
        lines.append(f"  {answer['id']} {who}: {points or 'no scale'}")
        if answer["moment"]:
            where = answer["moment"]
            what = where["text"] or "action not read"
            lines.append(f"    {where['kind']} at {clock(where['clock'])}: {what}")
        lines += [f"    | {line}" for line in answer["text"].split("\n") if line]
    return lines


def clock(seconds: float) -> str:
    """Seconds of a match as minutes and seconds.

    >>> clock(169.9)
    '2:49'
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
