"""Where the firmware's files are: in a checkout, or where the installed distribution put them."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.errors import CrowntableError


def firmware_folder() -> Path:
    """The folder with main.py and sim/. Raises CrowntableError where the installation lacks it."""
    places = (
        Path(__file__).resolve().parents[2] / "firmware",
        Path(sys.prefix) / "share" / "crowntable" / "firmware",
    )
    for place in places:
        if (place / "main.py").is_file():
            return place
    raise CrowntableError(
        "The firmware's files are missing from this installation.",
        "Install crowntable again; looked in " + " and ".join(str(place) for place in places) + ".",
    )
