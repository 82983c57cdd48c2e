"""What people said, as a section of the playtest report and of the lab's page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from engine.lab.show.words import Words
from host.entry import Json
from host.feedback import POINTS, Answer, answers
from host.feedback_report import clock, report
from host.records import rows_of

#: heading and safe HTML
Section = tuple[str, str]


def about(given: Iterable[Answer], rows: Sequence[Json]) -> Json:
    """The report (`host.feedback_report.report`) about the matches of these rows, and no others."""
    here = {(row["id"], row["started"]) for row in rows}
    return report([answer for answer in given if (answer.match, answer.started) in here], rows)


def section(told: Json, words: Words) -> Section | None:
    """A report in HTML: the means of each ruleset, then texts, named and flagged moments by match. None
    where nobody said anything and nothing was flagged."""
    if not told["matches"]:
        return None
    parts = [_means(group, words) for group in told["rules"]]
    parts += [_match(one, words) for one in told["matches"]]
    return words("paper.feedback"), "\n".join(parts)


def of_names(names: Iterable[str], folders: Sequence[Path], words: Words) -> tuple[Section, ...]:
    """The section about matches as the command line names them: `m12` of the first of these data folders that
    has it, or `FOLDER/m12`; of a record's file nobody has said anything. Raises CrowntableError where a
    journal or answers can't be read."""
    given, rows = list[Answer](), list[Json]()
    for name in names:
        where, _, ident = name.rpartition("/")
        if not re.fullmatch(r"m[0-9]{1,9}", ident, re.ASCII):
            continue
        for folder in [Path(where)] if where else folders:
            found = rows_of(folder, {ident})
            if found:
                rows += found
                given += answers(folder, ident)
                break
    made = section(about(given, rows), words)
    return () if made is None else (made,)


def _means(group: Json, words: Words) -> str:
    rules = {"name": group["ruleset"], "hash": group["ruleset_hash"][:8]}
    counted = words("said.counted", n=group["answers"], matches=group["matches"], **rules)
    points = [str(point) for point in range(1, POINTS + 1)]
    head = [words("said.question"), words("said.mean"), words("said.spread"), "n", *points]
    heads = "".join(f'<th scope="col">{escape(one)}</th>' for one in head)
    rows = "".join(_scale(name, one, words) for name, one in group["scales"].items())
    return (
        f'<p class="notes">{escape(counted)}</p>\n'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(words("said.question"))}">'
        f'<table class="data"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _scale(name: str, one: Json, words: Words) -> str:
    question = f"{words(f'said.{name}')}: {words(f'said.{name}_ends')}"
    mean, spread = (words.number(one[key], 2) if one[key] is not None else "–" for key in ("mean", "sd"))
    cells = [mean, spread, one["n"], *one["counts"]]
    return f'<tr><th scope="row">{escape(question)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _match(one: Json, words: Words) -> str:
    lines = [f"⚑ {clock(flag['clock'])} {escape(flag['text'])}" for flag in one["flags"]]
    lines += [told for told in (_answer(answer, words) for answer in one["answers"]) if told]
    if not lines:
        return ""
    return f"<h3>{escape(one['match'])}</h3><ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"


def _answer(answer: Json, words: Words) -> str:
    """What somebody wrote or pointed at; empty where they gave points alone."""
    where, parts = answer["moment"], list[str]()
    if answer["seat"] is not None and (where or answer["text"]):
        key = "said.seat" if answer["by_link"] else "said.seat_said"
        parts.append(escape(words(key, seat=answer["seat"])))
    if where:
        whole = f" ({words('said.whole')})" if where["kind"] == "duel" else ""
        parts.append(escape(f"{clock(where['clock'])} {where['text'] or words('said.unread')}{whole}"))
    text = "<br>".join(escape(line) for line in answer["text"].split("\n")) if answer["text"] else ""
    return " · ".join(parts) + (f"<blockquote>{text}</blockquote>" if text else "")
