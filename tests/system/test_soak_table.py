"""The long runs of the whole table: matches under random chaos, taps by the thousand, the plug pulled
hundreds of times. Nothing leaks, nothing shown is lost, nothing is done twice. `make soak`.

CROWNTABLE_MATCHES, CROWNTABLE_TAPS and CROWNTABLE_KILLS make them longer or shorter, CROWNTABLE_SEED
plays other matches.
"""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.game import Audience
from host.entry import Entry
from host.face import Outcome, Who
from host.interpret import CROWN
from host.journal import Journal
from host.layout import Layout, Thresholds, Zone, find_layout
from host.match import rebuilt
from host.run import Options, Running
from host.virtual.chaos import SCENARIOS
from host.virtual.pn532 import VirtualPn532
from host.virtual.pulls import TWIN
from host.virtual.tags import make_card_tag
from tests.system.evening import OPERATOR, Evening
from tests.system.test_virtual_evening import CROWNTABLE, ONE_MATCH, Watcher

pytestmark = [pytest.mark.soak, pytest.mark.timeout(12 * 3600)]
MATCHES = int(os.environ.get("CROWNTABLE_MATCHES", "20"))
TAPS = int(os.environ.get("CROWNTABLE_TAPS", "10000"))
KILLS = int(os.environ.get("CROWNTABLE_KILLS", "200"))
#: another seed plays other matches with other troubles
SEED = int(os.environ.get("CROWNTABLE_SEED", "200"))
#: seconds that one match or tap may take, with all its troubles, on a busy machine
PER_MATCH, PER_TAP = 600.0, 60.0
MEGABYTE = 2**20


def entries_of(folder: Path) -> list[Entry]:
    journal = Journal(folder)
    try:
        return list(journal.read())
    finally:
        journal.close()


@dataclass(frozen=True)
class Load:
    """What this process holds."""

    descriptors: int
    threads: int
    children: int
    memory: int

    @staticmethod
    def now() -> Load:
        gc.collect()
        me = psutil.Process()
        return Load(me.num_fds(), threading.active_count(), len(me.children()), me.memory_info().rss)

    def is_flat_since(self, early: Load) -> None:
        """Fails where something has grown that should not. A few come and go with each device."""
        assert self.descriptors <= early.descriptors + 8, (early, self)
        assert self.threads <= early.threads + 4, (early, self)
        assert self.children <= early.children + 1, (early, self)
        assert self.memory < early.memory + 60 * MEGABYTE, (early, self)


class Witness:
    """Remembers every event that any screen was shown as recorded, and every answer that the players
    got to what they did by hand."""

    def __init__(self, running: Running) -> None:
        self.table = running.table
        self.shown: dict[int, str] = {}
        self.answers: set[int] = set()
        self._act = self.table.act
        self.table.act = self.act  # type: ignore[method-assign]
        self.table.listen(self.look)

    def act(self, action: Any, who: Who) -> Outcome:
        outcome = self._act(action, who)
        if outcome.seq is not None:
            self.answers.add(outcome.seq)
        return outcome

    def look(self, _: int) -> None:
        for event in self.table.view(Audience("spectator"))["events"]:
            if event["recorded"]:
                assert self.shown.setdefault(event["seq"], event["text"]) == event["text"]


class Troubles:
    """Switches random chaos scenarios on and off while matches are played."""

    def __init__(self, running: Running, rng: random.Random) -> None:
        self.names = [name for name in SCENARIOS if name != "power-cut"]
        self.had: Counter[str] = Counter()
        self._running, self._rng = running, rng
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        chaos = self._running.chaos
        assert chaos is not None
        while not self._over.wait(self._rng.uniform(1.0, 5.0)):
            name = self._rng.choice(self.names)
            self.had[name] += 1
            chaos.switch(name, True)
            self._over.wait(self._rng.uniform(0.5, 5.0))
            chaos.switch(name, False)

    def stop(self) -> None:
        self._over.set()
        self._thread.join(30)


