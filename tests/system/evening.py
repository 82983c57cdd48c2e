"""A running table in this process, on real wires, and what a person sees of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.game import Audience
from host.face import Outcome, Who
from host.layout import Layout
from host.run import Options, Running

OPERATOR = Who("operator")


class Evening:
    """A running table and what a person sees of it."""

    def __init__(self, layout: Layout, data: Path, virtual: bool = True, chaos: tuple[str, ...] = ()) -> None:
        self.running = Running(Options(layout, data, virtual=virtual, bots=(), chaos=chaos))
        self.table = self.running.table
        self.running.start()

    def view(self) -> dict[str, Any]:
        return self.table.view(Audience("operator"))

    def within(self, seconds: float, what: Callable[[], Any]) -> float:
        """Seconds until `what` is true; fails after `seconds`."""
        began = time.monotonic()
        while not what():
            assert time.monotonic() - began < seconds, self.view()["devices"]
            time.sleep(0.01)
        return time.monotonic() - began

    def device(self, name: str) -> str:
        return next((d["state"] for d in self.view()["devices"] if d["id"] == name), "none")

    def do(self, **action: Any) -> None:
        outcome = self.table.act(action, OPERATOR)
        assert outcome.ok, outcome

    def lying(self, zone: str) -> list[str]:
        (found,) = [z for z in self.view()["zones"] if z["id"] == zone]
        return [c["card"] for c in found["cards"]]

    def world(self, **command: Any) -> Outcome:
        """A command to the virtual world."""
        assert self.table.virtual is not None
        return self.table.virtual.do(command)

    def lay(self, card: str, zone: str) -> None:
        """Puts a card on a spot."""
        assert self.world(move=card, to=zone).ok

    def chaos(self, name: str, on: bool = True) -> None:
        """Switches a scenario."""
        assert self.world(chaos=name, on=on).ok

    def duel(self) -> dict[str, Any]:
        """The first running duel."""
        found: dict[str, Any] = self.view()["game"]["duels"][0]
        return found

    def notices(self) -> str:
        """All that the table has remarked, in one text."""
        return " ".join(n["text"] for n in self.view()["notices"])

    def begin_duel(self) -> None:
        """A match whose crown and first duel are seat 1's, against seat 2, all by hand."""
        assert self.table.command({"cmd": "new-match"}, OPERATOR).ok
        for seat, face in ((1, 6), (2, 2), (3, 1)):
            self.do(do="roll", seat=seat, face=face)
        self.do(do="declare", seat=1, against=2)
