"""Which zones' lamps are lit: those that the match says (host.scene), or the one that is being set up by
touch; and one that is tested. Pure."""

from __future__ import annotations

from host.core import Core
from host.crown_scene import CrownScene
from host.entry import Json
from host.scene import lights
from host.workbench import ASKED


def lit(core: Core, view: Json | None = None) -> dict[tuple[str, int], CrownScene]:
    """(reader, antenna) -> what its lamp shows; all others are dark. Lamps sit at their antennas, so a
    zone's lamp is where the layout says that the zone is. `view` is the spectators'."""
    spots = {zone.id: (zone.reader, zone.antenna) for zone in core.layout.zones}
    shown = {} if core.zone_setup is not None or view is None else lights(view)
    lamps = {spots[zone]: scene for zone, scene in shown.items()}
    zone = core.zone_setup.zone() if core.zone_setup is not None else None
    if zone is not None:
        lamps[spots[zone.id]] = ASKED
    test = core.bench.light
    if test is not None and test.at in spots:
        lamps[spots[test.at]] = test.scene()
    return lamps
