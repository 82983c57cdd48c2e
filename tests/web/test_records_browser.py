"""The replay in a real Chromium: what every step shows is what the engine says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from host.table import LiveTable
from tests.host.long_matches import legal_walk, written
from tests.web.browser import PATIENCE, SIZES, Visit, texts
from tests.web.tables import EXAMPLE, OPERATOR, REST, new_match, play, served
from tests.web.test_web_browser import READ
from tests.web.test_web_live import ALL_RULES, violations
from web.server import Server

Json = dict[str, Any]
expect.set_options(timeout=PATIENCE)


@pytest.fixture(name="running", scope="module")
def _running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveTable, Server]]:
    """m1: the beginning of an Anthem match; m2: the rulebook's example with a declaration taken back."""
    folder: Path = tmp_path_factory.mktemp("records")
    written(folder, "anthem", [legal_walk("anthem", 3, 2, most=12)])
    with served(folder) as (table, server):
        table.command(new_match(), OPERATOR)
        play(table, *EXAMPLE, *REST)
        play(table, {"do": "declare", "seat": 2, "against": 3})
        table.command({"cmd": "undo"}, OPERATOR)
        table.matches()
        yield table, server


def at(page: Page, step: int) -> None:
    """Waits until that step is drawn."""
    page.wait_for_function("n => document.body.dataset.step === String(n)", arg=step)


def check_step(page: Page, view: Json) -> None:
    """Every figure of the arena against the view of that step, as for the live table."""
    game, names = view["game"], {s["seat"]: s["name"] for s in view["seats"]}
    found = page.evaluate(READ)
    assert found["values"] == [str(d["field"]["value"]) if d["field"] else "—" for d in game["duels"]]
    for arena, duel in zip(found["arenas"], game["duels"], strict=True):
        assert arena["cards"] == [s["card"].split("/")[1].capitalize() for s in duel["steps"]]
        assert arena["sums"] == [s["sum"] for s in duel["steps"] if s["sum"]][-1:]
    assert found["owners"] == [
        f"{names[d['field']['owner']]} owns it" if d["field"] else f"{names[d['to_play']]} opens the field"
        for d in game["duels"]
    ]
    assert found["counts"] == [str(s["cards"]) for s in game["seats"]]
    assert found["hands"] == [f"{s['hand']} in hand" for s in game["seats"]]


