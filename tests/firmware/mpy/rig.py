"""A desk for the drivers: register-level chips on a bus, tags made up, a clock that stands still."""

import random

from mfrc522_chip import Chip
from type2 import Tag


class Bus:
    """SPI with one chip on it; `log`, where it is a list, keeps what went over MOSI."""

    def __init__(self, chip):
        self.chip = chip
        self.log = None
        self.selected = False

    def select(self, on):
        assert bool(on) != self.selected, "the select line was set twice"
        self.selected = bool(on)

    def write(self, out):
        assert self.selected
        if self.log is not None:
            self.log.append(bytes(out))
        self.chip.transfer(out, None)

    def write_readinto(self, out, into):
        assert self.selected
        if self.log is not None:
            self.log.append(bytes(out))
        self.chip.transfer(out, into)


def reader(collision_base=0, gain=7):
    """(driver, chip, bus), not started."""
    from mfrc522 import MFRC522

    chip = Chip(None, collision_base)
    bus = Bus(chip)
    return MFRC522(bus, bus.select, gain), chip, bus


def pn532():
    """(driver, chip, bus) of the other kind of reader, not started."""
    import pn532_chip
    from pn532 import PN532

    chip = pn532_chip.Chip()
    bus = Bus(chip)
    return PN532(bus, bus.select), chip, bus


def uid(size):
    """A random UID. No random number of phones (08), no cascade tag (88) where it may not be."""
    found = bytearray(random.getrandbits(8) for _ in range(size))
    while found[0] in (0x08, 0x88) or (size == 10 and found[3] == 0x88):
        found[0] = random.getrandbits(8)
        found[3] = random.getrandbits(8)
    return bytes(found)


def ntag(number, message=b"", pages=45):
    """An NTAG21x with a 7-byte UID and an NDEF message on it."""
    head = number[:3] + bytes((0x88 ^ number[0] ^ number[1] ^ number[2],)) + number[3:7]
    head += bytes((number[3] ^ number[4] ^ number[5] ^ number[6], 0x48, 0, 0, 0xE1, 0x10, 0x12, 0))
    body = bytes((0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, len(message))) + message + b"\xfe"
    memory = head + body
    return Tag(number, 0x00, memory + bytes(pages * 4 - len(memory)))


class Clock:
    """An uptime that the check moves."""

    def __init__(self):
        self.ms = 0

    def now(self):
        return self.ms
