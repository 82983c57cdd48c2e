"""From a layout to devices: what each of them is given, and which lamps are lit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from host import decisions
from host.devices import Devices, board_config, calibration_file
from host.lamps import lit
from host.layout import Reader, Zone, find_layout, shipped_layouts
from host.link import device
from host.link.device import LinkDevice
from host.products.build import find_build
from host.products.pins import firmware_config
from host.sighting import Inventory
from host.virtual.pico import VirtualPico
from tests.host.link_board import UID, Board, Heard, card_memory
from tests.host.table_kit import OPERATOR, Desk

PICO = Reader("pico", "link")


@pytest.mark.parametrize("name", sorted(shipped_layouts()))
def test_a_shipped_tables_pico_gets_the_settings_of_its_build(name: str) -> None:
    layout = find_layout(name)
    for reader in layout.readers:
        wanted = board_config(layout, reader)
        if reader.driver == "link":
            assert wanted == firmware_config(find_build(name))
            assert wanted
        else:
            assert wanted is None


def test_another_tables_pico_is_left_as_it_is() -> None:
    layout = find_layout("althera-2")
    assert board_config(replace(layout, name="ours"), PICO) is None
    assert board_config(layout, Reader("second", "link")) is None
    more = Zone("seat9.field", "field", "pico", 20, 1)
    assert board_config(replace(layout, zones=(*layout.zones, more)), PICO) is None


def test_the_camera_keeps_its_calibration_in_the_tables_folder(tmp_path: Path) -> None:
    devices = Devices(find_layout("althera-2"), tmp_path)
    assert devices.cameras["dice"].calibration == calibration_file(tmp_path, "dice")
    assert calibration_file(tmp_path, "../x").parent == tmp_path / "cameras"


def test_a_board_takes_the_settings_of_its_build_once_and_reads_with_them() -> None:
    config = firmware_config(find_build("althera-2"))
    antennas = int(config["antennas"])
    pico = VirtualPico("pico", antennas, wiring=config)  # soldered as the build says, no settings stored yet
    (pico.flash / "config.txt").unlink()
    pico.start()
    try:
        for starts in (2, 2):  # it restarts with them; at the second conversation it has them
            link, heard = LinkDevice("pico", pico.path, antennas, config=config), Heard()
            link.start(heard)
            heard.health("up")
            pico.place(antennas - 1, UID, card_memory("s2/5"))
            assert heard.tags(antennas - 1, {UID}).tags[0].card == "s2/5"
            pico.lift(antennas - 1, UID)
            link.stop()
            assert pico.starts == starts
    finally:
        pico.stop()


def test_a_board_that_keeps_its_own_settings_is_read_with_them_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "HELLO_S", 1.0)
    board, heard = Board(tmp_path / "pico"), Heard()
    link = LinkDevice("pico", board.path, 4, config={"budget": "500"})
    link.start(heard)
    try:
        said = heard.health("weak")
        assert said.detail == "the Pico of pico keeps other settings than its build's; run `crowntable flash`"
        assert [verb for verb, _ in board.orders].count("config") == 2
        board.say("tag", ant=1, uid=UID, sak="00", data=card_memory("s2/5")[:96].hex())
        board.say("inv", ant=1, tags=UID, ok=1)
        assert heard.tags(1, {UID}).tags[0].card == "s2/5"
    finally:
        link.stop()
        board.close()


# -- lamps ----------------------------------------------------------------------------------------


def lamps(desk: Desk) -> dict[int, str]:
    """Antenna -> pattern of what is lit."""
    found = lit(desk.core, desk.view("spectator"))
    return {antenna: scene.pattern for (reader, antenna), scene in found.items() if reader == "pico"}


def test_the_spot_where_the_next_card_is_awaited_breathes(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert lamps(desk) == {}
    desk.begin(crown=2)
    assert lamps(desk) == {1: "breathe"}  # Bruno declares
    desk.do(do="declare", seat=2, against=3)
    assert lamps(desk) == {1: "breathe"}
    desk.play(2, "aurea/cavalry/1")
    assert lamps(desk) == {2: "breathe"}
    assert desk.core.say("pause", "The match is paused.", OPERATOR).ok
    assert lamps(desk) == {}


def test_a_spot_that_is_asked_about_blinks_and_an_illegal_card_pulses(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.begin(crown=1)
    desk.do(do="declare", seat=1, against=2)
    desk.lay(2, "aurea/captain/1")
    assert lamps(desk) == {0: "breathe", 1: "pulse"}
    desk.lift(2, "aurea/captain/1")
    desk.play(1, "cremisi/cavalry/1")
    desk.lay(2, "aurea/alteration/1")
    assert lamps(desk) == {1: "blink"}
    (question,) = desk.view()["questions"]
    assert decisions.answer(desk.core, question["id"], "+", OPERATOR).ok
    assert lamps(desk) == {0: "breathe"}
    for _ in range(5):
        desk.now += 0.5
        desk.see(Inventory(desk.now, "pico", 0, (), ok=False))
    assert lamps(desk) == {0: "blink"}


def test_the_free_places_of_the_one_on_move_breathe(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "anthem-2")
    from host.newmatch import begin

    assert begin(desk.core, {"first": 2}, OPERATOR).ok
    places = {z.antenna: z for z in desk.layout.zones if z.kind == "place" and z.reader == "pico"}
    mine = {antenna for antenna, zone in places.items() if zone.seat == 2}
    assert lamps(desk) == dict.fromkeys(mine, "breathe")
    desk.do(do="lay", seat=2, card="s2/4", place=3)
    assert lamps(desk) == dict.fromkeys(set(places) - mine, "breathe")
    desk.do(do="lay", seat=1, card="s1/4", place=3)
    taken = next(antenna for antenna, zone in places.items() if (zone.seat, zone.place) == (2, 3))
    assert lamps(desk) == dict.fromkeys(mine - {taken}, "breathe")
