"""The virtual table's devices: one stand-in at the wire for each reader and camera of a layout.

The table opens them like real ones; `layout` is the given one with its ports and sources replaced.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from host.entry import Json
from host.face import Outcome
from host.layout import Button, Layout, Zone
from host.virtual.pico import VirtualPico
from host.virtual.pn532 import VirtualPn532
from host.virtual.pulls import Levers
from host.virtual.tags import Type2Tag, make_card_tag
from host.virtual.tray import VirtualTray

#: seconds that a thrown die of the stand-in camera rolls
ROLL_SECONDS = 1.0


class StandIns:
    """Every stand-in of one table. `folder` holds the links by which the drivers find them again."""

    def __init__(self, layout: Layout, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._picos: dict[str, VirtualPico] = {}
        self._pn532s: dict[str, VirtualPn532] = {}
        self._tray: VirtualTray | None = None
        self._cameras = [camera.id for camera in layout.cameras]
        self._tags: dict[str, Type2Tag] = {}
        self._rolling_until: dict[str, float] = {}
        self._unplugged: set[str] = set()
        self._antennas: dict[str, int] = {}
        self._placed: dict[tuple[str, int], dict[str, Type2Tag]] = {}
        readers = []
        for reader in layout.readers:
            link = folder / reader.id
            if reader.driver == "link":
                self._antennas[reader.id] = layout.antennas(reader.id)
                self._picos[reader.id] = VirtualPico(
                    reader.id,
                    layout.antennas(reader.id),
                    link,
                    buttons=[b.id for b in layout.buttons if b.reader == reader.id],
                )
            else:
                self._pn532s[reader.id] = VirtualPn532(link)
            readers.append(replace(reader, port=str(link)))
        cameras = list(layout.cameras)
        # A picture folder, file or stream is no device: it is read as it is, also at a virtual table.
        if cameras and (cameras[0].source.startswith("/dev/") or cameras[0].source.isdigit()):
            self._tray = VirtualTray()
            self._tray.start()
            cameras = [replace(camera, source=self._tray.url) for camera in cameras[:1]]
        self.layout = replace(layout, readers=tuple(readers), cameras=tuple(cameras))

    def start(self) -> None:
        """Starts every stand-in (the tray runs since it was made: its address had to be known)."""
        for pico in self._picos.values():
            pico.start()
        for pn532 in self._pn532s.values():
            pn532.start()

    def stop(self) -> None:
        """Stops every stand-in."""
        for device in self._devices().values():
            device.stop()

    def tag(self, card: str) -> Type2Tag:
        """The tag of a card: the same on every call."""
        return self._tags.setdefault(card, make_card_tag(card))

    def place(self, zone: Zone, card: str) -> None:
        """Lays a card's tag on a zone's antenna."""
        tag = self.tag(card)
        self._placed.setdefault((zone.reader, zone.antenna), {})[tag.uid] = tag
        if zone.reader in self._pn532s:
            self._pn532s[zone.reader].place(tag)
        elif zone.reader in self._picos:
            self._picos[zone.reader].place(zone.antenna, tag.uid, bytes(tag.memory), tag.sak)

    def lift(self, zone: Zone, card: str) -> None:
        """Takes a card's tag off a zone's antenna."""
        tag = self.tag(card)
        self._placed.get((zone.reader, zone.antenna), {}).pop(tag.uid, None)
        if zone.reader in self._pn532s:
            self._pn532s[zone.reader].lift(tag)
        elif zone.reader in self._picos:
            self._picos[zone.reader].lift(zone.antenna, tag.uid)

    def press(self, button: Button) -> bool:
        """Presses a button for a moment. False where its reader has no stand-in."""
        pico = self._picos.get(button.reader)
        if pico is not None:
            pico.press(button.id)
        return pico is not None

    def throw(self, dice: Mapping[str, int]) -> None:
        """Throws dice by colour -> face into the tray."""
        if self._tray is not None:
            until = time.monotonic() + ROLL_SECONDS
            self._rolling_until.update(dict.fromkeys(dice, until))
            self._tray.throw(dict(dice))

    def rolling(self, colour: str | None) -> bool:
        """Whether the die of this colour is still on its way."""
        return time.monotonic() < self._rolling_until.get(colour or "", 0.0)

    def state(self) -> list[Json]:
        """Every device and whether it is plugged in."""
        return [{"id": name, "plugged": name not in self._unplugged} for name in self._devices()]

    def unplug(self, device: str) -> Outcome:
        """Pulls a device's cable."""
        return self._cable(device, False)

    def plug(self, device: str) -> Outcome:
        """Puts a device's cable back."""
        return self._cable(device, True)

    def _devices(self) -> dict[str, VirtualPico | VirtualPn532 | VirtualTray]:
        devices: dict[str, VirtualPico | VirtualPn532 | VirtualTray] = {**self._picos, **self._pn532s}
        if self._tray is not None:
            devices |= dict.fromkeys(self._cameras[:1], self._tray)
        return devices

    def _cable(self, name: str, plug: bool) -> Outcome:
        device = self._devices().get(name)
        if device is None:
            known = ", ".join(self._devices())
            return Outcome(False, f"There is no device {name[:40]!r}; there are: {known}.")
        if plug and name in self._unplugged:
            self._unplugged.discard(name)
            device.plug()
        elif not plug and name not in self._unplugged:
            self._unplugged.add(name)
            device.unplug()
        return Outcome(True, f"{name} is {'plugged in' if plug else 'unplugged'}.")

    def levers(self) -> Levers:
        """What chaos scenarios may pull."""
        return Levers(self._picos, self._pn532s, self._tray, self._antennas, self._placed)
