"""Puts the firmware on a Pico, through mpremote. Only what differs is copied, and never the board's own
files: its settings (config.txt) and its memory of power resets stay.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import subprocess
import sys
import termios
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import serial

from engine.errors import CrowntableError
from host.link.files import firmware_folder
from host.link.ports import Finder, in_words
from host.link.protocol import Line, LineReader, format_line

HELLO_S = 2.0
START_S = 8.0
_LAST = "main.py"
"""Copied last: a copy that is cut off leaves a board that does not start by half."""

_SUMS = """\
import hashlib, binascii
part = bytearray(256)
for name in {names!r}:
    try:
        with open(name, 'rb') as f:
            total = hashlib.sha256()
            size = f.readinto(part)
            while size:
                total.update(part[:size])
                size = f.readinto(part)
        print(name, binascii.hexlify(total.digest()).decode())
    except OSError:
        print(name, '-')
"""


@dataclass(frozen=True, slots=True)
class FileState:
    """One file of the firmware and how the board's copy compares."""

    name: str
    state: Literal["same", "differs", "missing"]


def files() -> list[Path]:
    """The firmware's files in the order in which they are copied."""
    found = sorted(firmware_folder().glob("*.py"))
    return sorted(found, key=lambda path: path.name == _LAST)


def find_port(port: str) -> str:
    """The path of the Pico at `port` ("auto": the only one there is). Raises CrowntableError."""
    found = Finder().candidates(port)
    if not found:
        raise CrowntableError(
            "No Pico is plugged in." if port == "auto" else f"{port} is not there.",
            "Plug it in by USB; a new one needs MicroPython first: `crowntable flash --help`.",
        )
    if len(found) > 1:
        raise CrowntableError(f"There are {len(found)} Picos.", f"Choose one: --port {' or '.join(found)}.")
    return found[0]


def hello(path: str, seconds: float = HELLO_S) -> Line | None:
    """What the firmware on the board says of itself; None where none runs. Raises CrowntableError."""
    with _opened(path) as port:
        return _hello(port, seconds)


def to_prompt(path: str) -> Line | None:
    """Brings the board to MicroPython's prompt. Returns the last hello of the firmware that ran there.

    Our firmware restarts for that: its port goes away and comes back. Raises CrowntableError."""
    with _opened(path) as port:
        said = _hello(port, HELLO_S)
        if said is not None:
            port.write(format_line("ask", {"what": "repl"}))
            port.flush()
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        with contextlib.suppress(CrowntableError, OSError, termios.error), _opened(path) as port:
            port.write(b"\r\x03\r")
            if b">>>" in port.read(4096) + port.read(4096):
                return said
        time.sleep(0.2)
    raise CrowntableError(
        f"The board at {path} shows no prompt of MicroPython.",
        "A new one needs MicroPython first (`crowntable flash --help`); else pull its cable and put it back.",
    )


def compare(path: str) -> list[FileState]:
    """Every file of the firmware against the board's. The board is at its prompt."""
    names = [file.name for file in files()]
    told = _mpremote(path, "exec", _SUMS.format(names=names))
    sums = dict(line.split() for line in told.splitlines() if len(line.split()) == 2)
    states = []
    for file in files():
        there = sums.get(file.name, "-")
        here = hashlib.sha256(file.read_bytes()).hexdigest()
        states.append(
            FileState(file.name, "same" if there == here else "missing" if there == "-" else "differs")
        )
    return states


def copy(path: str, names: Iterable[str]) -> None:
    """Copies these files and nothing else. Raises CrowntableError where that failed half-way."""
    wanted = set(names)
    words: list[str] = []
    for file in files():
        if file.name in wanted:
            words += ["+"] * bool(words) + ["cp", str(file), f":{file.name}"]
    _mpremote(path, *words)


def restart(path: str) -> Line | None:
    """Restarts the board; its first hello, or None where none came."""
    _mpremote(path, "reset")
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        # The port goes away and comes back: until then opening it fails.
        with contextlib.suppress(CrowntableError, OSError, termios.error):
            said = hello(path, 1.0)
            if said is not None:
                return said
        time.sleep(0.2)
    return None


def _opened(path: str) -> serial.Serial:
    try:
        return serial.Serial(path, 115200, timeout=0.1, write_timeout=1, exclusive=True)
    except OSError as error:
        raise CrowntableError(
            f"{in_words(error, path)[:1].upper()}{in_words(error, path)[1:]}.",
            "Stop the table first if it runs on this machine (systemctl stop crowntable).",
        ) from None


def _hello(port: serial.Serial, seconds: float) -> Line | None:
    reader = LineReader()
    deadline = time.monotonic() + seconds
    ask_at = 0.0
    while (now := time.monotonic()) < deadline:
        if now >= ask_at:
            ask_at = now + 0.4
            port.write(b"\n" + format_line("ask", {"what": "hello", "k": "F1A5"}))
        for line in reader.feed(port.read(4096)):
            if line.verb == "hello" and line.words.get("k") == "F1A5":
                return line
    return None


def _mpremote(path: str, *words: str) -> str:
    if importlib.util.find_spec("mpremote") is None:
        raise CrowntableError("mpremote is not installed.", "pip install mpremote, then try again.")
    done = subprocess.run(
        [sys.executable, "-m", "mpremote", "connect", path, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        told = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise CrowntableError(
            f"The board did not do what it was told ({told[-1][:120] if told else 'no word'}).",
            "Pull its cable, put it back and try again; its settings are untouched.",
        )
    return done.stdout
