"""The table's thread: commands from many threads, views never ahead of the disk, nothing takes it down."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.game import Audience
from host.face import Who
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
