"""The table's thread: commands from many threads, views never ahead of the disk, nothing takes it down."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.game import Audience
from host.face import Who
from host.hall.wire import pack
from host.interpret import CROWN
from host.sighting import Inventory, TagRead
from host.table import LiveTable
from tests.host.table_kit import OPERATOR, Desk


@pytest.fixture
def table(tmp_path: Path) -> Iterator[LiveTable]:
    desk = Desk(tmp_path)
    table = LiveTable(desk.core)
    table.start()
    yield table
    table.stop()


def test_a_match_begins_and_every_listener_hears_of_a_newer_version(table: LiveTable) -> None:
    heard: list[int] = []
    stop = table.listen(heard.append)
    before = table.version()
    outcome = table.command({"cmd": "new-match", "turns": 5}, OPERATOR)
    assert outcome.ok
    assert heard == sorted(heard)
    assert heard[-1] > before
    assert table.view(Audience("spectator"))["game"]["turns"] == 5
    stop()
    count = len(heard)
    table.command({"cmd": "flag", "text": "look"}, OPERATOR)
    assert len(heard) == count


def test_commands_from_many_threads_are_taken_one_after_another(table: LiveTable) -> None:
    table.command({"cmd": "new-match"}, OPERATOR)
    seqs: list[int] = []
    lock = threading.Lock()

    def flag(number: int) -> None:
        for i in range(20):
            outcome = table.command({"cmd": "flag", "text": f"{number}-{i}"}, Who("seat", str(number)))
            assert outcome.ok
            assert outcome.seq is not None
            # What a caller was told is on the disk and on the screen by then.
            assert table.view(Audience("operator"))["seq"] >= outcome.seq
            with lock:
                seqs.append(outcome.seq)

    threads = [threading.Thread(target=flag, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seqs) == len(set(seqs)) == 120
    entries = table.entries(limit=1000)
    assert [e["seq"] for e in entries] == list(range(1, len(entries) + 1))
    assert {e["seq"] for e in entries if e["kind"] == "flag"} == set(seqs)


def test_a_sighting_that_breaks_something_does_not_take_the_table_down(
    table: LiveTable, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: object) -> bool:
        raise RuntimeError("a fault in the tracker")

    with monkeypatch.context() as patch:
        patch.setattr(type(table.core), "sighting", lambda *_: broken(None))
        table.emit(Inventory(0.0, "pico", 0, (TagRead("04AABBCCDDEEFF", None),)))
        assert table.command({"cmd": "new-match"}, OPERATOR).ok
    assert "a fault in the tracker" in caplog.text
    assert table.alive()


def test_what_comes_at_once_is_one_commit_and_nobody_sees_it_before(
    table: LiveTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty taps in a burst: far fewer commits than entries, each entry on the disk before it is shown."""
    table.command({"cmd": "new-match", "ruleset": {"initiative": "clockwise"}}, OPERATOR)
    for seat, face in ((1, 6), (2, 2), (3, 1)):
        table.act({"do": "roll", "seat": seat, "face": face}, OPERATOR)
    # The crown is seen before its holder first: only then can it be seen to move.
    table.emit(Inventory(999.0, "pico", 3, (TagRead("04C0C0C0FFFFFF", CROWN),), scans=2))
    until = time.monotonic() + 30
    while CROWN not in table.core.seen and time.monotonic() < until:
        time.sleep(0.01)
    commits: list[int] = []
    saved = [table.core.seq]
    append = table.core.journal.append

    def slow(entries: list[Any]) -> None:
        time.sleep(0.02)  # a slow card
        append(entries)
        commits.append(len(entries))
        saved[0] = entries[-1].seq if entries else saved[0]

    monkeypatch.setattr(table.core.journal, "append", slow)
    ahead: list[int] = []
    table.listen(lambda _: ahead.append(table.view(Audience("spectator"))["seq"] - saved[0]))
    before = table.core.seq
    for i in range(60):
        tag = TagRead(f"04C0C0C0{i:06X}", CROWN)
        table.emit(Inventory(1000.0 + i, "pico", 3 + (i + 1) % 2, (tag,), scans=2))
    until = time.monotonic() + 30
    while table.core.seq < before + 60 and time.monotonic() < until:
        time.sleep(0.01)
    assert table.command({"cmd": "flag", "text": "after"}, OPERATOR).seq == before + 61
    assert sum(commits) == 61
    assert len(commits) <= 12
    assert ahead
    assert set(ahead) == {0}
    moved = [e for e in table.entries(limit=1000) if (e["action"] or {}).get("do") == "crown"]
    assert [e["action"]["seat"] for e in moved] == [2, 1] * 30


