"""Files that people edit and discs damage: layouts, records, traces. Whatever is in them, no error but our
own, and what is accepted is whole."""

from __future__ import annotations

import json
import math
import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CrowntableError
from engine.games import games
from engine.records.export import export
from engine.records.files import checksum, parse
from engine.records.replay import replay
from host.entry import Entry
from host.face import Who
from host.layout import Layout, find_layout, parse_layout, shipped_layouts, to_toml
from host.match import Match
from host.sensors import SensorLog, read_trace
from host.sighting import Health, Inventory, TagRead
from host.tracker import Tracker
from host.zonesetup import as_set_up, save_layout
from tests.engine.record_makers import match_record

#: how many inputs a soak tries for each kind of file
MANY = int(os.environ.get("CROWNTABLE_FUZZ", "1000000"))
ODD: list[Any] = [
    None, True, -1, 0, 1, 2, 7, 2**70, 1e300, math.nan, math.inf, 0.5, "", "x",
    "scan", "pico", "crimson", "é" * 500, "\x00", [], [1], {}, {"a": {}}, "2", "anthem",
    "althera", "setup", "play", "lay",
]  # fmt: skip
KEYS = ["seat", "gpio", "die", "zones", "a.b", "place"]
HEADS = ["[[seat]]", "[seat]", "[thresholds]", "[[zone]]", "[crown]", "[[[", "[x.y]"]


# -- layouts --------------------------------------------------------------------------------------


