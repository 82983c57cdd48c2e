"""How far the table is set up: the `setup` of the operator's view (docs/view.md). Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from engine.games import games
from host.core import Core
from host.enrolment import deck_of
from host.entry import Json
from host.settings import STEPS
from host.setup_commands import lights


@cache
def _deck(game: str) -> tuple[str, ...]:
    return tuple(deck_of(games()[game])) if game in games() else ()


def setup_view(core: Core) -> Json:
    """The steps and their states, lights, cards with tags, what is missing."""
    settings = core.bench.settings
    deck = _deck(core.layout.game)
    bound = sum(core.book.cards.uid_of(card) is not None for card in deck)
    light = core.bench.light
    return {
        "layout": core.layout.name,
        "game": core.layout.game,
        "language": settings.language,
        "first": not settings.steps and not settings.layout and core.match is None,
        "steps": [{"step": step, "state": settings.steps.get(step)} for step in STEPS],
        "light": {"at": light.at, "colour": light.colour} if light else None,
        "lights": [{"at": at, "seen": settings.lights.get(at)} for at in lights(core)],
        "cards": {"bound": bound, "total": len(deck)},
        "trays": {
            camera: {part: list(box) for part, box in boxes.items()}
            for camera, boxes in settings.trays.items()
        },
        "cameras": {camera.id: _camera(core, camera.id) for camera in core.layout.cameras},
        "restarting": core.bench.restart is not None,
        "missing": list(missing(core)),
    }


def _camera(core: Core, name: str) -> Json:
    """What is known of a camera's picture: figures, and sentences each in a `text`."""
    state = core.devices.get(name)
    facts: Json = dict(state.health.facts) if state is not None else {}
    score = str(facts.get("calibration", ""))
    return {
        "mode": facts.get("mode"),
        "rate": facts.get("frames_per_s"),
        "brightness": facts.get("brightness"),
        "exposure": {"text": facts.get("exposure", "")},
        "calibration": {"text": score, "poor": score.startswith("Poor")} if score else None,
        "light": {"text": facts.get("white balance", "")},
    }


def missing(core: Core) -> Iterator[Json]:
    """What the table still lacks, each with the step that mends it: {"step", "what", …}. The page has a
    sentence for each `what`."""
    settings, layout = core.bench.settings, core.layout
    for name in [*(reader.id for reader in layout.readers), *(camera.id for camera in layout.cameras)]:
        state = core.devices.get(name)
        if state is None or state.health.state != "up":
            detail = state.health.detail if state is not None else ""
            yield {"step": "devices", "what": "device", "id": name, "detail": detail}
    if layout.zones and settings.steps.get("zones") != "done":
        yield {"step": "zones", "what": "zones"}
    for camera in layout.cameras:
        state = core.devices.get(camera.id)
        if state is not None and "calibration" not in dict(state.health.facts):
            yield {"step": "camera", "what": "calibration", "id": camera.id}
    for at in lights(core):
        if settings.lights.get(at) == "unseen":
            yield {"step": "lights", "what": "light", "id": at}
    without = _without_tags(core)
    if without:
        yield {"step": "decks", "what": "cards", "n": len(without), "of": len(_deck(layout.game))}


def _without_tags(core: Core) -> list[str]:
    """The cards that still lack a tag: of houses (or sets) that have some already, for nobody owns them
    all; of the whole deck while none has any."""
    deck = _deck(core.layout.game)
    without = [card for card in deck if core.book.cards.uid_of(card) is None]
    begun = {card.split("/")[0] for card in deck if core.book.cards.uid_of(card) is not None}
    return [card for card in without if card.split("/")[0] in begun] if begun else without