@pytest.mark.parametrize("layout", ["althera-3", "anthem-2"])
def test_matches_over_all_stand_ins_under_random_chaos(tmp_path: Path, layout: str) -> None:
    options = Options(find_layout(layout), tmp_path, virtual=True, speed=50, matches=MATCHES, seed=SEED)
    ended: list[str] = []
    running = Running(options, ended.append)
    witness = Witness(running)
    running.start()
    troubles = Troubles(running, random.Random(SEED))
    early: Load | None = None
    try:
        for number in range(1, MATCHES + 1):
            began = time.monotonic()
            while len(ended) < number:
                assert time.monotonic() - began < PER_MATCH, running.table.view(Audience("operator"))
                time.sleep(0.2)
            if number == max(1, MATCHES // 4):
                early = Load.now()
        late = Load.now()
    finally:
        troubles.stop()
        running.stop()
    assert running.finished.is_set()
    entries = entries_of(tmp_path)
    assert [e.seq for e in entries] == list(range(1, len(entries) + 1))
    texts = {e.seq: e.text for e in entries}
    assert {seq: texts.get(seq) for seq in witness.shown} == witness.shown
    assert witness.answers <= set(texts)
    begun = [e for e in entries if e.kind == "match"]
    assert len(begun) == MATCHES
    for first in begun:
        match, _ = rebuilt([e for e in entries if e.match == first.seq])
        assert match.over
        assert not [line for line in match.lines if line.broken]
    # A card that was seen twice would be refused as played already. The twin is two cards by design.
    doubled = [e for e in entries if e.kind == "action" and not e.ok and e.who.kind == "device"
               and e.findings[0]["code"] in ("already-played", "already-laid")
               and (e.action or {}).get("card") != TWIN]  # fmt: skip
    assert not doubled, [e.text for e in doubled]
    assert early is not None
    late.is_flat_since(early)
    print(f"{layout}: {MATCHES} matches, {len(entries)} entries, 0 lost, 0 doubled; {early} -> {late}")
    print(f"{sum(troubles.had.values())} troubles: {dict(troubles.had)}")


# -- taps over the PN532 stand-in -------------------------------------------------------------------

FAULTS = ("no-ack", "zeros", "tail", "garbage", "half", "error", "mute", "power-loss", "flicker")


def one_reader(port: str) -> Layout:
    """A table whose second crown rest is the spot over a PN532."""
    layout = find_layout("althera-2")
    rest = Zone("seat2.crown", "crown", "scan", 0, 2)
    readers = tuple(replace(r, port=port) for r in layout.readers if r.id == "scan")
    limits = Thresholds(leave_misses=3, leave_ms=300)
    return replace(layout, zones=(rest,), readers=readers, cameras=(), crown=type(layout.crown)(),
                   thresholds=limits)  # fmt: skip


def test_ten_thousand_taps_each_an_entry_and_none_twice(tmp_path: Path) -> None:
    rng = random.Random(10_000)
    chip = VirtualPn532(tmp_path / "reader", seed=2)
    chip.start()
    evening = Evening(one_reader(str(tmp_path / "reader")), tmp_path / "data", virtual=False)
    tags = [make_card_tag(CROWN, f"04C0C0C0{n:06X}") for n in range(16)]
    early: Load | None = None
    try:
        evening.within(30, lambda: evening.device("scan") == "up")
        command = {"cmd": "new-match", "ruleset": {"initiative": "clockwise"}}
        assert evening.table.command(command, OPERATOR).ok
        for seat in (1, 2):
            evening.do(do="roll", seat=seat, face=7 - seat)
        lying = None
        for number in range(TAPS):
            if rng.random() < 0.03:
                chip.fault(name := rng.choice(FAULTS), times=rng.randint(1, 8))
                if name in ("no-ack", "flicker"):
                    chip.mend(name)
            if lying is not None:
                chip.lift(lying)
            lying = tags[number % len(tags)]
            chip.place(lying)
            evening.within(PER_TAP, lambda: evening.table.public_state()[2]["crown"] == 2)
            # Back to seat 1 by hand while the tag lies there: a second arrival would show.
            evening.do(do="crown", seat=1)
            if number == TAPS // 10:
                early = Load.now()
        late = Load.now()
    finally:
        evening.running.stop()
        chip.stop()
    moved = [e.who.kind for e in entries_of(tmp_path / "data") if e.kind == "action" and e.ok
             and e.action and e.action["do"] == "crown"]  # fmt: skip
    assert moved == ["device", "operator"] * TAPS
    assert early is not None
    late.is_flat_since(early)
    print(f"{TAPS} taps: {moved.count('device')} entries of the reader, none twice; {early} -> {late}")


# -- the plug pulled --------------------------------------------------------------------------------


@contextmanager
def started(data: Path) -> Iterator[subprocess.Popen[str]]:
    command = [str(CROWNTABLE), "run", "--port", "0", "--data", str(data), *ONE_MATCH]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def address_of(process: subprocess.Popen[str], found: list[str]) -> None:
    """Reads what the program prints until it says its address."""
    assert process.stdout is not None
    for line in process.stdout:
        if "http://" in line:
            found.append(line.split()[-1])
            return


def test_kill_9_at_two_hundred_random_moments(tmp_path: Path) -> None:
    rng = random.Random(KILLS)
    done, matches, seen = 0, 0, 0
    while done < KILLS:
        folder = tmp_path / f"table{matches}"
        shown: dict[int, str] = {}
        matches += 1
        for _ in range(min(20, KILLS - done)):
            done += 1
            kill_once(folder, rng, shown)
            check_journal(folder, shown)
        seen += len(shown)
        if over(folder):
            continue
        with started(folder) as process:
            assert process.wait(PER_MATCH) == 0
        assert over(folder)
        check_journal(folder, shown)
    print(f"{KILLS} kills in {matches} matches: {seen} entries that a screen had shown, 0 lost, 0 doubled")


def kill_once(folder: Path, rng: random.Random, shown: dict[int, str]) -> None:
    """Starts the table and kills it at any moment: opening the journal, starting devices, playing."""
    with started(folder) as process:
        found: list[str] = []
        reading = threading.Thread(target=address_of, args=(process, found))
        reading.start()
        until, watcher = time.monotonic() + rng.uniform(0.1, 7.0), None
        while time.monotonic() < until and process.poll() is None:
            if found and watcher is None:
                watcher = Watcher(found[0])
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        reading.join(10)
        for seq, text in (watcher.stop() if watcher else {}).items():
            assert shown.setdefault(seq, text) == text


def check_journal(folder: Path, shown: dict[int, str]) -> None:
    if not (folder / "journal.sqlite").exists():
        assert not shown
        return
    entries = entries_of(folder)
    assert [e.seq for e in entries] == list(range(1, len(entries) + 1))
    recorded = {e.seq: e.text for e in entries}
    assert {seq: recorded.get(seq) for seq in shown} == shown
    assert len([e for e in entries if e.kind == "match"]) <= 1


def over(folder: Path) -> bool:
    entries = entries_of(folder)
    begun = [e for e in entries if e.kind == "match"]
    if not begun:
        return False
    match, _ = rebuilt([e for e in entries if e.match == begun[0].seq])
    assert not [line for line in match.lines if line.broken]
    return match.over
