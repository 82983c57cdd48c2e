"""From the code on the table's screen to an answer that is deleted again, in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from host.feedback import answers
from host.table import LiveTable
from tests.host.long_matches import legal_walk, written
from tests.web.browser import PATIENCE, SIZES, Visit
from tests.web.tables import OPERATOR, live_table, new_match
from tests.web.test_web_live import ALL_RULES, violations
from web.server import Server, serve

expect.set_options(timeout=PATIENCE)
WORDS = "The bridge of sighs held us up"


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[tuple[LiveTable, Server]]:
    """m1: a whole match of three, over; the table is open to its network, as it is for phones."""
    written(tmp_path, "althera", [legal_walk("althera", 3, 7)])
    with live_table(tmp_path) as table:
        table.matches(60.0)
        server = serve(table, "0.0.0.0", 0, tmp_path)
        try:
            yield table, server
        finally:
            server.stop()


def decoded(page: Page) -> str:
    """What a phone's camera reads in the code on this screen."""
    code = page.locator(".how-was-it img")
    code.wait_for()
    page.wait_for_function("() => document.querySelector('.how-was-it img').naturalWidth > 0")
    picture = cv2.imdecode(np.frombuffer(code.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    text, _, _ = cv2.QRCodeDetector().detectAndDecode(picture)
    return text


def tab_to(page: Page, selector: str) -> None:
    """Goes on by the Tab key until that element has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"{selector} is not reached by keyboard")


@pytest.mark.parametrize("size", SIZES)
def test_the_code_on_the_end_screen_opens_the_matchs_form(
    browser: Browser, running: tuple[LiveTable, Server], size: str
) -> None:
    visit = Visit(browser, running[1], size, reduced_motion="reduce")
    screen = visit.open("/")
    text = decoded(screen)
    assert text.startswith("http://") and text.endswith(f":{running[1].port}/feedback/m1")
    phone = visit.context.new_page()
    phone.goto(text)
    expect(phone.locator("h1")).to_have_text("How was it?")
    visit.close()


def test_by_keyboard_given_changed_and_deleted(
    browser: Browser, running: tuple[LiveTable, Server], tmp_path: Path
) -> None:
    visit = Visit(browser, running[1], "phone", reduced_motion="reduce")
    page = visit.open("/feedback/m1")
    keys = page.keyboard
    tab_to(page, "input[name=fun]")
    keys.press("Space")
    for _ in range(3):
        keys.press("ArrowRight")
    tab_to(page, "input[name=length]")
    keys.press("Space")
    tab_to(page, "textarea")
    keys.type(WORDS)
    tab_to(page, "#moments > summary")
    keys.press("Enter")
    page.wait_for_selector("ol#time-line")
    tab_to(page, "#time-line input")
    keys.press("ArrowDown")
    picked = page.locator("#picked").inner_text()
    assert "against" in picked
    tab_to(page, "#seat")
    keys.press("ArrowDown")
    tab_to(page, "#send")
    keys.press("Enter")
    expect(page.locator("#kept")).to_have_text("Thank you")
    (given,) = answers(tmp_path)
    assert given.said.scales == {"fun": 4, "length": 1}
    assert (given.said.text, given.said.seat) == (WORDS, 1)
    assert given.said.moment is not None and given.said.moment.kind == "duel"

    tab_to(page, ".change > summary")
    keys.press("Enter")
    expect(page.locator("textarea")).to_have_value(WORDS)
    expect(page.locator("input[name=fun]:checked")).to_have_value("4")
    tab_to(page, "textarea")
    keys.press("End")
    keys.type(" no more")
    tab_to(page, "#send")
    keys.press("Enter")
    page.wait_for_function("() => !document.querySelector('.change').open")
    (changed,) = answers(tmp_path)
    assert (changed.id, changed.said.text) == (given.id, f"{WORDS} no more")
    assert changed.said.moment == given.said.moment and changed.said.scales == given.said.scales

    tab_to(page, ".kept button")
    keys.press("Enter")
    expect(page.locator(".note")).to_have_text("Your answer is deleted.")
    expect(page.locator("textarea")).to_have_value("")
    assert answers(tmp_path) == []
    visit.close()


def test_what_is_typed_outlives_a_table_that_is_gone_and_a_page_that_is_loaded_again(
    browser: Browser, running: tuple[LiveTable, Server], tmp_path: Path
) -> None:
    visit = Visit(browser, running[1], "phone", reduced_motion="reduce")
    page = visit.open("/feedback/m1")
    page.locator("textarea").fill(WORDS)
    page.locator("label", has=page.locator("input[name=fun][value='2']")).click()
    page.route("**/feedback/m1", lambda r: r.abort() if r.request.method == "POST" else r.continue_())
    page.locator("#send").click()
    expect(page.locator("#problem")).to_have_text(
        "The table does not answer. What you wrote is still here: stay in its network and try again."
    )
    page.reload()
    expect(page.locator("textarea")).to_have_value(WORDS)
    expect(page.locator("input[name=fun]:checked")).to_have_value("2")
    page.unroute("**/feedback/m1")
    page.locator("#send").click()
    expect(page.locator("#kept")).to_be_visible()
    assert [(one.said.text, one.said.scales) for one in answers(tmp_path)] == [(WORDS, {"fun": 2})]
    # Sent is sent: nothing of it waits in the tab for the next who opens the form.
    page.locator(".kept button").click()
    expect(page.locator(".note")).to_be_visible()
    page.reload()
    expect(page.locator("textarea")).to_have_value("")
    visit.close()


def test_an_empty_answer_is_one_sentence_above_the_button(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    visit = Visit(browser, running[1], "phone", reduced_motion="reduce")
    page = visit.open("/feedback/m1")
    page.locator("#send").click()
    expect(page.locator("#problem")).to_contain_text("There is nothing in this answer yet.")
    visit.problems.clear()  # the browser reports the 422 itself
    visit.close()


def test_the_form_works_without_scripts(
    browser: Browser, running: tuple[LiveTable, Server], tmp_path: Path
) -> None:
    visit = Visit(browser, running[1], "phone", java_script_enabled=False)
    page = visit.open("/feedback/m1")
    page.locator("input[name=fair][value='5']").check(force=True)
    page.locator("textarea").fill(WORDS)
    page.locator("#send").click()
    expect(page.locator("#kept")).to_be_visible()
    assert [one.said.scales for one in answers(tmp_path)] == [{"fair": 5}]
    page.locator(".kept button").click()
    expect(page.locator(".note")).to_be_visible()
    assert answers(tmp_path) == []
    visit.close()


def test_from_a_seats_page_the_seat_is_known(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1], "phone", reduced_motion="reduce").seat(2)
    page = visit.open("/seat/2")
    page.get_by_role("link", name="How was it? One minute.").click()
    expect(page.locator("#seat")).to_have_value("2")
    visit.close()


def test_the_code_goes_from_open_screens_when_the_host_stops_asking(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    screen, desk = Visit(browser, running[1]), Visit(browser, running[1]).operator()
    wall, seat = screen.open("/"), screen.seat(1).open("/seat/1")
    expect(wall.locator(".how-was-it")).to_be_visible()
    expect(seat.locator(".how a")).to_be_visible()
    page = desk.open("/feedback")
    page.get_by_role("button", name="Stop asking").click()
    expect(page.get_by_role("button", name="Ask after each match")).to_be_visible()
    expect(wall.locator(".how-was-it")).to_have_count(0)
    expect(seat.locator(".how a")).to_have_count(0)
    page.get_by_role("button", name="Ask after each match").click()
    expect(wall.locator(".how-was-it")).to_be_visible()
    screen.close()
    desk.close()


def test_the_host_flags_this_moment_with_one_tap_and_finds_it_in_the_report(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    running[0].command(new_match(), OPERATOR)
    desk = Visit(browser, running[1], "phone", reduced_motion="reduce").operator()
    page = desk.open("/operator")
    page.get_by_role("button", name="Flag this moment").click()
    expect(page.locator(".toast")).to_be_visible()
    page.goto(f"{desk.url}/feedback")
    expect(page.locator("#m2 li")).to_contain_text("Flagged")
    desk.close()


@pytest.mark.parametrize(("theme", "rules"), [("dark", ALL_RULES), ("light", ["color-contrast"])])
@pytest.mark.parametrize("size", ["phone", "laptop"])
def test_it_fits_and_axe_finds_nothing(
    browser: Browser, running: tuple[LiveTable, Server], theme: str, rules: list[str], size: str
) -> None:
    options = {"color_scheme": theme, "reduced_motion": "reduce", "locale": "it-IT"}
    visit = Visit(browser, running[1], size, **options).operator()
    found: list[str] = []

    def look(page: Page) -> None:
        found.extend(violations(page, rules))
        wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, page.url

    page = visit.open("/feedback/m1")
    look(page)
    page.locator("#moments > summary").click()
    page.wait_for_selector("ol#time-line")
    page.evaluate("() => document.querySelectorAll('#time-line details').forEach(d => { d.open = true; })")
    look(page)
    page.locator("#time-line input").nth(3).check()
    page.locator("label", has=page.locator("input[name=fun][value='2']")).click()
    page.locator("textarea").fill(f"{WORDS} {'endlessly' * 30}")
    page.locator("#send").click()
    expect(page.locator("#kept")).to_be_visible()
    page.locator(".change > summary").click()
    look(page)
    for path in ("/feedback", "/feedback?match=m1", "/"):
        page = visit.open(path)
        page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
        look(page)
    running[0].command({"cmd": "setup-asking", "on": False}, OPERATOR)
    look(visit.open("/feedback/m1"))
    visit.close()
    assert found == []
