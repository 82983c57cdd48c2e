"""The power budget: what every rail must give, what it can, and whether the LEDs can be seen."""

from __future__ import annotations

from dataclasses import dataclass

from host.products.build import Build, wrong
from host.products.geometry import TRAY
from host.products.parts import part

MARGIN = 0.8  # a supply works day and night at this part of its rating at most
LED_WHITE = 60.0  # mA, one WS2812B at full white
LED_DARK = 0.9  # mA, one that is off
LEAST_LIGHT = 0.1  # of full white, all LEDs together: less is not seen by day
STEP_DOWN = 0.85  # efficiency of a regulator from 5 V to 3.3 V
STRIP_M = round(2 * (TRAY[0] + TRAY[1]) / 1000, 2)


@dataclass(frozen=True, slots=True)
class Rail:
    """One supply: `draws` (who, mA at most), `gives` mA that it is rated for, `limit` what may be drawn."""

    name: str
    volts: float
    gives: float
    limit: float
    draws: tuple[tuple[str, float], ...]

    @property
    def sum(self) -> float:
        """All draws together, mA."""
        return round(sum(draw for _, draw in self.draws))


def leds(build: Build) -> int:
    """How many WS2812B LEDs there are."""
    return build.ring + build.lamps * len(build.antennas())


def readers_ma(build: Build) -> float:
    """What the Pico's readers draw at 3.3 V: all chips on, one field on at a time."""
    chip, count = part("rc522"), len(build.antennas())
    return count * chip.idle + (chip.peak - chip.idle) if count else 0.0


def own_regulator(build: Build) -> bool:
    """Whether the readers need more at 3.3 V than the Pico can give."""
    return readers_ma(build) > part("pico").gives


def rails(build: Build) -> tuple[Rail, ...]:
    """Every rail of the table, not yet judged."""
    readers = readers_ma(build)
    at_five = round(readers * 3.3 / 5 / STEP_DOWN)
    usb: list[tuple[str, float]] = [("webcam", part("webcam").peak) for _ in build.layout.cameras]
    table: list[tuple[str, float]] = []
    found = []
    if build.link() is not None:
        usb.append(("Pico", part("pico").peak))
        rail = table if own_regulator(build) else usb
        rail.append((f"{len(build.antennas())} readers, through 3.3 V", at_five))
    if leds(build):
        (table if build.supply else usb).append((f"{leds(build)} LEDs, capped by the firmware", build.budget))
    if build.strip:
        (table if build.supply else usb).append(
            (f"{STRIP_M} m LED strip", round(STRIP_M * part("strip").peak_m))
        )
    if any(reader.port.startswith("tty:USB") for reader in build.layout.readers):
        usb.append(("PN532 on its USB adapter", part("pn532").peak + part("usb-serial").peak))
    pi = part(build.pi)
    ports = 2 if build.pi == "own-computer" else 1
    found.append(Rail("USB ports", 5.0, pi.usb * ports, pi.usb * ports, tuple(usb)))
    if build.pi != "own-computer":
        pins = [("PN532", part("pn532").peak * 3.3 / 5)] if _pn532_on_pins(build) else []
        supply = part(f"supply-{build.pi}")
        draws = ((pi.name.split(",")[0], pi.peak), *pins, *usb)
        found.insert(0, Rail(supply.name, 5.0, supply.gives, supply.gives * MARGIN, draws))
    if build.link() is not None:
        source = part("regulator" if own_regulator(build) else "pico")
        words = "step-down module, 3.3 V" if own_regulator(build) else "the Pico's 3.3 V pin"
        draws = ((f"{len(build.antennas())} readers", readers),)
        found.append(Rail(words, 3.3, source.gives, source.gives, draws))
    if table or build.supply:
        gives = part(build.supply).gives if build.supply else 0.0
        words = part(build.supply).name if build.supply else "no supply for the table"
        found.append(Rail(words, 5.0, gives, gives * MARGIN, tuple(table)))
    return tuple(found)


def _pn532_on_pins(build: Build) -> bool:
    return any(reader.port.startswith(("tty:AMA", "tty:S", "tty:serial")) for reader in build.layout.readers)


def check(build: Build) -> None:
    """Raises CrowntableError where a supply is too small, or there are too many LEDs for the budget."""
    count = leds(build)
    needed = round(count * (LED_DARK + LEAST_LIGHT * LED_WHITE))
    if count and needed > build.budget:
        raise wrong(
            build.name,
            f"{count} LEDs are too many for a budget of {build.budget} mA: they need {needed} mA to be seen.",
            "Take fewer LEDs, or raise [lights] budget (and the supply with it).",
        )
    for rail in rails(build):
        if rail.sum > rail.limit:
            most = max(rail.draws, key=lambda draw: draw[1])
            raise wrong(
                build.name,
                f"{rail.name} must give {rail.sum:.0f} mA and should give {rail.limit:.0f} at most "
                f"(most of it: {most[0]}, {most[1]:.0f} mA).",
                "Take a larger supply, or lower [lights] budget.",
            )
