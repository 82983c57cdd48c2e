"""Pictures of every page from a real run, for the docs: `make shots` writes docs/shots/*.png.

Starts `crowntable run --virtual` on a free port with a data folder of its own, waits until the table
shows what is worth seeing, and photographs each page with headless Chromium at three sizes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.request import urlopen

import cv2
import numpy as np
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "shots"
SIZES = {"phone": (360, 780), "laptop": (1366, 768), "tv": (1920, 1080)}
CHROMIUM = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
Json = dict[str, Any]
#: Seconds that one state is waited for; a match at this speed takes a few minutes.
PATIENCE = 420.0


class Run:
    """A virtual table in a process of its own: its address, the operator's PIN, its views."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.url = self.pin = ""
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"operator\s+(http://[^/\s]+)\S*\s+PIN (\d+)", line):
                self.url, self.pin = found[1], found[2]
            if self.url and "data " in line:
                break
        if not self.url:
            raise SystemExit("shots: the table did not start; try `crowntable run --virtual` by itself.")

    def view(self) -> Json:
        """The spectators' view."""
        with urlopen(f"{self.url}/api/v1/view", timeout=10) as answer:
            read: Json = json.load(answer)
            return read

    def until(self, what: str, good: Callable[[Json], bool]) -> None:
        """Waits for a state that is worth a picture."""
        ends = time.monotonic() + PATIENCE
        while not good(self.view()):
            if time.monotonic() > ends or self.process.poll() is not None:
                raise SystemExit(f"shots: the table never came to: {what}.")
            time.sleep(0.2)


@contextmanager
def table(layout: str, speed: float) -> Iterator[Run]:
    """`crowntable run --virtual` until the block ends."""
    with tempfile.TemporaryDirectory() as data:
        command = [str(ROOT / ".venv/bin/crowntable"), "run", "--virtual", "--layout", layout]
        command += ["--speed", str(speed), "--port", "0", "--data", data]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            yield Run(process)
        finally:
            process.terminate()
            process.wait(20)


class Camera:
    """Three browsers, one a size, logged in as the operator and as seat 1."""

    def __init__(self, browser: Browser, run: Run, theme: Literal["dark", "light"] = "dark") -> None:
        self.run = run
        self.pages: dict[str, Page] = {}
        for size, (width, height) in SIZES.items():
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=theme, locale="en-GB"
            )
            log_in(context, run)
            self.pages[size] = context.new_page()

    def look(self, path: str) -> None:
        """Opens a page at every size."""
        for page in self.pages.values():
            page.goto(self.run.url + path)
            page.wait_for_load_state("load")
            page.wait_for_timeout(700)

    def shoot(self, name: str, *sizes: str, tall: bool = False) -> None:
        """docs/shots/<name>-<size>.png for these sizes, all of them where none is named."""
        for size in sizes or tuple(SIZES):
            self.pages[size].wait_for_timeout(600)
            write(OUT / f"{name}-{size}.png", self.pages[size].screenshot(full_page=tall))


def log_in(context: BrowserContext, run: Run) -> None:
    """By the PIN, as a person would; then the first seat by its QR link."""
    page = context.new_page()
    page.goto(f"{run.url}/operator")
    page.get_by_label("PIN").fill(run.pin)
    page.get_by_role("button", name="Open").click()
    page.wait_for_url("**/operator")
    page.goto(f"{run.url}/qr")
    links = page.locator("a.code[href*='/seat/1']")
    if links.count():
        page.goto(run.url + "/seat/1?" + str(links.first.get_attribute("href")).split("?")[1])
    page.close()


def write(path: Path, png: bytes) -> None:
    """The picture with its colours rounded a little, which packs to a third and looks the same."""
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    rounded = np.clip((picture.astype(np.int16) + 4) // 8 * 8, 0, 255).astype(np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), rounded, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} kB")


def steps(view: Json) -> int:
    """Cards in the fullest running duel."""
    return max((len(duel["steps"]) for duel in view["game"].get("duels", [])), default=0)


def althera(browser: Browser) -> None:
    """The pages of an Althera match from the first roll to the throne."""
    with table("althera-3", 2.0) as run:
        run.until("a match", lambda v: bool(v["match"]))
        camera, day = Camera(browser, run), Camera(browser, run, "light")
        camera.look("/")
        day.look("/")
        run.until("a duel with four cards", lambda v: steps(v) >= 4)
        camera.shoot("table")
        day.shoot("table-light", "laptop", "phone")
        run.until("a pause between duels", lambda v: not v["game"]["duels"] and v["game"]["last_duel"])
        camera.shoot("between", "laptop")
        for path in ("/operator", "/seat/1", "/virtual"):
            camera.look(path)
            run.until("a duel with two cards", lambda v: 2 <= steps(v) <= 5)
            name = path.strip("/").split("/")[0]
            camera.shoot(name, "phone", "laptop", *(["tv"] if name == "virtual" else []))
        camera.look("/qr")
        camera.shoot("qr", "laptop")
        camera.look("/")
        run.until("the end of the match", lambda v: bool(v["match"]["over"]))
        camera.shoot("victory", "tv", "phone")


def anthem(browser: Browser) -> None:
    """Anthem's table in the middle of a match."""
    with table("anthem-4", 3.0) as run:
        run.until("a match", lambda v: bool(v["match"]))
        camera = Camera(browser, run)
        camera.look("/")
        run.until(
            "ten laid cards",
            lambda v: sum(c is not None for s in v["game"].get("seats", []) for c in s["layout"]) >= 18,
        )
        camera.shoot("anthem")


def main() -> int:
    """All pictures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        althera(browser)
        anthem(browser)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
