"""How long a tap takes: from the last byte of a tag report on the link's port to the committed entry, to
the published view, and to a screen."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tty
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.parse import urlsplit

from engine.errors import CrowntableError
from engine.game import Audience
from host.core import Clocks, Core
from host.entry import Entry
from host.face import Who
from host.interpret import CROWN
from host.journal import Journal, read_entries
from host.layout import Crown, Layout, find_layout, to_toml
from host.link.device import LinkDevice
from host.link.protocol import LineReader, format_line
from host.newmatch import begin
from host.table import LiveTable
from host.virtual.tags import make_card_tag

METHOD = (
    "a stand-in Pico on a pseudo-terminal reports a new tag of the crown on another rest (tag with its "
    "content, and inventory), which is an action; counted from the report's last byte. commit: to the "
    "entry being on the disk (full sync; TMPDIR decides the disk), view: to the new spectators' view as "
    "JSON, both in one process, 400 taps. push: to the last byte of that view at a screen on the live "
    "stream of `crowntable run` in a process of its own, 200 taps, 0.1 s apart. sustained: 300 taps a "
    "second for ten seconds into the same; their entries a second, and how long after its report each "
    "entry was made."
)
TAPS, PUSHED, EVERY_S = 400, 200, 0.1
RATE, SECONDS = 300, 10.0
#: seconds that anything here may take before the measurement is given up
PATIENCE = 60.0
#: different tags; the same one is laid again only after all others, when it has long been gone
TAGS = 900
_MEMORY = bytes(make_card_tag(CROWN).memory)


class _Board:
    """The link's other end: says hello, the time and that it lives; reports the crown's tag on command."""

    def __init__(self, antennas: int) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._antennas = antennas
        self._began = time.monotonic()
        self._count = self._tag = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(2)
        os.close(self._master)
        os.close(self._slave)

    def tap(self, antenna: int) -> float:
        """A new tag lies at `antenna`, as the firmware says it; the moment of the last byte."""
        number, self._tag = self._tag, (self._tag + 1) % TAGS
        uid = bytes((0x04, 0xC0, 0xC0, 0, 0)) + number.to_bytes(2, "big")
        check = 0x88 ^ uid[0] ^ uid[1] ^ uid[2]
        memory = uid[:3] + bytes((check,)) + uid[3:] + bytes((uid[3] ^ uid[4] ^ uid[5] ^ uid[6],))
        data = (memory + _MEMORY[len(memory) :]).hex().upper()[:320]
        self._say("tag", ant=antenna, uid=uid.hex().upper(), sak="00", data=data)
        return self._say("inv", ant=antenna, tags=uid.hex().upper(), ok=1, scans=2)

    def _say(self, verb: str, **words: str | int) -> float:
        with self._lock:
            ms = round((time.monotonic() - self._began) * 1000)
            line = format_line(verb, words | {"n": self._count & 0xFFFF, "t": ms})
            self._count += 1
            # Before the write: the table may be done with the line before this thread goes on.
            at = time.monotonic()
            os.write(self._master, line)
            return at

    def _run(self) -> None:
        lines = LineReader()
        while not self._stop.is_set():
            ready, _, _ = select.select([self._master], [], [], 0.3)
            if not ready:
                self._say("beat", heap=1, lost=0, bad=0, dim=0, cut=0, mv=-1)
                continue
            for line in lines.feed(os.read(self._master, 4096)):
                self._answer(line.words)

    def _answer(self, words: Any) -> None:
        if words.get("what") == "hello":
            self._say("hello", proto=1, fw="bench", name="pico", id="E6", boot="b1", cause="power",
                      ants=self._antennas, ring=0, cfg="none", dim=0, k=words["k"])  # fmt: skip
        elif words.get("what") == "time":
            self._say("time", k=words["k"])


class _Timed(Journal):
    """A journal that notes when each commit was done."""

    done_at = 0.0

    def append(self, entries: Sequence[Entry]) -> None:
        super().append(entries)
        self.done_at = time.monotonic()


def measure() -> dict[str, Any]:
    """The figures, in milliseconds and actions a second."""
    with tempfile.TemporaryDirectory() as folder:
        return {**_inside(Path(folder) / "one"), **_whole(Path(folder) / "whole")}


def _layout(port: str) -> Layout:
    """A table for three with the link alone."""
    layout = find_layout("althera-3")
    readers = tuple(replace(r, port=port) for r in layout.readers if r.id == "pico")
    zones = tuple(z for z in layout.zones if z.reader == "pico")
    # No shipped table's name: its Pico would be sent that table's settings.
    return replace(layout, name="bench", readers=readers, zones=zones, cameras=(), crown=Crown())


def _rests(layout: Layout) -> list[int]:
    return [z.antenna for z in layout.zones if z.kind == "crown"]


def _begun(core: Core) -> None:
    """A match whose crown lies with seat 1 and may be moved."""
    operator = Who("operator")
    assert begin(core, {"ruleset": {"initiative": "clockwise"}}, operator).ok
    for seat in (s.id for s in core.layout.seats):
        assert core.act({"do": "roll", "seat": seat, "face": 7 - seat}, operator).ok


def _clocks() -> Clocks:
    return Clocks(time.time, time.monotonic, "bench")


def _wait(until: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not until():
        if time.monotonic() - began > PATIENCE:
            raise CrowntableError("The table did not answer.", "Is the machine very busy? Try again.")
        time.sleep(0.0005)


# -- in one process -----------------------------------------------------------------------------


def _inside(folder: Path) -> dict[str, Any]:
    board = _Board(6)
    layout = _layout(board.path)
    journal = _Timed(folder)
    table = LiveTable(Core(journal, layout, _clocks()))
    _begun(table.core)
    shown = [0.0]

    def published(_: int) -> None:
        json.dumps(table.view(Audience("spectator")))
        shown[0] = time.monotonic()

    table.listen(published)
    device = LinkDevice("pico", board.path, layout.antennas("pico"))
    table.start()
    device.start(table.emit)
    try:
        _wait(lambda: any(d["state"] == "up" for d in table.view(Audience("operator"))["devices"]))
        _first_look(board, layout)
        return _taps(board, table, journal, layout, shown)
    finally:
        device.stop()
        table.stop()
        board.close()


def _taps(
    board: _Board, table: LiveTable, journal: _Timed, layout: Layout, shown: list[float]
) -> dict[str, Any]:
    commit, view = [], []
    for antenna in _taps_at(layout, TAPS):
        seq = table.core.seq
        at = board.tap(antenna)
        _wait(lambda seq=seq, at=at: table.core.seq > seq and shown[0] > at)  # type: ignore[misc]
        commit.append(journal.done_at - at)
        view.append(shown[0] - at)
        time.sleep(0.005)
    return {"taps": TAPS, **_cuts("commit", commit), **_cuts("view", view)}


def _first_look(board: _Board, layout: Layout) -> None:
    """The table sees the crown where it lies: what it has not seen lie somewhere, it does not see move."""
    board.tap(_rests(layout)[0])
    time.sleep(0.3)


def _taps_at(layout: Layout, count: int, after: int = 0) -> Iterator[int]:
    """From rest to rest, beginning with seat 2's: the crown lies with seat 1."""
    rests = _rests(layout)
    for i in range(after, after + count):
        yield rests[(i + 1) % len(rests)]


