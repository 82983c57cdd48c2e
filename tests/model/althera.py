"""Althera once more, from the rulebook and the referee's contract alone, to hold the engine against.

It is slow and plain on purpose. What lies in a duel is a list of plays, and everything else about the duel
(its field, who is shielded, which specials are cancelled, whose play is next) is worked out from that list
each time it is asked for. What a seat owns is counted card by card. An undo plays the match again without
its last action, from a copy of the whole table that is made at every tenth.

A match is driven with JSON actions as dicts:

>>> match = Match()
>>> players = [{"seat": 1, "house": "aurea"}, {"seat": 2, "house": "celeste"}]
>>> match.do({"do": "setup", "players": players, "turns": 3})
(True, [])
>>> match.do({"do": "stand", "seat": 1})
(False, [('not-in-duel', 'illegal')])
>>> match.state()["awaiting_rolls"]
[1, 2]
"""

from __future__ import annotations

import pickle
from itertools import combinations
from typing import Any

from tests.model.althera_duel import Duel
from tests.model.althera_judge import judge, setup_fits
from tests.model.althera_rules import (
    CODES,
    DEFAULT,
    HOUSES,
    MEANINGLESS,
    Dict,
    Found,
    deck_of,
    is_special,
    kind,
    pair,
    well_formed,
)


