"""A free table's screen in a real Chromium: it shows, teaches, invites, and goes live at the first deed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from host.table import LiveTable
from tests.host.long_matches import legal_walk, written
from tests.web.browser import PATIENCE, SIZES, Visit, shown, texts
from tests.web.clients import visitor
from tests.web.tables import OPERATOR, SPECTATOR, live_table, new_match, play, served
from tests.web.test_web_live import ALL_RULES, violations
from web.server import Server

Json = dict[str, Any]
expect.set_options(timeout=PATIENCE)


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[tuple[LiveTable, Server]]:
    """A free table whose last match has ended; its record has a duel worth showing."""
    written(tmp_path, "althera", [legal_walk("althera", 2, 7)])
    with served(tmp_path) as (table, server):
        table.matches(PATIENCE / 1000)
        assert table.command({"cmd": "attract", "on": True}, OPERATOR).ok
        yield table, server


def scene(page: Page) -> str:
    return str(page.evaluate("() => document.body.dataset.scene"))


def test_the_best_duel_is_a_long_one_that_changed_hands_and_ended_close(tmp_path: Path) -> None:
    written(tmp_path, "althera", [legal_walk("althera", 2, 7), legal_walk("althera", 2, 1, most=20)])
    with live_table(tmp_path) as table:
        table.matches(PATIENCE / 1000)
        guest = visitor(table, tmp_path)
        best: Any = guest.get("/api/v1/showcase?game=althera").json
        assert guest.get("/api/v1/showcase?game=anthem").json == []
        scores = [one["score"] for one in best]
        assert scores == sorted(scores, reverse=True) and 0 < len(best) <= 5
        for one in best:
            assert one["score"] == round(one["cards"] + 2 * one["changes"] + 4 * one["close"], 2)
            views: Any = guest.get(f"/api/v1/matches/{one['match']}/views?first={one['from']}&count=60").json
            first, last = views["views"][0]["game"], views["views"][one["to"] - one["from"]]["game"]
            assert [d["attacker"] for d in first["duels"]] == [one["attacker"]]
            assert first["duels"][0]["steps"] == []
            assert (last["last_duel"]["winner"], last["last_duel"]["value"]) == (one["winner"], one["value"])
            assert len(last["last_duel_steps"]) == one["cards"]


def test_it_replays_teaches_invites_and_goes_live_at_a_deed(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    visit = Visit(browser, server, reduced_motion="reduce")
    page = visit.open("/")
    expect(page.locator(".invite-big")).to_have_text("Lay a card to begin")
    page.wait_for_function("() => document.body.dataset.scene?.startsWith('rm1-')")
    page.locator("#attract-pause").click()  # who looks on may stop it
    step = int(scene(page).split("-")[1])
    opened = table.replay("m1")
    assert opened is not None and opened.replay is not None
    (view,) = opened.replay.views(step, 1)
    fields = [d["field"] for d in view["game"]["duels"]]
    assert texts(page, "#attract-replay .value") == [str(f["value"]) if f else "—" for f in fields]
    # All of the duel stands above the buttons, on a laptop and on a large screen.
    for size in ("laptop", "tv"):
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        duel, tools = (page.locator(at).bounding_box() for at in ("#attract-replay", ".show-tools"))
        assert duel is not None and tools is not None
        assert duel["y"] + duel["height"] <= tools["y"]
    # On to the lessons, all of them.
    heard: list[str] = []
    for _ in range(60):
        before = scene(page)
        page.get_by_role("button", name="Next").click()
        page.wait_for_function("was => document.body.dataset.scene !== was", arg=before)
        if scene(page).startswith("rm1-"):
            if heard:
                break
            continue
        heard.append(page.locator(".show > header h2").inner_text())
    assert heard[0] == "Five houses, one throne" and heard[-1] == "Take the throne" and len(heard) == 12
    assert table.command(new_match(), OPERATOR).ok
    shown(page, table)
    expect(page.locator(".contenders b")).to_have_count(3)
    expect(page.locator(".invite")).to_have_count(0)
    visit.close()


def test_the_lessons_values_are_the_rulebooks(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1], reduced_motion="reduce")
    page = visit.open("/")
    page.wait_for_function("() => document.body.dataset.scene?.startsWith('rm1-')")
    page.get_by_role("button", name="Back").click()  # from the beginning backwards: the last lesson
    found: dict[str, str] = {}
    for _ in range(12):
        page.wait_for_timeout(20)
        if page.locator(".show .arena").count():
            found[scene(page)] = "".join(texts(page, ".show .value, .show .owner"))
        page.get_by_role("button", name="Back").click()
    assert found == {
        "open": "15Ada owns it",
        "absorbed": "24Ada owns it",
        "adds": "26Ada owns it",
        "takes": "63Bruno owns it",
    }
    visit.close()


def test_a_person_may_look_at_the_table_itself(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1], reduced_motion="reduce")
    page = visit.open("/")
    page.get_by_role("button", name="Show the table").click()
    expect(page.locator(".victory")).to_be_visible()
    expect(page.locator(".invite")).to_have_count(0)
    visit.close()


def test_only_where_it_is_wanted(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    table, server = running
    assert table.command({"cmd": "attract", "on": False}, OPERATOR).ok
    visit = Visit(browser, server, reduced_motion="reduce")
    page = visit.open("/")
    expect(page.locator(".victory")).to_be_visible()
    mine = visit.open("/?attract")
    expect(mine.locator(".invite-big")).to_have_text("Sit down and play")
    operator = Visit(browser, server, reduced_motion="reduce").operator()
    desk = operator.open("/operator")
    desk.get_by_label("Screens invite while nobody plays").check()
    expect(page.locator(".invite-big")).to_have_text("Lay a card to begin")  # by itself, on every screen
    desk.get_by_label("Nobody plays after").select_option("300")
    desk.wait_for_function("() => document.getElementById('attract-on').checked")
    assert table.view(SPECTATOR)["free"]["on"] and "counters" not in table.view(SPECTATOR)["free"]
    assert table.free.after == 300
    play_one(table)
    expect(desk.locator("[aria-label='Free table'] dd").nth(1)).to_have_text("1")
    expect(desk.locator("[aria-label='Free table'] dd").nth(2)).to_have_text("1")
    desk.get_by_role("button", name="Count anew").click()
    expect(desk.locator("[aria-label='Free table'] dd").nth(2)).to_have_text("0")
    operator.close()
    visit.close()


def play_one(table: LiveTable) -> None:
    assert table.command(new_match(), OPERATOR).ok
    for seat, face in ((1, 6), (2, 3), (3, 1)):
        play(table, {"do": "roll", "seat": seat, "face": face})
    play(table, {"do": "declare", "seat": 1, "against": 2})
    play(table, {"do": "play", "seat": 1, "card": "cremisi/cavalry/1"})


def test_without_records_it_teaches(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, "anthem-4") as (table, server):
        assert table.command({"cmd": "attract", "on": True}, OPERATOR).ok
        visit = Visit(browser, server, locale="it-IT", reduced_motion="reduce")
        page = visit.open("/")
        expect(page.locator(".show > header h2")).to_have_text("Una fila dall'Inizio alla Fine")
        expect(page.locator(".show .quiet")).to_have_text("Anthem in tre minuti: 1 di 8")
        visit.close()


@pytest.mark.parametrize("size", list(SIZES))
def test_it_fits_and_axe_finds_nothing(
    browser: Browser, running: tuple[LiveTable, Server], size: str
) -> None:
    theme = "light" if size == "phone" else "dark"
    visit = Visit(browser, running[1], size, color_scheme=theme, reduced_motion="reduce")
    page = visit.open("/")
    page.wait_for_function("() => document.body.dataset.scene?.startsWith('rm1-')")
    page.locator("#attract-pause").click()
    found = violations(page, ALL_RULES)
    for _ in range(3):
        page.get_by_role("button", name="Back").click()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found += violations(page, ALL_RULES)
    assert found == []
    visit.close()
