"""What a hall of many tables costs, and whether it loses anything: `crowntable bench hall`.

Method: a real Mosquitto, a real hall server (`crowntable hall`) on SQLite, and N tables in four processes,
each with its engine, journal, table and publisher, without devices; each table plays one move every second
of matches drawn at random beforehand, at a lower priority than broker and hall have: in a real hall the
tables are elsewhere. All on this machine, over loopback, in a memory file system where there is one: four
hundred tables' disks are not what is measured. Delay is from the entry at the table to its row in the
hall's database. CPU is in per cent of one core, memory the highest resident size; `crowd_cpu_percent` is
what the tables themselves take, `crowd_lag_ms` how far they fell behind their moves at worst: a machine
where that is more than a move's second is too small for so many, and its delays are its own. Afterwards
every entry of every journal is compared with the hall's database. `--kill broker`, `--kill hall`: killed
with SIGKILL after a quarter and a half of the time, started again two seconds later; `--cut`: the first
table's network is away for a tenth of the time, at least ten seconds, at most a minute."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final
from urllib.request import urlopen

from engine.errors import CrowntableError
from host.hall.broker import HALL
from host.hall.check import compare, owed
from host.hall.local import Cable, LocalBroker
from host.hall.store import Store, sqlite_url
from host.hall.wire import Json

PROCESSES: Final = 4
#: seconds between two events of a table
EVERY_S: Final = 1.0
#: seconds that everything may take to come to rest afterwards
REST_S: Final = 180.0


@dataclass(frozen=True, slots=True)
class Wish:
    """What to measure: how many tables, how long (seconds), which troubles on the way."""

    tables: int = 400
    seconds: float = 60.0
    kill: tuple[str, ...] = ()
    cut: bool = False


class HallProcess:
    """`crowntable hall` in a process of its own; started, killed, started again."""

    def __init__(self, broker: LocalBroker, data: Path, *more: str) -> None:
        account = ["--broker", str(broker.broker), "--account", str(broker.path(HALL))]
        self._command = [sys.executable, "-m", "web.main", "hall", *account, "--data", str(data), *more]
        self.url = ""
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen([*self._command, "--port", "0"], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip().startswith("tables"):
                self.url = line.split()[1].rstrip("/")
            if line.strip().startswith("data"):
                return process
        raise CrowntableError("The hall did not start.", "Its log says why.")

    def kill(self) -> None:
        """Ends it at once (SIGKILL)."""
        self.process.kill()
        self.process.wait()

    def again(self) -> None:
        """Starts it anew after `kill`."""
        self.process = self._start()

    def health(self) -> Json:
        """What it says of itself."""
        with urlopen(f"{self.url}/health", timeout=30) as answer:
            found: Json = json.load(answer)
        return found

    def stop(self) -> None:
        """Ends it in peace."""
        self.process.terminate()
        try:
            self.process.wait(15.0)
        except subprocess.TimeoutExpired:
            self.kill()


@dataclass(slots=True)
class Usage:
    """The processor time and memory of processes, across their restarts."""

    cpu: float = 0.0
    memory: float = 0.0
    _last: dict[int, float] = field(default_factory=dict)

    def look(self, pid: int) -> None:
        """Adds what the process has used since the last look; one that is gone adds nothing."""
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        except OSError:
            return
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        self.cpu += used - self._last.get(pid, used)
        self._last[pid] = used
        peak = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
        self.memory = max(self.memory, int(peak[0]) / 1024 if peak else 0.0)


def measure(wish: Wish) -> Json:
    """The figures. Raises CrowntableError where there is no Mosquitto."""
    with ExitStack() as closing:
        memory = Path("/dev/shm")
        shared = memory if "TMPDIR" not in os.environ and os.access(memory, os.W_OK) else None
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(dir=shared, prefix="crowntable-")))
        broker = LocalBroker(folder / "broker", wish.tables)
        closing.callback(broker.stop)
        hall = HallProcess(broker, folder / "hall")
        closing.callback(hall.stop)
        cable = Cable(broker.port)
        closing.callback(cable.close)
        ports = {broker.names[0]: cable.port} if wish.cut else {}
        crowd = [
            _crowd(broker, folder / "tables", part, ports, wish.seconds)
            for part in _parts(broker.names, PROCESSES)
        ]
        for one in crowd:
            closing.callback(_end, one)
        for one in crowd:
            _heard(one)
        return _play(wish, broker, hall, cable, crowd, folder)


def _play(
    wish: Wish,
    broker: LocalBroker,
    hall: HallProcess,
    cable: Cable,
    crowd: list[subprocess.Popen[str]],
    folder: Path,
) -> Json:
    used = {"broker": Usage(), "hall": Usage(), "crowd": Usage()}
    began = time.monotonic()
    for one in crowd:
        _tell(one)
    steps = _troubles(wish, broker, hall, cable)
    while (now := time.monotonic() - began) < wish.seconds:
        used["broker"].look(broker.process.pid)
        used["hall"].look(hall.process.pid)
        for one in crowd:
            used["crowd"].look(one.pid)
        while steps and steps[0][0] <= now:
            steps.pop(0)[1]()
        time.sleep(0.25)
    seconds = time.monotonic() - began
    for _, step in steps:
        step()
    said = [_heard(one) for one in crowd]
    bases = {name: base for one in said for name, (base, _) in one["last"].items()}
    last = {name: seq for one in said for name, (_, seq) in one["last"].items()}
    store = Store(sqlite_url(folder / "hall"))
    try:
        rested = _rest(store, {name: seq for name, seq in last.items() if seq > bases[name]})
        journals = {name: folder / "tables" / name / "journal.sqlite" for name in last}
        figures, delays = compare(store, journals, last, bases)
        ended = sum(one.ended is not None for one in store.played())
    finally:
        store.close()
    health = hall.health()
    return {
        "tables": wish.tables,
        "seconds": round(seconds, 1),
        "troubles": [*(f"kill {one}" for one in wish.kill), *(["cut"] if wish.cut else [])],
        **figures,
        "matches_ended": ended,
        "delay_p50_ms": round(_quantile(delays, 0.5), 1),
        "delay_p99_ms": round(_quantile(delays, 0.99), 1),
        "delay_max_ms": round(_quantile(delays, 1.0), 1),
        "rest_s": round(rested, 1),
        "seen_before": health["seen_before"],
        "hall_cpu_percent": round(100 * used["hall"].cpu / seconds, 1),
        "hall_memory_mb": round(used["hall"].memory, 1),
        "broker_cpu_percent": round(100 * used["broker"].cpu / seconds, 1),
        "broker_memory_mb": round(used["broker"].memory, 1),
        "crowd_cpu_percent": round(100 * used["crowd"].cpu / seconds, 1),
        "crowd_lag_ms": round(1000 * max(one["lag"] for one in said)),
    }


def _troubles(
    wish: Wish, broker: LocalBroker, hall: HallProcess, cable: Cable
) -> list[tuple[float, Callable[[], None]]]:
    """When what happens, in seconds after the beginning."""
    steps: list[tuple[float, Callable[[], None]]] = []
    if "broker" in wish.kill:
        at = wish.seconds / 4
        steps += [(at, broker.kill), (at + 2, broker.again)]
    if "hall" in wish.kill:
        at = wish.seconds / 2
        steps += [(at, hall.kill), (at + 2, hall.again)]
    if wish.cut:
        at = wish.seconds * 0.6
        steps += [(at, cable.pull), (at + min(60.0, max(10.0, wish.seconds / 10)), cable.plug)]
    return sorted(steps, key=lambda step: step[0])


def _rest(store: Store, last: dict[str, int]) -> float:
    """Seconds until the hall has everything and has written the record of every match that ended."""
    began = time.monotonic()
    while (passed := time.monotonic() - began) < REST_S:
        have = {name: upto for (name, _), (_, upto) in store.streams().items()}
        if all(have.get(name, 0) >= seq for name, seq in last.items()) and not owed(store):
            break
        time.sleep(0.5)
    return passed


def _quantile(rising: Sequence[float], share: float) -> float:
    return rising[min(len(rising) - 1, int(share * len(rising)))] if rising else float("nan")


def _parts(names: list[str], number: int) -> list[list[tuple[int, str]]]:
    numbered = list(enumerate(names))
    return [part for i in range(number) if (part := numbered[i::number])]


def _crowd(
    broker: LocalBroker, data: Path, part: list[tuple[int, str]], ports: dict[str, int], seconds: float
) -> subprocess.Popen[str]:
    job = {
        "host": "127.0.0.1",
        "port": broker.port,
        "ports": ports,
        "tables": part,
        "data": str(data),
        "accounts": str(broker.folder / "tables"),
        "every": EVERY_S,
        "seconds": seconds,
    }
    program = "from host.hall.crowd import main; main()"
    command = [sys.executable, "-c", program, json.dumps(job)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def _tell(one: subprocess.Popen[str]) -> None:
    _pipe(one.stdin).write("go\n")
    _pipe(one.stdin).flush()


def _heard(one: subprocess.Popen[str]) -> Any:
    line = _pipe(one.stdout).readline()
    if not line:
        raise CrowntableError("A process of the crowd has ended early.", "What it said stands above.")
    return json.loads(line)


def _end(one: subprocess.Popen[str]) -> None:
    try:
        one.communicate("done\ndone\n", timeout=60)
    except (subprocess.TimeoutExpired, OSError):
        one.kill()
        one.wait()
