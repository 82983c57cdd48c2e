"""A real browser before the served pages: what is shown is what the engine says."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from host.face import Who
from host.table import LiveTable
from tests.web.browser import PATIENCE, SIZES, Visit, shown, texts
from tests.web.scripted_world import ScriptedWorld
from tests.web.tables import EXAMPLE, OPERATOR, REST, SPECTATOR, live_table, new_match, play, served
from web.server import Server, serve

Json = dict[str, Any]
expect.set_options(timeout=PATIENCE)


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[tuple[LiveTable, Server]]:
    with served(tmp_path) as (table, server):
        yield table, server


#: All figures of the table page in one question: each answer takes a way to the browser and back.
READ = """() => {
  const text = n => n.innerText.replace(/\\s+/g, " ").trim();
  const all = (s, root = document) => [...root.querySelectorAll(s)].map(text);
  return {
    values: all(".arena .value"), owners: all(".arena .owner"),
    arenas: [...document.querySelectorAll(".arena")].map(a => ({
      cards: all(".pile .low", a), sums: all(".sum", a), turn: all(".fighter:has(.badge.now) h3", a)})),
    counts: all(".score .count"), hands: all(".score-parts span:first-child"),
    now: all(".pair.now").length, left: all(".pair.left").length,
    victory: all(".victory .stage-title"), newest: all(".event summary span")[0]};
}"""


def _as_shown(told: str) -> str:
    """A sum as the table page writes it: an odd field has no whole half, and what became of that is said."""
    field, sign, by = [*told.split(), "", ""][:3]
    note = ""
    if sign == "x" and int(field) % 2:
        note = " (rounded up)"
    if sign == "-" and 2 * int(by) > int(field):
        note = " (half, rounded up, comes off)"
    return told.replace(" x ", " × ").replace(" - ", " − ") + note


def check_table(page: Page, table: LiveTable) -> None:
    """Every figure of the table page against the view it was drawn from."""
    shown(page, table)
    view = table.view(SPECTATOR)
    game, names = view["game"], {s["seat"]: s["name"] for s in view["seats"]}
    values = [str(d["field"]["value"]) if d["field"] else "—" for d in game["duels"]]
    page.wait_for_function(
        "want => [...document.querySelectorAll('.arena .value')].map(n => n.innerText).join() === want",
        arg=",".join(values),
    )
    found = page.evaluate(READ)
    assert found["owners"] == [
        f"{names[d['field']['owner']]} owns it"
        if d["field"]
        else f"{names[d['to_play'] or d['attacker']]} opens the field"
        for d in game["duels"]
    ]
    for arena, duel in zip(found["arenas"], game["duels"], strict=True):
        assert arena["cards"] == [s["card"].split("/")[1].capitalize() for s in duel["steps"]]
        assert arena["sums"] == [_as_shown(s["sum"]) for s in duel["steps"] if s["sum"]][-1:]
        asked = duel["awaiting_roll"] or duel["to_play"]
        assert arena["turn"] == ([names[asked]] if str(asked) in duel["played"] else [])
    assert found["counts"] == [str(s["cards"]) for s in game["seats"]]
    assert found["hands"] == [f"{s['hand']} in hand" for s in game["seats"]]
    if game["phase"] in ("duels", "tiebreak") and sum(not s["out"] for s in game["seats"]) > 1:
        assert found["now"] == len(game["duels"])
        assert found["left"] == len(game["pairs_left"]) - len(game["duels"])
    if game["winners"]:
        assert all(names[winner] in found["victory"][0] for winner in game["winners"])
    assert found["newest"].startswith(view["events"][0]["text"])


@pytest.mark.parametrize("size", list(SIZES))
def test_the_rulebooks_example_at_every_size(
    browser: Browser, running: tuple[LiveTable, Server], size: str
) -> None:
    table, server = running
    visit = Visit(browser, server, size)
    page = visit.open()
    expect(page.locator(".stage-title")).to_have_text("The throne is empty")
    table.command(new_match(), OPERATOR)
    shown(page, table)
    assert texts(page, ".contenders b") == ["Ada", "Bruno", "Chiara"]
    for action in (*EXAMPLE, *REST):
        play(table, action)
        check_table(page, table)
    expect(page.locator(".outcome h3")).to_have_text("Bruno wins at 72")
    assert len(texts(page, ".outcome .captured")) == 3
    changes = [text.replace(" ", "") for text in texts(page, ".score .change")]
    assert changes == ["▼fewerby3", "▲moreby3"]
    # Nothing is wider than the screen.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visit.close()


@pytest.mark.parametrize("seats", [2, pytest.param(5, marks=[pytest.mark.soak, pytest.mark.timeout(3000)])])
def test_a_whole_match_with_two_seats_an_operator_and_a_spectator_open(
    browser: Browser, tmp_path: Path, seats: int
) -> None:
    with served(tmp_path, "althera-5") as (table, server):
        assert table.command(new_match(seats=seats), OPERATOR).ok
        watch_a_match(browser, table, server)


def watch_a_match(browser: Browser, table: LiveTable, server: Server) -> None:
    rng = random.Random(11)
    # Numbers that count up would be waited for at every step; that they end right is tested above.
    visits = [
        Visit(browser, server, "tv", reduced_motion="reduce"),
        Visit(browser, server, "phone").seat(1),
        Visit(browser, server, "phone").seat(2),
        Visit(browser, server, "laptop").operator(),
    ]
    pages = [
        visit.open(path) for visit, path in zip(visits, ("/", "/seat/1", "/seat/2", "/operator"), strict=True)
    ]
    steps = 0
    while True:
        game, state, public = table.public_state()
        if public["phase"] == "over":
            break
        choices = [game.dump(action) for action in game.actions(state)]
        # Redraws and retreats are legal for ever so long; a real table seldom makes them.
        keen = [c for c in choices if c["do"] not in ("redraw", "retreat")] or choices
        play(table, rng.choice(keen))
        steps += 1
        check_table(pages[0], table)
        if steps % 8:
            continue
        for page, seat in ((pages[1], 1), (pages[2], 2)):
            shown(page, table)
            mine = next(s for s in table.view(SPECTATOR)["game"]["seats"] if s["seat"] == seat)
            assert texts(page, ".numbers dd")[:3] == [str(mine[k]) for k in ("cards", "hand", "deck")]
        shown(pages[3], table)
        assert texts(pages[3], ".score .count") == texts(pages[0], ".score .count")
    assert steps > 15
    for visit in visits:
        visit.close()


def test_anthem_is_shown_place_by_place(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, "anthem-4") as (table, server):
        table.command(new_match("anthem", 4), OPERATOR)
        visit = Visit(browser, server, "tv")
        page = visit.open()
        moves: tuple[Json, ...] = (
            {"do": "lay", "seat": 1, "card": "s2/4", "place": 3},
            {"do": "lay", "seat": 2, "card": "s3/6", "place": 4},
            {"do": "keep", "seat": 3},
        )
        for move in moves:
            play(table, move)
            shown(page, table)
            game = table.view(SPECTATOR)["game"]
            for i, seat in enumerate(game["seats"]):
                layout = page.locator(".layout").nth(i)
                want = [c.split("/")[1] if c else str(p) for p, c in enumerate(seat["layout"])]
                assert (
                    texts(layout, ".place [aria-hidden=true] .big, .place > span[aria-hidden=true]") == want
                )
                assert f"{seat['hand']} in hand" in layout.inner_text()
            mover = page.locator(".layout.turn h2").inner_text()
            assert mover == {s["seat"]: s["name"] for s in table.view(SPECTATOR)["seats"]}[game["to_move"]]
        # Each of the four is in sight on a laptop and in a stream's small picture.
        for path, size in (("/", (1366, 768)), ("/overlay", (1280, 720))):
            page = visit.open(path)
            page.set_viewport_size({"width": size[0], "height": size[1]})
            expect(page.locator(".layout")).to_have_count(4)
            ends = page.locator(".layout").evaluate_all(
                "all => all.map(e => e.getBoundingClientRect().bottom)"
            )
            assert max(ends) <= size[1]
        visit.close()


def test_the_operator_enters_undoes_and_begins_anew(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    visit = Visit(browser, server).operator()
    page = visit.open("/operator")
    page.get_by_label("Players").select_option("2")
    page.get_by_label("Seat 1").fill("Zoe")
    page.get_by_label("House").nth(1).select_option("quercia")
    page.get_by_text("Rules of this table").click()
    page.get_by_label("Must the defender play a last card").select_option("required")
    page.get_by_role("button", name="Begin the match").click()
    shown(page, table)
    page.wait_for_selector(".seat-button")
    view = table.view(SPECTATOR)
    assert (view["seats"][0]["name"], view["seats"][0]["house"]) == ("Zoe", "cremisi")
    assert view["seats"][1]["house"] == "quercia"
    for name, face in (("Zoe", 6), (view["seats"][1]["name"], 2)):
        page.locator(".seat-button", has_text=name).click()
        page.get_by_role("button", name=f"Rolled a {face}").click()
        page.wait_for_function("seq => Number(document.body.dataset.seq) > seq", arg=view["seq"])
        view = table.view(SPECTATOR)
    page.locator(".seat-button", has_text="Zoe").click()
    page.locator("fieldset", has_text="Challenge to a duel").get_by_role("button").first.click()
    page.locator(".pick[aria-label='Captain 37, Fortezza Cremisi']").click()
    expect(page.locator(".confirm p")).to_have_text("Zoe plays Captain 37, Fortezza Cremisi.")
    page.get_by_role("button", name="Enter it", exact=True).click()
    page.wait_for_function("() => document.body.innerText.includes('the field opens at 37')")
    assert table.view(SPECTATOR)["game"]["duels"][0]["field"] == {"owner": 1, "value": 37}
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".confirm b")).to_contain_text("Captain")
    page.get_by_role("button", name="Yes, take it back").click()
    page.wait_for_selector("button:has-text('Redo'):not([disabled])")
    assert table.view(SPECTATOR)["game"]["duels"][0]["field"] is None
    page.get_by_role("button", name="Redo").click()
    page.wait_for_selector("button:has-text('Redo')[disabled]")
    assert table.view(SPECTATOR)["game"]["duels"][0]["field"] == {"owner": 1, "value": 37}
    # "It was the 23, not the 37".
    event = page.locator(".event", has_text="the field opens at 37")
    event.locator("summary").click()
    event.get_by_role("button", name="It was another").click()
    page.locator(".evidence .pick[aria-label='Guardian 23, Fortezza Cremisi']").click()
    page.wait_for_function("() => document.body.innerText.includes('corrected')")
    assert table.view(SPECTATOR)["game"]["duels"][0]["field"] == {"owner": 1, "value": 23}
    visit.close()


def test_what_the_rules_refuse_can_be_forced_by_the_operator(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    table.command(new_match(), OPERATOR)
    play(table, *EXAMPLE[:4])
    visit = Visit(browser, server).operator()
    page = visit.open("/operator")
    page.locator(".seat-button", has_text="Bruno").click()
    page.get_by_text("What you can't do now, and why").click()
    expect(page.locator(".why-not")).to_contain_text("ALT-4.2")
    page.get_by_label("Enter it even if the rules say no").check()
    page.locator(".pick[aria-label='Cavalry 15, Corona Aurea']").click()
    page.get_by_role("button", name="Enter it", exact=True).click()
    page.wait_for_selector(".finding.warning")
    assert table.view(SPECTATOR)["game"]["duels"][0]["plays"] == ["aurea/cavalry/1"]
    page.locator(".finding.warning").first.get_by_role("button", name="Wave it through").click()
    page.wait_for_selector(".finding.warning", state="detached")
    visit.close()


def test_a_phone_at_a_seat_plays_from_the_qr_link(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    table.command(new_match(), OPERATOR)
    play(table, *EXAMPLE[:4])
    visit = Visit(browser, server, "phone", has_touch=True)
    page = visit.open("/seat/1")
    expect(page.locator(".note")).to_contain_text("You are watching")
    assert not page.locator(".action-form").count()
    page.goto(visit.url + server.seat_path(1))
    assert page.url == f"{visit.url}/seat/1"
    expect(page.locator(".state")).to_have_text("It is your play")
    page.locator(".pick[aria-label='Cavalry 15, Fortezza Cremisi']").tap()
    page.get_by_role("button", name="Enter it", exact=True).tap()
    page.wait_for_function("() => document.querySelector('.value')?.innerText === '15'")
    expect(page.locator(".state")).to_have_text("Bruno is to play")
    page.get_by_role("button", name="Ask a judge").tap()
    page.wait_for_function("() => document.body.innerText.includes('asks for a judge')")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "seat 1" in table.view(SPECTATOR)["events"][0]["who"]
    visit.close()


def test_the_virtual_table_by_mouse_keyboard_and_touch(browser: Browser, tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        world = ScriptedWorld(table)
        table.virtual = world
        server = serve(table, "127.0.0.1", 0, tmp_path)
        table.command(new_match(), OPERATOR)
        visit = Visit(browser, server, has_touch=True).operator()
        page = visit.open("/virtual")
        # Who has only this page open is told what the match waits for.
        expect(page.locator(".stage")).to_contain_text("Who takes the crown?")
        play(table, *EXAMPLE[:3])
        expect(page.locator(".stage")).to_contain_text("declares a duel")
        play(table, *EXAMPLE[3:4])
        page.locator("[data-thing='cremisi/cavalry/1']").drag_to(page.locator("[data-zone='seat1.field']"))
        page.wait_for_function("() => document.querySelector('.value')?.innerText === '15'")
        # The same with the keyboard: pick up, then choose where to lay.
        page.locator("[data-thing='aurea/captain/1']").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".holding")).to_contain_text("Captain 37")
        page.locator("[data-zone='seat2.field'] .lay").focus()
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelector('.value')?.innerText === '52'")
        page.locator("[data-thing='crown']").tap()
        page.locator("[data-zone='seat2.crown'] .lay").tap()
        page.wait_for_selector("[data-zone='seat2.crown'] [data-thing='crown']")
        page.get_by_label("pico plugged in").uncheck()
        page.wait_for_function("() => document.body.innerText.includes('pico unplugged')")
        page.get_by_label("Glare on the dice tray").check()
        page.wait_for_function("() => document.querySelectorAll('input[role=switch]:checked').length === 3")
        assert world.done[:2] == [
            {"move": "cremisi/cavalry/1", "to": "seat1.field"},
            {"move": "aurea/captain/1", "to": "seat2.field"},
        ]
        assert world.lying["crown"] == "seat2.crown"
        assert (world.unplugged, world.troubles) == ({"pico"}, {"glare"})
        visit.close()
        server.stop()


def test_words_follow_the_visitors_language(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1], locale="it-IT")
    page = visit.open()
    expect(page.locator(".stage-title")).to_have_text("Il trono è vuoto")
    assert page.locator("html").get_attribute("lang") == "it"
    page.get_by_role("button", name="EN", exact=True).click()
    expect(page.locator(".stage-title")).to_have_text("The throne is empty")
    visit.close()


@pytest.mark.parametrize("locale", ["en-GB", "it-IT"])
def test_a_thumb_hits_everything_in_the_head(
    browser: Browser, running: tuple[LiveTable, Server], locale: str
) -> None:
    """WCAG 2.2, 2.5.8: 24 by 24 pixels. The language is never left alone on a line of its own."""
    visit = Visit(browser, running[1], "phone", locale=locale)
    page = visit.open("/matches")
    boxes = page.locator(".top a, .top button").evaluate_all(
        "all => all.filter(one => one.offsetParent).map(one => one.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) >= 7
    assert [box for box in boxes if min(box["width"], box["height"]) < 24 or box["right"] > 360] == []
    theme, language = boxes[-2:]
    assert theme["top"] == language["top"]
    visit.close()


def test_a_laptops_head_is_one_line_in_the_longer_language_too(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    table.command(new_match(), OPERATOR)
    visit = Visit(browser, server, locale="it-IT")
    page = visit.open()
    expect(page.locator("#top-state")).to_contain_text("Turno 1 di 3")
    match, names = (page.locator(at).bounding_box() for at in ("#top-state", ".nav"))
    assert match is not None and names is not None
    assert match["y"] + match["height"] > names["y"]
    visit.close()


def test_the_theme_is_the_visitors_and_stays(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    visit = Visit(browser, running[1])
    page = visit.open()
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Light", exact=True).click()
    light = page.evaluate(ground)
    page.reload()
    assert page.evaluate(ground) == light != dark
    visit.close()


def test_the_overlay_is_transparent_and_keeps_its_delay(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    table.command(new_match(), OPERATOR)
    play(table, *EXAMPLE[:-1])
    visit = Visit(browser, server, "tv", reduced_motion="reduce")
    page = visit.open("/overlay?delay=3")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    expect(page.locator(".value")).to_have_text("26")
    began = time.monotonic()
    play(table, EXAMPLE[-1])
    expect(page.locator(".value")).to_have_text("63")
    assert time.monotonic() - began > 2.5
    assert texts(page, ".tally-bar b") == ["24", "24", "24"]
    visit.close()


def test_announcements_and_calls_for_a_judge_stand_out(
    browser: Browser, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    table.command(new_match(), OPERATOR)
    visit = Visit(browser, server).operator()
    page = visit.open()
    table.command({"cmd": "announce", "text": "Five minutes left."}, OPERATOR)
    table.command({"cmd": "judge"}, Who("seat", "2"))
    expect(page.locator(".call")).to_have_text("Announcement: Five minutes left.")
    page = visit.open("/operator")
    expect(page.locator(".call")).to_have_text("At a seat: Bruno asks for a judge.")
    visit.close()


def test_a_double_click_begins_one_match(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    table, server = running
    visit = Visit(browser, server, "phone").operator()
    page = visit.open("/operator")
    page.get_by_role("button", name="Begin the match").dblclick()
    expect(page.locator(".toast")).to_have_text("The match begins.")
    shown(page, table)
    assert [e["kind"] for e in table.entries(after=0)].count("match") == 1
    assert page.evaluate("scrollY") == 0  # the match itself is what is looked at next
    assert visit.problems == []
    visit.close()


def test_put_back_twice_in_a_row_puts_two_back(browser: Browser, running: tuple[LiveTable, Server]) -> None:
    table, server = running
    table.command(new_match(), OPERATOR)
    play(table, *EXAMPLE)
    for _ in range(2):
        assert table.command({"cmd": "undo"}, OPERATOR).ok
    visit = Visit(browser, server).operator()
    page = visit.open("/operator")
    page.get_by_role("button", name="Redo").dblclick()
    expect(page.locator(".toast")).to_have_count(2)
    shown(page, table)
    assert [e["kind"] for e in table.entries(after=0)].count("redo") == 2
    visit.close()
