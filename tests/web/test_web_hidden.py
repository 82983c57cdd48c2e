"""No payload tells what an audience may not know: every view of a whole match is walked, card by card."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from host.table import LiveTable
from tests.web.clients import Visitor, visitor
from tests.web.tables import OPERATOR, live_table, new_match, play

Json = dict[str, Any]
#: what anybody finds of a match beside the views
PAGES = (
    "/matches",
    "/matches/m1",
    "/matches/m1/sheet",
    "/matches/m1/record.jsonl",
    "/feedback/m1",
    "/feedback/m1/moments",
)
CARD = re.compile(r"(?:cremisi|aurea|celeste|quercia|purpurea)/[a-z]+/\d+|s[1-4]/(?:\d|dead)")


def cards_in(payload: Any) -> set[str]:
    """Every card id anywhere in a payload, keys included."""
    return set(CARD.findall(json.dumps(payload)))


def laid_by(actions: list[Json]) -> set[str]:
    """The cards that everybody has seen on the table."""
    seen = {action["card"] for action in actions if "card" in action}
    return seen | {card for action in actions for card in action.get("shown", [])}


def walk(table: LiveTable, rng: random.Random) -> Iterator[tuple[list[Json], Json]]:
    """Plays a match to its end by legal moves; yields all actions so far and the public state."""
    done: list[Json] = []
    while True:
        game, state, public = table.public_state()
        yield done, public
        if public["phase"] == "over":
            return
        choices = [game.dump(action) for action in game.actions(state)]
        keen = [c for c in choices if c["do"] not in ("redraw", "retreat")] or choices
        action = rng.choice(keen)
        play(table, action)
        done.append(action)


def everybody(table: LiveTable, data: Path) -> dict[str, Visitor]:
    """A stranger, and a player at each of the first two seats."""
    first = visitor(table, data)
    seats = {f"seat:{n}": Visitor(table, first.guard) for n in (1, 2)}
    for name, player in seats.items():
        player.take_seat(int(name[-1]))
    return {"spectator": first, **seats}


@pytest.mark.parametrize(("game", "seats", "seed"), [("althera", 3, 1), ("althera", 5, 2), ("anthem", 4, 3)])
def test_only_cards_that_lay_on_the_table_are_ever_sent(
    tmp_path: Path, game: str, seats: int, seed: int
) -> None:
    with live_table(tmp_path, "anthem-4" if game == "anthem" else "althera-5") as table:
        assert table.command(new_match(game, seats), OPERATOR).ok
        people = everybody(table, tmp_path)
        # In Anthem, Start and End lie open from the beginning (ANT-2.1).
        always = (
            cards_in([f"s{n}/{v}" for n in range(1, seats + 1) for v in (0, 9)])
            if game == "anthem"
            else set()
        )
        steps = 0
        for done, _ in walk(table, random.Random(seed)):
            steps += 1
            known = laid_by(done) | always
            for name, person in people.items():
                audiences = {name, "stream"}
                for audience in audiences:
                    answer = person.get(f"/api/v1/view?audience={audience}")
                    assert answer.status_code == 200
                    assert cards_in(answer.json) <= known, (name, audience)
                for other in (
                    {"operator", "seat:1", "seat:2", "seat:3"} - audiences if steps % 10 == 1 else ()
                ):
                    assert person.get(f"/api/v1/view?audience={other}").status_code == 401
            if steps % 10 == 0:
                page = people["spectator"].get("/").get_data(as_text=True)
                assert set(CARD.findall(page)) <= known
                for path in ("", "/m1", "/m1/views?first=1&count=60"):
                    answer = people["spectator"].get(f"/api/v1/matches{path}")
                    assert answer.status_code in (200, 202) and cards_in(answer.json) <= known, path
                for path in PAGES:
                    answer = people["spectator"].get(path)
                    assert answer.status_code in (200, 202)  # 202: a time line still being read
                    assert set(CARD.findall(answer.get_data(as_text=True))) <= known, path
                assert people["spectator"].get("/api/v1/feedback").status_code == 401
            if steps > 60:
                break
        assert steps > 20


def test_a_seat_learns_its_own_cards_only(tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        table.command(new_match(), OPERATOR)
        people = everybody(table, tmp_path)
        own = people["seat:2"].get("/api/v1/cards?audience=seat:2").json
        assert own is not None and set(own) == {"2"}
        assert len(own["2"]) == 24 and all(card.startswith("aurea/") for card in own["2"])
        assert people["seat:2"].get("/api/v1/cards?audience=seat:1").status_code == 401
        assert people["spectator"].get("/api/v1/cards?audience=seat:2").status_code == 401
        assert people["seat:2"].get("/api/v1/cards?audience=operator").status_code == 401
