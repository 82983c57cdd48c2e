"""The hall's pages: who may what, what is sent, and that everybody can read them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser

from engine.errors import CrowntableError
from host.face import Table
from host.hall.board import Board
from host.hall.collector import Figures
from host.hall.day import plan, read_schedule, standings
from host.hall.store import Event, Played, Store, sqlite_url
from tests.web.browser import Visit, texts
from tests.web.clients import boot_of
from tests.web.tables import EXAMPLE, OPERATOR, SPECTATOR, live_table, new_match, play
from web.cookies import OPERATOR as SESSION
from web.hall.pages import Hall, hall_pages
from web.security import Guard
from web.server import Server, serve
from web.spoken import sentence

Json = dict[str, Any]
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


class Quiet:
    """A collector that has nothing to say."""

    broker_trouble = ""
    store_trouble = ""
    figures = Figures()


def judge_call(seq: int) -> Event:
    entry = {
        "seq": seq, "kind": "judge", "at": time.time(), "mono": 1.0, "boot": "b", "match": 0, "ok": None,
        "who": {"kind": "seat", "id": "2"}, "action": None, "findings": [],
        "text": "Bruno asks for a judge.", "body": {},
    }  # fmt: skip
    return Event("t1", "j", seq - 1, entry)


@pytest.fixture(name="view", scope="module")
def _view(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """What a table with the rulebook's example on it publishes."""
    with live_table(tmp_path_factory.mktemp("table")) as table:
        assert table.command(new_match(), OPERATOR).ok
        play(table, *EXAMPLE)
        return cast(Json, json.loads(json.dumps(table.view(SPECTATOR))))


@pytest.fixture(name="hall")
def _hall(tmp_path: Path, view: Json) -> Iterator[Hall]:
    """Three tables: one plays and calls for a judge, one is gone, one has no match yet."""
    board = Board("Great hall")
    store = Store(sqlite_url(tmp_path))
    store.add([judge_call(5)], {("t1", "j"): 4})
    for number in (1, 2, 3):
        board.hear(f"t{number}", "health", {"state": "here", "label": f"Table {number}", "journal": "j"})
    board.hear("t1", "view", view)
    board.hear("t2", "view", {**view, "game": {**view["game"], "duels": []}})
    board.hear("t2", "health", {"state": "gone"})
    board.calls(store.calls())
    schedule = tmp_path / "day.csv"
    schedule.write_text("start,table,title,players\n10:00,t1,Round 1,Ada; Bruno\n", encoding="utf-8")
    yield Hall(board, store, cast(Any, Quiet()), schedule)
    store.close()


class Browsing:
    """A browser without scripts: cookies kept, the CSRF token taken from the page."""

    def __init__(self, hall: Hall, data: Path) -> None:
        self.guard = Guard.open(data)
        app = hall_pages(hall)(cast(Table, hall.board), self.guard, host="127.0.0.1", port=8080)
        self.client = app.test_client()
        self.csrf = ""

    def get(self, path: str, **headers: str) -> Any:
        answer = self.client.get(path, headers=headers)
        boot = boot_of(answer)
        self.csrf = boot["csrf"] if boot else self.csrf
        return answer

    def attend(self, body: Json, **headers: str) -> Any:
        return self.client.post("/api/v1/attend", json=body, headers={"X-CSRF-Token": self.csrf, **headers})


@pytest.fixture(name="browsing")
def _browsing(hall: Hall, tmp_path: Path) -> Browsing:
    made = Browsing(hall, tmp_path)
    made.get("/")
    return made


CALL = {"table": "t1", "journal": "j", "seq": 5}


# -- who may what


@pytest.mark.parametrize("path", ["/", "/screen", "/day", "/operator", "/api/v1/view", "/api/v1/day",
                                  "/api/v1/records", "/api/v1/tables/t1", "/health"])  # fmt: skip
def test_given_any_page_then_it_comes_with_our_headers_and_only_by_our_name(
    browsing: Browsing, path: str
) -> None:
    answer = browsing.get(path)
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "<script>" not in answer.get_data(as_text=True)
    assert browsing.get(path, Host="hall.evil.example").status_code == 421


