"""The playtest report: one HTML page that stands for itself, made for print; its figures are SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from engine.game import Json
from engine.lab.show.chart import Chart, table
from engine.lab.show.names import measure_name
from engine.lab.show.people import Match, People
from engine.lab.show.picture import svg
from engine.lab.show.words import Words

_STYLE = """
:root { --ink: #2a1d2e; --faint: #5f4e58; --rule: #ddd0b4; --gold: #7b540b; }
* { box-sizing: border-box; }
body { margin: 0; background: #fffdf7; color: var(--ink);
  font: 16px/1.45 Palatino, "Palatino Linotype", "URW Palladio L", Georgia, serif; }
main { max-width: 56rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
h1 { font-size: 2.1rem; margin: 0 0 .3rem; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .3rem; color: var(--gold); }
.made, .notes { color: var(--faint); }
.notes { font-size: .85rem; margin: .2rem 0 .6rem; overflow-wrap: anywhere; }
.answer { font-size: 1.15rem; margin: 0 0 .6rem; }
section { break-inside: avoid; }
section.long { break-inside: auto; }
svg { display: block; width: 100%; height: auto; max-height: 24cm; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums lining-nums; }
th, td { text-align: left; padding: .18rem .9rem .18rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; overflow-wrap: anywhere; }
th { font-weight: 400; }
thead th { color: var(--faint); }
summary { cursor: pointer; color: var(--faint); }
h3 { font-size: 1rem; margin: .8rem 0 .2rem; }
ul { margin: 0; padding-left: 1.1rem; }
li { break-inside: avoid; }
blockquote { margin: .1rem 0 .5rem; padding-left: .7rem; border-left: 3px solid var(--rule);
  overflow-wrap: anywhere; }
@media print {
  @page { margin: 15mm; }
  body { background: none; font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  tr { break-inside: avoid; }
  details:not([open]) { display: none; }
  svg { print-color-adjust: exact; }
}
"""


#: Where no match of people is asked about.
NOBODY = People()


@dataclass(frozen=True, slots=True)
class Paper:
    """What a report is made of. `result` is a run's, None where there is only a comparison; `files` are the
    names of what it was made from, `made` its date; `more` are further sections, (heading, safe HTML)."""

    game: str
    made: str
    files: tuple[str, ...]
    charts: Sequence[Chart]
    result: Json | None = None
    matches: Sequence[Match] = ()
    people: People = NOBODY
    more: Sequence[tuple[str, str]] = ()


def page(paper: Paper, words: Words) -> str:
    """The whole page. Everything that comes from files and records is escaped."""
    title = words("paper.title", game=paper.game.capitalize())
    made = words("paper.made", date=paper.made, files=", ".join(paper.files))
    return "".join(
        [
            f'<!doctype html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n",
            f'<h1>{escape(title)}</h1>\n<p class="made">{escape(made)}</p>\n',
            *(_section(chart, words) for chart in paper.charts),
            *(f"<section>\n<h2>{escape(heading)}</h2>\n{body}\n</section>\n" for heading, body in paper.more),
            _people(paper, words) if paper.matches else "",
            _measures(paper.result, words) if paper.result is not None else "",
            f"<section>\n<h2>{escape(words('paper.caution'))}</h2>\n",
            f"<p>{escape(words('paper.caution_text'))}</p>\n</section>\n</main>\n</body>\n</html>\n",
        ]
    )


def _section(chart: Chart, words: Words) -> str:
    head, rows = table(chart, words.columns())
    return (
        f'<section id="{escape(chart.id)}">\n<h2>{escape(chart.title)}</h2>\n'
        f'<p class="answer">{escape(chart.answer)}</p>\n{svg(chart, caption=False)}'
        f'<p class="notes">{escape(" · ".join(chart.notes))}</p>\n'
        f"<details><summary>{escape(words('paper.table'))}</summary>{_table(head, rows)}</details>\n"
        "</section>\n"
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    heads = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>\n"
        for row in rows
    )
    return (
        f'<div class="scroll"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody></table></div>'
    )


def _people(paper: Paper, words: Words) -> str:
    rows = [
        (match.name, marks_in_words(match, words), counted_in_words(match, paper.people, words))
        for match in paper.matches
    ]
    head = [words(f"paper.{key}") for key in ("match", "marks", "counted")]
    return _long(words("paper.people"), _table(head, rows))


def _long(heading: str, body: str) -> str:
    """A section that may go over several sheets."""
    return f'<section class="long">\n<h2>{escape(heading)}</h2>\n{body}\n</section>\n'


def marks_in_words(match: Match, words: Words) -> str:
    """What speaks against trusting a match whole; empty where nothing does."""
    said = []
    if match.corrections:
        said.append(words("paper.corrected", n=match.corrections))
    if match.doubts:
        said.append(words("paper.doubtful", why="; ".join(match.doubts)))
    return "; ".join(said)


def counted_in_words(match: Match, people: People, words: Words) -> str:
    """Whether it was counted, and why not."""
    why = people.why.get(match.name)
    return words("paper.yes") if why is None else words("paper.no", why=words(f"why.{why}"))


def _measures(result: Json, words: Words) -> str:
    rows = []
    for row in result["measures"]:
        value, low, high = (_amount(row, key, words) for key in ("value", "low", "high"))
        rows.append((measure_name(row, words), words.number(row["n"], 0), value, f"{low} – {high}"))
    head = [words(f"paper.{key}") for key in ("measure", "of", "value", "interval")]
    return _long(words("paper.measures"), _table(head, rows))


def _amount(row: Json, key: str, words: Words) -> str:
    value = row[key]
    if row["unit"] == "share":
        return f"{words.number(100 * value, 1)} %"
    if row["unit"] == "permille":
        return f"{words.number(value / 10, 1)} %"
    if row["unit"] == "seconds":
        return f"{words.number(value / 60, 1)} min"
    return words.number(value, 2)
