"""A table that starts anew because the set-up page has chosen so: the same process, address and sessions;
and what was chosen holds after kill -9."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

#: seconds that a start may take on a busy machine
PATIENCE = 120.0


class Table:
    """`crowntable run --virtual` in a process of its own, and its operator's browser."""

    def __init__(self, process: subprocess.Popen[str], browser: OpenerDirector) -> None:
        self.process = process
        self.browser = browser
        assert process.stdout is not None
        self.said = []
        for line in process.stdout:
            self.said.append(line)
            if "data " in line:
                break
        found = re.search(r"operator\s+(http://[^/\s]+)(/\S+)", "".join(self.said))
        assert found, self.said
        self.url = found[1]
        self.page = self.get(found[2])

    def get(self, path: str) -> str:
        with self.browser.open(self.url + path, timeout=PATIENCE) as answer:
            text: str = answer.read().decode()
            return text

    def command(self, **command: Any) -> dict[str, Any]:
        token = re.search(r'"csrf":"([^"]+)"', self.page)
        assert token
        body = json.dumps({"as": "operator", "command": command}).encode()
        headers = {"Content-Type": "application/json", "X-CSRF-Token": token[1]}
        request = Request(f"{self.url}/api/v1/command", body, headers)
        with self.browser.open(request, timeout=PATIENCE) as answer:
            read: dict[str, Any] = json.load(answer)
            return read

    def layout(self) -> str:
        view = json.loads(self.get("/api/v1/view?audience=operator"))
        return str(view["setup"]["layout"])

    def within(self, what: Callable[[], bool]) -> None:
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            try:
                if what():
                    return
            except OSError:
                pass  # it is just starting anew
            time.sleep(0.1)
        raise AssertionError("it did not come to that in time")


@contextmanager
def running(data: Path) -> Iterator[Table]:
    program = str(Path(sys.executable).with_name("crowntable"))
    command = [program, "run", "--virtual", "--bots", "none", "--port", "0"]
    process = subprocess.Popen([*command, "--data", str(data)], stdout=subprocess.PIPE, text=True)
    try:
        yield Table(process, build_opener(HTTPCookieProcessor(CookieJar())))
    finally:
        process.kill()
        process.communicate()


def test_another_layout_is_used_at_once_and_after_kill_9(tmp_path: Path) -> None:
    with running(tmp_path) as table:
        assert table.layout() == "althera-3"
        outcome = table.command(cmd="layout-use", layout="anthem-2")
        assert outcome["ok"] and outcome["text"] == "The table starts anew as anthem-2."
        # The same session, at the same address, by the same page's token.
        table.within(lambda: table.layout() == "anthem-2")
        assert table.process.poll() is None
        assert table.command(cmd="setup-step", step="zones", state="skipped")["ok"]
        table.process.send_signal(signal.SIGKILL)
    with running(tmp_path) as again:
        assert again.layout() == "anthem-2"
        view = json.loads(again.get("/api/v1/view?audience=operator"))
        assert {"step": "zones", "state": "skipped"} in view["setup"]["steps"]
        again.process.send_signal(signal.SIGTERM)
        assert again.process.wait(PATIENCE) == 0


def test_settings_that_can_not_be_used_are_said_on_every_screen_and_the_table_runs(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("layout = 'anthem-2'\nsteps = 7\n")
    with running(tmp_path) as table:
        view = json.loads(table.get("/api/v1/view"))
        (banner,) = view["banner"]
        assert "settings.toml has steps = 7, which is no table of texts." in banner["text"]
        assert table.layout() == "althera-3"
