"""Anthem at the table: cards on places, keeps, hands shown as proof; what stands on the screen then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from host import decisions
from host.face import Who
from host.layout import Button, find_layout
from host.newmatch import begin
from host.sensors import SensorLog, read_trace, rejudge
from host.sighting import Inventory, Press, TagRead
from host.virtual.tags import card_uid
from tests.host.table_kit import OPERATOR, Desk


class Table(Desk):
    """A table of two for Anthem: places instead of field spots, and hands that show cards."""

    def __init__(self, folder: Path, layout: Any = "anthem-2", **command: Any) -> None:
        super().__init__(folder, layout)
        self.on_scan: list[str] = []
        assert begin(self.core, {"cmd": "new-match", **command}, OPERATOR).ok

    def put(self, seat: int, place: int, card: str) -> None:
        """Lays a card on a place and lets the reader see it."""
        antenna = 6 * (seat - 1) + place - 1
        self.lying.setdefault(antenna, []).append(card)
        self.scan(antenna, 2)

    def take(self, seat: int, place: int, card: str) -> None:
        antenna = 6 * (seat - 1) + place - 1
        self.lying[antenna].remove(card)
        self.scan(antenna, 8, 0.2)

    def show(self, *cards: str) -> None:
        """Holds one card after another over the scan spot."""
        for card in cards:
            for tags in ((TagRead(card_uid(card), card),), (TagRead(card_uid(card), card),), *[()] * 8):
                self.now += 0.2
                self.see(Inventory(self.now, "scan", 0, tags))

    def layout_of(self, seat: int) -> list[str | None]:
        return next(list(s["layout"]) for s in self.state()["seats"] if s["seat"] == seat)

    def hands(self) -> list[int]:
        return [s["hand"] for s in self.state()["seats"]]

    def open(self) -> list[str]:
        return [f["code"] for f in self.view()["findings"] if f["open"]]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def complete_row(table: Table, seat: int, skip: int = 0) -> None:
    """Every free place of a seat with the values 1 to 6, laid by hand."""
    for place in range(1, 7):
        if place != skip:
            assert table.do(do="lay", seat=seat, card=f"s{1 + place % 2}/{place}", place=place).ok


def hidden(table: Table, count: int, dead: int = 0) -> list[str]:
    """So many cards that lie nowhere, that many Deads among them."""
    laid = {card for seat in table.state()["seats"] for card in seat["layout"]}
    plain = [f"s{s}/{v}" for s in (1, 2) for v in range(1, 9) if f"s{s}/{v}" not in laid]
    return [f"s{n}/dead" for n in range(1, dead + 1)] + plain[: count - dead]


def test_cards_on_places_are_lays_and_what_stands_there_says_how_it_was_seen(table: Table) -> None:
    table.put(1, 3, "s1/5")
    assert table.layout_of(1)[3] == "s1/5"
    assert table.state()["to_move"] == 2
    event = table.view()["events"][0]
    assert event["text"] == "Ada lays the 5 on place 3."
    assert event["evidence"] == ["zone seat1.place3, 2 of 2 reads in 100 ms"]
    assert table.hands() == [9, 8]  # drawn from the neighbour


def test_a_keep_by_the_screen_or_the_button_ends_the_turn(tmp_path: Path) -> None:
    layout = replace(find_layout("anthem-2"), buttons=(Button("keep2", "pico", "keep", 2),))
    table = Table(tmp_path, layout)
    assert table.do(do="keep", seat=1).ok
    table.see(Press(table.now, "pico", "keep2"))
    assert (table.state()["turn"], table.state()["to_move"]) == (3, 1)
    assert table.view()["events"][0]["who"] == "seat 2"
    assert table.view()["events"][0]["evidence"] == ["button keep2 at pico"]


def test_a_lay_before_ones_turn_takes_the_turns_between_as_keeps_and_says_so(tmp_path: Path) -> None:
    table = Table(tmp_path, "anthem-4")
    table.put(4, 2, "s2/3")
    assert table.state()["to_move"] == 1
    said = table.texts()[0]
    names = [s.name for s in table.layout.seats]
    assert said == f"{names[3]} lays the 3 on place 2. Before {names[3]}, taken as kept: " + (
        f"{names[0]}, {names[1]}, {names[2]}."
    )
    assert table.view()["game"]["inferred_keeps"] == [1, 2, 3]
    assert not table.open()


@pytest.mark.parametrize(
    ("card", "place", "code", "text"),
    [
        ("s2/4", 5, "not-rising", "A 4 at place 5 breaks the rising order."),
        ("s2/6", 1, "not-rising", "A 6 at place 1 breaks the rising order."),
        ("s2/5", 1, "value-twice", "A 5 lies there already: the 5 of set 1."),
        ("s1/dead", 2, "dead-laid", "A Dead can't be laid; it goes into the hand."),
        ("s3/4", 2, "unknown-card", ""),
    ],
)
def test_a_card_that_must_not_lie_there_warns_until_it_is_lifted(
    table: Table, card: str, place: int, code: str, text: str
) -> None:
    table.put(1, 3, "s1/5")
    table.do(do="keep", seat=2)
    table.put(1, place, card)
    assert code in table.open()
    finding = next(f for f in table.view()["findings"] if f["code"] == code)
    assert text in finding["text"]
    assert table.view()["crown"]["pattern"] == "pulse"
    assert table.layout_of(1)[place] is None
    table.take(1, place, card)
    assert table.open() == []


def test_a_second_card_on_a_place_is_named_with_what_lies_there(table: Table) -> None:
    table.put(1, 3, "s1/5")
    table.do(do="keep", seat=2)
    table.put(1, 3, "s2/6")
    (finding, *_) = [f for f in table.view()["findings"] if f["open"]]
    assert (finding["code"], finding["text"]) == ("place-taken", "Place 3 is taken by the 5 of set 1.")


def test_a_laid_card_put_to_another_players_place_is_already_laid(table: Table) -> None:
    table.put(1, 3, "s1/5")
    table.take(1, 3, "s1/5")
    table.put(2, 3, "s1/5")
    assert table.open() == ["already-laid"]
    table.take(2, 3, "s1/5")
    table.put(1, 3, "s1/5")
    assert table.open() == []
    assert table.layout_of(1)[3] == "s1/5"


def test_a_card_moved_far_is_a_misplay_and_one_that_slipped_is_asked_about(table: Table) -> None:
    table.put(1, 3, "s1/5")
    table.do(do="keep", seat=2)
    table.take(1, 3, "s1/5")
    table.put(1, 6, "s1/5")
    assert "card-moved" in table.open()
    table.take(1, 6, "s1/5")
    table.put(1, 4, "s1/5")
    assert table.open() == []
    (question,) = table.view("seat", 1)["questions"]
    assert question["text"] == "The 5 lies on place 3 and is now read at place 4 of Ada. Has it slipped?"
    assert table.view("seat", 2)["questions"] == []
    table.take(1, 4, "s1/5")  # back to its place: the question goes by itself
    table.put(1, 3, "s1/5")
    assert table.view()["questions"] == []
    table.take(1, 3, "s1/5")
    table.put(1, 4, "s1/5")
    (question,) = table.view()["questions"]
    assert decisions.answer(table.core, question["id"], "stays", Who("seat", "1")).ok
    assert table.layout_of(1)[3:5] == [None, "s1/5"]
    assert table.open() == ["card-moved"]  # allowed, and marked


def test_lifting_the_card_just_laid_asks_whether_it_is_taken_back(table: Table) -> None:
    table.put(1, 3, "s1/5")
    table.take(1, 3, "s1/5")
    (question,) = table.view()["questions"]
    assert question["text"].startswith("The 5 was lifted from place 3 of Ada, where it was just laid")
    table.put(1, 3, "s1/5")
    assert table.view()["questions"] == []
    table.take(1, 3, "s1/5")
    (question,) = table.view()["questions"]
    assert decisions.answer(table.core, question["id"], "yes", Who("seat", "1")).ok
    assert table.layout_of(1)[3] is None
    assert table.state()["to_move"] == 1


def test_lifting_a_card_of_an_earlier_turn_is_only_said(table: Table) -> None:
    table.put(1, 3, "s1/5")
    table.do(do="keep", seat=2)
    table.take(1, 3, "s1/5")
    assert table.view()["questions"] == []
    assert table.view()["notices"][0]["text"].endswith("a card that lies stays there.")
    assert table.layout_of(1)[3] == "s1/5"


def test_a_question_about_the_moment_goes_when_play_moves_on(table: Table) -> None:
    table.put(1, 3, "s1/5")
    table.take(1, 3, "s1/5")
    assert table.view()["questions"]
    table.do(do="keep", seat=2)
    assert table.view()["questions"] == []


def test_a_hand_shown_card_by_card_at_the_scan_spot_is_the_claim(table: Table) -> None:
    complete_row(table, 1)
    hand = hidden(table, table.hands()[0])
    table.show(*hand[:1])
    (question,) = table.view()["questions"]
    size = len(hand)
    assert question["text"] == (
        f"Ada claims the hero's win and shows the hand at the scan spot, card by card: 1 of {size}."
    )
    table.show(hand[0], *hand[1:-1])  # one of them twice: it counts once
    (question,) = table.view()["questions"]
    assert question["text"].endswith(f"{size - 1} of {size}.")
    table.show(hand[-1])
    view = table.view()
    assert (view["game"]["winners"], view["questions"], table.open()) == ([1], [], [])
    assert view["events"][0]["text"] == "Ada claims the hero's win: Ada wins the match."
    assert view["game"]["proofs"] == [{"seat": 1, "win": "hero", "shown": sorted(hand)}]


def test_a_claim_from_the_screen_asks_for_the_hand_and_refuses_what_is_vain(table: Table) -> None:
    complete_row(table, 1, skip=6)
    refused = table.core.act({"do": "claim", "seat": 1, "win": "hero"}, Who("seat", "1"))
    assert (refused.ok, refused.text) == (False, "Ada has 1 places still free.")
    refused = table.core.act({"do": "claim", "seat": 1, "win": "dragon"}, Who("seat", "1"))
    assert (refused.ok, refused.text) == (False, "At this table the dragon can't win.")
    assert table.do(do="lay", seat=1, card="s1/6", place=6).ok
    asked = table.core.act({"do": "claim", "seat": 1, "win": "hero"}, Who("seat", "1"))
    assert asked.ok
    assert "0 of" in asked.text
    table.show(*hidden(table, table.hands()[0]))
    assert table.state()["winners"] == [1]


def test_a_dead_in_the_hand_that_is_shown_is_no_heros_win(table: Table) -> None:
    complete_row(table, 1)
    table.show(*hidden(table, table.hands()[0], dead=1))
    assert table.state()["phase"] == "play"
    assert table.open() == ["claim-dead-in-hand"]


def test_a_showing_survives_a_restart_and_ends_when_play_goes_on(table: Table) -> None:
    complete_row(table, 1)
    hand = hidden(table, table.hands()[0])
    table.show(*hand[:2])
    table.pull_the_plug()
    (question,) = table.view()["questions"]
    assert "2 of 4" in question["text"]
    table.show(hand[2])
    (question,) = table.view()["questions"]
    assert "3 of 4" in question["text"]
    table.do(do="keep", seat=2)
    assert table.view()["questions"] == []


def test_too_few_cards_said_to_be_all_are_told_and_nothing_is_decided(table: Table) -> None:
    complete_row(table, 1)
    table.show(*hidden(table, 2))
    (question,) = table.view()["questions"]
    outcome = decisions.answer(table.core, question["id"], "all", Who("seat", "1"))
    assert not outcome.ok
    assert "This can't be Ada's whole hand: 2 cards were shown" in outcome.text
    assert table.view()["questions"] == []
    assert table.state()["phase"] == "play"


def test_with_the_dragon_agreed_it_is_asked_whose_claim_a_shown_card_is(tmp_path: Path) -> None:
    table = Table(tmp_path, ruleset={"dragon": "on"})
    complete_row(table, 1)
    hand = hidden(table, table.hands()[1], dead=2)
    table.show(hand[0])
    (question,) = table.view()["questions"]
    labels = [a["label"] for a in question["answers"]]
    assert labels[:2] == ["Ada, the hero's win", "Ada, the dragon's win"]
    assert labels[-1] == "Nobody, it is only looked at"
    assert decisions.answer(table.core, question["id"], "2:dragon", Who("seat", "2")).ok
    table.show(*hand)
    assert table.state()["winners"] == [2]
    assert table.state()["dragon"] is True


def test_a_card_on_the_scan_spot_that_proves_nothing_is_only_named(table: Table) -> None:
    table.show("s1/4")
    assert table.view()["scan"]["text"] == "The 4, set 1."
    assert table.view()["questions"] == []
    complete_row(table, 1)
    table.show("s2/1")  # it lies in the row
    assert table.view()["questions"] == []


def test_a_whole_evening_replays_from_its_sensors(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.sensors = SensorLog(tmp_path / "sensors", table.layout, "boot1", 0.0)
    table.put(1, 3, "s1/5")
    table.put(2, 4, "s2/6")
    table.do(do="keep", seat=1)
    table.put(2, 1, "s1/1")
    complete = [(1, 1, "s1/2"), (1, 2, "s2/3"), (1, 4, "s1/6"), (1, 5, "s2/7"), (1, 6, "s1/8")]
    for seat, place, card in complete:
        table.put(seat, place, card)
    table.core.act({"do": "claim", "seat": 1, "win": "hero"}, Who("seat", "1"))
    table.show(*hidden(table, table.hands()[0]))
    assert table.state()["winners"] == [1]
    table.sensors.close()
    entries = list(table.core.journal.read(match=2))
    (trace,) = (tmp_path / "sensors").glob("*.jsonl")
    again = rejudge(entries, [read_trace(trace)])
    assert again.difference is None
    assert len(again.now) == 11
