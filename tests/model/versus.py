"""Engine against model: the same actions into both, and everything that comes out compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

from engine.game import Finding, Game

Dict = dict[str, Any]
Found = list[tuple[str, str]]


class Model(Protocol):
    """What both models offer."""

    def do(self, action: object) -> tuple[bool, Found]:
        """(ok, findings as (code, severity))."""

    def state(self) -> Dict:
        """The state as the contract writes it; only asked for once there has been a setup."""

    def is_set_up(self) -> bool:
        """Whether there has been one."""


class Pair:
    """An engine and a model that have seen the same actions."""

    def __init__(self, game: Game, ruleset: Any, model: Model) -> None:
        self.game = game
        self.ok = False
        self.found: Found = []
        self.before: Dict | None = None
        self.after: Dict | None = None
        self.engine_state = game.initial(ruleset)
        self.model = model

    def do(self, action: object) -> str | None:
        """Put one action into both. None, or what came out differently."""
        ok, found = self.model.do(action)
        found = once_each(found)
        self.ok, self.found = ok, found
        self.before = self.after
        self.after = plain(self.model.state()) if self.model.is_set_up() else None
        try:
            engine_ok, engine_found = self.engine_do(action)
        except Exception as error:  # noqa: BLE001 - the engine never raises: that it did is the difference
            return f"verdict\n  model:  {ok} {found}\n  engine: raised {error!r}"
        if (ok, found) != (engine_ok, engine_found):
            return f"verdict\n  model:  {ok} {found}\n  engine: {engine_ok} {engine_found}"
        if self.after is None:
            return None
        engine_state = plain(self.game.state_json(self.engine_state))
        if self.after == engine_state:
            return None
        where = differing(self.after, engine_state)
        return f"state, in {where}\n  model:  {self.after}\n  engine: {engine_state}"

    def engine_do(self, action: object) -> tuple[bool, Found]:
        parsed = self.game.parse(action)
        if isinstance(parsed, Finding):
            return False, [(parsed.code, parsed.severity)]
        verdict = self.game.apply(self.engine_state, parsed)
        if not verdict.ok:
            assert verdict.state is self.engine_state, "an illegal action has made a new state"
        self.engine_state = verdict.state
        return verdict.ok, once_each([(finding.code, finding.severity) for finding in verdict.findings])


def once_each(found: Found) -> Found:
    """Whether one finding names both seats or two findings one each is the engine's choice."""
    return list(dict.fromkeys(found))


def plain(state: Dict) -> Dict:
    """The lists inside `last_duel` are in no particular order (cases/README.md)."""
    last = state.get("last_duel")
    if last is None:
        return state
    specials = {seat: sorted(cards) for seat, cards in last["specials"].items()}
    return {**state, "last_duel": {**last, "captured": sorted(last["captured"]), "specials": specials}}


def differing(one: Any, other: Any, where: str = "") -> list[str]:
    """The paths at which two JSON values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [*one, *(key for key in other if key not in one)]
        return [path for key in keys for path in differing(one.get(key), other.get(key), f"{where}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [path for n, (a, b) in pairs for path in differing(a, b, f"{where}[{n}]")]
    return [] if one == other else [where]


def first_difference(pair: Pair, actions: Sequence[object]) -> tuple[int, str] | None:
    for n, action in enumerate(actions):
        difference = pair.do(action)
        if difference is not None:
            return n, difference
    return None


def minimised(fresh: Any, actions: list[object]) -> tuple[list[object], str]:
    """The fewest actions that still come out differently, and how. `fresh` makes a new `Pair`."""
    found = first_difference(fresh(), actions)
    assert found, "no difference left: the engine or the model is not deterministic"
    actions = actions[: found[0] + 1]
    size = max(1, len(actions) // 2)
    while size:
        start = 0
        while start < len(actions):
            fewer = actions[:start] + actions[start + size :]
            again = first_difference(fresh(), fewer)
            if again:
                found, actions = again, fewer[: again[0] + 1]
            else:
                start += size
        size //= 2
    return actions, found[1]


def report(title: str, fresh: Any, actions: list[object]) -> str:
    """The text of a failure: whose match it was, the fewest actions, both outcomes."""
    fewest, difference = minimised(fresh, actions)
    lines = "\n".join(json.dumps(action) for action in fewest)
    return f"{title}\n{lines}\nThe last one comes out differently: {difference}"
