"""A simulation that goes on in the background while the table plays: one at a time, in a process of its own.

It runs at the lowest claim to the processor, so that the table never waits for it.
"""

from __future__ import annotations

import atexit
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from engine.errors import CrowntableError
from web.lab.files import folder_of

Json = dict[str, Any]
#: How little it claims (nice); and the seconds in which it ends by itself once it is told to.
NICE, PATIENCE = 15, 20.0


class Runs:
    """What runs in the background of one data folder. Safe from any thread."""

    def __init__(self, data: Path) -> None:
        self._folder = folder_of(data)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._state: Json = {}
        atexit.register(self.stop)

    def state(self) -> Json:
        """`{"name", "running", "stopping", "done", "whole", "seconds", "text", "cure"}`; empty before the
        first run. `text` is what went wrong, in one sentence, and `cure` what to do."""
        with self._lock:
            return dict(self._state)

    def start(self, name: str, command: Sequence[str]) -> None:
        """Starts `crowntable lab …`, whose report comes to be `NAME.json`. Raises CrowntableError where one
        is running already, or it can't be started."""
        with self._lock:
            if self._state.get("running"):
                raise CrowntableError("A simulation is running already.", "Wait for its end, or stop it.")
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._process = subprocess.Popen(
                    [
                        "nice",
                        "-n",
                        str(NICE),
                        sys.executable,
                        "-P",
                        "-c",
                        _MAIN,
                        "lab",
                        *command,
                        "--progress",
                    ],
                    cwd=self._folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                    start_new_session=True,  # Ctrl-C at the table's terminal is the table's
                )
            except OSError as error:
                raise CrowntableError(
                    f"The simulation can't be started: {error.strerror or error}.",
                    "Is there room on the disk, and is the data folder writable?",
                ) from error
            self._state = {
                "name": name,
                "running": True,
                "stopping": False,
                "done": 0,
                "whole": 0,
                "seconds": 0,
            }
            watcher = threading.Thread(target=self._watch, args=(self._process,), name="lab-run", daemon=True)
            watcher.start()

    def stop(self) -> None:
        """Tells it to end; it keeps what is done and writes its report. Nothing where none runs."""
        with self._lock:
            process = self._process
            if process is None or not self._state.get("running") or process.poll() is not None:
                return
            self._state["stopping"] = True
        process.send_signal(signal.SIGINT)

    def wait(self, seconds: float = PATIENCE) -> bool:
        """Whether it has ended within these seconds."""
        ends = time.monotonic() + seconds
        while self.state().get("running"):
            if time.monotonic() > ends:
                return False
            time.sleep(0.05)
        return True

    def _watch(self, process: subprocess.Popen[str]) -> None:
        """Follows its progress, which comes as JSON lines between words for people."""
        said: list[str] = []
        assert process.stderr is not None
        for line in process.stderr:
            told = _progress(line)
            if told is None:
                said.append(line.strip())
            else:
                with self._lock:
                    self._state.update(told)
        code = process.wait()
        words = [line for line in said if line][-2:]
        with self._lock:
            self._state["running"] = False
            if code not in (0, 130):
                self._state["text"] = words[0] if words else f"The simulation ended with {code}."
                self._state["cure"] = words[1] if len(words) > 1 else ""


#: The console script's own entry: the same program, wherever it is installed. A table that was started in
#: the background may have been told to ignore Ctrl-C, and its children with it: this one listens.
_MAIN = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from web.main import main; sys.exit(main(sys.argv[1:]))"
)


def _progress(line: str) -> Json | None:
    """`{"done", "whole", "seconds"}` of a progress line, None for any other."""
    if not line.startswith("{"):
        return None
    try:
        told = json.loads(line)
        return {key: told[key] for key in ("done", "whole", "seconds")}
    except (ValueError, KeyError, TypeError):
        return None


@cache
def runs_of(data: Path) -> Runs:
    """What runs for this data folder, the same over a table's new start in this program."""
    return Runs(data)