def _cuts(name: str, seconds: Sequence[float]) -> dict[str, float]:
    cuts = quantiles((s * 1000 for s in seconds), n=100)
    return {f"{name}_p50_ms": round(cuts[49], 2), f"{name}_p99_ms": round(cuts[98], 2)}


# -- the whole program --------------------------------------------------------------------------


def _whole(folder: Path) -> dict[str, Any]:
    board = _Board(6)
    layout = _layout(board.path)
    core = Core(Journal(folder / "data"), layout, _clocks())
    _begun(core)
    match = core.match.begun.seq if core.match else 0
    core.journal.close()
    (folder / "bench.toml").write_text(to_toml(layout), encoding="utf-8")
    command = [_program(), "run", "--layout", str(folder / "bench.toml"), "--data", str(folder / "data")]
    process = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        screen = _Screen(_address(process.stdout))
        _wait(lambda: any(d["state"] == "up" for d in screen.view.get("devices", ())))
        _first_look(board, layout)
        pushed = _pushed(board, layout, screen)
        late, rate = _sustained(board, layout, screen, folder / "data" / "journal.sqlite", match)
    finally:
        process.terminate()
        process.wait(20)
        board.close()
    return {
        "pushes": PUSHED,
        **_cuts("push", pushed),
        "sustained_per_second": round(rate, 1),
        **_cuts("sustained", late),
    }


