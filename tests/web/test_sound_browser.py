"""Sound in a real Chromium: silent until wanted, each event once, the plays in the page's language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from host.table import LiveTable
from tests.web.browser import PATIENCE, Visit, shown
from tests.web.tables import EXAMPLE, OPERATOR, REST, new_match, play, served
from tests.web.test_web_live import ALL_RULES, violations
from web.server import Server

expect.set_options(timeout=PATIENCE)

#: Writes down what would be heard: pitches as the browser gets them, words as its voice is given them.
LISTEN = """
window.tones = []; window.words = [];
const set = AudioParam.prototype.setValueAtTime;
AudioParam.prototype.setValueAtTime = function (value, at) {
  if (value > 100) window.tones.push(value);  // a pitch; loudness is 1 at most
  return set.call(this, value, at);
};
speechSynthesis.speak = words => { window.words.push([words.lang, words.text]); };
"""


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[tuple[LiveTable, Server]]:
    with served(tmp_path) as (table, server):
        table.command(new_match(), OPERATOR)
        play(table, *EXAMPLE[:4])
        yield table, server


def visit_of(browser: Browser, server: Server, **options: Any) -> Visit:
    visit = Visit(browser, server, reduced_motion="reduce", **options)
    visit.context.add_init_script(LISTEN)
    return visit


def switched_on(page: Page, *names: str) -> None:
    page.get_by_role("button", name="Sound off").click()
    for name in names:
        page.get_by_role("switch", name=name).check()
    page.wait_for_function("() => document.querySelector('#sound button').innerText === 'Sound on'")


def heard(page: Page, what: str) -> list[Any]:
    found: list[Any] = page.evaluate(f"() => window.{what}")
    return found


def test_nothing_is_heard_until_somebody_wants_it(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    visit = visit_of(browser, server)
    page = visit.open()
    expect(page.locator("#sound button")).to_have_text("Sound off")
    page.locator("h2").first.click()
    play(table, *EXAMPLE[4:])
    shown(page, table)
    page.wait_for_timeout(300)
    assert (heard(page, "tones"), heard(page, "words")) == ([], [])
    visit.close()


def test_plays_and_captures_are_heard_and_spoken(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    table, server = running
    visit = visit_of(browser, server)
    page = visit.open()
    switched_on(page, "Short sounds", "Plays spoken aloud")
    page.evaluate("() => { window.tones.length = 0; }")
    play(table, EXAMPLE[4])
    page.wait_for_function("() => window.tones.length === 1 && window.words.length === 1")
    assert heard(page, "tones") == [523]
    assert heard(page, "words") == [["en", "Ada plays Cavalry (15): the field opens at 15."]]
    play(table, *EXAMPLE[5:], REST[0])
    shown(page, table)
    assert 659 not in heard(page, "tones")
    play(table, REST[1])
    page.wait_for_function(
        "() => window.tones.includes(659) && window.words.at(-1)[1].startsWith('Bruno stands')"
    )
    assert heard(page, "tones")[-3:] == [392, 523, 659]  # the capture
    assert heard(page, "words")[-1][1].startswith("Bruno stands: Bruno wins the duel at 72")
    visit.close()


def test_the_voice_speaks_the_pages_language(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    table, server = running
    visit = visit_of(browser, server, locale="it-IT")
    page = visit.open()
    page.get_by_role("button", name="Suono spento").click()
    page.get_by_role("switch", name="Giocate dette a voce").check()
    play(table, EXAMPLE[4])
    page.wait_for_function("() => window.words.length === 1")
    assert heard(page, "words") == [["it", "Ada gioca Cavalleria (15): il campo si apre a 15."]]
    visit.close()


def test_two_tabs_of_one_browser_sound_once(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    table, server = running
    visit = visit_of(browser, server)
    first, second = visit.open(), visit.open()
    switched_on(second, "Short sounds", "Plays spoken aloud")
    first.locator("h2").first.click()  # its own gesture; the choice is the browser's
    first.wait_for_function("() => document.querySelector('#sound button').innerText === 'Sound on'")
    for page in (first, second):
        page.evaluate("() => { window.tones.length = 0; }")
    play(table, EXAMPLE[4])
    for page in (first, second):
        shown(page, table)
    second.wait_for_timeout(800)
    assert len(heard(first, "tones")) + len(heard(second, "tones")) == 1
    assert len(heard(first, "words")) + len(heard(second, "words")) == 1
    visit.close()


def test_after_loading_again_it_waits_for_a_gesture_and_says_so(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    visit = visit_of(browser, server)
    switched_on(visit.open(), "Short sounds")
    page = visit.untouched()
    expect(page.locator("#sound button")).to_have_text("Tap for sound")
    play(table, EXAMPLE[4])
    shown(page, table)
    assert heard(page, "tones") == []
    page.locator("h2").first.click()
    expect(page.locator("#sound button")).to_have_text("Sound on")
    visit.close()


def test_every_cue_is_short_heard_and_not_too_loud(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    visit = Visit(browser, running[1])
    page = visit.open()
    figures: dict[str, list[float]] = page.evaluate(
        """async () => {
          const boot = JSON.parse(document.getElementById("boot").textContent);
          const sound = await import(`${boot.base}/js/sound.js`);
          const found = {};
          for (const name of ["play", "capture", "warning", "roll", "win"]) {
            const audio = new OfflineAudioContext(1, 44100 * 2, 44100);
            const ends = sound.cue(audio, name, 0);
            const samples = (await audio.startRendering()).getChannelData(0);
            const most = samples.reduce((top, one) => Math.max(top, Math.abs(one)), 0);
            const rest = samples.slice(Math.ceil(ends * 44100) + 50);
            const after = rest.reduce((top, one) => Math.max(top, Math.abs(one)), 0);
            found[name] = [ends, most, after];
          }
          return found;
        }"""
    )
    for name, (ends, most, after) in figures.items():
        assert 0.05 < ends < 1.0, name
        assert 0.05 < most <= 0.6, name
        assert after < 0.001, name
    assert len({tuple(figure) for figure in figures.values()}) == 5  # no two alike
    visit.close()


def test_what_is_heard_of_a_view(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    """Warnings, rolls and the winner, from one view to the next."""
    visit = Visit(browser, running[1])
    page = visit.open()
    said = page.evaluate(
        """async () => {
          const boot = JSON.parse(document.getElementById("boot").textContent);
          const { cuesOf } = await import(`${boot.base}/js/sound.js`);
          const calm = { boot: "b", match: { id: "m1" }, findings: [], dice: { awaited: [] }, events: [],
            game: { duels: [{ steps: [] }], seats: [], last_duel: null, winners: null } };
          const found = { id: "f1", open: true, severity: "illegal" };
          const with_ = more => ({ ...calm, ...more, game: { ...calm.game, ...(more.game || {}) } });
          return [
            cuesOf(null, calm), cuesOf(calm, calm),
            cuesOf(calm, with_({ findings: [found] })),
            cuesOf(with_({ findings: [found] }), with_({ findings: [found] })),
            cuesOf(calm, with_({ dice: { awaited: [{ seat: 1 }] } })),
            cuesOf(calm, with_({ game: { winners: [1] } })),
            cuesOf(calm, with_({ match: { id: "m2" }, game: { winners: [1] } })),
            cuesOf(calm, with_({ game: { last_duel: { captured: [] } } })),
          ];
        }"""
    )
    assert said == [[], [], ["warning"], [], ["roll"], ["win"], [], ["play"]]
    visit.close()


def test_the_switch_is_found_by_keyboard_and_axe_finds_nothing(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    visit = Visit(browser, running[1], "phone", reduced_motion="reduce")
    page = visit.open()
    button = page.get_by_role("button", name="Sound off")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("switch", name="Short sounds")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page, ALL_RULES) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("switch", name="Short sounds")).to_be_hidden()
    visit.close()
