"""Named troubles of the virtual table: what goes wrong on real tables, on command.

Each scenario carries the numbers of the failures it stands for, what happens, and what a person at the
table should see instead of a disaster. `crowntable chaos list` prints them; `--chaos NAME` starts with
one; `/virtual` switches them; the tests run them all.
"""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import UsageError
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


def _nothing(_: Levers) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Scenario:
    """`on` begins it, `off` ends it; `again` is called every `every` seconds while it lasts."""

    failures: str
    happens: str
    instead: str
    on: Pull = _nothing
    off: Pull = _nothing
    again: Pull | None = None
    every: float = 2.0

    @property
    def needs_tray(self) -> bool:
        """Whether it is about dice: a table without a camera can't have it."""
        return any(number in self.failures for number in ("F30", "F31", "F33", "F34"))


def _flicker(on: bool) -> Pull:
    def pull(levers: Levers) -> None:
        levers.each_antenna("weak", 50 if on else 0)
        levers.each_pn532("flicker", on)

    return pull


def _mute(on: bool) -> Pull:
    def pull(levers: Levers) -> None:
        for pico in levers.picos.values():
            pico.fault(1, "mute", int(on))
        levers.each_pn532("mute", on)

    return pull


def _chips(name: str, on: bool) -> Pull:
    return lambda levers: levers.each_pn532(name, on)


def _antennas(kind: str, value: int) -> Pull:
    return lambda levers: levers.each_antenna(kind, value)


def _picos(act: Callable[[VirtualPico], Any]) -> Pull:
    def pull(levers: Levers) -> None:
        for pico in levers.picos.values():
            act(pico)

    return pull


def _power_loss(levers: Levers) -> None:
    levers.each_pn532("power-loss", True)


def _ghost(on: bool) -> Pull:
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


def _twin(on: bool) -> Pull:
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


def _phone(on: bool) -> Pull:
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


def _torn_tag(on: bool) -> Pull:
    """A tag that lost its power while it was written: half a message, its length not set yet (F17)."""

    def pull(levers: Levers) -> None:
        tag = make_card_tag("cremisi/captain/1", "04C0FFEE000001")
        tag.memory[22] = 0  # behind the lock control's five bytes: the message's type, then its length
        _lay_strange(levers, "torn", tag if on else None)

    return pull


LISTED = "04398BC2FC6781"


def _listed(on: bool) -> Pull:
    """One card in the card list by its tag's number."""

    def pull(levers: Levers) -> None:
        if levers.journal is not None:
            path = levers.journal.path.with_name("cards.csv")
            cards = cardlist.load(path).without(TWIN)
            cardlist.save(path, cards.bind(TWIN, LISTED) if on else cards)
        if not on:
            _lay_strange(levers, "reversed", None)

    return pull


def _reversed_number(levers: Levers) -> None:
    """A tag whose number is that of a card in the list with its bytes the wrong way round (F13)."""
    if "reversed" not in levers.strange:
        backwards = bytes.fromhex(LISTED)[::-1].hex().upper()
        _lay_strange(levers, "reversed", blank(uid=backwards))


def _rival(on: bool) -> Pull:
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


def _no_rights(on: bool) -> Pull:
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


def _nudge(levers: Levers) -> None:
    if levers.tray is not None:
        levers.tray.nudge()


def _supply(word: str) -> Pull:
    def pull(levers: Levers) -> None:
        if levers.throttled is not None:
            levers.throttled.write_text(word, encoding="ascii")

    return pull


def _no_pins(on: bool) -> Pull:
    """gpiozero finds no pins, as on a machine that is no Pi (F53). Counts for what opens them next."""

    def pull(_: Levers) -> None:
        import gpiozero

        os.environ["GPIOZERO_PIN_FACTORY"] = "no-pins" if on else "mock"
        gpiozero.Device.pin_factory = None

    return pull


def _stack(on: bool) -> Pull:
    """Cards lie on each other: nothing there can be read (F10)."""

    def pull(levers: Levers) -> None:
        levers.each_pn532("overlap", on)
        for pico in levers.picos.values():
            pico.fault(0, "noise", 100 if on else 0)

    return pull


