"""The View: one state of the table for one audience, as docs/view.md describes it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from engine.game import Audience
from host.core import Core, DeviceState
from host.entry import Entry, Json
from host.grounds import evidence_of, grounds
from host.interpret.context import TROUBLES, twins
from host.match import Match, name_of
from host.scene import scene
from host.setup_view import setup_view
from host.words import Words

#: seat colours where the game gives none (Anthem)
PLAIN_COLOURS = ("#b3243a", "#c9971c", "#3b8fc4", "#3f8f4f")
EVENT_KINDS = frozenset(
    ["match", "action", "undo", "redo", "amend", "allow", "answer", "device", "flag", "announce", "judge",
     "pause", "resume", "dismiss", "notice"]
)  # fmt: skip


@cache
def program_version() -> str:
    """This installation's version."""
    try:
        return version("crowntable")
    except PackageNotFoundError:
        return "development"


def make_view(core: Core, audience: Audience, number: int, virtual: bool) -> Json:
    """The whole View; `number` is the publication it belongs to."""
    match = core.match
    game = match.game.view(match.state, audience) if match else {}
    saved = core.saved()
    view: Json = {
        "version": number,
        "seq": saved,
        "boot": core.clocks.boot,
        "at": core.clocks.wall(),
        "program": program_version(),
        "audience": {"kind": audience.kind, "seat": audience.seat},
        "match": _match(core, match, virtual) if match else None,
        "game": _named(game, core),
        "seats": seat_rows(match.begun, core.words()) if match else [],
        "findings": _findings(match) if match else [],
        "questions": _questions(match, audience) if match else [],
        "grounds": grounds(match, game) if match else {"cards": {}, "rolls": {}},
        "events": _events(core, saved),
        "devices": [_device(name, state) for name, state in sorted(core.devices.items())],
        "banner": _banner(core),
        "zones": _zones(core),
        "scan": {"text": core.scan.text, "card": core.scan.card, "at": core.scan.at} if core.scan else None,
        "dice": _dice(core, game),
        "undo": _undo(core, match),
        "redo": _redo(core, match),
        "asking": core.bench.settings.asking,
        "notices": [{"text": n.text, "at": n.at} for n in reversed(core.notes)],
        **_setting_up(core, audience),
    }
    shown = scene(view)
    view["crown"] = {
        "colour": "#{:02x}{:02x}{:02x}".format(*shown.colour),
        "pattern": shown.pattern,
        "pace": shown.pace,
        "why": shown.why,
        "hardware": _hardware(core),
    }
    return view


def _named(game: Json, core: Core) -> Json:
    """The game's view with the players' names where the rules' reasons have numbers."""
    words = core.words()
    for option in game.get("options", ()):
        if option["why"]:
            option["why"] = option["why"] | {"text": words.named(option["why"]["text"])}
    return game


def _setting_up(core: Core, audience: Audience) -> Json:
    """What the operator alone sees: how the table is set up, a running enrolment, zones being touched."""
    if audience.kind != "operator":
        return {"enrolment": None, "zone_setup": None, "setup": None}
    zones = core.zone_setup.view() if core.zone_setup else None
    if core.zone_setup and zones is not None:
        asked = core.words().touch(core.zone_setup.zone())
        zones["text"] = f"{zones['text']} {asked}".strip()
    return {
        "enrolment": core.enrolment.view() if core.enrolment else None,
        "zone_setup": zones,
        "setup": setup_view(core),
    }


def _match(core: Core, match: Match, virtual: bool) -> Json:
    state = match.public()
    body = match.begun.body
    return {
        "id": name_of(match.begun),
        "game": match.game.name,
        "ruleset": body["ruleset"].get("name", "") or body["ruleset_sha256"][:8],
        "number": body.get("number", 1),
        "started": match.begun.wall,
        "elapsed": match.clock.now(core.clocks.boot, core.clocks.mono()),
        "expected": None,
        "paused": match.clock.paused,
        "over": state.get("phase") == "over",
        "virtual": virtual,
        "layout": core.layout.name,
        "edited": len(match.edited),
        "broken": [
            {"seq": line.seq, "text": core.words().action(line.action), "why": line.broken.text}
            for line in match.lines
            if line.broken is not None
        ],
    }


def seat_rows(begun: Entry, words: Words) -> list[Json]:
    """The players of a match, as a view's `seats`."""
    seats = []
    for i, seat in enumerate(begun.body["seats"]):
        seats.append(
            {
                "seat": seat["seat"],
                "name": words.seat(seat["seat"]),
                "house": seat.get("house"),
                "house_name": seat.get("house_name"),
                "colour": seat.get("colour") or PLAIN_COLOURS[i % len(PLAIN_COLOURS)],
            }
        )
    return seats


def _findings(match: Match) -> list[Json]:
    rows = []
    settled = [f for f in reversed(match.findings) if not f.open][:10]
    for found in [*(f for f in reversed(match.findings) if f.open), *settled]:
        rows.append(
            {
                "id": found.id,
                "seq": found.seq,
                **found.finding,
                "rule_text": match.game.rules.get(found.finding["rule"], ""),
                "cure": _cure(found.finding["severity"], found.action),
                "action": found.action,
                "at": found.at,
                "open": found.open,
            }
        )
    return rows


def _cure(severity: str, action: Json) -> str:
    if severity == "illegal":
        what = "Take the card back" if action.get("card") else "Undo it"
        return f"{what}, or let the table allow it."
    return "Look at it together; undo it or wave it through."


