"""A free table: it invites while nobody plays, wakes at a card, knows when it was cleared, counts hours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from host.free import FreeTable
from tests.host.table_kit import Desk

#: each house's cards without the special ones that ask for something, in the order in which they are laid
ALTHERA = {
    house: [f"{house}/{kind}/{n}" for kind in ("commoners", "vanguard", "marksman") for n in (1, 2, 3)]
    for house in ("cremisi", "aurea")
}


def watch(desk: Desk, seconds: float = 0.0) -> FreeTable:
    """The free table of a desk, looked at twice a second for so long."""
    free = FreeTable.open(desk.folder)
    free.on = True
    free.tick(desk.core)
    look(free, desk, seconds)
    return free


def look(free: FreeTable, desk: Desk, seconds: float) -> None:
    for _ in range(int(seconds * 2)):
        desk.now += 0.5
        free.tick(desk.core)


def laid(free: FreeTable, desk: Desk, seat: int, card: str) -> bool:
    """Lays a card; whether that began a match."""
    desk.lay(seat, card)
    began = free.card_laid(desk.core)
    free.tick(desk.core)
    return began


def test_a_table_without_a_match_invites_and_a_card_begins_one(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    free = watch(desk)
    assert free.idle
    assert laid(free, desk, 1, "cremisi/cavalry/1")
    assert not free.idle
    assert desk.core.match is not None and desk.view()["game"]["awaiting_rolls"] == [1, 2, 3]
    assert desk.core.match.begun.who.kind == "table"
    assert not laid(free, desk, 2, "aurea/cavalry/1")  # the match is running now


def test_in_anthem_the_card_that_begins_is_the_first_move(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "anthem-2")
    free = watch(desk)
    zone = next(z for z in desk.layout.zones if z.kind == "place" and z.seat == 1)
    assert zone.antenna is not None
    desk.lying[zone.antenna] = ["s1/4"]
    desk.scan(zone.antenna, 3)
    assert free.card_laid(desk.core)
    desk.scan(zone.antenna, 3)
    assert "s1/4" in desk.view()["game"]["seats"][0]["layout"]


def test_the_card_that_ends_a_match_begins_no_new_one(tmp_path: Path) -> None:
    """Its winner stays on the screen; the next card begins."""
    desk = Desk(tmp_path, "althera-2")
    desk.begin()
    free = watch(desk)
    cards = {seat: iter(ALTHERA[house]) for seat, house in ((1, "cremisi"), (2, "aurea"))}
    while (game := desk.view()["game"])["phase"] != "over":
        if not game["duels"]:
            first = game["declarer"]
            assert desk.do(do="declare", seat=first, against=3 - first).ok
            continue
        seat = game["duels"][0]["to_play"]
        card = next(cards[seat])
        assert not laid(free, desk, seat, card)
        desk.lift(seat, card)
    view = desk.view()
    assert view["match"]["number"] == 1 and view["match"]["over"]
    assert laid(free, desk, 1, "cremisi/champion/1")
    assert desk.view()["match"]["number"] == 2


def test_a_table_that_is_not_free_begins_nothing_by_itself(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    free = watch(desk)
    free.on = False
    assert not laid(free, desk, 1, "cremisi/cavalry/1")
    assert desk.core.match is None


def test_an_open_match_is_left_alone_until_it_has_been_quiet(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.begin()
    free = watch(desk)
    desk.do(do="declare", seat=1, against=2)
    free.tick(desk.core)
    assert not free.idle
    look(free, desk, 119)
    assert not free.idle
    look(free, desk, 2)
    assert free.idle
    desk.play(1, "cremisi/cavalry/1")  # somebody came back: the same match goes on
    free.tick(desk.core)
    assert not free.idle
    assert desk.view()["game"]["duels"][0]["field"] == {"owner": 1, "value": 15}


def test_a_cleared_table_is_free_at_once_and_the_next_card_begins_anew(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.begin()
    free = watch(desk)
    rest = next(z for z in desk.layout.zones if z.kind == "crown" and z.seat == 1)
    assert rest.antenna is not None
    desk.lying[rest.antenna] = ["crown"]
    desk.scan(rest.antenna, 3)
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    look(free, desk, 40)
    assert not free.idle  # they think; the crown lies there
    desk.lying[rest.antenna] = []
    desk.scan(rest.antenna, 8, 0.3)
    look(free, desk, 25)
    assert free.idle and free.finished(desk.core)
    first = desk.core.match
    assert laid(free, desk, 2, "aurea/cavalry/1")
    assert desk.core.match is not first
    assert desk.view()["match"]["number"] == 2


def test_bare_field_spots_are_no_cleared_table(tmp_path: Path) -> None:
    """Without a crown that is read, only quiet tells."""
    desk = Desk(tmp_path)
    desk.begin()
    free = watch(desk)
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    look(free, desk, 60)
    assert not free.idle and not free.finished(desk.core)


def test_devices_coming_and_going_are_no_sign_of_people(tmp_path: Path) -> None:
    from host.sighting import Health

    desk = Desk(tmp_path)
    desk.begin()
    free = watch(desk, 121)
    assert free.idle
    for state in ("lost", "up"):
        desk.see(Health(desk.now, "pico", "reader", state, "it came and went"))
        free.tick(desk.core)
    assert free.idle


def test_hours_matches_and_plays_are_counted_and_outlive_a_restart(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    free = watch(desk)
    desk.begin()
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.play(2, "aurea/marksman/1")
    gone = desk.now
    look(free, desk, 3600)
    counted = free.counters
    assert (counted.matches, counted.plays) == (1, 2)
    assert counted.seconds == pytest.approx(3600 + gone - 100.0)
    free.save()
    desk.pull_the_plug()
    desk.now += 9999  # off for hours: not counted
    again = watch(desk, 60)
    assert (again.counters.matches, again.counters.plays) == (1, 2)
    assert again.counters.seconds == pytest.approx(counted.seconds + 60)
    assert again.set({"cmd": "count-anew"}, 5.0).ok
    assert (again.counters.since, again.counters.seconds, again.counters.plays) == (5.0, 0.0, 0)


def test_a_pulled_plug_costs_a_minute_of_the_counters_at_most(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    watch(desk, 600)
    kept = FreeTable.open(tmp_path).counters.seconds
    assert 540 <= kept <= 600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"on": 1}', '{"on": true, "after": "x"}', "\0"])
def test_a_spoiled_file_begins_anew(tmp_path: Path, text: str) -> None:
    (tmp_path / "free.json").write_text(text)
    free = FreeTable.open(tmp_path)
    assert free.counters.seconds == 0
    free.save()
    assert json.loads((tmp_path / "free.json").read_text())["after"] == free.after


@pytest.mark.parametrize(
    ("command", "ok", "after"),
    [
        ({"on": True, "after": 60}, True, 60),
        ({"on": True, "after": 1e9}, True, 3600),
        ({"on": True, "after": -5}, True, 10),
        ({"after": "soon"}, False, 120),
        ({"on": "yes"}, False, 120),
        ({"after": True}, False, 120),
        ({}, True, 120),
    ],
)
def test_the_switch_takes_what_makes_sense(
    tmp_path: Path, command: dict[str, Any], ok: bool, after: float
) -> None:
    free = FreeTable.open(tmp_path)
    assert free.set({"cmd": "attract", **command}, 0.0).ok == ok
    assert FreeTable.open(tmp_path).after == after if ok else free.after == after
