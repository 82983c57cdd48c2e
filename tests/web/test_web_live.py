"""Tabs, sleep, restarts and new versions in a real browser (F40, F42), accessibility, weight."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from host.table import LiveTable
from tests.web.browser import PATIENCE, Visit, shown
from tests.web.scripted_world import ScriptedWorld
from tests.web.tables import EXAMPLE, OPERATOR, REST, live_table, new_match, play, served
from web import assets
from web.server import Server, serve

expect.set_options(timeout=PATIENCE)
NO_WORKER = "delete window.SharedWorker"


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[tuple[LiveTable, Server]]:
    with served(tmp_path) as (table, server):
        table.command(new_match(), OPERATOR)
        yield table, server


def eventually(check: Any, seconds: float = 30.0) -> None:
    ends = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < ends, "it did not come about"
        time.sleep(0.05)


def test_eight_tabs_share_one_stream(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    table, server = running
    visit = Visit(browser, server, "phone", reduced_motion="reduce").operator()
    pages = [visit.open() for _ in range(7)]
    pages.append(visit.open("/operator"))
    for action in EXAMPLE[:3]:
        play(table, action)
        for page in pages:
            shown(page, table)
    assert server.streams() == 1
    for page in pages[1:]:
        page.close()
    play(table, EXAMPLE[3])
    shown(pages[0], table)
    assert server.streams() == 1
    pages[0].close()
    eventually(lambda: server.streams() == 0)
    visit.close()


def test_without_shared_workers_a_hidden_tab_lets_go(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    visit = Visit(browser, server, "phone")
    visit.context.add_init_script(NO_WORKER)
    page = visit.open()
    eventually(lambda: server.streams() == 1)
    hide(page, True)
    eventually(lambda: server.streams() == 0)
    play(table, *EXAMPLE)
    hide(page, False)
    shown(page, table)
    assert server.streams() == 1
    visit.close()


def hide(page: Page, hidden: bool) -> None:
    """What a browser tells a page whose tab goes to the background or comes back."""
    page.evaluate(
        """hidden => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


@pytest.mark.parametrize("worker", [True, False])
def test_a_restart_is_said_and_then_healed(browser: Browser, tmp_path: Path, worker: bool) -> None:
    with live_table(tmp_path) as table:
        table.command(new_match(), OPERATOR)
        server = serve(table, "127.0.0.1", 0, tmp_path)
        visit = Visit(browser, server)
        if not worker:
            visit.context.add_init_script(NO_WORKER)
        page = visit.open()
        shown(page, table)
        server.stop()
        expect(page.locator(".strip", has_text="Stale since")).to_be_visible()
        play(table, *EXAMPLE)
        again = serve(table, "127.0.0.1", server.port, tmp_path)
        shown(page, table)
        page.wait_for_function("() => document.querySelector('.value')?.innerText === '63'")
        expect(page.locator(".strip", has_text="Stale since")).to_have_count(0)
        visit.close()
        again.stop()


