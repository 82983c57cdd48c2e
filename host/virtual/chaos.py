"""Named troubles of the virtual table: what goes wrong on real tables, on command.

Each scenario carries the numbers of the failures it stands for, what happens, and what a person at the
table should see instead of a disaster. `crowntable chaos list` prints them; `--chaos NAME` starts with
one; `/virtual` switches them; the tests run them all.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from engine.errors import UsageError
from host.virtual import pulls
from host.virtual.pulls import Levers


@dataclass(frozen=True, slots=True)
class Scenario:
    """`on` begins it, `off` ends it; `again` is called every `every` seconds while it lasts."""

    failures: str
    happens: str
    instead: str
    on: pulls.Pull = pulls.nothing
    off: pulls.Pull = pulls.nothing
    again: pulls.Pull | None = None
    every: float = 2.0

    @property
    def needs_tray(self) -> bool:
        """Whether it is about dice: a table without a camera can't have it."""
        return any(number in self.failures for number in ("F30", "F31", "F33", "F34"))


SCENARIOS: dict[str, Scenario] = {
    "reader-restart": Scenario(
        "F01 F04", "the PN532 loses its power for a moment, in the middle of a command",
        "it is opened again by itself; no card arrives or leaves because of it",
        again=pulls.power_loss, every=4.0,
    ),
    "flicker": Scenario(
        "F02 F06 F08", "half of all reads miss a card that lies still",
        "one arrival, no removal, for as long as it lies there", pulls.flicker(True), pulls.flicker(False),
    ),
    "mute-reader": Scenario(
        "F03", "a reader falls silent without an error",
        "the screen names it within 5 s, the other zones go on", pulls.mute(True), pulls.mute(False),
    ),
    "late-reader": Scenario(
        "F05", "the readers are not there when the table starts, and come 5 s later",
        "they are found by themselves",
        pulls.cables(False, chips=True), pulls.cables(True, chips=True),
    ),
    "marginal": Scenario(
        "F07", "cards lie at the edge of the antennas' reach: one read in three succeeds",
        "cards stay; the zone is marked weak with its rate and what to do",
        pulls.antennas("weak", 65), pulls.antennas("weak", 0),
    ),
    "ghost-neighbour": Scenario(
        "F09", "the second spot now and then reads the card of the first",
        "the card stays where it is; both zones are named", pulls.ghost(True), pulls.ghost(False),
        again=pulls.ghost(True), every=0.5,
    ),
    "stack": Scenario(
        "F10", "cards lie on each other and none is read",
        "the screen says where and to spread them; play goes on by hand; once spread they are read",
        pulls.stack(True), pulls.stack(False),
    ),
    "twin": Scenario(
        "F11", "two tags carry the same number", "said as a doubt; it is one card at one spot",
        pulls.twin(True), pulls.twin(False),
    ),
    "phone": Scenario(
        "F12", "a phone lies on a field spot and changes its number all the time",
        "named as a phone; nothing of it is kept",
        pulls.phone(True), pulls.phone(False), again=pulls.phone(True),
    ),
    "reversed-number": Scenario(
        "F13", "a tag's number is read with its bytes reversed",
        "the card that it nearly is is named, and not taken",
        pulls.listed(True), pulls.listed(False), again=pulls.reversed_number, every=1.5,
    ),
    "stale-content": Scenario(
        "F14", "the reader answers a read with the content of the tag before",
        "content counts only with the number it was read with",
        pulls.chips("stale", True), pulls.chips("stale", False),
    ),
    "rival-program": Scenario(
        "F15 F22", "another program has taken the scan reader's port",
        "the screen says so and what to do; the reader comes back once it is free",
        pulls.rival(True), pulls.rival(False),
    ),
    "no-rights": Scenario(
        "F16", "the table's user may not open the scan reader's port",
        "the screen says so and which group is missing; the reader comes back once it may",
        pulls.no_rights(True), pulls.no_rights(False),
    ),
    "torn-tag": Scenario(
        "F17", "a tag that lost its power while it was written lies on the scan spot",
        "named as half-written; it is never taken for a card", pulls.torn_tag(True), pulls.torn_tag(False),
    ),
    "unplug-link": Scenario(
        "F20 F21", "the Pico's cable is pulled; put back, it has another port number",
        "lost within 1 s on the screen, found again by itself, nothing invented",
        pulls.cables(False, links=True), pulls.cables(True, links=True),
    ),
    "unplug-scan": Scenario(
        "F20", "the scan reader's cable is pulled", "lost within 1 s, found again by itself",
        pulls.cables(False, chips=True), pulls.cables(True, chips=True),
    ),
    "babble": Scenario(
        "F23", "noise, half lines and a banner on the serial line",
        "counted and dropped; the match goes on",
        again=pulls.picos(
            lambda pico: pico.garbage(b"\xff\x00tag ant=0 uid=04\r\nMicroPython v1.29\r\n>>> ")
        ),
        every=0.3,
    ),
    "brown-out": Scenario(
        "F24", "the Pico resets whenever its LEDs draw much",
        "after two resets the LEDs are dimmed, and it is said",
        pulls.picos(lambda pico: pico.supply(20)), pulls.picos(lambda pico: pico.supply(0)),
    ),
    "under-voltage": Scenario(
        "F25", "the Pi gets too little power", "shown while it lasts; afterwards once, quietly",
        pulls.supply("50005"), pulls.supply("50000"),
    ),
    "no-pins": Scenario(
        "F53", "the table starts on a machine without pins for an LED crown",
        "the crown is on the screen only, and everything else works",
        pulls.no_pins(True), pulls.no_pins(False),
    ),
    "glare": Scenario(
        "F30", "a lamp mirrors in every die", "no number is claimed: a one-tap question instead",
        pulls.tray("glare", True), pulls.tray("glare", False),
    ),
    "nudged-dice": Scenario(
        "F34", "the dice are tipped over after they were thrown",
        "the roll stands; that a die has changed is said", pulls.nudge,
    ),
    "hand-over-tray": Scenario(
        "F30 F34", "a hand is over the tray", "nothing is read until it is gone",
        pulls.tray("hand", True), pulls.tray("hand", False),
    ),
    "frozen-camera": Scenario(
        "F31", "the camera repeats its last picture for ever",
        "camera lost within 3 s, dice by hand meanwhile",
        pulls.tray("freeze", True), pulls.tray("freeze", False),
    ),
    "unplug-camera": Scenario(
        "F31 F33", "the camera's cable is pulled", "camera lost within 1 s; found again by itself",
        pulls.cables(False, camera=True), pulls.cables(True, camera=True),
    ),
    "power-cut": Scenario(
        "F50", "the power fails after a few seconds", "the match goes on where it was at the next start",
        again=pulls.power_cut, every=5.0,
    ),
    "clock-step": Scenario(
        "F51", "the clock is two weeks off and then steps back",
        "order and durations are right all the same", pulls.clock(-14), pulls.clock(0),
    ),
    "disk-full": Scenario(
        "F52", "the disk is full", "play goes on under a red banner; recorded later, nothing claimed before",
        pulls.disk("full"), pulls.disk("well"),
    ),
    "disk-read-only": Scenario(
        "F52", "the disk has become read-only", "play goes on under a red banner; recorded later",
        pulls.disk("read-only"), pulls.disk("well"),
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
