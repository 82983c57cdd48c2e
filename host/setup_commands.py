"""Commands that set a table up: its layout, ports, dice tray and lights, its deck, its zones by touch."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.errors import CrowntableError
from engine.games import games
from host import cardlist
from host.core import Core
from host.enrolment import MODES, Enrolment, Mode, Writer, deck_of
from host.entry import Json
from host.face import Outcome, Who
from host.layout import parse_layout, part_of_tray, shipped_layouts
from host.settings import (
    NAME,
    SEEN,
    STATES,
    STEPS,
    box_of,
    keep_own,
    layout_of,
    own_layouts,
)
from host.workbench import COLOURS, TEST_SECONDS, LightTest
from host.zonesetup import ZoneSetup, as_set_up, layout_file, save_layout

#: a port or a source is a path or an address; nothing longer is one
LONGEST_PORT = 200


def set_up(core: Core, name: str, command: Json, who: Who) -> Outcome:
    """Carries one of NAMES out; see host.face.Table.command."""
    try:
        return _JOBS[name](core, command, who)
    except CrowntableError as error:
        return Outcome(False, f"{error.what} {error.cure}")


# -- the deck -------------------------------------------------------------------------------------


def _enrol_card(core: Core, command: Json, who: Who) -> Outcome:
    if core.enrolment is None:
        return Outcome(False, "No enrolment is running: begin one first.")
    return Outcome(True, core.enrolment.choose(str(command["card"])))


def _enrol_stop(core: Core, command: Json, who: Who) -> Outcome:
    if core.enrolment is None:
        return Outcome(False, "No enrolment is running: begin one first.")
    bound = len(core.enrolment.bound)
    core.enrolment = None
    return core.say("notice", f"The enrolment ends: {bound} cards have got their tags.", who)


def _enrol_start(core: Core, command: Json, who: Who) -> Outcome:
    if core.zone_setup is not None:
        return Outcome(False, "Zones are being set up: finish that first.")
    wanted = str(command.get("zone") or "")
    zone = next((z for z in core.layout.zones if z.id == wanted or (not wanted and z.kind == "scan")), None)
    if zone is None:
        return Outcome(False, f"This table has no zone {wanted!r}." if wanted else "It has no scan spot.")
    name = str(command.get("game") or core.layout.game)
    game = games().get(name)
    if game is None:
        return Outcome(False, f"The game {name!r} is not known; there are: {', '.join(sorted(games()))}.")
    core.book.refresh()
    if core.book.trouble:
        return Outcome(False, core.book.trouble)
    only = str(command.get("only") or "")
    deck = [card for card in deck_of(game) if card.startswith(only)]
    if not deck:
        return Outcome(False, f"No card of {name} begins with {only[:60]!r}.")
    mode = _one_of(command.get("mode") or "number", MODES, "way to enrol")
    left = [card for card in deck if command.get("again") or core.book.cards.uid_of(card) is None]
    writer = None if mode == "number" else _writer(core, zone.reader)
    core.enrolment = Enrolment(core.book, deck, left, zone.reader, zone.antenna, zone.id, _mode(mode), writer)
    where = core.words().zone(zone)
    return core.say("notice", f"Cards are enrolled at {where}: {len(left)} of {len(deck)} to go.", who)


def _mode(name: str) -> Mode:
    return next(mode for mode in MODES if mode == name)


def _writer(core: Core, reader: str) -> Writer:
    """Raises CrowntableError where that reader can't write."""
    write, can = core.bench.writer, core.bench.writing
    if write is None or reader not in can:
        raise CrowntableError(
            f"The reader {reader} can't write on tags.",
            "Enrol by number, or give the scan spot a PN532 or a USB reader.",
        )
    return lambda uid, card, lock: write(reader, uid, card, lock)


def _cards_import(core: Core, command: Json, who: Who) -> Outcome:
    """A card list that somebody has edited elsewhere."""
    given = cardlist.parse(_plain(command["text"]), "The file")
    if not given.entries:
        return Outcome(False, "The file binds no card. Its lines are: card,uid,note")
    known = {card for game in games().values() for card in deck_of(game)}
    for entry in given.entries:
        if entry.card not in known:
            near = difflib.get_close_matches(entry.card, known, 1)
            meant = f" Is it {near[0]}?" if near else ""
            return Outcome(False, f"The file has {entry.card[:60]!r}, which is no card.{meant}")
    core.book.refresh()
    merged = given if command.get("replace") else core.book.cards.merged(given)
    core.book.keep(merged)
    core.enrolment = None
    words = f"{len(given.entries)} cards are taken over; {len(merged.entries)} cards have a tag now."
    return core.say("notice", words, who)


