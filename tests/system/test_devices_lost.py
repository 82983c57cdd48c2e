"""Each device pulled out in the middle of a match: said within a second, play goes on by hand, and it
comes back by itself. Real drivers on pseudo-terminals and a stream, no people."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from host.layout import Camera, Reader, find_layout
from host.virtual.pn532 import VirtualPn532
from host.virtual.tags import from_dump
from tests.shared_data import SHARED
from tests.system.evening import OPERATOR, Evening


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    evening = Evening(find_layout("althera-3"), tmp_path)
    try:
        evening.within(20, lambda: all(evening.device(d) == "up" for d in ("pico", "scan", "dice")))
        evening.table.command({"cmd": "new-match"}, OPERATOR)
        yield evening
    finally:
        evening.running.stop()


def test_the_link_pulled_out_and_put_back(evening: Evening) -> None:
    for seat, face in ((1, 6), (2, 2), (3, 1)):
        evening.do(do="roll", seat=seat, face=face)
    evening.do(do="declare", seat=1, against=2)
    world = evening.table.virtual
    assert world is not None
    world.do({"move": "cremisi/cavalry/1", "to": "seat1.field"})
    evening.within(5, lambda: evening.view()["game"]["duels"][0]["field"])
    world.do({"unplug": "pico"})
    assert evening.within(1.0, lambda: evening.device("pico") == "lost") < 1.0
    evening.do(do="play", seat=2, card="aurea/captain/1")
    world.do({"move": "cremisi/marksman/1", "to": "seat1.field"})
    world.do({"plug": "pico"})
    evening.within(10, lambda: evening.device("pico") == "up")
    # What lies there when it comes back is seen: the cavalry again (nothing new), the marksman (a play).
    evening.within(5, lambda: len(evening.view()["game"]["duels"][0]["plays"]) == 3)
    duel = evening.view()["game"]["duels"][0]
    assert duel["plays"] == ["cremisi/cavalry/1", "aurea/captain/1", "cremisi/marksman/1"]
    assert duel["field"] == {"owner": 2, "value": 61}
    by_hand = [e for e in evening.view()["events"] if e["by_hand"] and "Captain" in e["text"]]
    assert len(by_hand) == 1


def test_the_scan_reader_pulled_out_and_put_back(evening: Evening) -> None:
    world = evening.table.virtual
    assert world is not None
    world.do({"move": "aurea/champion/1", "to": "scan"})
    evening.within(5, lambda: (evening.view()["scan"] or {}).get("card") == "aurea/champion/1")
    world.do({"unplug": "scan"})
    assert evening.within(1.0, lambda: evening.device("scan") == "lost") < 1.0
    evening.do(do="roll", seat=1, face=6)
    world.do({"move": "aurea/champion/1", "to": "hand"})
    world.do({"move": "aurea/shield/1", "to": "scan"})
    world.do({"plug": "scan"})
    evening.within(10, lambda: evening.device("scan") == "up")
    evening.within(5, lambda: (evening.view()["scan"] or {}).get("card") == "aurea/shield/1")


def test_the_camera_pulled_out_and_put_back(evening: Evening) -> None:
    world = evening.table.virtual
    assert world is not None
    world.do({"throw": 1, "face": 5})
    evening.within(8, lambda: 1 not in evening.view()["game"]["awaiting_rolls"])
    world.do({"unplug": "dice"})
    assert evening.within(1.0, lambda: evening.device("dice") == "lost") < 1.0
    evening.do(do="roll", seat=2, face=3)
    world.do({"plug": "dice"})
    evening.within(15, lambda: evening.device("dice") == "up")
    time.sleep(0.5)
    world.do({"throw": 3, "face": 4})
    evening.within(10, lambda: evening.view()["game"]["phase"] == "duels")
    assert evening.view()["game"]["crown"] == 1


def test_photos_as_the_camera_and_real_tags_on_the_scan_spot(tmp_path: Path) -> None:
    folder = SHARED / "data" / "dice" / "KamilPiechowiak__DiceDetection"
    base = find_layout("althera-2")
    scan = tuple(z for z in base.zones if z.kind == "scan")
    chip = VirtualPn532(tmp_path / "scan")
    chip.start()
    layout = replace(
        base,
        zones=scan,
        readers=(Reader("scan", "nfc", str(tmp_path / "scan")),),
        cameras=(Camera("dice", str(folder)),),
        crown=replace(base.crown, gpio=None, link=None),
    )
    evening = Evening(layout, tmp_path / "data", virtual=False)
    names = {
        "D03": "blank", "D04": "web", "D26": "", "D30": "", "D56": "", "D61": "phone", "D25": "",
    }  # fmt: skip
    try:
        evening.within(20, lambda: evening.device("scan") == "up")
        said = {}
        for number in names:
            (path,) = (SHARED / "data" / "nfc" / "dumps").glob(f"{number}_*.json")
            tag = from_dump(json.loads(path.read_text()))
            before = evening.view()["scan"]
            chip.place(tag)
            evening.within(6, lambda b=before: evening.view()["scan"] != b)  # type: ignore[misc]
            said[number] = evening.view()["scan"]["text"]
            chip.lift(tag)
            time.sleep(1.2)
        assert len(said) == len(names)
        assert all("card" not in said[n] or "not a game card" in said[n].lower() for n in ("D04", "D30"))
        assert "phone" in said["D61"].lower()
        assert evening.device("scan") == "up"
        evening.within(10, lambda: evening.view()["dice"]["seen"])
        for _ in range(20):
            for die in evening.view()["dice"]["seen"]:
                assert (die["face"] is None) == bool(die["why"])
                assert die["face"] in (None, 1, 2, 3, 4, 5, 6)
            time.sleep(0.1)
    finally:
        evening.running.stop()
        chip.stop()
