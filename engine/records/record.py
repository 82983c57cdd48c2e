"""A match record: a header and a line an action."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import CrowntableError
from engine.game import Finding, Game, Json, Verdict
from engine.games import game_named

#: The format that this program writes, and those it reads. Format 1 had no end line.
FORMAT = 2
READ = (1, FORMAT)


@dataclass(frozen=True, slots=True)
class Header:
    """What holds for the whole match.

    `ruleset` is the whole ruleset as JSON, so that the record replays under it whatever later
    versions ship; `ruleset_hash` and `cards_hash` say quickly whether two records can be compared.
    `seats` are `{"seat": 1, "house": "cremisi", "name": "Ada"}`, without what the setup left out.
    `match` names the match where its table did, `started` is its wall clock in Unix seconds, and
    `program` is the version that wrote the record.
    """

    game: str
    ruleset: Json
    ruleset_hash: str
    cards_hash: str
    seats: tuple[Json, ...]
    match: str | None = None
    started: float | None = None
    program: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One action and what the rules said to it. All but the first three only where it is known.

    `codes` are the findings' codes in order. `seq` is the journal's number; `wall` Unix seconds and
    `mono` monotonic seconds within `boot`; `who` entered it (`{"kind": "device", "id": "pico"}`);
    `evidence` are the settled events behind it; `edited`: a person changed or entered it afterwards.
    `state` is the public state after it, which a replay then compares too.
    """

    action: Json
    ok: bool
    codes: tuple[str, ...] = ()
    seq: int | None = None
    wall: float | None = None
    mono: float | None = None
    boot: str | None = None
    who: Json | None = None
    evidence: tuple[Any, ...] = ()
    edited: bool = False
    state: Json | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A match record. `torn` says what was, or may have been, cut off where the file's end is incomplete."""

    header: Header
    lines: tuple[Line, ...]
    torn: str | None = None


def record_of(
    game: Game,
    ruleset: Any,
    actions: Iterable[Json],
    *,
    states: bool = False,
    details: Sequence[Mapping[str, Any]] = (),
    **about: Any,
) -> Record:
    """The record of a match that is given by its JSON actions, the setup first.

    The rules are asked again for each verdict. `states` keeps the public state after every action;
    without it only the last one is kept. `details[i]` are further fields of the i-th line (see
    `Line`), `about` those of the header (`match`, `started`, `program`).

    Raises CrowntableError where there is no setup or an entry is no action.
    """
    state = game.initial(ruleset)
    lines: list[Line] = []
    header: Header | None = None
    for i, action in enumerate(actions):
        verdict = judge(game, state, action)
        state = verdict.state
        more = details[i] if i < len(details) else {}
        after = game.state_json(state) if states and verdict.ok else None
        codes = tuple(f.code for f in verdict.findings)
        lines.append(Line(action, verdict.ok, codes, state=after, **more))
        if header is None and verdict.ok and action.get("do") == "setup":
            header = header_of(game, ruleset, action, state, **about)
    if header is None:
        raise CrowntableError("There is no match in this: nothing was set up.", "Begin with a setup action.")
    if lines[-1].state is None:
        lines[-1] = replace(lines[-1], state=game.state_json(state))
    return Record(header, tuple(lines))


def header_of(game: Game, ruleset: Any, setup: Json, state: Any, **about: Any) -> Header:
    """The header of a match that this setup action has begun; `state` is the one after it."""
    rules = game.ruleset_json(ruleset)
    seats = tuple(dict(player) for player in setup["players"])
    return Header(game.name, rules, hash_of(rules), hash_of(_cards(game, state)), seats, **about)


def _cards(game: Game, state: Any) -> list[str]:
    """Every card of the match. A game whose `cards` can't say that much has `all_cards` beside it."""
    all_cards = getattr(game, "all_cards", game.cards)
    return sorted(all_cards(state))


def judge(game: Game, state: Any, action: object) -> Verdict:
    """The verdict on a JSON action; one that is no action gets its `bad-input` finding."""
    parsed = game.parse(action)
    if isinstance(parsed, Finding):
        return Verdict(False, (parsed,), state)
    return game.apply(state, parsed)


def game_of(record: Record) -> tuple[Game, Any]:
    """The record's game and the ruleset it carries. Raises CrowntableError where either is unknown."""
    game = game_named(record.header.game)
    return game, game.ruleset_from_json(record.header.ruleset)


def hash_of(value: Any) -> str:
    """SHA-256 of `canonical(value)`, in hex."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def canonical(value: Any) -> str:
    """JSON that is the same for equal values: keys sorted, no spaces, plain ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
