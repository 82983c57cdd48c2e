"""Matches of the journal as records: replayed, exported, beside a running table."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import CrowntableError
from engine.records.files import parse, read, save
from engine.records.replay import replay
from host import decisions
from host.records import find_match, record_of_match
from tests.host.table_kit import OPERATOR, Desk


def evening(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.begin(crown=1)
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.play(2, "aurea/overtake/1")
    desk.do(do="undo")
    desk.play(2, "aurea/marksman/1")
    seq = next(e["seq"] for e in desk.view()["events"] if "Marksman" in e["text"])
    decisions.amend(desk.core, seq, {"do": "play", "seat": 2, "card": "aurea/captain/1"}, OPERATOR)
    return desk


def test_a_record_has_what_holds_with_its_evidence_and_marks(tmp_path: Path) -> None:
    desk = evening(tmp_path)
    assert desk.core.match is not None
    number = desk.core.match.begun.seq
    record = record_of_match(list(desk.core.journal.read(match=number)))
    plays = [line for line in record.lines if line.action["do"] == "play"]
    assert [line.action["card"] for line in plays] == ["cremisi/cavalry/1", "aurea/captain/1"]
    assert [line.edited for line in plays] == [False, True]
    assert plays[0].evidence[0]["zone"] == "seat1.field"
    assert replay(record).difference is None
    save(record, tmp_path / "x.jsonl")
    assert replay(read(tmp_path / "x.jsonl")).difference is None
    assert replay(read(tmp_path / "x.jsonl")).state == replay(record).state


def test_a_match_is_found_by_its_id_beside_a_running_table(tmp_path: Path) -> None:
    desk = evening(tmp_path)
    assert desk.core.match is not None
    desk.begin(crown=2)  # the evening's second match
    record = find_match("m1", [tmp_path / "none", tmp_path])
    assert record is not None
    assert record.header.match == "m1"
    assert find_match(f"{tmp_path}/m1", []) == record
    assert find_match("m2", [tmp_path]) not in (None, record)
    with pytest.raises(CrowntableError) as caught:
        find_match("m99999", [tmp_path])
    assert "m1, m2" in caught.value.cure
    with pytest.raises(CrowntableError, match="No table has kept matches where m7 was looked for") as caught:
        find_match("m7", [tmp_path / "none"])
    assert "FOLDER/m7" in caught.value.cure
    assert find_match("friday", [tmp_path]) is None


def test_the_table_exports_its_matches_in_every_format(tmp_path: Path) -> None:
    from host.table import LiveTable

    desk = evening(tmp_path)
    assert desk.core.match is not None
    table, name = LiveTable(desk.core), "m1"
    jsonl = table.export(name, "jsonl")
    assert jsonl is not None
    assert replay(parse(jsonl.encode())).difference is None
    assert "Captain" in (table.export(name, "text") or "")
    assert (table.export(name, "html") or "").startswith("<!doctype html>")
    assert (table.export(name, "csv") or "").count("\n") > 6
    assert table.export("m2", "text") is None
    assert table.export("m0", "text") is None
    assert table.export("../x", "text") is None
