"""A match's time line for people who look for a moment on it: its duels, or stretches where a game has none,
each with the actions in it, in the words of the record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from host.entry import Json

#: actions in a stretch of a match, or of what is left of one, that has no duels
STRETCH: Final = 12
#: actions of which the time line's stretches alone are given: a page of all would be slow on a phone
MOST: Final = 900
#: what is no moment to speak of
_DULL: Final = ("setup", "keep")


def stretches(summary: Json) -> list[Json]:
    """The time line out of a replay's `summary()`, oldest first: `{"kind": "duel" | "part", "seq": of its
    first action, "from", "to": numbers of actions, "clock", "until": seconds, "turn", "attacker", "defender",
    "winner", "value": a duel's, else None, "steps": [{"seq", "n", "clock", "text", "flags": [text]}],
    "flags": how many}`. Over MOST actions `steps` are left out. A flag stands with the action before it."""
    steps: Sequence[Json] = summary["steps"]
    if not steps:
        return []
    flags: dict[int, list[str]] = {}
    for flag in summary["flags"]:
        flags.setdefault(max(1, flag["n"]), []).append(flag["text"])
    spans = [(duel, _inside(steps, duel)) for duel in sorted(summary["duels"], key=lambda d: d["from"])]
    taken = {step["n"] for _, inside in spans for step in inside}
    rest = [s for s in steps if s["n"] not in taken and (s["do"] not in _DULL or s["n"] in flags)]
    if spans:
        # Between duels nobody plays: what is left matters only where a match broke off, or was flagged.
        last = spans[-1][0]["to"]
        rest = [step for step in rest if step["n"] > last or step["n"] in flags]
    parts = [(None, rest[at : at + STRETCH]) for at in range(0, len(rest), STRETCH)]
    rows = [_stretch(duel, inside, flags, len(steps)) for duel, inside in [*spans, *parts] if inside]
    return sorted(rows, key=lambda row: (row["from"], row["kind"]))


def _inside(steps: Sequence[Json], duel: Json) -> list[Json]:
    """The actions of one duel: others may go on beside it."""
    pair = (duel["attacker"], duel["defender"])
    return [step for step in steps[duel["from"] - 1 : duel["to"]] if _of(step, pair)]


def _of(step: Json, pair: tuple[int, int]) -> bool:
    field = step.get("field")
    return (field["a"], field["b"]) == pair if field else step["seat"] in pair


def _stretch(duel: Json | None, inside: Sequence[Json], flags: dict[int, list[str]], total: int) -> Json:
    about = duel or {}
    rows = [
        {**{key: step[key] for key in ("seq", "n", "clock", "text")}, "flags": flags.get(step["n"], [])}
        for step in inside
    ]
    return {
        "kind": "duel" if duel else "part",
        "seq": inside[0]["seq"],
        "from": inside[0]["n"],
        "to": inside[-1]["n"],
        "clock": inside[0]["clock"],
        "until": inside[-1]["clock"],
        **{key: about.get(key) for key in ("turn", "attacker", "defender", "winner", "value")},
        "steps": rows if total <= MOST else [],
        "flags": sum(len(row["flags"]) for row in rows),
    }


def found(summary: Json, seq: int) -> Json | None:
    """The action of that `seq` among a summary's steps; None where it doesn't hold (any more)."""
    return next((step for step in summary["steps"] if step["seq"] == seq), None)
