"""A page's scripts and style sheets as one file each: all of them made, and what a browser asks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Request

from tests.web.browser import Visit
from tests.web.tables import served
from web import assets, bundle

SCRIPTS = sorted(path.name for path in (bundle.ROOT / "js").glob("*.js"))


@pytest.mark.parametrize("page", bundle.SCRIPTS)
def test_a_pages_script_holds_each_module_once_and_no_import(page: str) -> None:
    text = (bundle.script(page) or b"").decode()
    parts = re.findall(r'^  "([\w-]+\.js)": \(\) => \{$', text, re.MULTILINE)
    assert len(parts) == len(set(parts)) > 5
    assert set(re.findall(r'\bneed\("([\w-]+\.js)"\)', text)) <= set(parts)
    assert not re.search(r"^(?:import|export)\b", text, re.MULTILINE)


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_module_waits_for_itself(name: str) -> None:
    waiting, seen = list(bundle.imported(name)), set[str]()
    while waiting:
        one = waiting.pop()
        assert one != name
        if one not in seen:
            seen.add(one)
            waiting += bundle.imported(one)


def test_a_pages_style_is_its_sheets_in_their_order() -> None:
    css = bundle.ROOT / "css"
    assert bundle.sheet("table") == b"\n".join(
        (css / f"{name}.css").read_bytes() for name in ("base", "table", "attract")
    )
    used = {name for names in bundle.SHEETS.values() for name in names}
    assert {path.stem for path in css.glob("*.css")} - used == {"lab"}  # a page's own, by its own link


@pytest.mark.parametrize(
    "line",
    [
        'import "./boot.js";',
        'import * as boot from "./boot.js";',
        'import { boot } from "./boot.js"',
        "export default function f() {}",
        "export let counter = 0;",
        "export { a };",
        "const here = import.meta.url;",
        'const other = import("https://elsewhere/x.js");',
    ],
)
def test_a_form_that_cannot_be_put_together_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    (tmp_path / "js").mkdir()
    for name in ("main.js", "table.js"):
        (tmp_path / "js" / name).write_text(f"{line}\n")
    monkeypatch.setattr(bundle, "ROOT", tmp_path)
    bundle.source.cache_clear()
    try:
        with pytest.raises(ValueError, match=r"^(main|table)\.js: "):
            bundle.script.__wrapped__("table")
    finally:
        bundle.source.cache_clear()


@given(st.from_regex(r"[\w./-]{0,20}\.(js|css)", fullmatch=True))
def test_only_pages_of_the_lists_are_put_together(name: str) -> None:
    known = {f"{page}.css" for page in bundle.SHEETS} | {f"{page}.js" for page in bundle.SCRIPTS}
    assert (assets.asset(f"page/{name}") is not None) == (name in known)


@pytest.mark.parametrize("path", ["/", "/seat/1", "/operator", "/overlay"])
def test_a_page_asks_for_one_script_and_one_style_sheet(browser: Browser, tmp_path: Path, path: str) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        if request.resource_type in ("script", "stylesheet"):
            asked.append(request.url.rpartition("/static/")[2].partition("/")[2])

    with served(tmp_path) as (_, server):
        visit = Visit(browser, server).operator().seat(1)
        visit.context.on("request", note)
        visit.open(path)
        visit.close()
    page = path.split("/")[1] or "table"
    theme = [] if page == "overlay" else ["js/theme.js"]
    beside = ("js/stream-worker.js", "js/connection.js")  # of the worker that all tabs share
    assert sorted(one for one in asked if one not in beside) == sorted(
        [*theme, f"page/{page}.css", f"page/{page}.js"]
    )
