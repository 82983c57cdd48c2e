"""Patterns, budget, brightness and memory of the lights."""

import gc

from lights import CYCLE, LED_MA, PATTERNS, RAMP_MS, Light, Lights, Strip, level


class Pixels:
    def __init__(self, count):
        self.buf = bytearray(count * 3)
        self.frames = 0

    def write(self):
        self.frames += 1


def milliamperes(pixels):
    return sum(pixels.buf) * LED_MA // 255


def lit(pattern, count=24, brightness=255, budget=100000, halvings=0, pace=1000):
    pixels = Pixels(count)
    light = Light(0, count)
    lights = Lights([Strip(pixels, [light])], brightness, budget, halvings)
    lights.start(0)
    light.show(255, 255, 255, PATTERNS.index(pattern), pace)
    return lights, pixels, light


def run(lights, pixels, begin, end):
    """Ticks through; (milliamperes, first byte) of each frame."""
    seen = []
    for now in range(begin, end, 33):
        lights.tick(now)
        seen.append((milliamperes(pixels), pixels.buf[0]))
    return seen


def check_every_pattern_stays_in_range_for_every_led():
    for pattern in range(len(PATTERNS)):
        for count in (1, 7, 24):
            for phase in range(0, CYCLE, 37):
                for at in range(count):
                    assert 0 <= level(pattern, phase, at, count) <= 255


def check_patterns_do_what_their_names_say():
    index = PATTERNS.index
    assert level(index("off"), 0, 0, 24) == 0
    assert level(index("steady"), 77, 3, 24) == 255
    assert level(index("blink"), 0, 0, 1) == 255
    assert level(index("blink"), CYCLE // 2, 0, 1) == 0
    breathe = [level(index("breathe"), phase, 0, 1) for phase in range(CYCLE)]
    assert max(breathe) >= 250
    assert min(breathe) > 0
    pulse = [level(index("pulse"), phase, 0, 1) for phase in range(0, CYCLE, 64)]
    assert pulse == sorted(pulse, reverse=True)
    for phase in (0, CYCLE // 3, CYCLE - 1):
        spot = [level(index("sweep"), phase, at, 24) for at in range(24)]
        assert spot.count(255) == 1, "one bright spot"
        assert spot.index(255) == phase * 24 // CYCLE
    assert max(level(index("dim"), phase, 0, 1) for phase in range(CYCLE)) < 64


def check_it_starts_dark_and_gets_bright_slowly():
    lights, pixels, _ = lit("steady")
    assert pixels.frames == 2, "two dark frames: the first may be eaten"
    assert not any(pixels.buf)
    lights.tick(33)
    assert max(pixels.buf) < 20
    run(lights, pixels, 66, RAMP_MS // 2)
    assert 60 < max(pixels.buf) < 180
    run(lights, pixels, RAMP_MS // 2, RAMP_MS + 100)
    assert max(pixels.buf) == 255


def check_the_budget_holds_in_every_frame():
    for budget in (150, 300, 900):
        lights, pixels, _ = lit("steady", 60, 255, budget)
        most = [drawn + 60 * 9 // 10 for drawn, _ in run(lights, pixels, 33, 4000)]
        assert max(most) <= budget
        assert max(most) > budget - 60, "and is made use of"
        assert lights.limited > 0


def check_brightness_is_a_ceiling_and_power_resets_halve_it():
    ceilings = []
    for halvings in (0, 1, 2, 3):
        lights, pixels, _ = lit("steady", 4, 160, 100000, halvings)
        run(lights, pixels, 33, 3000)
        ceilings.append(max(pixels.buf))
    assert ceilings == [160, 80, 40, 20]
    lights, pixels, _ = lit("steady", 60, 255, 900, 1)
    run(lights, pixels, 33, 3000)
    assert milliamperes(pixels) <= 450


def check_colours_go_out_green_first():
    lights, pixels, light = lit("steady", 1)
    light.show(10, 20, 30, PATTERNS.index("steady"), 0)
    run(lights, pixels, 33, 3000)
    assert bytes(pixels.buf) == bytes((20, 10, 30))


def check_pace_is_cycles_a_second():
    for pace in (250, 1000, 4000):
        lights, pixels, _ = lit("blink", 1, pace=pace)
        seen = [first > 0 for _, first in run(lights, pixels, RAMP_MS, RAMP_MS + 8000)]
        rises = sum(1 for at in range(1, len(seen)) if seen[at] and not seen[at - 1])
        assert abs(rises - 8 * pace // 1000) <= 1, (pace, rises)


def check_a_frame_allocates_nothing():
    if not hasattr(gc, "mem_alloc"):
        return  # CPython counts otherwise
    for pattern in PATTERNS:
        lights, pixels, _ = lit(pattern, 24, 255, 900)
        run(lights, pixels, 33, 200)
        gc.collect()
        gc.disable()
        before = gc.mem_alloc()
        now = 200
        while now < 4000:
            lights.tick(now)
            now += 33
        after = gc.mem_alloc()
        gc.enable()
        assert after == before, (pattern, after - before)
