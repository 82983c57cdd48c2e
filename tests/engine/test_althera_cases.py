"""The worked cases of shared/cases/althera: 26 duels step by step, nine whole matches line by line."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.althera import GAME
from engine.game import Finding, Verdict
from tests.shared_data import SHARED

CASES = SHARED / "cases" / "althera"
DUELS: list[dict[str, Any]] = json.loads((CASES / "duels.json").read_text("utf-8"))
MATCHES = sorted(CASES.glob("match*.jsonl"))


def apply(state: Any, obj: dict[str, Any]) -> Verdict:
    action = GAME.parse(obj)
    assert not isinstance(action, Finding), (obj, action)
    return GAME.apply(state, action)


def first_named(verdict: Verdict) -> str | None:
    """The code a judge names first. What is only for information nobody is blamed for."""
    return next((f.code for f in verdict.findings if f.severity != "info"), None)


def last_duel(state: Any) -> dict[str, Any] | None:
    """The last duel, its lists sorted: the cases give them in no particular order."""
    last: dict[str, Any] | None = GAME.state_json(state)["last_duel"]
    return last and in_order(last)


def in_order(last: dict[str, Any]) -> dict[str, Any]:
    specials = {seat: sorted(cards) for seat, cards in last["specials"].items()}
    return {**last, "captured": sorted(last["captured"]), "specials": specials}


@pytest.mark.parametrize("case", DUELS, ids=[case["name"] for case in DUELS])
def test_named_duel(case: dict[str, Any]) -> None:
    state = GAME.initial(GAME.ruleset_from_json(case["ruleset"]))
    for obj in case["setup"]:
        verdict = apply(state, obj)
        assert verdict.ok, (obj, verdict.findings)
        state = verdict.state
    for number, step in enumerate(case["steps"]):
        verdict = apply(state, step["action"])
        duels = GAME.state_json(verdict.state)["duels"]
        seen = {
            "action": step["action"],
            "ok": verdict.ok,
            "first": first_named(verdict),
            "field": duels[0]["field"] if duels else None,
            "running": bool(duels),
        }
        assert seen == step, f"step {number}: {verdict.findings}"
        if not verdict.ok:
            assert verdict.state is state
        state = verdict.state
    assert last_duel(state) == (case["last_duel"] and in_order(case["last_duel"]))
    counts = {str(seat["seat"]): seat["cards"] for seat in GAME.state_json(state)["seats"]}
    assert counts == case["cards"]


def expectation(state: Any) -> dict[str, Any]:
    """The state in the cases' short form."""
    public = GAME.state_json(state)
    seats = {str(seat["seat"]): seat for seat in public["seats"]}
    return {
        "phase": public["phase"],
        "turn": public["turn"],
        "crown": public["crown"],
        "winners": public["winners"],
        "cards": {number: seat["cards"] for number, seat in seats.items()},
        "hand": {number: seat["hand"] for number, seat in seats.items()},
        "out": {number: seat["out"] for number, seat in seats.items()},
        "declarer": public["declarer"],
        "pairs_left": public["pairs_left"],
        "duels": sorted(
            [
                duel["attacker"],
                duel["defender"],
                duel["field"] and [duel["field"]["owner"], duel["field"]["value"]],
                duel["to_play"],
                duel["awaiting_roll"],
            ]
            for duel in public["duels"]
        ),
        "last": last_duel(state),
    }


@pytest.mark.parametrize("path", MATCHES, ids=[path.stem for path in MATCHES])
def test_whole_match(path: Path) -> None:
    head, *lines = map(json.loads, path.read_text("utf-8").splitlines())
    state = GAME.initial(GAME.ruleset_from_json(head["ruleset"]))
    for number, line in enumerate(lines, 2):
        verdict = apply(state, line["action"])
        where = f"{path.name}:{number}: {verdict.findings}"
        assert (verdict.ok, first_named(verdict)) == (line["ok"], line["first"]), where
        state = verdict.state
        expect = line["expect"]
        if expect["last"]:
            expect["last"] = in_order(expect["last"])
        assert expectation(state) == expect, where


def test_no_case_is_missed() -> None:
    assert len(DUELS) == 26
    assert len(MATCHES) == 9
