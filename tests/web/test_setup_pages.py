"""Setting a table up in a real browser, on a running table with its real wires: given a step, when somebody
does what it says, then this stands on the screen, and the table has learnt it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from host import cardlist, ndef
from host.layout import Layout, find_layout
from host.nfc.type2 import Memory, read_layout
from host.run import Options, Running
from host.virtual.tags import blank
from tests.system.evening import Evening
from tests.web.browser import PATIENCE, Visit, texts
from tests.web.test_web_live import ALL_RULES, violations
from vision.calibration import board_picture
from web.server import Server, serve
from web.setup import STEPS

expect.set_options(timeout=PATIENCE)


class Place:
    """A running virtual table, its server, and the operator's browser."""

    def __init__(self, browser: Browser, data: Path, layout: Layout, **options: Any) -> None:
        self.data = data
        self.evening = Evening(layout, data)
        self.server: Server = serve(self.evening.table, "127.0.0.1", 0, data)
        self.visit = Visit(browser, self.server, reduced_motion="reduce", **options).operator()

    def open(self, path: str) -> Page:
        return self.visit.open(path)

    def setup(self) -> dict[str, Any]:
        found: dict[str, Any] = self.evening.view()["setup"]
        return found

    def up(self, *devices: str) -> None:
        self.evening.within(120, lambda: all(self.evening.device(d) == "up" for d in devices))

    @property
    def levers(self) -> Any:
        assert self.evening.running.chaos is not None
        return self.evening.running.chaos.levers

    def close(self) -> None:
        try:
            self.visit.close()
        finally:
            self.server.stop()
            self.evening.running.stop()


@pytest.fixture(name="place")
def _place(browser: Browser, tmp_path: Path) -> Iterator[Place]:
    place = Place(browser, tmp_path, find_layout("althera-3"))
    try:
        yield place
    finally:
        place.close()


# -- spots by touch -------------------------------------------------------------------------------


def test_spots_are_touched_one_after_the_other_with_the_lamp_lit_and_kept(place: Place) -> None:
    place.up("pico")
    # The crown lies on its rest; that is no touch.
    place.evening.within(60, lambda: any(zone["cards"] for zone in place.evening.view()["zones"]))
    page = place.open("/setup/zones")
    page.get_by_role("button", name="Begin to touch").click()
    asked = page.locator(".zone-tile.asked")
    expect(asked).to_have_text("Field spotLay any card here")
    expect(page.locator("p.asked")).to_contain_text("Lay any card on the field spot of Ada.")
    pico = place.levers.picos["pico"]
    place.evening.within(20, lambda: any(pico.leds("lamps")[0]) and not any(pico.leds("lamps")[1]))
    # Whoever built this table mixed up two cables.
    for spot in ("seat2.field", "seat1.field"):
        before = page.locator(".zone-tile.done").count()
        place.evening.lay("cremisi/captain/1", spot)
        expect(page.locator(".zone-tile.done")).to_have_count(before + 1)
        place.evening.lay("cremisi/captain/1", "hand")
    expect(page.locator(".map-seat", has_text="Ada").locator(".zone-tile").first).to_contain_text(
        "pico, antenna 1"
    )
    while page.get_by_role("button", name="Leave this spot as it is").count():
        left = place.evening.view()["zone_setup"]["to_go"]
        page.get_by_role("button", name="Leave this spot as it is").click()
        place.evening.within(20, lambda left=left: place.evening.view()["zone_setup"]["to_go"] < left)  # type: ignore[misc]
        if not place.evening.view()["zone_setup"]["zone"]:
            break
    page.get_by_role("button", name="Keep the spots").click()
    expect(page.get_by_role("button", name="Begin to touch")).to_be_visible()
    place.evening.within(20, lambda: not any(any(led) for led in pico.leds("lamps")))
    expect(page.locator(".step-link.done")).to_contain_text(["Spots by touch"])
    assert {"step": "zones", "state": "done"} in place.setup()["steps"]


# -- cards ----------------------------------------------------------------------------------------


