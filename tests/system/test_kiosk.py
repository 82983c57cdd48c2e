"""The table's own screen: the kiosk unit's command, as it stands in the unit, against a running table.

What can't run here is said in docs/reliability.md: cage needs a graphics card and a console, systemd a
machine of its own. Everything behind `cage --` is run as it is, only without a window.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from tests.shared_data import ROOT
from tests.system.test_virtual_evening import running

UNIT = (ROOT / "hardware/systemd/crowntable-kiosk.service").read_text(encoding="utf-8")


def setting(key: str) -> list[str]:
    """Every value of one key of the unit."""
    return re.findall(rf"^{key}=(.*)$", UNIT, re.MULTILINE)


def test_the_unit_is_not_root_restarts_and_waits_for_what_it_needs() -> None:
    assert setting("User") == ["crowntable"]
    assert setting("Restart") == ["always"]
    assert setting("After") == ["crowntable.service"]
    assert setting("ConditionPathExists") == ["/usr/bin/cage", "/usr/bin/chromium"]
    (start,) = setting("ExecStart")
    assert shlex.split(start)[:3] == ["/usr/bin/cage", "--", "/usr/bin/chromium"]
    # Its profile lies where the unit makes a folder for it at every start: nothing is worn on the card.
    (folder,) = setting("RuntimeDirectory")
    assert f"--user-data-dir=/run/{folder}/browser" in start


@pytest.mark.timeout(300)
def test_its_command_shows_the_table(tmp_path: Path) -> None:
    (start,) = setting("ExecStart")
    with running(tmp_path / "data", "--virtual", "--bots", "none") as (_, address):
        port = address.rstrip("/").rsplit(":", 1)[1]
        words = shlex.split(start.replace("${CROWNTABLE_PORT}", port))[2:]
        words = [word.replace("/run/crowntable-kiosk", str(tmp_path)) for word in words]
        assert words[-1] == f"http://localhost:{port}/"
        without_window = ["--headless=new", "--no-sandbox", "--screen-info={1920x1080}"]
        without_window += ["--remote-debugging-port=0"]
        browser = subprocess.Popen(
            [*words[:-1], *without_window, words[-1]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            shown = look(tmp_path / "browser" / "DevToolsActivePort", tmp_path / "kiosk.png")
        finally:
            browser.terminate()
            browser.wait(30)
    assert shown["pages"] == [f"http://localhost:{port}/"]
    assert shown["title"].endswith("Crowntable")
    assert shown["size"] == shown["screen"]  # no edges, no bars
    assert not shown["scrolls_sideways"]
    assert "The table" in shown["text"] or "match" in shown["text"]


def look(devtools: Path, picture: Path) -> dict[str, Any]:
    """What the started browser shows, through its own debugging port."""
    until = time.monotonic() + 120
    while not devtools.exists() or not devtools.read_text().strip():
        assert time.monotonic() < until, "the browser did not start"
        time.sleep(0.1)
    port = devtools.read_text().split()[0]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/version", timeout=30) as answer:
        assert answer.status == 200
    with sync_playwright() as playwright:
        chromium = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}", timeout=120_000)
        (context,) = chromium.contexts
        page = context.pages[0]
        page.wait_for_selector("main h1, main h2", state="attached", timeout=120_000)
        page.screenshot(path=picture)
        found: dict[str, Any] = {
            "pages": [one.url for one in context.pages],
            "title": page.title(),
            "size": page.evaluate("[innerWidth, innerHeight]"),
            "screen": page.evaluate("[screen.width, screen.height]"),
            "scrolls_sideways": page.evaluate("document.documentElement.scrollWidth > innerWidth"),
            "text": page.inner_text("body"),
        }
        chromium.close()
    return found
