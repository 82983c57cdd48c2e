"""What a free table's screen shows while nobody plays: which duels of its own records are worth it."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, jsonify, request

from engine.errors import CrowntableError
from web.app import site

blueprint = Blueprint("attract", __name__)

#: how many stretches are shown in turn
BEST: Final = 5
#: seconds that the list may take; the screen asks again on its next round
PATIENCE: Final = 1.0


@blueprint.get("/api/v1/showcase")
def showcase() -> Any:
    """`?game=althera`: the stretches of this table's records that are worth showing to strangers, the best
    first (docs/view.md, `best`): a long pile, the field changing hands, a close end."""
    game = request.args.get("game", "")
    try:
        rows = site().table.matches(PATIENCE)
    except CrowntableError:
        rows = []  # the screen teaches and invites without them
    found = [one for row in rows for one in row.get("best", []) if not game or one["game"] == game]
    found.sort(key=lambda one: -one["score"])
    return jsonify(found[:BEST])
