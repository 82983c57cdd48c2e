"""The crown's ring and the zones' lamps: WS2812 patterns in whole numbers, under a current budget.

A light is one scene (colour, pattern, pace) on a run of LEDs. `tick` computes every LED's bytes into
the strip's own buffer, so that a frame allocates nothing.
"""

from micropython import const

FRAME_MS = const(33)
MOST_STEP_MS = const(50)  # keeps all products in a small integer of 31 bits
RAMP_MS = const(1500)  # from dark to full brightness after a start: no inrush
LED_MA = const(20)  # one colour of one LED at full
LED_IDLE_UA = const(900)  # one dark LED
CYCLE = const(16384)  # steps of a pattern's phase
PATTERNS = ("off", "steady", "breathe", "blink", "pulse", "sweep", "wave", "dim")
_OFF = const(0)
_STEADY = const(1)
_BREATHE = const(2)
_BLINK = const(3)
_PULSE = const(4)
_SWEEP = const(5)
_WAVE = const(6)
_DIM = const(7)


def _triangle(phase):
    """0 to 255 to 0 over one cycle."""
    half = phase & (CYCLE - 1)
    if half >= CYCLE // 2:
        half = CYCLE - 1 - half
    return half >> 5


def level(pattern, phase, at, count):
    """Brightness 0 to 255 of LED `at` of `count` in a pattern at `phase` (0 to CYCLE - 1)."""
    if pattern == _STEADY:
        return 255
    if pattern == _BREATHE:
        up = _triangle(phase)
        return 24 + ((up * up) >> 8) * 231 // 254
    if pattern == _BLINK:
        return 255 if phase < CYCLE // 2 else 0
    if pattern == _PULSE:  # up at once, down slowly
        down = 255 - (phase >> 6)
        return (down * down) >> 8
    if pattern == _SWEEP:  # a bright spot with a tail, once round a cycle
        behind = (phase * count // CYCLE - at) % count
        return 255 >> behind if behind < 8 else 0
    if pattern == _WAVE:
        return 40 + _triangle(phase + at * CYCLE // count) * 215 // 255
    if pattern == _DIM:
        return 16 + (_triangle(phase) >> 4)
    return 0


class Light:
    """A run of LEDs [first, first + count) that shows one scene."""

    def __init__(self, first, count):
        self.first = first
        self.count = count
        self.red = self.green = self.blue = 0
        self.pattern = _OFF
        self.pace = 0  # thousandths of a cycle a second
        self.phase = 0

    def show(self, red, green, blue, pattern, pace):
        """A new scene; the phase goes on unless the pattern changes, so that a pace change is smooth."""
        self.red = red
        self.green = green
        self.blue = blue
        if pattern != self.pattern:
            self.phase = 0
        self.pattern = pattern
        self.pace = min(max(pace, 0), 8000)


class Strip:
    """Lights on one data pin. `pixels` is a neopixel.NeoPixel (three bytes a LED, green first)."""

    def __init__(self, pixels, lights):
        self.pixels = pixels
        self.lights = lights

    def dark(self):
        """All LEDs off, twice: the first frame may be eaten by a latch from before the start."""
        buffer = self.pixels.buf
        for at in range(len(buffer)):
            buffer[at] = 0
        self.pixels.write()
        self.pixels.write()

    def draw(self, step_ms, brightness):
        """Computes the next frame `step_ms` later. Returns the sum of all its bytes."""
        buffer = self.pixels.buf
        total = 0
        for light in self.lights:
            # 16384 steps a cycle: pace/1000 cycles a second * step_ms/1000 s * 16384.
            light.phase = (light.phase + light.pace * step_ms * 2048 // 125000) & (CYCLE - 1)
            at = light.first * 3
            for led in range(light.count):
                shine = level(light.pattern, light.phase, led, light.count) * brightness // 255
                buffer[at] = light.green * shine // 255
                buffer[at + 1] = light.red * shine // 255
                buffer[at + 2] = light.blue * shine // 255
                total += buffer[at] + buffer[at + 1] + buffer[at + 2]
                at += 3
        return total

    def scale(self, part, whole):
        buffer = self.pixels.buf
        for at in range(len(buffer)):
            buffer[at] = buffer[at] * part // whole


class Lights:
    """All strips of the board: one brightness, one budget of `budget_ma` for all of them together."""

    def __init__(self, strips, brightness, budget_ma, halvings=0):
        self.strips = strips
        self.halvings = halvings
        self.brightness = brightness >> halvings
        leds = 0
        for strip in strips:
            leds += len(strip.pixels.buf) // 3
        idle_ma = leds * LED_IDLE_UA // 1000
        self._most = max(budget_ma - idle_ma, 0) * 255 // LED_MA >> halvings  # sum of bytes
        self._at = -1
        self._started = -1
        self.limited = 0  # frames that the budget cut

    def start(self, now):
        for strip in self.strips:
            strip.dark()
        self._at = self._started = now

    def tick(self, now):
        """Draws a frame where one is due."""
        step = now - self._at
        if step < FRAME_MS:
            return
        self._at = now
        if step > MOST_STEP_MS:
            step = MOST_STEP_MS
        bright = self.brightness
        if now - self._started < RAMP_MS:
            bright = bright * (now - self._started) // RAMP_MS
        total = 0
        for strip in self.strips:
            total += strip.draw(step, bright)
        if total > self._most:
            self.limited += 1
            for strip in self.strips:
                strip.scale(self._most, total)
        for strip in self.strips:
            strip.pixels.write()