def _questions(match: Match, audience: Audience) -> list[Json]:
    return [
        {
            "id": q.id,
            "text": q.text,
            "seats": list(q.seats),
            "since": q.since,
            "zone": q.zone,
            "answers": [{"id": a.id, "label": a.label} for a in q.answers],
        }
        for q in match.questions.values()
        if audience.kind != "seat" or not q.seats or audience.seat in q.seats
    ]


def _events(core: Core, saved: int) -> list[Json]:
    undone = {line.seq for line in core.match.lines if line.undone} if core.match else set()
    rows = []
    devices: set[str] = set()
    for entry in reversed(core.events):
        if entry.kind == "device":
            # Of a device that comes and goes only the last word: the plays are what people look for.
            if entry.who.id in devices:
                continue
            devices.add(entry.who.id)
        if entry.kind in EVENT_KINDS and entry.text:
            edited = core.match is not None and entry.seq in core.match.edited
            rows.append(event_row(entry, edited, entry.seq in undone, entry.seq <= saved, core.match))
    return rows


def event_row(
    entry: Entry, edited: bool, undone: bool, recorded: bool = True, match: Match | None = None
) -> Json:
    """An entry as one of a view's `events`; with its match, an answer says what made the table ask."""
    return {
        "seq": entry.seq,
        "at": entry.wall,
        "kind": entry.kind,
        "text": entry.text,
        "ok": entry.ok,
        "who": f"{entry.who.kind} {entry.who.id}".strip(),
        "by_hand": entry.who.kind in ("seat", "operator"),
        "edited": edited,
        "undone": undone,
        "recorded": recorded,
        "evidence": evidence_of(entry, match),
    }


def _device(name: str, state: DeviceState) -> Json:
    health = state.health
    return {
        "id": name,
        "kind": health.kind,
        "state": health.state,
        "detail": health.detail,
        "since": state.since,
        "facts": dict(health.facts),
    }


def _banner(core: Core) -> list[Json]:
    rows = []
    if core.backlog.trouble:
        waiting = len(core.backlog.waiting)
        rows.append(
            {
                "level": "red",
                "text": f"Nothing is recorded: {core.backlog.trouble}. Play goes on; {waiting} entries wait.",
                "cure": "Free some space or mend the disk; what waits is then recorded by itself.",
            }
        )
    if core.bench.trouble:
        what, _, cure = core.bench.trouble.rpartition(" Mend ")
        rows.append({"level": "amber", "text": what, "cure": f"Mend {cure}"})
    if core.book.trouble:
        cure = "The list as it was before stays in use." if core.book.cards.entries else ""
        rows.append({"level": "amber", "text": core.book.trouble, "cure": cure})
    if core.zone_setup is not None:
        text = "The zones are being set up: cards are not read."
        rows.append({"level": "amber", "text": text, "cure": "It ends on the set-up page."})
    return [*rows, *(_amber(said) for said in _doubtful(core))]


def _doubtful(core: Core) -> Iterator[str]:
    """What is wrong on the table now: "what: cure"."""
    words, zones = core.words(), {zone.id: zone for zone in core.layout.zones}
    troubles = core.tracker.troubles()
    lost = {name for name, state in core.devices.items() if state.health.state == "lost"}
    for zone in core.layout.zones:
        if zone.id in troubles and zone.reader not in lost:  # a lost reader says so itself
            yield TROUBLES[troubles[zone.id]](words.zone(zone))
    for doubt in core.tracker.doubts():
        if doubt.twins and doubt.card is not None:
            kept, other = (words.zone(zones[z]) for z in (doubt.kept, doubt.other))
            yield twins(words.card(doubt.card), kept, other)


def _amber(said: str) -> Json:
    what, _, cure = said.partition(": ")
    return {"level": "amber", "text": f"{what}.", "cure": f"{cure[:1].upper()}{cure[1:]}"}


def _zones(core: Core) -> list[Json]:
    lying: dict[str, list[Json]] = {}
    for zone, _, card, state in core.tracker.cards():
        if card is not None:
            lying.setdefault(zone, []).append({"card": card, "state": state})
    rates, troubles = core.tracker.rates(), core.tracker.troubles()
    return [
        {
            "id": zone.id,
            "kind": zone.kind,
            "seat": zone.seat,
            "place": zone.place,
            "cards": lying.get(zone.id, []),
            "health": rates[zone.id],
            "trouble": troubles.get(zone.id),
        }
        for zone in core.layout.zones
    ]


def _dice(core: Core, game: Json) -> Json:
    why = "initiative" if game.get("phase") == "initiative" else "duel"
    return {
        "awaited": [{"seat": s, "why": why, "since": at} for s, at in core.awaited_since.items()],
        "last": [{"seat": s, "sure": True, **die} for s, die in sorted(core.last_die.items())],
        "seen": [
            {"camera": camera, "colour": d.colour, "face": d.face, "why": d.why, "confidence": d.confidence}
            for camera, dice in sorted(core.in_tray.items())
            for d in dice
        ],
    }


def _undo(core: Core, match: Match | None) -> Json:
    line = match.last_undoable() if match else None
    return {"possible": line is not None, "text": core.words().action(line.action) if line else None}


def _redo(core: Core, match: Match | None) -> Json:
    if match is None or not match.redo:
        return {"possible": False, "text": None}
    line = next(line for line in match.lines if line.seq == match.redo[-1])
    return {"possible": True, "text": core.words().action(line.action)}


def _hardware(core: Core) -> str:
    crowns = [s.health for s in core.devices.values() if s.health.kind == "crown"]
    # The page has its own words for "LED crown"; what it needs is where: on which pins, or on screen only.
    found = [h.detail.removeprefix("LED crown").removeprefix(":").strip() for h in crowns]
    return "; ".join(found) or "on screen only"
