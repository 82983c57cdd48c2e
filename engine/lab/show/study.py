"""The worked study: which matches it plays, and the file that keeps them between two starts.

All parts are played in rounds, a little of each, so that whenever it is stopped every question has the
same part of its matches.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import CrowntableError
from engine.games import game_named
from engine.lab.compare import Block, play_block
from engine.lab.plan import Plan, key_of, program
from engine.lab.tally import Tally
from engine.lab.work import work
from engine.records.record import hash_of

#: All matches of the study, unless fewer are asked for.
MATCHES = 1_000_000
SEED = "althera-v2"
#: How often every part has its turn.
ROUNDS = 200

#: The rulings that are tried, one at a time (docs/rulings.md); in the order of the table there.
RULINGS: tuple[tuple[str, str], ...] = (
    ("closing_card", "required"),
    ("initiative", "clockwise"),
    ("initiative", "leader"),
    ("shield_reach", "later_only"),
    ("shield_reach", "whole_duel"),
    ("overtake_value", "replaces"),
    ("alteration_rounding", "change_up"),
    ("answer_scope", "defender_only"),
    ("retreat_by", "defender_only"),
    ("retreat_faces", "[6]"),
    ("retreat_faces", "[4, 5, 6]"),
    ("refill", "fresh_five"),
)
#: And among three players those that need a third, or where one can intervene.
RULINGS_OF_THREE: tuple[tuple[str, str], ...] = (
    ("initiative", "clockwise"),
    ("initiative", "leader"),
    ("shield_reach", "whole_duel"),
    ("tiebreak_many", "sudden_death"),
)
SPECIALS = ("shield", "overtake", "alteration", "oracle")
EVERY_SPECIAL = "+".join(SPECIALS)


@dataclass(frozen=True, slots=True)
class Part:
    """One question's matches. Several `plans` are played on the same seeds, the default rules first."""

    name: str
    plans: tuple[Plan, ...]

    @property
    def seeds(self) -> int:
        """How many matches each plan gets."""
        return self.plans[0].matches

    @property
    def key(self) -> str:
        """What its matches must share to be counted together."""
        return hash_of([key_of(plan) for plan in self.plans])


def parts(matches: int = MATCHES) -> tuple[Part, ...]:
    """All parts, for about so many matches altogether."""
    found = [_part(f"seats/{n}", matches, share, n) for n, share in ((2, 202), (3, 80), (4, 40), (5, 20))]
    lengths = ((2, 5, 8), (2, 10, 4), (3, 5, 4), (3, 10, 2), (4, 5, 2), (4, 10, 1), (5, 5, 2), (5, 10, 1))
    found += [_part(f"length/{n}/{turns}", matches, share, n, turns=turns) for n, turns, share in lengths]
    found.append(_part("rulings/2", matches, 330, 2, changes=RULINGS))
    found.append(_part("rulings/3", matches, 60, 3, changes=RULINGS_OF_THREE))
    found += [_against(f"never/{kind}", matches, 30, f"greedy:never={kind}") for kind in SPECIALS]
    found.append(_against("never/all", matches, 20, f"greedy:never={EVERY_SPECIAL}"))
    found += [_against(f"always/{kind}", matches, 15, f"greedy:always={kind}") for kind in SPECIALS]
    found.append(_part("careful/seats", matches, 20, 2, bots=("careful",)))
    found += [
        _against(f"careful/never/{kind}", matches, 6, f"careful:never={kind}", "careful") for kind in SPECIALS
    ]
    return tuple(found)


def _against(name: str, matches: int, share: int, restricted: str, free: str = "greedy") -> Part:
    """A bot against the same one with its hands tied; they change places every match."""
    return _part(name, matches, share, 2, bots=(free, restricted))


