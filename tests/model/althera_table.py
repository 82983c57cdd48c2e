"""People at a table of Althera who mostly play by the rules: random actions to try the engine with.

Every table has its temper: how often somebody does what is not allowed, whom the cards favour (that is how
seats are eliminated), how peaceful its duels are (that is how matches end in a tie), how keen on specials.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.model.althera import Match
from tests.model.althera_duel import Duel
from tests.model.althera_judge import judge
from tests.model.althera_rules import HOUSES, is_special, kind

Dict = dict[str, Any]

SETUP: Dict = {
    "do": "setup",
    "players": [{"seat": 1, "house": "aurea"}, {"seat": 2, "house": "celeste"}],
    "turns": 3,
}
PLAY: Dict = {"do": "play", "seat": 1, "card": "aurea/captain/1"}

GARBAGE: list[object] = [
    None, 7, "play", [], {}, {"do": "play"}, {"do": 5}, {"do": None}, {"do": "dance", "seat": 1},
    {"do": "stand"}, {"do": "stand", "seat": "1"}, {"do": "stand", "seat": True},
    {"do": "stand", "seat": 1.0},
    {"do": "stand", "seat": None}, {"do": "stand", "seat": 1, "why": "tired"},
    {"do": "stand", "seat": 1, "force": 1}, {"do": "stand", "seat": 1, "force": None},
    {"do": "roll", "seat": 1}, {"do": "roll", "seat": 1, "face": 0}, {"do": "roll", "seat": 1, "face": 7},
    {"do": "roll", "seat": 1, "face": "6"}, {"do": "roll", "seat": 1, "face": 2.5},
    {"do": "crown"}, {"do": "declare", "seat": 1}, {"do": "declare", "seat": 1, "against": "2"},
    {"do": "redraw", "seat": 1, "card": "aurea/captain/1"}, {"do": "undo", "seat": 1}, {"do": "undo", "n": 2},
    {"do": "play", "seat": 1}, {**PLAY, "card": 9}, {**PLAY, "sign": "x"}, {**PLAY, "sign": 1},
    {**PLAY, "sign": None}, {**PLAY, "for": 2}, {"do": "intervene", "seat": 1, "card": "aurea/oracle/1"},
    {"do": "intervene", "seat": 1, "for": 2, "card": "aurea/oracle/1", "sign": "*"},
    {"do": "intervene", "seat": 1, "for": "2", "card": "aurea/oracle/1"},
    {**SETUP, "turns": 4}, {**SETUP, "turns": "3"}, {**SETUP, "players": []}, {**SETUP, "players": "ab"},
    {**SETUP, "players": SETUP["players"][:1]}, {**SETUP, "players": SETUP["players"] * 2},
    {**SETUP, "players": [{"seat": 1, "house": "aurea"}, {"seat": 2, "house": "aurea"}]},
    {**SETUP, "players": [{"seat": 0, "house": "aurea"}, {"seat": 2, "house": "celeste"}]},
    {**SETUP, "players": [{"seat": 6, "house": "aurea"}, {"seat": 2, "house": "celeste"}]},
    {**SETUP, "players": [{"seat": 1, "house": "nera"}, {"seat": 2, "house": "celeste"}]},
    {**SETUP, "players": [{"seat": 1}, {"seat": 2, "house": "celeste"}]},
    {**SETUP, "players": [{"seat": 1, "house": "aurea", "hat": 1}, {"seat": 2, "house": "celeste"}]},
    {**SETUP, "players": [{"seat": 1, "house": "aurea", "name": 1}, {"seat": 2, "house": "celeste"}]},
    {"do": "setup", "players": SETUP["players"]}, {"do": "setup", "turns": 3}, {**SETUP, "crown": 1},
]  # fmt: skip


class Table:
    """One match's people, and the model that tells them what is allowed."""

    def __init__(self, rng: Random, rules: Dict, players: int) -> None:
        self.rng = rng
        self.model = Match(**rules)
        self.seats = sorted(rng.sample([1, 2, 3, 4, 5], players))
        self.houses = rng.sample(HOUSES, players)
        self.turns = rng.choice(sorted(self.model.rules["turns"]) + self.model.rules["turns"][:1] * 5)
        self.mischief = rng.choice([0.0, 0.03, 0.1, 0.3])
        self.forcing = rng.choice([0.0, 0.0, 0.1, 0.5])
        self.favourite = rng.choice([None, None, *self.seats])
        self.specials = rng.choice([0.2, 0.5, 0.9])
        self.meddling = rng.choice([0.05, 0.2, 0.5, 0.95])
        self.dawdling = rng.choice([0.0, 0.0, 0.9])
        self.peaceful = rng.choice([0.0, 0.0, 0.0, 0.5, 1.0])
        if self.model.rules["tiebreak_many"] == "sudden_death":
            self.peaceful = rng.choice([0.0, 1.0])
        if self.peaceful == 1.0:
            self.specials, self.meddling, self.mischief = 0.0, 0.0, 0.0
        self.redrawing = rng.choice([0.02, 0.1])
        self.undoing = rng.choice([0.0, 0.0, 0.02, 0.1])

    def setup(self) -> Dict:
        players: list[Dict] = [
            {"seat": seat, "house": house} for seat, house in zip(self.seats, self.houses, strict=True)
        ]
        self.rng.shuffle(players)
        if self.rng.random() < 0.3:
            players[0]["name"] = "Ada"
        return {"do": "setup", "players": players, "turns": self.turns}

    def over(self) -> bool:
        return self.model.phase == "over"

    def action(self) -> object:
        """The next thing somebody does."""
        if self.rng.random() < self.mischief:
            return self.mischievous()
        if self.model.phase is None:
            return self.setup()
        if not self.model.done and self.rng.random() < 0.1:
            return {"do": "undo", "force": True}
        if self.over():
            things = [self.setup(), {"do": "undo"}, *(self.mischievous() for _ in range(4))]
            return self.rng.choice(things)
        if self.rng.random() < self.undoing:
            return {"do": "undo"}
        things = [thing for thing in self.things_to_do() if not judge(self.model, thing)]
        if not things:
            return {"do": "undo"} if self.model.done else self.mischievous()
        return self.rng.choice(things)

    # --- by the rules ---

    def things_to_do(self) -> list[Dict]:
        """One idea for everybody who could do something."""
        rolls = [self.roll(seat) for seat in self.model.awaited()]
        ideas: list[Dict] = []
        declarer = self.model.declarer()
        if declarer is not None:
            others = [s for s in self.seats if s != declarer]
            ideas += [{"do": "declare", "seat": declarer, "against": other} for other in others]
        for duel in self.model.duels:
            ideas += self.ideas_in(duel)
        if self.rng.random() < 0.003:
            ideas.append({"do": "crown", "seat": self.rng.choice(self.seats)})
        return ideas if ideas and self.rng.random() < self.dawdling else ideas + rolls

    def roll(self, seat: int) -> Dict:
        face = self.rng.randint(1, 6)
        if self.model.phase == "initiative" and self.rng.random() < 0.3:
            face = 6
        if self.model.phase == "duels" and self.rng.random() < self.peaceful:
            face = self.rng.choice(self.model.rules["retreat_faces"])
        return {"do": "roll", "seat": seat, "face": face}

    def ideas_in(self, duel: Duel) -> list[Dict]:
        ideas = []
        seat = duel.next_to_play()
        if seat is not None and not duel.awaiting:
            peaceful = self.peaceful if self.model.phase == "duels" else 0.0
            if self.rng.random() < max(0.05, peaceful):
                ideas.append({"do": "retreat", "seat": seat})
            if self.rng.random() < 0.5:
                ideas.append({"do": "stand", "seat": seat})
            ideas = [idea for idea in ideas if not judge(self.model, idea)][:1]
            card = None if ideas else self.card_to_play(duel, seat)
            if card is not None:
                ideas.append(self.with_sign({"do": "play", "seat": seat, "card": card}))
        if self.rng.random() < self.redrawing:
            ideas.append({"do": "redraw", "seat": self.rng.choice(duel.sides())})
        meddling = self.meddling if self.model.phase == "duels" else 0.5
        if self.rng.random() < meddling:
            ideas += self.interventions(duel)
        return ideas

    def interventions(self, duel: Duel) -> list[Dict]:
        waiting = [s for s in self.model.inside() if self.model.duel_of(s) is None]
        if not waiting:
            return []
        seat = self.rng.choice(waiting)
        cards = [card for card in self.playable(seat) if is_special(card)]
        if not cards:
            return []
        side = self.rng.choice(duel.sides())
        idea = {"do": "intervene", "seat": seat, "for": side, "card": self.rng.choice(cards)}
        return [self.with_sign(idea)]

    def with_sign(self, action: Dict) -> Dict:
        if kind(action["card"]) == "alteration":
            action["sign"] = self.rng.choice("+-")
        return action

    def playable(self, seat: int) -> list[str]:
        lying = self.model.lying()
        return [card for card, owner in self.model.owner.items() if owner == seat and card not in lying]

    def card_to_play(self, duel: Duel, seat: int) -> str | None:
        """Any card of theirs that may lie here; the favourite's are strong and the others' weak."""
        field = duel.field()
        cards = [
            card
            for card in self.playable(seat)
            if not is_special(card) or duel.may_be_played(card, seat, field, intervened=False)
        ]
        specials = [card for card in cards if is_special(card)]
        scores = [card for card in cards if not is_special(card)]
        if specials and (not scores or self.rng.random() < self.specials):
            return self.rng.choice(specials)
        if not scores:
            own = self.playable(seat)
            return self.rng.choice(own) if own else None
        if self.favourite is None or self.rng.random() < 0.2:
            return self.rng.choice(scores)
        by_value = sorted(scores, key=lambda card: self.model.rules["scores"][kind(card)][0])
        return by_value[-1] if seat == self.favourite else by_value[0]

    # --- against them ---

    def mischievous(self) -> object:
        """Something of the right shape that is probably against the rules, or nothing of the sort."""
        if self.rng.random() < 0.1:
            return json.loads(json.dumps(self.rng.choice(GARBAGE)))
        seat, other = self.some_seat(), self.some_seat()
        actions: list[Dict] = [
            {"do": "roll", "seat": seat, "face": self.rng.randint(1, 6)},
            {"do": "crown", "seat": seat},
            {"do": "declare", "seat": seat, "against": other},
            {"do": "redraw", "seat": seat},
            {"do": "retreat", "seat": seat},
            {"do": "stand", "seat": seat},
            {"do": "undo"},
        ]
        actions += [{"do": "play", "seat": seat, "card": self.some_card(seat)} for _ in range(5)]
        actions += [
            {"do": "intervene", "seat": seat, "for": other, "card": self.some_card(seat)} for _ in range(5)
        ]
        action = self.rng.choice(actions)
        if self.rng.random() < 0.02:
            action = self.setup()
        signed = 0.8 if "/alteration/" in action.get("card", "") else 0.03
        if "card" in action and self.rng.random() < signed:
            action["sign"] = self.rng.choice("+-")
        if self.rng.random() < self.forcing:
            action["force"] = self.rng.random() < 0.9
        return action

    def some_seat(self) -> int:
        duelling = [side for duel in self.model.duels for side in duel.sides()]
        if duelling and self.rng.random() < 0.5:
            return self.rng.choice(duelling)
        return self.rng.choice([*self.seats, *self.seats, 1, 2, 3, 4, 5, 0, 6, -1])

    def some_card(self, seat: int) -> str:
        own = self.playable(seat) if self.model.phase else []
        if own and self.rng.random() < 0.6:
            specials = [card for card in own if is_special(card)]
            return self.rng.choice(specials if specials and self.rng.random() < 0.7 else own)
        lying = list(self.model.lying())
        if lying and self.rng.random() < 0.3:
            return self.rng.choice(lying)
        if self.rng.random() < 0.1:
            return self.rng.choice(
                ["cremisi/king/1", "aurea/captain/9", "nera/captain/1", "s1/4", "", "a/b/c/d"]
            )
        return self.rng.choice(self.model.printed[self.rng.choice(HOUSES)])
