"""Results on disk: one SQLite file a plan, written part by part, so that any stop loses next to nothing."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.errors import CrowntableError
from engine.game import Json
from engine.lab.plan import Plan, hashes, key_of, program
from engine.lab.simulate import ROW, Part
from engine.lab.tally import Tally
from engine.whole import write_whole

#: The layout of the file.
FORMAT = 1

_TABLES = f"""
create table about (key text primary key, value text not null) without rowid;
create table part (
    start integer primary key, stop integer not null, program text not null, tally text not null
);
create table match (number integer primary key, {", ".join(f"{name} integer" for name in ROW)});
"""


class Results:
    """The file at `path`, made where there is none. Use it as a context manager.

    Raises CrowntableError where it can't be written or holds something else; where it holds matches of
    other rules, cards, players, bots, another seed or another program than the plan's: a file holds one
    plan's matches and no others.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self._path = path
        try:
            self._base = sqlite3.connect(path, timeout=30)
            if self._read("select count(*) from sqlite_master")[0][0] == 0:
                self._begin(plan)
            self._check(plan)
        except sqlite3.Error as error:
            raise self._trouble(error) from None

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def _begin(self, plan: Plan) -> None:
        rules, cards = hashes(plan)
        about = {
            "format": str(FORMAT),
            "key": key_of(plan),
            "plan": json.dumps(asdict(plan)),
            "ruleset_hash": rules,
            "cards_hash": cards,
            "program": program(),
        }
        with self._base:
            self._base.executescript(f"begin; {_TABLES}")
            self._base.executemany("insert into about values (?, ?)", about.items())

    def _check(self, plan: Plan) -> None:
        tables = {name for (name,) in self._read("select name from sqlite_master where type = 'table'")}
        if not {"about", "part", "match"} <= tables:
            raise CrowntableError(
                f"{self._path} is a database of something else.", "Choose another file for --out."
            )
        about = dict(self._read("select key, value from about"))
        if about.get("format") != str(FORMAT):
            raise CrowntableError(
                f"{self._path} was written by a version of the lab that this one can't read.",
                "Choose another file for --out.",
            )
        if about["key"] != key_of(plan):
            raise CrowntableError(
                f"{self._path} holds matches that these may not be counted with: {_differs(about, plan)}.",
                "Choose another file for --out.",
            )

    def missing(self, matches: int) -> list[tuple[int, int]]:
        """The ranges of match numbers below `matches` that are not in the file yet."""
        gaps, at = [], 0
        for start, stop in self._read("select start, stop from part order by start"):
            if start > at:
                gaps.append((at, min(start, matches)))
            at = max(at, stop)
        gaps.append((at, matches))
        return [(start, stop) for start, stop in gaps if start < stop]

    def add(self, part: Part) -> None:
        """Writes a part; it is on the disk when this returns. Raises CrowntableError."""
        marks = ", ".join("?" * (1 + len(ROW)))
        row = (part.start, part.stop, part.program, json.dumps(part.tally.to_json()))
        try:
            with self._base:
                self._base.execute("insert or ignore into part values (?, ?, ?, ?)", row)
                self._base.executemany(f"insert or ignore into match values ({marks})", part.rows)
        except sqlite3.Error as error:
            raise self._trouble(error) from None

    def tally(self) -> Tally:
        """Everything in the file, added up."""
        total = Tally()
        for (text,) in self._read("select tally from part order by start"):
            total.add(Tally.from_json(json.loads(text)))
        return total

    def _read(self, query: str) -> list[Any]:
        return self._base.execute(query).fetchall()

    def _trouble(self, error: sqlite3.Error) -> CrowntableError:
        said = str(error)
        if "not a database" in said:
            return CrowntableError(f"{self._path} is no file of results.", "Choose another file for --out.")
        if "full" in said:
            return CrowntableError(
                f"The disk is full: {self._path} takes no more.",
                "Make room and start the same command again; it goes on from there.",
            )
        return CrowntableError(
            f"{self._path} can't be used: {said}.",
            "Is its folder there and writable? Choose another file for --out.",
        )


def _differs(about: dict[str, str], plan: Plan) -> str:
    """What keeps two plans apart, in words."""
    then: Json = json.loads(about["plan"])
    now: Json = json.loads(json.dumps(asdict(plan)))
    rules, cards = hashes(plan)
    found = []
    if about["ruleset_hash"] != rules:
        found.append(
            f"rules {then['ruleset'].get('name')} ({about['ruleset_hash'][:8]}) instead of {rules[:8]}"
        )
    elif about["cards_hash"] != cards:
        found.append("another card set")
    for name in ("game", "players", "turns", "bots", "seed", "handicap"):
        if then[name] != now[name]:
            said = {"bots": "other bots"}.get(
                name, f"another {name}" if name != "players" else "other players"
            )
            found.append(f"{said} ({then[name]} instead of {now[name]})")
    if about["program"] != program():
        found.append("another version of this program")
    return "; ".join(found) or "another plan"


def write_json(path: Path, answer: Json) -> None:
    """Writes the report beside the file of results, whole or not at all. Raises CrowntableError."""
    try:
        write_whole(path, json.dumps(answer, indent=1) + "\n")
    except OSError as error:
        raise CrowntableError(
            f"{path} could not be written: {error.strerror}.", "Choose another place for --out, or make room."
        ) from None
