"""The records' pages as the server gives them out: who finds what, what is taken away, what is damaged."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from engine.records.files import parse
from engine.records.replay import replay
from host.table import LiveTable
from tests.host.long_matches import legal_walk, written
from tests.web.clients import LOCAL, Visitor, visitor
from tests.web.tables import EXAMPLE, OPERATOR, REST, live_table, new_match, play

Json = dict[str, Any]


@pytest.fixture(name="table")
def _table(tmp_path: Path) -> Iterator[LiveTable]:
    """m1: a whole match of two in the past; m2: the rulebook's example, corrected once, forced once."""
    written(tmp_path, "althera", [legal_walk("althera", 2, 7)])
    with live_table(tmp_path) as table:
        table.command(new_match(), OPERATOR)
        play(table, *EXAMPLE)
        table.command({"cmd": "undo"}, OPERATOR)
        play(table, EXAMPLE[-1], *REST, {"do": "declare", "seat": 2, "against": 3})
        play(table, {"do": "play", "seat": 3, "card": "celeste/cavalry/1", "force": True})
        table.matches()  # all read
        yield table


@pytest.fixture(name="guest")
def _guest(table: LiveTable, tmp_path: Path) -> Visitor:
    return visitor(table, tmp_path)


def listed(guest: Visitor, query: str = "") -> list[str]:
    """The ids in the list that a query leads to."""
    answer = guest.get(f"/matches{query}")
    assert answer.status_code == 200
    text = answer.get_data(as_text=True)
    return [part.split('"')[0] for part in text.split('<h2><a href="/matches/')[1:]]


def test_the_list_has_every_match_newest_first_with_its_marks(guest: Visitor, table: LiveTable) -> None:
    assert listed(guest) == ["m2", "m1"]
    new, old = guest.get("/matches").get_data(as_text=True).split("match-row")[1:]
    assert "not ended" in new and "corrected: 1" in new and "doubtful: 1" in new
    assert "corrected" not in old and "doubtful" not in old and "not ended" not in old
    row = table.matches()[1]
    begun = datetime.fromtimestamp(row["started"]).strftime("%Y-%m-%d %H:%M")
    assert begun in old and f"{row['plays']} cards laid" in old and "turn 3 of 3" in old
    assert [name for name in ("Ada", "Bruno") if name in old] == ["Ada", "Bruno"]
    assert old.count('class="tag gold"') == len(row["winners"])


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=chiara", ["m2"]),
        ("?q=ADA+cremisi", ["m2", "m1"]),
        ("?q=m1", ["m1"]),
        ("?q=nobody", []),
        ("?game=althera", ["m2", "m1"]),
        ("?game=anthem", []),
        ("?mark=corrected", ["m2"]),
        ("?mark=doubtful&q=ada", ["m2"]),
        ("?mark=nonsense", ["m2", "m1"]),
        ("?p=99", ["m2", "m1"]),
        ("?p=x&q=" + "a" * 500, []),
        ("?q=2023-11-14", ["m1"]),
    ],
)
def test_what_is_looked_for_is_found(guest: Visitor, query: str, found: list[str]) -> None:
    assert listed(guest, query) == found


def test_a_table_without_matches_says_so(tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        text = visitor(table, tmp_path).get("/matches").get_data(as_text=True)
        assert "No match has been played here yet." in text


def test_a_long_list_is_turned_page_by_page(tmp_path: Path) -> None:
    written(tmp_path, "althera", [legal_walk("althera", 2, 1, most=3)] * 60)
    with live_table(tmp_path) as table:
        table.matches(60.0)
        guest = visitor(table, tmp_path)
        pages = [listed(guest, f"?p={n}") for n in (1, 2, 3)]
    assert [*pages[0], *pages[1], *pages[2]] == [f"m{n}" for n in range(60, 0, -1)]
    assert [len(page) for page in pages] == [25, 25, 10]


def test_the_steps_and_views_that_a_page_fetches(guest: Visitor, table: LiveTable) -> None:
    answer = guest.get("/api/v1/matches/m1").json
    assert answer is not None and answer["ready"]
    total = len(answer["steps"])
    assert total == answer["entries"]
    views: list[Json] = []
    while len(views) < total:
        part = guest.get(f"/api/v1/matches/m1/views?first={len(views) + 1}&count=1000").json
        assert part is not None and 0 < len(part["views"]) <= 60
        views += part["views"]
    assert [view["version"] for view in views] == [step["n"] for step in answer["steps"]]
    for view, step in zip(views, answer["steps"], strict=True):
        assert {str(s["seat"]): s["cards"] for s in view["game"]["seats"]} == step["cards"]
        assert view["events"] == []
    assert views[-1]["game"]["winners"] == answer["winners"]
    assert guest.get(f"/api/v1/matches/m1/views?first={total + 1}").json == {
        "ready": True, "first": total + 1, "views": [],
    }  # fmt: skip


def test_answers_are_packed_for_those_who_take_it(guest: Visitor) -> None:
    plain = guest.get("/api/v1/matches/m1")
    packed = guest.client.get("/api/v1/matches/m1", headers={"Accept-Encoding": "gzip"}, environ_base=LOCAL)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.data) < len(plain.data) / 4