# -- zones by touch -------------------------------------------------------------------------------


def _zones_start(core: Core, command: Json, who: Who) -> Outcome:
    if core.match is not None and not core.match.over:
        return Outcome(False, "A match is running; zones are set up between matches.")
    core.enrolment = None
    spots = {zone.id: (zone.reader, zone.antenna) for zone in core.layout.zones}
    lying = [(spots[zone], uid) for zone, uid, _, _ in core.tracker.cards()]
    core.zone_setup = ZoneSetup(core.layout, lying)
    return core.say("notice", "The zones are set up by touch; cards are not read meanwhile.", who)


def _zones(core: Core, command: Json, who: Who) -> Outcome:
    setup = core.zone_setup
    name = command["cmd"]
    if setup is None:
        return Outcome(False, "Zones are not being set up: begin with that first.")
    if name == "zones-stop":
        core.zone_setup = None
        core.use_layout(core.layout)
        return core.say("notice", "The zones stay as they were.", who)
    if name == "zones-save":
        return _zones_save(core, setup, who)
    if name == "zones-skip":
        setup.skip()
    else:
        setup.back()
    return Outcome(True, core.words().touch(setup.zone()))


def _zones_save(core: Core, setup: ZoneSetup, who: Who) -> Outcome:
    layout = setup.result()
    path = layout_file(core.bench.data, layout.name)
    save_layout(path, layout)
    core.zone_setup = None
    core.use_layout(layout)
    return core.say("notice", f"{len(setup.bound)} zones are set up and kept in {path}.", who)


# -- the table itself -----------------------------------------------------------------------------


def _step(core: Core, command: Json, who: Who) -> Outcome:
    """A step of the set-up page was done, or left out on purpose."""
    step = _one_of(command.get("step"), STEPS, "step")
    state = _one_of(command.get("state"), STATES, "state of a step")
    settings = core.bench.settings
    core.bench.keep(replace(settings, steps={**settings.steps, step: state}))
    return Outcome(True, "Left out for now." if state == "skipped" else "Kept.")


def _language(core: Core, command: Json, who: Who) -> Outcome:
    language = str(command.get("language") or "")
    if not (language.isascii() and language.isalpha() and len(language) <= 3):
        return Outcome(False, "That is no language's short name, like en or it.")
    core.bench.keep(replace(core.bench.settings, language=language))
    return Outcome(True, "Kept.")


def _asking(core: Core, command: Json, who: Who) -> Outcome:
    """Whether the screens ask how a match was (host.feedback)."""
    on = command.get("on")
    if not isinstance(on, bool):
        return Outcome(False, "The command 'setup-asking' takes on (true or false).")
    core.bench.keep(replace(core.bench.settings, asking=on))
    text = "The screens ask how a match was." if on else "The screens no longer ask how a match was."
    return Outcome(True, text)


def _layout_use(core: Core, command: Json, who: Who) -> Outcome:
    """Another layout: the table starts anew with it."""
    name, given = str(command.get("layout") or ""), core.bench.given
    if given is not None and given.name == name and name not in own_layouts(core.bench.data):
        layout = given
    elif NAME.fullmatch(name) and name in {*shipped_layouts(), *own_layouts(core.bench.data)}:
        layout = layout_of(core.bench.data, name)
    else:
        return Outcome(False, "There is no layout of that name; the set-up page lists them.")
    if layout.game not in games():
        return Outcome(False, f"The game {layout.game[:40]!r} is not known.")
    as_set_up(core.bench.data, layout)  # a kept file that is wrong is said now, not at the next start
    settings = core.bench.settings
    steps = {**settings.steps, "table": "done"}
    core.bench.keep(replace(settings, layout=layout.name, steps=steps))
    if layout == given:
        return Outcome(True, f"{layout.name} stays.")
    core.bench.restart = layout
    return core.say("notice", f"The table starts anew as {layout.name}.", who)


def _layout_own(core: Core, command: Json, who: Who) -> Outcome:
    """A layout file of somebody's own: checked whole, then kept beside the shipped ones."""
    layout = parse_layout(_plain(command["text"]), str(command.get("name") or "the file")[:60])
    if layout.game not in games():
        known = ", ".join(sorted(games()))
        return Outcome(False, f"The game {layout.game[:40]!r} is not known; there are: {known}.")
    keep_own(core.bench.data, layout)
    return core.say("notice", f"The layout {layout.name} is kept; it can be chosen now.", who)


