"""The live stream: F40 to F43 of the known failures, and its bounds."""

from __future__ import annotations

import gc
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import web.stream
from engine.errors import CrowntableError
from host.table import LiveTable
from tests.web.sse import Reader
from tests.web.tables import EXAMPLE, OPERATOR, REST, live_table, new_match, play, served
from web.server import Server, serve

Json = dict[str, Any]


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[tuple[LiveTable, Server]]:
    with served(tmp_path) as (table, server):
        assert table.command(new_match(), OPERATOR).ok
        yield table, server


def eventually(check: Any, seconds: float = 15.0) -> None:
    ends = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < ends, "it did not come about"
        time.sleep(0.02)


def test_snapshot_on_connecting_then_every_change(running: tuple[LiveTable, Server]) -> None:
    table, server = running
    with Reader(server.port) as reader:
        assert reader.next().kind == "hello"
        first = reader.view()
        assert first["audience"] == "spectator"
        assert first["view"]["game"]["phase"] == "initiative"
        versions = [first["version"]]
        for action in (*EXAMPLE, *REST):
            play(table, action)
            seq = table.core.seq
            while (got := reader.view())["view"]["seq"] < seq:
                versions.append(got["version"])
            versions.append(got["version"])
        assert versions == sorted(versions)
        assert got["view"]["game"]["last_duel"]["value"] == 72


def test_proxies_are_told_not_to_hold_events_back(running: tuple[LiveTable, Server]) -> None:
    with Reader(running[1].port) as reader:
        head = reader.head.lower()
    assert "content-type: text/event-stream" in head
    assert "x-accel-buffering: no" in head
    assert "no-cache" in head and "no-transform" in head


def test_beats_come_while_nothing_happens(
    monkeypatch: pytest.MonkeyPatch, running: tuple[LiveTable, Server]
) -> None:
    monkeypatch.setattr(web.stream, "BEAT_S", 0.2)
    table, server = running
    play(table, EXAMPLE[0])  # wakes the stream, which then beats at the new pace
    with Reader(server.port) as reader:
        kinds = [reader.next().kind for _ in range(6)]
    assert kinds.count("beat") >= 2


def test_a_burst_is_sent_once_with_its_last_state(
    monkeypatch: pytest.MonkeyPatch, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    monkeypatch.setattr(web.stream, "TICK_S", 0.5)
    with Reader(server.port) as reader:
        reader.view()
        play(table, *EXAMPLE)
        views = [reader.view()]
        while views[-1]["view"]["seq"] < table.core.seq:
            views.append(reader.view())
    assert len(views) <= 4
    assert views[-1]["view"]["game"]["duels"][0]["field"] == {"owner": 2, "value": 63}


def test_one_encoding_serves_all_clients(
    monkeypatch: pytest.MonkeyPatch, running: tuple[LiveTable, Server]
) -> None:
    table, server = running
    made: list[Json] = []
    real = web.stream.event

    def counting(kind: str, data: Json, ident: int | None = None) -> bytes:
        if kind == "view":
            made.append(data)
        return real(kind, data, ident)

    readers = [Reader(server.port) for _ in range(10)]
    for reader in readers:
        reader.view()
    monkeypatch.setattr(web.stream, "event", counting)
    play(table, EXAMPLE[0])
    for reader in readers:
        while reader.view()["view"]["seq"] < table.core.seq:
            pass
        reader.close()
    versions = [one["version"] for one in made]
    assert len(versions) == len(set(versions))


def test_several_audiences_on_one_stream(running: tuple[LiveTable, Server]) -> None:
    table, server = running
    cookie = f"Cookie: crowntable_seat_2={server.guard.seat_token(2)}\r\n"
    with Reader(server.port, "?audience=spectator,seat:2,spectator", cookie) as reader:
        first = {reader.view()["audience"], reader.view()["audience"]}
        play(table, EXAMPLE[0])
        second = {reader.view()["audience"], reader.view()["audience"]}
    assert first == second == {"spectator", "seat:2"}


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ("?audience=god", "", 400),
        ("?audience=,", "", 400),
        ("?audience=operator", "", 401),
        ("?audience=seat:1", "", 401),
        ("?audience=seat:1", "Cookie: crowntable_seat_1=x\r\n", 401),
        ("?audience=operator", "Cookie: crowntable_operator=x.y.z\r\n", 401),
        ("", "Cookie: =;;;\r\n", 200),
    ],
)
def test_who_may_follow_what(
    running: tuple[LiveTable, Server], query: str, headers: str, status: int
) -> None:
    with Reader(running[1].port, query, headers) as reader:
        assert reader.status == status


def test_a_foreign_host_name_gets_no_stream(running: tuple[LiveTable, Server]) -> None:
    with socket.create_connection(("127.0.0.1", running[1].port), timeout=10) as raw:
        raw.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        assert b" 421 " in raw.recv(200)


def test_the_number_of_streams_is_bounded(
    monkeypatch: pytest.MonkeyPatch, running: tuple[LiveTable, Server]
) -> None:
    monkeypatch.setattr("web.server.MOST_CLIENTS", 3)
    server = running[1]
    readers = [Reader(server.port) for _ in range(3)]
    with Reader(server.port) as fourth:
        assert fourth.status == 503
    readers.pop().close()
    eventually(lambda: server.streams() == 2)
    with Reader(server.port) as again:
        assert again.status == 200
    for reader in readers:
        reader.close()


