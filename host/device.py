"""What every device driver is to the table: something that starts, emits Sightings, and stops.

A device runs in threads (or a process) of its own. It never raises into its caller, never blocks
`start` or `stop` for more than two seconds, says every change of its own state as a `Health`, and
tries for ever, with growing pauses (0.2 s up to 5 s), to come back after a loss.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from host.sighting import Sighting

Emit = Callable[[Sighting], None]


class Device(Protocol):
    """A running reader, camera or crown. `id` is the layout's id of it."""

    id: str

    def start(self, emit: Emit) -> None:
        """Begins; `emit` may be called from any thread of the device until `stop` returns."""

    def stop(self) -> None:
        """Ends within two seconds, lights off, everything closed. May be called twice."""