def test_a_new_version_of_the_program_reloads_the_page_once(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live_table(tmp_path) as table:
        server = serve(table, "127.0.0.1", 0, tmp_path)
        visit = Visit(browser, server)
        page = visit.open()
        old = page.evaluate("() => JSON.parse(document.getElementById('boot').textContent).assets")
        loads: list[str] = []
        page.on("load", lambda one: loads.append(one.url))
        server.stop()
        monkeypatch.setattr(assets, "version", lambda: "fedcba987654")
        again = serve(table, "127.0.0.1", server.port, tmp_path)
        page.wait_for_function(
            "old => document.getElementById('boot')"
            " && JSON.parse(document.getElementById('boot').textContent).assets !== old",
            arg=old,
        )
        page.wait_for_selector("body[data-ready]", state="attached")
        table.command(new_match(), OPERATOR)
        shown(page, table)
        assert len(loads) == 1
        visit.close()
        again.stop()


def test_ten_minutes_of_sleep(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    """The clock jumps on and the stream is dead without a word, as after a laptop's lid was down."""
    table, server = running
    visit = Visit(browser, server)
    visit.context.add_init_script(NO_WORKER)
    # The stream of before the sleep never says anything again, though it looks open.
    visit.context.add_init_script(
        """const Real = EventSource;
        window.born = 0;
        window.deaf = 0;
        window.EventSource = class extends Real {
          constructor(url) { super(url); this.number = ++window.born; }
          addEventListener(kind, handler) {
            super.addEventListener(kind, e => this.number <= window.deaf || handler(e));
          }
        };"""
    )
    page = visit.open()
    shown(page, table)
    page.evaluate("() => { window.deaf = window.born; }")
    play(table, *EXAMPLE)
    time.sleep(0.5)
    assert page.evaluate("() => Number(document.body.dataset.seq)") < table.core.seq
    page.evaluate("() => { const real = Date.now; Date.now = () => real() + 600000; }")
    shown(page, table)
    expect(page.locator(".strip", has_text="Stale since")).to_have_count(0)
    visit.close()


PAGES = ("/", "/seat/1", "/operator", "/virtual", "/qr")


ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.mark.parametrize(("theme", "rules"), [("dark", ALL_RULES), ("light", ["color-contrast"])])
def test_axe_finds_nothing(browser: Browser, tmp_path: Path, theme: str, rules: list[str]) -> None:
    """All rules once; what differs in the other theme is colour alone."""
    found: list[str] = []
    with live_table(tmp_path) as table:
        table.virtual = ScriptedWorld(table)
        server = serve(table, "127.0.0.1", 0, tmp_path)
        visit = Visit(browser, server, color_scheme=theme, reduced_motion="reduce")
        stranger = [visit.open(path) for path in ("/", "/operator", "/nowhere")]
        found += [problem for page in stranger for problem in violations(page, rules)]
        visit.problems.clear()  # the browser reports the 404 that was asked for
        visit.operator().seat(1)
        table.command(new_match(), OPERATOR)
        for actions, paths in ((EXAMPLE, PAGES), (REST, PAGES[:1])):
            play(table, *actions)
            for path in paths:
                page = visit.open(path)
                if path == "/operator":
                    page.wait_for_selector(".pick")
                page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
                found += violations(page, rules)
                page.close()
        visit.close()
        server.stop()
    assert found == []


#: axe-core itself, as it lies in the package that wraps it.
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, rules: list[str]) -> list[str]:
    """What axe-core objects to on a page, a line each."""
    page.evaluate(AXE)
    answer = page.evaluate(
        "rules => axe.run(document, { runOnly: rules, resultTypes: ['violations'] })", rules
    )
    return [
        f"{page.url}: {one['id']}: {one['help']}: {node['html'][:160]}"
        for one in answer["violations"]
        for node in one["nodes"][:3]
    ]


def test_everything_can_be_reached_by_keyboard(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    table, server = running
    play(table, *EXAMPLE)
    visit = Visit(browser, server).seat(1)
    page = visit.open("/seat/1")
    page.wait_for_selector(".pick")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "skip"
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("() => document.activeElement.ariaLabel || document.activeElement.innerText")
        )
    assert "Champion 61, Fortezza Cremisi" in reached
    assert any("Ask a judge" in one for one in reached)
    visit.close()


def test_reduced_motion_is_respected(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    table, server = running
    visit = Visit(browser, server, reduced_motion="reduce")
    page = visit.open()
    play(table, *EXAMPLE)
    shown(page, table)
    assert page.evaluate("() => document.querySelector('.value').innerText") == "63"
    lengths = page.evaluate(
        """() => document.getAnimations().filter(a => a.playState === "running")
          .map(a => a.effect.getTiming().duration)"""
    )
    assert all(length < 1 for length in lengths)
    visit.close()


def test_the_table_page_is_light_and_asks_nobody_else(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    play(table, *EXAMPLE)
    visit = Visit(browser, server)
    seen: dict[str, int] = {}
    visit.context.on(
        "requestfinished",
        lambda r: seen.update({r.url: r.sizes()["responseBodySize"] if "/stream" not in r.url else 0}),
    )
    page = visit.open()
    shown(page, table)
    page.wait_for_load_state("load")
    assert all(url.startswith(visit.url) for url in seen)
    assert sum(size for url, size in seen.items() if not url.endswith(".svg")) < 200_000
    assert sum(seen.values()) > 10_000
    visit.close()


def test_lost_devices_and_red_banners_are_said_calmly(
    browser: Browser, running: tuple[LiveTable, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, server = running
    real = table.view
    devices = [
        {"id": name, "kind": kind, "state": state, "detail": f"{name} gone", "since": 1.78e9, "facts": {}}
        for name, kind, state in (
            ("pico", "reader", "lost"),
            ("scan", "reader", "weak"),
            ("dice", "camera", "starting"),
            ("ring", "crown", "lost"),
        )
    ]

    def troubled(audience: Any) -> dict[str, Any]:
        banner = {"level": "red", "text": "The disk is full.", "cure": "Free some space."}
        return {**real(audience), "devices": devices, "banner": [banner]}

    monkeypatch.setattr(table, "view", troubled)
    visit = Visit(browser, server).operator()
    page = visit.open()
    expect(page.locator(".strip.red")).to_contain_text("The disk is full. Free some space.")
    lost = page.locator(".strip", has_text="The reader “pico” has been out since")
    expect(lost).to_contain_text("can be entered by hand")
    # Who plays hears of what is out, and the cause on asking; who mends it reads everything at once.
    expect(page.locator(".strip")).to_have_count(2)
    expect(lost.get_by_text("Pico gone.")).to_be_hidden()
    lost.locator("summary").click()
    expect(lost.get_by_text("Pico gone.")).to_be_visible()
    desk = visit.open("/operator")
    expect(desk.locator(".strip")).to_have_count(5)
    for words in ("Pico gone.", "Scan gone.", "The camera “dice” is starting. Dice gone."):
        expect(desk.locator(".strips").get_by_text(words)).to_be_visible()
    desk.close()
    monkeypatch.setattr(table, "view", real)
    play(table, EXAMPLE[0])
    expect(page.locator(".strip")).to_have_count(0)
    visit.close()


@pytest.mark.parametrize("path", ["/", "/operator"])
def test_a_long_path_in_a_devices_words_widens_no_phones_page(
    browser: Browser, running: tuple[LiveTable, Server], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    table, server = running
    real = table.view
    said = f"opening /home/{'somebody' * 6}/crowntable/virtual/dev/scan"

    def troubled(audience: Any) -> dict[str, Any]:
        seen = real(audience)
        one = {"id": "scan", "kind": "reader", "state": "lost", "detail": said, "since": 1.8e9, "facts": {}}
        notices = [{"id": "n1", "text": said, "level": "amber"}]
        return {**seen, "devices": [one], "notices": notices, "crown": {**seen["crown"], "why": said}}

    monkeypatch.setattr(table, "view", troubled)
    visit = Visit(browser, server, "phone").operator()
    page = visit.open(path)
    if path == "/":
        page.locator(".strip summary").click()
    expect(page.locator(".strip").get_by_text("Opening /home/")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visit.close()
