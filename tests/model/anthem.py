"""Anthem once more, from the rulebook and the referee's contract alone, to hold the engine against.

The whole match is kept as the list of its turns: each a seat and what it laid, or None where it kept its
card. Layouts, hand sizes and whose turn it is are worked out from that list each time.

>>> match = Match()
>>> match.do({"do": "setup", "players": [{"seat": 1}, {"seat": 3}], "first": 3})
(True, [])
>>> match.do({"do": "lay", "seat": 1, "card": "s2/5", "place": 3})
(True, [('keeps-inferred', 'info')])
>>> match.state()["to_move"]
3
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

Dict = dict[str, Any]
Found = tuple[str, str]

#: The first choice of every ruling, and whether the table has switched hints on.
DEFAULT: Dict = {"dragon": "off", "both_win": "hero", "proof": "show", "hints": "off"}

CODES = [
    "bad-input", "not-set-up", "match-over", "unknown-card", "seat-unknown", "place-taken", "not-rising",
    "value-twice", "no-room", "dead-laid", "already-laid", "card-moved", "claim-incomplete",
    "claim-dead-in-hand", "claim-hand-mismatch", "claim-not-all-dead", "dragon-off", "keeps-inferred",
    "layout-stuck", "nothing-to-undo",
]  # fmt: skip

#: Findings that leave nothing to apply, even where the table says "allow it".
MEANINGLESS = {
    "not-set-up", "match-over", "unknown-card", "seat-unknown", "place-taken", "dead-laid", "already-laid",
    "card-moved", "nothing-to-undo",
}  # fmt: skip

FIELDS: dict[str, tuple[dict[str, type], dict[str, type]]] = {
    "setup": ({"players": list, "first": int}, {}),
    "lay": ({"seat": int, "card": str, "place": int}, {}),
    "keep": ({"seat": int}, {}),
    "claim": ({"seat": int, "win": str}, {"shown": list}),
    "undo": ({}, {}),
}


def well_formed(action: object) -> bool:
    """Whether this is one of the contract's actions, with the right fields of the right types."""
    if not isinstance(action, dict) or not isinstance(action.get("do"), str) or action["do"] not in FIELDS:
        return False
    must, may = FIELDS[action["do"]]
    allowed = {**must, **may, "do": str, "force": bool}
    if not set(action) <= set(allowed) or not set(must) <= set(action):
        return False
    if any(type(value) is not allowed[name] for name, value in action.items()):
        return False
    if action["do"] == "lay" and action["place"] not in range(1, 7):
        return False
    if action.get("win", "hero") not in ("hero", "dragon"):
        return False
    if any(type(card) is not str for card in action.get("shown", [])):
        return False
    return all(map(player_well_formed, action.get("players", [])))


def player_well_formed(player: object) -> bool:
    if not isinstance(player, dict) or not {"seat"} <= set(player) <= {"seat", "name"}:
        return False
    return type(player["seat"]) is int and type(player.get("name", "")) is str


def value(card: str) -> int:
    return int(card.split("/")[1])