class Match:
    """One table: `do` takes an action and gives (ok, findings), `state` is the contract's state."""

    def __init__(self, **changes: Any) -> None:
        """`changes`: the keys of the ruleset that differ from `DEFAULT`."""
        self.rules: Dict = {**DEFAULT, **changes}
        self.printed = {house: deck_of(self.rules, house) for house in HOUSES}
        self.phase: str | None = None
        self.done: list[Dict] = []  # the actions applied since the setup
        self.copies: list[tuple[int, bytes]] = []  # how many actions were done, and the table as it then was
        self.clear()

    def clear(self) -> None:
        self.house: dict[int, str] = {}
        self.owner: dict[str, int | None] = {}
        self.hand: dict[int, int] = {}
        self.out: set[int] = set()
        self.turn = 1
        self.turns = 0
        self.crown: int | None = None
        self.faces: dict[int, int] = {}
        self.rolling: list[int] = []
        self.pairs: list[tuple[int, int]] = []
        self.last_declarer: int | None = None
        self.duels: list[Duel] = []
        self.last_duel: Dict | None = None
        self.winners: list[int] | None = None
        self.tied: list[int] = []  # whose original decks are back on the table
        self.still_tied: list[int] = []
        self.wins: dict[int, int] = {}
        self.queue: list[int] = []
        self.final_cards: dict[int, int] = {}
        self.final_owner: dict[str, int | None] = {}
        self.final_hand: dict[int, int] = {}
        self.notes: list[Found] = []

    def is_set_up(self) -> bool:
        return self.phase is not None

    # --- what can be seen on the table ---

    def seats(self) -> list[int]:
        return sorted(self.house)

    def inside(self) -> list[int]:
        return [seat for seat in self.seats() if seat not in self.out]

    def clockwise_from(self, seat: int) -> list[int]:
        """Everyone round the table, starting with this seat."""
        return [s for s in self.seats() if s >= seat] + [s for s in self.seats() if s < seat]

    def next_inside(self, seat: int) -> int:
        return next(s for s in [*self.clockwise_from(seat)[1:], seat] if s not in self.out)

    def duel_of(self, seat: int) -> Duel | None:
        for duel in self.duels:
            if seat in duel.sides():
                return duel
        return None

    def lying(self) -> dict[str, int]:
        """Cards lying in running duels, and who laid them."""
        return {play["card"]: play["seat"] for duel in self.duels for play in duel.plays}

    def cards(self, seat: int) -> int:
        if self.final_cards:
            return self.final_cards[seat]
        return list(self.owner.values()).count(seat)

    def in_deck_and_hand(self, seat: int) -> int:
        lying = sum(who == seat for who in self.lying().values())
        return list(self.owner.values()).count(seat) - lying

    def declarer(self) -> int | None:
        """ALT-3.2: the crown's holder first, then round the table; who can't declare is passed over.
        In a tie-break nobody declares: its duels follow from the ties."""
        if self.phase != "duels" or self.crown is None:
            return None
        order = self.clockwise_from(self.crown)
        if self.last_declarer is not None:
            order = self.clockwise_from(self.last_declarer)
            order = order[1:] + order[:1]
        free = [seat for seat in order if seat not in self.out and self.duel_of(seat) is None]
        for seat in free:
            if any(pair(seat, other) in self.pairs for other in free):
                return seat
        return None

    def awaited(self) -> list[int]:
        rolling = self.rolling if self.phase == "initiative" else []
        return sorted({*rolling, *(duel.awaiting["seat"] for duel in self.duels if duel.awaiting)})

    def state(self) -> Dict:
        """The state as `contracts/referee.md` writes it."""
        return {
            "game": "althera",
            "phase": self.phase,
            "turn": self.turn,
            "turns": self.turns,
            "crown": self.crown,
            "awaiting_rolls": self.awaited(),
            "declarer": self.declarer(),
            "pairs_left": [list(p) for p in self.pairs],
            "seats": [
                {
                    "seat": seat,
                    "house": self.house[seat],
                    "cards": self.cards(seat),
                    "hand": self.hand[seat],
                    "deck": self.in_deck_and_hand(seat) - self.hand[seat],
                    "out": seat in self.out,
                }
                for seat in self.seats()
            ],
            "duels": [self.duel_state(duel) for duel in self.duels],
            "last_duel": self.last_duel,
            "winners": self.winners,
        }

    def duel_state(self, duel: Duel) -> Dict:
        field = duel.field()
        return {
            "attacker": duel.attacker,
            "defender": duel.defender,
            "field": None if field is None else {"owner": field[0], "value": field[1]},
            "played": {str(side): len(duel.own_plays(side)) for side in duel.sides()},
            "to_play": None if duel.awaiting else duel.next_to_play(),
            "awaiting_roll": duel.awaiting["seat"] if duel.awaiting else None,
            "shields": duel.shielded(),
            "interveners": duel.interveners(),
            "plays": [play["card"] for play in duel.plays],
        }

    # --- an action ---

    def do(self, action: object) -> tuple[bool, list[Found]]:
        """Judge, then apply. (ok, findings as (code, severity) in the order in which a judge names them)."""
        if not well_formed(action) or not isinstance(action, dict):
            return False, [("bad-input", "illegal")]
        codes = judge(self, action)
        hopeless = "bad-input" in codes and not (action["do"] == "setup" and setup_fits(self, action))
        if codes and (not action.get("force", False) or hopeless):
            return False, [(code, "illegal") for code in codes]
        self.notes = []
        if action["do"] == "roll" and self.roll_for(action["seat"]) is None and not codes:
            self.notes.append(("unexpected-roll", "warning"))
        nobodys = "not-your-card" in codes and self.owner.get(action["card"]) is None
        if not MEANINGLESS & set(codes) and not nobodys:
            self.drop_awaited_roll(action, codes)
            self.carry_out(action, forced=bool(codes))
        if action["do"] not in ("setup", "undo") and self.phase is not None:
            self.done.append(action)
            if len(self.done) % 10 == 0:
                self.copy()
        notes = sorted(self.notes, key=lambda note: CODES.index(note[0]))
        return True, [(code, "warning") for code in codes] + notes

    # --- what an action does ---

    def carry_out(self, action: Dict, forced: bool) -> None:
        by_action: Any = getattr(self, "do_" + action["do"])
        by_action(action, forced)

    def drop_awaited_roll(self, action: Dict, codes: list[str]) -> None:
        """Where the table goes on without a roll, that roll is awaited no longer."""
        duel = self.duel_of(action["for"] if "for" in action else action.get("seat", 0))
        if "roll-awaited" in codes and action["do"] != "redraw" and duel:
            duel.awaiting = None

    def copy(self) -> None:
        """Keep the table as it now is."""
        table = {
            name: value for name, value in vars(self).items() if name not in ("copies", "printed", "done")
        }
        self.copies.append((len(self.done), pickle.dumps(table)))

    def do_undo(self, action: Dict, forced: bool) -> None:
        """Back to the last copy that is old enough, and on from there without the last action."""
        again = self.done[:-1]
        self.copies = [(count, table) for count, table in self.copies if count <= len(again)]
        count, table = self.copies[-1]
        vars(self).update(pickle.loads(table))
        self.done = again[:count]
        for earlier in again[count:]:
            self.do(earlier)
        self.notes = []

    def do_setup(self, action: Dict, forced: bool) -> None:
        """ALT-2."""
        self.clear()
        self.done = []
        self.phase = "initiative"
        self.turns = action["turns"]
        for player in action["players"]:
            self.house[player["seat"]] = player["house"]
            for card in self.printed[player["house"]]:
                self.owner[card] = player["seat"]
        for seat in self.seats():
            self.hand[seat] = 0
            self.refill(seat)
        self.rolling = self.seats()
        self.copies = []
        self.copy()

    def roll_for(self, seat: int) -> Duel | str | None:
        """What a roll of this seat decides: the initiative, or the first declared of its duels that wait."""
        if self.phase == "initiative":
            return "initiative" if seat in self.rolling else None
        waiting = [duel for duel in self.duels if duel.awaiting and duel.awaiting["seat"] == seat]
        return waiting[0] if waiting else None

    def do_roll(self, action: Dict, forced: bool) -> None:
        seat, face = action["seat"], action["face"]
        what = self.roll_for(seat)
        if isinstance(what, Duel):
            self.roll_in_duel(what, seat, face)
        elif what == "initiative":
            self.roll_for_initiative(seat, face)

    def roll_for_initiative(self, seat: int, face: int) -> None:
        """ALT-2.3."""
        self.faces[seat] = face
        self.rolling.remove(seat)
        if self.rolling:
            return
        highest = [s for s in self.faces if self.faces[s] == max(self.faces.values())]
        self.faces = {}
        if len(highest) > 1:
            self.rolling = sorted(highest)
        else:
            self.begin_with_crown(highest[0])

    def begin_with_crown(self, seat: int) -> None:
        self.crown = seat
        self.rolling = []
        self.faces = {}
        self.phase = "duels"
        self.begin_turn()

    def roll_in_duel(self, duel: Duel, seat: int, face: int) -> None:
        """ALT-5.4, ALT-6.2."""
        assert duel.awaiting
        why = duel.awaiting["why"]
        duel.awaiting = None
        if why == "retreat":
            if face in self.rules["retreat_faces"]:
                self.end_duel(duel, duel.enemy(seat), "retreat")
            else:
                self.end_if_all_played(duel)
            return
        oracles = [play for play in duel.plays if play["seat"] == seat and kind(play["card"]) == "oracle"]
        oracles[-1]["face"] = face
        self.end_if_all_played(duel)

    def do_crown(self, action: Dict, forced: bool) -> None:
        seat = action["seat"]
        if seat == self.crown:
            return
        severity = "warning" if self.rules["initiative"] == "fixed" else "info"
        self.notes.append(("crown-moved", severity))
        if self.phase == "initiative":
            self.begin_with_crown(seat)
        self.crown = seat

    def do_declare(self, action: Dict, forced: bool) -> None:
        if self.phase == "initiative":
            self.begin_with_crown(action["seat"])
        if self.phase != "duels":
            return
        self.last_declarer = action["seat"]
        self.duels.append(Duel(self.rules, action["seat"], action["against"]))

    def do_redraw(self, action: Dict, forced: bool) -> None:
        self.hand[action["seat"]] = max(0, self.hand[action["seat"]] - 1)

    def do_play(self, action: Dict, forced: bool) -> None:
        duel = self.duel_of(action["seat"])
        assert duel
        self.lay(duel, action, action["seat"], forced)
        self.end_if_all_played(duel)

    def do_intervene(self, action: Dict, forced: bool) -> None:
        """ALT-7.1: a special for one side, and a card drawn straight away."""
        duel = self.duel_of(action["for"])
        assert duel
        self.lay(duel, action, action["for"], forced)
        seat = action["seat"]
        if self.in_deck_and_hand(seat) > self.hand[seat]:
            self.hand[seat] += 1
        self.end_if_all_played(duel)

    def lay(self, duel: Duel, action: Dict, side: int, forced: bool) -> None:
        seat, card = action["seat"], action["card"]
        intervened = action["do"] == "intervene"
        before = duel.cancelled()
        wrong_time = is_special(card) and not duel.may_be_played(card, side, duel.field(), intervened)
        self.owner[card] = seat
        duel.plays.append(
            {
                "seat": seat,
                "side": side,
                "card": card,
                "sign": action.get("sign"),
                "face": None,
                "forced": forced and wrong_time,
                "intervened": intervened,
            }
        )
        self.hand[seat] = max(0, self.hand[seat] - 1)
        for anyone in self.seats():
            self.hand[anyone] = min(self.hand[anyone], max(0, self.in_deck_and_hand(anyone)))
        if kind(card) == "oracle":
            self.await_roll(duel, seat, "oracle")
        if duel.cancelled() != before:
            self.notes.append(("shield-cancels", "info"))

    def await_roll(self, duel: Duel, seat: int, why: str) -> None:
        duel.awaiting = {"seat": seat, "why": why}

    def do_retreat(self, action: Dict, forced: bool) -> None:
        seat = action["seat"]
        duel = self.duel_of(seat)
        assert duel
        duel.retreated.append(seat)
        self.await_roll(duel, seat, "retreat")

    def do_stand(self, action: Dict, forced: bool) -> None:
        duel = self.duel_of(action["seat"])
        assert duel
        field = duel.field()
        self.end_duel(duel, None if field is None else field[0], "stand")

    # --- the end of a duel ---

    def end_if_all_played(self, duel: Duel) -> None:
        """ALT-4.4."""
        if duel.awaiting is None and duel.next_to_play() is None:
            field = duel.field()
            self.end_duel(duel, None if field is None else field[0], "three_cards")

    def end_duel(self, duel: Duel, winner: int | None, ended_by: str) -> None:
        """ALT-4.5, ALT-5.6, then ALT-4.6 and ALT-8."""
        field = duel.field()
        captured = []
        specials: dict[str, list[str]] = {}
        for play in duel.plays:
            if is_special(play["card"]):
                specials.setdefault(str(duel.enemy(play["side"])), []).append(play["card"])
            elif winner is not None and play["side"] != winner:
                captured.append(play["card"])
        self.last_duel = {
            "attacker": duel.attacker,
            "defender": duel.defender,
            "winner": winner,
            "ended_by": ended_by,
            "value": None if field is None else field[1],
            "captured": captured,
            "specials": specials,
        }
        self.duels.remove(duel)
        if self.phase == "tiebreak":
            self.end_tiebreak_duel(duel, winner)
            return
        for card in captured:
            self.owner[card] = winner
        for seat, cards in specials.items():
            for card in cards:
                self.owner[card] = int(seat)
        if pair(*duel.sides()) in self.pairs:
            self.pairs.remove(pair(*duel.sides()))
        self.check_eliminations(duel, winner)
        for side in duel.sides():
            self.refill(side)
        if self.phase == "duels" and not self.pairs and not self.duels:
            self.end_turn()

    def refill(self, seat: int) -> None:
        """ALT-4.6. Kept or shuffled back (`refill`): seen from outside the hand has five cards either way."""
        if seat not in self.out:
            self.hand[seat] = min(self.rules["hand_size"], self.in_deck_and_hand(seat))

    def check_eliminations(self, duel: Duel, winner: int | None) -> None:
        """ALT-8.1: the loser, the winner, its interveners. Without a winner the attacker receives."""
        receiver = duel.attacker if winner is None else winner
        order = [duel.enemy(receiver), receiver]
        order += [seat for seat in dict.fromkeys(duel.interveners()) if seat not in order]
        for seat in order:
            if seat in self.out or self.duel_of(seat):
                continue
            if self.in_deck_and_hand(seat) >= self.rules["hand_size"]:
                continue
            heir = receiver
            if seat == receiver or receiver in self.out:
                heir = duel.enemy(receiver)
            self.eliminate(seat, heir)
            if len(self.inside()) == 1:
                self.finish(self.inside())
                return

    def eliminate(self, seat: int, heir: int) -> None:
        lying = self.lying()
        for card in self.owner:
            if self.owner[card] == seat and card not in lying:
                self.owner[card] = heir
        self.hand[seat] = 0
        self.out.add(seat)
        self.pairs = [p for p in self.pairs if seat not in p]
        self.notes.append(("seat-eliminated", "info"))

    # --- turns, and the end of the match ---

    def begin_turn(self) -> None:
        """ALT-3.1."""
        self.pairs = list(combinations(self.inside(), 2))
        self.last_declarer = None

    def end_turn(self) -> None:
        if self.turn == self.turns:
            self.count_cards()
            return
        self.turn += 1
        self.move_crown()
        self.begin_turn()

    def move_crown(self) -> None:
        """`initiative`, and the crown of somebody who is out."""
        assert self.crown
        most = [s for s in self.inside() if self.cards(s) == max(map(self.cards, self.inside()))]
        if self.rules["initiative"] == "clockwise":
            self.crown = self.next_inside(self.crown)
        elif self.rules["initiative"] == "leader" and len(most) == 1:
            self.crown = most[0]
        elif self.crown in self.out:
            self.crown = self.next_inside(self.crown)

    def count_cards(self) -> None:
        """ALT-9.1."""
        most = [s for s in self.inside() if self.cards(s) == max(map(self.cards, self.inside()))]
        if len(most) == 1:
            self.finish(most)
        else:
            self.begin_tiebreak(most)

    def finish(self, winners: list[int]) -> None:
        self.phase = "over"
        self.winners = winners
        self.pairs = []
        self.last_declarer = None

    # --- ALT-9.2 ---

    def begin_tiebreak(self, tied: list[int]) -> None:
        """The tied take their own 24 back; what the others own beside that is theirs to intervene with."""
        self.phase = "tiebreak"
        self.final_owner = self.owner
        self.final_hand = dict(self.hand)
        self.final_cards = {seat: self.cards(seat) for seat in self.seats()}
        self.tied = tied
        self.owner = self.owner_in_tiebreak()
        self.hands_in_tiebreak()
        self.queue = list(tied)
        self.begin_round(tied)

    def hands_in_tiebreak(self) -> None:
        """Every extra duel finds the tied with a full hand, and the others with what they had left."""
        for seat in self.seats():
            if seat in self.tied:
                self.refill(seat)
            else:
                self.hand[seat] = min(self.final_hand[seat], self.in_deck_and_hand(seat))

    def owner_in_tiebreak(self) -> dict[str, int | None]:
        owners: dict[str, int | None] = {}
        for card, owner in self.final_owner.items():
            printed = [seat for seat in self.tied if self.house[seat] == card.split("/")[0]]
            owners[card] = printed[0] if printed else None if owner in self.tied else owner
        return owners

    def sudden_death(self) -> bool:
        return len(self.tied) > 2 and self.rules["tiebreak_many"] == "sudden_death"

    def begin_round(self, tied: list[int]) -> None:
        self.still_tied = tied
        self.wins = dict.fromkeys(tied, 0)
        self.pairs = [pair(*self.queue[:2])] if self.sudden_death() else list(combinations(tied, 2))
        self.begin_tiebreak_duel()

    def begin_tiebreak_duel(self) -> None:
        """One after the other, pairs in seat order; who comes first from the crown attacks."""
        assert self.crown
        attacker, defender = sorted(self.pairs[0], key=self.clockwise_from(self.crown).index)
        self.duels.append(Duel(self.rules, attacker, defender))

    def end_tiebreak_duel(self, duel: Duel, winner: int | None) -> None:
        """Nothing changes hands: the decks are apart. Undecided, a tie is duelled again."""
        self.hands_in_tiebreak()
        if self.sudden_death():
            if winner is not None:
                self.queue.remove(duel.enemy(winner))
            if len(self.queue) == 1:
                self.end_tiebreak(self.queue[0])
            else:
                self.begin_round(self.queue)
            return
        self.pairs.remove(pair(*duel.sides()))
        if winner is not None:
            self.wins[winner] += 1
        if self.pairs:
            self.begin_tiebreak_duel()
            return
        best = [seat for seat in self.still_tied if self.wins[seat] == max(self.wins.values())]
        if len(best) == 1:
            self.end_tiebreak(best[0])
        else:
            self.begin_round(best)

    def end_tiebreak(self, winner: int) -> None:
        """Everybody takes up again what they owned."""
        self.owner = self.final_owner
        self.hand = self.final_hand
        self.finish([winner])
