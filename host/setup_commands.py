"""Commands that set a table up: enrolling a deck at its scan spot, and its zones by touch."""

from __future__ import annotations

from engine.errors import CrowntableError
from engine.games import games
from host.core import Core
from host.enrolment import Enrolment, deck_of
from host.entry import Json
from host.face import Outcome, Who
from host.zonesetup import ZoneSetup, layout_file, save_layout

NAMES = (
    "enrol-start", "enrol-card", "enrol-stop",
    "zones-start", "zones-skip", "zones-back", "zones-save", "zones-stop",
)  # fmt: skip


def set_up(core: Core, name: str, command: Json, who: Who) -> Outcome:
    """Carries one of NAMES out; see host.face.Table.command."""
    try:
        if name.startswith("enrol"):
            return _enrol(core, name, command, who)
        return _zones(core, name, who)
    except CrowntableError as error:
        return Outcome(False, f"{error.what} {error.cure}")


def _enrol(core: Core, name: str, command: Json, who: Who) -> Outcome:
    if name == "enrol-start":
        return _enrol_start(core, command, who)
    if core.enrolment is None:
        return Outcome(False, "No enrolment is running: begin one first.")
    if name == "enrol-card":
        return Outcome(True, core.enrolment.choose(str(command["card"])))
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
    left = [card for card in deck if command.get("again") or core.book.cards.uid_of(card) is None]
    core.enrolment = Enrolment(core.book, deck, left, zone.reader, zone.antenna, zone.id)
    where = core.words().zone(zone)
    return core.say("notice", f"Cards are enrolled at {where}: {len(left)} of {len(deck)} to go.", who)


def _zones(core: Core, name: str, who: Who) -> Outcome:
    if name == "zones-start":
        if core.match is not None and not core.match.over:
            return Outcome(False, "A match is running; zones are set up between matches.")
        core.enrolment = None
        spots = {zone.id: (zone.reader, zone.antenna) for zone in core.layout.zones}
        lying = [(spots[zone], uid) for zone, uid, _, _ in core.tracker.cards()]
        core.zone_setup = ZoneSetup(core.layout, lying)
        return core.say("notice", "The zones are set up by touch; cards are not read meanwhile.", who)
    setup = core.zone_setup
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
    zone = setup.zone()
    asked = f"Lay any card on {core.words().zone(zone)}." if zone else "Every zone is set up: save it."
    return Outcome(True, asked)


def _zones_save(core: Core, setup: ZoneSetup, who: Who) -> Outcome:
    layout = setup.result()
    path = layout_file(core.journal.path.parent, layout.name)
    save_layout(path, layout)
    core.zone_setup = None
    core.use_layout(layout)
    return core.say("notice", f"{len(setup.bound)} zones are set up and kept in {path}.", who)
