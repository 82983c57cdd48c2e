"""Stand-in for MicroPython's `neopixel`: frames go to `world.WORLD`."""

from world import WORLD


class NeoPixel:
    def __init__(self, pin, n, bpp=3, timing=1):
        self.pin = pin
        self.n = n
        self.bpp = bpp
        self.buf = bytearray(n * bpp)
        self._shown = None

    def write(self):
        frame = bytes(self.buf)
        if frame != self._shown:
            self._shown = frame
            WORLD.leds(self.pin.number, frame)
