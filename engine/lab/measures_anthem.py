"""Anthem's own measures: layouts, keeping, the dragon."""

from __future__ import annotations

from collections.abc import Mapping

from engine.anthem.actions import Keep, Lay
from engine.anthem.state import State, stuck
from engine.lab.measures import Facts, lead
from engine.lab.trace import Seen


def measure_anthem(seen: Seen, facts: Facts) -> None:
    """Adds all of them."""
    last: State = seen.steps[-1].after
    first = seen.steps[0].after.to_move
    if seen.winners is not None:
        facts["win.first"] = (int(first in seen.winners), 1)
        facts["win.dragon"] = (int(last.dragon), 1)
    kinds = [type(step.action) for step in seen.steps]
    kept, lays = kinds.count(Keep), kinds.count(Lay)
    inferred = sum(len(step.after.inferred) for step in seen.steps if isinstance(step.action, Lay | Keep))
    if kept + lays:
        facts["lay.kept"] = (kept + inferred, kept + lays + inferred)
    facts["lay.stuck"] = (sum(stuck(last, seat) for seat in last.seats), len(last.seats))
    scores = [
        (index, _scores(step.after)) for index, step in enumerate(seen.steps) if isinstance(step.action, Lay)
    ]
    lead(facts, scores, seen)


def _scores(state: State) -> Mapping[int, int]:
    """Cards that lie in each layout beside its Start and End."""
    return {seat.seat: 6 - seat.layout.count(None) for seat in state.seats}