def test_a_deck_is_swept_written_and_its_list_goes_out_and_in(place: Place, tmp_path: Path) -> None:
    place.up("scan")
    page = place.open("/setup/decks")
    expect(page.locator(".counted")).to_contain_text("0 of 121 cards have a tag")
    page.get_by_label("Which cards").select_option("cremisi")
    page.get_by_label("Write on them").check()
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.locator(".enrol-next")).to_contain_text("Next:")
    first = place.evening.view()["enrolment"]["card"]
    chip = place.levers.pn532s["scan"]
    tag = blank(uid="04A1B2C3D4E501")
    chip.place(tag)
    expect(page.locator(".enrol-text")).to_contain_text(f"{first} is bound: 20 of 20 reads")
    layout = read_layout(Memory(lambda page: bytes(tag.memory[4 * page : 4 * page + 16])))
    assert layout.message is not None
    written = ndef.card_in(ndef.parse(layout.message))
    assert written is not None and written.card == first
    chip.lift(tag)
    second = place.evening.view()["enrolment"]["card"]
    page.get_by_label("Another card next").select_option("cremisi/shield/1")
    expect(page.locator(".enrol-text")).to_contain_text("Lay cremisi/shield/1 on the spot")
    # The same tag again is no other card.
    chip.place(tag)
    expect(page.locator(".enrol-text")).to_contain_text(f"{first} is bound")
    chip.lift(tag)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".counted")).to_contain_text("1 of 121")
    page.locator("summary", has_text="The list as a file").click()
    with page.expect_download() as coming:
        page.get_by_role("link", name="Save the list (CSV)").click()
    saved = cardlist.load(Path(coming.value.path()))
    assert saved == cardlist.load(place.data / "cards.csv")
    more = tmp_path / "more.csv"
    more.write_text(f"card;uid\n{second};04A1B2C3D4E502\n")
    page.get_by_label("Take a list over").set_input_files(more)
    expect(page.locator(".counted")).to_contain_text("2 of 121")
    more.write_text("card;uid\ncremisi/cavalri/1;04A1B2C3D4E503\n")
    page.get_by_label("Take a list over").set_input_files(more)
    expect(page.locator(".toast.no")).to_contain_text("which is no card. Is it cremisi/cavalry/1?")


# -- camera ---------------------------------------------------------------------------------------


def test_dice_are_shown_where_they_lie_and_the_tray_is_drawn(place: Place) -> None:
    place.up("dice")
    page = place.open("/setup/camera")
    view = page.locator(".view svg")
    expect(view).to_be_visible()
    tray = place.levers.tray
    tray.put({"crimson": 4, "gold": 2})
    shown = page.locator(".dice-now")
    expect(shown).to_contain_text("crimson: 4, sure")
    expect(shown).to_contain_text("gold: 2, sure")
    expect(page.locator(".over .sure")).to_have_count(2)
    area = page.locator(".view img").bounding_box()
    assert area is not None
    page.mouse.move(area["x"] + area["width"] * 0.25, area["y"] + area["height"] * 0.25)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.75, area["y"] + area["height"] * 0.5, steps=4)
    page.mouse.up()
    place.evening.within(30, lambda: "tray" in place.setup()["trays"].get("dice", {}))
    left, top, width, height = place.setup()["trays"]["dice"]["tray"]
    assert abs(left - 160) <= 4 and abs(top - 120) <= 4 and abs(width - 320) <= 6 and abs(height - 120) <= 6
    # Without dragging: the keyboard does the same.
    expect(page.get_by_label("Width %")).to_have_value("50")
    page.get_by_label("Width %").fill("100")
    page.get_by_label("Width %").press("Tab")
    place.evening.within(30, lambda: place.setup()["trays"]["dice"]["tray"][2] == 640)
    page.get_by_role("button", name="Forget: Whole tray").click()
    place.evening.within(30, lambda: place.setup()["trays"]["dice"] == {})