class Match:
    """One table: `do` takes an action and gives (ok, findings), `state` is the contract's state."""

    def __init__(self, **changes: Any) -> None:
        self.rules: Dict = {**DEFAULT, **changes}
        self.setup: Dict | None = None
        self.done: list[Dict] = []  # the actions applied since the setup
        self.turns: list[Dict] = []  # seat, card and place (None for a kept card)
        self.claims: list[Dict] = []  # granted: seat, win

    def is_set_up(self) -> bool:
        return self.setup is not None

    # --- what can be seen on the table ---

    def seats(self) -> list[int]:
        assert self.setup
        return sorted(player["seat"] for player in self.setup["players"])

    def set_of(self, seat: int) -> str:
        """The k-th player listed takes set k."""
        assert self.setup
        return f"s{[player['seat'] for player in self.setup['players']].index(seat) + 1}"

    def all_cards(self) -> list[str]:
        """ANT-1.1, the sets in play."""
        faces = [*map(str, range(10)), "dead"]
        return [f"{self.set_of(seat)}/{face}" for seat in self.seats() for face in faces]

    def layout(self, seat: int) -> list[str | None]:
        """ANT-2.1 and what was laid since: the places from 0 (Start) to 7 (End)."""
        places: list[str | None] = [None] * 8
        places[0], places[7] = f"{self.set_of(seat)}/0", f"{self.set_of(seat)}/9"
        for turn in self.turns:
            if turn["seat"] == seat and turn["card"] is not None:
                places[turn["place"]] = turn["card"]
        return places

    def laid(self) -> list[str]:
        return [card for seat in self.seats() for card in self.layout(seat) if card]

    def right_of(self, seat: int) -> int:
        """ANT-3.1: who plays just before this seat."""
        return self.seats()[self.seats().index(seat) - 1]

    def left_of(self, seat: int) -> int:
        seats = self.seats()
        return seats[(seats.index(seat) + 1) % len(seats)]

    def hand(self, seat: int) -> int:
        """ANT-2.2 and ANT-3.1: nine, and a card from the right each turn, which is laid or kept."""
        cards = 9
        for turn in self.turns:
            if turn["seat"] == seat:
                cards += 1
            if self.right_of(turn["seat"]) == seat:
                cards -= 1
            if turn["seat"] == seat and turn["card"] is not None:
                cards -= 1
        return cards

    def to_move(self) -> int:
        assert self.setup
        first: int = self.setup["first"]
        return self.left_of(self.turns[-1]["seat"]) if self.turns else first

    def complete(self, seat: int) -> bool:
        return None not in self.layout(seat)

    def stuck(self, seat: int) -> bool:
        """A gap with more places than values left between its neighbours."""
        lying = [(place, value(card)) for place, card in enumerate(self.layout(seat)) if card]
        return any(
            right - left - 1 > max(0, high - low - 1) for (left, low), (right, high) in pairwise(lying)
        )

    def winners(self) -> list[int] | None:
        """Who has won by the claims granted so far (ANT-6, `both_win`)."""
        by = {claim["win"]: claim["seat"] for claim in self.claims}
        if len(by) < 2 or self.rules["both_win"] == "shared":
            return sorted(by.values()) or None
        return [by[self.rules["both_win"]]]

    def over(self) -> bool:
        return bool(self.claims)

    def dragon_has_won(self) -> bool:
        return any(
            claim["win"] == "dragon" and claim["seat"] in (self.winners() or []) for claim in self.claims
        )

    def state(self) -> Dict:
        """The state as `contracts/referee.md` writes it."""
        return {
            "game": "anthem",
            "phase": "over" if self.over() else "play",
            "turn": len(self.turns) + 1,
            "to_move": self.to_move(),
            "seats": [
                {
                    "seat": seat,
                    "layout": self.layout(seat),
                    "hand": self.hand(seat),
                    "complete": self.complete(seat),
                    "stuck": self.stuck(seat),
                }
                for seat in self.seats()
            ],
            "winners": self.winners(),
            "dragon": self.dragon_has_won(),
        }

    # --- an action ---

    def do(self, action: object) -> tuple[bool, list[Found]]:
        """Judge, then apply. (ok, findings as (code, severity) in the order in which a judge names them)."""
        if not well_formed(action) or not isinstance(action, dict):
            return False, [("bad-input", "illegal")]
        codes = self.judge(action)
        if codes and (not action.get("force", False) or "bad-input" in codes):
            return False, [(code, "illegal") for code in codes]
        notes = [] if MEANINGLESS & set(codes) else self.carry_out(action)
        if action["do"] not in ("setup", "undo") and self.setup is not None:
            self.done.append(action)
        return True, [(code, "warning") for code in codes] + notes

    def judge(self, action: Dict) -> list[str]:
        if action["do"] == "setup":
            fits = (self.setup is None or self.over()) and self.setup_fits(action)
            return [] if fits else ["bad-input"]
        if self.setup is None:
            return ["not-set-up"]
        if action["do"] == "undo":
            return [] if self.done else ["nothing-to-undo"]
        if self.over() and not self.still_heard(action):
            return ["match-over"]
        found = set()
        if action["seat"] not in self.seats():
            found.add("seat-unknown")
        if action["do"] == "lay":
            found |= self.judge_lay(action)
        if action["do"] == "claim":
            found |= self.judge_claim(action)
        return ["bad-input"] if "bad-input" in found else sorted(found, key=CODES.index)

    def setup_fits(self, action: Dict) -> bool:
        seats = [player["seat"] for player in action["players"]]
        return (
            2 <= len(seats) <= 4
            and len(set(seats)) == len(seats)
            and set(seats) <= {1, 2, 3, 4, 5}
            and action["first"] in seats
        )

    def still_heard(self, action: Dict) -> bool:
        """`both_win`: the draw that gives one win can give the other; who claims second is heard, too, if it
        comes straight after the first and if the ruling lets it change the outcome."""
        return (
            action["do"] == "claim"
            and len(self.claims) == 1
            and self.done[-1]["do"] == "claim"
            and action["seat"] != self.claims[0]["seat"]
            and action["win"] != self.claims[0]["win"]
            and self.rules["both_win"] in (action["win"], "shared")
        )

    def judge_lay(self, action: Dict) -> set[str]:
        """ANT-4, ANT-5.1."""
        seat, card, place = action["seat"], action["card"], action["place"]
        if card not in self.all_cards():
            return {"unknown-card"}
        found = {"dead-laid"} if card.endswith("dead") else set()
        if seat not in self.seats():
            return found | ({"already-laid"} if card in self.laid() else set())
        layout = self.layout(seat)
        if layout[place]:
            found.add("place-taken")
        if card in layout and layout[place] != card:
            found.add("card-moved")
        elif card in self.laid():
            found.add("already-laid")
        if not card.endswith("dead"):
            found |= self.judge_value(layout, card, place)
        return found

    def judge_value(self, layout: list[str | None], card: str, place: int) -> set[str]:
        """ANT-4.1 and ANT-4.2; a card that lies here itself is not in its own way."""
        v = value(card)
        others = [(where, value(other)) for where, other in enumerate(layout) if other and other != card]
        found = set()
        if any(w > v for where, w in others if where < place) or any(
            w < v for where, w in others if where > place
        ):
            found.add("not-rising")
        if any(w == v for _, w in others):
            return found | {"value-twice"}
        below = max((w, where) for where, w in others if w < v) if any(w < v for _, w in others) else None
        above = min((w, where) for where, w in others if w > v) if any(w > v for _, w in others) else None
        if below and above and above[1] - below[1] == 1:
            found.add("no-room")
        return found

    def judge_claim(self, action: Dict) -> set[str]:
        """ANT-6 and `proof`."""
        found = set()
        show = self.rules["proof"] == "show"
        shown = action.get("shown", [])
        if show and "shown" not in action:
            return {"bad-input"}
        seat = action["seat"]
        if show and set(shown) - set(self.all_cards()):
            found.add("unknown-card")
        if show and seat in self.seats() and not self.could_be_hand(seat, shown):
            found.add("claim-hand-mismatch")
        dead = {card for card in self.all_cards() if card.endswith("dead")}
        if action["win"] == "hero":
            if seat in self.seats() and not self.complete(seat):
                found.add("claim-incomplete")
            if show and set(shown) & dead:
                found.add("claim-dead-in-hand")
        else:
            if self.rules["dragon"] == "off":
                found.add("dragon-off")
            if show and not dead <= set(shown):
                found.add("claim-not-all-dead")
        return found

    def could_be_hand(self, seat: int, shown: list[str]) -> bool:
        once_each = len(set(shown)) == len(shown)
        return len(shown) == self.hand(seat) and once_each and not set(shown) & set(self.laid())

    # --- what an action does ---

    def carry_out(self, action: Dict) -> list[Found]:
        if action["do"] == "setup":
            self.setup, self.done, self.turns, self.claims = action, [], [], []
        elif action["do"] == "undo":
            self.do_undo()
        elif action["do"] == "claim":
            self.claims.append({"seat": action["seat"], "win": action["win"]})
        else:
            return self.take_turn(action)
        return []

    def do_undo(self) -> None:
        setup, again = self.setup, self.done[:-1]
        self.setup = None
        self.do(setup)
        for earlier in again:
            self.do(earlier)

    def take_turn(self, action: Dict) -> list[Found]:
        """ANT-3.1; the turns of those who were passed over are taken as keeps."""
        seat = action["seat"]
        notes: list[Found] = []
        while self.to_move() != seat:
            self.turns.append({"seat": self.to_move(), "card": None, "place": None})
            notes = [("keeps-inferred", "info")]
        stuck_before = self.stuck(seat)
        self.turns.append({"seat": seat, "card": action.get("card"), "place": action.get("place")})
        if self.rules["hints"] == "on" and self.stuck(seat) and not stuck_before:
            notes.append(("layout-stuck", "warning"))
        return notes
