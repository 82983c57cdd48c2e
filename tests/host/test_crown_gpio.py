"""The LED crown on gpiozero's own mock pins, and on machines without pins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from host.crown.gpio import GpioCrown, in_words
from host.crown.patterns import colour_at, level
from host.crown_scene import CrownScene
from host.sighting import Health, Sighting

PINS = (17, 27, 22)


@pytest.fixture
def factory(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockFactory]:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setenv("GPIOZERO_MOCK_PIN_CLASS", "mockpwmpin")
    before = gpiozero.Device.pin_factory
    factory = MockFactory(pin_class=MockPWMPin)
    gpiozero.Device.pin_factory = factory
    yield factory
    factory.reset()
    gpiozero.Device.pin_factory = before


def wait_until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 15
    while not what():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def wait_for(heard: list[Sighting], count: int) -> None:
    wait_until(lambda: len(heard) >= count)


def states(factory: MockFactory) -> tuple[float, ...]:
    return tuple(round(factory.pin(pin).state, 3) for pin in PINS)


def test_the_pins_follow_the_scene_and_are_off_at_stop(factory: MockFactory) -> None:
    heard: list[Sighting] = []
    crown = GpioCrown("crown", PINS)
    crown.start(heard.append)
    crown.show(CrownScene((255, 0, 51), "steady", 0, "house"))
    wait_until(lambda: states(factory) == (1.0, 0.0, 0.2))
    crown.show(CrownScene((0, 255, 0), "blink", 10, "warning"))
    seen: set[tuple[float, ...]] = set()
    deadline = time.monotonic() + 15
    while len(seen) < 2 and time.monotonic() < deadline:
        seen |= {state for state in [states(factory)] if state[0] == 0}
        time.sleep(0.005)
    assert seen == {(0.0, 1.0, 0.0), (0.0, 0.0, 0.0)}
    crown.show(CrownScene((255, 255, 255), "steady", 0, "all"))
    wait_until(lambda: states(factory) == (1.0, 1.0, 1.0))
    crown.stop()
    assert states(factory) == (0.0, 0.0, 0.0)
    crown.stop()
    assert [(h.state, h.kind) for h in heard if isinstance(h, Health)] == [("up", "crown")]


def test_changing_the_pins_works_ten_times_in_a_row(factory: MockFactory) -> None:
    heard: list[Sighting] = []
    for turn in range(10):
        crown = GpioCrown("crown", PINS if turn % 2 else (5, 6, 13))
        crown.start(heard.append)
        wait_for(heard, turn + 1)
        crown.stop()
    assert all(isinstance(h, Health) and h.state == "up" for h in heard)


def test_pins_in_use_are_said_and_taken_when_they_are_free(
    factory: MockFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("host.crown.gpio.RETRY_S", 0.05)
    other = gpiozero.LED(17)
    heard: list[Sighting] = []
    crown = GpioCrown("crown", PINS)
    crown.start(heard.append)
    wait_until(lambda: len(heard) == 1)
    assert isinstance(heard[0], Health)
    assert heard[0].detail == "LED crown: on screen only (its pins are used by another program)"
    time.sleep(0.2)
    assert len(heard) == 1, "one line a change, not one a try"
    other.close()
    wait_until(lambda: len(heard) == 2)
    crown.stop()
    assert isinstance(heard[1], Health)
    assert heard[1].state == "up"


def test_f53_without_gpio_the_crown_is_on_screen_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    heard: list[Sighting] = []
    crown = GpioCrown("crown", PINS)
    crown.start(heard.append)
    wait_until(lambda: len(heard) == 1)
    crown.show(CrownScene((255, 0, 0), "steady", 0, "red"))
    crown.stop()
    assert isinstance(heard[0], Health)
    assert heard[0].state == "lost"
    assert heard[0].detail.startswith("LED crown: on screen only (")
    assert crown.shown() is None


def test_errors_of_gpio_libraries_are_said_in_plain_words() -> None:
    busy = type("error", (Exception,), {})("'GPIO busy'")
    assert in_words(busy) == "its pins are used by another program"
    assert in_words(gpiozero.BadPinFactory("Unable to load any default pin factory!")) == (
        "this machine has no pins that this user may use"
    )
    assert in_words(gpiozero.PinPWMUnsupported("PWM is not supported")) == "these pins can't dim an LED"
    assert in_words(ModuleNotFoundError("No module named 'lgpio'", name="lgpio")) == (
        "the Python module lgpio is not installed"
    )


@pytest.mark.parametrize("pattern", ["breathe", "blink", "pulse", "sweep", "wave", "dim", "steady"])
def test_levels_stay_between_dark_and_full_and_repeat(pattern: str) -> None:
    curve = [level(pattern, step / 100) for step in range(300)]
    assert all(0 <= value <= 1 for value in curve)
    assert curve[:100] == pytest.approx(curve[100:200], abs=1e-9)
    assert max(curve) > 0.05


def test_a_faster_pace_repeats_sooner() -> None:
    slow = CrownScene((200, 100, 0), "breathe", 0.5, "")
    fast = CrownScene((200, 100, 0), "breathe", 1.0, "")
    assert colour_at(slow, 1.0) == pytest.approx(colour_at(fast, 0.5))
