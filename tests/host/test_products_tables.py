"""Every product of every shipped table: as committed, whole, and refused where the table can't work."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from argparse import ArgumentParser
from pathlib import Path

import pytest

import host.products.cli
from engine.errors import CrowntableError
from host.layout import load_layout, shipped_layouts
from host.products import bom, geometry, make, power
from host.products.build import Build, find_build, parse_build
from host.products.pins import claims, firmware_config
from host.products.wires import harness
from tests.shared_data import ROOT

TABLES = sorted(shipped_layouts())


def changed(name: str, *changes: tuple[str, str], layout: tuple[str, str] | None = None) -> Build:
    """A shipped build with parts of its text exchanged; each must be there."""
    text = (ROOT / "hardware/builds" / f"{name}.toml").read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    if layout is None:
        return parse_build(text, load_layout(shipped_layouts()[name]))
    from host.layout import parse_layout

    table = shipped_layouts()[name].read_text()
    assert layout[0] in table
    return parse_build(text, parse_layout(table.replace(*layout), name))


def run(*arguments: str) -> int:
    """`crowntable hardware …`."""
    parser = ArgumentParser()
    host.products.cli.register(parser.add_subparsers())
    args = parser.parse_args(["hardware", *arguments])
    return int(args.run(args))


@pytest.mark.parametrize("name", TABLES)
def test_what_is_committed_is_what_the_description_says(name: str) -> None:
    assert make.stale(find_build(name), make.committed() / name) == []


def test_a_stale_a_missing_and_a_leftover_product_fail_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "desk"
    assert run("desk-demo", "-o", str(out)) == 0
    assert run("desk-demo", "-o", str(out), "--check") == 0
    (out / "bom.csv").write_text((out / "bom.csv").read_text().replace("9.00", "8.00"))
    (out / "wiring.yml").unlink()
    (out / "old.svg").write_text("")
    capsys.readouterr()
    assert run("desk-demo", "-o", str(out), "--check") == 1
    said = capsys.readouterr().err
    assert all(name in said for name in ("bom.csv", "wiring.yml", "old.svg"))
    assert "guide.md" not in said
    assert "Run: crowntable hardware desk-demo" in said


def test_a_table_of_ones_own_is_built_from_files_beside_each_other(tmp_path: Path) -> None:
    shutil.copy(shipped_layouts()["althera-3"], tmp_path / "mine.toml")
    with pytest.raises(CrowntableError, match=r"no build file: mine\.build\.toml is missing"):
        find_build(str(tmp_path / "mine.toml"))
    shutil.copy(ROOT / "hardware/builds/althera-3.toml", tmp_path / "mine.build.toml")
    assert run(str(tmp_path / "mine.toml"), "-o", str(tmp_path / "out")) == 0
    assert (tmp_path / "out/pico-config.txt").read_text().startswith("antennas=6 select=gpio:0,1,2,3,4,5*")


SCAN = 'id = "scan"\ndriver'
WRONG = [
    ("althera-3", ("[supply]", "[pins]\nring = 20\n[supply]"), "GP20 of the Pico (pin 26) is given to RST"),
    (
        "althera-3",
        ("[supply]", "[pins]\nring = 3\n[supply]"),
        "the select line of antenna 3 and to the crown's",
    ),
    ("althera-3", ("[supply]", "[pins]\nring = 23\n[supply]"), "GP23, wanted by the crown's ring, is no pin"),
    ("althera-3", ("[supply]", '[pins]\nspi = "0,19,18,16"\n[supply]'), "GP19 can't be SCK of SPI 0"),
    ("althera-3", ("[supply]", '[pins]\nselect = "gpio:0,1"\n[supply]'), "6 antennas but select lines for 2"),
    ("althera-3", ("ring = 24", "ring = 200"), "206 LEDs are too many for a budget of 900 mA"),
    ("althera-3", ("budget = 900", "budget = 2900"), "must give 3783 mA and should give 2400 at most"),
    ("althera-3", ("supply-5v-3a", "supply-5v-9a"), "no part 'supply-5v-9a'"),
    ("anthem-2", ("budget = 400", "budget = 900"), "must give 2567 mA"),
    ("anthem-2", ("shielded = true", "shielded = false"), "are 70 mm apart; 120 mm are needed"),
    ("althera-3", ("[90, 150]", "[0, 150]"), "seat1.field and seat1.crown are 50 mm apart"),
    ("althera-3", ("[90, 150]", "[320, 150]"), "the card at seat1.crown hangs over the table's edge"),
    ("althera-2", ("[-90, 130]", "[-90, 230]"), "the dice tray comes within"),
    ("althera-3", ("pico = [500, 240]\n", ""), "the Pico has no place"),
    ("althera-5", ("branches = 3", "branches = 1"), "the bus is too long"),
    ("anthem-4", ("branches = 4", "branches = 5"), "branches = 5 is too many"),
    ("althera-3", ("field = [-90, 150]\n", ""), "zone 'seat1.field' has no spot"),
    ("althera-3", ("id = 3", "id = 4"), "seat 3 has no place"),
    ("althera-3", ("scan = [500, 100]\n", ""), "zone 'scan' has no place"),
    ("althera-3", ("shape =", "shap ="), "unknown key 'shap'"),
    ("althera-3", ("ring = 24", "rings = 24"), "[lights] has no key 'rings'"),
    ("althera-3", ('pi = "pi-4"', "pi = 4"), "pi = 4 is not a text"),
    (
        "althera-3",
        ("pico = [500, 240]", "pico = [500]"),
        "pico = [500] is not two numbers",
    ),
    ("althera-3", ("looks = 120", 'looks = "left"'), "looks = 'left' is not a number"),
    ("althera-3", ('"round"', '"oval"'), "shape = 'oval' is not known"),
    ("althera-3", ("[supply]", "[supply"), "is not valid TOML"),
]


@pytest.mark.parametrize(("name", "change", "says"), WRONG)
def test_a_table_that_cant_work_is_refused_in_one_sentence(
    name: str, change: tuple[str, str], says: str
) -> None:
    with pytest.raises(CrowntableError) as error:
        make.check(changed(name, change))
    assert says in error.value.what
    assert error.value.what.count("\n") == 0
    assert len(error.value.cure) > 5


def test_two_devices_on_a_pin_of_the_pi_are_named_and_free_ones_offered() -> None:
    build = changed("althera-3", layout=("gpio = [17, 27, 22]", "gpio = [14, 27, 22]"))
    with pytest.raises(
        CrowntableError, match=r"GPIO14 of the Pi \(pin 8\) is given to reader 'scan'"
    ) as error:
        claims(build)
    assert "the crown's LED (red)" in error.value.what
    assert "free are" in error.value.cure


@pytest.mark.parametrize("name", TABLES)
def test_every_wire_ends_at_a_pin_that_is_there_and_every_reader_has_all_seven(name: str) -> None:
    build = find_build(name)
    plan = harness(build)
    pins = {(device.id, pin) for device in plan.devices for pin, _ in device.pins}
    ends = [end for cable in plan.cables for wire in cable.wires for end in (wire.one, wire.other)]
    assert set(ends) <= pins
    for zone in build.antennas():
        assert {pin for device, pin in ends if device == f"R{zone.antenna}"} == {1, 2, 3, 4, 6, 7, 8}
    wires = [wire for cable in plan.cables for wire in cable.wires]
    selects = [wire.one for wire in wires if wire.other in {(f"R{z.antenna}", 1) for z in build.antennas()}]
    assert len(selects) == len(set(selects)) == len(build.antennas())


def test_wireviz_reads_every_wiring() -> None:
    """WireViz's own reader, which knows its format; drawing would need Graphviz."""
    code = (
        "import sys; from pathlib import Path; from wireviz.wireviz import parse\n"
        "for file in sys.argv[1:]:\n"
        "    harness = parse(Path(file), return_types='harness')\n"
        "    print(len(harness.connectors), len(harness.cables))\n"
    )
    files = [str(make.committed() / name / "wiring.yml") for name in TABLES]
    done = subprocess.run([sys.executable, "-c", code, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    plans = [harness(find_build(name)) for name in TABLES]
    assert done.stdout.split("\n")[:-1] == [f"{len(plan.devices)} {len(plan.cables)}" for plan in plans]


def test_the_firmware_takes_every_configuration() -> None:
    """By firmware/config.py in a real MicroPython, which loads the file as the board would."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import config\n"
        "for path in sys.argv[2:]:\n"
        "    made, given = config.load(path)\n"
        "    assert given is not None, path\n"
        "    print(made['antennas'], len(config.selects(made)))\n"
    )
    start = (
        "import sys; from micropython_unix import run_main\n"
        "sys.exit(run_main(['micropython', *sys.argv[1:]]))"
    )
    names = [name for name in TABLES if firmware_config(find_build(name))]
    files = [str(make.committed() / name / "pico-config.txt") for name in names]
    command = [sys.executable, "-c", start, "-c", code, str(ROOT / "firmware"), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for name, line in zip(names, done.stdout.splitlines(), strict=True):
        antennas, selects = map(int, line.split())
        assert antennas == len(find_build(name).antennas()) <= selects


@pytest.mark.parametrize("name", TABLES)
def test_the_bill_adds_up_and_each_price_has_its_date(name: str) -> None:
    rows = list(csv.DictReader(io.StringIO((make.committed() / name / "bom.csv").read_text())))
    running = 0.0
    for row in rows:
        running += float(row["total EUR"])
        assert float(row["running total EUR"]) == pytest.approx(running, abs=0.005)
        assert float(row["total EUR"]) == pytest.approx(
            float(row["quantity"]) * float(row["price EUR"]), abs=0.01
        )
        assert len(row["price of"].split("-")) == 3
    assert running == pytest.approx(bom.total(find_build(name)), abs=0.01)


def test_the_desk_demo_costs_less_than_forty_euros() -> None:
    assert bom.total(find_build("desk-demo")) < 40


@pytest.mark.parametrize("name", TABLES)
def test_the_drawing_is_to_scale(name: str) -> None:
    """One unit is a millimetre, and every card's outline on it measures 63 by 88."""
    build = find_build(name)
    root = ET.fromstring((make.committed() / name / "table.svg").read_text())
    width = float(root.attrib["viewBox"].split()[2])
    assert root.attrib["width"] == f"{width:g}mm"
    cards = 0
    for path in root.iter("{http://www.w3.org/2000/svg}path"):
        if path.attrib.get("stroke-width") != "2" or "Z" not in path.attrib["d"]:
            continue
        points = [tuple(map(float, p.split())) for p in path.attrib["d"].strip("MZ").split("L")]
        spread = max(((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 for ax, ay in points for bx, by in points)
        cards += 104 < spread < 108.3  # the diagonal, corners rounded off
    assert cards == len(build.layout.zones)


def test_a_shipped_table_keeps_its_distances_and_its_margins() -> None:
    for name in TABLES:
        build = find_build(name)
        assert all(gap.free >= gap.needed for gap in geometry.closest_gaps(build))
        assert all(branch.delay <= geometry.HALF_CLOCK_NS for branch in geometry.branches(build))
        assert all(rail.sum <= rail.limit for rail in power.rails(build))
