"""A crown that is one RGB LED on the Pi's pins, through gpiozero. A machine without pins is no fault:
the table runs, and says once "LED crown: on screen only" (F53).
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import warnings
from typing import Any

from host.crown.patterns import RGB, colour_at
from host.crown_scene import CrownScene
from host.device import Emit
from host.sighting import Health

FRAME_S = 1 / 30
RETRY_S = 5.0
_DARK = CrownScene((0, 0, 0), "steady", 0.0, "off")


class GpioCrown:
    """`pins` are the BCM numbers of red, green and blue; `common_anode`: the LED lights when they are low.

    Implements host.device.Device and host.crown_scene.CrownDriver. Only `GPIOZERO_PIN_FACTORY` chooses
    another library than lgpio: gpiozero's own guess falls back to ones that fail on a Pi 5.
    """

    def __init__(self, id: str, pins: tuple[int, int, int], *, common_anode: bool = False) -> None:
        self.id = id
        self.pins = pins
        self._common_anode = common_anode
        self._scene = _DARK
        self._since = 0.0
        self._shown: RGB | None = None
        self._news = threading.Condition()
        self._stopping = False
        self._emit: Emit = lambda sighting: None
        self._said: str | None = None
        self._thread: threading.Thread | None = None

    def start(self, emit: Emit) -> None:
        """Takes the pins, in a thread of its own; says by Health whether it got them."""
        if self._thread is not None:
            return
        self._emit = emit
        self._stopping = False
        self._said = None
        self._thread = threading.Thread(target=self._run, name=f"crown {self.id}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """LED off, pins free again. May be called twice."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        with self._news:
            self._stopping = True
            self._news.notify()
        thread.join(2)
        self._emit = lambda sighting: None

    def show(self, scene: CrownScene) -> None:
        """Shows `scene` from now on; a change of the pace alone does not start the pattern anew."""
        with self._news:
            if scene.pattern != self._scene.pattern:
                self._since = time.monotonic()
            elif scene.pace > 0:
                now = time.monotonic()
                cycles = (now - self._since) * self._scene.pace
                self._since = now - cycles / scene.pace
            self._scene = scene
            self._news.notify()

    def shown(self) -> RGB | None:
        """Red, green, blue as last set, 0 to 1; None while there is no LED."""
        return self._shown

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping:
            led = factory = None
            try:
                factory, led = _open(self.pins, self._common_anode)
                self._say("up", "LED crown on pins {}, {}, {}".format(*self.pins))
                self._animate(led)
            # gpiozero's errors are of every family (BadPinFactory is an ImportError, PinPWMUnsupported an
            # AttributeError, lgpio has its own): none of them may touch the table.
            except Exception as error:  # noqa: BLE001
                self._say("lost", f"LED crown: on screen only ({in_words(error)})")
            finally:
                self._shown = None
                for used in (led, factory):
                    if used is not None:
                        with contextlib.suppress(Exception):  # as above: it may be gone already
                            used.close()
            with self._news:
                if not self._stopping:
                    self._news.wait(RETRY_S)

    def _animate(self, led: Any) -> None:
        try:
            while True:
                with self._news:
                    if self._stopping:
                        return
                    scene, since = self._scene, self._since
                colour = colour_at(scene, time.monotonic() - since)
                if colour != self._shown:
                    led.value = colour
                    self._shown = colour
                moves = scene.pattern not in ("steady", "dim") and scene.pace > 0
                with self._news:
                    if not self._stopping and self._scene is scene:
                        self._news.wait(FRAME_S if moves else None)
        finally:
            led.value = (0, 0, 0)

    def _say(self, state: str, detail: str) -> None:
        if detail != self._said and not self._stopping:
            self._said = detail
            self._emit(Health(time.monotonic(), self.id, "crown", "up" if state == "up" else "lost", detail))


def _open(pins: tuple[int, int, int], common_anode: bool) -> tuple[Any, Any]:
    """(the pin factory where it is ours to close, the LED). Imported here: most tables have no pins."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its fallback warnings read like a failure (L01)
        import gpiozero

        factory = None
        if "GPIOZERO_PIN_FACTORY" not in os.environ:
            from gpiozero.pins.lgpio import LGPIOFactory

            factory = LGPIOFactory()
        try:
            led = gpiozero.RGBLED(*pins, active_high=not common_anode, pin_factory=factory)
        except BaseException:
            if factory is not None:
                factory.close()
            raise
    return factory, led


def in_words(error: BaseException) -> str:
    """Why there is no LED, for people."""
    text = f"{type(error).__name__} {error}"
    if isinstance(error, ModuleNotFoundError):
        if error.name in ("lgpio", "gpiozero"):
            return f"the Python module {error.name} is not installed"
        return f"the module {error.name} is missing"
    if "GPIOPinInUse" in text or "in use" in text or "busy" in text.lower():
        return "its pins are used by another program"
    if "PWM" in text:
        return "these pins can't dim an LED"
    if "can not open gpiochip" in text or "BadPinFactory" in text or isinstance(error, OSError):
        return "this machine has no pins that this user may use"
    return f"the pins can't be used: {str(error) or type(error).__name__}"