def _address(lines: Iterable[str]) -> str:
    """The table's address from what it prints at its start."""
    for line in lines:
        if found := re.search(r"table +(http://\S+)", line):
            return found[1]
    raise CrowntableError("`crowntable run` did not start.", "Start it by hand to see why.")


def _program() -> str:
    beside = Path(sys.executable).with_name("crowntable")
    found = str(beside) if beside.exists() else shutil.which("crowntable")
    if found is None:
        raise CrowntableError("The program `crowntable` is not installed.", "Install the distribution first.")
    return found


class _Screen:
    """A spectator's live stream: the newest view, and when the last byte of each version came."""

    def __init__(self, address: str) -> None:
        where = urlsplit(address)
        self._socket = socket.create_connection((where.hostname or "", where.port or 80), timeout=PATIENCE)
        host = f"{where.hostname}:{where.port}"
        request = f"GET /api/v1/stream?audience=spectator HTTP/1.1\r\nHost: {host}\r\n\r\n"
        self._socket.sendall(request.encode("ascii"))
        self.view: dict[str, Any] = {}
        self.crown_at: dict[int, float] = {}
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        waiting = b""
        with contextlib.suppress(OSError):
            while chunk := self._socket.recv(1 << 20):
                at = time.monotonic()
                *whole, waiting = (waiting + chunk).split(b"\n\n")
                for event in whole:
                    self._take(event, at)

    def _take(self, event: bytes, at: float) -> None:
        data = next((line[6:] for line in event.split(b"\n") if line.startswith(b"data: ")), b"{}")
        self.view = json.loads(data).get("view") or self.view
        self.crown_at[self.view.get("game", {}).get("crown") or 0] = at


def _pushed(board: _Board, layout: Layout, screen: _Screen) -> list[float]:
    seconds = []
    rests = {z.antenna: z.seat or 0 for z in layout.zones if z.kind == "crown"}
    for antenna in _taps_at(layout, PUSHED):
        seat = rests[antenna]
        at = board.tap(antenna)
        _wait(lambda at=at, seat=seat: screen.crown_at.get(seat, 0.0) > at)  # type: ignore[misc]
        seconds.append(screen.crown_at[seat] - at)
        time.sleep(EVERY_S)
    return seconds


def _sustained(
    board: _Board, layout: Layout, screen: _Screen, journal: Path, match: int
) -> tuple[list[float], float]:
    """Seconds from each report to its entry's making, and how many entries a second there were."""
    before = screen.view["seq"]
    count = round(RATE * SECONDS)
    began, reported = time.monotonic(), []
    for i, antenna in enumerate(_taps_at(layout, count, PUSHED)):
        time.sleep(max(0.0, began + i / RATE - time.monotonic()))
        reported.append(board.tap(antenna))
    _wait(lambda: screen.view["seq"] >= before + count)
    made = [e.mono for e in read_entries(journal, match) if e.seq > before and e.kind == "action"]
    if len(made) != count:
        raise CrowntableError(f"{count} taps made {len(made)} entries.", "That is a fault: report it.")
    late = [m - r for m, r in zip(made, reported, strict=True)]
    return late, (count - 1) / (made[-1] - made[0])