def _part(
    name: str,
    matches: int,
    share: int,
    players: int,
    turns: int = 3,
    bots: tuple[str, ...] = ("greedy",),
    changes: Sequence[tuple[str, str]] = (),
) -> Part:
    """`share` thousandths of all matches, dealt out to the default rules and each change of them."""
    game = game_named("althera")
    rules = [game.ruleset_json(game.ruleset(None, dict([one]))) for one in changes]
    seeds = max(10, matches * share // 1000 // (1 + len(rules)))
    plans = tuple(
        Plan("althera", ruleset, players, turns, bots, seeds, f"{SEED}/{name}")
        for ruleset in (game.ruleset_json(game.ruleset()), *rules)
    )
    return Part(name, plans)


class Kept:
    """The blocks that have been played, in one SQLite file. Use it as a context manager.

    Raises CrowntableError where the file can't be used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=30)
            with self._base:
                self._base.executescript(
                    "begin;"
                    "create table if not exists part (name text primary key, key text, program text);"
                    "create table if not exists block (part text, start integer, stop integer,"
                    " tallies text, primary key (part, start));"
                )
        except (OSError, sqlite3.Error) as error:
            raise self._trouble(str(error)) from None

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def open(self, part: Part) -> None:
        """Makes room for a part's matches. Raises CrowntableError where the file has other ones."""
        try:
            with self._base:
                row = (part.name, part.key, program())
                self._base.execute("insert or ignore into part values (?, ?, ?)", row)
            found = self._base.execute("select key from part where name = ?", (part.name,)).fetchone()
        except sqlite3.Error as error:
            raise self._trouble(str(error)) from None
        if found[0] != part.key:
            raise CrowntableError(
                f"{self._path} holds a study of other rules, bots or another version of this program.",
                "Choose another file with --store, or write up what it holds with --write-only.",
            )

    def missing(self, part: Part) -> list[tuple[int, int]]:
        """The ranges of the part's matches that are not in the file yet."""
        gaps, at = [], 0
        query = "select start, stop from block where part = ? order by start"
        for start, stop in self._base.execute(query, (part.name,)):
            if start > at:
                gaps.append((at, min(start, part.seeds)))
            at = max(at, stop)
        gaps.append((at, part.seeds))
        return [(start, stop) for start, stop in gaps if start < stop]

    def add(self, part: str, stop: int, block: Block) -> None:
        """Writes a block; it is on the disk when this returns. Raises CrowntableError."""
        text = json.dumps([tally.to_json() for tally in block.tallies])
        try:
            with self._base:
                row = (part, block.start, stop, text)
                self._base.execute("insert or ignore into block values (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise self._trouble(str(error)) from None

    def blocks(self, part: str) -> list[Block]:
        """What has been played of a part, in order."""
        query = "select start, tallies from block where part = ? order by start"
        return [
            Block(start, tuple(map(Tally.from_json, json.loads(text))))
            for start, text in self._base.execute(query, (part,))
        ]

    def programs(self) -> list[str]:
        """The versions of the engine that played it."""
        return [one for (one,) in self._base.execute("select distinct program from part order by program")]

    def _trouble(self, said: str) -> CrowntableError:
        return CrowntableError(
            f"{self._path} can't be used: {said}.",
            "Is its folder there and writable? Choose another file with --store.",
        )


def play(
    kept: Kept,
    todo: Sequence[Part],
    workers: int = 1,
    cluster: str | None = None,
    told: Callable[[int], None] | None = None,
) -> int:
    """Plays what is missing; returns how many matches the file then holds of these parts.

    `told` hears that number now and then. Raises CrowntableError as `work.work` does; on
    KeyboardInterrupt all blocks that were done are in the file.
    """
    by_name = {part.name: part for part in todo}
    for part in todo:
        kept.open(part)
    rounds = _rounds(kept, todo)
    done = whole(todo) - sum((job[3] - job[2]) * len(by_name[job[0]].plans) for job in rounds)
    for name, stop, block in work(_play, rounds, workers, cluster):
        kept.add(name, stop, block)
        done += (stop - block.start) * len(by_name[name].plans)
        if told is not None:
            told(done)
    return done


def whole(todo: Sequence[Part]) -> int:
    """How many matches the parts are, all rulesets counted."""
    return sum(part.seeds * len(part.plans) for part in todo)


def _rounds(kept: Kept, todo: Sequence[Part]) -> list[tuple[str, tuple[Plan, ...], int, int]]:
    """The jobs that are left, a little of every part in turn."""
    queues = [list(_jobs(part, kept.missing(part))) for part in todo]
    return [
        job
        for number in range(ROUNDS)
        for queue in queues
        for job in queue[number * len(queue) // ROUNDS : (number + 1) * len(queue) // ROUNDS]
    ]


def _jobs(part: Part, missing: Sequence[tuple[int, int]]) -> Iterator[tuple[str, tuple[Plan, ...], int, int]]:
    """Blocks: small enough for a bootstrap over a hundred of them, and for Ctrl-C to be quick."""
    size = max(1, min(100, part.seeds // 100))
    for begin, end in missing:
        for start in range(begin, end, size):
            yield part.name, part.plans, start, min(start + size, end)


def _play(name: str, plans: tuple[Plan, ...], start: int, stop: int) -> tuple[str, int, Block]:
    return name, stop, play_block(plans, start, stop)
