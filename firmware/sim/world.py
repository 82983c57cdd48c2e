"""The simulated board's world: its pins, reader chips, tags, LEDs and faults, and the pipe to the host.

Words on the pipe in, a line each:

    place ANT UID SAK HEX      a tag with these pages lies on antenna ANT from now on (HEX may be -)
    lift ANT UID               it is taken away
    press NAME / release NAME  a button
    fault ANT KIND VALUE       see mfrc522_chip.Faults: mute, hung, noise, weak, version, gain_stuck
    supply MA                  the 5 V supply breaks down when the LEDs draw more (0: never)
    battery MV                 the battery's voltage
    garbage HEX                these bytes on the serial line, as they are
    half                       half a line on the serial line, then a reset
    stall MS                   the firmware stands still
    hurry TIMES                the watchdog's time goes so many times faster
    cut                        power cut

Words out: `leds PIN HEX` (bytes as sent, green red blue), `fields N` (most fields on at once so far).
"""

import os
import select
import sys
import time
from binascii import hexlify

import config as settings
from mfrc522_chip import Chip as Mfrc522
from pn532_chip import Chip as Pn532
from type2 import Tag

EXIT_RESET = 3
EXIT_POWER = 4
LED_MA = 20


class World:
    def __init__(self):
        self.wiring = dict(settings.DEFAULTS)
        for word in (os.getenv("CROWNTABLE_SIM_WIRING") or "").split():
            key, _, value = word.partition("=")
            self.wiring[key] = value
        self.cause = os.getenv("CROWNTABLE_SIM_CAUSE") or "power"
        self.identity = bytes.fromhex(os.getenv("CROWNTABLE_SIM_ID") or "E660000000000001")
        self.levels = {}
        self.active = None
        self.fields_on = []
        self.most_fields = 0
        make = Pn532 if self.wiring["chip"] == "pn532" else Mfrc522
        self.chips = [make(self) for _ in range(int(self.wiring["antennas"]))]
        self.supply_ma = 0
        self.battery_mv = 4000
        self._watchdog_ms = 0  # 0: not started
        self._fed_at = 0
        self._hurry = 1
        self._draw = {}
        self._wire()
        self._buttons = dict(settings.buttons(self.wiring["buttons"]))
        self._in, self._out = _pipe("CROWNTABLE_SIM_IN", "rb"), _pipe("CROWNTABLE_SIM_OUT", "wb")
        self._poll = select.poll()
        if self._in is not None:
            self._poll.register(self._in, select.POLLIN)
        self._line = bytearray()
        self._one = bytearray(1)

    def _wire(self):
        self._by_pin = {}
        self._by_code = {}
        self._address = []
        entries = settings.selects(self.wiring)[: len(self.chips)]
        for number, entry in enumerate(entries):
            chip = self.chips[number]
            if isinstance(entry, int):
                self._by_pin[entry] = chip
            else:
                self._address, code, enable = entry
                self._by_code[(enable, code)] = chip
        self._enables = [enable for enable, _ in self._by_code]
        self._reset_pin = -1 if self.wiring["reset"] == "-" else int(self.wiring["reset"])

    # -- pins --------------------------------------------------------------------------------------

    def set_pin(self, number, value):
        self.levels[number] = value
        if number in self._by_pin:
            self.active = None if value else self._by_pin[number]
        elif number in self._enables:
            self.active = None if value else self._by_code.get((number, self._code()))
        elif number == self._reset_pin and not value:
            for chip in self.chips:
                chip.hard_reset()

    def _code(self):
        code = 0
        for bit, pin in enumerate(self._address):
            code |= self.levels.get(pin, 0) << bit
        return code

    def get_pin(self, number):
        return self.levels.get(number, 1)

    def field_changed(self, chip, on):
        if on and chip not in self.fields_on:
            self.fields_on.append(chip)
            if len(self.fields_on) > self.most_fields:
                self.most_fields = len(self.fields_on)
                self.report("fields %d" % self.most_fields)
        elif not on and chip in self.fields_on:
            self.fields_on.remove(chip)

    def leds(self, pin, data):
        """A frame went to the LEDs at `pin`."""
        total = 0
        for byte in data:
            total += byte
        self._draw[pin] = total * LED_MA // 255
        if self._out is not None:
            self.report("leds %d %s" % (pin, hexlify(data).decode()))
        if self.supply_ma and sum(self._draw.values()) > self.supply_ma:
            leave(EXIT_POWER)

    # -- the watchdog ------------------------------------------------------------------------------

    def start_watchdog(self, timeout):
        self._watchdog_ms = timeout
        self.feed_watchdog()

    def feed_watchdog(self):
        self._fed_at = time.ticks_ms()

    def _bite(self):
        hungry = time.ticks_diff(time.ticks_ms(), self._fed_at) * self._hurry
        if self._watchdog_ms and hungry > self._watchdog_ms:
            leave(EXIT_RESET)

    # -- the pipe ----------------------------------------------------------------------------------

    def report(self, words):
        if self._out is not None:
            self._out.write(words.encode() + b"\n")

    def poll(self):
        """Carries out what has come over the pipe. Ends the program when the host is gone."""
        self._bite()
        while self._in is not None:
            events = self._poll.poll(0)
            if not events:
                return
            if not self._in.readinto(self._one):
                leave(0)
            if self._one[0] == 0x0A:
                line = bytes(self._line).decode()
                self._line = bytearray()
                self.obey(line.split(" "))
            else:
                self._line.append(self._one[0])

    def obey(self, words):
        verb = words[0]
        if verb == "place":
            memory = b"" if words[4] == "-" else bytes.fromhex(words[4])
            tag = Tag(bytes.fromhex(words[2]), int(words[3], 16), memory)
            chip = self.chips[int(words[1])]
            chip.tags = [other for other in chip.tags if other.uid != tag.uid] + [tag]
        elif verb == "lift":
            chip = self.chips[int(words[1])]
            uid = bytes.fromhex(words[2])
            chip.tags = [tag for tag in chip.tags if tag.uid != uid]
        elif verb in ("press", "release"):
            self.levels[self._buttons[words[1]]] = 0 if verb == "press" else 1
        elif verb == "fault":
            setattr(self.chips[int(words[1])].faults, words[2], int(words[3]))
        elif verb == "supply":
            self.supply_ma = int(words[1])
        elif verb == "battery":
            self.battery_mv = int(words[1])
        elif verb == "garbage":
            sys.stdout.buffer.write(bytes.fromhex(words[1]))
        elif verb == "half":
            sys.stdout.buffer.write(b"inv ant=0 tags=04A1B2")
            leave(EXIT_RESET)
        elif verb == "stall":
            time.sleep_ms(int(words[1]))
            self._bite()
        elif verb == "hurry":
            self._hurry = int(words[1])
        elif verb == "cut":
            leave(EXIT_POWER)


def leave(code):
    """The board loses its life here and now."""
    raise SystemExit(code)


def _pipe(name, mode):
    path = os.getenv(name)
    return open(path, mode) if path else None


WORLD = World()