def test_a_client_that_does_not_read_slows_nobody_and_is_dropped(
    monkeypatch: pytest.MonkeyPatch, running: tuple[LiveTable, Server]
) -> None:
    monkeypatch.setattr(web.stream, "SEND_BUFFER", 4096)
    monkeypatch.setattr(web.stream, "STALL_S", 1.0)
    monkeypatch.setattr(web.stream, "BEAT_S", 0.3)
    table, server = running
    play(table, *EXAMPLE)
    sleeper = Reader(server.port, receive_buffer=4096)
    with Reader(server.port) as reader:
        reader.view()
        slowest = 0.0
        for _ in range(30):
            start = time.monotonic()
            assert table.command({"cmd": "flag", "text": "x" * 400}, OPERATOR).ok
            while reader.view()["view"]["seq"] < table.core.seq:
                pass
            slowest = max(slowest, time.monotonic() - start)
        assert slowest < 5.0
        eventually(lambda: server.streams() == 1)
    sleeper.close()


def cycles(server: Server, table: LiveTable, count: int) -> None:
    """Opens streams and lets go of them in every way a browser does: politely, by a reset, in mid-head."""
    for i in range(count):
        if i % 3 == 0:
            raw = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            raw.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1")
            raw.close()
            continue
        reader = Reader(server.port)
        reader.next()
        if i % 3 == 1:  # a reset instead of a goodbye
            linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"
            reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        reader.close()
        if i % 10 == 0:
            table.command({"cmd": "flag", "text": "on"}, OPERATOR)


def flat_after(server: Server, table: LiveTable, count: int) -> None:
    process = psutil.Process()
    cycles(server, table, 12)  # every pool has its threads now
    eventually(lambda: server.streams() == 0)
    threads, files = threading.active_count(), process.num_fds()
    cycles(server, table, count)
    eventually(lambda: server.streams() == 0)
    eventually(lambda: threading.active_count() <= threads and process.num_fds() <= files + 1)


def test_connect_and_kill_leaves_nothing_behind(running: tuple[LiveTable, Server]) -> None:
    table, server = running
    flat_after(server, table, 90)


@pytest.mark.soak
def test_five_hundred_connect_and_kill_cycles(running: tuple[LiveTable, Server]) -> None:
    table, server = running
    flat_after(server, table, 500)


def test_stopping_with_two_hundred_streams_open_is_quick(tmp_path: Path) -> None:
    with live_table(tmp_path) as table:
        table.command(new_match(), OPERATOR)
        others = set(threading.enumerate())  # other tests' servers may be running in this process
        server = serve(table, "127.0.0.1", 0, tmp_path)
        readers = [Reader(server.port) for _ in range(200)]
        eventually(lambda: server.streams() == 200)
        assert "web" in {thread.name for thread in threading.enumerate() if thread not in others}
        start = time.monotonic()
        server.stop()
        took = time.monotonic() - start
        for reader in readers:
            reader.close()
        assert took < 2.0
        assert "web" not in {thread.name for thread in threading.enumerate() if thread not in others}
        server.stop()
        # The port is free again at once, and a new server shows the same match.
        again = serve(table, "127.0.0.1", server.port, tmp_path)
        with Reader(again.port) as reader:
            assert reader.view()["view"]["match"]["game"] == "althera"
        again.stop()


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("127.0.0.1", 70_000, "not a port number"),
        ("no-such-host.invalid", 0, "not an address of this machine"),
        ("192.0.2.7", 0, "can't be served"),
    ],
)
def test_addresses_that_can_not_be_served(tmp_path: Path, host: str, port: int, words: str) -> None:
    with live_table(tmp_path) as table, pytest.raises(CrowntableError, match=words) as caught:
        serve(table, host, port, tmp_path)
    assert caught.value.cure


def refused(table: LiveTable, port: int, data: Path) -> tuple[str, str]:
    try:
        serve(table, "127.0.0.1", port, data)
    except CrowntableError as error:
        return error.what, error.cure
    raise AssertionError("it was served")


def test_a_port_in_use_is_one_sentence_and_nothing_is_left_open(tmp_path: Path) -> None:
    with live_table(tmp_path) as table, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        files = psutil.Process().num_fds()
        what, cure = refused(table, port, tmp_path)
        assert what == f"Port {port} is in use by another program."
        assert "--port 0" in cure
        gc.collect()  # the error's traceback held the socket that could not be bound
        assert psutil.Process().num_fds() <= files


def test_a_damaged_secret_file_closes_the_port_again(tmp_path: Path) -> None:
    (tmp_path / "web-secrets.json").write_text("x")
    with live_table(tmp_path / "j") as table:
        files = psutil.Process().num_fds()
        assert "damaged" in refused(table, 0, tmp_path)[0]
        gc.collect()
        assert psutil.Process().num_fds() <= files


def test_on_ready_gets_the_server_once_it_answers(running: tuple[LiveTable, Server], tmp_path: Path) -> None:
    ports: list[int] = []

    def ready(server: Server) -> None:
        with Reader(server.port) as reader:
            assert reader.next().kind == "hello"
        ports.append(server.port)

    server = serve(running[0], "127.0.0.1", 0, tmp_path / "other", on_ready=ready)
    server.stop()
    assert ports == [server.port]