def _tray(method: str, on: bool) -> Pull:
    def pull(levers: Levers) -> None:
        if levers.tray is not None:
            getattr(levers.tray, method)(on)

    return pull


def _cables(plug: bool, links: bool = False, chips: bool = False, camera: bool = False) -> Pull:
    def pull(levers: Levers) -> None:
        devices: list[Any] = [*levers.picos.values()] if links else []
        devices += levers.pn532s.values() if chips else []
        devices += [levers.tray] if camera and levers.tray is not None else []
        for device in devices:
            (device.plug if plug else device.unplug)()

    return pull


def _disk(state: str) -> Pull:
    def pull(levers: Levers) -> None:
        if levers.journal is not None:
            levers.journal.pretend_disk(state)

    return pull


def _clock(days: float) -> Pull:
    def pull(levers: Levers) -> None:
        levers.skew.seconds = days * 86400

    return pull


def _power_cut(levers: Levers) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


SCENARIOS: dict[str, Scenario] = {
    "reader-restart": Scenario(
        "F01 F04", "the PN532 loses its power for a moment, in the middle of a command",
        "it is opened again by itself; no card arrives or leaves because of it",
        again=_power_loss, every=4.0,
    ),
    "flicker": Scenario(
        "F02 F06 F08", "half of all reads miss a card that lies still",
        "one arrival, no removal, for as long as it lies there", _flicker(True), _flicker(False),
    ),
    "mute-reader": Scenario(
        "F03", "a reader falls silent without an error",
        "the screen names it within 5 s, the other zones go on", _mute(True), _mute(False),
    ),
    "late-reader": Scenario(
        "F05", "the readers are not there when the table starts, and come 5 s later",
        "they are found by themselves",
        _cables(False, chips=True), _cables(True, chips=True),
    ),
    "marginal": Scenario(
        "F07", "cards lie at the edge of the antennas' reach: one read in three succeeds",
        "cards stay; the zone is marked weak with its rate and what to do",
        _antennas("weak", 65), _antennas("weak", 0),
    ),
    "ghost-neighbour": Scenario(
        "F09", "the second spot now and then reads the card of the first",
        "the card stays where it is; both zones are named", _ghost(True), _ghost(False),
        again=_ghost(True), every=0.5,
    ),
    "stack": Scenario(
        "F10", "cards lie on each other and none is read",
        "the screen says where and to spread them; play goes on by hand; once spread they are read",
        _stack(True), _stack(False),
    ),
    "twin": Scenario(
        "F11", "two tags carry the same number", "said as a doubt; it is one card at one spot",
        _twin(True), _twin(False),
    ),
    "phone": Scenario(
        "F12", "a phone lies on a field spot and changes its number all the time",
        "named as a phone; nothing of it is kept", _phone(True), _phone(False), again=_phone(True),
    ),
    "reversed-number": Scenario(
        "F13", "a tag's number is read with its bytes reversed",
        "the card that it nearly is is named, and not taken",
        _listed(True), _listed(False), again=_reversed_number, every=1.5,
    ),
    "stale-content": Scenario(
        "F14", "the reader answers a read with the content of the tag before",
        "content counts only with the number it was read with", _chips("stale", True), _chips("stale", False),
    ),
    "rival-program": Scenario(
        "F15 F22", "another program has taken the scan reader's port",
        "the screen says so and what to do; the reader comes back once it is free",
        _rival(True), _rival(False),
    ),
    "no-rights": Scenario(
        "F16", "the table's user may not open the scan reader's port",
        "the screen says so and which group is missing; the reader comes back once it may",
        _no_rights(True), _no_rights(False),
    ),
    "torn-tag": Scenario(
        "F17", "a tag that lost its power while it was written lies on the scan spot",
        "named as half-written; it is never taken for a card", _torn_tag(True), _torn_tag(False),
    ),
    "unplug-link": Scenario(
        "F20 F21", "the Pico's cable is pulled; put back, it has another port number",
        "lost within 1 s on the screen, found again by itself, nothing invented",
        _cables(False, links=True), _cables(True, links=True),
    ),
    "unplug-scan": Scenario(
        "F20", "the scan reader's cable is pulled", "lost within 1 s, found again by itself",
        _cables(False, chips=True), _cables(True, chips=True),
    ),
    "babble": Scenario(
        "F23", "noise, half lines and a banner on the serial line",
        "counted and dropped; the match goes on",
        again=_picos(lambda pico: pico.garbage(b"\xff\x00tag ant=0 uid=04\r\nMicroPython v1.29\r\n>>> ")),
        every=0.3,
    ),
    "brown-out": Scenario(
        "F24", "the Pico resets whenever its LEDs draw much",
        "after two resets the LEDs are dimmed, and it is said",
        _picos(lambda pico: pico.supply(20)), _picos(lambda pico: pico.supply(0)),
    ),
    "under-voltage": Scenario(
        "F25", "the Pi gets too little power", "shown while it lasts; afterwards once, quietly",
        _supply("50005"), _supply("50000"),
    ),
    "no-pins": Scenario(
        "F53", "the table starts on a machine without pins for an LED crown",
        "the crown is on the screen only, and everything else works", _no_pins(True), _no_pins(False),
    ),
    "glare": Scenario(
        "F30", "a lamp mirrors in every die", "no number is claimed: a one-tap question instead",
        _tray("glare", True), _tray("glare", False),
    ),
    "nudged-dice": Scenario(
        "F34", "the dice are tipped over after they were thrown",
        "the roll stands; that a die has changed is said", _nudge,
    ),
    "hand-over-tray": Scenario(
        "F30 F34", "a hand is over the tray", "nothing is read until it is gone",
        _tray("hand", True), _tray("hand", False),
    ),
    "frozen-camera": Scenario(
        "F31", "the camera repeats its last picture for ever",
        "camera lost within 3 s, dice by hand meanwhile",
        _tray("freeze", True), _tray("freeze", False),
    ),
    "unplug-camera": Scenario(
        "F31 F33", "the camera's cable is pulled", "camera lost within 1 s; found again by itself",
        _cables(False, camera=True), _cables(True, camera=True),
    ),
    "power-cut": Scenario(
        "F50", "the power fails after a few seconds", "the match goes on where it was at the next start",
        again=_power_cut, every=5.0,
    ),
    "clock-step": Scenario(
        "F51", "the clock is two weeks off and then steps back",
        "order and durations are right all the same", _clock(-14), _clock(0),
    ),
    "disk-full": Scenario(
        "F52", "the disk is full", "play goes on under a red banner; recorded later, nothing claimed before",
        _disk("full"), _disk("well"),
    ),
    "disk-read-only": Scenario(
        "F52", "the disk has become read-only", "play goes on under a red banner; recorded later",
        _disk("read-only"), _disk("well"),
    ),
}  # fmt: skip