def test_every_step_of_the_example_shows_the_engines_values(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    opened = table.replay("m2", PATIENCE / 1000)
    assert opened is not None and opened.replay is not None
    steps, views = opened.replay.summary()["steps"], opened.replay.views(1, 99)
    visit = Visit(browser, server, reduced_motion="reduce")
    page = visit.open("/matches/m2")
    for step, view in zip(steps, views, strict=True):
        at(page, step["n"])
        check_step(page, view)
        expect(page.locator(".step-text")).to_contain_text(f"{step['n']} of {len(steps)}")
        expect(page.locator(".step-text")).to_contain_text(step["text"])
        newest = texts(page, ".event summary span")[0]
        assert newest.startswith(step["text"].split(":")[0]) or step["n"] == 1
        page.keyboard.press("ArrowRight")
    expect(page.locator(".outcome h3")).to_have_text("Bruno wins at 72")
    assert page.url.endswith(f"#{len(steps)}")
    visit.close()


def test_the_keyboard_and_the_scrubber_lead_everywhere(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    last = len(table.replay("m2").replay.summary()["steps"])  # type: ignore[union-attr]
    visit = Visit(browser, server, reduced_motion="reduce")
    page = visit.open("/matches/m2#9")
    at(page, 9)  # an address leads to a step
    expect(page.locator(".arena .value")).to_have_text("63")
    page.keyboard.press("ArrowLeft")
    at(page, 8)
    expect(page.locator(".arena .value")).to_have_text("26")
    page.keyboard.press("End")
    at(page, last)
    page.keyboard.press("Home")
    at(page, 1)
    page.get_by_role("button", name="One step on").click()
    at(page, 2)
    scrubber = page.get_by_role("slider", name="Step")
    scrubber.fill("7")
    at(page, 7)
    scrubber.focus()
    page.keyboard.press("ArrowRight")
    at(page, 8)
    assert scrubber.get_attribute("aria-valuetext") == (
        f"Step 8 of {last}: Ada plays Commoners (2): Ada holds the field at 26."
    )
    page.get_by_role("combobox", name="Duel").select_option("5")
    at(page, 5)
    expect(page.locator(".arena > header h2")).to_have_text("Ada against Bruno")
    page.locator("#play").focus()
    page.keyboard.press("Space")  # a button's own key: it plays, and only once
    expect(page.locator("#play")).to_have_text("Pause")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Play")
    visit.close()


def test_it_plays_by_itself_at_the_speed_asked_for_and_stops_at_the_end(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    visit = Visit(browser, running[1])
    page = visit.open("/matches/m2#6")
    page.get_by_role("combobox", name="Speed").select_option("8")
    page.locator("h1").click()
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Pause")
    last = page.evaluate("() => Number(document.getElementById('scrubber').max)")
    at(page, last)
    expect(page.locator("#play")).to_have_text("Play")
    page.wait_for_function("() => document.querySelector('.score .count').innerText === '21'")
    visit.close()


def test_the_charts_draw_and_tell_what_was_played(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    opened = table.replay("m2")
    assert opened is not None and opened.replay is not None
    steps = opened.replay.summary()["steps"]
    fields = [s for s in steps if s["field"]]
    visit = Visit(browser, server, reduced_motion="reduce")
    page = visit.open("/matches/m2#9")
    bars = page.evaluate(
        """() => [...document.querySelectorAll("#chart-field [data-n]")].map(g => [
          Number(g.dataset.n), Number(g.dataset.value), Number(g.dataset.owner),
          Number(g.querySelector("rect").getAttribute("height"))])"""
    )
    assert [bar[:3] for bar in bars] == [[s["n"], s["field"]["value"], s["field"]["owner"]] for s in fields]
    tallest = max(bars, key=lambda bar: bar[1])
    assert all(abs(bar[3] - tallest[3] * bar[1] / tallest[1]) < 0.5 for bar in bars)
    lines = page.evaluate(
        "() => [...document.querySelectorAll('#chart-cards .seat-line[data-seat]')].map(l => l.dataset.last)"
    )
    assert lines == [str(n) for n in steps[-1]["cards"].values()]
    dashes = [line.get_attribute("stroke-dasharray") for line in page.locator("#chart-cards path").all()]
    assert len(set(dashes)) == len(lines)  # known without colour
    for ident, title in (("field", "The field's growth"), ("cards", "Cards over time")):
        chart = page.get_by_role("img", name=title)
        assert "A " in (chart.locator("desc").text_content() or "")
        page.locator(f"#chart-{ident} summary").click()
    rows = texts(page, "#chart-field tbody tr")
    assert len(rows) == len(fields)
    assert rows[3].startswith("9 Ada against Bruno Bruno plays Captain (37)") and rows[3].endswith("63 Bruno")
    assert texts(page, "#chart-cards tbody tr")[-1] == f"{steps[-1]['n']} 21 27 24"
    # A click leads to the step under it.
    chart = page.locator("#chart-field .chart")
    width = page.evaluate("() => document.querySelector('#chart-field .chart').clientWidth")
    chart.click(position={"x": width - 13, "y": 100})
    at(page, len(steps))
    visit.close()


@pytest.mark.parametrize("size", list(SIZES))
def test_nothing_is_wider_than_the_screen(
    browser: Browser, running: tuple[LiveTable, Server], size: str
) -> None:
    visit = Visit(browser, running[1], size, has_touch=size == "phone")
    for path in ("/matches", "/matches/m2#9", "/matches/m1#8", "/matches/m2/sheet"):
        page = visit.open(path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        page.close()
    visit.close()


def test_anthem_is_replayed_place_by_place(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    table, server = running
    opened = table.replay("m1")
    assert opened is not None and opened.replay is not None
    views = opened.replay.views(1, 99)
    visit = Visit(browser, server, "tv", reduced_motion="reduce")
    page = visit.open("/matches/m1")
    for n in (1, 5, len(views)):
        page.get_by_role("slider").fill(str(n))
        at(page, n)
        for i, seat in enumerate(views[n - 1]["game"]["seats"]):
            layout = page.locator(".layout").nth(i)
            want = [c.split("/")[1] if c else str(p) for p, c in enumerate(seat["layout"])]
            assert texts(layout, ".place [aria-hidden=true] .big, .place > span[aria-hidden=true]") == want
    expect(page.locator("#chart-laid h2")).to_have_text("The rows' growth")
    expect(page.locator("#chart-cards h2")).to_have_text("Cards in hand over time")
    visit.close()


def test_the_list_follows_what_is_typed(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1])
    page = visit.open("/matches")
    expect(page.locator(".match-row")).to_have_count(2)
    page.get_by_label("Find").fill("cremisi")
    expect(page.locator(".match-row")).to_have_count(1)
    assert "q=cremisi" in page.url
    page.get_by_label("Find").fill("")
    page.get_by_label("Game").select_option("anthem")
    expect(page.locator(".match-row h2 a")).to_have_text("Match 1")
    page.locator(".match-row h2 a").click()
    page.wait_for_url("**/matches/m1*")
    visit.close()


def test_the_table_that_is_gone_is_said_and_the_step_comes_when_it_is_back(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    visit = Visit(browser, running[1], reduced_motion="reduce")
    page = visit.context.new_page()
    page.route("**/api/v1/matches/m2/views*", lambda route: route.abort())
    page.goto(f"{visit.url}/matches/m2")
    expect(page.locator(".player .problem")).to_contain_text("No answer from the table")
    page.unroute("**/api/v1/matches/m2/views*")
    page.keyboard.press("ArrowRight")
    at(page, 2)
    expect(page.locator(".player .problem")).to_have_count(0)
    visit.close()


def test_a_record_that_is_still_being_read_is_waited_for(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    visit = Visit(browser, running[1], reduced_motion="reduce")
    page = visit.context.new_page()
    asked: list[str] = []

    def later(route: Any) -> None:
        asked.append(route.request.url)
        if len(asked) < 3:
            route.fulfill(status=202, body=json.dumps({"ready": False}), content_type="application/json")
        else:
            route.continue_()

    page.route("**/api/v1/matches/m2", later)
    page.goto(f"{visit.url}/matches/m2")
    expect(page.locator("#replay-head")).to_contain_text("The record is being read.")
    at(page, 1)
    assert len(asked) == 3
    visit.close()


@pytest.mark.parametrize(("theme", "rules"), [("dark", ALL_RULES), ("light", ["color-contrast"])])
def test_axe_finds_nothing(
    browser: Browser, running: tuple[LiveTable, Server], theme: str, rules: list[str]
) -> None:
    visit = Visit(browser, running[1], color_scheme=theme, reduced_motion="reduce")
    found: list[str] = []
    for path in ("/matches", "/matches/m2#9", "/matches/m1#8", "/matches/m2/sheet"):
        page = visit.open(path)
        page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
        found += violations(page, rules)
        page.close()
    visit.close()
    assert found == []


def test_on_paper_the_sheet_is_black_on_white_and_without_buttons(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    visit = Visit(browser, running[1])
    page = visit.open("/matches/m2/sheet")
    page.emulate_media(media="print")
    expect(page.locator(".sheet-tools")).to_be_hidden()
    expect(page.locator(".nav")).to_be_hidden()
    look = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
                  getComputedStyle(document.querySelector(".sheet td")).color]"""
    )
    assert look == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    assert page.pdf()[:5] == b"%PDF-"
    visit.close()


def test_words_follow_the_visitors_language(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1], locale="it-IT", reduced_motion="reduce")
    page = visit.open("/matches/m2#9")
    expect(page.locator("h1")).to_have_text("Partita 2: Althera")
    expect(page.locator("#chart-field h2")).to_have_text("La crescita del campo")
    assert page.locator("#play").inner_text() == "Avvia"
    page = visit.open("/matches")
    expect(page.locator("h1")).to_have_text("Le partite di questo tavolo")
    visit.close()
