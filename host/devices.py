"""From a layout to running devices: every reader and camera, each in threads or a process of its own."""

from __future__ import annotations

import threading

from host.camera import CameraDevice
from host.crown.gpio import GpioCrown
from host.crown_scene import CrownDriver, CrownScene
from host.device import Device
from host.layout import Layout
from host.link.device import LinkDevice
from host.nfc.reader import NfcReader
from host.table import LiveTable


class Devices:
    """All devices of one layout. None of them can keep the table from starting or stopping."""

    def __init__(self, layout: Layout) -> None:
        self.all: list[Device] = []
        self.crowns: list[CrownDriver] = []
        links: dict[str, LinkDevice] = {}
        for reader in layout.readers:
            if reader.driver == "link":
                links[reader.id] = LinkDevice(reader.id, reader.port, layout.antennas(reader.id))
                self.all.append(links[reader.id])
            else:
                self.all.append(NfcReader(reader.id, reader.port))
        self.all += [CameraDevice(camera.id, camera.source) for camera in layout.cameras]
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


class CrownShow:
    """Carries the view's crown scene to the crown's drivers, whenever it changes."""

    def __init__(self, table: LiveTable, drivers: list[CrownDriver]) -> None:
        self._table = table
        self._drivers = drivers
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

