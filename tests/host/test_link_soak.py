"""The link and the virtual Pico through hundreds of random troubles: the end state right, nothing leaks."""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path

import pytest

from host.crown_scene import CrownScene
from host.link.device import LinkDevice
from host.sighting import Inventory
from host.virtual.pico import VirtualPico
from tests.host.link_board import Heard, card_memory

ANTENNAS = 4


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def trouble(pico: VirtualPico, rng: random.Random) -> None:
    match rng.randint(0, 5):
        case 0:
            pico.unplug()
            time.sleep(rng.random())
            pico.plug()
        case 1:
            pico.power_cut()
        case 2:
            pico.reset_in_line()
        case 3:
            pico.garbage(rng.randbytes(rng.randint(1, 200)))
        case 4:
            pico.fault(rng.randrange(ANTENNAS), rng.choice(("mute", "hung")), 1)
        case _:
            pico.stall(rng.random())


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_two_hundred_random_troubles() -> None:
    rng = random.Random(20)
    pico = VirtualPico("pico", ANTENNAS)
    pico.start()
    link = LinkDevice("pico", pico.path, ANTENNAS)
    heard = Heard()
    link.start(heard)
    heard.health("up")
    files = threads = 0
    for turn in range(200):
        antenna = rng.randrange(ANTENNAS)
        uid = f"04A1B2C3D4E5{rng.randrange(16):02X}"
        if uid in pico.lying(antenna):
            pico.lift(antenna, uid)
        elif len(pico.lying(antenna)) < 2:
            pico.place(antenna, uid, card_memory("s2/5", uid))
        link.show(CrownScene((rng.randrange(256), 0, 0), "breathe", 1.0, str(turn)))
        trouble(pico, rng)
        time.sleep(rng.random() * 0.6)
        if turn % 20 == 19:
            for antenna in range(ANTENNAS):
                pico.fault(antenna, "mute", 0)
                pico.fault(antenna, "hung", 0)
            since = len(heard.all)
            for antenna in range(ANTENNAS):
                heard.tags(antenna, set(pico.lying(antenna)), since)
            assert all(
                tag.card in ("s2/5", None)
                for seen in heard.all
                if isinstance(seen, Inventory)
                for tag in seen.tags
            )
            heard.all.clear()
            if turn == 39:
                files, threads = open_files(), threading.active_count()
    assert open_files() <= files + 2
    assert threading.active_count() <= threads
    assert pico.most_fields == 1
    link.stop()
    pico.stop()
    assert not os.path.lexists(pico.path)
