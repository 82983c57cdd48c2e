"""The loop: scan an antenna, light the LEDs, hear the host; for ever."""

import gc
import time

import config as settings
from buttons import Buttons
from lights import PATTERNS, Lights
from link import PROTOCOL, Link, Uptime, words
from micropython import const
from power import Power
from scan import Scanner

FIRMWARE = "0.1.0"
BEAT_MS = const(300)
MOST_ORDERS = const(8)  # of the host, between two steps of the scan
ALONE_MS = const(6000)  # the host was not heard for so long: the lights go dim
ASLEEP_MS = const(600000)  # and after so long dark, to spare a battery
ASLEEP_TURN_MS = const(200)


class App:
    """`board` is a board.Board or anything with its calls; `port` as link.Link wants it."""

    def __init__(self, board, port, given, config_file, power_file):
        self._board = board
        self._port = port
        self._given = given  # the settings from the host, None where there are none
        self._config_file = config_file
        self.uptime = Uptime()
        self.link = Link(port, self.uptime)
        self.power = Power(power_file, board.by_power)
        config = board.config
        strips, self._named = board.strips()
        self.lights = Lights(strips, int(config["brightness"]), int(config["budget"]), self.power.halvings)
        self.buttons = Buttons(board.buttons(), self.link.send)
        self.scanner = Scanner(board.chips(), self.link.send, self.uptime, self.wait, board.reset_chips)
        self._boot = board.boot_id()
        self._round_ms = int(config["round"])
        self._round_at = 0
        self._beat_at = -BEAT_MS
        self._alone = False
        self._asleep = False
        self._wireless = config["tcp"] != "-"
        self._watchdog = None

    # -- the loop ----------------------------------------------------------------------------------

    def run(self, last_words=None):
        """Until the host, or five Ctrl-C, ask for the prompt. `last_words`: of a run that crashed."""
        self._watchdog = self._board.watchdog()
        self.lights.start(self.uptime.now())
        self.say_hello(None)
        if last_words:
            self.link.send("oops what=" + last_words)
        while not self.link.wants_repl:
            self.turn()
        self.lights.start(self.uptime.now())
        self._board.restart_to_prompt()

    def turn(self):
        """One antenna, and everything else that is due."""
        self.chores()
        if self.scanner.antennas:
            if self.scanner.round_starts():
                self._pause()
            self.scanner.step()
        else:
            self.wait(ASLEEP_TURN_MS if self._asleep else 10)

    def _pause(self):
        """Keeps a round of few antennas from going round faster than configured."""
        now = self.uptime.now()
        left = self._round_at + self._round_ms - now
        if left > 0:
            self.wait(left)
        self._round_at = self.uptime.now()

    def wait(self, ms):
        """Waits `ms` milliseconds and does the chores meanwhile."""
        until = self.uptime.now() + ms
        while True:
            self.chores()
            left = until - self.uptime.now()
            if left <= 0:
                return
            time.sleep_ms(min(left, 5))

    def chores(self):
        now = self.uptime.now()
        if self._watchdog is not None:
            self._watchdog.feed()
        for _ in range(MOST_ORDERS):
            payload = self.link.receive()
            if payload is None:
                break
            self.obey(payload)
        self.buttons.tick(now)
        self._company(now)
        if self._wireless:
            self._port.tick(now)
        self.lights.tick(now)
        self.power.tick(now)
        if now - self._beat_at >= BEAT_MS:
            self._beat_at = now
            gc.collect()
            self.link.send(
                "beat heap=%d lost=%d bad=%d dim=%d cut=%d mv=%d"
                % (
                    gc.mem_free(),
                    self.link.lost,
                    self.link.bad,
                    self.power.halvings,
                    self.lights.limited,
                    self._board.battery_mv(),
                )
            )
        self.link.flush()

    def _company(self, now):
        """Without a host the lights say so: each keeps its colour and goes dim, and off after a while."""
        alone = now - self.link.heard_at > ALONE_MS
        if alone and not self._alone:
            for light in self._named.values():
                if light.pattern:
                    light.show(light.red, light.green, light.blue, PATTERNS.index("dim"), 300)
        asleep = now - self.link.heard_at > ASLEEP_MS
        if asleep and not self._asleep:
            for light in self._named.values():
                light.show(0, 0, 0, 0, 0)
        self._alone = alone
        self._asleep = asleep

    # -- what the host says ------------------------------------------------------------------------

    def obey(self, payload):
        verb, given = words(payload)
        try:
            if verb == "led":
                self._led(given)
            elif verb == "ask":
                self._ask(given)
            elif verb == "config":
                self._configure(given)
            elif verb == "wifi":
                if self._wireless and not self._port.from_usb:
                    raise ValueError("wifi")  # who controls the radio must not hand it on
                self._board.keep_wifi(given["ssid"], given["key"])
                self.link.send("wifi ok=1")
                self._restart()
            else:
                self.link.send("no what=verb")
        except (ValueError, KeyError, IndexError):
            self.link.send("no what=%s" % verb)

    def _led(self, given):
        light = self._named.get(given["at"])
        if light is None:
            raise KeyError("at")
        colour = int(given["c"], 16)
        if not 0 <= colour <= 0xFFFFFF:
            raise ValueError("c")
        light.show(
            colour >> 16,
            colour >> 8 & 255,
            colour & 255,
            PATTERNS.index(given["p"]),
            int(given.get("r", "0")),
        )

    def _ask(self, given):
        what = given["what"]
        if what == "hello":
            self.power.session(True)
            self.say_hello(given.get("k"))
            self.scanner.say_all()
        elif what == "tags":
            self.scanner.say_all()
        elif what == "time":
            self.link.send("time k=%s" % given.get("k", "0"))
        elif what == "bye":
            self.power.session(False)
            for light in self._named.values():
                light.show(0, 0, 0, 0, 0)
            self.link.send("bye")
        elif what == "bright":
            self.power.forgive()
            self._restart()
        elif what == "reset":
            self._restart()
        elif what == "chips":
            self.scanner.say_chips()
        elif what == "test":
            self.scanner.self_test(int(given["ant"]))
        elif what == "repl":
            self.link.wants_repl = True
        else:
            raise ValueError(what)

    def _configure(self, given):
        try:
            settings.checked(given)
        except settings.ConfigError as error:
            self.link.send("config ok=0 why=%s" % error)
            return
        settings.save(self._config_file, given)
        self.power.forgive()
        self.link.send("config ok=1 cfg=%04X" % settings.checksum(given))
        self._restart()

    def _restart(self):
        for _ in range(50):  # lets the last lines out
            self.link.flush()
            time.sleep_ms(1)
        self._board.restart()

    def say_hello(self, key):
        config = self._board.config
        self.link.send(
            "hello proto=%d fw=%s name=%s id=%s boot=%s cause=%s ants=%d ring=%d cfg=%s dim=%d%s"
            % (
                PROTOCOL,
                FIRMWARE,
                config["name"],
                self._board.unique_id(),
                self._boot,
                self._board.cause(),
                len(self.scanner.antennas),
                self._named["ring"].count if "ring" in self._named else 0,
                "none" if self._given is None else "%04X" % settings.checksum(self._given),
                self.power.halvings,
                " k=" + key if key else "",
            )
        )
