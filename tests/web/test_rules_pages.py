"""The rulebook's pages and Ask the rules over HTTP: all is there, linked, and says what the engine says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine.ask.book import book
from engine.games import game_named
from host.face import Who
from host.table import LiveTable
from tests.web.tables import EXAMPLE, OPERATOR, live_table, new_match, play
from web import rules
from web.app import create_app
from web.catalogue import read
from web.cookies import seat_cookie
from web.security import Guard

IDS = {game: [rule for rule in game_named(game).rules if "." in rule] for game in ("althera", "anthem")}


def app_of(table: LiveTable, data: Path) -> Flask:
    return create_app(table, Guard.open(data))


@contextmanager
def visit(data: Path, *actions: Any, language: str = "en", **match: Any) -> Iterator[FlaskClient]:
    """A browser at a table; with actions or match details a match is running there."""
    layout = "anthem-2" if match.get("game") == "anthem" else "althera-3"
    with live_table(data, layout) as table:
        if actions or match:
            assert table.command(new_match(**match), OPERATOR).ok
            play(table, *actions)
        client = app_of(table, data).test_client()
        client.environ_base["HTTP_ACCEPT_LANGUAGE"] = language
        yield client


def asked(client: FlaskClient, **body: Any) -> Any:
    """What POST /api/v1/ask answers, asked as the page asks."""
    token = re.search(r'data-csrf="([^"]+)"', client.get("/ask").text)
    assert token is not None
    answer = client.post("/api/v1/ask", json=body, headers={"X-CSRF-Token": token[1]})
    return answer.get_json(), answer.status_code


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("game", ["althera", "anthem"])
def test_the_book_has_every_rule_with_its_anchor_its_remarks_and_links_that_lead_somewhere(
    tmp_path: Path, game: str, language: str
) -> None:
    of = book(game, language)
    with visit(tmp_path, language=language) as client:
        page = client.get(f"/rules/{game}").text
        anchors = set(re.findall(r' id="([^"]+)"', page))
        assert {*of.rules, *of.heads} <= anchors
        for rule, paragraph in of.rules.items():
            assert f'href="#{rule}"' in page and paragraph.title.replace("'", "&#39;") in page
        for code in game_named(game).findings:
            cited = any(code in codes for codes in of.explains.values())
            assert (f"<code>{code}</code>" in page) == cited
        for example in of.examples:
            assert f"example-{example.id}" in anchors
        for link in set(re.findall(r'href="(/[^"#]*)(?:#[^"]*)?"', page)):
            assert client.get(link.replace("&amp;", "&")).status_code < 400, link
        local = set(re.findall(r'href="#([^"]+)"', page))
        away = set(re.findall(rf'href="/rules/{game}#([^"]+)"', page))
        assert local | away <= anchors | {"main"}


def test_the_overview_leads_to_the_game_that_is_played(tmp_path: Path) -> None:
    with visit(tmp_path) as client:
        assert client.get("/rules").location == "/rules/althera"
    with visit(tmp_path / "anthem", game="anthem", seats=2) as client:
        assert client.get("/rules").location == "/rules/anthem"


def test_the_quick_reference_has_a_line_for_every_rule_and_the_tables(tmp_path: Path) -> None:
    with visit(tmp_path) as client:
        page = client.get("/rules/althera/quick").text
        for rule in IDS["althera"]:
            assert f">{rule}</a>" in page
        assert "<td>37</td>" in page and page.count('class="die"') == 6


def test_rulings_and_numbers_are_those_of_the_running_match(tmp_path: Path) -> None:
    with visit(tmp_path, hand_size="6", shield_reach="later_only") as client:
        rulings = client.get("/rules/althera/rulings").text
        assert "other than standard" in rulings
        assert "Only those that are played after it." in rulings
        page = client.get("/rules/althera").text
        assert "draws six cards" in page and "The numbers are those of the match" in page
        reply, _ = asked(client, question="how many cards do I draw at the start?")
        assert "draws six cards" in reply["answers"][0]["quote"]
        assert "draws five cards" not in page
        assert "standard ruleset" in client.get("/rules/anthem").text


def test_every_card_has_a_page_that_says_what_it_does(tmp_path: Path) -> None:
    with visit(tmp_path) as client:
        for game, of in (("althera", book("althera")), ("anthem", book("anthem"))):
            page = client.get(f"/rules/{game}/cards").text
            links = set(re.findall(r'href="(/c/[^"]+)"', page))
            assert len(links) == len(of.kinds)
            for link in links:
                shown = client.get(link).text
                kind = of.kinds[link.split("/")[3]]
                assert kind.does.replace("'", "&#39;") in shown
                assert all(f'href="/rules/{game}#{rule}"' in shown for rule in kind.rules)
        assert "Champion Opheya" in client.get("/c/purpurea/champion/1").text
        assert "Corte Purpurea" in client.get("/c/purpurea/oracle/2").text
        assert "Second set" in client.get("/c/s2/dead").text
        for wrong in (
            "/c/purpurea/oracle/3",
            "/c/s5/1",
            "/c/",
            "/c/..%2f..",
            "/rules/chess",
            "/rules/lab/quick",
        ):
            assert client.get(wrong).status_code == 404, wrong


def test_search_as_you_type(tmp_path: Path) -> None:
    with visit(tmp_path) as client:

        def first(typed: str, game: str = "althera") -> str:
            found = client.get(f"/api/v1/rules/{game}/search", query_string={"q": typed}).get_json()
            return str(found[0]["rule"]) if found else ""

        assert first("s") == "" and first("") == ""
        assert first("shie") == "ALT-5.1" and first("fle") in ("ALT-6.1", "ALT-6.2")
        assert first("give u") in ("ALT-6.1", "ALT-6.2") and first("step i") == "ALT-7.1"
        assert first("can i redr") == "ALT-4.1" and first("orac") == "ALT-5.4"
        assert first("drag", "anthem") == "ANT-6.2"
        assert first("zzzzzz") == ""
        row = client.get("/api/v1/rules/althera/search?q=shield").get_json()[0]
        assert row["link"] == "/rules/althera#ALT-5.1" and row["short"] and row["title"] == "Shield"


def test_the_api_answers_as_the_command_line_does_and_from_the_table(tmp_path: Path) -> None:
    with visit(tmp_path, *EXAMPLE[:7]) as client:
        reply, status = asked(client, question="what is the field worth?")
        assert status == 200 and reply["verdict"]["sum"] == "15 + 9 + 2 = 26"
        assert reply["game"] == "althera" and reply["answers"][0]["rule"] == "ALT-4.3"
        follow, _ = asked(client, question="and if I alter it up?", history=["what is the field worth?"])
        assert follow["verdict"]["sum"] == "26 × 1.5 = 39"
        italian, _ = asked(client, question="chi è in testa?")
        assert italian["language"] == "it" and "24 carte a testa" in italian["verdict"]["why"]
        other, _ = asked(client, question="how do I win anthem?")
        assert other["game"] == "anthem" and other["verdict"] is None
        silent, _ = asked(client, question="who painted the cards?")
        assert silent["found"] is False and silent["answers"] == []


def test_why_was_that_illegal(tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        table.command(new_match(), OPERATOR)
        play(table, *EXAMPLE[:5])
        refused = table.act({"do": "play", "seat": 1, "card": "cremisi/overtake/1"}, Who("device", "pico"))
        assert not refused.ok
        client = app_of(table, tmp_path).test_client()
        reply, _ = asked(client, question="why was that illegal?")
        assert reply["verdict"]["legal"] is False
        assert reply["verdict"]["rule"] == refused.findings[0]["rule"]
        assert reply["verdict"]["rule"] in [answer["rule"] for answer in reply["answers"]]
        assert "Ada" in reply["verdict"]["why"]


def test_a_seat_is_answered_for_itself_only_with_its_link(tmp_path: Path) -> None:
    with visit(tmp_path, *EXAMPLE[:7]) as client:
        stranger, _ = asked(client, question="can I play my shield?", **{"as": "seat:1"})
        assert "Bruno" in stranger["verdict"]["why"] and stranger["verdict"]["assumes"]
        client.set_cookie(seat_cookie(1), Guard.open(tmp_path).seat_token(1))
        own, _ = asked(client, question="can I play my shield?", **{"as": "seat:1"})
        assert own["verdict"]["legal"] is False and "not Ada's" in own["verdict"]["why"]
        assert ">Ada</option>" in client.get("/ask").text and ">Bruno</option>" not in client.get("/ask").text


def test_the_conversation_works_without_scripts(tmp_path: Path) -> None:
    with visit(tmp_path, *EXAMPLE[:7], language="it") as client:
        page = client.get("/ask", query_string={"q": "posso scappare?", "game": "althera"}).text
        assert "Bruno adesso può tentare la ritirata." in page and "Quando ci si può ritirare" in page
        assert '<input type="hidden" name="h" value="posso scappare?">' in page
        silent = client.get("/ask", query_string={"q": "quanto costa?"}).text
        assert "Il regolamento non lo dice." in silent


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": 3},
        {"question": "x", "game": "chess"},
        {"question": "x", "game": ["a"]},
        {"question": "x", "language": "xx"},
        {"question": "x", "history": "y"},
        {"question": "x", "history": [1]},
    ],
)
def test_a_request_that_is_none_is_refused(tmp_path: Path, body: dict[str, Any]) -> None:
    with visit(tmp_path) as client:
        _, status = asked(client, **body)
        assert status == 400


def test_what_is_asked_comes_back_as_text_only(tmp_path: Path) -> None:
    with visit(tmp_path) as client:
        page = client.get(
            "/ask", query_string={"q": "<script>alert(1)</script>", "h": "<b>", "game": "<i>"}
        ).text
        assert "<script>alert" not in page and "<b>" not in page.split("<main")[1].split("<ol")[0]
        assert client.get("/ask", query_string={"q": "shield " * 2000}).status_code == 200
        assert client.get("/api/v1/ask?question=can+I+flee").get_json()["answers"][0]["rule"] == "ALT-6.1"


def test_the_pages_words_are_complete_in_both_languages() -> None:
    folder = Path(rules.__file__).parent / "templates" / "rules"
    english, italian = read(folder / "en.toml"), read(folder / "it.toml")
    assert set(english) == set(italian)
    for key, text in english.items():
        assert re.findall(r"\{\w+\}", text) == re.findall(r"\{\w+\}", italian[key]), key
    used = set()
    for template in folder.glob("*.html"):
        used |= set(re.findall(r'w\("([a-z_.]+)"\)', template.read_text("utf-8")))
    assert used <= set(english)


def test_the_small_drawings_are_those_of_the_other_pages() -> None:
    assert {"shield", "overtake", "alteration", "oracle", "dead", "flag", "check", "illegal", "warning",
            "info"} <= set(rules.icons())  # fmt: skip
