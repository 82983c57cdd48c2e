#!/usr/bin/env python3
"""How soon a stranger sees the table: `tools/paint.py [--runs N] [--json]`, in numbers.

Method: a real table in mid-duel and the real server here; Debian's Chromium with an empty cache and the
processor throttled to a quarter (the browser's own switch) opens each page. `first` is the first paint of
anything (First Contentful Paint), `meaningful` the first frame with the page drawn and the duel's field on
it, `largest` the Largest Contentful Paint, `blocked` the time in long tasks beyond 50 ms each; milliseconds
from the navigation's start, the median of the runs. `cpu` is the processor time, throttled, that the page's
main thread had used by then: on a machine that is busy with other work it tells more than the clock. `kB`
is what came over the wire without pictures.
Exit 1 where the table page misses a target: meaningful under 1000 ms, under 200 kB.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from host.run import bare_table
from tests.web.browser import SIZES, Visit, chromium
from web.bench import DUEL, OPERATOR
from web.server import Server, serve

THROTTLE = 4
MOST_MS, MOST_KB = 1000, 200
PAGES = {
    "/": ".arena",
    "/overlay": ".arena",
    "/seat/1": ".arena",
    "/operator": ".desk-grid",
    "/rules/althera": "h1",
}
WATCH = """
window.seen = {};
new PerformanceObserver((list) => list.getEntries().forEach((e) => { seen.largest = e.startTime; }))
  .observe({ type: "largest-contentful-paint", buffered: true });
seen.blocked = 0;
const block = (e) => { seen.blocked += Math.max(0, e.duration - 50); };
new PerformanceObserver((list) => list.getEntries().forEach(block))
  .observe({ type: "longtask", buffered: true });
const look = () => {
  if (!document.querySelector(SELECTOR)) requestAnimationFrame(look);
  else requestAnimationFrame(() => { seen.meaningful ??= performance.now(); });
};
look();
"""


def visit(browser: Browser, server: Server, path: str, wanted: str, size: str) -> dict[str, float]:
    """One cold visit's figures."""
    person = Visit(browser, server, size).seat(1).operator()
    page = person.context.new_page()
    page.add_init_script(WATCH.replace("SELECTOR", json.dumps(wanted)))
    session = person.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Performance.enable")
    session.send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
    kinds: dict[str, str] = {}
    sizes: dict[str, float] = {}
    session.on("Network.responseReceived", lambda e: kinds.update({e["requestId"]: e["type"]}))
    session.on("Network.loadingFinished", lambda e: sizes.update({e["requestId"]: e["encodedDataLength"]}))
    page.goto(person.url + path)
    page.wait_for_function("() => window.seen.meaningful && window.seen.largest")
    thread = {row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]}
    page.wait_for_timeout(300)
    seen: dict[str, Any] = page.evaluate("window.seen")
    paints: dict[str, float] = page.evaluate(
        "Object.fromEntries(performance.getEntriesByType('paint').map((e) => [e.name, e.startTime]))"
    )
    person.context.close()
    kept = [ident for ident in sizes if kinds.get(ident) not in ("Image", "EventSource")]
    return {
        "first": paints["first-contentful-paint"],
        "meaningful": seen["meaningful"],
        "largest": seen["largest"],
        "blocked": seen["blocked"],
        "cpu": 1000 * thread["ThreadTime"],
        "kB": sum(sizes[ident] for ident in kept) / 1000,
        "requests": len(sizes),
    }


def measure(runs: int) -> list[dict[str, Any]]:
    """A row for each page and size."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        table = bare_table(Path(folder))
        for action in DUEL:
            table.act(action, OPERATOR)
        server = serve(table, "127.0.0.1", 0, Path(folder))
        try:
            for path, wanted in PAGES.items():
                for size in SIZES if path == "/" else ("phone",):
                    seen = [visit(browser, server, path, wanted, size) for _ in range(runs)]
                    middle = {key: round(statistics.median(one[key] for one in seen)) for key in seen[0]}
                    rows.append({"page": path, "size": size, **middle})
        finally:
            server.stop()
            table.stop()
    return rows


def main() -> int:
    """Prints the table; 1 where the table page misses a target."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--json", action="store_true", help="one JSON document on stdout")
    given = arguments.parse_args()
    rows = measure(given.runs)
    if given.json:
        print(json.dumps({"throttle": THROTTLE, "load": round(os.getloadavg()[0], 1), "pages": rows}))
    else:
        names = list(rows[0])
        for row in [dict(zip(names, names, strict=True)), *rows]:
            first, *rest = (str(row[name]) for name in names)
            print(f"{first:16}" + "".join(f"{word:>11}" for word in rest))
        print(f"processor throttled {THROTTLE} times; load {os.getloadavg()[0]:.1f}; median of {given.runs}")
    table = [row for row in rows if row["page"] == "/"]
    return int(any(row["meaningful"] >= MOST_MS or row["kB"] >= MOST_KB for row in table))


if __name__ == "__main__":
    sys.exit(main())
