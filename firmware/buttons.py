"""Buttons between a pin and ground: debounced, told once a press and once a release."""

from micropython import const

STEADY_MS = const(20)


class Button:
    """`pin` is a machine.Pin with its pull-up on: 0 while pressed."""

    def __init__(self, name, pin):
        self.name = name
        self._pin = pin
        self._raw = 1
        self._since = 0
        self.value = 1

    def changed(self, now):
        """True once for each change that has been steady for 20 ms; `value` is the new state."""
        raw = self._pin.value()
        if raw != self._raw:
            self._raw = raw
            self._since = now
            return False
        if raw != self.value and now - self._since >= STEADY_MS:
            self.value = raw
            return True
        return False


class Buttons:
    def __init__(self, buttons, send):
        self._buttons = buttons
        self._send = send

    def tick(self, now):
        for button in self._buttons:
            if button.changed(now):
                self._send("btn name=%s down=%d" % (button.name, 1 - button.value))
