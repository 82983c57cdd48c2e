"""The pins: makes buses, chips, lights and buttons out of a configuration. Only this file knows them."""

import os
import select as polling
import sys
import time

import config as settings
import machine
import neopixel
from buttons import Button
from lights import Light, Strip
from micropython import const

CONFIG_FILE = "config.txt"
POWER_FILE = "power.txt"
WIFI_FILE = "wifi.txt"
STAY_FILE = "stay.txt"
SPI_HZ = const(4000000)
WATCHDOG_MS = const(8000)


class UsbPort:
    """The USB serial port as two calls that never wait."""

    def __init__(self):
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._poll_in = polling.poll()
        self._poll_in.register(sys.stdin, polling.POLLIN)
        self._poll_out = polling.poll()
        self._poll_out.register(sys.stdout, polling.POLLOUT)
        self._one = bytearray(1)

    def read(self):
        """One byte as a number, or -1."""
        for _, event in self._poll_in.ipoll(0):
            if event & polling.POLLIN:
                try:
                    if self._in.readinto(self._one):
                        return self._one[0]
                except OSError:  # the port was closed at the other end
                    pass
        return -1

    def write(self, data):
        """How many bytes of `data` were taken."""
        for _, event in self._poll_out.ipoll(0):
            if event & polling.POLLOUT:
                try:
                    return self._out.write(data) or 0
                except OSError:
                    pass
        return 0


class GpioSelect:
    """A select line of its own for a chip."""

    def __init__(self, pin):
        self._pin = machine.Pin(pin, machine.Pin.OUT, value=1)

    def __call__(self, on):
        self._pin.value(0 if on else 1)


class DecoderSelect:
    """One output of a 74HC154: four address pins shared by all, an enable pin shared by sixteen."""

    def __init__(self, address, code, enable):
        self._address = address
        self._code = code
        self._enable = enable

    def __call__(self, on):
        if on:
            code = self._code
            for pin in self._address:
                pin.value(code & 1)
                code >>= 1
            self._enable.value(0)
        else:
            self._enable.value(1)


class Board:
    """Everything that the configuration says is there."""

    def __init__(self, config):
        self.config = config
        self.by_power = machine.reset_cause() == machine.PWRON_RESET
        self._reset_pin = None
        if config["reset"] != "-":
            self._reset_pin = machine.Pin(int(config["reset"]), machine.Pin.OUT, value=1)

    def cause(self):
        """A reset by command is one by the watchdog on this chip: they can't be told apart."""
        return "power" if self.by_power else "restart"

    def unique_id(self):
        return "".join("%02X" % byte for byte in machine.unique_id())

    def boot_id(self):
        return "".join("%02X" % byte for byte in os.urandom(4))

    def watchdog(self):
        return machine.WDT(timeout=WATCHDOG_MS)

    def restart(self):
        machine.reset()

    def restart_to_prompt(self):
        """The watchdog can't be stopped, so the prompt is reached by a start without the firmware."""
        with open(STAY_FILE, "w") as mark:
            mark.write("1")
        machine.reset()

    def port(self):
        """What the link speaks over: USB, and Wi-Fi where the configuration has it."""
        usb = UsbPort()
        if self.config["tcp"] == "-":
            return usb
        import wireless  # only a Pico W has a network at all

        number = int(self.config["tcp"])
        return wireless.WirelessPort(usb, number, self.config["name"], wireless.load_credentials(WIFI_FILE))

    def keep_wifi(self, ssid, key):
        """Stores credentials, both in hex, for the next start. Raises ValueError where they are none."""
        import wireless

        wireless.save_credentials(WIFI_FILE, ssid, key)

    def battery_mv(self):
        """The battery's voltage, -1 where none is measured."""
        if self.config["battery"] == "-":
            return -1
        # 3.3 V is 65535, and the divider halves.
        return machine.ADC(int(self.config["battery"])).read_u16() * 6600 // 65535

    def selects(self):
        found = []  # type: list
        pins = {}
        for entry in settings.selects(self.config)[: int(self.config["antennas"])]:
            if isinstance(entry, int):
                found.append(GpioSelect(entry))
                continue
            address, code, enable = entry
            for pin in address:
                if pin not in pins:
                    pins[pin] = machine.Pin(pin, machine.Pin.OUT, value=0)
            if enable not in pins:
                pins[enable] = machine.Pin(enable, machine.Pin.OUT, value=1)
            found.append(DecoderSelect([pins[pin] for pin in address], code, pins[enable]))
        return found

    def chips(self):
        """One driver an antenna, not yet started."""
        bus, sck, mosi, miso = settings.numbers(self.config["spi"])
        selects = self.selects()
        if not selects:
            return []
        spi = machine.SPI(
            bus,
            baudrate=SPI_HZ,
            polarity=0,
            phase=0,
            sck=machine.Pin(sck),
            mosi=machine.Pin(mosi),
            miso=machine.Pin(miso),
        )
        self.reset_chips()
        # Imported here: only the driver that is needed shall take up memory.
        if self.config["chip"] == "pn532":
            import pn532

            return [pn532.PN532(spi, select) for select in selects]
        import mfrc522

        gain = int(self.config["gain"])
        return [mfrc522.MFRC522(spi, select, gain) for select in selects]

    def reset_chips(self):
        """Pulls the chips' common reset line, where there is one."""
        if self._reset_pin is not None:
            self._reset_pin.value(0)
            time.sleep_ms(1)
            self._reset_pin.value(1)
            time.sleep_ms(2)

    def strips(self):
        """(strips, {name of the light: Light}): the crown is "ring", an antenna's lamps its number."""
        strips = []
        named = {}
        ring = settings.pair(self.config["ring"])
        if ring is not None:
            light = Light(0, ring[1])
            named["ring"] = light
            strips.append(Strip(neopixel.NeoPixel(machine.Pin(ring[0]), ring[1]), [light]))
        lamps = settings.pair(self.config["lamps"])
        count = int(self.config["antennas"])
        if lamps is not None and count:
            lights = [Light(number * lamps[1], lamps[1]) for number in range(count)]
            for number, light in enumerate(lights):
                named[str(number)] = light
            pixels = neopixel.NeoPixel(machine.Pin(lamps[0]), count * lamps[1])
            strips.append(Strip(pixels, lights))
        return strips, named

    def buttons(self):
        return [
            Button(name, machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP))
            for name, pin in settings.buttons(self.config["buttons"])
        ]
