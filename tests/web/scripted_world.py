"""A VirtualWorld of a few lines for the page's tests: what is laid is entered at once, nothing is read."""

from __future__ import annotations

from typing import Any

from engine.game import Audience
from host.face import Outcome, Who
from host.table import LiveTable

Json = dict[str, Any]
BOT = Who("bot")
DEVICES = ("pico", "scan", "dice")


class ScriptedWorld:
    """Hands of five fixed cards a seat; a card on a field spot is that seat's play."""

    def __init__(self, table: LiveTable) -> None:
        self.table = table
        self.done: list[Json] = []
        self.lying: dict[str, str] = {"crown": "seat1.crown"}
        self.unplugged: set[str] = set()
        self.troubles: set[str] = set()
        self.faces: dict[int, int] = {}

    def _hand(self, seat: int, house: str) -> list[str]:
        kinds = ("commoners", "marksman", "cavalry", "captain", "alteration")
        return [card for kind in kinds if (card := f"{house}/{kind}/1") not in self.lying]

    def state(self) -> Json:
        seats = self.table.view(Audience("spectator"))["seats"]
        zones = [
            {
                "id": zone.id,
                "kind": zone.kind,
                "seat": zone.seat,
                "place": zone.place,
                "cards": [card for card, where in self.lying.items() if where == zone.id],
            }
            for zone in self.table.core.layout.zones
        ]
        return {
            "bots": False,
            "zones": zones,
            "hands": {str(s["seat"]): self._hand(s["seat"], s["house"]) for s in seats},
            "drawn": {},
            "decks": {str(s["seat"]): 19 for s in seats},
            "dice": {
                str(s["seat"]): {"colour": "crimson", "face": self.faces.get(s["seat"]), "rolling": False}
                for s in seats
            },
            "crown": self.lying.get("crown"),
            "devices": [{"id": name, "plugged": name not in self.unplugged} for name in DEVICES],
            "chaos": sorted(self.troubles),
        }

    def do(self, command: Json) -> Outcome:
        self.done.append(command)
        if "move" in command:
            card, to = command["move"], command["to"]
            self.lying.pop(card, None)
            if to in ("hand", "pile"):
                return Outcome(True, "Taken off the table.")
            self.lying[card] = to
            zone = next(z for z in self.table.core.layout.zones if z.id == to)
            if zone.kind == "field":
                return self.table.act({"do": "play", "seat": zone.seat, "card": card}, BOT)
            return Outcome(True, f"Laid on {to}.")
        if "crown" in command:
            self.lying["crown"] = command["crown"]
        if "throw" in command:
            self.faces[command["throw"]] = command["face"] or 4
            return self.table.act(
                {"do": "roll", "seat": command["throw"], "face": self.faces[command["throw"]]}, BOT
            )
        for name, plugged in (("unplug", False), ("plug", True)):
            if name in command:
                (self.unplugged.discard if plugged else self.unplugged.add)(command[name])
        if "chaos" in command:
            (self.troubles.add if command["on"] else self.troubles.discard)(command["chaos"])
        return Outcome(True, "Done.")
