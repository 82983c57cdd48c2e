"""Configuration, memory of power resets, buttons."""

import os

import config
from buttons import Button
from power import CALM_MS, Power

FILE = "/tmp/crowntable-check-%s.txt" % "".join("%02x" % byte for byte in os.urandom(6))


def write(text):
    with open(FILE, "w") as stored:
        stored.write(text)


def wrong(key, words):
    try:
        config.checked(words)
    except config.ConfigError as error:
        assert str(error) == key, error
        return
    raise AssertionError(words)


def check_a_configuration_survives_and_damage_gives_the_defaults():
    given = {"name": "north", "antennas": "3", "select": "gpio:1,2,3"}
    config.save(FILE, given)
    loaded, kept = config.load(FILE)
    assert kept == given
    assert loaded["antennas"] == "3"
    assert loaded["chip"] == "mfrc522"
    with open(FILE) as stored:
        whole = stored.read()
    for cut in range(len(whole) - 1):
        write(whole[:cut])
        assert config.load(FILE) == (config.DEFAULTS, None), cut
    write(whole.replace("3", "4"))
    assert config.load(FILE)[1] is None
    os.remove(FILE)
    assert config.load(FILE)[1] is None


def check_wrong_settings_are_named():
    wrong("nonsense", {"nonsense": "1"})
    wrong("antennas", {"antennas": "99"})
    wrong("antennas", {"antennas": "two"})
    wrong("select", {"antennas": "3", "select": "gpio:1,2"})
    wrong("select", {"select": "154:1,2,3/4"})
    wrong("select", {"select": "magic"})
    wrong("chip", {"chip": "rc632"})
    wrong("gain", {"gain": "8"})
    wrong("ring", {"ring": "22"})
    wrong("buttons", {"buttons": "done"})
    wrong("spi", {"spi": "0,1,2"})
    wrong("brightness", {"brightness": "256"})
    wrong("tcp", {"tcp": "99999"})
    wrong("battery", {"battery": "4"})
    wrong("reset", {"reset": "soon"})


def check_32_antennas_over_two_decoders():
    given = config.checked({"antennas": "32", "select": "154:2,3,4,5/6,7"})
    entries = config.selects(given)
    assert len(entries) == 32
    assert entries[0] == ([2, 3, 4, 5], 0, 6)
    assert entries[31] == ([2, 3, 4, 5], 15, 7)


def check_two_power_resets_halve_the_brightness():
    assert Power(FILE, True).halvings == 0, "a first start is no reset"
    power = Power(FILE, True)
    power.session(True)
    for halvings in (0, 1, 2, 3, 3):
        power = Power(FILE, True)  # lost its power while a host was there
        assert power.halvings == halvings
        power.session(True)
    power.tick(CALM_MS)
    power = Power(FILE, True)
    assert power.halvings == 3, "a calm minute ends the row, not the halving"
    power.session(True)
    power.forgive()
    assert Power(FILE, False).halvings == 0
    os.remove(FILE)


def check_switching_off_properly_is_no_reset():
    power = Power(FILE, True)
    for _ in range(5):
        power.session(True)
        power.session(False)
        power = Power(FILE, True)
        assert power.halvings == 0
    for _ in range(5):
        power.session(True)
        power = Power(FILE, False)  # watchdog or a reset by command
        assert power.halvings == 0
    os.remove(FILE)


def check_a_damaged_memory_of_resets_is_a_fresh_one():
    for text in ("", "1 2", "x y z", "1 1 99"):
        write(text)
        assert Power(FILE, False).halvings <= 3
    os.remove(FILE)


class Pin:
    level = 1

    def value(self):
        return self.level


def check_a_bouncing_button_is_pressed_once():
    pin = Pin()
    button = Button("done", pin)
    told = []
    for now in range(400):
        if 100 <= now < 112 or 250 <= now < 263:
            pin.level = now % 3 // 2  # bounces
        elif now == 112:
            pin.level = 0
        elif now == 263:
            pin.level = 1
        if button.changed(now):
            told.append((now, button.value))
    assert [value for _, value in told] == [0, 1], told
    assert 130 <= told[0][0] <= 135


def check_a_spike_is_no_press():
    pin = Pin()
    button = Button("done", pin)
    for now in range(200):
        pin.level = 0 if 50 <= now < 65 else 1
        assert not button.changed(now)
