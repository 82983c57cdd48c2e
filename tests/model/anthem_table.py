"""People at a table of Anthem who mostly play by the rules: random actions to try the engine with."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.model.anthem import Match, dead, value

Dict = dict[str, Any]

GARBAGE: list[object] = [
    None, 7, "lay", [], {}, {"do": "lay"}, {"do": 5}, {"do": "dance", "seat": 1}, {"do": "keep"},
    {"do": "keep", "seat": "1"}, {"do": "keep", "seat": True}, {"do": "keep", "seat": 1.0},
    {"do": "keep", "seat": 1, "why": "slow"}, {"do": "keep", "seat": 1, "force": 1},
    {"do": "lay", "seat": 1, "card": "s1/4"}, {"do": "lay", "seat": 1, "card": 14, "place": 2},
    {"do": "lay", "seat": 1, "card": "s1/4", "place": 0},
    {"do": "lay", "seat": 1, "card": "s1/4", "place": 7},
    {"do": "lay", "seat": 1, "card": "s1/4", "place": "2"}, {"do": "undo", "seat": 1},
    {"do": "claim", "seat": 1}, {"do": "claim", "seat": 1, "win": "both"},
    {"do": "claim", "seat": 1, "win": "hero", "shown": "s1/4"},
    {"do": "claim", "seat": 1, "win": "hero", "shown": [1, 2]},
    {"do": "setup"}, {"do": "setup", "players": [], "first": 1},
    {"do": "setup", "players": [{"seat": 1}], "first": 1},
    {"do": "setup", "players": [{"seat": 1}, {"seat": 1}], "first": 1},
    {"do": "setup", "players": [{"seat": 1}, {"seat": 2}], "first": 3},
    {"do": "setup", "players": [{"seat": 1}, {"seat": 2}]},
    {"do": "setup", "players": [{"seat": 0}, {"seat": 2}], "first": 2},
    {"do": "setup", "players": [{"seat": s} for s in (1, 2, 3, 4, 5)], "first": 1},
    {"do": "setup", "players": [{"seat": 1, "name": 3}, {"seat": 2}], "first": 1},
    {"do": "setup", "players": [{"seat": 1, "house": "aurea"}, {"seat": 2}], "first": 1},
    {"do": "setup", "players": 2, "first": 1},
]  # fmt: skip


class Table:
    """One match's people. Their hands are theirs alone: here any card that lies nowhere may be in them."""

    def __init__(self, rng: Random, rules: Dict, players: int) -> None:
        self.rng = rng
        self.model = Match(**rules)
        self.seats = rng.sample([1, 2, 3, 4], players)
        self.mischief = rng.choice([0.0, 0.05, 0.2, 0.4])
        self.keeping = rng.choice([0.1, 0.3, 0.6])
        self.skipping = rng.choice([0.0, 0.1, 0.5])
        self.claiming = rng.choice([0.02, 0.1, 0.3])
        self.wildness = rng.choice([0.0, 0.1, 0.5])

    def setup(self) -> Dict:
        players: list[Dict] = [{"seat": seat} for seat in self.seats]
        if self.rng.random() < 0.3:
            players[0]["name"] = "Ada"
        return {"do": "setup", "players": players, "first": self.rng.choice(self.seats)}

    def action(self) -> object:
        """The next thing somebody does."""
        if self.model.setup is None:
            return self.setup() if self.rng.random() > self.mischief else self.mischievous()
        if not self.model.done and self.rng.random() < 0.1:
            return {"do": "undo", "force": True}
        if self.rng.random() < self.mischief:
            return self.mischievous()
        if self.rng.random() < 0.02:
            return {"do": "undo"}
        if self.model.over():
            return self.rng.choice([self.setup(), {"do": "undo"}, self.second_claim(), self.second_claim()])
        if self.rng.random() < self.claiming:
            return self.claim(self.rng.choice(self.seats), self.rng.choice(["hero", "hero", "dragon"]))
        return self.turn()

    def turn(self) -> Dict:
        seat = self.model.to_move()
        if self.rng.random() < self.skipping:
            seat = self.rng.choice(self.seats)
        places = self.fitting_places(seat)
        if not places or self.rng.random() < self.keeping:
            return {"do": "keep", "seat": seat}
        card, place = self.rng.choice(places)
        return {"do": "lay", "seat": seat, "card": card, "place": place}

    def fitting_places(self, seat: int) -> list[tuple[str, int]]:
        """A few cards that lie nowhere, each with a place where the model lets it lie."""
        laid = self.model.laid()
        loose = [card for card in self.model.all_cards() if card not in laid and not dead(card)]
        fits = []
        for card in self.rng.sample(loose, min(3, len(loose))):
            place = min(6, max(1, value(card) - self.rng.choice([0, 0, 1])))
            if self.rng.random() < self.wildness:
                place = self.rng.randint(1, 6)
            if not self.model.judge({"do": "lay", "seat": seat, "card": card, "place": place}):
                fits.append((card, place))
        return fits

    def claim(self, seat: int, win: str) -> Dict:
        """Mostly by somebody who could have won, with a hand that could be theirs."""
        whole = [s for s in self.seats if self.model.complete(s)]
        if win == "hero" and whole and self.rng.random() < 0.9:
            seat = self.rng.choice(whole)
        claim = {"do": "claim", "seat": seat, "win": win}
        if self.rng.random() < (0.95 if self.model.rules["proof"] == "show" else 0.2):
            claim["shown"] = self.shown(seat, win)
        return claim

    def second_claim(self) -> Dict:
        """The other win, by somebody else."""
        first = self.model.claims[0]
        others = [seat for seat in self.seats if seat != first["seat"]]
        return self.claim(self.rng.choice(others), "dragon" if first["win"] == "hero" else "hero")

    def shown(self, seat: int, win: str) -> list[str]:
        loose = [card for card in self.model.all_cards() if card not in self.model.laid()]
        the_dead = [card for card in loose if dead(card)]
        alive = [card for card in loose if not dead(card)]
        hand = (the_dead if win == "dragon" else []) + self.rng.sample(alive, len(alive))
        shown = hand[: self.model.hand(seat)]
        if self.rng.random() < 0.2:
            shown[self.rng.randrange(len(shown))] = self.rng.choice(
                [*the_dead, *self.model.laid(), "s9/4", "s1/dead"]
            )
        if self.rng.random() < 0.05:
            shown.pop()
        return shown

    def mischievous(self) -> object:
        """Something of the right shape that is probably against the rules, or nothing of the sort."""
        if self.rng.random() < 0.15:
            return json.loads(json.dumps(self.rng.choice(GARBAGE)))
        seat = self.rng.choice([*self.seats, *self.seats, 0, 1, 2, 3, 4, 5, 9, -1])
        if self.model.setup is None:
            cards = ["s1/1", "s2/8", "s3/dead"]
        else:
            cards = [*self.model.all_cards(), *self.model.laid(), *self.model.laid()]
        card = self.rng.choice([*cards, "s1/10", "s5/1", "s4/3", "s3/4", "s1", ""])
        if self.rng.random() < 0.1:
            card = self.rng.choice(["s1/dead", "s2/dead"])
        actions: list[Dict] = [
            {"do": "lay", "seat": seat, "card": card, "place": self.rng.randint(1, 6)},
            {"do": "lay", "seat": seat, "card": card, "place": self.rng.randint(1, 6)},
            {"do": "lay", "seat": seat, "card": card, "place": self.rng.randint(1, 6)},
            {"do": "keep", "seat": seat},
            {"do": "undo"},
            {"do": "claim", "seat": seat, "win": self.rng.choice(["hero", "dragon"])},
            {"do": "claim", "seat": seat, "win": self.rng.choice(["hero", "dragon"]), "shown": [card]},
            self.setup(),
        ]
        action = self.rng.choice(actions)
        if action["do"] == "claim" and "shown" in action and self.rng.random() < 0.5:
            action["shown"] = self.rng.sample(["s1/dead", "s2/dead", "s1/5", "s2/5", "s9/1"], 3)
        if self.rng.random() < 0.15:
            action["force"] = self.rng.random() < 0.8
        return action

    def over(self) -> bool:
        return self.model.setup is not None and self.model.over()
