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
            if found := re.search(r"operator\s+(http://[^/\s]+)\S*.*PIN (\d+)", line):
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
def table(layout: str, speed: float, *more: str) -> Iterator[Run]:
    """`crowntable run --virtual` until the block ends."""
    with tempfile.TemporaryDirectory() as data:
        command = [str(ROOT / ".venv/bin/crowntable"), "run", "--virtual", "--layout", layout]
        command += ["--speed", str(speed), "--port", "0", "--data", data, *more]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            yield Run(process)
        finally:
            process.terminate()
            process.wait(20)


class Camera:
    """One browser page, logged in as the operator and as seat 1, that takes every size in turn."""

    def __init__(self, browser: Browser, run: Run) -> None:
        self.run = run
        context = browser.new_context(color_scheme="dark", locale="en-GB", reduced_motion="reduce")
        context.set_default_timeout(120_000)
        log_in(context, run)
        self.page = context.new_page()

    def look(self, path: str) -> None:
        """Opens a page."""
        self.page.goto(self.run.url + path)
        if path != "/qr":
            self.page.wait_for_selector("body[data-ready]", state="attached")

    def shoot(
        self,
        name: str,
        *sizes: str,
        what: str,
        when: Callable[[Json], bool],
        theme: Literal["dark", "light"] = "dark",
    ) -> None:
        """docs/shots/<name>-<size>.png for these sizes, each as soon as the table shows `what`."""
        self.page.emulate_media(color_scheme=theme)
        for size in sizes:
            width, height = SIZES[size]
            self.page.set_viewport_size({"width": width, "height": height})
            self.run.until(what, when)
            self.page.wait_for_timeout(250)
            write(OUT / f"{name}-{size}.png", self.page.screenshot())
        self.page.emulate_media(color_scheme="dark")


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
    """The picture with its colours rounded a little, which packs to half and looks the same."""
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    rounded = np.clip((picture.astype(np.int16) + 2) // 4 * 4, 0, 255).astype(np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), rounded, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} kB")


def steps(view: Json) -> int:
    """Cards in the fullest running duel."""
    return max((len(duel["steps"]) for duel in view["game"].get("duels", [])), default=0)


def althera(browser: Browser) -> None:
    """The pages of an Althera match from the first roll to the throne."""
    every = tuple(SIZES)
    with table("althera-3", 1.5) as run:
        run.until("a match", lambda v: bool(v["match"]))
        camera = Camera(browser, run)
        camera.look("/")
        camera.shoot("table", *every, what="a duel with four cards", when=lambda v: steps(v) in (4, 5))
        camera.shoot("between", "laptop", what="a pause between duels", when=between)
        camera.shoot(
            "table-light", "laptop", "phone", what="a duel", when=lambda v: steps(v) in (3, 4), theme="light"
        )
        for name, path, sizes in (
            ("operator", "/operator", ("phone", "laptop")),
            ("seat", "/seat/1", ("phone", "laptop")),
            ("virtual", "/virtual", every),
        ):
            camera.look(path)
            camera.shoot(name, *sizes, what="a duel with seat 1", when=seat_one_to_play)
        camera.look("/qr")
        camera.shoot("qr", "laptop", what="a match", when=lambda v: bool(v["match"]))
        camera.look("/")
        camera.shoot("victory", "tv", "phone", what="the end", when=lambda v: bool(v["match"]["over"]))


def set_up(browser: Browser) -> None:
    """The set-up's steps and the health page, at a table without players."""
    with table("althera-3", 1.0, "--bots", "none") as run:
        run.until("devices up", all_up)
        camera = Camera(browser, run)
        camera.look("/virtual")
        for seat in (1, 2):
            body = {"command": {"throw": seat, "face": 3 + seat}}
            camera.page.evaluate(
                """body => fetch("/api/v1/virtual", {method: "POST", body: JSON.stringify(body), headers: {
                "Content-Type": "application/json",
                "X-CSRF-Token": JSON.parse(document.getElementById("boot").textContent).csrf}})""",
                body,
            )
        run.until("two dice read", lambda v: sum(bool(d["face"]) for d in v["dice"]["seen"]) == 2)
        for step, sizes, click, then in (
            ("table", ("laptop",), None, ".choice.on"),
            ("zones", ("laptop", "phone"), "#zones-start", ".zone-tile.asked"),
            ("camera", ("laptop", "phone"), None, ".over .sure"),
            ("decks", ("laptop", "phone"), "#enrol-start", ".enrol-next"),
            ("ready", ("phone", "tv"), None, ".missing"),
        ):
            camera.look(f"/setup/{step}")
            if click is not None:
                camera.page.locator(click).click()
            camera.page.wait_for_selector(then)
            camera.page.locator(".toast").wait_for(state="detached")
            camera.shoot(f"setup-{step}", *sizes, what="devices up", when=all_up)
            if step == "zones":
                camera.page.get_by_role("button", name="Stop, change nothing").click()
                camera.page.wait_for_selector(click or "")
        camera.look("/health")
        camera.shoot("health", "laptop", "phone", what="devices up", when=all_up)
        camera.shoot("health-light", "laptop", what="devices up", when=all_up, theme="light")


def all_up(view: Json) -> bool:
    """Every device of the table answers."""
    return [device["state"] for device in view["devices"]].count("up") >= 5


def between(view: Json) -> bool:
    """Nobody duels, and a duel has been."""
    game = view["game"]
    return not game["duels"] and bool(game["last_duel"]) and game["phase"] == "duels"


def seat_one_to_play(view: Json) -> bool:
    """Seat 1 is asked for a card in a duel in which some lie, or the match is over."""
    game = view["game"]
    return bool(game["winners"]) or any(d["to_play"] == 1 and d["steps"] for d in game["duels"])


def anthem(browser: Browser) -> None:
    """Anthem's table in the middle of a match."""
    with table("anthem-4", 3.0) as run:
        run.until("a match", lambda v: bool(v["match"]))
        camera = Camera(browser, run)
        camera.look("/")
        camera.shoot("anthem", *SIZES, what="some laid cards", when=lambda v: laid(v) >= 16)


def laid(view: Json) -> int:
    """Cards on the table in an Anthem match."""
    return sum(card is not None for seat in view["game"].get("seats", []) for card in seat["layout"])


def records(browser: Browser) -> None:
    """The list of matches, a replay, the score sheet; then the same table free and unattended."""
    with tempfile.TemporaryDirectory() as data:
        with table("althera-3", 30.0, "--data", data) as run:
            run.until("a second match", lambda v: bool(v["match"]) and v["match"]["number"] > 1)
            camera = Camera(browser, run)
            with urlopen(f"{run.url}/api/v1/showcase", timeout=60) as answer:
                duel: Json = json.load(answer)[0]
            there = f"/matches/{duel['match']}"
            replay = f"{there}#{duel['to'] - 1}"
            for name, path in (("matches", "/matches"), ("replay", replay), ("sheet", f"{there}/sheet")):
                camera.look(path)
                camera.shoot(name, "phone", "laptop", what="a record", when=bool)
            said(browser, run, camera)
        with table("althera-3", 1.0, "--data", data, "--bots", "none", "--attract", "10") as run:
            camera = Camera(browser, run)
            camera.look("/")
            camera.page.wait_for_function("() => document.body.dataset.scene?.startsWith('r')")
            camera.page.wait_for_timeout(9000)
            camera.page.locator("#attract-pause").click()
            camera.shoot("attract", "laptop", what="a duel shown", when=bool)
            while camera.page.evaluate("() => document.body.dataset.scene") != "takes":
                camera.page.get_by_role("button", name="Next").click()
            camera.shoot("teach", "phone", "tv", what="a lesson", when=bool)


def lab(browser: Browser) -> None:
    """The lab: a thousand matches of bots, and those of the table beside."""
    crowntable = str(ROOT / ".venv/bin/crowntable")
    about = ["--players", "3", "--turns", "3", "--seed", "shots"]
    with tempfile.TemporaryDirectory() as data:
        folder = Path(data) / "lab"
        folder.mkdir()
        run = ["run", *about, "--bots", "greedy,greedy:never=shield", "--matches", "1000"]
        subprocess.run([crowntable, "lab", *run, "--out", folder / "three.sqlite"], check=True)
        (folder / "replaces.toml").write_text('name = "overtake replaces"\novertake_value = "replaces"\n')
        compare = ["compare", "default", "replaces.toml", *about, "--matches", "300"]
        subprocess.run([crowntable, "lab", *compare, "--out", "replaces.json"], check=True, cwd=folder)
        with table("althera-3", 30.0, "--data", data) as live:
            live.until("a second match", lambda v: bool(v["match"]) and v["match"]["number"] > 1)
            camera = Camera(browser, live)
            camera.look("/lab")
            camera.page.wait_for_selector(".plot[data-drawn]")
            camera.shoot("lab", *SIZES, what="charts", when=bool)
            camera.shoot("lab-light", "phone", what="charts", when=bool, theme="light")
            camera.look("/lab/runs")
            camera.shoot("lab-runs", "laptop", "phone", what="forms", when=bool)


#: what some people said: seat, points, the moment's place on the time line, text
SAID = (
    (
        "3",
        {"fun": 5, "clear": 2, "tension": 4, "fair": 4, "length": 3},
        2,
        "The Oracle sent us to the rules.",
    ),
    ("2", {"fun": 4, "clear": 3, "tension": 5, "fair": 2, "length": 4}, 9, "Could I have answered that?"),
    ("", {"fun": 4, "clear": 4, "tension": 3, "length": 3}, 0, ""),
)


def said(browser: Browser, run: Run, camera: Camera) -> None:
    """The form at a match's end, filled in on several phones; then all answers as the operator reads them."""
    for seat, points, moment, text in SAID:
        context = browser.new_context(viewport={"width": 360, "height": 780}, locale="en-GB")
        context.set_default_timeout(120_000)
        page = context.new_page()
        fill(page, run, seat, points, moment, text)
        page.locator("#send").click()
        page.wait_for_selector("#kept")
        context.close()
    camera.look("/feedback?match=m1")
    camera.shoot("answers", "laptop", what="answers", when=bool)
    fill(camera.page, run, *SAID[0])
    camera.page.evaluate("() => scrollTo(0, 0)")
    camera.shoot("feedback", "phone", what="a form", when=bool)


def fill(page: Page, run: Run, seat: str, points: Json, moment: int, text: str) -> None:
    """Opens the first match's form and fills it in."""
    page.goto(f"{run.url}/feedback/m1")
    page.wait_for_selector("body[data-ready]", state="attached")
    for name, point in points.items():
        page.locator("label", has=page.locator(f"input[name={name}][value='{point}']")).click()
    page.locator("textarea").fill(text)
    page.locator("#seat").select_option(seat)
    page.locator("#moments > summary").click()
    page.wait_for_selector("ol#time-line")
    page.locator("#time-line > li > label input").nth(moment).check()


def main() -> int:
    """All pictures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        set_up(browser)
        althera(browser)
        anthem(browser)
        records(browser)
        lab(browser)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
