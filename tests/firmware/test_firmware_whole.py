"""The whole firmware in a real MicroPython, over the link: sick chips, bad power, resets, settings."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from host.crown_scene import CrownScene
from host.link.device import LinkDevice
from host.link.protocol import crc16, format_line
from host.sighting import Health, Inventory, Press
from host.virtual.pico import VirtualPico
from tests.host.link_board import OTHER, UID, Heard, card_memory, wait_until

WHITE = CrownScene((255, 255, 255), "steady", 0.0, "all white")
ROOT = Path(__file__).resolve().parents[2]


class Table:
    """A virtual Pico, the link to it and what it says."""

    def __init__(self, antennas: int = 4, config: dict[str, str] | None = None, **wiring: str) -> None:
        self.pico = VirtualPico("pico", antennas, wiring=wiring, buttons=["done"])
        self.heard = Heard()
        self.link = LinkDevice("pico", self.pico.path, antennas, config=config)
        self.pico.start()
        self.link.start(self.heard)

    def close(self) -> None:
        self.link.stop()
        self.pico.stop()

    def losses(self) -> int:
        return sum(isinstance(s, Health) and s.state == "lost" for s in self.heard.all)


@pytest.fixture
def table() -> Iterator[Table]:
    table = Table()
    table.heard.health("up")
    yield table
    table.close()


def test_a_chip_that_is_mute_is_said_the_others_go_on_and_it_comes_back(table: Table) -> None:
    pico, heard = table.pico, table.heard
    pico.place(0, UID, card_memory("s2/5"))
    heard.tags(0, {UID})
    since = len(heard.all)
    pico.fault(0, "mute", 1)
    weak = heard.health("weak", since)
    assert weak.detail == "antenna 0 of pico does not work: its reader chip does not answer"
    pico.place(1, OTHER, card_memory("s3/7", OTHER))
    heard.tags(1, {OTHER}, since)
    heard.wait(lambda s: isinstance(s, Inventory) and s.antenna == 0 and not s.ok, since)
    gone = [
        s for s in heard.all[since:] if isinstance(s, Inventory) and s.antenna == 0 and s.ok and not s.tags
    ]
    assert not gone, "a mute chip removes no card"
    since = len(heard.all)
    pico.fault(0, "mute", 0)
    heard.health("up", since)
    heard.tags(0, {UID}, since)


def test_a_chip_that_hangs_is_reset(table: Table) -> None:
    since = len(table.heard.all)
    table.pico.fault(2, "hung", 1)
    weak = table.heard.health("weak", since)
    assert weak.detail == "antenna 2 of pico does not work: its reader chip hangs"
    table.heard.health("up", since)
    table.pico.place(2, UID, card_memory("s2/5"))
    table.heard.tags(2, {UID}, since)


def test_antennas_with_a_pn532_each_work_alike() -> None:
    table = Table(antennas=3, chip="pn532")
    try:
        table.heard.health("up")
        table.pico.place(1, UID, card_memory("s2/5"))
        table.pico.place(1, OTHER, card_memory("s3/7", OTHER))
        seen = table.heard.tags(1, {UID, OTHER})
        assert {tag.card for tag in seen.tags} == {"s2/5", "s3/7"}
        since = len(table.heard.all)
        table.pico.lift(1, UID)
        table.heard.tags(1, {OTHER}, since)
        table.pico.fault(2, "hung", 1)
        assert "antenna 2" in table.heard.health("weak", since).detail
        table.heard.health("up", since)
        assert table.pico.most_fields == 1
    finally:
        table.close()


def test_a_chip_of_an_unknown_version_is_named() -> None:
    table = Table()
    try:
        table.heard.health("up")
        since = len(table.heard.all)
        table.pico.fault(1, "version", 0x33)
        table.pico.power_cut()
        assert "version-33" in table.heard.health("weak", since).detail
    finally:
        table.close()


def test_f07_noise_and_a_weak_field_invent_nothing(table: Table) -> None:
    pico, heard = table.pico, table.heard
    pico.fault(3, "noise", 25)
    pico.fault(3, "weak", 25)
    pico.place(3, UID, card_memory("s2/5"))
    heard.tags(3, {UID})
    time.sleep(2)
    seen = {
        (tag.uid, tag.card)
        for s in heard.all
        if isinstance(s, Inventory) and s.antenna == 3
        for tag in s.tags
    }
    assert seen <= {(UID, "s2/5"), (UID, None)}


def test_f23_garbage_on_the_line_and_a_reset_in_mid_line(table: Table) -> None:
    pico, heard = table.pico, table.heard
    pico.garbage(b"\x00\xff\xfe boot noise \x03 without an end")
    since = len(heard.all)
    pico.place(0, UID, card_memory("s2/5"))
    heard.tags(0, {UID}, since)
    assert table.losses() == 0
    since = len(heard.all)
    pico.reset_in_line()
    heard.health("lost", since)
    heard.health("up", since)
    assert heard.tags(0, {UID}, since).tags[0].card == "s2/5"


def test_s13_a_firmware_that_stood_still_sends_no_old_presses(table: Table) -> None:
    pico, heard = table.pico, table.heard
    since = len(heard.all)
    pico.stall(4.2)
    pico.press("done", 0.5)
    heard.health("weak", since, "said nothing")
    heard.health("up", since)
    assert not [s for s in heard.all if isinstance(s, Press)]
    pico.press("done")
    heard.wait(lambda s: isinstance(s, Press), since)


def test_a_firmware_that_hangs_is_started_anew_by_its_watchdog(table: Table) -> None:
    since = len(table.heard.all)
    table.pico.hurry_watchdog(20)
    table.pico.stall(1.0)
    table.heard.health("lost", since)
    table.heard.health("up", since)
    assert table.pico.starts == 2


def test_the_prompt_is_not_bitten_by_the_watchdog(table: Table) -> None:
    table.link.stop()
    with serial.Serial(table.pico.path, timeout=5) as port:
        port.write(b"\x03" * 5)
        wait_until(lambda: table.pico.starts == 2)
    table.pico.hurry_watchdog(100)
    with serial.Serial(table.pico.path, timeout=5) as port:
        port.write(b"\r")
        assert b">>>" in port.read_until(b">>>")
    time.sleep(0.5)
    assert table.pico.starts == 2


def test_f24_two_power_resets_halve_the_brightness_and_the_screen_says_why() -> None:
    # Twenty-four white LEDs at full draw 1,440 mA; the board's default budget lets 900 through.
    table = Table(antennas=2, brightness="255", budget="2000")
    pico, heard = table.pico, table.heard
    try:
        heard.health("up")
        pico.supply(700)
        table.link.show(WHITE)
        weak = heard.health("weak", words="brightness")
        assert weak.detail.startswith("lights at half brightness")
        assert "5 V supply" in weak.detail
        assert pico.starts >= 3
        # 1,440 mA halved is still too much here: the next reset halves once more, and then it holds.
        heard.health("weak", words="a quarter")
        starts = pico.starts
        wait_until(lambda: sum(map(sum, pico.leds())) > 24 * 3 * 50)
        time.sleep(1)
        assert pico.starts == starts
        drawn = sum(map(sum, pico.leds())) * 20 / 255
        assert drawn < 700
        pico.supply(0)
        since = len(heard.all)
        table.link.full_brightness()
        heard.health("up", since)
    finally:
        table.close()


def test_lights_keep_to_the_budget_and_start_dark() -> None:
    table = Table(antennas=4, brightness="255", budget="600", ring="22:60")
    try:
        table.link.show(WHITE)
        for antenna in range(4):
            table.link.light(antenna, WHITE)
        most = first = 0
        deadline = time.monotonic() + 4
        while time.monotonic() < deadline:
            lit = sum(map(sum, table.pico.leds())) + sum(map(sum, table.pico.leds("lamps")))
            first = first or lit
            most = max(most, lit)
            time.sleep(0.01)
        assert 300 < most * 20 / 255 <= 600
        assert first < most / 2
    finally:
        table.close()


def test_only_one_field_is_on_at_a_time(table: Table) -> None:
    for antenna in range(4):
        table.pico.place(antenna, UID[:-1] + str(antenna), card_memory("s2/5", UID[:-1] + str(antenna)))
        table.heard.tags(antenna, {UID[:-1] + str(antenna)})
    assert table.pico.most_fields == 1


def test_settings_from_the_host_are_kept_through_a_power_cut() -> None:
    wanted = {"name": "pico", "antennas": "6", "gain": "5", "brightness": "40", "buttons": "done:8"}
    table = Table(antennas=6, config=wanted)
    table.pico.wiring["antennas"] = "6"
    try:
        table.heard.health("starting", words="configuration")
        table.heard.health("up")
        first = table.pico.starts
        since = len(table.heard.all)
        table.pico.power_cut()
        table.heard.health("lost", since)
        table.heard.health("up", since)
        assert table.pico.starts == first + 1, "it is not sent a second time"
        stored = (table.pico.flash / "config.txt").read_text(encoding="ascii")
        assert "brightness=40" in stored
    finally:
        table.close()


def test_a_setting_that_the_board_refuses_is_named() -> None:
    table = Table(config={"name": "pico", "antennas": "4", "gain": "9"})
    try:
        assert "'gain' is wrong" in table.heard.health("lost").detail
    finally:
        table.close()


def test_too_few_antennas_are_said() -> None:
    pico, heard = VirtualPico("pico", 2), Heard()
    link = LinkDevice("pico", pico.path, 5)
    pico.start()
    link.start(heard)
    try:
        assert heard.health("weak").detail == "the Pico scans 2 antennas, the layout has 5"
    finally:
        link.stop()
        pico.stop()


def test_a_setting_that_crashes_the_board_is_laid_aside() -> None:
    pico, heard = VirtualPico("pico", 2, wiring={"spi": "0,18,19,16"}), Heard()
    stored = "antennas=2 name=pico ring=-1:8"
    (pico.flash / "config.txt").write_text(f"{stored}*{crc16(stored.encode()):04X}\n", encoding="ascii")
    link = LinkDevice("pico", pico.path, 2)
    pico.start()
    link.start(heard)
    try:
        heard.health("up")
        assert (pico.flash / "config.bad").exists()
    finally:
        link.stop()
        pico.stop()


def state_of(process: int) -> str:
    """R, S, Z … as the kernel has it; X when it is no more."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def children_of(process: int) -> list[int]:
    """The processes that it started and that run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == process:
                found.append(int(entry.name))
    return found


def test_the_board_dies_with_a_killed_host(tmp_path: Path) -> None:
    program = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from host.virtual.pico import VirtualPico\n"
        "pico = VirtualPico('pico', 2); pico.start(); print('up', flush=True); time.sleep(60)"
    )
    host = subprocess.Popen([sys.executable, "-c", program, str(ROOT)], stdout=subprocess.PIPE)
    assert host.stdout is not None
    assert host.stdout.readline() == b"up\n"
    wait_until(lambda: bool(children_of(host.pid)))
    boards = children_of(host.pid)
    os.kill(host.pid, signal.SIGKILL)
    host.wait()
    wait_until(lambda: not any(state_of(board) not in "XZ" for board in boards))


def test_twenty_restarts_of_the_host_in_a_row() -> None:
    pico = VirtualPico("pico", 2)
    pico.start()
    pico.place(0, UID, card_memory("s2/5"))
    try:
        for _ in range(20):
            heard, link = Heard(), LinkDevice("pico", pico.path, 2)
            link.start(heard)
            assert heard.tags(0, {UID}).tags[0].card == "s2/5"
            link.stop()
        assert pico.starts == 1
    finally:
        pico.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_wireless_crown_speaks_the_same_lines_over_tcp() -> None:
    number = free_port()
    pico = VirtualPico("crown", 0, wiring={"tcp": str(number), "battery": "26", "ring": "22:12"})
    usb, cable = Heard(), LinkDevice("crown", pico.path, 0)
    pico.start()
    cable.start(usb)
    usb.health("up")
    cable.stop()
    with serial.Serial(pico.path, timeout=1) as port:
        port.write(format_line("wifi", {"ssid": b"table".hex(), "key": b"secret-key".hex()}))
        wait_until((pico.flash / "wifi.txt").exists)
    heard, link = Heard(), LinkDevice("crown", f"socket://127.0.0.1:{number}", 0)
    link.start(heard)
    try:
        heard.health("up")
        link.show(CrownScene((0, 200, 0), "steady", 0, ""))
        wait_until(lambda: any(green > 20 for _, green, _ in pico.leds()))
        since = len(heard.all)
        pico.battery(3300)
        assert "battery of crown is low (3.3 V)" in heard.health("weak", since).detail
        pico.battery(3900)
        heard.health("up", since)
        since = len(heard.all)
        pico.power_cut()
        heard.health("lost", since)
        heard.health("up", since)
        wait_until(lambda: any(green > 20 for _, green, _ in pico.leds()))
        link.stop()
        kept = (pico.flash / "wifi.txt").read_text(encoding="ascii")
        with socket.create_connection(("127.0.0.1", number), 5) as stranger:
            stranger.sendall(format_line("wifi", {"ssid": "00", "key": "00"}))
            told = b""
            while b"no what=wifi" not in told:
                told += stranger.recv(4096)
        assert (pico.flash / "wifi.txt").read_text(encoding="ascii") == kept
    finally:
        link.stop()
        pico.stop()


def test_a_board_that_was_held_up_itself_does_not_blame_a_chip(table: Table) -> None:
    """A busy machine stops the simulated board for a moment in the middle of an exchange."""
    table.pico.place(0, UID, card_memory("s2/5"))
    table.heard.tags(0, {UID})
    since = len(table.heard.all)
    child = table.pico._child
    assert child is not None
    for i in range(40):
        child.send_signal(signal.SIGSTOP)
        time.sleep(0.09)
        child.send_signal(signal.SIGCONT)
        time.sleep(0.021 + i * 0.001)
    time.sleep(0.5)
    said = [s.detail for s in table.heard.all[since:] if isinstance(s, Health) and s.state != "up"]
    assert not [detail for detail in said if "hangs" in detail or "does not work" in detail]
