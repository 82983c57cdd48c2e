"""A whole match on real wires, watched: a spectator's wall screen, two players' phones and the operator's
laptop are open in a real browser from the first roll to the winner, and all that they showed was so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from engine.game import Audience
from host.journal import Journal
from host.layout import find_layout
from host.match import Match
from host.run import Options, Running
from tests.web.browser import Visit, chromium
from web.server import serve

Json = dict[str, Any]

#: Notes what the page shows each time it has drawn another state. Whoever asks for less motion gets each
#: number at once, so what stands there then is what was meant.
NOTE = """() => {
  const all = s => [...document.querySelectorAll(s)].map(n => n.innerText.replace(/\\s+/g, " ").trim());
  window.noted = [];
  const note = () => window.noted.push({
    seq: Number(document.body.dataset.seq),
    values: all(".arena .value"), counts: all(".score .count"), numbers: all(".numbers dd").slice(0, 3),
  });
  new MutationObserver(note).observe(document.body, {attributes: true, attributeFilter: ["data-seq"]});
  note();
}"""


def told(entries: list[Any]) -> dict[int, Json]:
    """What the engine says after each entry of the match, as a spectator may know it."""
    match = Match(entries[0])
    states = {entries[0].seq: match.game.view(match.state, Audience("spectator"))}
    for entry in entries[1:]:
        match.fold(entry)
        states[entry.seq] = match.game.view(match.state, Audience("spectator"))
    return states


def values(game: Json) -> list[str]:
    return [str(duel["field"]["value"]) if duel["field"] else "—" for duel in game["duels"]]


def noted(page: Page) -> list[Json]:
    found: list[Json] = page.evaluate("window.noted")
    return found


@pytest.mark.timeout(900)
def test_everything_that_four_screens_show_of_a_match_is_what_the_engine_says(tmp_path: Path) -> None:
    options = Options(find_layout("althera-2"), tmp_path, virtual=True, speed=6.0, matches=1, seed=5)
    running = Running(options)
    server = serve(running.table, "127.0.0.1", 0, tmp_path)
    try:
        with chromium() as browser:
            visits = {
                "/": Visit(browser, server, "tv", reduced_motion="reduce"),
                "/seat/1": Visit(browser, server, "phone", reduced_motion="reduce").seat(1),
                "/seat/2": Visit(browser, server, "phone", reduced_motion="reduce").seat(2),
                "/operator": Visit(browser, server, "laptop", reduced_motion="reduce").operator(),
            }
            pages = {path: visit.open(path) for path, visit in visits.items()}
            for page in pages.values():
                page.evaluate(NOTE)
            running.start()
            assert running.finished.wait(600), "the match did not end"
            last = running.table.view(Audience("spectator"))["seq"]
            for page in pages.values():
                page.wait_for_function("seq => Number(document.body.dataset.seq) >= seq", arg=last)
            screens = {path: noted(page) for path, page in pages.items()}
            for visit in visits.values():
                visit.close()
    finally:
        server.stop()
        running.stop()
    journal = Journal(tmp_path)
    (begun,) = journal.match_entries()
    entries = list(journal.read(match=begun.seq))
    journal.close()
    states = told(entries)
    plays = [e.seq for e in entries if e.kind == "action" and e.ok and e.action and e.action["do"] == "play"]
    assert len(plays) >= 9

    def then(seq: int) -> Json | None:
        """The engine's word at the moment of a screen's number, None before the match."""
        return states.get(max((known for known in states if known <= seq), default=0))

    for shown in screens["/"]:
        game = then(shown["seq"])
        if game is None:
            continue
        assert shown["values"] == values(game), shown
        assert shown["counts"] == [str(seat["cards"]) for seat in game["seats"]], shown
    for seat in (1, 2):
        for shown in screens[f"/seat/{seat}"]:
            game = then(shown["seq"])
            if game is not None:
                mine = next(s for s in game["seats"] if s["seat"] == seat)
                assert shown["numbers"] == [str(mine[k]) for k in ("cards", "hand", "deck")], shown
    for shown in screens["/operator"]:
        game = then(shown["seq"])
        if game is not None:
            assert shown["counts"] == [str(seat["cards"]) for seat in game["seats"]], shown
    # After most plays each screen drew that very state; what comes within a tick, or while this machine is
    # busy, is drawn as one.
    for path, notes in screens.items():
        drawn = {shown["seq"] for shown in notes}
        spans = zip(plays, [*plays[1:], last + 1], strict=True)
        own = [any(seq <= number < following for number in drawn) for seq, following in spans]
        assert sum(own) >= 0.6 * len(plays), (path, sum(own), len(plays))
