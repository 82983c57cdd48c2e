"""A hall's database, SQLite and PostgreSQL alike: every event once, every record whole."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from engine.errors import CrowntableError, UsageError
from engine.game import Audience
from engine.records.files import read
from engine.records.replay import replay
from host.hall import store as store_module
from host.hall import wire
from host.hall.board import Board
from host.hall.local import Cable
from host.hall.recorder import Recorder
from host.hall.store import EVENTS, RECORDS, Event, Store, StoreError, record_row, sqlite_url
from tests.host.hall_kit import Player, postgres, within

Json = dict[str, Any]


@pytest.fixture(name="pg", scope="module")
def _pg() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture(name="url", params=["sqlite", "postgresql"])
def _url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield sqlite_url(tmp_path)
        return
    url = request.getfixturevalue("pg")
    yield url
    engine = sa.create_engine(url)
    with engine.begin() as db:
        for table in ("events", "streams", "records", "attended"):
            db.execute(sa.text(f"DROP TABLE IF EXISTS {table}"))
    engine.dispose()


@pytest.fixture(name="events", scope="module")
def _events(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """Two matches at one table, the first to its end, with an undo and a call for a judge."""
    player = Player("t1", tmp_path_factory.mktemp("t1"))
    player.begin(seats=[{"seat": n, "name": name, "house": house} for n, name, house in
                        ((1, "Ada", "cremisi"), (2, "Bruno", "aurea"))])  # fmt: skip
    player.play(10)
    assert player.table.command({"cmd": "undo"}, player.table.core.events[-1].who).ok
    player.play_out()
    player.begin()
    player.play(5)
    assert player.table.command({"cmd": "judge"}, player.table.core.events[-1].who).ok
    entries = [wire.public_entry(entry) for entry in player.table.entries(1, 2000)]
    player.stop()
    return [Event("t1", "journal-1", 1, entry) for entry in entries]


BASE = {("t1", "journal-1"): 1}


def rows(store: Store, table: sa.Table = EVENTS) -> list[Any]:
    with store.engine.connect() as db:
        return list(db.execute(sa.select(table)))


def test_given_the_same_events_twice_then_each_is_there_once_and_in_order(
    url: str, events: list[Event]
) -> None:
    store = Store(url)
    store.add(events, BASE)
    store.add(events[5:], BASE)
    found = sorted(row.seq for row in rows(store))
    assert found == [event.seq for event in events]
    assert store.streams() == {("t1", "journal-1"): (1, events[-1].seq)}
    assert store.entries("t1", "journal-1", 2)[0]["kind"] == "match"
    store.close()


def test_given_two_hall_servers_that_write_at_once_then_nothing_is_doubled_and_nothing_fails(
    url: str, events: list[Event]
) -> None:
    stores = [Store(url), Store(url)]
    many = [Event(name, "journal-1", 1, e.entry) for name in ("t1", "t2", "t3") for e in events]
    bases = {(name, "journal-1"): 1 for name in ("t1", "t2", "t3")}
    failed: list[BaseException] = []

    def write(store: Store, mine: list[Event]) -> None:
        try:
            for at in range(0, len(mine), 50):
                store.add(mine[at : at + 50], bases)
            store.record("t1", "journal-1", 2)
        except StoreError as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(store, many)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(rows(stores[0])) == len(many)
    assert {upto for _, upto in stores[0].streams().values()} == {events[-1].seq}
    assert len(rows(stores[0], RECORDS)) == 1
    for store in stores:
        store.close()


def test_given_a_match_that_ended_then_its_record_replays_and_says_who_won(
    url: str, events: list[Event], tmp_path: Path
) -> None:
    store = Store(url)
    store.add(events, BASE)
    owed = store.unrecorded()
    assert len(owed) == 2
    for name, journal, match, _ in owed:
        assert store.record(name, journal, match)
    assert store.unrecorded() == []
    first, second = store.played()
    assert [p["name"] for p in first.players] == ["Ada", "Bruno"]
    assert first.ended is not None and first.winners
    assert second.ended is None and second.winners == ()
    texts = list(store.texts())
    assert [(table, number) for table, _, number, _ in texts] == [("t1", 1), ("t1", 2)]
    path = tmp_path / "m1.jsonl"
    path.write_text(texts[0][3], encoding="utf-8")
    record = read(path)
    assert replay(record).difference is None
    assert record.lines[-1].state is not None
    assert record.lines[-1].state["winners"] == list(first.winners)
    store.close()


def test_given_an_older_writing_of_a_record_then_the_newer_stays(url: str, events: list[Event]) -> None:
    store = Store(url)
    first_match = [e for e in events if e.entry["match"] == 2]
    store.add(first_match[:20], BASE)
    store.record("t1", "journal-1", 2)
    store.add(first_match[20:], BASE)
    assert [match for _, _, match, _ in store.unrecorded()] == [2]
    store.record("t1", "journal-1", 2)
    whole = rows(store, RECORDS)[0]
    assert whole.revision == first_match[-1].seq
    assert whole.ended is not None
    store.close()


def test_given_a_call_for_a_judge_then_it_is_open_until_somebody_goes(url: str, events: list[Event]) -> None:
    store = Store(url)
    store.add(events, BASE)
    (call,) = store.calls()
    assert (call["table"], call["seq"]) == ("t1", events[-1].seq)
    assert "judge" in call["text"]
    assert not store.attend("t1", "journal-1", 2)  # that entry is no call
    assert store.attend("t1", "journal-1", call["seq"])
    assert store.attend("t1", "journal-1", call["seq"])  # two people tap
    assert store.calls() == []
    store.close()


def test_given_a_game_that_nobody_knows_then_the_match_is_listed_without_a_record(url: str) -> None:
    store = Store(url)
    body = {"game": "chess", "ruleset": {}, "ruleset_sha256": "x", "seats": [{"seat": 1, "name": "Ada"}]}
    entry = {
        "seq": 2, "kind": "match", "at": 1.7e9, "mono": 1.0, "boot": "b", "match": 2, "ok": None,
        "action": None, "who": {"kind": "operator", "id": ""}, "findings": [], "text": "", "body": body,
    }  # fmt: skip
    store.add([Event("t1", "journal-1", 1, entry)], BASE)
    assert store.record("t1", "journal-1", 2)
    (played,) = store.played()
    assert (played.game, played.ended) == ("chess", None)
    assert list(store.texts()) == []
    assert store.unrecorded() == []
    store.close()


MATCH = {
    "seq": 2, "kind": "match", "at": 1.7e9, "mono": 1.0, "boot": "b", "match": 2, "ok": None,
    "action": None, "who": {"kind": "operator", "id": ""}, "findings": [], "text": "",
    "body": {"game": "chess", "seats": [], "number": 1},
}  # fmt: skip


@pytest.mark.parametrize(
    "lie",
    [{"who": {}}, {"findings": None}, {"body": {"seats": [1]}}, {"body": {"number": "x"}},
     {"body": {"number": 2**40}}, {"body": {"game": "x" * 99}}, {"body": {"game": {"a": 1}}},
     {"body": {"seats": 3}}],
)  # fmt: skip
def test_given_a_match_that_is_none_then_the_others_are_recorded_and_shown(
    url: str, events: list[Event], lie: Json
) -> None:
    store, board = Store(url), Board()
    store.add([Event("liar", "j", 1, {**MATCH, **lie})], {("liar", "j"): 1})
    store.add(events, BASE)
    recorder = Recorder(store, board)
    recorder.note([Event("liar", "j", 1, {**MATCH, **lie, "match": 2}), *events])
    recorder.note([Event("liar", "j", 1, {**MATCH, **lie, "match": 3, "seq": 3})])
    for _ in range(3):
        recorder._look()
    assert ("t1", True) in [(one.name, one.ended is not None) for one in store.played()]
    assert board.view(Audience("spectator"))["played"] > 0
    store.close()


def test_given_a_table_whose_clock_is_wrong_then_its_match_has_the_halls_hour(events: list[Event]) -> None:
    """F51; the entries of another start of the table keep theirs: nobody knows how wrong it was."""
    first = [e.entry for e in events if e.entry["match"] == 2]
    boot, mono, at = first[0]["boot"], first[0]["mono"], first[0]["at"]
    right = record_row(first)
    assert (right["started"], right["ended"] is not None) == (at, True)
    assert record_row(first, (boot, at - mono + 5.0)) == right  # that is a delay
    moved = record_row(first, (boot, at - mono + 86400.0))
    assert moved["started"] == pytest.approx(right["started"] + 86400, abs=1.0)
    assert moved["ended"] == pytest.approx(right["ended"] + 86400, abs=1.0)
    assert record_row(first, ("another", at - mono + 86400.0)) == right


def test_given_no_database_where_it_should_be_then_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(CrowntableError, match="no hall's database"):
        Store(sqlite_url(tmp_path), make=False)
    assert not list(tmp_path.iterdir())
    Store(sqlite_url(tmp_path)).close()
    Store(sqlite_url(tmp_path), make=False).close()


def test_given_a_database_that_goes_away_then_it_says_so_and_takes_the_same_events_later(
    pg: str, events: list[Event]
) -> None:
    port = pg.rpartition(":")[2].partition("/")[0]
    cable = Cable(int(port))
    store = Store(pg.replace(port, str(cable.port)))
    store.add(events[:5], {("t1", "journal-1"): 1})
    cable.close()
    with pytest.raises(StoreError) as caught:
        store.add(events, BASE)
    assert str(caught.value)
    assert "\n" not in str(caught.value)
    store.close()
    again = Store(pg)
    again.add(events, BASE)
    assert len(rows(again)) == len(events)
    again.close()


def test_given_a_database_whose_machine_falls_silent_then_the_hall_does_not_wait_for_ever(
    pg: str, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "ANSWER_S", 1.0)
    port = pg.rpartition(":")[2].partition("/")[0]
    cable = Cable(int(port))
    store = Store(pg.replace(port, str(cable.port)))
    store.add(events[:5], {("t1", "journal-1"): 1})
    cable.pull()
    with pytest.raises(StoreError) as caught:
        store.add(events, BASE)
    assert str(caught.value)
    with pytest.raises(CrowntableError, match="can't be used"):
        Store(pg.replace(port, str(cable.port)))
    cable.plug()
    store.add(events, BASE)
    assert len(rows(store)) == len(events)
    store.close()
    cable.close()


@pytest.mark.parametrize("url", ["nonsense", "mysql+nothing://x", "oracle://x", ""])
def test_given_an_address_that_is_no_database_then_it_says_what_is(url: str) -> None:
    with pytest.raises(UsageError):
        Store(url)


@pytest.mark.parametrize(
    "who", ["hall:secret-word@127.0.0.1:1/hall", "hall@127.0.0.1:1/hall?password=secret-word"]
)
def test_given_a_database_that_does_not_answer_then_its_password_is_not_repeated(who: str) -> None:
    with pytest.raises(CrowntableError) as caught:
        Store(f"postgresql+pg8000://{who}")
    assert "secret-word" not in caught.value.what
    assert "127.0.0.1" in caught.value.what


@pytest.mark.parametrize("url", ["127.0.0.1:1/hall", "hall@127.0.0.1:1/hall?sslmode=require"])
def test_given_an_address_that_the_driver_does_not_take_then_it_says_what_is_one(url: str) -> None:
    with pytest.raises(UsageError, match="lacks its user"):
        Store(f"postgresql+pg8000://{url}")


def test_given_a_folder_that_can_not_be_written_then_one_sentence_says_so(tmp_path: Path) -> None:
    with pytest.raises(CrowntableError, match="can't be used"):
        Store(sqlite_url(tmp_path / "nowhere"))


def test_given_a_hall_that_begins_anew_then_followed_matches_are_recorded_and_running_ones_wait(
    tmp_path: Path, events: list[Event]
) -> None:
    store = Store(sqlite_url(tmp_path))
    store.add(events, BASE)
    followed, running = (match for _, _, match, _ in store.unrecorded())
    recorder = Recorder(store, Board())
    recorder.start()
    within(store.played)
    recorder.stop()
    assert [match.match for match in store.played()] == [followed]
    assert [match for _, _, match, _ in store.unrecorded()] == [running]
    store.close()
