"""Setting a table up over real wires: blank tags enrolled at the PN532, then played over the Pico; zones
bound by touch, also after the next start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from host import cardlist
from host.interpret import CROWN
from host.layout import find_layout
from host.virtual.tags import Type2Tag, blank
from tests.system.evening import OPERATOR, Evening


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    evening = Evening(find_layout("althera-3"), tmp_path)
    try:
        evening.within(40, lambda: all(evening.device(d) == "up" for d in ("pico", "scan")))
        yield evening
    finally:
        evening.running.stop()


def command(evening: Evening, cmd: str, **more: object) -> None:
    outcome = evening.table.command({"cmd": cmd, **more}, OPERATOR)
    assert outcome.ok, outcome


def enrol(evening: Evening, tag: Type2Tag) -> str:
    """Sweeps a tag over the scan spot; the card that it became."""
    assert evening.running.chaos is not None
    chip = evening.running.chaos.levers.pn532s["scan"]
    bound = len(evening.view()["enrolment"]["bound"])
    chip.place(tag)
    evening.within(20, lambda: len(evening.view()["enrolment"]["bound"]) > bound)
    chip.lift(tag)
    evening.within(10, lambda: evening.view()["enrolment"]["tag"] is None)
    return str(evening.view()["enrolment"]["bound"][0]["card"])


def test_blank_tags_enrolled_by_their_numbers_are_cards_at_every_reader(evening: Evening) -> None:
    command(evening, "enrol-start", only="cremisi/")
    command(evening, "enrol-card", card="cremisi/cavalry/1")
    first, second = blank(uid="04A1B2C3D4E501"), blank(uid="04A1B2C3D4E502")
    assert enrol(evening, first) == "cremisi/cavalry/1"
    enrol(evening, second)
    command(evening, "enrol-stop")
    cards = cardlist.load(evening.running.options.data / "cards.csv")
    assert cards.card_of("04A1B2C3D4E501") == "cremisi/cavalry/1"
    assert len(cards.entries) == 2
    evening.begin_duel()
    assert evening.running.chaos is not None
    pico = evening.running.chaos.levers.picos["pico"]
    pico.place(0, first.uid, bytes(first.memory), first.sak)
    evening.within(15, lambda: evening.duel()["plays"] == ["cremisi/cavalry/1"])


def test_zones_bound_by_touch_hold_at_once_and_after_the_next_start(evening: Evening, tmp_path: Path) -> None:
    evening.within(60, lambda: evening.lying("seat1.crown") == [CROWN])  # it lies there, so it is no touch
    command(evening, "zones-start")
    evening.within(10, lambda: evening.view()["zone_setup"]["zone"] == "seat1.field")
    # Whoever built this table mixed up two cables: seat 1's spot is wired as seat 2's.
    for spot, nxt in (("seat2.field", "seat2.field"), ("seat1.field", "seat3.field")):
        evening.lay("cremisi/captain/1", spot)
        evening.within(20, lambda nxt=nxt: evening.view()["zone_setup"]["zone"] == nxt)  # type: ignore[misc]
        evening.lay("cremisi/captain/1", "hand")
    while evening.view()["zone_setup"]["zone"] is not None:
        command(evening, "zones-skip")
    command(evening, "zones-save")
    evening.begin_duel()
    evening.lay("cremisi/cavalry/1", "seat2.field")
    evening.within(15, lambda: evening.duel()["plays"] == ["cremisi/cavalry/1"])
    assert evening.lying("seat1.field") == ["cremisi/cavalry/1"]
    evening.running.stop()
    again = Evening(find_layout("althera-3"), tmp_path)
    try:
        again.within(40, lambda: again.device("pico") == "up")
        again.lay("aurea/captain/1", "seat1.field")
        again.within(15, lambda: again.duel()["plays"] == ["cremisi/cavalry/1", "aurea/captain/1"])
    finally:
        again.running.stop()


def test_the_virtual_hands_take_any_json_with_a_sentence(evening: Evening) -> None:
    odd: list[object] = [None, True, -1, 7, 1e300, "", "x" * 5000, [], {}, "a/b", "seat1.field"]
    odd.append("cremisi/cavalry/1")
    world = evening.table.virtual
    assert world is not None
    for key in ("move", "crown", "throw", "unplug", "plug", "chaos", "nonsense"):
        for value in odd:
            for more in ({}, {"to": value}, {"face": value}, {"on": value}):
                outcome = world.do({key: value, **more})
                assert outcome.text
                assert len(outcome.text) < 600
    assert evening.table.alive()
    assert {d["id"] for d in world.state()["devices"]} == {"pico", "scan", "dice"}