class Chaos:
    """The scenarios that are on. `stop` ends all of them."""

    def __init__(self, levers: Levers) -> None:
        self.levers = levers
        self._on: dict[str, threading.Event] = {}
        self._lock = threading.Lock()

    def active(self) -> list[str]:
        """Names of the scenarios that are on."""
        with self._lock:
            return sorted(self._on)

    def switch(self, name: str, on: bool) -> None:
        """Begins or ends a scenario. Raises UsageError for an unknown name."""
        scenario = SCENARIOS.get(name)
        if scenario is None:
            raise UsageError(
                f"The chaos scenario {name[:40]!r} is not known.", f"There are: {', '.join(SCENARIOS)}."
            )
        with self._lock:
            if on == (name in self._on):
                return
            if on:
                self._on[name] = threading.Event()
                ended = self._on[name]
            else:
                self._on.pop(name).set()
        if not on:
            scenario.off(self.levers)
            return
        scenario.on(self.levers)
        if scenario.again is not None:
            threading.Thread(target=self._repeat, args=(scenario, ended), daemon=True, name=name).start()

    def stop(self) -> None:
        """Ends every scenario."""
        for name in self.active():
            self.switch(name, False)

    def _repeat(self, scenario: Scenario, ended: threading.Event) -> None:
        while not ended.wait(scenario.every):
            assert scenario.again is not None
            scenario.again(self.levers)