def test_only_a_seats_own_view_has_its_options_and_views_are_shared(table: LiveTable) -> None:
    table.command({"cmd": "new-match"}, OPERATOR)
    assert table.view(Audience("spectator")) is table.view(Audience("spectator"))
    assert "options" not in table.view(Audience("spectator"))["game"]
    assert "options" in table.view(Audience("seat", 2))["game"]


def test_the_list_of_matches_and_the_preview_of_an_undo(table: LiveTable) -> None:
    for turns in (3, 10):
        table.command({"cmd": "new-match", "turns": turns}, OPERATOR)
    rows = table.matches()
    assert [row["number"] for row in rows] == [2, 1]
    assert rows[1]["winners"] is None
    for seat, face in ((1, 6), (2, 2), (3, 1)):
        table.act({"do": "roll", "seat": seat, "face": face}, OPERATOR)
    table.act({"do": "declare", "seat": 1, "against": 2}, OPERATOR)
    table.act({"do": "play", "seat": 1, "card": "cremisi/cavalry/1"}, OPERATOR)
    preview = table.preview_undo()
    assert preview["text"] == "Takes back: Ada plays Cavalry (15)."
    assert "The duel of Ada: field 15 becomes an empty field." in preview["changes"]
    assert table.view(Audience("operator"))["undo"]["possible"]


@pytest.mark.parametrize(
    "command",
    [
        {"cmd": "nonsense"}, {}, {"cmd": "answer"}, {"cmd": "answer", "question": "q1", "answer": "x"},
        {"cmd": "allow", "seq": "x"}, {"cmd": "amend", "seq": 1}, {"cmd": "amend", "seq": 1, "action": []},
        {"cmd": "new-match", "game": "chess"}, {"cmd": "new-match", "ruleset": {"plays": "many"}},
        {"cmd": "new-match", "turns": "three"}, {"cmd": "undo"}, {"cmd": "redo"},
    ],
)  # fmt: skip
def test_a_wrong_command_is_answered_in_a_sentence_and_writes_nothing(
    table: LiveTable, command: dict[str, object]
) -> None:
    before = len(table.entries(limit=1000))
    outcome = table.command(command, OPERATOR)
    assert not outcome.ok
    assert outcome.text.endswith((".", "…"))
    assert len(table.entries(limit=1000)) == before


def test_given_entries_from_memory_then_they_are_those_of_the_disk_and_none_is_ahead_of_it(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path)
    table = LiveTable(desk.core)
    desk.begin()
    desk.do(do="declare", seat=1, against=2)
    desk.play(1, "cremisi/cavalry/1")
    desk.lay(2, "aurea/alteration/1")  # a question, with evidence
    core = desk.core
    for _ in range(40):  # more than memory holds
        core.say("flag", "half a character: \ud83d", OPERATOR)
    assert core.events[0].seq > 1

    def from_disk(after: int, limit: int) -> list[Any]:
        return [entry.to_json() for entry in core.journal.read(after, limit)]

    for after in (0, 3, core.events[0].seq - 2, core.events[0].seq - 1, core.seq - 2, core.seq, core.seq + 9):
        for limit in (0, 1, 5, 500):
            got = json.loads(pack(table.entries(after, limit)))
            assert got == json.loads(pack(from_disk(after, limit))), (after, limit)
    core.journal.pretend_disk("read-only")
    on_disk = core.seq
    for _ in range(3):
        core.say("flag", "not on the disk", OPERATOR)
    assert core.saved() == core.seq - 3
    assert table.entries(on_disk - 1)[-1]["seq"] == core.saved() == from_disk(on_disk - 1, 9)[-1]["seq"]
    core.journal.pretend_disk("well")
    assert core.tick()
    assert table.entries(on_disk)[-1]["seq"] == core.seq
    core.journal.close()