def _port(core: Core, command: Json, who: Who) -> Outcome:
    """Where a reader or a camera is plugged in; "" is the layout's own again."""
    device, port = str(command.get("device") or ""), str(command.get("port") or "").strip()
    known = [*(r.id for r in core.layout.readers), *(c.id for c in core.layout.cameras)]
    if device not in known:
        return Outcome(False, f"There is no such device; there are: {', '.join(known)}.")
    if len(port) > LONGEST_PORT or not port.isprintable():
        return Outcome(False, "That is no port: it is a path like /dev/ttyACM0, or an address.")
    settings = core.bench.settings
    ports = {name: where for name, where in settings.ports.items() if name != device}
    if port:
        ports[device] = port
    core.bench.keep(replace(settings, ports=ports))
    core.bench.restart = core.bench.given
    return core.say("notice", f"The table starts anew with {device} at its new place.", who)


def _tray(core: Core, command: Json, who: Who) -> Outcome:
    """A part of a camera's dice tray: its box in the camera's pixels, or None to forget it."""
    camera, part = str(command.get("camera") or ""), str(command.get("part") or "")
    if camera not in {c.id for c in core.layout.cameras}:
        return Outcome(False, "There is no such camera at this table.")
    parts = ["tray", *(part_of_tray(seat.id) for seat in core.layout.seats)]
    if part not in parts:
        return Outcome(False, f"There is no such part; there are: {', '.join(parts)}.")
    settings = core.bench.settings
    boxes = {name: box for name, box in settings.trays.get(camera, {}).items() if name != part}
    if command.get("box") is not None:
        box = box_of(command["box"])
        if box is None:
            return Outcome(False, "A part of the tray is left, top, width and height in pixels.")
        boxes[part] = box
    core.bench.keep(replace(settings, trays={**settings.trays, camera: boxes}))
    core.use_trays()
    return Outcome(True, "Kept.")


def _light_test(core: Core, command: Json, who: Who) -> Outcome:
    """Lights one light in one colour for a while; without `at` all are as they would be."""
    at = str(command.get("at") or "")
    if not at:
        core.bench.light = None
        return Outcome(True, "The test is over.")
    if at not in lights(core):
        return Outcome(False, "There is no such light at this table.")
    colour = _one_of(command.get("colour") or "white", tuple(COLOURS), "colour of a test")
    core.bench.light = LightTest(at, colour, core.clocks.mono() + TEST_SECONDS)
    return Outcome(True, "It is lit.")


def _light_seen(core: Core, command: Json, who: Who) -> Outcome:
    """Whether somebody saw the light."""
    at = str(command.get("at") or "")
    if at not in lights(core):
        return Outcome(False, "There is no such light at this table.")
    settings = core.bench.settings
    seen = _one_of(command.get("seen"), SEEN, "answer")
    core.bench.keep(replace(settings, lights={**settings.lights, at: seen}))
    core.bench.light = None
    return Outcome(True, "Kept.")


def lights(core: Core) -> list[str]:
    """The lights that this table may have: its crown, and the lamps of zones at a link."""
    layout = core.layout
    links = {reader.id for reader in layout.readers if reader.driver == "link"}
    crown = ["crown"] if layout.crown.gpio is not None or layout.crown.link is not None else []
    return [*crown, *(zone.id for zone in layout.zones if zone.reader in links)]


def _plain(text: Any) -> str:
    """What was sent, without halves of characters, which no file takes."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _one_of(value: Any, allowed: tuple[str, ...], what: str) -> str:
    if value not in allowed:
        raise CrowntableError(f"There is no such {what}.", f"There are: {', '.join(allowed)}.")
    return str(value)


_JOBS: dict[str, Callable[[Core, Json, Who], Outcome]] = {
    "enrol-start": _enrol_start,
    "enrol-card": _enrol_card,
    "enrol-stop": _enrol_stop,
    "cards-import": _cards_import,
    "zones-start": _zones_start,
    "zones-skip": _zones,
    "zones-back": _zones,
    "zones-save": _zones,
    "zones-stop": _zones,
    "setup-step": _step,
    "setup-language": _language,
    "setup-asking": _asking,
    "layout-use": _layout_use,
    "layout-own": _layout_own,
    "device-port": _port,
    "tray-part": _tray,
    "light-test": _light_test,
    "light-seen": _light_seen,
}
NAMES = tuple(_JOBS)
#: the fields of each command beside `cmd`
FIELDS: dict[str, tuple[str, ...]] = {
    "enrol-start": ("game", "only", "again", "zone", "mode"),
    "enrol-card": ("card",),
    "cards-import": ("text", "replace"),
    "setup-step": ("step", "state"),
    "setup-language": ("language",),
    "setup-asking": ("on",),
    "layout-use": ("layout",),
    "layout-own": ("text", "name"),
    "device-port": ("device", "port"),
    "tray-part": ("camera", "part", "box"),
    "light-test": ("at", "colour"),
    "light-seen": ("at", "seen"),
}
