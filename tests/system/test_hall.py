"""A hall as people run it: `crowntable hall`, `crowntable run --hall`, a real Mosquitto."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest

from host.hall.local import LocalBroker
from host.hall.store import Store, sqlite_url
from tests.host.hall_kit import within
from tests.shared_data import ROOT
from web.hall.bench import HallProcess, Wish, measure
from web.main import main

Json = dict[str, Any]


def get(url: str) -> Any:
    with urlopen(url, timeout=60) as answer:
        return json.load(answer)


class Table:
    """`crowntable run --virtual --hall …` in a process of its own; without a broker, as the machine's
    settings say."""

    def __init__(self, broker: LocalBroker | None, data: Path, name: str, *more: str) -> None:
        command = [sys.executable, "-m", "web.main", "run", "--virtual", "--port", "0", "--data", str(data)]
        hall = ["--hall", str(broker.broker), "--hall-account", str(broker.path(name))] if broker else []
        self.data = data
        self.process = subprocess.Popen(
            [*command, *hall, *more], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if line.strip().startswith("data"):
                break
        found = re.search(r"table\s+(http://\S+?)/", self.said)
        assert found, self.said
        self.url = found[1]

    def stop(self) -> None:
        """Ctrl-C, and its stand-ins with it."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait(60)


class Operator:
    """The operator's browser at a table, without the browser."""

    def __init__(self, table: Table) -> None:
        self.url = table.url
        self.opener = build_opener(HTTPCookieProcessor())
        found = re.search(r"operator\s+(\S+)", table.said)
        assert found, table.said
        page = self.opener.open(found[1].replace("localhost", "127.0.0.1"), timeout=60).read().decode()
        token = re.search(r'"csrf":"([^"]+)"', page)
        assert token
        self.csrf = token[1]

    def _post(self, path: str, body: Json) -> None:
        head = {"Content-Type": "application/json", "X-CSRF-Token": self.csrf}
        request = Request(f"{self.url}{path}", json.dumps({"as": "operator", **body}).encode(), head)
        with self.opener.open(request, timeout=60) as answer:
            assert json.load(answer)["ok"] is True

    def command(self, command: Json) -> None:
        self._post("/api/v1/command", {"command": command})

    def act(self, action: Json) -> None:
        self._post("/api/v1/act", {"action": action})


@pytest.fixture(name="closing")
def _closing() -> Iterator[ExitStack]:
    with ExitStack() as closing:
        yield closing


