"""`crowntable doctor`: what it sees on devices that answer and on none; no secrets in its bundle."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from host.doctor import Check, bundle, examine, layout_check, report
from host.journal import Journal
from host.layout import find_layout
from host.logs import scrubbed
from host.pi import PiMonitor, judged, read_facts
from host.sighting import Health
from host.virtual.stand_ins import StandIns


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_a_table_whose_devices_answer_is_well(tmp_path: Path) -> None:
    stand_ins = StandIns(find_layout("althera-3"), tmp_path / "dev")
    stand_ins.start()
    try:
        found = by_name(examine(stand_ins.layout, tmp_path))
    finally:
        stand_ins.stop()
    assert {name: found[name].level for name in ("pico", "scan", "dice", "disk", "python", "clock")} == {
        "pico": "ok", "scan": "ok", "dice": "ok", "disk": "ok", "python": "ok", "clock": "ok",
    }  # fmt: skip
    assert found["scan"].saw.startswith("PN532 1.6")


def test_a_table_with_nothing_plugged_in_names_each_device_and_what_to_do(tmp_path: Path) -> None:
    layout = find_layout("althera-2")
    layout = replace(layout, readers=tuple(replace(r, port=str(tmp_path / r.id)) for r in layout.readers))
    layout = replace(layout, cameras=(replace(layout.cameras[0], source=str(tmp_path / "video9")),))
    found = by_name(examine(layout, tmp_path))
    for name in ("pico", "scan", "dice"):
        assert found[name].level == "fail"
        assert found[name].do
    assert found["crown"].level == "warn"
    text = report(list(found.values()))
    assert "FAIL  scan: " in text
    assert text.count("\n") > len(found)


def test_a_running_tables_devices_are_left_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    try:
        found = by_name(examine(find_layout("althera-3"), tmp_path))
    finally:
        journal.close()
    assert "Another Crowntable" in found["devices"].saw
    assert "pico" not in found


def test_a_wrong_layout_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("game = 3")
    layout, check = layout_check(str(tmp_path / "x.toml"))
    assert layout is None
    assert (check.level, check.name) == ("fail", "layout")
    assert "game = 3" in check.saw


def sys_folder(tmp_path: Path, bits: str | None, alarm: str | None = None, heat: str = "48000") -> Path:
    root = tmp_path / "sys"
    if bits is not None:
        (root / "devices/platform/soc/soc:firmware").mkdir(parents=True)
        (root / "devices/platform/soc/soc:firmware/get_throttled").write_text(bits + "\n")
    if alarm is not None:
        (root / "class/hwmon/hwmon1").mkdir(parents=True)
        (root / "class/hwmon/hwmon1/name").write_text("rpi_volt\n")
        (root / "class/hwmon/hwmon1/in0_lcrit_alarm").write_text(alarm + "\n")
    (root / "class/thermal/thermal_zone0").mkdir(parents=True)
    (root / "class/thermal/thermal_zone0/temp").write_text(heat + "\n")
    return root


@pytest.mark.parametrize(
    ("bits", "alarm", "heat", "state", "says"),
    [
        ("0", None, "48000", "up", "are well"),
        ("50005", None, "48000", "weak", "under-voltage: the Pi gets too little power"),
        ("50000", None, "48000", "up", "there was under-voltage since it started"),
        (None, "1", "48000", "weak", "under-voltage: the Pi"),
        (None, "0", "83000", "weak", "83 °C"),
    ],
)
def test_f25_under_voltage_is_said_while_it_lasts_and_once_afterwards(
    tmp_path: Path, bits: str | None, alarm: str | None, heat: str, state: str, says: str
) -> None:
    facts = read_facts(sys_folder(tmp_path, bits, alarm, heat))
    assert judged(facts)[0] == state
    assert says in judged(facts)[1]


def test_f25_the_monitor_tells_the_table_and_is_silent_elsewhere(tmp_path: Path) -> None:
    import threading

    root, heard, more = sys_folder(tmp_path, "50005"), list[Health](), threading.Event()

    def hear(sighting: object) -> None:
        assert isinstance(sighting, Health)
        heard.append(sighting)
        more.set()

    monitor = PiMonitor(root, 0.02)
    monitor.start(hear)
    assert more.wait(5)
    more.clear()
    (root / "devices/platform/soc/soc:firmware/get_throttled").write_text("50000\n")
    assert more.wait(5)
    monitor.stop()
    assert [h.state for h in heard] == ["weak", "up"]
    silent = PiMonitor(tmp_path / "nothing", 0.01)
    silent.start(hear)
    silent.stop()
    assert len(heard) == 2


def test_the_bundle_has_no_secrets_and_no_names(tmp_path: Path) -> None:
    layout = find_layout("althera-3")
    log = f"{Path.home()} operator PIN 123456\nAda plays\ntag 04AABBCCDDEEFF read\ntoken=abc123\n"
    (tmp_path / "crowntable.log").write_text(log)
    (tmp_path / "secrets.json").write_text('{"pin": "123456"}')
    bundle(tmp_path / "help.zip", [Check("disk", "ok", "fine")], layout, tmp_path)
    with zipfile.ZipFile(tmp_path / "help.zip") as archive:
        wanted = ["doctor.json", "layout.json", "log.txt", "machine.txt", "settings.toml"]
        assert sorted(archive.namelist()) == wanted
        everything = "".join(archive.read(n).decode() for n in archive.namelist())
        assert json.loads(archive.read("layout.json"))["game"] == "althera"
    for secret in ("123456", "Ada", "Bruno", "04AABBCCDDEEFF", "abc123", str(Path.home())):
        assert secret not in everything, secret


def test_scrubbing_keeps_words_that_only_contain_a_name() -> None:
    assert scrubbed("Adamant Ada", {"Ada"}) == "Adamant [name]"
