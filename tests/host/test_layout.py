"""Layouts: those that ship are whole; a wrong one is refused with the key's name and what may stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import CrowntableError
from host.layout import find_layout, load_layout, parse_layout, shipped_layouts

GOOD = """
game = "althera"
[[seat]]
id = 1
die = "crimson"
[[zone]]
id = "seat1.field"
kind = "field"
seat = 1
reader = "pico"
antenna = 0
[[reader]]
id = "pico"
driver = "link"
"""


@pytest.mark.parametrize("name", sorted(shipped_layouts()))
def test_shipped_layouts_are_whole(name: str) -> None:
    layout = find_layout(name)
    kind = "field" if layout.game == "althera" else "place"
    per_seat = 1 if kind == "field" else 6
    if name == "desk-demo":
        per_seat = 0  # one reader, which scans: cards are laid there or entered by hand
    for seat in layout.seats:
        assert len([z for z in layout.zones if z.kind == kind and z.seat == seat.id]) == per_seat
    assert any(zone.kind == "scan" for zone in layout.zones)


@pytest.mark.parametrize(
    ("change", "says", "cure"),
    [
        (('game = "althera"', ""), "'game' is missing", "game ="),
        (("antenna = 0", 'antena = 0'), "unknown key 'antena'", "antenna"),
        (("antenna = 0", 'antenna = "0"'), "antenna = '0' is not a whole number", "antenna ="),
        (("antenna = 0", "antenna = -1"), "antenna = -1 is below zero", "zero or more"),
        (("seat = 1", "seat = 7"), "seat = 7, which the layout does not have", "It has: 1"),
        (('reader = "pico"', 'reader = "pica"'), "reader = 'pica'", "It has: pico"),
        (('kind = "field"', 'kind = "feld"'), "kind = 'feld' is not known", "'field'"),
        (('die = "crimson"', 'die = "red"'), "die = 'red' is not known", "'crimson'"),
        (('driver = "link"', ""), "'driver' is missing", "driver ="),
        (("[[seat]]", "[seat]"), "[seat] must be [[seat]]", "[[seat]]"),
        (("id = 1\n", 'id = true\n'), "id = True is not a whole number", "id ="),
        (('game = "althera"', 'game = 3'), "game = 3 is not a text", "game ="),
        (('game = "althera"', 'game = "althera'), "is not valid TOML", "Mend"),
        (('game = "althera"', 'game = "althera"\ncolour = 1'), "unknown key 'colour'", "thresholds"),
        (("[[reader]]", "[[thresholds]]\n[[reader]]"), "not a table", "hardware/tables"),
        (("[[reader]]", "[crown]\ngpio = [1, 2]\n[[reader]]"), "is not three pins", "gpio"),
    ],
)  # fmt: skip
def test_a_wrong_layout_names_key_and_cure(change: tuple[str, str], says: str, cure: str) -> None:
    parse_layout(GOOD, "good")
    with pytest.raises(CrowntableError) as caught:
        parse_layout(GOOD.replace(*change), "bad")
    assert says in caught.value.what
    assert cure in caught.value.cure


def test_doubles_are_refused() -> None:
    twice = GOOD + GOOD[GOOD.index("[[zone]]") : GOOD.index("[[reader]]")].replace("seat1.field", "other")
    with pytest.raises(CrowntableError, match="stands there twice"):
        parse_layout(twice, "bad")


def test_a_file_that_is_not_there_names_the_shipped_ones(tmp_path: Path) -> None:
    with pytest.raises(CrowntableError) as caught:
        load_layout(tmp_path / "none.toml")
    assert "althera-3" in caught.value.cure
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CrowntableError, match="not UTF-8"):
        load_layout(tmp_path / "binary.toml")
