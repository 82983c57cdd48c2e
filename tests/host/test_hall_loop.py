"""One thread for many connections: each is heard, none holds up the others."""

from __future__ import annotations

import logging
import socket
import threading
import time
from pathlib import Path

import pytest

from host.hall.account import Account, Broker
from host.hall.loop import Loop
from host.hall.publisher import Publisher
from tests.host.hall_kit import lossless, venue, within


class Counter:
    """Served without a socket: notes what it saw at each step, and fails where told to."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.value, self.seen, self.steps = 0, -1, 0
        self.fails = self.ends = False

    def step(self) -> float | None:
        self.seen = self.value
        self.steps += 1
        if self.fails:
            raise RuntimeError("a fault of its own")
        return None if self.ends else time.monotonic() + 3600.0

    def network(self, readable: bool, writable: bool) -> None:
        raise AssertionError("it has no socket")

    def socket(self) -> socket.socket | None:
        return None

    def wants_to_write(self) -> bool:
        return False

    def bump(self) -> None:
        self.value += 1
        self.loop.wake(self)


def test_given_wakes_from_many_threads_then_none_is_slept_through() -> None:
    loop = Loop()
    loop.start()
    counters = [Counter(loop) for _ in range(8)]

    def bump(counter: Counter) -> None:
        for _ in range(2000):
            counter.bump()

    threads = [threading.Thread(target=bump, args=(one,)) for one in counters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # A step that never comes would be seen here: the next one is an hour away.
    within(lambda: [one.seen for one in counters] == [2000] * 8)
    loop.stop()


def test_given_one_that_fails_then_it_is_said_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    loop = Loop()
    loop.start()
    bad, good = Counter(loop), Counter(loop)
    bad.fails = True
    with caplog.at_level(logging.ERROR):
        bad.bump()
        within(lambda: bad.steps > 1)  # it is tried again, after a pause
        good.bump()
        within(lambda: good.seen == 1)
    assert "a fault of its own" in caplog.text
    bad.fails, bad.ends = False, True
    within(lambda: bad.seen == bad.value)
    loop.stop()


def test_given_ten_tables_on_one_loop_then_each_reaches_the_hall_whatever_its_neighbours_do(
    tmp_path: Path,
) -> None:
    with venue(tmp_path, 10) as place:
        hall = place.hall()
        loop = Loop()
        place.closing.callback(loop.stop)
        loop.start()
        players = [place.player(number, join=False, seed=number) for number in range(10)]
        before = threading.active_count()
        for player in players[:8]:
            account = place.broker.account(player.name)
            player.publisher = Publisher(player.table, place.broker.broker, account, player.data, loop)
        # One with a wrong password, one whose broker is nowhere.
        wrong = Account(players[8].name, "wrong", "Table 9")
        nowhere = Broker("127.0.0.1", 1, False)
        right = place.broker.account(players[9].name)
        players[8].publisher = Publisher(players[8].table, place.broker.broker, wrong, players[8].data, loop)
        players[9].publisher = Publisher(players[9].table, nowhere, right, players[9].data, loop)
        for player in players:
            assert player.publisher is not None
            player.publisher.start()
            player.play(10)
        assert threading.active_count() == before
        good = players[:8]
        within(lambda: hall.has(*good))
        place.broker.kill()
        for player in players:
            player.play(5)
        place.broker.again()
        within(lambda: hall.has(*good))
        good[0].leave()  # one that leaves takes nobody with it
        within(lambda: hall.row(good[0].name)["state"] == "gone")
        for player in good[1:]:
            player.play(5)
        within(lambda: hall.has(*good[1:]))
        assert lossless(place.whole(hall.store, *good[1:]))
        assert hall.upto(players[8].name) == hall.upto(players[9].name) == 0
