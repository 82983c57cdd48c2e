"""Dice at the table: which rolls are awaited, and what each camera's frames settle about them."""

from __future__ import annotations

from collections.abc import Iterable

from host.layout import Layout
from host.settled import DieChanged, DieRested, Settled
from host.sighting import DiceFrame
from vision.settle import Changed, Doubt, Rested, Settler


class DiceDesk:
    """One settler for each camera. Only awaited rolls count, from frames after the request (F32)."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._settlers = {camera.id: Settler(layout.thresholds.die_frames) for camera in layout.cameras}
        self._unasked: set[str] = set()

    def await_rolls(self, at: float, seats: Iterable[int], welcome: Iterable[int] = ()) -> None:
        """The seats whose roll the game awaits from monotonic second `at` on; () when none is. `welcome`
        are seats that may throw unasked (to retreat): of their dice only a sure number is told."""
        dice = {seat.id: seat.die for seat in self._layout.seats}
        awaited = {colour for seat in seats if (colour := dice.get(seat))}
        colours = awaited | {colour for seat in welcome if (colour := dice.get(seat))}
        self._unasked = colours - awaited
        for settler in self._settlers.values():
            waiting = set(settler.awaiting or ())
            if not colours:
                settler.cancel()
            elif colours - waiting:
                settler.expect(at, tuple(sorted(colours)))
            elif colours != waiting:
                settler.narrow(colours)

    def feed(self, frame: DiceFrame) -> list[Settled]:
        """What this frame settles; often nothing."""
        settler = self._settlers.get(frame.camera)
        if settler is None:
            return []
        found: list[Settled] = []
        for event in settler.feed(frame):
            match event:
                case Rested(at, dice, evidence):
                    first = evidence.frames[0][1] if evidence.frames else at
                    found += [
                        DieRested(
                            at, frame.camera, die.colour, die.face, die.confidence, None,
                            len(evidence.frames), first,
                        )
                        for die in dice
                    ]  # fmt: skip
                case Doubt(colour=colour) if self._is_unasked(colour, settler):
                    continue
                case Doubt(at, colour, _, why):
                    found.append(DieRested(at, frame.camera, colour, None, 0.0, why, 0, at))
                case Changed(at, before, after, _):
                    die = after or before
                    found.append(
                        DieChanged(
                            at, frame.camera, die.colour if die else None,
                            before.face if before else None, after.face if after else None,
                        )
                    )  # fmt: skip
        return found

    def _is_unasked(self, colour: str | None, settler: Settler) -> bool:
        """Whether only a die that nobody awaits can be meant: of that a doubt is nothing."""
        return {*(settler.awaiting or ())} <= self._unasked if colour is None else colour in self._unasked