def test_given_a_call_then_only_the_staff_may_answer_it(browsing: Browsing, hall: Hall) -> None:
    assert browsing.attend(CALL).status_code == 401
    browsing.client.set_cookie(SESSION, browsing.guard.new_session())
    assert browsing.attend(CALL, **{"X-CSRF-Token": "wrong"}).status_code == 403
    assert browsing.attend(CALL, Origin="http://evil.example").status_code == 403
    assert hall.store.calls()
    answer = browsing.attend(CALL)
    assert answer.json == {"ok": True, "text": "Noted: somebody is going."}
    assert hall.store.calls() == []


@pytest.mark.parametrize("body", [{}, {"table": "../x", "journal": "j", "seq": 1}, [], "x",
                                  {"table": "t1", "journal": "j", "seq": "5"}])  # fmt: skip
def test_given_a_call_that_is_none_then_it_is_refused_in_words(browsing: Browsing, body: Any) -> None:
    browsing.client.set_cookie(SESSION, browsing.guard.new_session())
    answer = browsing.attend(body)
    assert answer.status_code == 400
    assert answer.json["text"]


def test_given_the_pin_then_the_staff_come_back_to_the_tables(browsing: Browsing) -> None:
    browsing.get("/operator")
    form = {"csrf": browsing.csrf, "pin": browsing.guard.secrets.pin, "next": "/operator"}
    answer = browsing.client.post("/operator/login", data=form)
    assert answer.status_code == 303
    assert browsing.client.get(answer.headers["Location"]).headers["Location"] == "/"
    boot = boot_of(browsing.get("/"))
    assert boot is not None and boot["operator"] is True


def test_given_strange_addresses_then_they_are_refused_in_words(browsing: Browsing) -> None:
    for path in ("/api/v1/tables/t9", "/api/v1/tables/..", "/api/v1/day?day=soon", "/virtual",
                 "/api/v1/day?day=0001-01-01x", "/api/v1/records?day=9999-99-99", "/api/v1/act"):  # fmt: skip
        answer = browsing.get(path)
        assert answer.status_code in (400, 404), path
        assert answer.get_data(as_text=True)


def test_given_no_database_then_the_pages_still_come_and_say_so(browsing: Browsing, hall: Hall) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hall.store, "played", _away)
        assert browsing.get("/").status_code == 200
        assert browsing.get("/api/v1/day").status_code == 503
        boot = boot_of(browsing.get("/day"))
        assert boot is not None and boot["extra"]["day"]["played"] is None


def _away(*_: Any) -> Any:
    from host.hall.store import StoreError

    raise StoreError("away")


def test_given_a_hall_then_it_sends_only_cards_that_lie_on_tables(browsing: Browsing, view: Json) -> None:
    played = {step["card"] for duel in view["game"]["duels"] for step in duel["steps"]}
    text = browsing.get("/").get_data(as_text=True)
    sent = {word for word in text.replace('"', " ").split() if word.count("/") == 2 and word.endswith("/1")}
    assert sent <= played
    assert '"options"' not in text


# -- the day


def test_given_a_schedule_then_each_line_says_what_has_become_of_it(tmp_path: Path) -> None:
    path = tmp_path / "day.csv"
    path.write_text(
        "start;table;title;players\n10:00;t1;Round 1;Ada / Bruno\n"
        "11:30;t1;Round 2;Ada / Chiara\n9.15;t2;Demo;\n",
        encoding="utf-8",
    )
    slots = read_schedule(path)
    assert [(s.minute, s.table, s.title, s.players) for s in slots] == [
        (555, "t2", "Demo", ()),
        (600, "t1", "Round 1", ("Ada", "Bruno")),
        (690, "t1", "Round 2", ("Ada", "Chiara")),
    ]
    day = date(2026, 5, 2)
    at = datetime(2026, 5, 2, 10, 4).timestamp()
    players: tuple[Json, ...] = ({"seat": 1, "name": "Ada"}, {"seat": 2, "name": "Bruno"})
    played = [Played("t1", "j", 2, 1, "althera", at, at + 3600, players, (2,), 90)]
    rows = plan(slots, played, day)
    assert [row["match"] for row in rows] == [None, {"over": True, "winners": ["Bruno"]}, None]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("25:00,t1,x,", "line 1: '25:00' is no time"),
        ("10:00,Table 1,x,", "is no table"),
        ("10:00,t1,x,\n11:00,t1," + "x" * 200_000 + ",", "line 2: that is no line"),
    ],
)
def test_given_a_wrong_line_then_it_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "day.csv"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(CrowntableError, match=said) as caught:
        read_schedule(path)
    assert sentence(f"{caught.value.what} {caught.value.cure}", "it")