def toml_of(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {toml_of(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml_of, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return "nan" if value is None else json.dumps(value)


def spoiled_layout(rng: random.Random, text: str) -> str:
    lines = text.splitlines()
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        match rng.randint(0, 6):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[rng.randrange(len(lines))])
            case 2:
                lines[at] = re.sub(r"=.*", lambda _: f"= {toml_of(rng.choice(ODD))}", lines[at])
            case 3:
                lines[at] = re.sub(r"^\w+", rng.choice(KEYS), lines[at])
            case 4:
                lines[at] = rng.choice(HEADS)
            case 5:
                lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
            case _:
                lines[at] += chr(rng.choice([0, 9, 34, 35, 92, 127, 0x301, 0xFFFE, 0x1F600]))
        lines = lines or ["game = 1"]
    return "\n".join(lines) + "\n"


def layouts(rng: random.Random, count: int) -> int:
    texts = [path.read_text() for path in shipped_layouts().values()]
    taken = 0
    for _ in range(count):
        try:
            layout = parse_layout(spoiled_layout(rng, rng.choice(texts)), "spoiled")
        except CrowntableError as error:
            assert error.what
            assert error.cure
            continue
        taken += 1
        assert parse_layout(to_toml(layout), layout.name) == layout
        used(layout)
    return taken


def used(layout: Layout) -> None:
    """What is accepted can be used: every antenna scanned, every seat and die looked up."""
    tracker = Tracker(layout)
    for zone in layout.zones:
        for i in range(2):
            tracker.feed(Inventory(float(i), zone.reader, zone.antenna, (TagRead(f"04{i:012X}", "s1/1"),)))
    for seat in layout.seats:
        assert layout.seat_of_die(seat.die or "") in (seat.id, None)
    for reader in layout.readers:
        assert layout.antennas(reader.id) >= 0


# -- records --------------------------------------------------------------------------------------


def spoil(rng: random.Random, value: Any) -> Any:
    """A JSON value with one thing in it changed for something odd."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        return {**value, key: spoil(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], spoil(rng, value[at]), *value[at + 1 :]]
    return rng.choice(ODD)


def records(rng: random.Random, count: int) -> int:
    seeds = [export(match_record(game), "jsonl").splitlines()[:40] for game in ("althera", "anthem")]
    taken = 0
    for _ in range(count):
        # Short ones mostly: what reads a line does not know how many come after it.
        lines, before, data = rng.choice(seeds)[: rng.choice((2, 4, 8, 40))], "", b""
        hit = rng.randrange(len(lines))
        for number, line in enumerate(lines):
            body = json.loads(line)
            if number == hit or rng.random() < 0.02:
                body = spoil(rng, body)
            if isinstance(body, dict):  # the checksums are right: what is odd must be found otherwise
                body.pop("sum", None)
                before = checksum(before, body)
                body["sum"] = before
            data += json.dumps(body).encode() + b"\n"
        if rng.random() < 0.2:
            data = data[: rng.randrange(len(data))]
        taken += read_and_replay(data)
    return taken


def read_and_replay(data: bytes) -> bool:
    try:
        record = parse(data)
        replay(record)
        for to in ("text", "csv", "html", "jsonl"):
            export(record, to)
    except CrowntableError as error:
        assert error.what
        assert error.cure
        return False
    return True


# -- the sensors' trace, and a layout set up by touch -----------------------------------------------


def traces(rng: random.Random, count: int, folder: Path) -> int:
    log = SensorLog(folder / "sensors", find_layout("althera-2"), "boot", 1.0)
    log.add(Inventory(1.0, "pico", 0, (TagRead("04AABBCCDDEEFF", "s1/1"),)), 1)
    log.add(Health(2.0, "pico", "reader", "up", "well", (("reads", 3),)), 2)
    log.close()
    (path,) = (folder / "sensors").glob("*.jsonl")
    lines, taken = path.read_text().splitlines(), 0
    for _ in range(count):
        spoiled = [json.dumps(spoil(rng, json.loads(x))) if rng.random() < 0.6 else x for x in lines]
        text = "\n".join(spoiled)
        path.write_text(text[: rng.randrange(len(text) + 1)] if rng.random() < 0.3 else text)
        try:
            read_trace(path)
        except CrowntableError:
            continue
        taken += 1
    return taken


def test_a_thousand_spoiled_layouts() -> None:
    assert layouts(random.Random(1), 1000) > 20


def test_three_hundred_spoiled_records() -> None:
    assert records(random.Random(2), 300) > 3


def test_five_hundred_spoiled_traces(tmp_path: Path) -> None:
    assert traces(random.Random(3), 500, tmp_path) > 20


def test_a_layout_set_up_by_touch_that_is_damaged_is_refused_with_its_name(tmp_path: Path) -> None:
    layout = find_layout("althera-2")
    path = tmp_path / "layouts" / "althera-2.toml"
    save_layout(path, layout)
    assert as_set_up(tmp_path, layout) == layout
    path.write_text(path.read_text()[:-30])
    with pytest.raises(CrowntableError, match="althera-2"):
        as_set_up(tmp_path, layout)


def test_a_ruleset_of_the_journal_that_is_damaged_is_said() -> None:
    rng = random.Random(5)
    for game in games().values():
        rules = game.ruleset_json(game.ruleset())
        for _ in range(200):
            key = rng.choice(list(rules))
            ruleset = {**rules, key: spoil(rng, rules[key])}
            body = {"game": game.name, "ruleset": ruleset, "seats": [], "ruleset_sha256": ""}
            entry = Entry(1, "match", 0.0, 0.0, "b", 1, Who("operator"), body=body)
            try:
                Match(entry)
            except CrowntableError as error:
                assert error.cure


@pytest.mark.soak
@pytest.mark.timeout(12 * 3600)
@pytest.mark.parametrize(
    ("kind", "count"), [(layouts, MANY), (records, MANY // 10)], ids=["layouts", "records"]
)
def test_a_million_spoiled_files(kind: Callable[[random.Random, int], int], count: int) -> None:
    """A million layouts; a hundred thousand records, which have a dozen lines each on the average."""
    batches = max(1, count // 10_000)
    taken = sum(kind(random.Random(batch), min(count, 10_000)) for batch in range(batches))
    print(f"{count} spoiled {kind.__name__}: {taken} were still whole, the others refused with a sentence")
