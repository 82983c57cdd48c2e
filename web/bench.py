"""How long a change takes to the last of many screens: `measure`, the figures of `crowntable bench stream`.

Method: a real table (engine, journal with full sync) and the real server in this process; in another
process N plain sockets that follow the spectators' stream over loopback. Every 100 ms a note is written
to the journal, which changes the view. Counted is the time from the table's publication to the moment
when the last of the N clients has the whole event. CPU is this process's, so it includes table and
journal. Nothing here is tuned for the measurement.
"""

from __future__ import annotations

import json
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

from host.face import Table, Who
from web.server import serve

EVERY_S: Final = 0.1
OPERATOR: Final = Who("operator")


def measure(table: Table, clients: int = 200, seconds: float = 10.0) -> dict[str, Any]:
    """Figures in ms, per cent of a core and MB. `table` runs a match and is changed by notes."""
    published: dict[int, float] = {}

    def note(version: int) -> None:
        published.setdefault(version, time.monotonic())

    unlisten = table.listen(note)
    with tempfile.TemporaryDirectory() as folder:
        server = serve(table, "127.0.0.1", 0, Path(folder))
        program = "from web.bench import follow; follow()"
        command = [sys.executable, "-c", program, str(server.port), str(clients)]
        crowd = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert crowd.stdout is not None
        try:
            crowd.stdout.readline()  # every client has its first view
            before, start = _cpu(), time.monotonic()
            while (now := time.monotonic()) < start + seconds:
                table.command({"cmd": "flag", "text": f"bench {now:.3f}"}, OPERATOR)
                time.sleep(max(0.0, EVERY_S - (time.monotonic() - now)))
            cpu = 100.0 * (_cpu() - before) / (time.monotonic() - start)
            time.sleep(1.0)
            last_seen = json.loads(crowd.communicate("done\n", timeout=60)[0].splitlines()[-1])
        finally:
            crowd.kill()
            stopping = time.monotonic()
            server.stop()
            stopped = time.monotonic() - stopping
            unlisten()
    delays = sorted(
        1000.0 * (at - published[int(version)])
        for version, (count, at) in last_seen.items()
        if count == clients and int(version) in published
    )
    return {
        "clients": clients,
        "events": len(delays),
        "p50_ms": round(_quantile(delays, 0.50), 1),
        "p99_ms": round(_quantile(delays, 0.99), 1),
        "cpu_percent": round(cpu, 1),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "stop_s": round(stopped, 2),
    }


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _quantile(rising: list[float], share: float) -> float:
    return rising[min(len(rising) - 1, int(share * len(rising)))] if rising else float("nan")


def follow() -> None:
    """The crowd's process: `argv` is port and number; says `ready`, then on a line of input the figures:
    version -> [how many clients had it, when the last one had]."""
    port, number = int(sys.argv[1]), int(sys.argv[2])
    waiting = selectors.DefaultSelector()
    waiting.register(sys.stdin, selectors.EVENT_READ, None)
    for _ in range(number):
        one = socket.create_connection(("127.0.0.1", port), timeout=30)
        one.sendall(f"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        one.setblocking(False)
        waiting.register(one, selectors.EVENT_READ, bytearray())
    counts: Counter[int] = Counter()
    last: dict[int, float] = {}
    ready = 0
    while True:
        for key, _ in waiting.select():
            if key.data is None:
                _say(json.dumps({v: [counts[v], last[v]] for v in counts}))
                return
            assert isinstance(key.fileobj, socket.socket)
            for version in _versions(key.data, key.fileobj.recv(262144)):
                counts[version] += 1
                last[version] = time.monotonic()
        if ready < number and sum(counts.values()) >= number:
            ready = number
            _say("ready")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _versions(kept: bytearray, got: bytes) -> list[int]:
    """The versions of the views that are whole with these bytes; the rest stays in `kept`."""
    kept += got
    found = []
    while (end := kept.find(b"\n\n")) >= 0:
        at = kept.find(b"id: ", 0, end)
        if at >= 0:
            found.append(int(kept[at + 4 : kept.index(b"\n", at)]))
        del kept[: end + 2]
    return found