def test_given_a_table_that_joins_a_hall_then_its_matches_are_recorded_there_though_the_hall_is_killed(
    tmp_path: Path, closing: ExitStack
) -> None:
    broker = LocalBroker(tmp_path / "broker", 2)
    closing.callback(broker.stop)
    hall = HallProcess(broker, tmp_path / "hall")
    closing.callback(hall.stop)
    table = Table(broker, tmp_path / "t1", "t1", "--bots", "none")
    closing.callback(table.stop)
    operator = Operator(table)
    operator.command({"cmd": "new-match"})
    within(lambda: get(f"{hall.url}/api/v1/view")["tables"])
    hall.kill()
    for seat, face in ((1, 6), (2, 3), (3, 1)):
        operator.act({"do": "roll", "seat": seat, "face": face})
    operator.act({"do": "declare", "seat": 1, "against": 2})
    operator.command({"cmd": "new-match"})
    hall.again()
    store = Store(sqlite_url(tmp_path / "hall"))
    closing.callback(store.close)
    within(lambda: len(store.played()) >= 1)
    first = store.played()[0]
    assert (first.name, first.game, first.number) == ("t1", "althera", 1)
    table.stop()
    within(lambda: get(f"{hall.url}/api/v1/view")["tables"][0]["alarms"])
    assert get(f"{hall.url}/api/v1/view")["tables"][0]["alarms"][0]["kind"] == "stopped"
    assert get(f"{hall.url}/health")["ok"] is True
    assert get(f"{hall.url}/api/v1/records")[0]["match"] == "m1"

    done = subprocess.run(
        [sys.executable, "-m", "web.main", "hall", "records", "--data", str(tmp_path / "hall"),
         "-o", str(tmp_path / "matches")],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "matches in" in done.stderr
    (record,) = (tmp_path / "matches").glob("t1-*-m1.jsonl")
    assert '"declare"' in record.read_text(encoding="utf-8")
    again = subprocess.run(
        [sys.executable, "-m", "web.main", "replay", str(record)],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert again.returncode == 0, again.stderr


def test_given_no_broker_anywhere_then_the_table_starts_as_ever_and_says_nothing_of_the_password(
    tmp_path: Path, closing: ExitStack
) -> None:
    broker = LocalBroker(tmp_path / "broker", 1)
    broker.stop()
    table = Table(broker, tmp_path / "t1", "t1", "--bots", "none")
    closing.callback(table.stop)
    assert get(f"{table.url}/health")["ok"] is True
    log = tmp_path / "t1" / "crowntable.log"
    within(lambda: "can't be reached" in log.read_text(encoding="utf-8"))
    secret = broker.account("t1").password
    arguments = Path(f"/proc/{table.process.pid}/cmdline").read_bytes().decode()
    assert secret not in arguments + table.said + log.read_text(encoding="utf-8")
    table.stop()
    assert table.process.returncode == 130


def test_given_a_machine_whose_settings_name_a_hall_then_its_table_joins_it_or_plays_without(
    tmp_path: Path, closing: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = LocalBroker(tmp_path / "broker", 1)
    closing.callback(broker.stop)
    hall = HallProcess(broker, tmp_path / "hall")
    closing.callback(hall.stop)
    monkeypatch.setenv("CROWNTABLE_HALL", str(broker.broker))
    alone = Table(None, tmp_path / "t1", "t1", "--bots", "none")
    closing.callback(alone.stop)
    assert "in no hall. There is no account file" in alone.said
    assert get(f"{alone.url}/health")["ok"] is True
    alone.stop()
    shutil.copy(broker.path("t1"), tmp_path / "t1" / "hall.toml")
    joined = Table(None, tmp_path / "t1", "t1", "--bots", "none")
    closing.callback(joined.stop)
    within(lambda: [row["state"] for row in get(f"{hall.url}/api/v1/view")["tables"]] == ["here"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--virtual", "--hall", "http://x"], "no broker's address"),
        (["run", "--virtual", "--hall", "mqtt://t1:pw-in-url@x"], "can be read by everybody"),
        (["run", "--virtual", "--hall", "mqtt://x"], "There is no account file"),
        (["hall", "--broker", "mqtt://x"], "There is no account file"),
        (["hall", "config", "--tables", "0", "-o", "x"], "no number of tables"),
        (["hall", "config", "--tables", "2", "-o", "x", "--cert", "nowhere"], "belong together"),
        (["run", "--virtual", "--hall-account", "t1.toml"], "not where its hall is"),
        (["hall", "--name", "\udcff"], "can't be shown"),
        (["hall", "config", "--tables", "2", "-o", "x", "--word", "a\x7f"], "can't be shown"),
        (["hall", "config", "--tables", "2", "-o", "x", "--address", "hall"], "no address"),
        (["hall", "records", "-o", "x", "--data", "nowhere"], "no hall's database"),
        (["hall", "records", "-o", "x", "--db", "postgresql+pg8000://h:secret@x/y"], "read by everybody"),
        (
            ["hall", "records", "-o", "x", "--db", "postgresql+pg8000://h@x/y?password=secret"],
            "read by everybody",
        ),
    ],
)
def test_given_wrong_usage_then_one_sentence_and_a_cure(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    if "config" not in arguments and "records" not in arguments:
        arguments = [*arguments, "--data", str(tmp_path / "data")]
    monkeypatch.chdir(tmp_path)
    try:
        code = main(arguments)
    except SystemExit as ended:  # argparse's own way out
        code = int(ended.code or 0)
    assert code in (1, 2)
    error = capsys.readouterr().err
    assert said in error
    assert not (tmp_path / "nowhere").exists()
    assert len(error.strip().splitlines()) == 2
    assert "pw-in-url" not in error and "secret" not in error


def test_given_a_hall_whose_broker_and_server_are_killed_then_the_bench_finds_nothing_missing() -> None:
    figures = measure(Wish(tables=6, seconds=8, kill=("broker", "hall")))
    assert figures["events"] > 30
    assert [figures[key] for key in ("lost", "different", "doubled", "records_owed")] == [0, 0, 0, 0]


def test_given_the_hall_answers_then_its_pages_change_nothing_for_strangers(
    tmp_path: Path, closing: ExitStack
) -> None:
    broker = LocalBroker(tmp_path / "broker", 1)
    closing.callback(broker.stop)
    hall = HallProcess(broker, tmp_path / "hall", "--name", "Great hall")
    closing.callback(hall.stop)
    assert get(f"{hall.url}/api/v1/view")["name"] == "Great hall"
    kind = {"Content-Type": "application/json"}
    request = Request(f"{hall.url}/api/v1/attend", b"{}", kind, method="POST")
    with pytest.raises(OSError, match="403"):
        urlopen(request, timeout=60)
    hall.process.send_signal(signal.SIGINT)
    assert hall.process.wait(60) == 130
