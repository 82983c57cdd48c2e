"""What goes wrong between the Pico and the host (F20 to F23), and what the table hears of it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import serial

from host.crown_scene import CrownScene
from host.link.device import LinkDevice
from host.link.ports import Finder, in_words, owner
from host.sighting import Health, Inventory, Press, Sighting
from tests.host.link_board import UID, Board, Heard, wait_until

RED = CrownScene((255, 0, 0), "blink", 1.0, "")


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    board = Board(tmp_path / "port")
    yield board
    board.close()


@pytest.fixture
def heard(board: Board) -> Iterator[Heard]:
    heard = Heard()
    device = LinkDevice("pico", board.path, 4)
    device.start(heard)
    yield heard
    device.stop()


def test_f23_rubbish_between_lines_costs_nothing_else(board: Board, heard: Heard) -> None:
    heard.health("up")
    for rubbish in (b"\xff\x00\xfe\n", b"raspberrypi rubbish\r\n", b">>> \n", b"inv ant=0 tags=", b"\n" * 9):
        board.raw(rubbish)
        since = len(heard.all)
        board.raw(b"\n")
        board.say("inv", ant=0, tags="-", ok=1)
        heard.tags(0, set(), since)
    assert not [s for s in heard.all if isinstance(s, Health) and s.state == "lost"]


def test_f23_a_line_in_pieces_is_one_line(board: Board, heard: Heard) -> None:
    heard.health("up")
    for byte in b"btn name=done down=1 n=9 t=100*":
        board.raw(bytes((byte,)))
    time.sleep(0.1)
    assert not [s for s in heard.all if isinstance(s, Press)]
    board.raw(b"0000\n")
    board.say("btn", name="undo", down=1)
    press = heard.wait(lambda s: isinstance(s, Press))
    assert isinstance(press, Press)
    assert press.button == "undo"


def fact(name: str, value: int) -> Callable[[Sighting], bool]:
    return lambda s: isinstance(s, Health) and dict(s.facts).get(name) == value


def test_f23_nothing_older_than_three_seconds_is_acted_on(tmp_path: Path) -> None:
    board, heard = Board(tmp_path / "port"), Heard()
    board.started -= 1000
    device = LinkDevice("pico", board.path, 4)
    device.start(heard)
    heard.health("up")
    board.say("btn", at=time.monotonic() - 10, name="old", down=1)
    for age in range(200):
        board.say("inv", at=time.monotonic() - 4 - age / 100, ant=1, tags=UID, ok=1)
    board.say("btn", name="new", down=1)
    heard.wait(lambda s: isinstance(s, Press) and s.button == "new")
    assert not [s for s in heard.all if isinstance(s, Press) and s.button == "old"]
    assert not [s for s in heard.all if isinstance(s, Inventory)]
    heard.wait(fact("stale lines", 201))
    device.stop()
    board.close()


def test_f23_lost_lines_are_counted_and_missed_tags_asked_for(board: Board, heard: Heard) -> None:
    heard.health("up")
    board.number += 3
    board.say("inv", ant=2, tags=UID, ok=1)
    seen = heard.tags(2, {UID})
    assert seen.tags[0].card is None
    wait_until(lambda: ("ask", {"what": "tags"}) in board.orders)
    heard.wait(fact("missing lines", 3))


def test_f23_a_reset_in_mid_line_starts_a_new_conversation(board: Board, heard: Heard) -> None:
    heard.health("up")
    board.raw(b"tag ant=2 uid=04A1")
    since = len(heard.all)
    board.boot, board.number, board.started = "B00T0002", 0, time.monotonic()
    board.raw(b"\n")
    board.hello()
    lost = heard.health("lost", since)
    assert "restarted" in lost.detail
    heard.health("up", since)


def test_a_silent_board_is_weak_after_one_second_and_lost_after_three(board: Board, heard: Heard) -> None:
    heard.health("up")
    since = len(heard.all)
    quiet = time.monotonic()
    weak = heard.health("weak", since, "said nothing")
    assert weak.at - quiet < 1.6
    lost = heard.health("lost", since)
    assert lost.at - quiet < 4
    heard.health("up", since)


def test_f20_a_cable_pulled_in_mid_line(board: Board, heard: Heard, tmp_path: Path) -> None:
    heard.health("up")
    since = len(heard.all)
    board.raw(b"tag ant=2 uid=04A1")
    pulled = time.monotonic()
    board.close()
    assert heard.health("lost", since).at - pulled < 1
    time.sleep(0.5)
    again = Board(tmp_path / "port")
    try:
        again.raw(b"B2C3D4E5F6 sak=00*ABCD\n")
        heard.health("up", since)
        assert not [s for s in heard.all if isinstance(s, Inventory)]
    finally:
        heard.wait(lambda s: isinstance(s, Health))
        again.close()


def test_f20_a_cable_pulled_while_lights_are_sent(board: Board) -> None:
    heard, device = Heard(), LinkDevice("pico", board.path, 4)
    device.start(heard)
    try:
        heard.health("up")
        for turn in range(50):
            device.show(CrownScene((turn, 0, 0), "steady", 0, ""))
        since = len(heard.all)
        board.close()
        for turn in range(50):
            device.show(CrownScene((0, turn, 0), "steady", 0, ""))
        heard.health("lost", since)
    finally:
        device.stop()


def test_s14_a_board_that_takes_nothing_blocks_nobody_and_gets_only_the_latest_light(board: Board) -> None:
    heard, device = Heard(), LinkDevice("pico", board.path, 4)
    device.start(heard)
    try:
        heard.health("up")
        board.reading.clear()
        started = time.monotonic()
        for turn in range(3000):
            device.show(CrownScene((turn % 256, 1, 1), "steady", 0, str(turn)))
        assert time.monotonic() - started < 2
        board.say("btn", name="done", down=1)
        heard.wait(lambda s: isinstance(s, Press))
        device.show(RED)
        board.reading.set()
        wait_until(lambda: ("led", {"at": "ring", "c": "FF0000", "p": "blink", "r": "1000"}) in board.orders)
        assert len([order for order in board.orders if order[0] == "led"]) < 1500
    finally:
        device.stop()


def test_lights_are_sent_again_after_a_reconnect(board: Board, heard: Heard, tmp_path: Path) -> None:
    device = LinkDevice("other", str(tmp_path / "second"), 4)
    first = Board(tmp_path / "second")
    mine = Heard()
    device.start(mine)
    try:
        device.show(RED)
        wait_until(lambda: any(verb == "led" for verb, _ in first.orders))
        first.close()
        mine.health("lost")
        second = Board(tmp_path / "second")
        wait_until(lambda: any(verb == "led" for verb, _ in second.orders))
        second.close()
    finally:
        device.stop()


def test_another_protocol_is_said_not_guessed_round(tmp_path: Path) -> None:
    board, heard = Board(tmp_path / "port", proto=7), Heard()
    device = LinkDevice("pico", board.path, 4)
    device.start(heard)
    try:
        lost = heard.health("lost")
        assert lost.detail.startswith(
            "the firmware speaks protocol 7, this program 1: run `crowntable flash`"
        )
    finally:
        device.stop()
        board.close()


@pytest.mark.parametrize(
    ("talk", "words"),
    [
        (b"\r\nraspberrypi login: ", "serial console"),
        (b"MicroPython v1.25.0 on 2025-04-15; Raspberry Pi Pico with RP2040\r\n>>> ", "prompt"),
        (b"$GPGGA,1234,5\r\n", "not our firmware"),
        (b"", "nothing answers"),
    ],
)
def test_s17_who_talks_there_instead_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, talk: bytes, words: str
) -> None:
    monkeypatch.setattr("host.link.device.HELLO_S", 0.6)
    board, heard = Board(tmp_path / "port", answers=False), Heard()
    device = LinkDevice("pico", board.path, 4)
    device.start(heard)
    try:
        wait_until(lambda: bool(board.orders))
        board.raw(talk)
        assert words in heard.health("lost").detail
    finally:
        device.stop()
        board.close()


def test_s09_a_board_that_starts_when_its_port_is_opened_is_waited_for(tmp_path: Path) -> None:
    board, heard = Board(tmp_path / "port", answers=False), Heard()
    device = LinkDevice("pico", board.path, 4)
    device.start(heard)
    try:
        time.sleep(2)
        board.answers = True
        heard.health("up")
        assert not [s for s in heard.all if isinstance(s, Health) and s.state == "lost"]
    finally:
        device.stop()
        board.close()


def test_f22_a_second_program_on_the_port_is_named(board: Board, heard: Heard) -> None:
    heard.health("up")
    second, mine = LinkDevice("second", board.path, 4), Heard()
    second.start(mine)
    try:
        assert "another program uses" in mine.health("lost").detail
        assert not [s for s in heard.all if isinstance(s, Health) and s.state == "lost"]
    finally:
        second.stop()


def test_f22_the_owner_is_named_with_its_process(board: Board) -> None:
    program = (
        "import serial, sys; port = serial.Serial(sys.argv[1], exclusive=True);"
        "print('open', flush=True); input()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program, board.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        assert str(owner(board.path)).endswith(f", process {other.pid}")
        heard, device = Heard(), LinkDevice("pico", board.path, 4)
        device.start(heard)
        assert f"process {other.pid}) uses {board.path}" in heard.health("lost").detail
        other.kill()
        heard.health("up")
        device.stop()
    finally:
        other.kill()
        other.wait()


def test_f21_found_again_by_its_lasting_name_when_the_number_changed(tmp_path: Path) -> None:
    by_id = tmp_path / "by-id"
    by_id.mkdir()
    first = Board(tmp_path / "ttyACM0")
    (by_id / "usb-Pico-if00").symlink_to(os.path.realpath(first.path))
    heard = Heard()
    finder = Finder(picos=list, by_id=by_id, by_path=tmp_path / "none")
    device = LinkDevice("pico", first.path, 4, finder=finder)
    device.start(heard)
    second = None
    try:
        heard.health("up")
        since = len(heard.all)
        Path(first.path).unlink()
        first.close()
        heard.health("lost", since)
        second = Board(tmp_path / "ttyACM1")
        (by_id / "usb-Pico-if00").unlink()
        (by_id / "usb-Pico-if00").symlink_to(os.path.realpath(second.path))
        heard.health("up", since)
    finally:
        device.stop()
        if second is not None:
            second.close()


def test_f21_auto_finds_the_pico_that_bears_the_readers_name(tmp_path: Path) -> None:
    silent = Board(tmp_path / "a", answers=False)
    crown = Board(tmp_path / "b", name="crown")
    table = Board(tmp_path / "c", name="north")
    heard = Heard()
    finder = Finder(picos=lambda: [silent.path, crown.path, table.path])
    device = LinkDevice("north", "auto", 4, finder=finder)
    device.start(heard)
    try:
        heard.health("up")
        table.say("inv", ant=0, tags="-", ok=1)
        heard.tags(0, set())
        table.close()
        heard.health("lost")
    finally:
        device.stop()
        for board in (silent, crown):
            board.close()


def test_f21_another_readers_pico_is_not_taken_for_a_lost_one(tmp_path: Path) -> None:
    mine, other = Board(tmp_path / "ttyACM0", name="north"), Board(tmp_path / "ttyACM1", name="south")
    other.identity = "E7"
    heard = Heard()
    device = LinkDevice("north", mine.path, 4, finder=Finder(picos=lambda: [other.path]))
    device.start(heard)
    try:
        heard.health("up")
        since = len(heard.all)
        Path(mine.path).unlink()
        mine.close()
        heard.health("lost", since, "calls itself 'south'")
        time.sleep(1.5)
        states = [s for s in heard.all[since:] if isinstance(s, Health)]
        assert not [s for s in states if s.state == "up"]
        assert len({s.detail for s in states}) == len(states), "each reason once (S20)"
    finally:
        device.stop()
        other.close()


def test_without_any_pico_it_says_so_and_keeps_trying() -> None:
    heard = Heard()
    device = LinkDevice("pico", "auto", 4, finder=Finder(picos=list))
    device.start(heard)
    assert "no Pico is plugged in" in heard.health("lost").detail
    time.sleep(1)
    device.stop()
    assert len([s for s in heard.all if isinstance(s, Health) and s.state == "lost"]) == 1, "said once"


def test_s08_a_busy_port_is_no_alarm_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board, heard = Board(tmp_path / "port"), Heard()
    real = serial.Serial
    refused: list[int] = []

    def busy(*args: Any, **kwargs: Any) -> serial.Serial:
        if len(refused) < 3:
            refused.append(1)
            raise serial.SerialException(16, "could not open port: [Errno 16] Device or resource busy")
        return real(*args, **kwargs)

    monkeypatch.setattr("host.link.device.serial.Serial", busy)
    device = LinkDevice("pico", board.path, 4)
    device.start(heard)
    try:
        heard.health("up")
        states = [(s.state, s.detail) for s in heard.all if isinstance(s, Health)]
        assert not [state for state, _ in states if state == "lost"]
        assert any("waiting for it" in detail for _, detail in states)
    finally:
        device.stop()
        board.close()


def test_s18_errors_of_opening_are_said_with_their_cure() -> None:
    denied = in_words(PermissionError(13, "Permission denied"), "/dev/null")
    assert "add this user to the group" in denied
    assert "is the cable in?" in in_words(FileNotFoundError(2, "No such file"), "/dev/ttyACM9")
    assert in_words(BlockingIOError(11, "locked"), "/dev/null").startswith("another program")


def test_stop_is_quick_and_quiet_in_every_state(tmp_path: Path) -> None:
    board = Board(tmp_path / "port")
    mute = Board(tmp_path / "mute", answers=False)
    for path in (board.path, mute.path, str(tmp_path / "absent"), "socket://127.0.0.1:9"):
        for wait in (0.0, 0.3):
            device, heard = LinkDevice("pico", path, 4), Heard()
            device.start(heard)
            time.sleep(wait)
            started = time.monotonic()
            device.stop()
            assert time.monotonic() - started < 2
            count = len(heard.all)
            device.stop()
            with suppress(OSError):
                board.say("inv", ant=0, tags="-", ok=1)
            time.sleep(0.05)
            assert len(heard.all) == count
    board.close()
    mute.close()