@pytest.mark.parametrize("name", ["m3", "m0", "x", "m1x", "m" + "9" * 30, "%2e%2e%2fjournal", "m1%20OR%201"])
def test_a_match_that_is_not_there_is_a_sentence(guest: Visitor, name: str) -> None:
    for path in (f"/matches/{name}", f"/matches/{name}/sheet", f"/matches/{name}/record.csv"):
        answer = guest.get(path)
        assert answer.status_code == 404
        assert "Crowntable" in answer.get_data(as_text=True)
    for path in (f"/api/v1/matches/{name}", f"/api/v1/matches/{name}/views"):
        answer = guest.get(path)
        assert answer.status_code == 404
        assert answer.json is not None and answer.json["text"]
    assert guest.get("/matches/m1/record.exe").status_code == 404
    for bad in ("first=-1", "first=x", "count=1e3", "first=" + "1" * 20):
        assert guest.get(f"/api/v1/matches/m1/views?{bad}").status_code == 400


def test_the_record_is_taken_away_in_every_form(guest: Visitor, table: LiveTable) -> None:
    files = {end: guest.get(f"/matches/m2/record.{end}") for end in ("jsonl", "csv", "txt", "html")}
    for end, answer in files.items():
        assert answer.status_code == 200
        assert answer.headers["Content-Disposition"] == f'attachment; filename="crowntable-m2.{end}"'
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    record = parse(files["jsonl"].data)
    assert replay(record).difference is None
    assert record.header.match == "m2"
    rows = list(csv.DictReader(io.StringIO(files["csv"].get_data(as_text=True))))
    assert len(rows) == len(record.lines) == len(guest.get("/api/v1/matches/m2").json["steps"])  # type: ignore[index]
    assert "Bruno" in files["txt"].get_data(as_text=True)
    assert files["html"].get_data(as_text=True).startswith("<!doctype html>")


def test_the_score_sheet_has_a_row_for_every_action(guest: Visitor, table: LiveTable) -> None:
    page = guest.get("/matches/m2/sheet").get_data(as_text=True)
    lines = len(parse((table.export("m2", "jsonl") or "").encode()).lines)
    assert [f'<td class="n">{n}</td>' in page for n in range(1, lines + 1)] == [True] * lines
    assert f'<td class="n">{lines + 1}</td>' not in page
    assert "Captain 37" in page and "style=" not in page and "<style" not in page


def test_names_can_not_carry_markup_into_the_pages(tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        command = new_match()
        command["seats"][0]["name"] = "<img src=x onerror=alert(1)>"
        table.command(command, OPERATOR)
        table.matches()
        guest = visitor(table, tmp_path)
        for path in ("/matches", "/matches?q=<script>", "/matches/m1", "/matches/m1/sheet"):
            text = guest.get(path).get_data(as_text=True)
            assert "<img src=x" not in text and "<script>" not in text


def test_a_damaged_record_is_said_and_the_rest_of_the_list_stands(tmp_path: Path) -> None:
    walk = legal_walk("althera", 2, 1, most=9)
    written(tmp_path, "althera", [walk, [*walk, *[{"do": "crown", "seat": n % 2 + 1} for n in range(130)]]])
    with sqlite3.connect(tmp_path / "journal.sqlite") as db:
        db.execute("UPDATE entries SET action = '{\"do' WHERE seq = 8")
    with live_table(tmp_path) as table:
        table.matches(60.0)
        guest = visitor(table, tmp_path)
        said = "The record is damaged after entry 7; it is shown up to there."
        assert said in guest.get("/matches").get_data(as_text=True)
        assert listed(guest) == ["m2", "m1"]
        assert listed(guest, "?mark=doubtful") == ["m1"]
        answer = guest.get("/api/v1/matches/m1").json
        assert answer is not None and (answer["trouble"], len(answer["steps"])) == (said, 5)
        taken = guest.get("/matches/m1/record.csv")
        assert taken.status_code == 422
        assert "is damaged and can" in taken.get_data(as_text=True)
        assert guest.get("/matches/m2/record.csv").status_code == 200


def test_a_journal_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        guest = visitor(table, tmp_path)
        for file in list(tmp_path.glob("journal.sqlite*")):
            file.rename(tmp_path / f"lost-{file.name}")
        (tmp_path / "journal.sqlite").write_bytes(b"no journal at all" * 400)
        assert "can&#39;t be read" in guest.get("/matches").get_data(as_text=True)
        for path in ("/matches/m1", "/api/v1/matches/m1", "/matches/m1/record.csv", "/matches/m1/sheet"):
            assert guest.get(path).status_code == 422, path
        assert json.loads(guest.get("/api/v1/matches/m1").data)["text"].startswith("The journal")
