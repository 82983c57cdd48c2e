"""host.face.Workshop: what the set-up and health pages ask of a running table's devices and files."""

from __future__ import annotations

import threading
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.errors import CrowntableError
from engine.games import games
from host import cardlist
from host.doctor import Check, bundle_bytes, check_device, examine_machine
from host.enrolment import deck_of
from host.entry import Json
from host.face import Outcome
from host.layout import Layout, load_layout, shipped_layouts
from host.logs import read_log
from host.settings import own_layouts
from vision.source import found_cameras

if TYPE_CHECKING:
    from host.devices import Devices
    from host.table import LiveTable

#: seconds for which the machine's checks hold: a page that asks often does not walk /proc each time
CHECKS_HOLD = 5.0


class Workshop:
    """Over one running table; every method may be called from any thread."""

    def __init__(self, table: LiveTable, devices: Devices) -> None:
        self._table = table
        self._devices = devices
        self._data = table.core.bench.data
        self._machine: tuple[float, tuple[Check, ...]] = (float("-inf"), ())
        self._lock = threading.Lock()

    # -- set-up ------------------------------------------------------------------------------------

    def facts(self) -> Json:
        """See host.face.Workshop."""
        core = self._table.core
        layout = core.layout
        given = core.bench.given or layout
        plugged = {**{r.id: r.port for r in given.readers}, **{c.id: c.source for c in given.cameras}}
        return {
            "layouts": self._layouts(),
            "layout": asdict(layout),
            "ports": {name: core.bench.settings.ports.get(name, port) for name, port in plugged.items()},
            "plain_ports": plugged,
            "serial": _serial_ports(),
            "cameras": [*found_cameras(), *_pi_cameras()],
            "writers": sorted(self._devices.nfc),
            "deck": deck_of(games()[layout.game]),
        }

    def _layouts(self) -> list[Json]:
        core = self._table.core
        rows = []
        files = {**shipped_layouts(), **own_layouts(self._data)}
        for name, path in files.items():
            try:
                layout = load_layout(path)
            except CrowntableError as error:
                rows.append({"name": name, "wrong": f"{error.what} {error.cure}"})
                continue
            rows.append(_row(layout, name not in shipped_layouts()))
        given = core.bench.given or core.layout
        if given.name not in files:
            rows.append(_row(given, True))
        return rows

    def look(self, camera: str) -> Json | None:
        """See host.face.Workshop."""
        device = self._devices.cameras.get(camera)
        seen = device.look() if device is not None else None
        if seen is None:
            return None
        return {
            "picture": f"data:image/jpeg;base64,{seen.jpeg}",
            "size": list(seen.size),
            "moving": seen.moving,
            "ms": seen.ms,
            "dice": [
                {"face": d.face, "colour": d.colour, "box": d.box, "confidence": d.confidence, "why": d.why}
                for d in seen.dice
            ],
        }

    def calibrate(self, camera: str) -> Outcome:
        """See host.face.Workshop."""
        device = self._devices.cameras.get(camera)
        if device is None:
            return Outcome(False, "There is no such camera at this table.")
        try:
            return Outcome(True, device.calibrate())
        except CrowntableError as error:
            return Outcome(False, f"{error.what} {error.cure}")

    def cards_csv(self) -> str:
        """See host.face.Workshop."""
        return cardlist.dump(self._table.core.book.cards)

    # -- health ------------------------------------------------------------------------------------

    def checks(self) -> list[Json]:
        """See host.face.Workshop."""
        return [asdict(check) for check in self._checks()]

    def _checks(self) -> list[Check]:
        with self._lock:
            since, machine = self._machine
            if time.monotonic() - since > CHECKS_HOLD:
                machine = tuple(examine_machine(self._data))
                self._machine = (time.monotonic(), machine)
        core = self._table.core
        spots = [check_device(d.id, _health(core.devices.get(d.id))) for d in self._devices.all]
        # Only a Pi says how it is; other machines' silence is not a fault.
        return [*machine, *(check for check in spots if check.name != "pi" or "pi" in core.devices)]

    def log(self, find: str = "", level: str = "", before: int | None = None) -> Json:
        """See host.face.Workshop."""
        return read_log(self._data, self._names(), find, level, before)

    def bundle(self) -> bytes:
        """See host.face.Workshop."""
        core = self._table.core
        return bundle_bytes(self._checks(), core.layout, self._data, self._names())

    def _names(self) -> set[str]:
        """Every name by which a person is called in this table's logs."""
        core = self._table.core
        names = {seat.name for seat in core.layout.seats if seat.name}
        begun: Any = core.match.begun.body["seats"] if core.match is not None else ()
        return names | {seat["name"] for seat in begun if seat.get("name")}


def _health(state: Any) -> Any:
    return None if state is None else state.health


def _row(layout: Layout, own: bool) -> Json:
    return {
        "name": layout.name,
        "game": layout.game,
        "seats": len(layout.seats),
        "zones": len(layout.zones),
        "readers": len(layout.readers),
        "cameras": len(layout.cameras),
        "own": own,
    }


def _serial_ports() -> list[Json]:
    """The serial ports of this machine: where, and what the system calls what hangs there."""
    from serial.tools import list_ports

    return [
        {"port": found.device, "what": found.description if found.description != "n/a" else ""}
        for found in sorted(list_ports.comports(), key=lambda found: str(found.device))
    ]


def _pi_cameras() -> list[str]:
    """The Pi's own cameras, where Picamera2 is installed and sees one."""
    from vision.source import pi_cameras

    return [f"picamera2:{number}" for number in range(pi_cameras())]