def test_the_operators_page_names_the_dice_as_the_setup_does(place: Place) -> None:
    place.up("dice")
    place.levers.tray.put({"sky blue": 5})
    page = place.open("/operator")
    expect(page.locator(".dice-now")).to_contain_text("sky blue: 5, sure")
    page.get_by_role("button", name="IT", exact=True).click()
    expect(page.locator(".dice-now")).to_contain_text("celeste: 5, sicuro")


def test_a_die_in_glare_says_why_it_has_no_number(place: Place) -> None:
    place.up("dice")
    page = place.open("/setup/camera")
    place.levers.tray.put({"crimson": 4})
    place.levers.tray.glare()
    expect(page.locator(".dice-now .unsure").first).to_contain_text("no number, because")
    expect(page.locator(".over .unsure text").first).not_to_be_empty()


def board_in_tray(path: Path) -> None:
    """A photo of the printed board lying in the tray, in warm light."""
    board = cv2.resize(board_picture(4.0), (960, 720), interpolation=cv2.INTER_AREA)
    scene = np.full((720, 1280), 110, np.uint8)
    scene[:, 160:1120] = board
    warm = np.stack([scene * 0.75, scene * 0.9, scene * 0.95], axis=2)
    cv2.imwrite(str(path), warm.astype(np.uint8))


def test_calibrating_with_the_board_gives_a_score_in_words_and_the_light(
    browser: Browser, tmp_path: Path
) -> None:
    board_in_tray(tmp_path / "board.png")
    layout = find_layout("althera-3")
    layout = replace(layout, cameras=(replace(layout.cameras[0], source=str(tmp_path / "board.png")),))
    place = Place(browser, tmp_path / "data", layout)
    try:
        place.up("dice")
        page = place.open("/setup/camera")
        expect(page.get_by_text("Not calibrated yet.")).to_be_visible()
        page.get_by_role("button", name="Calibrate now").click()
        expect(page.locator(".score")).to_contain_text("a 16 mm die is")
        expect(page.get_by_text("Light: warm light, corrected")).to_be_visible()
        assert (place.data / "cameras" / "dice.json").exists()
        assert not [one for one in place.setup()["missing"] if one["what"] == "calibration"]
    finally:
        place.close()


# -- lights ---------------------------------------------------------------------------------------


def test_a_light_is_lit_and_somebody_says_whether_it_was_seen(place: Place) -> None:
    place.up("pico")
    page = place.open("/setup/lights")
    pico = place.levers.picos["pico"]
    page.get_by_role("group", name="Light The crown").get_by_role("button", name="Blue").click()
    place.evening.within(30, lambda: all(b > 0 and not r for r, _, b in pico.leds("ring")))
    page.get_by_role("button", name="Yes").click()
    expect(page.locator(".light", has_text="The crown")).to_contain_text("seen")
    lamp = page.get_by_role("group", name="Light Field spot, Bruno")
    lamp.get_by_role("button", name="Red").click()
    place.evening.within(30, lambda: pico.leds("lamps")[1][0] > 0)
    page.get_by_role("button", name="No", exact=True).click()
    expect(page.locator(".light", has_text="Field spot, Bruno")).to_contain_text("not seen")
    place.evening.within(30, lambda: not any(pico.leds("lamps")[1]))
    page.goto(place.visit.url + "/setup/ready")
    expect(page.locator(".missing")).to_contain_text("Light seat2.field was not seen.")


# -- PIN ------------------------------------------------------------------------------------------


def test_a_new_pin_ends_every_other_session(place: Place, browser: Browser) -> None:
    other = Visit(browser, place.server).operator()
    page = place.open("/setup/pin")
    for given, again, says in (
        ("123456", "123456", "too easily guessed"),
        ("480913", "480914", "The two are not the same."),
    ):
        page.get_by_label("New PIN").fill(given)
        page.get_by_label("The same again").fill(again)
        page.get_by_role("button", name="Change the PIN").click()
        expect(page.get_by_role("alert")).to_contain_text(says)
    page.get_by_label("The same again").fill("480913")
    page.get_by_role("button", name="Change the PIN").click()
    expect(page.locator(".toast")).to_contain_text("The new PIN holds.")
    assert json.loads((place.data / "web-secrets.json").read_text())["pin"] == "480913"
    assert (place.data / "web-secrets.json").stat().st_mode & 0o777 == 0o600
    page.goto(place.visit.url + "/setup/pin")
    expect(page.get_by_label("New PIN")).to_be_visible()
    stranger = other.context.new_page()
    stranger.goto(other.url + "/operator")
    expect(stranger.get_by_label("PIN")).to_be_visible()
    other.close()
    place.visit.problems.clear()  # the browser reports the refused PIN


