"""The whole table as a person starts it: `crowntable run --virtual` on real wires, killed and restarted."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from host.journal import Journal
from host.match import rebuilt
from tests.shared_data import ROOT

ONE_MATCH = ("--virtual", "--speed", "50", "--matches", "1")
CROWNTABLE = ROOT / ".venv" / "bin" / "crowntable"


@contextmanager
def running(data: Path, *args: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A started `crowntable run` and its table's address; killed at the end if it still runs."""
    command = [str(CROWNTABLE), "run", "--port", "0", "--data", str(data), *args]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            found = re.search(r"table +(http://\S+)", line)
            if found:
                yield process, found[1]
                return
        raise AssertionError("".join(said))
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def view(address: str) -> dict[str, object]:
    with urllib.request.urlopen(f"{address}api/v1/view?audience=spectator", timeout=5) as answer:
        found: dict[str, object] = json.load(answer)
        return found


class Watcher:
    """A spectator's screen: remembers every event that it was ever shown."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.shown: dict[int, str] = {}
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self) -> None:
        while not self.done.is_set():
            try:
                now = view(self.address)
            except (OSError, ValueError):
                return
            for event in now["events"]:  # type: ignore[attr-defined]
                assert event["recorded"]
                self.shown[event["seq"]] = event["text"]
            self.done.wait(0.02)

    def stop(self) -> dict[int, str]:
        self.done.set()
        self.thread.join(10)
        return self.shown


def test_a_match_is_played_to_its_end_and_the_journal_replays_to_the_same_state(tmp_path: Path) -> None:
    with running(tmp_path, *ONE_MATCH, "--seed", "3") as (process, address):
        shown = {}
        while process.poll() is None:
            try:
                shown = view(address)
            except (OSError, ValueError):
                break
            time.sleep(0.05)
        assert process.stdout is not None
        output = process.stdout.read()
        assert process.wait(30) == 0
    (winner,) = re.findall(r"^winner: (.+)$", output, re.M)
    journal = Journal(tmp_path)
    begun = journal.match_entries()
    match, _ = rebuilt(list(journal.read(match=begun[0].seq)))
    everything = list(journal.read())
    journal.close()
    assert match.over
    assert winner in {s["name"] for s in begun[0].body["seats"]} or " and " in winner
    game = match.game.state_json(match.state)
    assert isinstance(shown["game"], dict)
    assert {k: shown["game"][k] for k in ("turn", "seats", "winners")} == {
        k: game[k] for k in ("turn", "seats", "winners")
    }
    # The long way: most plays came from readers and cameras, not from anybody's hand.
    plays = [e for e in everything if e.kind == "action" and e.ok and e.action and e.action["do"] == "play"]
    rolls = [e for e in everything if e.kind == "action" and e.ok and e.action and e.action["do"] == "roll"]
    seen = [e for e in plays if e.evidence or any(q.body.get("card") == e.action["card"]  # type: ignore[index]
                                                  for q in everything if q.kind == "question")]  # fmt: skip
    assert len(seen) >= 0.9 * len(plays)
    assert sum(bool(e.evidence) for e in rolls) >= 0.6 * len(rolls)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kills", [6, pytest.param(20, marks=pytest.mark.soak)])
def test_kill_9_again_and_again_loses_nothing_shown_and_doubles_nothing(tmp_path: Path, kills: int) -> None:
    rng = random.Random(kills)
    shown: dict[int, str] = {}
    for _ in range(kills):
        with running(tmp_path, *ONE_MATCH) as (process, address):
            watcher = Watcher(address)
            try:
                process.wait(rng.uniform(0.5, 4.0))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
            for seq, text in watcher.stop().items():
                assert shown.setdefault(seq, text) == text
        journal = Journal(tmp_path)
        entries = list(journal.read())
        journal.close()
        assert [e.seq for e in entries] == list(range(1, len(entries) + 1))
        recorded = {e.seq: e.text for e in entries}
        assert {seq: recorded.get(seq) for seq in shown} == shown
    assert len([e for e in entries if e.kind == "match"]) == 1
    with running(tmp_path, *ONE_MATCH) as (process, _):
        assert process.wait(300) == 0
    journal = Journal(tmp_path)
    match, _ = rebuilt(list(journal.read(match=journal.match_entries()[0].seq)))
    journal.close()
    assert match.over
    played = [line.action for line in match.lines if not line.undone]
    assert not [line for line in match.lines if line.broken]
    assert len(played) > 40


def refused(*args: str, code: int = 1) -> tuple[str, str]:
    done = subprocess.run(
        [str(CROWNTABLE), "run", *args], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code, done
    assert done.stdout == ""
    what, cure = done.stderr.strip().splitlines()
    return what, cure


def test_bad_starts_end_in_one_sentence_and_what_to_do(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text((ROOT / "hardware/tables/althera-2.toml").read_text() + "\n[lights]\nred = 1\n")
    what, cure = refused("--virtual", "--layout", str(wrong), "--data", str(tmp_path / "a"))
    assert "unknown key 'lights'" in what
    assert "crown" in cure
    what, cure = refused("--virtual", "--layout", "none.toml")
    assert "can't be read" in what
    assert "althera-3" in cure
    free = ("--virtual", "--data", str(tmp_path / "b"), "--port", "0")
    what, cure = refused(*free, "--bots", "genius", code=2)
    assert "genius" in what
    assert "greedy" in cure
    what, cure = refused(*free, "--chaos", "nonsense", code=2)
    assert "'nonsense' is not known" in what
    what, cure = refused("--chaos", "flicker", code=2)
    assert "--virtual" in cure
    with running(tmp_path / "first", "--virtual", "--bots", "none") as (_, address):
        port = address.rstrip("/").rsplit(":", 1)[1]
        what, cure = refused("--virtual", "--port", port, "--data", str(tmp_path / "second"))
        assert f"ort {port}" in what
        assert "--port 0" in cure
        what, cure = refused("--virtual", "--port", "0", "--data", str(tmp_path / "first"))
        assert "Another Crowntable" in what
        assert "--data" in cure
        assert view(address)["match"] is None


def test_wrong_values_are_wrong_usage() -> None:
    for key, value in (("speed", "0"), ("speed", "nan"), ("port", "99999"), ("matches", "0"), ("speed", "x")):
        command = [str(CROWNTABLE), "run", "--virtual", f"--{key}", value]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2, done
        assert repr(value) in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_ctrl_c_is_130_and_a_service_stop_is_0(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with running(tmp_path, "--virtual", "--bots", "none") as (process, _):
        process.send_signal(number)
        assert process.wait(30) == code
