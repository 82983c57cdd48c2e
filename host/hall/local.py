"""A Mosquitto of one's own, for rehearsals and tests: started, killed, started again."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Final

from engine.errors import CrowntableError
from host.hall.account import Account, Broker, read_account
from host.hall.broker import HALL, Tls, make_config

#: seconds that a broker may take to listen
PATIENCE: Final = 20.0


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def mosquitto() -> str:
    """Where the broker's program is. Raises CrowntableError where there is none."""
    # Debian puts it where only root looks.
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise CrowntableError("There is no Mosquitto on this machine.", "apt-get install mosquitto")
    return found


class LocalBroker:
    """A running Mosquitto that listens on this machine only. Raises CrowntableError."""

    def __init__(self, folder: Path, tables: int, tls: Tls | None = None) -> None:
        self.folder = folder
        self.port = free_port()
        self.names = make_config(folder, tables, self.port, "127.0.0.1", tls)
        if os.geteuid() == 0:
            # It would drop to a user that may not look into the rehearsal's folder.
            with (folder / "mosquitto.conf").open("a", encoding="utf-8") as file:
                file.write("user root\n")
        self.broker = Broker("127.0.0.1", self.port, tls is not None)
        self._log = (folder / "mosquitto.log").open("ab")
        self.process = self._start()

    def account(self, name: str) -> Account:
        """A table's account, or the hall's."""
        return read_account(self.path(name))

    def path(self, name: str) -> Path:
        """The file of a table's account, or of the hall's."""
        return self.folder / ("hall.toml" if name == HALL else f"tables/{name}.toml")

    def _start(self) -> subprocess.Popen[bytes]:
        command = [mosquitto(), "-c", str(self.folder / "mosquitto.conf")]
        process = subprocess.Popen(command, stdout=self._log, stderr=self._log)
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
            except OSError:
                time.sleep(0.02)
            else:
                return process
        process.kill()
        process.wait()
        raise CrowntableError(
            "Mosquitto does not start.", f"Its last words are in {self.folder / 'mosquitto.log'}."
        )

    def kill(self) -> None:
        """Ends it at once, as a power cut would (SIGKILL)."""
        self.process.kill()
        self.process.wait()

    def again(self) -> None:
        """Starts it anew after `kill`."""
        self.process = self._start()

    def stop(self) -> None:
        """Ends it in peace."""
        self.process.terminate()
        try:
            self.process.wait(5.0)
        except subprocess.TimeoutExpired:
            self.kill()
        self._log.close()


class Cable:
    """A network cable between this machine and a port of it, that can be pulled: what is sent is then
    lost without a word, as on a real one."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.port = int(self._listening.getsockname()[1])
        self._pulled = threading.Event()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, name="cable", daemon=True).start()

    def pull(self) -> None:
        """From now on nothing gets through, and nobody is told."""
        self._pulled.set()

    def plug(self) -> None:
        """New connections get through again; those from before are dead."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for one in pair:
                _close(one)
        self._pulled.clear()

    def close(self) -> None:
        """Ends it."""
        _close(self._listening)
        self.plug()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._to), 5.0)
                far.settimeout(None)
            except OSError:
                _close(near)
                continue
            with self._lock:
                self._pairs.append((near, far))
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(one, other), name="cable", daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65536):
                if not self._pulled.is_set():
                    other.sendall(data)
        except OSError:
            pass
        if not self._pulled.is_set():
            _close(one)
            _close(other)


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it was closed from the other side
        one.shutdown(socket.SHUT_RDWR)
    one.close()
