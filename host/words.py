"""How the table speaks of seats, cards, zones and what happened: short sentences in plain English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from host.layout import Zone

Json = Mapping[str, Any]


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them.

    >>> listed(["Ada"]), listed(["Ada", "Bruno"]), listed(["Ada", "Bruno", "Chiara"])
    ('Ada', 'Ada and Bruno', 'Ada, Bruno and Chiara')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


@dataclass(frozen=True, slots=True)
class Words:
    """The names in use at this table: seat number -> name."""

    names: Mapping[int, str] = field(default_factory=dict)
    values: Mapping[str, int] = field(default_factory=dict)

    def seat(self, seat: int) -> str:
        """A seat by its player's name, or its number."""
        return self.names.get(seat) or f"Seat {seat}"

    def named(self, text: str) -> str:
        """The rules' sentences with the players' names and the cards' in place of numbers and ids."""
        text = re.sub(r"\bs(\d)/(\w+)\b", lambda found: f"{self.card(found[0])} of set {found[1]}", text)
        text = re.sub(
            r"\bseats (\d+(?:, \d+)+)",
            lambda found: ", ".join(self.seat(int(n)) for n in found[1].split(", ")),
            text,
        )
        return re.sub(r"\b[Ss]eat (\d+)\b", lambda found: self.seat(int(found[1])), text)

    def zone(self, zone: Zone) -> str:
        """A spot on the table."""
        if zone.seat is None:
            return "the scan spot" if zone.kind == "scan" else f"zone {zone.id}"
        spot = {"field": "the field spot", "crown": "the crown rest", "place": f"place {zone.place}"}
        return f"{spot.get(zone.kind, zone.kind)} of {self.seat(zone.seat)}"

    def touch(self, zone: Zone | None) -> str:
        """What to do next while zones are set up by touch; None: all are."""
        return f"Lay any card on {self.zone(zone)}." if zone else "Every zone is set up: save it."

    def card(self, card: str) -> str:
        """A card, short: Cavalry, or 7 of Anthem's sets; the crown."""
        parts = card.split("/")
        if len(parts) == 3:
            return parts[1].capitalize()
        if len(parts) == 2:
            return "Dead" if parts[1] == "dead" else f"the {parts[1]}"
        return "The crown" if card == "crown" else card

    def valued(self, card: str) -> str:
        """A card with what is printed on it: Cavalry (15)."""
        kind = card.split("/")[1] if card.count("/") == 2 else ""
        return f"{self.card(card)} ({self.values[kind]})" if kind in self.values else self.card(card)

    def card_full(self, card: str) -> str:
        """A card with where it comes from, for the scan spot."""
        parts = card.split("/")
        if len(parts) == 3:
            return f"{self.valued(card)}, house {parts[0].capitalize()}, copy {parts[2]}."
        if len(parts) == 2:
            return f"{self.card(card)[:1].upper()}{self.card(card)[1:]}, set {parts[0][1:]}."
        return f"{self.card(card)}."

    def action(self, action: Json) -> str:
        """What somebody did, without its effect: Ada plays Cavalry (15)."""
        seat = self.seat(action["seat"]) if isinstance(action.get("seat"), int) else "The table"
        card = self.valued(str(action.get("card", "")))
        match action.get("do"):
            case "setup":
                return "A new match begins"
            case "roll":
                return f"{seat} rolls a {action['face']}"
            case "crown":
                return f"The crown goes to {seat}"
            case "declare":
                return f"{seat} challenges {self.seat(action['against'])}"
            case "redraw":
                return f"{seat} redraws, one card fewer"
            case "play":
                return f"{seat} plays {card}{_sign(action)}"
            case "retreat":
                return f"{seat} tries to retreat"
            case "stand":
                return f"{seat} stands"
            case "intervene":
                return f"{seat} intervenes for {self.seat(action['for'])} with {card}{_sign(action)}"
            case "lay":
                return f"{seat} lays {card} on place {action['place']}"
            case "keep":
                return f"{seat} keeps the card"
            case "claim":
                return f"{seat} claims the {action['win']}'s win"
        return f"{seat}: {action.get('do')}"

    def happened(self, action: Json, before: Json, after: Json) -> str:
        """A whole sentence: the action and what it changed on the table."""
        text = self.action(action)
        effect = self._effect(action, before, after)
        return f"{text}: {effect}." if effect else f"{text}."

    def changes(self, now: Json, then: Json) -> list[str]:
        """What would be otherwise if `then` took the place of `now`, in short sentences."""
        rows = []
        for seat in now.get("seats", ()):
            other = next((s for s in then.get("seats", ()) if s["seat"] == seat["seat"]), None)
            for key in ("cards", "hand"):
                if other and key in seat and other.get(key) != seat[key]:
                    rows.append(f"{self.seat(seat['seat'])}: {key} {seat[key]} becomes {other[key]}.")
            was = _duel(now, seat["seat"])
            would = _duel(then, seat["seat"])
            if (was and was["attacker"] == seat["seat"]) or (would and would["attacker"] == seat["seat"]):
                fields = [d["field"]["value"] if d and d["field"] else None for d in (was, would)]
                if fields[0] != fields[1] or (was is None) != (would is None):
                    name = self.seat(seat["seat"])
                    rows.append(f"The duel of {name}: {_stood(was)} becomes {_stood(would)}.")
        for key in ("turn", "phase"):
            if now.get(key) != then.get(key):
                rows.append(f"The {key}: {now.get(key)} becomes {then.get(key)}.")
        return rows

    def _effect(self, action: Json, before: Json, after: Json) -> str:
        parts = []
        ended = after.get("last_duel")
        if ended and ended != before.get("last_duel"):
            parts.append(self._duel_end(ended))
        elif action.get("do") in ("play", "intervene", "roll"):
            parts.append(self._field(int(action.get("for", action["seat"])), before, after))
        if after.get("turn") != before.get("turn") and before.get("turn") and after.get("game") == "althera":
            parts.append(f"turn {after['turn']} begins")
        if before.get("crown") is None and after.get("crown") is not None:
            parts.append(f"{self.seat(after['crown'])} takes the crown")
        if after.get("winners") and not before.get("winners"):
            names = listed([self.seat(w) for w in after["winners"]])
            parts.append(f"{names} win{'s' if len(after['winners']) == 1 else ''} the match")
        return "; ".join(p for p in parts if p)

    def _field(self, seat: int, before: Json, after: Json) -> str:
        now = _duel(after, seat)
        if now is None:
            return ""
        if now["awaiting_roll"] is not None:
            return f"{self.seat(now['awaiting_roll'])} rolls now"
        was = _duel(before, seat)
        old = was["field"] if was else None
        new = now["field"]
        if new is None or new == old:
            return ""
        if old is None:
            return f"the field opens at {new['value']}"
        if new["owner"] != old["owner"]:
            return f"{self.seat(new['owner'])} takes the field, {old['value']} becomes {new['value']}"
        return f"{self.seat(new['owner'])} holds the field at {new['value']}"

    def _duel_end(self, ended: Json) -> str:
        if ended["winner"] is None:
            return "the duel ends without a winner"
        count = len(ended["captured"])
        cards = f" and captures {count} card{'' if count == 1 else 's'}" if count else ""
        return f"{self.seat(ended['winner'])} wins the duel at {ended['value']}{cards}"


def _sign(action: Json) -> str:
    return f" {str(action['sign']).replace('-', '−')}50 %" if action.get("sign") else ""


def _duel(state: Json, seat: int) -> Json | None:
    for duel in state.get("duels") or ():
        if seat in (duel["attacker"], duel["defender"]):
            return dict(duel)
    return None


def _stood(duel: Json | None) -> str:
    if duel is None:
        return "no duel"
    return f"field {duel['field']['value']}" if duel["field"] else "an empty field"
