"""A score sheet as one HTML page that stands for itself: no script, nothing loaded, made for print."""

from __future__ import annotations

from html import escape

from engine.records.sheets import Player, Row, Section, Sheet

_STYLE = """
:root { --ink: #1d1b18; --faint: #6f6a62; --rule: #d9d3c7; --paper: #fbf9f4; --band: #f1ece1;
  --bad: #a3261b; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.45 "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif; }
main { max-width: 58rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
h1 { font-size: 2.1rem; font-weight: 600; margin: 0 0 .3rem; letter-spacing: .01em; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .2rem; padding-bottom: .25rem;
  border-bottom: 2px solid var(--ink); }
.facts { color: var(--faint); margin: 0 0 1.4rem; }
.facts span + span::before { content: "\\00b7"; margin: 0 .55em; }
.players { display: flex; flex-wrap: wrap; gap: .6rem; padding: 0; margin: 0 0 1.4rem; list-style: none; }
.players li { border: 1px solid var(--rule); border-left: .5rem solid var(--seat, var(--rule));
  background: #fff; padding: .45rem .9rem .45rem .7rem; border-radius: 3px; min-width: 9rem; }
.players b { display: block; }
.players small, .stand { color: var(--faint); }
.outcome { background: var(--ink); color: var(--paper); padding: .7rem 1rem; border-radius: 3px;
  font-size: 1.1rem; }
.torn { color: var(--bad); }
.stand { margin: .3rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; font-variant-numeric: tabular-nums; }
td { padding: .22rem .6rem .22rem 0; vertical-align: top; border-bottom: 1px solid var(--rule); }
col.n { width: 2.9rem; } col.time { width: 3.6rem; } col.where { width: 9rem; } col.who { width: 8rem; }
col.effect { width: 12.5rem; } col.result { width: 10.5rem; }
td { overflow-wrap: anywhere; }
td.n { color: var(--faint); text-align: right; }
td.time, td.where { color: var(--faint); }
td.who { font-weight: 600; }
td.who::before { content: ""; display: inline-block; width: .6em; height: .6em; border-radius: 50%;
  margin-right: .45em; background: var(--seat, transparent); }
.bar { display: block; height: .34rem; margin-top: .18rem; border-radius: 2px;
  background: var(--owner, var(--faint)); }
tr.note td { border-bottom: 2px solid var(--ink); background: var(--band); padding: .4rem .6rem; }
tr.undone td { color: var(--faint); text-decoration: line-through; }
tr.refused td { color: var(--bad); }
.remark { display: block; color: var(--faint); font-size: .88em; }
tr.refused .remark { color: var(--bad); }
footer { margin-top: 2.5rem; color: var(--faint); font-size: .85em; }
@media print {
  @page { margin: 14mm; }
  body { background: none; font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  h2 { break-after: avoid; }
  tr, .players li { break-inside: avoid; }
  .bar, .outcome, tr.note td, .players li, td.who::before { print-color-adjust: exact; }
}
"""


def page(sheet: Sheet) -> str:
    """The whole page. All that came from the record is escaped."""
    facts = "".join(f"<span>{escape(label)} {escape(value)}</span>" for label, value in sheet.facts)
    colours = {p.seat: p.colour for p in sheet.players if p.colour}
    columns = _columns(sheet)
    highest = max((r.words.value or 0 for s in sheet.sections for r in s.rows), default=0)
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{escape(_title(sheet))}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n",
            f'<h1>{escape(sheet.title)}</h1>\n<p class="facts">{facts}</p>\n',
            f'<ul class="players">{"".join(map(_player, sheet.players))}</ul>\n',
            f'<p class="outcome">{escape(sheet.outcome or "The match is not over.")}</p>\n',
            f'<p class="torn">{escape(sheet.torn)}</p>\n' if sheet.torn else "",
            "".join(_section(section, colours, highest, columns) for section in sheet.sections),
            "<footer>Crowntable score sheet</footer>\n</main>\n</body>\n</html>\n",
        ]
    )


def _title(sheet: Sheet) -> str:
    return f"{sheet.title}: {', '.join(p.name for p in sheet.players)}"


def _player(player: Player) -> str:
    style = f' style="--seat: {escape(player.colour)}"' if player.colour else ""
    side = f"<small>{escape(player.side)}</small>" if player.side else f"<small>Seat {player.seat}</small>"
    return f"<li{style}><b>{escape(player.name)}</b>{side}</li>"


def _section(section: Section, colours: dict[int, str], highest: int, columns: tuple[str, ...]) -> str:
    rows = "".join(_row(row, colours, highest, columns) for row in section.rows)
    stand = f'<p class="stand">{escape(section.stand)}</p>\n' if section.stand else ""
    cols = "".join(f'<col class="{name}">' for name in columns)
    return f"<h2>{escape(section.title)}</h2>\n{stand}<table>\n<colgroup>{cols}</colgroup>\n{rows}</table>\n"


def _columns(sheet: Sheet) -> tuple[str, ...]:
    """The columns that the record has something for."""
    rows = [row for section in sheet.sections for row in section.rows]
    times = any(row.time for row in rows)
    places = any(row.words.where for row in rows)
    return ("n", *(["time"] * times), *(["where"] * places), "who", "what", "effect", "result")


def _row(row: Row, colours: dict[int, str], highest: int, columns: tuple[str, ...]) -> str:
    words = row.words
    if row.kind == "note":
        return f'<tr class="note"><td colspan="{len(columns)}">{escape(words.what)}</td></tr>\n'
    kind = "refused" if row.kind == "refused" else "undone" if row.undone else ""
    colour = colours.get(row.seat or 0)
    style = f' style="--seat: {escape(colour)}"' if colour else ""
    said = "".join(f'<span class="remark">{escape(remark)}</span>' for remark in row.remarks)
    refused = "refused: " if row.kind == "refused" else ""
    cells = {
        "n": f'<td class="n">{row.n}</td>',
        "time": f'<td class="time">{escape(row.time)}</td>',
        "where": f'<td class="where">{escape(words.where)}</td>',
        "who": f'<td class="who"{style}>{escape(row.who)}</td>',
        "what": f"<td>{refused}{escape(words.what)}{said}</td>",
        "effect": f"<td>{escape(words.effect)}</td>",
        "result": f"<td>{escape(words.result)}{_bar(row, colours, highest)}</td>",
    }
    kind = f' class="{kind}"' if kind else ""
    return f"<tr{kind}>{''.join(cells[name] for name in columns)}</tr>\n"


def _bar(row: Row, colours: dict[int, str], highest: int) -> str:
    """The result as a length, the longest of the match being the full width."""
    value = row.words.value
    if not value or not highest:
        return ""
    colour = colours.get(row.words.owner or 0)
    owner = f"; --owner: {escape(colour)}" if colour else ""
    return f'<span class="bar" style="width: {100 * value / highest:.0f}%{owner}"></span>'
