"""One duel of the model: a list of plays, and everything else worked out from it each time (ALT-4, ALT-5)."""

from __future__ import annotations

from tests.model.althera_rules import Dict, is_special, kind


class Duel:
    """ALT-4: two seats and everything that has been laid between them."""

    def __init__(self, rules: Dict, attacker: int, defender: int) -> None:
        self.rules = rules
        self.attacker = attacker
        self.defender = defender
        self.plays: list[Dict] = []  # seat, side, card, sign, face, forced
        self.retreated: list[int] = []
        self.awaiting: Dict | None = None  # seat, why

    def sides(self) -> list[int]:
        return [self.attacker, self.defender]

    def enemy(self, side: int) -> int:
        return self.defender if side == self.attacker else self.attacker

    def own_plays(self, side: int) -> list[Dict]:
        """ALT-4.2, ALT-7.1: a side's own plays, without those of its interveners."""
        return [play for play in self.plays if play["seat"] == side and not play["intervened"]]

    def interveners(self) -> list[int]:
        return list(dict.fromkeys(play["seat"] for play in self.plays if play["intervened"]))

    def score_card_lies(self) -> bool:
        return any(not is_special(play["card"]) for play in self.plays)

    def next_to_play(self) -> int | None:
        """ALT-4.2: alternately, attacker first; whoever has laid fewer. None when all is played."""
        attacker, defender = len(self.own_plays(self.attacker)), len(self.own_plays(self.defender))
        if min(attacker, defender) >= self.rules["plays"]:
            return None
        return self.attacker if attacker <= defender else self.defender

    def standing_shield(self) -> int | None:
        """The place in the list of the first shield: no later one can be played against nobody's shield."""
        for n, play in enumerate(self.plays):
            if kind(play["card"]) == "shield":
                return n
        return None

    def shielded(self) -> list[int]:
        n = self.standing_shield()
        return [] if n is None else [self.plays[n]["side"]]

    def cancelled(self) -> set[int]:
        """ALT-5.1 and `shield_reach`: the places in the list of the specials that a shield has undone."""
        n = self.standing_shield()
        if n is None:
            return set()
        side = self.plays[n]["side"]
        reached = set(range(n, len(self.plays)))
        if self.rules["shield_reach"] == "whole_duel":
            reached = set(range(len(self.plays)))
        elif self.rules["shield_reach"] == "answered_and_later":
            reached.add(n - 1)
        enemy = [i for i, play in enumerate(self.plays) if play["side"] != side and is_special(play["card"])]
        return reached & set(enemy)

    def field(self) -> tuple[int, int] | None:
        """ALT-4.3 and ALT-5, card after card: (owner, value), or None while the field is empty."""
        field: tuple[int, int] | None = None
        cancelled = self.cancelled()
        for n, play in enumerate(self.plays):
            if n in cancelled:
                continue
            if not is_special(play["card"]):
                field = self.lay_score(field, play)
            elif play["forced"] or self.may_be_played(play["card"], play["side"], field, play["intervened"]):
                field = self.lay_special(field, play)
        return field

    def lay_score(self, field: tuple[int, int] | None, play: Dict) -> tuple[int, int]:
        """ALT-4.3."""
        value = self.rules["scores"][kind(play["card"])][0]
        side = play["side"]
        if field is None:
            return side, value
        owner, stands = field
        if owner != side and value >= stands:
            owner = side
        return owner, stands + value

    def lay_special(self, field: tuple[int, int] | None, play: Dict) -> tuple[int, int] | None:
        """ALT-5.1 to ALT-5.4."""
        side = play["side"]
        stands = 0 if field is None else field[1]
        if kind(play["card"]) == "oracle":
            if play["face"] is None:
                return field
            return side, stands + self.rules["die"][play["face"] - 1]
        if field is None or kind(play["card"]) == "shield":
            return field
        if kind(play["card"]) == "overtake":
            if field[0] == side:
                return field
            return side, stands + 1 + (stands if self.rules["overtake_value"] == "accumulates" else 0)
        half_up = (stands + 1) // 2
        if play["sign"] == "+":
            return side, stands + half_up
        if play["sign"] == "-":
            return side, (half_up if self.rules["alteration_rounding"] == "result_up" else stands - half_up)
        return field

    def may_be_played(self, card: str, side: int, field: tuple[int, int] | None, intervened: bool) -> bool:
        """ALT-5.5: open, answer, field. An intervener may raise a shield over its side's own field, too
        (the worked cases say so; it protects from what is still to come)."""
        answer = field is not None and field[0] != side
        if self.rules["answer_scope"] == "defender_only" and side == self.attacker:
            answer = False
        if kind(card) == "shield":
            return field is None or answer or intervened
        if kind(card) == "oracle":
            return True
        return answer
