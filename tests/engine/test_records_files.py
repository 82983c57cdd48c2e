"""Records as files: written, read back, broken in every way, and still honest about it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from engine.errors import CrowntableError
from engine.games import games
from engine.records.export import export
from engine.records.files import RecordError, Writer, checksum, parse, read, save, schema, write
from engine.records.record import Record, record_of
from tests.engine.record_makers import match_record


def as_bytes(record: Record) -> bytes:
    return export(record, "jsonl").encode()


@pytest.mark.parametrize("game", ["althera", "anthem"])
def test_what_is_written_is_read_back(game: str, tmp_path: Path) -> None:
    record = match_record(game)
    assert any(not line.ok for line in record.lines) and any(line.edited for line in record.lines)
    path = tmp_path / "match.jsonl"
    save(record, path)
    assert read(path) == record
    assert sorted(p.name for p in tmp_path.iterdir()) == ["match.jsonl"]


def test_a_record_written_line_by_line_is_the_same_file() -> None:
    record = match_record("anthem")
    out = io.StringIO()
    writer = Writer(out, record.header)
    for n, line in enumerate(record.lines, 1):
        writer.add(line)
        assert len(parse(out.getvalue().encode()).lines) == n
    writer.end()
    assert out.getvalue() == export(record, "jsonl")


def test_every_line_keeps_to_the_shipped_schema() -> None:
    validator = Draft202012Validator(schema())
    Draft202012Validator.check_schema(schema())
    lines = [json.loads(line) for line in as_bytes(match_record("althera", 1, states=True)).splitlines()]
    for line in lines:
        validator.validate(line)
    for spoiled in (
        {**lines[0], "format": 3},
        {**lines[0], "seats": []},
        {**lines[0], "extra": 1},
        {**lines[1], "n": 0},
        {**lines[1], "ok": "yes"},
        {**lines[1], "edited": False},
        {**lines[1], "sum": "abc"},
        {k: v for k, v in lines[1].items() if k != "codes"},
        {**lines[-1], "end": -1},
        {**lines[-1], "n": 1},
    ):
        with pytest.raises(ValidationError):
            validator.validate(spoiled)


@pytest.mark.parametrize("game", ["althera", "anthem"])
def test_the_header_says_what_was_played(game: str) -> None:
    a, b = match_record(game, 1), match_record(game, 2)
    other = match_record(game, 1, ("name", "ours"))
    assert a.header.game == game and a.header.match == "friday-1"
    assert a.header.seats[0]["name"] == "Ada"
    assert (a.header.ruleset_hash, a.header.cards_hash) == (b.header.ruleset_hash, b.header.cards_hash)
    assert other.header.ruleset_hash != a.header.ruleset_hash
    assert games()[game].ruleset_from_json(a.header.ruleset) == games()[game].ruleset()


def test_a_file_cut_off_anywhere_loses_only_its_torn_line() -> None:
    record = match_record("anthem")
    data = as_bytes(record)
    ends = [i for i, byte in enumerate(data, 1) if byte == ord("\n")]
    for cut in [*Random(1).sample(range(ends[0], len(data)), 150), *ends, ends[3] - 1, ends[3] + 1]:
        got = parse(data[:cut])
        whole = sum(end <= cut + 1 for end in ends) - 1  # a line is whole without its newline, too
        assert got.lines == record.lines[:whole]
        assert (got.torn is None) == (cut + 1 >= len(data))
    for cut in (0, 1, ends[0] - 2):
        with pytest.raises(RecordError):
            parse(data[:cut])


def test_a_file_cut_off_between_two_lines_is_known_by_its_missing_end_line(tmp_path: Path) -> None:
    record = match_record("anthem")
    lines = as_bytes(record).splitlines(keepends=True)
    assert json.loads(lines[-1])["end"] == len(record.lines)
    path = tmp_path / "cut.jsonl"
    path.write_bytes(b"".join(lines[:7]))
    got = read(path)
    assert got.lines == record.lines[:6]
    assert got.torn == "The end line is missing after action 6: there may have been more."
    assert got.torn in export(got, "text")


def test_a_record_of_the_format_before_is_read_as_it_is() -> None:
    record = match_record("anthem")
    *bodies, end = map(json.loads, as_bytes(record).splitlines())
    assert set(end) == {"end", "sum"}
    before, old = "", b""
    for body in [bodies[0] | {"format": 1}, *bodies[1:]]:
        body.pop("sum")
        before = checksum(before, body)
        old += json.dumps(body | {"sum": before}).encode() + b"\n"
    assert parse(old) == record
    assert parse(old[:-40]).torn is not None


def test_nothing_may_come_after_the_end_line_nor_may_it_lie() -> None:
    lines = as_bytes(match_record("anthem")).splitlines(keepends=True)
    with pytest.raises(RecordError, match="after the end line"):
        parse(b"".join([*lines, lines[-1]]))
    body: dict[str, object] = {"end": 3}
    body["sum"] = checksum(json.loads(lines[4])["sum"], body)
    with pytest.raises(RecordError, match="ends a record of 3 actions, and there are 4"):
        parse(b"".join(lines[:5]) + json.dumps(body).encode() + b"\n")


def test_blocks_that_were_never_written_count_as_torn() -> None:
    record = match_record("anthem")
    got = parse(as_bytes(record) + b"\0" * 512)
    assert got.lines == record.lines and got.torn is not None and "512" in got.torn
    got = parse(as_bytes(record)[:-140] + b"\0" * 512)
    assert got.lines == record.lines[:-1] and got.torn is not None


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_no_changed_byte_goes_unseen(data: st.DataObject) -> None:
    record = match_record("anthem")
    clean = as_bytes(record)
    at = data.draw(st.integers(0, len(clean) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != clean[at]))
    changed = clean[:at] + bytes([byte]) + clean[at + 1 :]
    try:
        got = parse(changed)
    except RecordError as error:
        assert error.errors and all(line >= 1 and what for line, what in error.errors)
    else:
        assert got == record  # a byte of JSON's own spacing or spelling: it says the same


def test_lines_taken_out_swapped_or_repeated_are_seen() -> None:
    lines = as_bytes(match_record("anthem")).splitlines(keepends=True)
    for changed in (
        lines[:3] + lines[4:],
        [*lines[:3], lines[4], lines[3], *lines[5:]],
        lines[:4] + lines[3:],
        lines[1:],
    ):
        with pytest.raises(RecordError):
            parse(b"".join(changed))


def test_a_line_forged_with_a_fresh_sum_breaks_the_next_one() -> None:
    lines = as_bytes(match_record("anthem")).splitlines()
    body = json.loads(lines[3])
    before = json.loads(lines[2])["sum"]
    del body["sum"]
    body["ok"] = not body["ok"]
    lines[3] = json.dumps({**body, "sum": checksum(before, body)}).encode()
    with pytest.raises(RecordError) as caught:
        parse(b"\n".join(lines) + b"\n")
    assert [line for line, _ in caught.value.errors] == [5]


def test_every_fault_is_named_with_its_line() -> None:
    lines = as_bytes(match_record("anthem")).splitlines()
    lines[2] = b"{not json"
    lines[5] = b"\xff\xfe"
    lines[8] = b"[1, 2]"
    lines[11] = lines[11].replace(b'"ok": true', b'"ok": "true"').replace(b'"ok": false', b'"ok": "no"')
    with pytest.raises(RecordError) as caught:
        parse(b"\n".join(lines) + b"\n", "friday.jsonl")
    assert {3, 6, 9, 12} <= {line for line, _ in caught.value.errors}
    assert "friday.jsonl" in caught.value.what and "line 3" in caught.value.what and caught.value.cure


def test_what_is_no_record_is_said_to_be_none(tmp_path: Path) -> None:
    for data in (
        b"",
        b"\n",
        b"hello\n",
        b'{"record": "crowntable", "format": 9}\n',
        os.urandom(5000) + b"\n",
    ):
        with pytest.raises(RecordError) as caught:
            parse(data)
        assert caught.value.errors[0][0] == 1
    with pytest.raises(RecordError, match="format is 9"):
        parse(b'{"record": "crowntable", "format": 9}\n')
    with pytest.raises(CrowntableError, match="could not be read"):
        read(tmp_path / "nowhere.jsonl")
    with pytest.raises(CrowntableError, match="could not be written"):
        save(match_record("anthem"), tmp_path / "no" / "folder.jsonl")


def test_text_that_utf8_can_not_hold_is_kept_all_the_same() -> None:
    game = games()["anthem"]
    actions = [game.setup_action([1, 2]), {"do": "lay", "seat": 1, "card": "\ud800", "place": 1}]
    record = record_of(game, game.ruleset(), actions)
    out = io.StringIO()
    write(record, out)
    assert parse(out.getvalue().encode()) == record


def test_there_is_no_record_without_a_setup() -> None:
    game = games()["anthem"]
    with pytest.raises(CrowntableError, match="nothing was set up"):
        record_of(game, game.ruleset(), [{"do": "keep", "seat": 1}])
