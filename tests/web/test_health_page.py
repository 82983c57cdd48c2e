"""The health page and what lies behind it: the doctor's own words, a searchable log, a bundle for helpers,
and nothing of all that for anybody without the PIN."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from host.doctor import examine_machine
from host.layout import find_layout
from host.logs import LINES, read_log
from tests.system.evening import Evening
from tests.web.browser import PATIENCE, Visit, chromium
from tests.web.clients import Visitor, boot_of
from web.security import Guard
from web.server import serve

expect.set_options(timeout=PATIENCE)
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
OPERATORS = (
    "/api/v1/health",
    "/api/v1/log",
    "/api/v1/setup",
    "/api/v1/setup/look?camera=dice",
    "/health/bundle.zip",
    "/setup/cards.csv",
    "/setup",
    "/setup/pin",
)


@pytest.fixture(name="evening", scope="module")
def _evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    data = tmp_path_factory.mktemp("data")
    write_log(data)
    evening = Evening(find_layout("althera-3"), data)
    evening.within(120, lambda: all(evening.device(d) == "up" for d in ("pico", "scan", "dice")))
    try:
        yield evening
    finally:
        evening.running.stop()


def write_log(data: Path) -> None:
    lines = [f"2026-01-01 10:00:{n % 60:02d},000 INFO host.table: line number {n}" for n in range(300)]
    lines += [
        "2026-01-02 11:00:00,000 WARNING nfc: a stranger's tag 04AABBCCDDEEFF and DE:AD:BE:EF:01:02:03",
        "2026-01-02 11:00:01,000 ERROR host.table: Ada's move failed, PIN 123456",
        "Traceback (most recent call last):",
        "  ValueError: token=abcdef",
    ]
    (data / "crowntable.log").write_text("\n".join(lines) + "\n")


def people(evening: Evening) -> tuple[Visitor, Visitor]:
    """(a stranger, the operator)."""
    guard = Guard.open(evening.running.options.data)
    stranger, boss = Visitor(evening.table, guard), Visitor(evening.table, guard)
    stranger.get("/")
    boss.become_operator()
    return stranger, boss


def test_nobody_without_the_pin_learns_anything(evening: Evening) -> None:
    stranger, _ = people(evening)
    for path in OPERATORS:
        answer = stranger.get(path, **BROWSER)
        if path.startswith("/api/"):
            assert answer.status_code == 401, path
        else:
            assert boot_of(answer) is None and "PIN" in answer.get_data(as_text=True), path
    assert stranger.post("/api/v1/setup/pin", {"pin": "480913"}).status_code == 401
    assert stranger.post("/api/v1/setup/calibrate", {"camera": "dice"}).status_code == 401
    for command in ({"cmd": "layout-use", "layout": "anthem-2"}, {"cmd": "cards-import", "text": "card,uid"}):
        assert stranger.post("/api/v1/command", {"as": "operator", "command": command}).status_code == 401
    view = stranger.get("/api/v1/view").json
    assert view is not None and view["setup"] is None and view["enrolment"] is None


def test_a_program_still_gets_its_short_answer_and_a_browser_the_page(evening: Evening) -> None:
    stranger, boss = people(evening)
    for headers in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        answer = stranger.get("/health", **headers)
        assert answer.json is not None and answer.json["ok"]
        assert set(answer.json) == {"ok", "program", "assets", "version", "streams", "devices"}
    assert boot_of(stranger.get("/health", **BROWSER)) is None
    boot = boot_of(boss.get("/health", **BROWSER))
    assert boot is not None and boot["page"] == "health"


def test_changes_to_the_pin_need_the_pages_token_and_a_pin_that_is_one(evening: Evening) -> None:
    _, boss = people(evening)
    old = boss.guard.secrets.pin
    assert boss.client.post("/api/v1/setup/pin", json={"pin": "480913"}).status_code == 403
    for pin in ("", "12345", "123456", "000000", "98765a", "1" * 13, "٤٨٠٩١٣"):
        assert boss.post("/api/v1/setup/pin", {"pin": pin}).status_code == 400
    odd: tuple[Any, ...] = (None, 480913, [], {})
    for pin in odd:
        assert boss.post("/api/v1/setup/pin", {"pin": pin}).status_code == 400
    assert boss.guard.secrets.pin == old


def test_the_checks_are_the_doctors_own_lines(evening: Evening) -> None:
    _, boss = people(evening)
    answer = boss.get("/api/v1/health").json
    assert answer is not None
    told = {one["name"]: one for one in answer["checks"]}
    for check in examine_machine(evening.running.options.data):
        if check.name not in ("clock", "disk"):  # they tell of this very moment
            assert told[check.name]["saw"] == check.saw
    assert told["pico"] == {"name": "pico", "level": "ok", "saw": "6 antennas", "do": ""}
    assert told["scan"]["saw"].startswith("PN532 1.6")


def test_a_lost_reader_fails_and_says_what_to_do(evening: Evening) -> None:
    _, boss = people(evening)
    assert evening.world(unplug="scan").ok
    evening.within(60, lambda: evening.device("scan") == "lost")
    answer = boss.get("/api/v1/health").json
    assert answer is not None
    (scan,) = [one for one in answer["checks"] if one["name"] == "scan"]
    assert scan["level"] == "fail" and scan["do"]
    assert evening.world(plug="scan").ok
    evening.within(60, lambda: evening.device("scan") == "up")


def test_the_log_is_bounded_searchable_and_scrubbed(evening: Evening) -> None:
    _, boss = people(evening)
    newest = boss.get("/api/v1/log").json
    assert newest is not None
    assert len(newest["lines"]) == LINES and newest["more"] is not None
    older = boss.get(f"/api/v1/log?before={newest['more']}").json
    assert older is not None
    assert older["lines"][0]["n"] < newest["lines"][-1]["n"]
    found = boss.get("/api/v1/log?find=NUMBER 17").json
    assert found is not None
    assert [line["text"] for line in found["lines"]][-1] == "line number 17"
    grave = boss.get("/api/v1/log?level=WARNING").json
    assert grave is not None
    text = "\n".join(f"{line['text']}" for line in grave["lines"])
    assert "Traceback" in text
    for secret in ("123456", "04AABBCCDDEEFF", "DE:AD:BE:EF", "abcdef", "Ada"):
        assert secret not in text, secret
        hits = boss.get(f"/api/v1/log?find={secret}").json
        assert hits is not None and hits["lines"] == [], secret
    assert boss.get("/api/v1/log?before=x").status_code == 400
    assert boss.get("/api/v1/log?level=NONSENSE&find=" + "x" * 5000).status_code == 200


def test_the_bundle_helps_and_tells_no_secret(evening: Evening) -> None:
    _, boss = people(evening)
    with (evening.running.options.data / "crowntable.log").open("a") as log:
        log.write(f"2026-01-03 10:00:00,000 INFO web: somebody typed {boss.guard.secrets.pin}\n")
    answer = boss.client.get("/health/bundle.zip")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="crowntable-help.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        everything = "".join(archive.read(name).decode() for name in archive.namelist())
        assert "line number 299" in archive.read("log.txt").decode()
        assert '"name": "pico"' in archive.read("doctor.json").decode()
    for secret in (boss.guard.secrets.pin, boss.guard.secrets.key, "04AABBCCDDEEFF", "Ada", "abcdef"):
        assert secret not in everything, secret


def test_a_log_that_is_none_is_empty(tmp_path: Path) -> None:
    assert read_log(tmp_path, set()) == {"lines": [], "more": None}
    (tmp_path / "crowntable.log").write_bytes(b"\xff\x00 no line of ours\n")
    assert read_log(tmp_path, set())["lines"] == []


def test_the_page_shows_zones_dice_devices_and_finds_lines(evening: Evening) -> None:
    server = serve(evening.table, "127.0.0.1", 0, evening.running.options.data)
    try:
        with chromium() as browser:
            visit = Visit(browser, server, reduced_motion="reduce").operator()
            page = visit.open("/health")
            expect(page.locator(".checks")).to_contain_text("Disk")
            expect(page.locator(".rates li")).to_have_count(7)
            assert evening.running.chaos is not None
            tray = evening.running.chaos.levers.tray
            assert tray is not None
            tray.put({"gold": 5})
            expect(page.locator(".dice-now")).to_contain_text("gold: 5, sure")
            expect(page.locator(".scrolled tbody tr")).to_have_count(6)
            evening.lay("cremisi/captain/1", "seat2.field")
            rate = page.locator(".rates li", has_text="Field spot, Seat 2").locator(".rate")
            expect(rate).to_have_text("100 %")
            evening.lay("cremisi/captain/1", "hand")
            page.get_by_label("Search for").fill("number 299")
            page.keyboard.press("Enter")
            expect(page.locator(".log li")).to_have_count(1)
            expect(page.locator(".log")).to_contain_text("line number 299")
            with page.expect_download() as coming:
                page.get_by_role("link", name="Save the bundle (zip)").click()
            assert zipfile.is_zipfile(coming.value.path())
            visit.close()
    finally:
        server.stop()
