"""What a Raspberry Pi says of itself: voltage, temperature. Elsewhere it says nothing, and that is fine.

Under-voltage is read from the kernel's `rpi_volt` sensor; what happened since boot from the firmware's
throttling bits (Raspberry Pi documentation, vcgencmd get_throttled: bit 0 now, bit 16 since boot).
"""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from host.device import Emit
from host.sighting import Health

SYS = Path("/sys")
PERIOD = 5.0
HOT = 80.0


@dataclass(frozen=True, slots=True)
class PiFacts:
    """`low_now`, `low_before`: under-voltage now, since boot; None where this machine can't tell.
    `celsius`: the processor's temperature, None likewise."""

    low_now: bool | None
    low_before: bool | None
    celsius: float | None


def read_facts(sys: Path = SYS) -> PiFacts:
    """The facts now."""
    low_now = low_before = None
    for sensor in sys.glob("class/hwmon/hwmon*/name"):
        if _read(sensor) == "rpi_volt":
            alarm = _read(sensor.with_name("in0_lcrit_alarm"))
            low_now = None if alarm is None else alarm == "1"
    bits = _read(sys / "devices/platform/soc/soc:firmware/get_throttled")
    if bits is not None:
        with contextlib.suppress(ValueError):
            word = int(bits, 16)
            low_now, low_before = bool(word & 1), bool(word & 0x10000)
    heat = _read(sys / "class/thermal/thermal_zone0/temp")
    celsius = None
    if heat is not None:
        with contextlib.suppress(ValueError):
            celsius = int(heat) / 1000
    return PiFacts(low_now, low_before, celsius)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None


def judged(facts: PiFacts) -> tuple[str, str]:
    """(state, sentence) for the screen: `weak` while something needs somebody."""
    if facts.low_now:
        return "weak", "under-voltage: the Pi gets too little power; use its own supply and a short cable"
    if facts.celsius is not None and facts.celsius >= HOT:
        return "weak", f"the processor is at {facts.celsius:.0f} °C; give it air"
    if facts.low_before:
        return "up", "well now; there was under-voltage since it started: check its supply when you can"
    return "up", "power and temperature are well"


class PiMonitor:
    """A device that watches the Pi itself. Says nothing on machines that have no such sensors."""

    id = "pi"

    def __init__(self, sys: Path = SYS, period: float = PERIOD) -> None:
        self._sys = sys
        self._period = period
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, emit: Emit) -> None:
        """Begins to watch."""
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, args=(emit,), name="pi", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2.0)

    def _run(self, emit: Emit) -> None:
        said = None
        while not self._stop.is_set():
            facts = read_facts(self._sys)
            if facts.low_now is None and facts.low_before is None:
                return
            state, detail = judged(facts)
            if (state, detail) != said:
                said = state, detail
                emit(_health(self.id, state, detail, facts))
            self._stop.wait(self._period)


def _health(name: str, state: str, detail: str, facts: PiFacts) -> Health:
    numbers = () if facts.celsius is None else (("celsius", facts.celsius),)
    return Health(time.monotonic(), name, "pi", "weak" if state == "weak" else "up", detail, numbers)
