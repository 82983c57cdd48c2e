"""How long a round takes, counted on the register-level model: the figures in firmware/README.md."""

import mfrc522_chip
from scan import GUARD_MS, Scanner

from rig import ntag, reader, uid

mfrc522_chip.REAL_TIME = False  # so that waiting takes one look at the chip, not hundreds
ACCESS_US = 75  # measured on an emulated RP2040


def scan_ms(tags, known):
    """(milliseconds, accesses, milliseconds on the air) of one scan of an antenna with these tags."""
    driver, chip, _ = reader()
    driver.start()
    scanner = Scanner([driver], lambda payload: True, None, lambda ms: None)
    antenna = scanner.antennas[0]
    chip.tags = tags
    if known:
        seen = {}
        assert scanner._scan(antenna, seen)
        antenna.tags = seen
    chip.accesses = chip.air_ns = 0
    assert scanner._scan(antenna, {})
    air = chip.air_ns / 1000000
    return GUARD_MS + air + chip.accesses * ACCESS_US / 1000, chip.accesses, air


def check_a_round_is_as_fast_as_the_readme_says():
    message = bytes(70)  # what a game card carries
    empty = scan_ms([], False)
    occupied = scan_ms([ntag(uid(7), message)], True)
    new = scan_ms([ntag(uid(7), message)], False)
    two = scan_ms([ntag(uid(7), message), ntag(uid(7), message)], True)
    print("empty %.1f ms, %d accesses, %.1f ms on the air" % empty)
    print("occupied %.1f ms, %d accesses, %.1f ms on the air" % occupied)
    print("new %.1f ms, %d accesses, %.1f ms on the air" % new)
    print("two %.1f ms, %d accesses, %.1f ms on the air" % two)
    print(
        "16 occupied %.0f ms; 12 empty, 4 occupied %.0f ms"
        % (16 * occupied[0], 12 * empty[0] + 4 * occupied[0])
    )
    assert empty[0] <= 8
    assert occupied[0] <= 18
    assert new[0] <= 31
    assert 16 * occupied[0] <= 280
