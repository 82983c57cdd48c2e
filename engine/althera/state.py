"""What Althera's table looks like at one moment: frozen records that share what did not change.

Dictionaries in here are never changed after they are made; a new one is made instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from engine.althera.actions import Player
from engine.althera.cards import Card
from engine.althera.ruleset import Ruleset

Phase: TypeAlias = Literal["setup", "initiative", "duels", "tiebreak", "over"]
Pair: TypeAlias = tuple[int, int]


class Seat(NamedTuple):
    """A seat's counts. `cards`: all it owns; `lying`: those of them in running duels."""

    seat: int
    house: str
    cards: int
    hand: int
    lying: int
    out: bool

    @property
    def free(self) -> int:
        """Cards in hand and deck together."""
        return self.cards - self.lying

    @property
    def deck(self) -> int:
        """Cards in the deck."""
        return self.cards - self.lying - self.hand


class Field(NamedTuple):
    """The value on a duel's field and the duellist who owns it."""

    owner: int
    value: int


class Laid(NamedTuple):
    """A card laid in a duel by `by` for duellist `side` (the same seat unless it intervenes)."""

    card: Card
    by: int
    side: int
    sign: str | None
    face: int | None
    cancelled: bool
    #: A special at a time when the rules don't let it act: the table ruled that it does.
    forced: bool
    #: The field before it was laid, as it stood then.
    before: Field | None
    #: An answer that this ruleset leaves to the defender: it does nothing.
    barred: bool = False


class Awaited(NamedTuple):
    """A roll that a duel waits for."""

    seat: int
    why: Literal["oracle", "retreat"]


class Duel(NamedTuple):
    """A duel. `shield`: the side whose shield stands, 0 for none (there can be only one)."""

    attacker: int
    defender: int
    field: Field | None = None
    by_attacker: int = 0
    by_defender: int = 0
    awaited: Awaited | None = None
    shield: int = 0
    interveners: tuple[int, ...] = ()
    retreated: tuple[int, ...] = ()
    #: Whether a score card lies on the field (ALT-7.1).
    scored: bool = False
    laid: tuple[Laid, ...] = ()
    cards: tuple[str, ...] = ()

    def enemy(self, seat: int) -> int:
        """The other duellist."""
        return self.defender if seat == self.attacker else self.attacker

    def played(self, seat: int) -> int:
        """How many of its cards of this duel a duellist has played."""
        return self.by_attacker if seat == self.attacker else self.by_defender

    @property
    def turn(self) -> int:
        """Whose play it is, a pending roll aside (ALT-4.2)."""
        return self.attacker if self[3] <= self[4] else self.defender  # by_attacker, by_defender


class LastDuel(NamedTuple):
    """How the duel that ended last came out. `specials`: seat -> cards it receives."""

    duel: Duel
    winner: int | None
    ended_by: Literal["three_cards", "stand", "retreat"]
    captured: tuple[str, ...]
    specials: Mapping[int, tuple[str, ...]]


class Tiebreak(NamedTuple):
    """The extra duels of ALT-9.2. `seats` and `owners` are the final count, kept apart."""

    seats: Mapping[int, Seat]
    owners: Mapping[str, int]
    #: Still in it, in seat order (sudden death: the one who stays on first).
    tied: tuple[int, ...]
    #: Pairs to duel, the running one first.
    pairs: tuple[Pair, ...]
    #: Duels won in this round, by seat.
    won: Mapping[int, int]


_NOTHING: Mapping[int, int] = MappingProxyType({})


class Match(NamedTuple):
    """All that changes seldom: only when a duel begins or ends, or a turn does."""

    rules: Ruleset
    players: tuple[Player, ...] = ()
    #: Seat -> what its player is called in a sentence: `Ada`, or `seat 2`.
    called: Mapping[int, str] = MappingProxyType({})
    turns: int = 0
    phase: Phase = "setup"
    turn: int = 0
    crown: int | None = None
    #: Initiative: seats that still have to roll, and the faces of those who have.
    to_roll: tuple[int, ...] = ()
    rolled: Mapping[int, int] = _NOTHING
    #: Who declared last in this turn.
    declared: int | None = None
    #: Pairs whose duel of this turn has not ended, sorted.
    pairs_left: tuple[Pair, ...] = ()
    #: Card id -> seat it may be played by.
    owners: Mapping[str, int] = MappingProxyType({})
    #: Cards of each seat when this turn began.
    began: Mapping[int, int] = _NOTHING
    last_duel: LastDuel | None = None
    winners: tuple[int, ...] | None = None
    tiebreak: Tiebreak | None = None


@dataclass(frozen=True, slots=True)
class State:
    """The whole table. `before` is the state that undo goes back to; it does not count for equality."""

    match: Match
    seats: Mapping[int, Seat]
    duels: tuple[Duel, ...] = ()
    before: State | None = field(default=None, compare=False, repr=False)
    #: Applied actions since then that changed nothing (undo takes them back too).
    idle: int = 0


def duel_of(state: State, seat: int) -> Duel | None:
    """The running duel that `seat` is one of the two duellists of."""
    for duel in state.duels:
        if duel[0] == seat or duel[1] == seat:  # attacker, defender: quicker by place than by name
            return duel
    return None


def first_clockwise(seats: Iterable[int], start: int) -> int:
    """The first of `seats` met from seat `start` on, clockwise, `start` itself included.

    >>> first_clockwise((1, 3), start=4)
    1
    """
    return (start + min([(seat - start) % 6 for seat in seats])) % 6


def declarer(state: State) -> int | None:
    """Whose turn it is to declare a duel, or None where no pair can be declared now (ALT-3.2)."""
    match = state.match
    if match.phase != "duels" or match.crown is None:
        return None
    busy = [seat for duel in state.duels for seat in duel[:2]]
    able = [
        seat for one, two in match.pairs_left if one not in busy and two not in busy for seat in (one, two)
    ]
    if not able:
        return None
    return first_clockwise(able, match.crown if match.declared is None else match.declared + 1)
