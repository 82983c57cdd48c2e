"""The rulebook in a real browser: search as you type, the conversation, paper, phones, readers of screens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browser import Visit, chromium
from tests.web.tables import EXAMPLE, OPERATOR, new_match, play, served
from tests.web.test_web_live import ALL_RULES, violations
from web.server import Server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data: Path = tmp_path_factory.mktemp("rules")
    with served(data) as (table, server):
        table.command(new_match(), OPERATOR)
        play(table, *EXAMPLE[:7])
        yield server


def opened(visit: Visit, path: str) -> Page:
    page = visit.context.new_page()
    page.on("pageerror", lambda error: visit.problems.append(str(error)))
    page.on("console", lambda said: visit.problems.append(said.text) if said.type == "error" else None)
    page.goto(f"{visit.url}{path}")
    return page


def test_search_as_you_type_finds_and_leads_to_the_rule(browser: Browser, server: Server) -> None:
    visit = Visit(browser, server)
    page = opened(visit, "/rules/althera")
    page.locator("#find").press_sequentially("can I fle")
    expect(page.locator("#hits a").first).to_contain_text("ALT-6")
    page.locator("#find").press("Enter")
    page.wait_for_url("**#ALT-6*")
    expect(page.locator("#hits")).to_be_hidden()
    assert page.locator("article.para:target").is_visible()
    page.locator("#find").fill("zzzzz")
    expect(page.locator("#hits")).to_contain_text("Nothing in the rules on that.")
    assert visit.problems == []


def test_a_conversation_with_the_table(browser: Browser, server: Server) -> None:
    visit = Visit(browser, server, "phone", color_scheme="light")
    page = opened(visit, "/ask")
    for question in ("what is the field worth?", "and if I alter it up?", "who painted the cards?"):
        page.locator("#question").fill(question)
        page.keyboard.press("Enter")
        expect(page.locator(".said.mine").last).to_have_text(question)
        expect(page.locator(".said.waits")).to_have_count(0)
    told = page.locator(".said.theirs")
    expect(told.nth(0)).to_contain_text("15 + 9 + 2 = 26")
    expect(told.nth(1)).to_contain_text("26 × 1.5 = 39")
    expect(told.nth(2)).to_have_text("The rulebook doesn't say.")
    assert told.nth(1).locator("a.rule-id").first.get_attribute("href") == "/rules/althera#ALT-5.3"
    assert page.url.endswith("/ask")
    assert visit.problems == []


def test_on_a_phone_the_open_tab_is_in_sight(browser: Browser, server: Server) -> None:
    visit = Visit(browser, server, "phone", locale="it-IT")
    page = opened(visit, "/ask")
    expect(page.locator(".tabs-row [aria-current]")).to_be_in_viewport(ratio=1)
    visit.close()


@pytest.mark.parametrize(("size", "scheme"), [("phone", "light"), ("laptop", "dark"), ("tv", "light")])
def test_every_page_fits_and_can_be_read_by_everybody(
    browser: Browser, server: Server, size: str, scheme: str
) -> None:
    visit = Visit(browser, server, size, color_scheme=scheme, locale="it-IT")
    paths = ["/rules/althera", "/rules/anthem", "/c/aurea/champion/1", "/c/s1/dead", "/ask?q=posso+scappare"]
    paths += [f"/rules/althera/{page}" for page in ("quick", "rulings", "cards")]
    found: list[str] = []
    for path in paths:
        page = opened(visit, path)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, (path, size, wide)
        if size == "laptop" and "anthem" not in path and "cards" not in path:
            page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
            found += violations(page, ALL_RULES)
            page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
            found += violations(page, ["color-contrast"])
        page.close()
    assert found == []
    assert visit.problems == []


@pytest.mark.parametrize("locale", ["en-GB", "it-IT"])
@pytest.mark.parametrize("game", ["althera", "anthem"])
def test_the_quick_reference_is_one_sheet_of_paper(
    browser: Browser, server: Server, game: str, locale: str
) -> None:
    visit = Visit(browser, server, locale=locale)
    page = opened(visit, f"/rules/{game}/quick")
    paper = page.pdf(format="A4", prefer_css_page_size=True)
    assert paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") + paper.count(b"/Type /Page/") == 1
