"""From a layout to running devices: every reader and camera, each in threads or a process of its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any
from urllib.parse import quote

from engine.errors import CrowntableError
from host.camera import CameraDevice
from host.crown.gpio import GpioCrown
from host.crown_scene import CrownDriver, CrownScene
from host.device import Device
from host.layout import Layout, Reader, shipped_layouts
from host.link.device import LinkDevice
from host.ndef import encode_card
from host.nfc.reader import NfcReader
from host.products.build import find_build
from host.products.pins import firmware_config
from host.table import LiveTable
from host.workbench import DARK


class Devices:
    """All devices of one layout. None of them can keep the table from starting or stopping."""

    def __init__(self, layout: Layout, data: Path | None = None, configure: bool = False) -> None:
        """`data`: the folder that keeps the cameras' calibrations; None: none are kept. `configure`: Picos
        get the settings that their table's build says (stand-ins are wired as they are)."""
        self.all: list[Device] = []
        self.crowns: list[CrownDriver] = []
        self.nfc: dict[str, NfcReader] = {}
        self.cameras: dict[str, CameraDevice] = {}
        links = self.links = dict[str, LinkDevice]()
        for reader in layout.readers:
            if reader.driver == "link":
                config = board_config(layout, reader) if configure else None
                antennas = layout.antennas(reader.id)
                links[reader.id] = LinkDevice(reader.id, reader.port, antennas, config=config)
                self.all.append(links[reader.id])
            else:
                self.nfc[reader.id] = NfcReader(reader.id, reader.port)
                self.all.append(self.nfc[reader.id])
        for camera in layout.cameras:
            kept = None if data is None else calibration_file(data, camera.id)
            self.cameras[camera.id] = CameraDevice(camera.id, camera.source, kept)
            self.all.append(self.cameras[camera.id])
        if layout.crown.gpio is not None:
            led = GpioCrown("crown", layout.crown.gpio)
            self.all.append(led)
            self.crowns.append(led)
        if layout.crown.link in links:
            self.crowns.append(links[layout.crown.link])

    def start(self, table: LiveTable) -> None:
        """Starts them all; what they see goes to the table."""
        for device in self.all:
            device.start(table.emit)

    def stop(self) -> None:
        """Stops them side by side, so that one slow device does not add to the others."""
        threads = [threading.Thread(target=device.stop, daemon=True) for device in self.all]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(3.0)

    def write_card(self, reader: str, uid: str, card: str, lock: bool) -> Future[Any]:
        """Writes a card's record on the tag that lies on an NFC reader, where it carries nothing or that
        card already; the future raises CrowntableError where it could not be done."""
        return self.nfc[reader].write(uid, encode_card(card), lock=lock)


def board_config(layout: Layout, reader: Reader) -> dict[str, str] | None:
    """What the Pico of a shipped layout should be configured as, from its build (hardware/builds). None
    where there is no build, or the layout's antennas are not the build's: that board is left as it is."""
    if layout.name not in shipped_layouts():
        return None
    try:
        build = find_build(layout.name)
        link = build.link()
    except CrowntableError:
        return None
    if link is None or link.id != reader.id or build.layout.antennas(link.id) != layout.antennas(link.id):
        return None
    return firmware_config(build) or None


def calibration_file(data: Path, camera: str) -> Path:
    """Where the calibration of a camera is kept. The id comes from a layout: it must not lead elsewhere."""
    return data / "cameras" / f"{quote(camera, safe='')}.json"


class CrownShow:
    """Carries the view's crown scene to the crown's drivers, and the zones' lamps to their readers,
    whenever they change."""

    def __init__(
        self, table: LiveTable, drivers: list[CrownDriver], links: Mapping[str, LinkDevice] | None = None
    ) -> None:
        self._table = table
        self._drivers = drivers
        self._links = links or {}
        self._lit: dict[tuple[str, int], CrownScene] = {}
        self._shown: CrownScene | None = None
        self._changed = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="crown", daemon=True)
        self._unlisten = table.listen(lambda _: self._changed.set())
        self._changed.set()

    def start(self) -> None:
        """Begins to show."""
        self._thread.start()

    def stop(self) -> None:
        """Ends within a second; the drivers' own devices switch the lights off."""
        self._stopping = True
        self._unlisten()
        self._changed.set()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def _run(self) -> None:
        while True:
            self._changed.wait()
            self._changed.clear()
            if self._stopping:
                return
            scene = self._table.crown_scene()
            if scene != self._shown:
                self._shown = scene
                for driver in self._drivers:
                    driver.show(scene)
            self._light(self._table.lamps())

    def _light(self, lamps: dict[tuple[str, int], CrownScene]) -> None:
        for reader, antenna in self._lit.keys() | lamps.keys():
            if reader in self._links:
                self._links[reader].light(antenna, lamps.get((reader, antenna), DARK))
        self._lit = lamps
