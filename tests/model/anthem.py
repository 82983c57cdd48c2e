"""Anthem once more, from the rulebook and the referee's contract alone, to hold the engine against.

The whole match is kept as the list of what happened: turns, each a seat and what it laid (None where it kept
its card), and cards that the table has moved by hand. Layouts, hand sizes and whose turn it is are worked out
from that list each time.

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
    "not-set-up", "match-over", "unknown-card", "seat-unknown", "place-taken", "nothing-to-undo",
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


def dead(card: str) -> bool:
    return card.endswith("/dead")


def value(card: str) -> int:
    return int(card.split("/")[1])


class Match:
    """One table: `do` takes an action and gives (ok, findings), `state` is the contract's state."""

    def __init__(self, **changes: Any) -> None:
        self.rules: Dict = {**DEFAULT, **changes}
        self.setup: Dict | None = None
        self.done: list[Dict] = []  # the actions applied since the setup
        self.happened: list[Dict] = []  # seat, card and place (None for a kept card), turn or moved by hand
        self.claims: list[Dict] = []  # granted: seat, win
        self.drawn: tuple[int, dict[int, list[str | None]]] = (-1, {})

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
        assert self.setup
        sets = range(1, len(self.setup["players"]) + 1)
        return [f"s{k}/{face}" for k in sets for face in [*range(10), "dead"]]

    def layouts(self) -> dict[int, list[str | None]]:
        """ANT-2.1 and what was laid since: everybody's places from 0 (Start) to 7 (End)."""
        if self.drawn[0] == len(self.happened):
            return self.drawn[1]  # worked out already, and nothing has happened since
        layouts: dict[int, list[str | None]] = {seat: [None] * 8 for seat in self.seats()}
        for seat, places in layouts.items():
            places[0], places[7] = f"{self.set_of(seat)}/0", f"{self.set_of(seat)}/9"
        for thing in self.happened:
            for places in layouts.values():
                if thing["card"] in places and thing["card"] is not None:
                    places[places.index(thing["card"])] = None
            if thing["card"] is not None:
                layouts[thing["seat"]][thing["place"]] = thing["card"]
        self.drawn = (len(self.happened), layouts)
        return layouts

    def layout(self, seat: int) -> list[str | None]:
        return self.layouts()[seat]

    def laid(self) -> list[str]:
        return [card for places in self.layouts().values() for card in places if card]

    def turns(self) -> list[Dict]:
        return [thing for thing in self.happened if thing["turn"]]

    def left_of(self, seat: int) -> int:
        """ANT-3.1: who plays just after this seat, and draws from its hand."""
        seats = self.seats()
        return seats[(seats.index(seat) + 1) % len(seats)]

    def hand(self, seat: int) -> int:
        """ANT-2.2 and ANT-3.1: nine, and a card from the right each turn, which is laid or kept."""
        cards, drawer = 9, self.left_of(seat)
        for turn in self.turns():
            if turn["seat"] == seat:
                cards += 1
            if turn["seat"] == drawer:
                cards -= 1
            if turn["seat"] == seat and turn["card"] is not None:
                cards -= 1
        return cards

    def to_move(self) -> int:
        assert self.setup
        first: int = self.setup["first"]
        turns = self.turns()
        return self.left_of(turns[-1]["seat"]) if turns else first

    def complete(self, seat: int) -> bool:
        return None not in self.layout(seat)

    def stuck(self, seat: int) -> bool:
        """A gap with more places than values left between its neighbours."""
        layout, laid = self.layout(seat), self.laid()
        lying = [(place, value(card)) for place, card in enumerate(layout) if card and not dead(card)]
        here = [v for _, v in lying]
        loose = {value(card) for card in self.all_cards() if not dead(card) and card not in laid}
        lying = [(-1, -1), *lying, (8, 10)]
        return any(
            layout[left + 1 : right].count(None) > sum(low < v < high and v not in here for v in loose)
            for (left, low), (right, high) in pairwise(lying)
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
            "turn": len(self.turns()) + 1,
            "to_move": None if self.over() else self.to_move(),
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
        hopeless = "bad-input" in codes and not (action["do"] == "setup" and self.setup_fits(action))
        if codes and (not action.get("force", False) or hopeless):
            return False, [(code, "illegal") for code in codes]
        if {"already-laid", "card-moved"} & set(codes) and not MEANINGLESS & set(codes):
            notes = self.lay_down(action, turn=False)
        else:
            notes = [] if MEANINGLESS & set(codes) else self.carry_out(action)
        if action["do"] not in ("setup", "undo") and self.setup is not None:
            self.done.append(action)
        return True, [(code, "warning") for code in codes] + notes

    def judge(self, action: Dict) -> list[str]:
        if action["do"] == "setup":
            fits = (self.setup is None or self.over()) and self.setup_fits(action)
            return [] if fits else ["bad-input"]
        if self.setup is None:
            return ["not-set-up", "nothing-to-undo"] if action["do"] == "undo" else ["not-set-up"]
        if action["do"] == "undo":
            return [] if self.done else ["nothing-to-undo"]
        if action["do"] == "claim" and self.rules["proof"] == "show" and "shown" not in action:
            return ["bad-input"]
        if self.over() and not self.still_heard(action):
            return ["match-over"]
        found = set()
        if action["do"] == "lay" and action["card"] not in self.all_cards():
            found.add("unknown-card")
        if action["seat"] not in self.seats():
            found.add("seat-unknown")
        if found:
            return sorted(found, key=CODES.index)
        if action["do"] == "lay":
            found |= self.judge_lay(action)
        if action["do"] == "claim":
            found |= self.judge_claim(action)
        return sorted(found, key=CODES.index)

    def setup_fits(self, action: Dict) -> bool:
        seats = [player["seat"] for player in action["players"]]
        return (
            2 <= len(seats) <= 4
            and len(set(seats)) == len(seats)
            and set(seats) <= {1, 2, 3, 4, 5}
            and action["first"] in seats
        )

    def still_heard(self, action: Dict) -> bool:
        """`both_win`: the draw that gives one win can give the other; who claims second is heard, too, if the
        ruling lets it change the outcome."""
        return (
            action["do"] == "claim"
            and len(self.claims) == 1
            and action["seat"] != self.claims[0]["seat"]
            and action["win"] != self.claims[0]["win"]
            and self.rules["both_win"] in (action["win"], "shared")
        )

    def judge_lay(self, action: Dict) -> set[str]:
        """ANT-4, ANT-5.1."""
        seat, card, place = action["seat"], action["card"], action["place"]
        found = {"dead-laid"} if dead(card) else set()
        layout = self.layout(seat)
        if layout[place] not in (None, card):
            found.add("place-taken")
        if card in layout and layout[place] != card:
            found.add("card-moved")
        elif card in self.laid():
            found.add("already-laid")
        if not dead(card):
            found |= self.judge_value(layout, card, place)
        return found

    def judge_value(self, layout: list[str | None], card: str, place: int) -> set[str]:
        """ANT-4.1 and ANT-4.2; a card that lies here itself is not in its own way."""
        v = value(card)
        lying = [(where, other) for where, other in enumerate(layout) if other and other != card]
        others = [(where, value(other)) for where, other in lying if not dead(other)]
        found = set()
        if any(w > v for where, w in others if where < place) or any(
            w < v for where, w in others if where > place
        ):
            found.add("not-rising")
        if any(w == v for _, w in others):
            return found | {"value-twice"}
        below = max((where for where, w in others if w < v), default=0)
        above = min((where for where, w in others if w > v), default=7)
        if above - below <= 1:
            found.add("no-room")
        return found

    def judge_claim(self, action: Dict) -> set[str]:
        """ANT-6 and `proof`."""
        found = set()
        seat, win, shown = action["seat"], action["win"], action.get("shown")
        all_dead = set(filter(dead, self.all_cards()))
        if win == "hero" and not self.complete(seat):
            found.add("claim-incomplete")
        if win == "dragon" and self.rules["dragon"] == "off":
            found.add("dragon-off")
        if shown is None:
            return found
        if set(shown) - set(self.all_cards()):
            found.add("unknown-card")
        if not self.could_be_hand(seat, shown):
            found.add("claim-hand-mismatch")
        if win == "hero" and set(shown) & all_dead:
            found.add("claim-dead-in-hand")
        if win == "dragon" and not all_dead <= set(shown):
            found.add("claim-not-all-dead")
        return found

    def could_be_hand(self, seat: int, shown: list[str]) -> bool:
        once_each = len(set(shown)) == len(shown)
        return len(shown) == self.hand(seat) and once_each and not set(shown) & set(self.laid())

    # --- what an action does ---

    def carry_out(self, action: Dict) -> list[Found]:
        if action["do"] == "setup":
            self.setup, self.done, self.happened, self.claims = action, [], [], []
            self.drawn = (-1, {})
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
        notes: list[Found] = []
        while self.to_move() != action["seat"]:
            self.happened.append({"seat": self.to_move(), "card": None, "place": None, "turn": True})
            notes = [("keeps-inferred", "info")]
        return notes + self.lay_down(action, turn=True)

    def lay_down(self, action: Dict, turn: bool) -> list[Found]:
        """A turn, or a card that lies somewhere already and that the table has moved by hand."""
        seat = action["seat"]
        stuck_before = self.stuck(seat)
        thing = {"seat": seat, "card": action.get("card"), "place": action.get("place"), "turn": turn}
        self.happened.append(thing)
        if self.rules["hints"] == "on" and self.stuck(seat) and not stuck_before:
            return [("layout-stuck", "warning")]
        return []
