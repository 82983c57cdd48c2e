"""Dice at the table: which rolls are awaited, and what each camera's frames settle about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from host.layout import Layout, part_of_tray
from host.settings import Box
from host.settled import DieChanged, DieRested, Settled
from host.sighting import DiceFrame, DieSeen
from vision.regions import region_of
from vision.settle import Changed, Doubt, Rested, Settler

#: a part of the picture: its corners in pixels, in order round it
Corners = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """The drawn parts of one tray, as corners in pixels: `whole` (None: the whole picture), and each seat's
    by the name under which its die is awaited."""

    whole: Corners | None
    seats: Mapping[str, Corners]

    @classmethod
    def of(cls, layout: Layout, boxes: Mapping[str, Box]) -> Parts:
        """The parts of one camera's tray from the boxes as they were drawn."""
        whole = _corners(boxes["tray"]) if "tray" in boxes else None
        named = {part_of_tray(seat.id): seat.die or part_of_tray(seat.id) for seat in layout.seats}
        return cls(whole, {named[name]: _corners(box) for name, box in boxes.items() if name in named})

    def sorted(self, dice: tuple[DieSeen, ...]) -> tuple[DieSeen, ...]:
        """The dice that lie in the tray, each with the colour under which its seat is awaited."""
        kept = []
        for die in dice:
            x, y, width, height = die.box
            middle = (x + width / 2, y + height / 2)
            if self.whole is not None and region_of(middle, {"tray": self.whole}) is None:
                continue
            owner = region_of(middle, self.seats)
            kept.append(die if owner is None else replace(die, colour=owner))
        return tuple(kept)


def _corners(box: Box) -> Corners:
    left, top, width, height = box
    right, bottom = left + width, top + height
    return ((left, top), (right, top), (right, bottom), (left, bottom))


class DiceDesk:
    """One settler for each camera. Only awaited rolls count, from frames after the request (F32).

    `trays`: camera -> the part "tray", outside which nothing counts, and seats' own parts, in which a die
    of any colour is that seat's."""

    def __init__(self, layout: Layout, trays: Mapping[str, Mapping[str, Box]] | None = None) -> None:
        self._layout = layout
        self._trays = {camera: Parts.of(layout, boxes) for camera, boxes in (trays or {}).items()}
        self._settlers = {camera.id: Settler(layout.thresholds.die_frames) for camera in layout.cameras}
        self._unasked: set[str] = set()

    def await_rolls(self, at: float, seats: Iterable[int], welcome: Iterable[int] = ()) -> None:
        """The seats whose roll the game awaits from monotonic second `at` on; () when none is. `welcome`
        are seats that may throw unasked (to retreat): of their dice only a sure number is told."""
        drawn = {name for parts in self._trays.values() for name in parts.seats}
        dice = {s.id: s.die or next(iter({part_of_tray(s.id)} & drawn), None) for s in self._layout.seats}
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
        parts = self._trays.get(frame.camera)
        if parts is not None:
            frame = replace(frame, dice=parts.sorted(frame.dice))
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
