"""Stand-in for MicroPython's `machine`: the parts that the firmware uses, wired to `world.WORLD`."""

from world import EXIT_RESET, WORLD, leave

PWRON_RESET = 1
WDT_RESET = 3  # a reset by command is one too, on this chip
PINS = 30  # of an RP2040


def reset_cause():
    return PWRON_RESET if WORLD.cause == "power" else WDT_RESET


def unique_id():
    return WORLD.identity


def reset():
    leave(EXIT_RESET)


class Pin:
    IN = 0
    OUT = 1
    PULL_UP = 1

    def __init__(self, number, mode=-1, pull=-1, value=None):
        if not 0 <= number < PINS:
            raise ValueError("invalid pin")
        self.number = number
        if value is not None:
            WORLD.set_pin(number, value)

    def value(self, level=None):
        if level is not None:
            WORLD.set_pin(self.number, level)
        return WORLD.get_pin(self.number)


class SPI:
    def __init__(self, bus, baudrate=0, polarity=0, phase=0, sck=None, mosi=None, miso=None):
        if polarity or phase:
            raise ValueError("the chips want mode 0")

    def write(self, out):
        if WORLD.active is not None:
            WORLD.active.transfer(out, None)

    def write_readinto(self, out, into):
        if WORLD.active is not None:
            WORLD.active.transfer(out, into)
        else:
            for at in range(len(into)):
                into[at] = 0xFF


class ADC:
    """The voltage at a pin, as the world has it."""

    def __init__(self, number):
        self.number = number

    def read_u16(self):
        return WORLD.battery_mv * 65535 // 6600


class WDT:
    """Once started it can't be stopped. Feeding it is a moment at which the outside world comes in."""

    def __init__(self, timeout=5000):
        if timeout > 8388:
            raise ValueError("timeout exceeds 8388")
        WORLD.start_watchdog(timeout)

    def feed(self):
        WORLD.poll()
        WORLD.feed_watchdog()
