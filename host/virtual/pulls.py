"""What a named trouble pulls at the virtual table: the stand-ins, the journal's disk, the clock.

Most take `True` to begin and `False` to end, and give the function that does it to a table's levers.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from host import cardlist
from host.journal import Journal
from host.virtual.pico import VirtualPico
from host.virtual.pn532 import VirtualPn532
from host.virtual.skew import Skew
from host.virtual.tags import Type2Tag, blank, make_card_tag
from host.virtual.tray import VirtualTray


@dataclass(slots=True)
class Levers:
    """What a scenario may pull: the stand-ins, the journal's disk, the clock."""

    picos: dict[str, VirtualPico] = field(default_factory=dict)
    pn532s: dict[str, VirtualPn532] = field(default_factory=dict)
    tray: VirtualTray | None = None
    antennas: dict[str, int] = field(default_factory=dict)
    placed: dict[tuple[str, int], dict[str, Type2Tag]] = field(default_factory=dict)
    journal: Journal | None = None
    skew: Skew = field(default_factory=Skew)
    #: the stand-in Pi's word on its supply, as the kernel has it (host.pi)
    throttled: Path | None = None
    rivals: list[int] = field(default_factory=list)
    strange: dict[str, Type2Tag] = field(default_factory=dict)

    def each_antenna(self, kind: str, value: int) -> None:
        """One fault on every antenna of every Pico; 0 mends it."""
        for name, pico in self.picos.items():
            for antenna in range(self.antennas.get(name, 0)):
                pico.fault(antenna, kind, value)

    def each_pn532(self, name: str, on: bool) -> None:
        """One fault on every PN532, or its end."""
        for chip in self.pn532s.values():
            if on:
                chip.fault(name)
            else:
                chip.mend(name)


Pull = Callable[[Levers], None]


def nothing(_: Levers) -> None:
    """Pulls nothing."""


def flicker(on: bool) -> Pull:
    """Half of all reads miss what lies there (F02)."""

    def pull(levers: Levers) -> None:
        levers.each_antenna("weak", 50 if on else 0)
        levers.each_pn532("flicker", on)

    return pull


def mute(on: bool) -> Pull:
    """Readers fall silent without an error (F03)."""

    def pull(levers: Levers) -> None:
        for pico in levers.picos.values():
            pico.fault(1, "mute", int(on))
        levers.each_pn532("mute", on)

    return pull


def chips(name: str, on: bool) -> Pull:
    """A fault of the PN532 stand-ins, by its name there."""
    return lambda levers: levers.each_pn532(name, on)


def antennas(kind: str, value: int) -> Pull:
    """A fault on every antenna of the Picos, by its name and strength; 0 ends it."""
    return lambda levers: levers.each_antenna(kind, value)


def picos(act: Callable[[VirtualPico], Any]) -> Pull:
    """Does something to every Pico."""

    def pull(levers: Levers) -> None:
        for pico in levers.picos.values():
            act(pico)

    return pull


def power_loss(levers: Levers) -> None:
    """The PN532s lose their power for a moment (F01)."""
    levers.each_pn532("power-loss", True)


def ghost(on: bool) -> Pull:
    """What lies on antenna 0 is now and then heard at antenna 1 too (F09)."""

    def pull(levers: Levers) -> None:
        for name, pico in levers.picos.items():
            pico.fault(1, "weak", 60 if on else 0)
            own = levers.placed.get((name, 1), {})
            ghosts = {uid: tag for uid, tag in levers.placed.get((name, 0), {}).items() if uid not in own}
            for uid in pico.lying(1):
                if uid not in own and (not on or uid not in ghosts):
                    pico.lift(1, uid)
            for uid, tag in ghosts.items():
                if on and uid not in pico.lying(1):
                    pico.place(1, uid, bytes(tag.memory), tag.sak)

    return pull


TWIN = "aurea/captain/1"


def twin(on: bool) -> Pull:
    """Two cards whose tags carry the same number, on two spots (F11)."""

    def pull(levers: Levers) -> None:
        tag = make_card_tag(TWIN)
        for pico in levers.picos.values():
            for antenna in (0, 1):
                if on:
                    pico.place(antenna, tag.uid, bytes(tag.memory), tag.sak)
                else:
                    pico.lift(antenna, tag.uid)

    return pull


def phone(on: bool) -> Pull:
    """A phone on antenna 0: a new number at every tap (F12)."""

    def pull(levers: Levers) -> None:
        for pico in levers.picos.values():
            for uid in pico.lying(0):
                if uid.startswith("08") and len(uid) == 8:
                    pico.lift(0, uid)
            if on:
                pico.place(0, b"\x08" + os.urandom(3), b"", 0x20)

    return pull


