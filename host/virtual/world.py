"""The people's things at a virtual table: cards in hands, piles and on spots, dice, the crown.

It moves tags and dice of the stand-ins; what the table makes of that comes back only by the long way
through readers and camera. Hands are the lab's (engine.lab.hands), kept in step with the public state.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

from engine.errors import CrowntableError
from engine.games import games
from engine.lab.hands import Hands
from host.enrolment import deck_of
from host.entry import Json
from host.face import Outcome
from host.interpret import CROWN
from host.layout import Layout, Zone
from host.table import LiveTable
from host.virtual.chaos import SCENARIOS, Chaos
from host.virtual.stand_ins import StandIns

PILE = "pile"
HAND = "hand"


@cache
def _all_cards() -> frozenset[str]:
    """Every card of every game, and the crown."""
    return frozenset((CROWN, *(card for game in games().values() for card in deck_of(game))))


class World:
    """host.face.VirtualWorld over the stand-ins. All methods may be called from any thread."""

    def __init__(
        self, table: LiveTable, layout: Layout, stand_ins: StandIns, chaos: Chaos, rng: random.Random
    ) -> None:
        self.table = table
        self.chaos = chaos
        self.layout = layout
        self.stand_ins = stand_ins
        self.bots = False
        self._rng = rng
        self._lock = threading.RLock()
        self._zones = {zone.id: zone for zone in layout.zones}
        self._lying: dict[str, str] = {}
        self._faces: dict[int, int] = {}
        self._hands: Hands | None = None
        self._of_match: Any = None
        self._crown_home()

    # -- the face ----------------------------------------------------------------------------------

    def state(self) -> Json:
        """See host.face.VirtualWorld."""
        with self._lock:
            self.sync()
            seats = [seat.id for seat in self.layout.seats]
            _, _, public = self.table.public_state()
            counts = {s["seat"]: s.get("deck") for s in public.get("seats", ())}
            return {
                "bots": self.bots,
                "zones": [
                    {
                        "id": zone.id,
                        "kind": zone.kind,
                        "seat": zone.seat,
                        "place": zone.place,
                        "cards": [card for card, where in self._lying.items() if where == zone.id],
                    }
                    for zone in self.layout.zones
                ],
                "hands": {str(seat): list(self.hand(seat)) for seat in seats},
                "drawn": {str(seat): self.drawn(seat) for seat in seats},
                "decks": {str(seat): counts.get(seat) for seat in seats},
                "dice": {
                    str(seat.id): {
                        "colour": seat.die,
                        "face": self._faces.get(seat.id),
                        "rolling": self.stand_ins.rolling(seat.die),
                    }
                    for seat in self.layout.seats
                    if seat.die
                },
                "crown": self._lying.get(CROWN),
                "devices": self.stand_ins.state(),
                "chaos": self.chaos.active(),
                "troubles": [
                    {"name": name, "happens": s.happens, "instead": s.instead}
                    for name, s in SCENARIOS.items()
                    if self.chaos.levers.tray is not None or not s.needs_tray
                ],
            }

    def do(self, command: Json) -> Outcome:
        """See host.face.VirtualWorld."""
        if "move" in command:
            return self.move(str(command["move"]), str(command.get("to", HAND)))
        if "crown" in command:
            return self.move(CROWN, str(command["crown"]))
        if "throw" in command:
            return self._throw_by_hand(command)
        if "unplug" in command or "plug" in command:
            plug = "plug" in command
            device = str(command["plug" if plug else "unplug"])
            return self.stand_ins.plug(device) if plug else self.stand_ins.unplug(device)
        if "chaos" in command:
            name, on = str(command["chaos"]), bool(command.get("on", True))
            try:
                self.chaos.switch(name, on)
            except CrowntableError as error:
                return Outcome(False, f"{error.what} {error.cure}")
            return Outcome(True, f"{name}: {'on' if on else 'off'}.")
        return Outcome(False, "There is move, crown, throw, unplug, plug and chaos.")

    # -- cards -------------------------------------------------------------------------------------

    def hand(self, seat: int) -> tuple[str, ...]:
        """What this seat's player holds and has not laid anywhere."""
        with self._lock:
            if self._hands is None:
                return ()
            return tuple(c for c in self._hands.hand(seat).cards if c not in self._lying)

    def drawn(self, seat: int) -> str | None:
        """The card this seat has just drawn and neither laid nor kept (Anthem)."""
        with self._lock:
            drawn = self._hands.hand(seat).drawn if self._hands else None
            return None if drawn in self._lying else drawn

    def held(self, seat: int) -> Any:
        """The lab's Hand of this seat."""
        with self._lock:
            return self._hands.hand(seat) if self._hands else None

    def where(self, card: str) -> str | None:
        """The zone where a card lies, None while it is in a hand or a pile."""
        return self._lying.get(card)

    def move(self, card: str, to: str) -> Outcome:
        """Takes a card to a zone, or off the table (`hand`, `pile`)."""
        with self._lock:
            zone = self._zones.get(to)
            if zone is None and to not in (HAND, PILE):
                return Outcome(False, f"There is no zone {to[:40]!r}; there are: {', '.join(self._zones)}.")
            if card not in _all_cards():
                return Outcome(False, f"{card[:40]!r} is no card.")
            old = self._lying.pop(card, None)
            if old is not None:
                self.stand_ins.lift(self._zones[old], card)
            if zone is not None:
                self._lying[card] = zone.id
                self.stand_ins.place(zone, card)
                return Outcome(True, f"Laid on {zone.id}.")
            return Outcome(True, "Taken off the table.")

    def scan_spot(self) -> Zone | None:
        """Where hands are shown."""
        return next((zone for zone in self.layout.zones if zone.kind == "scan"), None)

    def press(self, does: str, seat: int) -> bool:
        """Presses this seat's button of that kind. False where the table has none."""
        button = next((b for b in self.layout.buttons if (b.does, b.seat) == (does, seat)), None)
        return button is not None and self.stand_ins.press(button)

    def reshuffle(self, seat: int) -> None:
        """A redraw: the hand goes back into the deck and is drawn anew."""
        with self._lock:
            self.sync()
            if self._hands is not None:
                self._hands.reshuffle(seat)

    def sync(self) -> None:
        """Brings hands and piles in step with the public state; tidies away what a duel left behind."""
        with self._lock:
            game, state, public = self.table.public_state()
            if game is None:
                return
            match = self.table.core.match
            if self._of_match is not match:
                self._of_match = match
                self._crown_home(public.get("crown"))
                self._hands = Hands(game, self._rng)
                self._tidy(set())
            assert self._hands is not None
            self._hands.sync(state)
            if public["game"] == "althera":
                playing = {card for duel in public["duels"] for card in duel["plays"]}
                held = {c for seat in self.layout.seats for c in self._hands.hand(seat.id).cards}
                self._tidy(playing | held)

    def _tidy(self, keep: set[str]) -> None:
        """Cards on spots that belong neither to a running duel nor to a hand go to their piles."""
        for card, where in list(self._lying.items()):
            if self._zones[where].kind in ("field", "place") and card not in keep:
                self.move(card, PILE)

    def _crown_home(self, holder: int | None = None) -> None:
        """The crown lies before whoever holds it, where a match goes on; else at the first rest."""
        rests = [zone for zone in self.layout.zones if zone.kind == "crown"]
        rest = next((zone for zone in rests if zone.seat == holder), rests[0] if rests else None)
        if rest is not None:
            self.move(CROWN, rest.id)

    def crown_rest(self, seat: int) -> Zone | None:
        """The crown rest before a seat."""
        return next((z for z in self.layout.zones if z.kind == "crown" and z.seat == seat), None)

    # -- dice --------------------------------------------------------------------------------------

    def throw(self, faces: Mapping[int, int]) -> None:
        """Throws the dice of these seats; the camera sees them roll and come to rest so."""
        with self._lock:
            self._faces.update(faces)
            dice = {s.die: faces[s.id] for s in self.layout.seats if s.die and s.id in faces}
        self.stand_ins.throw(dice)

    def face(self, seat: int) -> int:
        """What a person sitting there sees on the die of this seat."""
        return self._faces.get(seat, 1)

    def _throw_by_hand(self, command: Json) -> Outcome:
        seat = next((s for s in self.layout.seats if s.id == command["throw"]), None)
        if seat is None or seat.die is None:
            return Outcome(False, "That seat has no die at this table.")
        face = command.get("face")
        if face is None:
            face = self._rng.randint(1, 6)
        if not isinstance(face, int) or isinstance(face, bool) or not 1 <= face <= 6:
            return Outcome(False, "A die shows 1 to 6.")
        self.throw({seat.id: face})
        return Outcome(True, f"The {seat.die} die rolls.")
