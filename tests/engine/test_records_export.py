"""Records for people: the score sheet, the page, the table."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from engine.errors import CrowntableError
from engine.games import games
from engine.records.export import export
from engine.records.record import Line, Record, record_of
from tests.engine.record_makers import match_record
from tests.shared_data import SHARED


def rulebook_example() -> Record:
    """The worked example of the rules, as the shared cases have it, by name."""
    case = json.loads((SHARED / "cases/althera/duels.json").read_text("utf-8"))[0]
    setup = {**case["setup"][0], "players": [dict(p) for p in case["setup"][0]["players"]]}
    for player, name in zip(setup["players"], ("Ada", "Ben", "Cleo"), strict=True):
        player["name"] = name
    game = games()["althera"]
    actions = [setup, *case["setup"][1:], *(step["action"] for step in case["steps"])]
    return record_of(game, game.ruleset(None, case["ruleset"]), actions)


def test_a_line_a_play() -> None:
    text = export(rulebook_example(), "text")
    assert text.splitlines()[9:] == [
        "",
        "Setting up",
        "----------",
        " 1            Table  3 houses, 3 turns",
        "",
        "For the crown",
        "-------------",
        " 2            Ada    rolls 6",
        " 3            Ben    rolls 3",
        " 4            Cleo   rolls 1            the crown goes to Ada",
        "",
        "Turn 1 of 3",
        "-----------",
        "Crown: Ada. Cards: Ada 24, Ben 24, Cleo 24.",
        " 5            Ada    challenges Ben",
        " 6   Ada–Ben  Ada    Cavalry 15         opens                  15 Ada",
        " 7   Ada–Ben  Ben    Marksman 9         is absorbed            24 Ada",
        " 8   Ada–Ben  Ada    Commoners 2        adds                   26 Ada",
        " 9   Ada–Ben  Ben    Captain 37         takes the field        63 Ben",
        "10   Ada–Ben  Ada    Marksman 9         is absorbed            72 Ben",
        "11   Ada–Ben  Ben    stands",
        "    > Ada against Ben: Ben wins at 72; captures Cavalry, Commoners, Marksman.",
        "",
        "The match is not over.",
    ]


def test_anthem_shows_the_layout_after_each_lay() -> None:
    game = games()["anthem"]
    actions = [
        game.setup_action([1, 2, 3], names={1: "Ada"}),
        {"do": "lay", "seat": 1, "card": "s2/5", "place": 4},
        {"do": "lay", "seat": 3, "card": "s1/dead", "place": 1},
        {"do": "lay", "seat": 3, "card": "s1/2", "place": 1},
        {"do": "undo"},
        {"do": "claim", "seat": 1, "win": "hero", "shown": ["s1/4", "s3/dead"], "force": True},
    ]
    text = export(record_of(game, game.ruleset(), actions), "text")
    rows = text[text.index("Round 1") :].splitlines()
    assert rows[3:] == [
        "2   Ada     lays 5 at place 4      0 · · · 5 · · 9  3 of 8",
        "3   Seat 3  lays Dead at place 1   refused: A Dead can't be laid; it goes into the hand.",
        "4x  Seat 3  lays 2 at place 1      0 2 · · · · · 9  3 of 8 (taken back)",
        "   > Taken as kept before it: Seat 2.",
        "",
        "Round 2",
        "-------",
        "Cards in hand: Ada 8, Seat 2 9, Seat 3 8.",
        "5   Table   takes back 4",
        "",
        "Round 1",
        "-------",
        "Cards in hand: Ada 9, Seat 2 9, Seat 3 8.",
        "6   Ada     claims the hero's win  shows 4 Dead [Allowed by the table. Ada has 5 places still free. "
        "Ada holds a Dead. This can't be Ada's whole hand: 2 cards were shown and it has 9.]",
        "",
        "Ada wins.",
    ]


@pytest.mark.parametrize("game", ["althera", "anthem"])
def test_every_action_has_its_line_and_its_row(game: str) -> None:
    record = match_record(game)
    text = export(record, "text")
    for n in range(1, len(record.lines) + 1):
        assert sum(line.lstrip().startswith((f"{n} ", f"{n}x ")) for line in text.splitlines()) == 1
    table = list(csv.DictReader(io.StringIO(export(record, "csv"))))
    assert [row["n"] for row in table] == [str(n) for n in range(1, len(record.lines) + 1)]
    assert [row["ok"] == "yes" for row in table] == [line.ok for line in record.lines]
    undone = [row for row in table if row["undone"]]
    assert len(undone) == sum(line.action["do"] == "undo" and line.ok for line in record.lines)


def test_what_the_record_does_not_carry_is_left_out() -> None:
    record = match_record("anthem")
    bare = replace(
        record,
        header=replace(record.header, match=None, started=None, program=None),
        lines=tuple(Line(line.action, line.ok, line.codes) for line in record.lines),
    )
    for to in ("text", "html"):
        assert "Played" in export(record, to) and "friday-1" in export(record, to)
        assert "Played" not in export(bare, to) and "0:00" not in export(bare, to)
    columns = export(bare, "csv").splitlines()[0].split(",")
    assert not {"time", "seq", "wall", "mono", "by", "edited", "evidence"} & set(columns)
    assert {"time", "seq", "wall", "by", "edited", "evidence"} <= set(
        export(record, "csv").split("\n")[0].split(",")
    )


def test_a_cell_is_no_formula() -> None:
    cells = [cell for row in csv.reader(io.StringIO(export(match_record("althera"), "csv"))) for cell in row]
    assert any(cell == "'=SUM(A1)" for cell in cells)
    assert not any(len(cell) > 1 and cell[0] in "=+-@" for cell in cells)


class Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        assert self.open == [], "tags left open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for key, value in attrs if key in ("src", "href")]
        if tag not in ("meta", "col", "link", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("game", ["althera", "anthem"])
def test_the_page_stands_for_itself(game: str) -> None:
    record = match_record(game)
    html = export(record, "html")
    page = Page(html)
    assert not {"script", "b", "link", "img", "iframe"} & set(page.tags) - {"b"}
    assert page.links == [] and "url(" not in html and "@import" not in html and "http" not in html
    assert page.tags.count("tr") >= len(record.lines)
    assert "Zoë <b>&</b>" in page.text  # a name is text, never markup
    assert page.tags.count("b") == len(record.header.seats)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(CrowntableError, match="no export to 'pdf'"):
        export(match_record("anthem"), "pdf")
