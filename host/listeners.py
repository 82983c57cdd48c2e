"""Who wants to know when there is something new to show."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Listeners:
    """Functions that take a view's version number; safe to call from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: list[Callable[[int], None]] = []

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, changed: Callable[[int], None]) -> Callable[[], None]:
        """Calls `changed` from now on; what it gives ends that, and may be called twice."""
        with self._lock:
            self._all.append(changed)

        def stop() -> None:
            with self._lock:
                if changed in self._all:
                    self._all.remove(changed)

        return stop

    def tell(self, version: int) -> None:
        """Calls everyone, in this thread and without a lock held: they may stop or add meanwhile."""
        with self._lock:
            everyone = list(self._all)
        for changed in everyone:
            changed(version)
