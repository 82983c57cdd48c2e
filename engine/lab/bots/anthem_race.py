"""Anthem played to its end in numbers alone: what a searching bot does some hundreds of times a decision.

It knows the rules that chance runs through (ANT-3.1, ANT-4, ANT-6) and nothing of claims, proofs and undo;
`tests/engine/test_lab_anthem_race.py` holds it against the engine, turn by turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from engine.lab.bots.anthem_careful import NEVER, Row, expected_turns, followers

#: The Dead among a hand's values.
DEAD = 0
#: Turns a seat that a race goes on for; after them nobody has won.
TURNS = 40


class Manner:
    """How everybody plays on: each card where the layout is then complete soonest by these counts, and
    kept where it spoils the layout. What was worked out is kept for the next race."""

    def __init__(self, counts: Sequence[int], size: int) -> None:
        """`counts`: copies of the values 1 to 8 that are still in hands, of `size` cards, in one unit."""
        self._counts, self._size = tuple(counts), size
        self._turns: dict[Row, float] = {}
        self._known: dict[Row, tuple[Row | None, ...]] = {}

    def after(self, row: Row) -> tuple[Row | None, ...]:
        """For the values 0 to 8 as drawn: the row with that card laid, None where it is kept."""
        known = self._known.get(row)
        if known is None:
            rows: list[Row | None] = [None] * 9
            for value, then in followers(row):
                rows[value] = min(then, key=self.turns) if any(self.turns(t) < NEVER for t in then) else None
            known = self._known[row] = tuple(rows)
        return known

    def turns(self, row: Row) -> float:
        """How many turns the row still takes, by the odds."""
        return expected_turns(row, self._counts, self._size, self._turns)


class Table:
    """Rows and hands (values, `DEAD` for a Dead) of the players in their order; `mover` is whose turn it
    is next, `dragon` whether all Deads in one hand win (ANT-6.2)."""

    def __init__(self, rows: Sequence[Row], hands: Sequence[Sequence[int]], mover: int, dragon: bool) -> None:
        self.rows, self.hands = list(rows), [list(hand) for hand in hands]
        self.mover, self.dragon = mover, dragon

    def source(self) -> int | None:
        """Whose hand the mover draws from: the next to the right that has cards (ANT-3.1)."""
        count = len(self.hands)
        for back in range(1, count + 1):
            if self.hands[self.mover - back]:
                return (self.mover - back) % count
        return None

    def turn(self, source: int, at: int, row: Row | None) -> None:
        """The mover takes the card at that place of the source's hand and lays it, which makes its row
        `row`, or keeps it: None."""
        hand = self.hands[source]
        hand[at], hand[-1] = hand[-1], hand[at]
        card = hand.pop()
        if row is None:
            self.hands[self.mover].append(card)
        else:
            self.rows[self.mover] = row
        self.mover = (self.mover + 1) % len(self.hands)

    def winners(self) -> list[int]:
        """Who has won now (ANT-6.1, ANT-6.2); nobody as a rule."""
        rows, hands = self.rows, self.hands
        won = [who for who, row in enumerate(rows) if 0 not in row and DEAD not in hands[who]]
        if self.dragon:
            whole = len(hands)
            won += [who for who, hand in enumerate(hands) if hand.count(DEAD) == whole]
        return won


def race(table: Table, who: int, manner: Manner, rng: Random) -> float:
    """What the match played on is worth to `who`: 1 for a win, 0 for another's, and a part of it where
    several win or nobody does in good time. The table is used up by it."""
    chance, hands, rows, after = rng.random, table.hands, table.rows, manner.after
    for _ in range(TURNS * len(hands)):
        won = table.winners()
        if won:
            return won.count(who) / len(won)
        source = table.source()
        if source is None:
            break
        hand = hands[source]
        at = int(chance() * len(hand))
        table.turn(source, at, after(rows[table.mover])[hand[at]])
    return 0.5 / len(hands)