# -- a bare machine, and the way through ------------------------------------------------------------


def test_the_first_run_leads_through_every_step_on_a_machine_with_nothing_plugged_in(
    browser: Browser, tmp_path: Path
) -> None:
    layout = find_layout("althera-3")
    readers = tuple(replace(r, port=str(tmp_path / r.id)) for r in layout.readers)
    cameras = (replace(layout.cameras[0], source=str(tmp_path / "video9")),)
    running = Running(Options(replace(layout, readers=readers, cameras=cameras), tmp_path / "data"))
    server = serve(running.table, "127.0.0.1", 0, tmp_path / "data")
    visit = Visit(browser, server, size="phone", reduced_motion="reduce")
    try:
        running.start()
        page = visit.open("/operator")
        page.get_by_label("PIN").fill(server.guard.secrets.pin)
        page.get_by_role("button", name="Open").click()
        for at, step in enumerate(STEPS[:-1]):
            page.wait_for_url(f"**/setup/{step}")
            expect(page.locator(".step-link a[aria-current=step]")).to_be_visible()
            expect(page.locator("#skip-what")).to_contain_text("Without")
            overflow = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
            assert overflow <= 0, step
            page.locator("#next" if at % 2 else "#skip").click()
        page.wait_for_url("**/setup/ready")
        missing = texts(page, ".missing li div > p:first-child")
        for name in ("pico", "scan", "dice"):
            assert f"{name} does not answer as it should. What it would see is entered by hand." in missing
        assert any("cards have no tag" in one for one in missing)
        page.get_by_role("link", name="Set up a match").click()
        page.wait_for_url("**/operator")
        # Next time the PIN leads to the operator's page; the steps are as they were left.
        page.goto(visit.url + "/setup")
        page.wait_for_url("**/setup/ready")
        expect(page.locator(".step-link.skipped")).to_have_count(4)
        expect(page.locator(".step-link.done")).to_have_count(4)
        visit.close()
    finally:
        server.stop()
        running.stop()


@pytest.mark.parametrize(("theme", "rules"), [("dark", ALL_RULES), ("light", ["color-contrast"])])
def test_axe_finds_nothing_on_any_step(
    browser: Browser, tmp_path: Path, theme: str, rules: list[str]
) -> None:
    place = Place(browser, tmp_path, find_layout("althera-3"), color_scheme=theme)
    try:
        place.up("pico", "scan", "dice")
        place.levers.tray.put({"crimson": 4, "gold": 2})
        found: list[str] = []
        page = place.open("/setup/language")
        for step in STEPS:
            page.goto(f"{place.visit.url}/setup/{step}")
            page.wait_for_selector("body[data-ready]", state="attached")
            if step == "camera":
                page.wait_for_selector(".view img")
            if step == "zones":
                page.locator("#zones-start").click()
                page.wait_for_selector(".zone-tile.asked")
            if step == "decks":
                page.goto(f"{place.visit.url}/setup/zones")
                page.get_by_role("button", name="Stop, change nothing").click()
                page.wait_for_selector("#zones-start")
                page.goto(f"{place.visit.url}/setup/decks")
                page.locator("#enrol-start").click()
                page.wait_for_selector(".enrol-next")
            page.evaluate("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
            found += violations(page, rules)
        page.goto(f"{place.visit.url}/health")
        page.wait_for_selector("body[data-ready]", state="attached")
        found += violations(page, rules)
        assert found == []
    finally:
        place.close()
