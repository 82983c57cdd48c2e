"""Tables, a real Mosquitto and a hall: in order, nothing lost, nothing doubled, whatever goes away."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.subscribeoptions import SubscribeOptions

from engine.game import Audience
from host.face import Who
from host.hall import collector as collector_module
from host.hall import publisher, wire
from host.hall.account import Account, Broker, new_client
from host.hall.board import Board
from host.hall.collector import Collector
from host.hall.local import Cable, LocalBroker
from tests.host.hall_kit import Player, lossless, venue, within

Json = dict[str, Any]
CARD = re.compile(r"(?:cremisi|aurea|celeste|quercia|purpurea)/[a-z]+/\d+|s[1-4]/(?:\d|dead)")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting for its own sake."""
    monkeypatch.setattr(publisher, "LONGEST_PAUSE_S", 1.0)
    monkeypatch.setattr(publisher, "VIEW_S", 0.1)


class Listener:
    """Somebody with an account who keeps all that the broker lets through."""

    def __init__(self, broker: LocalBroker, name: str, *topics: str) -> None:
        self.heard: list[tuple[str, bytes, bool]] = []
        self.codes: list[Any] = []
        self.client = new_client(broker.broker, broker.account(name), f"listener-{name}")
        self.client.on_message = self._message
        self.client.on_publish = lambda *given: self.codes.append(given[3])
        self.client.connect("127.0.0.1", broker.port)
        listening: list[int] = []
        self.client.on_subscribe = lambda *given: listening.append(given[2])
        self.client.loop_start()
        within(self.client.is_connected)
        if topics:
            self.client.subscribe([(topic, SubscribeOptions(qos=1)) for topic in topics])
            within(lambda: listening)

    def _message(self, _client: Any, _data: Any, message: mqtt.MQTTMessage) -> None:
        self.heard.append((message.topic, bytes(message.payload), message.retain))

    def stop(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


# -- the ordinary


def test_given_a_table_that_plays_then_the_hall_has_each_entry_once_in_order_and_shows_the_view(
    tmp_path: Path,
) -> None:
    with venue(tmp_path) as place:
        hall, player = place.hall(), place.player()
        player.play(40)
        within(lambda: hall.has(player))
        assert lossless(place.whole(hall.store, player))
        newest = player.table.view(Audience("spectator"))["events"][0]["text"]
        within(lambda: hall.row("t1").get("text") == newest)
        row = hall.row("t1")
        assert (row["label"], row["state"], row["game"]) == ("Table 1", "here", "althera")
        assert [seat["name"] for seat in row["seats"]] == ["Ada", "Bruno", "Chiara"]


def test_given_a_match_that_ends_then_its_record_is_at_the_hall(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        hall, player = place.hall(), place.player()
        player.play_out()
        within(hall.store.played)
        (played,) = hall.store.played()
        assert played.ended is not None
        assert list(played.winners) == player.table.public_state()[2]["winners"]


def test_given_events_at_the_broker_then_they_come_in_the_journals_order(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        ear = Listener(place.broker, "hall", "crowntable/table/+/events")
        place.closing.callback(ear.stop)
        player = place.player()
        player.play(60)
        within(lambda: ear.heard and json.loads(ear.heard[-1][1])["seq"] == player.seq)
        seqs = [json.loads(payload)["seq"] for _, payload, _ in ear.heard]
        assert seqs == sorted(seqs)
        assert set(range(seqs[0], player.seq + 1)) <= set(seqs)


def test_given_a_judge_is_called_then_the_hall_says_so_until_somebody_goes(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        hall, player = place.hall(), place.player()
        assert player.table.command({"cmd": "judge"}, Who("seat", "2")).ok
        within(lambda: hall.row("t1").get("alarms"))
        (alarm,) = hall.row("t1")["alarms"]
        assert (alarm["kind"], alarm["text"]) == ("judge", "Bruno asks for a judge.")
        assert hall.store.attend("t1", alarm["journal"], alarm["seq"])
        within(lambda: not hall.row("t1")["alarms"])


def test_given_a_table_whose_clock_is_years_off_then_its_match_is_the_days_by_the_halls_clock(
    tmp_path: Path,
) -> None:
    """F51: a Pi without a network has no clock; what is played there is of the day all the same."""
    with venue(tmp_path) as place:
        hall, player = place.hall(), place.player(wrong=-1e9)
        began = time.time()
        within(lambda: hall.board.clock("t1"))
        player.play_out()
        within(lambda: any(one.ended for one in hall.store.played()))
        (played,) = hall.store.played()
        assert began - 30 < played.started <= float(played.ended or 0) <= time.time()
        assert hall.store.played(began - 3600) == [played]


# -- what goes away


def test_given_the_broker_is_killed_and_comes_back_then_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        hall = place.hall()
        players = [place.player(number, seed=number) for number in range(3)]
        for player in players:
            player.play(15)
        within(lambda: any(hall.upto(p.name) for p in players))
        place.broker.kill()
        for player in players:
            player.play(30)  # play goes on
        within(hall.collector.troubles)
        place.broker.again()
        for player in players:
            player.play(15)
        within(lambda: hall.has(*players))
        assert lossless(place.whole(hall.store, *players))
        within(lambda: not hall.collector.troubles())
        within(lambda: [hall.row(p.name).get("state") for p in players] == ["here"] * 3)


def test_given_the_hall_is_away_for_a_while_then_it_gets_everything_afterwards(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        hall, player = place.hall(), place.player()
        player.play(20)
        within(lambda: hall.has(player))
        hall.stop()
        player.play(publisher.WINDOW + 50)
        again = place.hall()
        within(lambda: again.has(player))
        assert lossless(place.whole(again.store, player))


def test_given_a_hall_with_another_database_then_the_tables_tell_it_all_of_it(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        hall, player = place.hall(), place.player()
        player.play(20)
        within(lambda: hall.has(player))
        hall.stop()
        place.url = f"sqlite:///{tmp_path / 'another.sqlite'}"
        again = place.hall()
        player.play()
        within(lambda: again.has(player))
        assert lossless(place.whole(again.store, player))


def test_given_a_tables_network_is_cut_then_it_is_called_gone_and_what_it_kept_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "KEEPALIVE", 2)
    with venue(tmp_path) as place:
        cable = Cable(place.broker.port)
        place.closing.callback(cable.close)
        hall, player = place.hall(), place.player(port=cable.port)
        player.play(10)
        within(lambda: hall.has(player))
        cable.pull()
        player.play(40)
        within(lambda: hall.row("t1")["state"] == "gone")
        assert [alarm["kind"] for alarm in hall.row("t1")["alarms"]] == ["gone"]
        cable.plug()
        player.play(5)
        within(lambda: hall.has(player))
        assert lossless(place.whole(hall.store, player))
        within(lambda: hall.row("t1")["state"] == "here")


def test_given_a_table_that_starts_again_then_it_goes_on_where_the_hall_was(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        hall, player = place.hall(), place.player()
        player.play(20)
        within(lambda: player.publisher is not None and player.publisher.acked() == player.seq)
        player.stop()
        within(lambda: hall.row("t1")["state"] == "gone")
        assert [alarm["kind"] for alarm in hall.row("t1")["alarms"]] == ["stopped"]
        again = Player("t1", tmp_path / "t1")
        place.closing.callback(again.stop)
        again.play(10)
        again.join(place.broker.broker, place.broker.account("t1"))
        within(lambda: hall.has(again))
        assert lossless(place.whole(hall.store, again))
        assert hall.collector.figures.seen == 0  # the file beside the journal said how far it was


def test_given_two_hall_servers_then_both_show_the_tables_and_the_database_has_each_entry_once(
    tmp_path: Path,
) -> None:
    with venue(tmp_path) as place:
        halls = [place.hall(), place.hall()]
        players = [place.player(number, seed=number) for number in range(2)]
        for player in players:
            player.play(60)
        within(lambda: halls[0].has(*players))
        assert lossless(place.whole(halls[0].store, *players))
        for hall in halls:
            within(lambda hall=hall: [hall.row(p.name).get("state") for p in players] == ["here"] * 2)  # type: ignore[misc]
        halls[0].stop()
        players[0].play(30)
        within(lambda: halls[1].has(*players))
        assert lossless(place.whole(halls[1].store, *players))


def test_given_no_network_then_the_table_plays_and_joins_when_it_comes(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        place.broker.kill()
        player = place.player()
        began = time.monotonic()
        player.play(50)
        alone = time.monotonic() - began
        assert player.publisher is not None and not player.publisher.connected()
        assert alone < 50  # fifty moves; each would wait seconds if it waited for the hall
        place.broker.again()
        hall = place.hall()
        within(lambda: hall.has(player))
        assert lossless(place.whole(hall.store, player))


def test_given_a_broker_that_says_nothing_then_moves_are_as_quick_as_without_a_hall(
    tmp_path: Path,
) -> None:
    with venue(tmp_path) as place:
        cable = Cable(place.broker.port)
        place.closing.callback(cable.close)
        player = place.player(join=False)

        def moves() -> float:
            times = []
            for _ in range(60):
                at = time.monotonic()
                player.play()
                times.append(time.monotonic() - at)
            return sorted(times)[30]

        without = moves()
        cable.pull()
        player.join(Broker("127.0.0.1", cable.port, False), place.broker.account("t1"))
        assert moves() < 3 * without + 0.02


# -- what was played before a table joined


def test_given_a_table_with_a_history_then_only_the_running_match_is_the_halls(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        player = place.player(join=False)
        player.play_out()
        player.begin()
        player.play(5)
        second = player.table.entries(player.seq - 1)[0]["match"]
        player.join(place.broker.broker, place.broker.account("t1"))
        hall = place.hall()
        within(lambda: hall.has(player))
        ((base, upto),) = hall.store.streams().values()
        assert (base, upto) == (second - 1, player.seq)


# -- who may do what


def test_given_a_tables_account_then_it_writes_its_own_topics_and_no_others(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        ear = Listener(place.broker, "hall", "crowntable/table/+/events", "crowntable/table/+/view")
        thief = Listener(place.broker, "t1", "crowntable/table/#", "crowntable/#", "#")
        for one in (ear, thief):
            place.closing.callback(one.stop)
        for end in ("table/t2/events", "table/t2/view", "table/t1/ack", "hall/x/here", "table/t1/other",
                    "table/t1/events"):  # fmt: skip
            topic = f"crowntable/{end}"
            thief.client.publish(topic, b'{"from": "t1"}', qos=1, retain=topic.endswith("view"))
        within(lambda: len(thief.codes) == 6)
        assert [code.is_failure for code in thief.codes] == [True] * 5 + [False]
        within(lambda: ear.heard)
        player = place.player(1)
        player.play(3)
        within(lambda: any(topic.endswith("t2/view") for topic, _, _ in ear.heard))
        from_thief = {topic for topic, payload, _ in ear.heard if b"from" in payload}
        assert from_thief == {"crowntable/table/t1/events"}
        assert thief.heard == []  # and reads nobody else's


def test_given_two_tables_with_one_account_then_both_are_told_and_neither_loses_anything(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same file copied to two tables: they take the account from each other without end."""
    monkeypatch.setattr(publisher, "SHARED_S", 3.0)
    with venue(tmp_path) as place, caplog.at_level(logging.INFO):
        hall, first = place.hall(), place.player()
        within(lambda: first.publisher is not None and first.publisher.connected())
        twin = Player("t1", tmp_path / "twin", seed=2)
        place.closing.callback(twin.stop)
        twin.begin()
        twin.join(place.broker.broker, place.broker.account("t1"))
        within(lambda: "shared" in [alarm["kind"] for alarm in hall.row("t1").get("alarms", ())])
        within(lambda: "Does another table use the same account file?" in caplog.text)
        first.play(20)
        twin.play(20)

        def has(player: Player) -> bool:
            journal = player.table.entries(0, 1)[0]["boot"]
            return hall.store.streams().get(("t1", journal), (0, 0))[1] >= player.seq

        within(lambda: has(first) and has(twin))


def test_given_a_table_that_begins_anew_then_nobody_calls_it_two() -> None:
    now = [1000.0]
    board = Board(clock=lambda: now[0])

    def alarms(*journals: str) -> list[str]:
        for journal in journals:
            now[0] += 20
            board.hear("t1", "health", {"state": "here", "journal": journal})
        board._version += 1
        return [one["kind"] for one in board.view(Audience("spectator"))["tables"][0]["alarms"]]

    assert alarms("a", "a", "b", "b", "c") == []
    assert alarms("b") == ["shared"]
    assert alarms(*["b"] * 20) == []
    assert alarms("c") == []  # its old disk is back, after a while


def test_given_a_strangers_password_or_none_then_mosquittos_own_client_is_refused(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        send = ["mosquitto_pub", "-V", "5", "-h", "127.0.0.1", "-p", str(place.broker.port), "-q", "1",
                "-t", "crowntable/table/t1/events", "-m", "{}"]  # fmt: skip
        wrong = place.broker.account("t2").password
        for who in ([], ["-u", "t1", "-P", wrong]):
            done = subprocess.run([*send, *who], capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode != 0
            assert "not authori" in done.stderr.lower()
        right = ["-u", "t1", "-P", place.broker.account("t1").password]
        assert subprocess.run([*send, *right], timeout=60, check=False).returncode == 0


def test_given_a_table_that_lies_then_only_its_own_row_suffers_and_the_hall_goes_on(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        hall, player = place.hall(), place.player(1)
        liar = Listener(place.broker, "t1")
        place.closing.callback(liar.stop)
        event = {
            "journal": "j", "base": 0, "kind": "match", "at": 1.0, "mono": 1.0, "boot": "b", "match": 1,
            "ok": 1, "who": {}, "action": None, "findings": [3], "text": "\0x",
            "body": {"seats": [1], "game": "althera"},
        }  # fmt: skip
        for payload in (b"", b"\xff\xfe", b"[]", b'{"seq": 1}', wire.pack({**event, "seq": 1}),
                        wire.pack({**event, "seq": 2, "body": {"seats": "x", "ruleset": []}})):  # fmt: skip
            for leaf in wire.WRITTEN:
                liar.client.publish(wire.topic("t1", leaf), payload, qos=1, retain=leaf != "events")
        player.play(20)
        within(lambda: hall.has(player))
        within(lambda: hall.row("t2").get("seats"))
        assert lossless(place.whole(hall.store, player))
        assert hall.collector.alive()


# -- what is told


@pytest.mark.parametrize(("layout", "seed"), [("althera-3", 3), ("anthem-4", 4)])
def test_given_a_whole_match_then_only_cards_that_lay_on_the_table_ever_leave_it(
    tmp_path: Path, layout: str, seed: int
) -> None:
    with venue(tmp_path) as place:
        ear = Listener(place.broker, "hall", "crowntable/table/#")
        place.closing.callback(ear.stop)
        player = place.player(layout=layout, seed=seed)
        seen = {f"s{n}/{v}" for n in range(1, 5) for v in (0, 9)} if layout == "anthem-4" else set()
        for _ in range(80):
            if player.table.public_state()[2]["phase"] == "over":
                break
            player.play()
            time.sleep(0.01)  # so that views of many moments go out
        for entry in player.table.entries(0, 2000):
            action = entry["action"] or {}
            seen |= {action["card"]} if "card" in action else set()
            seen |= set(action.get("shown", []))
        last = player.seq
        within(lambda: any(json.loads(p).get("seq") == last for t, p, _ in ear.heard if t.endswith("events")))
        payloads = [payload.decode() for _, payload, _ in ear.heard]
        assert len(payloads) > 20
        assert {card for payload in payloads for card in CARD.findall(payload)} <= seen
        assert not [p for p in payloads if '"evidence":[{' in p or '"options"' in p or '"enrolment":{' in p]


def test_given_a_view_then_it_is_retained_for_whoever_comes_later(tmp_path: Path) -> None:
    with venue(tmp_path) as place:
        player = place.player()
        within(lambda: player.publisher is not None and player.publisher.connected())
        player.play(3)
        ear = Listener(place.broker, "hall", "crowntable/table/t1/view", "crowntable/table/t1/health")
        place.closing.callback(ear.stop)
        within(lambda: len({topic for topic, _, _ in ear.heard}) == 2)
        view = next(json.loads(payload) for topic, payload, _ in ear.heard if topic.endswith("view"))
        assert view["audience"] == {"kind": "spectator", "seat": None}


def test_given_wrong_credentials_then_the_log_says_so_once_without_the_password(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with venue(tmp_path) as place, caplog.at_level(logging.DEBUG):
        player = place.player(join=False)
        player.join(place.broker.broker, Account("t1", "not-the-password", "Table 1"))
        within(lambda: "refuses t1" in caplog.text)
        player.play(10)
        time.sleep(2.5)
        player.leave()
        assert caplog.text.count("refuses t1") == 1
        assert "not-the-password" not in caplog.text


def test_given_a_hall_with_a_wrong_password_then_its_page_says_so_and_its_log_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with venue(tmp_path) as place, caplog.at_level(logging.WARNING):
        heard: list[str] = []
        board = Board()
        wrong = Account("hall", "not-the-password", "The hall")
        collector = Collector(place.broker.broker, wrong, place.store(), board)
        collector.start()
        place.closing.callback(collector.stop)
        within(lambda: "refuses" in collector.broker_trouble)
        ends = time.monotonic() + 3 * collector_module.PAUSE_S  # three attempts
        while time.monotonic() < ends:
            heard.append(collector.broker_trouble)
            time.sleep(0.01)
        assert not [text for text in heard if "lost" in text]
        assert caplog.text.count("refuses the hall's account") == 1
        assert "not-the-password" not in caplog.text


def test_given_a_hall_whose_broker_takes_it_in_and_is_mute_then_its_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector_module, "CONNECT", 0.5)
    with venue(tmp_path) as place:
        cable = Cable(place.broker.port)
        place.closing.callback(cable.close)
        cable.pull()
        at = Broker("127.0.0.1", cable.port, False)
        collector = Collector(at, place.broker.account("hall"), place.store(), Board())
        collector.start()
        place.closing.callback(collector.stop)
        within(lambda: "does not answer" in collector.broker_trouble)
        cable.plug()
        within(lambda: not collector.broker_trouble)


def test_given_a_damaged_state_file_or_a_disk_that_takes_nothing_then_publishing_goes_on(
    tmp_path: Path,
) -> None:
    with venue(tmp_path) as place:
        hall, player = place.hall(), place.player(join=False)
        player.play(5)
        (tmp_path / "t1" / "hall.json").write_text('{"journal": 3', encoding="ascii")
        (tmp_path / "t1" / "hall.new").mkdir()  # the file can't be written through it
        player.join(place.broker.broker, place.broker.account("t1"))
        player.play(20)
        within(lambda: hall.has(player))
        assert lossless(place.whole(hall.store, player))