@pytest.mark.parametrize("time", ["10:05", "10.05", "10:05:00", "10:05:00 AM", "10:05 am"])
def test_given_a_time_and_a_table_as_a_spreadsheet_writes_them_then_they_are_taken(
    tmp_path: Path, time: str
) -> None:
    path = tmp_path / "day.csv"
    path.write_text(f"{time},T1,Round 1,Ada", encoding="utf-8")
    assert [(slot.minute, slot.table) for slot in read_schedule(path)] == [(605, "t1")]


def test_given_no_schedule_where_it_usually_is_then_there_is_none_until_it_comes(
    browsing: Browsing, hall: Hall
) -> None:
    assert hall.schedule is not None
    text = hall.schedule.read_text(encoding="utf-8")
    hall.schedule.unlink()
    hall.usual = True
    assert browsing.get("/api/v1/day").json["trouble"] == ""
    hall.schedule.write_text(text, encoding="utf-8")
    hall._days.clear()
    assert browsing.get("/api/v1/day").json["schedule"][0]["title"] == "Round 1"
    hall.usual = False
    hall.schedule.unlink()
    hall._days.clear()
    assert "is not there" in browsing.get("/api/v1/day").json["trouble"]


def test_given_an_italian_reader_then_what_the_day_says_is_italian(
    browsing: Browsing, hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hall.schedule is not None
    noon = datetime.combine(date.today(), datetime.min.time()).timestamp() + 12 * 3600
    nobody: tuple[Json, ...] = ({"seat": 1, "name": "Seat 1"}, {"seat": 2, "name": "Ada"})
    played = [Played("t1", "j", 2, 1, "althera", noon, noon + 60, nobody, (1, 2), 9)]
    monkeypatch.setattr(hall.store, "played", lambda *_: played)
    assert browsing.get("/api/v1/day").json["schedule"][0]["match"]["winners"] == ["Seat 1", "Ada"]
    italian = {"Accept-Language": "it"}
    day = browsing.get("/api/v1/day", **italian).json
    assert day["schedule"][0]["match"]["winners"] == ["Posto 1", "Ada"]
    hall.schedule.write_text("nonsense,,,\n", encoding="utf-8")
    hall._days.clear()
    boot = boot_of(browsing.get("/day", **italian))
    assert boot is not None and "non è un'ora. Scrivi le ore così: 14:30." in boot["extra"]["day"]["trouble"]


def test_given_a_schedule_that_is_spoiled_while_the_hall_runs_then_the_one_before_stays(
    browsing: Browsing, hall: Hall
) -> None:
    assert browsing.get("/api/v1/day").json["schedule"][0]["title"] == "Round 1"
    assert hall.schedule is not None
    hall.schedule.write_text("nonsense,,,\n", encoding="utf-8")
    hall._days.clear()
    answer = browsing.get("/api/v1/day").json
    assert answer["schedule"][0]["title"] == "Round 1"
    assert "is no time" in answer["trouble"]


def test_given_matches_then_the_standings_count_shared_wins_by_their_share() -> None:
    def match(number: int, names: list[str], winners: tuple[int, ...], ended: float | None = 2.0) -> Played:
        players = tuple({"seat": n, "name": name} for n, name in enumerate(names, 1))
        return Played("t1", "j", number, number, "althera", 1.0, ended, players, winners, 9)

    rows = standings([
        match(1, ["Ada", "Bruno", "Seat 3"], (1,)),
        match(2, ["ada", "Chiara"], (1, 2)),
        match(3, ["Bruno", "Chiara"], (2,)),
        match(4, ["Bruno", "Ada"], (1,), None),
    ])["althera"]  # fmt: skip
    assert [(r["place"], r["name"], r["matches"], r["wins"], r["points"]) for r in rows] == [
        (1, "Ada", 2, 2, 1.5),
        (1, "Chiara", 2, 2, 1.5),
        (3, "Bruno", 2, 0, 0.0),
    ]


# -- a real browser


@contextmanager
def showing(hall: Hall, data: Path) -> Iterator[Server]:
    hall.board.start()
    server = serve(cast(Table, hall.board), "127.0.0.1", 0, data, pages=hall_pages(hall))
    try:
        yield server
    finally:
        server.stop()
        hall.board.stop()


@pytest.mark.parametrize(("size", "theme"), [("phone", "dark"), ("tv", "light")])
def test_given_the_hall_in_a_browser_then_every_page_fits_and_reads_well_for_everybody(
    browser: Browser, hall: Hall, tmp_path: Path, size: str, theme: str
) -> None:
    with showing(hall, tmp_path) as server:
        visit = Visit(browser, server, size, color_scheme=theme, bypass_csp=True)
        for path in ("/", "/screen", "/day"):
            page = visit.open(path)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            page.evaluate(AXE)
            found = page.evaluate(
                "rules => axe.run(document, { runOnly: rules, resultTypes: ['violations'] })", RULES
            )
            assert [f"{one['id']}: {one['help']}" for one in found["violations"]] == [], path
            page.close()
        visit.close()


def test_given_a_call_then_the_staff_answer_it_and_it_is_gone_from_every_screen(
    browser: Browser, hall: Hall, tmp_path: Path
) -> None:
    with showing(hall, tmp_path) as server:
        crowd, staff = Visit(browser, server), Visit(browser, server).operator()
        seen, page = crowd.open("/"), staff.open("/")
        assert "Table 1 asks for a judge" in " ".join(texts(seen, ".alarm"))
        assert seen.locator("text=I am going").count() == 0
        page.locator("text=I am going").click()
        for one in (seen, page):
            one.wait_for_function("() => document.querySelectorAll('.alarm.judge').length === 0")
        # What stays is the table whose power went.
        assert [text.split(" since")[0] for text in texts(seen, ".alarm b")] == ["Table 2 is gone"]
        crowd.close()
        staff.close()


def test_given_many_tables_then_they_are_found_by_name_and_by_who_plays(
    browser: Browser, hall: Hall, tmp_path: Path
) -> None:
    with showing(hall, tmp_path) as server:
        visit = Visit(browser, server)
        page = visit.open("/")
        assert len(texts(page, ".hall-table")) == 3
        page.get_by_role("searchbox").fill("chiara")
        page.wait_for_function("() => document.querySelectorAll('.hall-table').length === 2")
        page.get_by_role("searchbox").fill("")
        page.get_by_role("button", name="Playing").click()
        page.wait_for_function("() => document.querySelectorAll('.hall-table').length === 1")
        (card,) = texts(page, ".hall-table")
        assert "Turn 1 of 3" in card and "A field stands at 63" in card
        visit.close()


def test_given_a_running_duel_then_the_big_screen_shows_it_in_the_readers_language(
    browser: Browser, hall: Hall, tmp_path: Path
) -> None:
    with showing(hall, tmp_path) as server:
        visit = Visit(browser, server, "tv", locale="it-IT")
        page = visit.open("/screen")
        assert texts(page, ".big-value") == ["63"]
        assert texts(page, ".big-side h3") == ["Ada", "Bruno"]
        assert "turno 1 di 3" in texts(page, ".big-duel h2")[0]
        hall.board.hear("t1", "health", {"state": "gone"})
        page.wait_for_function("() => document.querySelector('.big-value') === null")
        assert "nessun campo è aperto" in texts(page, "main")[0]
        visit.close()
