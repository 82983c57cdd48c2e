"""Pictures of the hall's pages for the docs: `.venv/bin/python tools/hall_shots.py [FOLDER]`.

Twelve tables play for themselves; what they would publish goes to a hall's board and database, and headless
Chromium photographs its pages.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from host.face import Table, Who
from host.hall import wire
from host.hall.board import Board
from host.hall.collector import Figures
from host.hall.store import Event, Store, sqlite_url
from tests.host.hall_kit import Player
from tests.web.browser import Visit, chromium
from tests.web.tables import HOUSES, SPECTATOR
from web.hall.pages import Hall, hall_pages
from web.server import serve

NAMES = ("Ada", "Bruno", "Chiara", "Dario", "Elena", "Fosca", "Gino", "Ilaria", "Luca", "Marta", "Nino")
SHOTS = (
    ("/", "tables", "laptop", "light"),
    ("/", "tables", "phone", "dark"),
    ("/screen", "screen", "tv", "dark"),
    ("/day", "day", "laptop", "light"),
)


class Well:
    """A collector that has nothing to say."""

    broker_trouble = store_trouble = ""
    figures = Figures()


def table(folder: Path, number: int, rng: random.Random, board: Board, store: Store) -> list[str]:
    """One table's evening so far, published; the names of who sits there."""
    name = f"t{number:02}"
    player = Player(name, folder / name, "anthem-4" if number % 4 == 0 else "althera-3", seed=number)
    people = rng.sample(NAMES, 3)
    seats: list[dict[str, Any]] = [{"seat": n, "name": one} for n, one in enumerate(people, 1)]
    if number % 4:
        seats = [{**seat, "house": house} for seat, house in zip(seats, HOUSES, strict=False)]
    player.begin(seats=seats)
    if number in (3, 9):
        player.play_out()
    else:
        player.play(rng.randint(14, 90))
    if number == 5:
        player.table.command({"cmd": "judge"}, Who("seat", "2"))
    if number == 7:
        player.table.command({"cmd": "pause"}, Who("operator"))
    entries = [wire.public_entry(entry) for entry in player.table.entries(1, 3000)]
    store.add([Event(name, "j", 1, entry) for entry in entries], {(name, "j"): 1})
    for row in store.unrecorded():
        store.record(*row[:3])
    view = json.loads(json.dumps(player.table.view(SPECTATOR)))
    view["match"]["elapsed"] = rng.randint(300, 4000)
    board.hear(name, "health", {"state": "here", "label": f"Table {number}", "journal": "j"})
    board.hear(name, "view", view)
    if number == 8:
        board.hear(name, "health", {"state": "gone"})
    player.stop()
    return people


def main() -> None:
    """Writes the pictures."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/shots")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder, rng = Path(temporary), random.Random(5)
        board, store = Board("Crown Con"), Store(sqlite_url(folder))
        now = time.localtime()
        plan = ["start,table,title,players"]
        for number in range(1, 13):
            people = table(folder, number, rng, board, store)
            plan.append(f"{now.tm_hour:02}:{now.tm_min:02},t{number:02},Round 1,{'; '.join(people)}")
        (folder / "day.csv").write_text("\n".join(plan), encoding="utf-8")
        board.calls(store.calls())
        board.start()
        hall = Hall(board, store, cast(Any, Well()), folder / "day.csv")
        server = serve(cast(Table, board), "127.0.0.1", 0, folder, pages=hall_pages(hall))
        with chromium() as browser:
            for path, name, size, theme in SHOTS:
                visit = Visit(browser, server, size, color_scheme=theme).operator()
                page = visit.open(path)
                time.sleep(0.5)
                page.screenshot(path=out / f"hall-{name}-{size}.png")
                visit.close()
        server.stop()
        board.stop()
        store.close()


if __name__ == "__main__":
    main()