def _lay_strange(levers: Levers, name: str, tag: Type2Tag | None) -> None:
    """Lays a tag that is no card of the players over every PN532, or (None) takes it away again."""
    old = levers.strange.pop(name, None)
    for chip in levers.pn532s.values():
        if old is not None:
            chip.lift(old)
        if tag is not None:
            levers.strange[name] = tag
            chip.place(tag)


def torn_tag(on: bool) -> Pull:
    """A tag that lost its power while it was written: half a message, its length not set yet (F17)."""

    def pull(levers: Levers) -> None:
        tag = make_card_tag("cremisi/captain/1", "04C0FFEE000001")
        tag.memory[22] = 0  # behind the lock control's five bytes: the message's type, then its length
        _lay_strange(levers, "torn", tag if on else None)

    return pull


LISTED = "04398BC2FC6781"


def listed(on: bool) -> Pull:
    """One card in the card list by its tag's number."""

    def pull(levers: Levers) -> None:
        if levers.journal is not None:
            path = levers.journal.path.with_name("cards.csv")
            cards = cardlist.load(path).without(TWIN)
            cardlist.save(path, cards.bind(TWIN, LISTED) if on else cards)
        if not on:
            _lay_strange(levers, "reversed", None)

    return pull


def reversed_number(levers: Levers) -> None:
    """A tag whose number is that of a card in the list with its bytes the wrong way round (F13)."""
    if "reversed" not in levers.strange:
        backwards = bytes.fromhex(LISTED)[::-1].hex().upper()
        _lay_strange(levers, "reversed", blank(uid=backwards))


def rival(on: bool) -> Pull:
    """Another program takes the scan reader's port for itself the moment it is plugged in (F15, F22)."""

    def pull(levers: Levers) -> None:
        while levers.rivals:
            os.close(levers.rivals.pop())
        for chip in levers.pn532s.values() if on else ():
            for _ in range(20):
                chip.unplug()
                chip.plug()
                port = os.open(chip.path, os.O_RDWR | os.O_NOCTTY)
                try:
                    fcntl.flock(port, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    os.close(port)  # the table was quicker
                    continue
                levers.rivals.append(port)
                break

    return pull


#: a file that nobody may write to, not even root
_BARRED = "/proc/sys/kernel/ostype"


def no_rights(on: bool) -> Pull:
    """The port is there, and the table's user may not open it (F16)."""

    def pull(levers: Levers) -> None:
        for chip in levers.pn532s.values():
            port = Path(chip.path)
            chip.unplug()
            port.unlink(missing_ok=True)
            if on:
                port.symlink_to(_BARRED)
            else:
                chip.plug()

    return pull


def nudge(levers: Levers) -> None:
    """Somebody knocks against the tray (F34)."""
    if levers.tray is not None:
        levers.tray.nudge()


def supply(word: str) -> Pull:
    """The stand-in Pi's word on its supply, in hexadecimal (host.pi)."""

    def pull(levers: Levers) -> None:
        if levers.throttled is not None:
            levers.throttled.write_text(word, encoding="ascii")

    return pull


def no_pins(on: bool) -> Pull:
    """gpiozero finds no pins, as on a machine that is no Pi (F53). Counts for what opens them next."""

    def pull(_: Levers) -> None:
        import gpiozero

        os.environ["GPIOZERO_PIN_FACTORY"] = "no-pins" if on else "mock"
        gpiozero.Device.pin_factory = None

    return pull


def stack(on: bool) -> Pull:
    """Cards lie on each other: nothing there can be read (F10)."""

    def pull(levers: Levers) -> None:
        levers.each_pn532("overlap", on)
        for pico in levers.picos.values():
            pico.fault(0, "noise", 100 if on else 0)

    return pull


def tray(method: str, on: bool) -> Pull:
    """Calls a method of the virtual tray with `on`."""

    def pull(levers: Levers) -> None:
        if levers.tray is not None:
            getattr(levers.tray, method)(on)

    return pull


def cables(plug: bool, links: bool = False, chips: bool = False, camera: bool = False) -> Pull:
    """Plugs in, or pulls out, the cables of those kinds of device."""

    def pull(levers: Levers) -> None:
        devices: list[Any] = [*levers.picos.values()] if links else []
        devices += levers.pn532s.values() if chips else []
        devices += [levers.tray] if camera and levers.tray is not None else []
        for device in devices:
            (device.plug if plug else device.unplug)()

    return pull


def disk(state: str) -> Pull:
    """The journal's disk is from now on `full`, `read-only` or `well` (F52)."""

    def pull(levers: Levers) -> None:
        if levers.journal is not None:
            levers.journal.pretend_disk(state)

    return pull


def clock(days: float) -> Pull:
    """The wall clock stands so many days off (F51)."""

    def pull(levers: Levers) -> None:
        levers.skew.seconds = days * 86400

    return pull


def power_cut(levers: Levers) -> None:
    """The process is gone at once, as by a pulled plug (F50)."""
    os.kill(os.getpid(), signal.SIGKILL)
