"""The link against the real firmware in a real MicroPython, on a pseudo-terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from host.crown_scene import CrownScene
from host.link.device import LinkDevice
from host.sighting import Inventory, Press
from host.virtual.pico import VirtualPico
from tests.host.link_board import OTHER, UID, Heard, card_memory, wait_until


@pytest.fixture
def pico() -> Iterator[VirtualPico]:
    pico = VirtualPico("pico", 4, buttons=["done"])
    pico.start()
    yield pico
    pico.stop()


@pytest.fixture
def link(pico: VirtualPico) -> Iterator[tuple[LinkDevice, Heard]]:
    device, heard = LinkDevice("pico", pico.path, 4), Heard()
    device.start(heard)
    heard.health("up")
    yield device, heard
    device.stop()


def test_a_card_laid_is_read_with_its_id_and_gone_when_lifted(
    pico: VirtualPico, link: tuple[LinkDevice, Heard]
) -> None:
    _, heard = link
    heard.tags(2, set())
    pico.place(2, UID, card_memory("s2/5"))
    laid = heard.tags(2, {UID})
    assert (laid.reader, laid.tags[0].card, laid.tags[0].why) == ("pico", "s2/5", None)
    since = len(heard.all)
    pico.lift(2, UID)
    heard.tags(2, set(), since)


def test_two_cards_in_one_field_are_both_read(pico: VirtualPico, link: tuple[LinkDevice, Heard]) -> None:
    _, heard = link
    pico.place(0, UID, card_memory("s2/5"))
    pico.place(0, OTHER, card_memory("s3/7", OTHER))
    both = heard.tags(0, {UID, OTHER})
    assert {tag.uid: tag.card for tag in both.tags} == {UID: "s2/5", OTHER: "s3/7"}
    assert pico.most_fields == 1


def test_a_button_is_pressed_once(pico: VirtualPico, link: tuple[LinkDevice, Heard]) -> None:
    _, heard = link
    pico.press("done")
    heard.wait(lambda s: isinstance(s, Press) and s.button == "done")
    time.sleep(0.4)
    assert sum(isinstance(s, Press) for s in heard.all) == 1


def test_the_ring_shows_the_scene_and_is_dark_after_stop(
    pico: VirtualPico, link: tuple[LinkDevice, Heard]
) -> None:
    device, _ = link
    device.show(CrownScene((0, 0, 255), "steady", 0, "somebody's house"))
    wait_until(lambda: any(blue > 20 for _, _, blue in pico.leds()))
    assert all(red == green == 0 for red, green, _ in pico.leds())
    device.stop()
    wait_until(lambda: not any(map(any, pico.leds())))
    device.stop()


def test_f20_a_pulled_cable_is_said_within_a_second_and_heals(
    pico: VirtualPico, link: tuple[LinkDevice, Heard]
) -> None:
    device, heard = link
    pico.place(1, UID, card_memory("s2/5"))
    heard.tags(1, {UID})
    device.show(CrownScene((255, 0, 0), "steady", 0, "red"))
    since = len(heard.all)
    pulled = time.monotonic()
    pico.unplug()
    lost = heard.health("lost", since)
    assert lost.at - pulled < 1
    assert lost.detail.startswith("link lost")
    pico.lift(1, UID)
    pico.place(3, OTHER, card_memory("s3/7", OTHER))
    time.sleep(0.3)
    assert not any(isinstance(s, Inventory) and not s.ok for s in heard.all)
    since = len(heard.all)
    pico.plug()
    heard.health("up", since)
    heard.tags(1, set(), since)
    assert heard.tags(3, {OTHER}, since).tags[0].card == "s3/7"
    wait_until(lambda: any(red > 20 for red, _, _ in pico.leds()))
