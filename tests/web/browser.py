"""A real Chromium for the web's tests, and what they ask of a page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

from host.table import LiveTable
from web.cookies import OPERATOR, seat_cookie
from web.server import Server

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZES = {"phone": (360, 780), "laptop": (1366, 768), "tv": (1920, 1080)}
#: Milliseconds; the machine is shared and slow.
PATIENCE = 60_000
#: Whether a page is drawn to its last switch, asked without granting it a gesture.
DRAWN = {
    "expression": "'ready' in document.body.dataset && document.querySelector('#sound button') !== null",
    "returnByValue": True,
    "userGesture": False,
}


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """A browser profile at one server. `problems` collects what pages complain of."""

    def __init__(self, browser: Browser, server: Server, size: str = "laptop", **options: Any) -> None:
        width, height = SIZES[size]
        self.server = server
        self.url = f"http://127.0.0.1:{server.port}"
        options = {"locale": "en-GB", "color_scheme": "dark", **options}
        self.context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": height}, **options
        )
        self.context.set_default_timeout(PATIENCE)
        self.problems: list[str] = []

    def operator(self) -> Visit:
        """With the operator's session."""
        cookie = {"name": OPERATOR, "value": self.server.guard.new_session(), "url": self.url}
        self.context.add_cookies([cookie])  # type: ignore[list-item]  # the TypedDict has more keys
        return self

    def seat(self, seat: int) -> Visit:
        """With a seat's token."""
        cookie = {"name": seat_cookie(seat), "value": self.server.guard.seat_token(seat), "url": self.url}
        self.context.add_cookies([cookie])  # type: ignore[list-item]  # the TypedDict has more keys
        return self

    def open(self, path: str = "/") -> Page:
        """A page, drawn."""
        page = self._page()
        page.goto(self.url + path)
        if page.locator("#boot").count():
            page.wait_for_selector("body[data-ready]", state="attached")
        return page

    def untouched(self, path: str = "/") -> Page:
        """A page, drawn, that nobody has touched. Whatever Playwright asks of a page (`evaluate`, `expect`,
        `locator`) counts for Chromium as a person's gesture, so here it is asked by the protocol itself."""
        page = self._page()
        protocol = self.context.new_cdp_session(page)
        page.goto(self.url + path)
        deadline = monotonic() + PATIENCE / 1000
        while not protocol.send("Runtime.evaluate", DRAWN)["result"]["value"]:
            assert monotonic() < deadline, f"{path} was not drawn"
            page.wait_for_timeout(50)
        return page

    def _page(self) -> Page:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._said)
        return page

    def _said(self, message: Any) -> None:
        # A stream that is cut is reported by the browser itself; everything else is ours.
        if message.type in ("error", "warning") and "net::ERR_" not in message.text:
            self.problems.append(message.text)

    def close(self) -> None:
        """Leaves, and fails if a page had complained."""
        self.context.close()
        assert self.problems == []


def shown(page: Page, table: LiveTable) -> None:
    """Waits until the page shows all that is recorded."""
    page.wait_for_function("seq => Number(document.body.dataset.seq) >= seq", arg=table.core.seq)


def texts(page: Page | Locator, selector: str) -> list[str]:
    """The visible texts of all elements in there that match, white space made single."""
    return [" ".join(text.split()) for text in page.locator(selector).all_inner_texts()]
