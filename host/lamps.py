"""Which zones' lamps are lit: the one that is being set up by touch, or one that is tested. Pure."""

from __future__ import annotations

from host.core import Core
from host.crown_scene import CrownScene
from host.workbench import ASKED


def lit(core: Core) -> dict[tuple[str, int], CrownScene]:
    """(reader, antenna) -> what its lamp shows; all others are dark. Lamps sit at their antennas, so a
    zone's lamp is where the layout says that the zone is."""
    spots = {zone.id: (zone.reader, zone.antenna) for zone in core.layout.zones}
    lamps: dict[tuple[str, int], CrownScene] = {}
    zone = core.zone_setup.zone() if core.zone_setup is not None else None
    if zone is not None:
        lamps[spots[zone.id]] = ASKED
    test = core.bench.light
    if test is not None and test.at in spots:
        lamps[spots[test.at]] = test.scene()
    return lamps
