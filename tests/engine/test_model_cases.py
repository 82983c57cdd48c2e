"""The independent model against the worked cases: it has to pass them before it may judge the engine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.model.althera import Match
from tests.shared_data import SHARED

CASES = SHARED / "cases" / "althera"
DUELS: list[dict[str, Any]] = json.loads((CASES / "duels.json").read_text(encoding="utf-8"))
MATCHES = sorted(CASES.glob("match*.jsonl"))


def first_code(ok: bool, findings: list[tuple[str, str]]) -> str | None:
    """What the cases call `first`: the finding named first, plain information aside."""
    named = [code for code, severity in findings if severity != "info"]
    assert ok or named
    return named[0] if named else None


def without_order(last: dict[str, Any] | None) -> dict[str, Any] | None:
    """The lists inside `last_duel` are in no particular order."""
    if last is None:
        return None
    specials = {seat: sorted(cards) for seat, cards in last["specials"].items()}
    return {**last, "captured": sorted(last["captured"]), "specials": specials}


def by_seat(state: dict[str, Any], what: str) -> dict[str, Any]:
    return {str(seat["seat"]): seat[what] for seat in state["seats"]}


@pytest.mark.parametrize("case", DUELS, ids=lambda case: str(case["name"]).replace(" ", "-"))
def test_named_duel(case: dict[str, Any]) -> None:
    match = Match(**case["ruleset"])
    for action in case["setup"]:
        assert match.do(action) == (True, [])
    for step in case["steps"]:
        ok, findings = match.do(step["action"])
        assert (ok, first_code(ok, findings)) == (step["ok"], step["first"]), step
        duels = match.state()["duels"]
        assert bool(duels) == step["running"], step
        assert (duels[0]["field"] if duels else None) == step["field"], step
    state = match.state()
    assert without_order(state["last_duel"]) == without_order(case["last_duel"])
    assert by_seat(state, "cards") == case["cards"]


def in_short(duel: dict[str, Any]) -> list[Any]:
    field = duel["field"] and [duel["field"]["owner"], duel["field"]["value"]]
    return [duel["attacker"], duel["defender"], field, duel["to_play"], duel["awaiting_roll"]]


@pytest.mark.parametrize("path", MATCHES, ids=lambda path: str(path.stem))
def test_whole_match(path: Any) -> None:
    header, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    match = Match(**header["ruleset"])
    for number, line in enumerate(lines, start=2):
        ok, findings = match.do(line["action"])
        where = f"{path.name}:{number} {line['action']}"
        assert (ok, first_code(ok, findings)) == (line["ok"], line["first"]), where
        state, expect = match.state(), line["expect"]
        got = {
            **{name: state[name] for name in ("phase", "turn", "crown", "winners", "pairs_left")},
            **{name: by_seat(state, name) for name in ("cards", "hand", "out")},
            "declarer": state["declarer"] if state["phase"] == "duels" else None,
            "duels": sorted(map(in_short, state["duels"])),
            "last": without_order(state["last_duel"]),
        }
        assert got == {**expect, "last": without_order(expect["last"])}, where


def test_all_the_cases_are_here() -> None:
    assert len(DUELS) == 26
    assert len(MATCHES) == 9
