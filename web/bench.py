"""How long a change takes to the last of many screens: `measure`, the figures of `crowntable bench stream`.

Method: a real table in mid-duel (engine, journal with full sync) and the real server in this process; in
another process N plain sockets that follow the spectators' stream over loopback, and with them a twentieth
as many that connect and never read. Every 100 ms a note is written to the journal, which changes the view.
Counted is the time from the table's publication to the moment when the last of the N has the whole event
(milliseconds, nearest rank). `cpu_percent` is this process's processor time of one core, table, journal and
the making of the views included. `burst`: 52 changes as fast as they can be entered; how many views each
client was sent for them, and how long after the last change the last client had it. `stop_s`: closing with
all streams open. `load` is the machine's at the end. Nothing here is tuned for the measurement.
"""

from __future__ import annotations

import json
import math
import os
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

from engine.game import Audience
from host.face import Table, Who
from web.server import serve

EVERY_S: Final = 0.1
BURST: Final = 52
#: bytes that a client takes at once: an event fits, and the allocator needs no fresh pages for each
READ: Final = 16384
OPERATOR: Final = Who("operator")
#: a duel as it stands in the middle of an evening (the rulebook's example), on `bare_table`'s first card
DUEL: Final = (
    {"do": "play", "seat": 2, "card": "aurea/marksman/1"},
    {"do": "play", "seat": 1, "card": "cremisi/commoners/1"},
    {"do": "play", "seat": 2, "card": "aurea/captain/1"},
)


def measure(table: Table, clients: int = 200, seconds: float = 10.0) -> dict[str, Any]:
    """Figures in ms, per cent of a core, kB and MB. `table` runs a match and is changed by notes."""
    published: dict[int, float] = {}

    def note(version: int) -> None:
        published.setdefault(version, time.monotonic())

    unlisten = table.listen(note)
    with tempfile.TemporaryDirectory() as folder:
        server = serve(table, "127.0.0.1", 0, Path(folder))
        program = "from web.bench import follow; follow()"
        command = [sys.executable, "-c", program, str(server.port), str(clients), str(clients // 20)]
        crowd = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert crowd.stdout is not None
        try:
            crowd.stdout.readline()  # every client has its first view
            before, start = _cpu(), time.monotonic()
            while (now := time.monotonic()) < start + seconds:
                _change(table)
                time.sleep(max(0.0, EVERY_S - (time.monotonic() - now)))
            cpu = 100.0 * (_cpu() - before) / (time.monotonic() - start)
            last_calm = table.version()
            for _ in range(BURST):
                _change(table)
            time.sleep(1.0)
            last_seen = json.loads(crowd.communicate("done\n", timeout=60)[0].splitlines()[-1])
        finally:
            crowd.kill()
            stopping = time.monotonic()
            server.stop()
            stopped = time.monotonic() - stopping
            unlisten()
    # version -> when the last of all clients had it
    all_had = {int(v): at for v, (count, at) in last_seen.items() if count == clients and int(v) in published}
    delays = sorted(1000.0 * (at - published[v]) for v, at in all_had.items() if v <= last_calm)
    burst = [v for v in all_had if v > last_calm]
    return {
        "clients": clients,
        "events": len(delays),
        "view_kb": round(len(json.dumps(table.view(Audience("spectator")))) / 1000, 1),
        "p50_ms": round(_quantile(delays, 0.50), 1),
        "p99_ms": round(_quantile(delays, 0.99), 1),
        "cpu_percent": round(cpu, 1),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "burst": {
            "changes": BURST,
            "views": len(burst),
            "last_ms": round(1000.0 * (all_had[max(burst)] - published[max(burst)]), 1) if burst else None,
        },
        "stop_s": round(stopped, 2),
        "load": round(os.getloadavg()[0], 1),
    }


def _change(table: Table) -> None:
    table.command({"cmd": "flag", "text": f"bench {time.monotonic():.3f}"}, OPERATOR)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _quantile(rising: list[float], share: float) -> float:
    """The nearest rank: the smallest value that `share` of all do not exceed."""
    return rising[max(0, math.ceil(share * len(rising)) - 1)] if rising else float("nan")


def follow() -> None:
    """The crowd's process: `argv` is port, number, and how many more never read; says `ready`, then on a
    line of input the figures: version -> [how many clients had it, when the last one had]."""
    port, number, deaf = (int(word) for word in sys.argv[1:4])
    waiting = selectors.DefaultSelector()
    waiting.register(sys.stdin, selectors.EVENT_READ, None)
    silent = [_connect(port, receive_buffer=4096) for _ in range(deaf)]
    for _ in range(number):
        one = _connect(port)
        one.setblocking(False)
        waiting.register(one, selectors.EVENT_READ, bytearray())
    counts: Counter[int] = Counter()
    last: dict[int, float] = {}
    ready = 0
    while True:
        for key, _ in waiting.select():
            if key.data is None:
                _say(json.dumps({v: [counts[v], last[v]] for v in counts}))
                for one in silent:
                    one.close()
                return
            assert isinstance(key.fileobj, socket.socket)
            for version in _versions(key.data, key.fileobj.recv(262144)):
                counts[version] += 1
                last[version] = time.monotonic()
        if ready < number and sum(counts.values()) >= number:
            ready = number
            _say("ready")


def _connect(port: int, receive_buffer: int = 0) -> socket.socket:
    one = socket.socket()
    if receive_buffer:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    one.settimeout(30)
    one.connect(("127.0.0.1", port))
    one.sendall(f"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    return one


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _versions(kept: bytearray, got: bytes) -> list[int]:
    """The versions of the views that are whole with these bytes; the rest stays in `kept`."""
    kept += got
    found = []
    while (end := kept.find(b"\n\n")) >= 0:
        at = kept.find(b"id: ", 0, min(end, 64))
        if at >= 0:
            found.append(int(kept[at + 4 : kept.index(b"\n", at)]))
        del kept[: end + 2]
    return found
