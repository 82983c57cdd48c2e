"""The lab in a real Chromium: what the charts draw, the pictures they give out, the run that is followed."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from host.table import LiveTable
from tests.web.browser import PATIENCE, SIZES, Visit, texts
from tests.web.lab_kit import _brisk as _brisk
from tests.web.lab_kit import lay, results
from tests.web.tables import served
from tests.web.test_web_live import ALL_RULES, violations
from web.lab.runs import runs_of
from web.server import Server

expect.set_options(timeout=PATIENCE)
CHARTS = 8


@pytest.fixture(name="running", scope="module")
def _running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveTable, Server]]:
    data = tmp_path_factory.mktemp("lab")
    lay(data)
    with served(data) as (table, server):
        table.matches(120)
        yield table, server


def drawn(visit: Visit, path: str = "/lab?result=two&compare=last-word") -> Page:
    """The page with every chart drawn."""
    page = visit.open(path)
    expect(page.locator(".plot[data-drawn]")).to_have_count(page.locator(".plot").count())
    return page


def test_every_chart_draws_the_data_under_a_strict_policy(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    visit = Visit(browser, running[1]).operator()
    page = drawn(visit)
    assert page.locator(".plot").count() == CHARTS
    for card in page.locator(".lab-card").all():
        assert card.locator(".answer").inner_text().strip()
        marks = card.locator(".plot .scatterlayer .point").count()
        points = card.locator("table.data tbody tr").count()
        assert marks == points > 0, card.get_attribute("id")
    values = page.evaluate("() => document.querySelector('[data-chart=first].plot').data[0].x")
    rows = [row for row in results()["two"]["measures"] if row["measure"] in ("win.first", "win.seat")]
    assert values == [100 * row["value"] for row in rows][-1:] + [100 * row["value"] for row in rows][
        :-1
    ] or (sorted(values) == sorted(100 * row["value"] for row in rows))
    visit.close()  # fails on any complaint of the browser, of the content policy above all


def test_the_chart_is_given_out_as_png_svg_and_csv(
    browser: Browser, running: tuple[LiveTable, Server], tmp_path: Path
) -> None:
    visit = Visit(browser, running[1]).operator()
    page = drawn(visit)
    card = page.locator("#chart-escalation")
    answer = card.locator(".answer").inner_text()
    for kind in ("PNG", "SVG", "CSV"):
        with page.expect_download() as waiting:
            card.locator(".takeaway").get_by_text(kind).click()
        waiting.value.save_as(tmp_path / waiting.value.suggested_filename)
    picture = cv2.imdecode(
        np.frombuffer((tmp_path / "crowntable-lab-escalation.png").read_bytes(), np.uint8), 1
    )
    assert picture is not None and picture.shape[1] == 1800 and picture.shape[0] > 900
    assert picture[0, 0].tolist() == [255, 255, 255] and len(np.unique(picture.reshape(-1, 3), axis=0)) > 20
    root = ET.parse(tmp_path / "crowntable-lab-escalation.svg").getroot()
    said = " ".join("".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "Do duels escalate?" in said and "n = 40 simulated matches" in said
    assert answer[:40] in said and "matches counted" in said
    rows = list(csv.reader(io.StringIO((tmp_path / "crowntable-lab-escalation.csv").read_text("utf-8"))))
    values = page.evaluate("() => document.querySelector('[data-chart=escalation].plot').data[0].y")
    assert [float(row[2]) for row in rows[1 : 1 + len(values)]] == values
    visit.close()


def test_the_switches_ask_anew(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1]).operator()
    page = drawn(visit)
    page.get_by_label("Simulated").select_option("four")
    page.wait_for_url("**result=four*")
    expect(page.locator("#chart-first .chart-notes")).to_contain_text("4 players")
    page.get_by_label("leave out doubtful ones").check()
    page.wait_for_url("**no_doubtful=1*")
    expect(page.get_by_label("leave out doubtful ones")).to_be_checked()
    visit.close()


def test_a_run_is_followed_and_stopped(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1]).operator()
    page = visit.open("/lab/runs")
    form = page.locator("form[action='/lab/run']")
    form.get_by_label("Bots").select_option("random")
    form.get_by_label("Matches").fill("20000")
    form.get_by_role("button", name="Start").click()
    expect(page.locator("#run-bar")).to_be_visible()
    page.wait_for_function("() => document.getElementById('run-bar')?.value > 0", timeout=240_000)
    expect(page.locator("#run-said")).to_contain_text("of 20000 matches")
    page.get_by_role("button", name="Stop, keep what is done").click()
    assert runs_of(running[1].guard.data).wait(240)
    expect(page.locator("#lab-run")).to_contain_text("Finished. Matches played:", timeout=60_000)
    assert page.locator("table.data a").count() >= 4
    visit.close()


@pytest.mark.parametrize("size", list(SIZES))
def test_nothing_is_wider_than_the_screen(
    browser: Browser, running: tuple[LiveTable, Server], size: str
) -> None:
    visit = Visit(browser, running[1], size, has_touch=size == "phone").operator()
    for path in ("/lab?result=two&compare=last-word", "/lab/runs"):
        page = drawn(visit, path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        for plot in page.locator(".plot").all():
            room = plot.bounding_box()
            svg = plot.locator("svg.main-svg").first.bounding_box()
            assert room is not None and svg is not None and svg["width"] <= room["width"] + 1
        page.close()
    visit.close()


@pytest.mark.parametrize(("theme", "rules"), [("dark", ALL_RULES), ("light", ["color-contrast"])])
def test_axe_finds_nothing(
    browser: Browser, running: tuple[LiveTable, Server], theme: str, rules: list[str]
) -> None:
    visit = Visit(browser, running[1], color_scheme=theme, reduced_motion="reduce").operator()
    found: list[str] = []
    for path in ("/lab?result=two&compare=last-word", "/lab/runs"):
        page = drawn(visit, path)
        page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
        found += violations(page, rules)
        page.close()
    visit.close()
    assert found == []


def test_the_theme_turns_the_charts_too(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1]).operator()
    page = drawn(visit)
    colour = "() => document.querySelector('[data-chart=first].plot').layout.font.color"
    assert page.evaluate(colour) == "#f6ecdc"
    page.locator("#theme").click()
    page.wait_for_function(f"({colour})() === '#2a1d2e'")
    visit.close()


def test_in_italian(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1], locale="it-IT").operator()
    page = drawn(visit)
    expect(page.locator("h1")).to_have_text("Il laboratorio di prova")
    assert texts(page, ".lab-card h2")[0] == "Il primo giocatore è favorito?"
    assert page.evaluate("() => document.querySelector('.plot').layout.separators") == ",."
    visit.close()


def test_without_scripts_answers_and_tables_are_there(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    visit = Visit(browser, running[1], java_script_enabled=False).operator()
    page = visit.context.new_page()
    page.goto(f"{visit.url}/lab?result=two")
    assert (
        page.locator(".answer").count() == CHARTS and page.locator(".lab-card table.data").count() == CHARTS
    )
    assert page.locator("button[data-export]:visible").count() == 0
    visit.close()


def test_the_report_prints(browser: Browser, running: tuple[LiveTable, Server], tmp_path: Path) -> None:
    visit = Visit(browser, running[1]).operator()
    page = drawn(visit)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Report to print").click()
    waiting.value.save_as(tmp_path / "report.html")
    paper = visit.context.new_page()
    asked: list[str] = []
    paper.on("request", lambda request: asked.append(request.url))
    paper.goto((tmp_path / "report.html").as_uri())
    assert [url for url in asked if not url.startswith("file:")] == []
    assert paper.locator("svg").count() == CHARTS
    assert violations(paper, ALL_RULES) == []
    assert paper.pdf()[:5] == b"%PDF-"
    visit.close()
