"""The scanner over register-level chips: what it says, in which order, and that it never says too much."""

import random

import mfrc522_chip
from link import words
from mfrc522 import MFRC522
from mfrc522_chip import Chip
from scan import HOT_MS, REPEAT_MS, Scanner, message_end
from type2 import Tag

from rig import Bus, Clock, ntag, uid

mfrc522_chip.REAL_TIME = False  # the clock here is the check's own


class Field:
    """Counts the fields that are on."""

    def __init__(self):
        self.on = 0
        self.most = 0

    def field_changed(self, chip, on):
        if on != getattr(chip, "was_on", False):
            chip.was_on = on
            self.on += 1 if on else -1
            self.most = max(self.most, self.on)


class Desk:
    """A scanner over `count` chips, each on a bus of its own; `lines` is what it said, as words."""

    def __init__(self, count, reset=False):
        self.field = Field()
        self.chips = [Chip(self.field) for _ in range(count)]
        self.clock = Clock()
        self.lines = []
        self.resets = 0
        drivers = []
        for chip in self.chips:
            bus = Bus(chip)
            drivers.append(MFRC522(bus, bus.select))
        self.scanner = Scanner(drivers, self.send, self.clock, self.idle, self.reset if reset else None)

    def send(self, payload):
        self.lines.append(words(payload))
        return True

    def idle(self, ms):
        self.clock.ms += ms

    def reset(self):
        self.resets += 1
        for chip in self.chips:
            chip.hard_reset()

    def run(self, ms):
        """Runs for so many milliseconds; what was said meanwhile."""
        self.lines = []
        until = self.clock.ms + ms
        while self.clock.ms < until:
            self.clock.ms += 1
            self.scanner.step()
        return self.lines

    def said(self, verb, antenna):
        return [given for name, given in self.lines if name == verb and given["ant"] == str(antenna)]


def check_a_tag_is_said_once_with_its_pages_and_repeated_in_the_inventory():
    desk = Desk(4)
    desk.run(100)
    number = uid(7)
    name = "".join("%02X" % byte for byte in number)
    desk.chips[2].tags = [ntag(number, b"hello")]
    desk.run(6000)
    tags = desk.said("tag", 2)
    assert len(tags) == 1
    assert tags[0]["uid"] == name
    data = bytes.fromhex(tags[0]["data"])
    assert data == desk.chips[2].tags[0].memory[: len(data)]
    assert len(data) == 32, "as far as the message goes, in whole blocks"
    inventories = desk.said("inv", 2)
    assert all(given["ok"] == "1" for given in inventories)
    assert [given["tags"] for given in inventories].count(name) >= len(inventories) - 1
    assert not desk.said("gone", 2)


def check_a_quiet_antenna_speaks_once_a_second_and_counts_its_scans():
    desk = Desk(4)
    desk.run(3000)
    desk.run(6 * REPEAT_MS)
    for antenna in range(4):
        inventories = desk.said("inv", antenna)
        assert 5 <= len(inventories) <= 7, len(inventories)
        assert all(int(given["scans"]) > 10 for given in inventories)
    stats = desk.said("scan", 1)
    assert 1 <= len(stats) <= 3
    assert int(stats[0]["rounds"]) > 100
    assert stats[0]["fails"] == "0"


def check_a_lifted_tag_is_said_gone_at_once():
    desk = Desk(16)
    number = uid(7)
    desk.chips[9].tags = [ntag(number)]
    desk.run(3000)
    desk.chips[9].tags = []
    desk.run(250)
    assert len(desk.said("gone", 9)) == 1
    assert desk.said("inv", 9)[0]["tags"] == "-"


def check_antennas_that_changed_come_first():
    desk = Desk(16)
    desk.run(2000)
    desk.chips[5].tags = [ntag(uid(7))]
    desk.run(HOT_MS)
    changed = len(desk.said("inv", 5))
    other = len(desk.said("inv", 6))
    assert changed >= 10, changed
    assert other <= 2


def check_hot_antennas_do_not_starve_the_others():
    desk = Desk(8)
    desk.run(2000)
    for turn in range(24):  # seven of eight antennas change all the time
        for antenna in range(7):
            desk.chips[antenna].tags = [ntag(uid(7))] if turn % 2 else []
        if turn == 12:
            desk.chips[7].tags = [ntag(uid(7))]
            desk.run(400)
            assert desk.said("tag", 7), "the quiet one was seen all the same"
        desk.run(100)


def check_never_two_fields_at_once():
    desk = Desk(16)
    random.seed(1)
    for _ in range(25):
        for chip in desk.chips:
            chip.tags = [ntag(uid(7)) for _ in range(random.randint(0, 2))]
            chip.faults.noise = random.choice((0, 0, 40))
            chip.faults.mute = random.randint(1, 20) == 1
        desk.run(100)
    assert desk.field.most == 1


def check_two_tags_keep_their_own_content():
    desk = Desk(1)
    one, other = ntag(uid(7), b"first"), ntag(uid(7), b"second one")
    desk.chips[0].tags = [one, other]
    desk.run(500)
    for tag in (one, other):
        name = "".join("%02X" % byte for byte in tag.uid)
        given = [given for given in desk.said("tag", 0) if given["uid"] == name]
        assert len(given) == 1
        data = bytes.fromhex(given[0]["data"])
        assert data == tag.memory[: len(data)]


def check_noise_is_a_failed_scan_and_removes_nothing():
    desk = Desk(1)
    desk.chips[0].tags = [ntag(uid(7))]
    desk.run(500)
    desk.chips[0].faults.noise = 100
    desk.run(3000)
    assert not desk.said("gone", 0)
    assert desk.said("inv", 0)
    assert all(given["ok"] == "0" for given in desk.said("inv", 0))
    desk.chips[0].faults.noise = 0
    desk.run(1500)
    assert not desk.said("tag", 0), "it was never away"
    assert desk.said("inv", 0)[-1]["ok"] == "1"


def check_content_is_read_again_until_it_was_read():
    desk = Desk(1)
    random.seed(3)
    full = 0
    for _ in range(15):
        desk.chips[0].tags = [ntag(uid(7), bytes(60))]
        desk.chips[0].faults.noise = 12
        desk.run(1500)
        full += any("data" in given for given in desk.said("tag", 0))
        desk.chips[0].faults.noise = 0
        desk.chips[0].tags = []
        desk.run(300)
    assert full >= 11, full


def check_a_tag_without_pages_is_said_unreadable_once():
    desk = Desk(1)
    desk.chips[0].tags = [Tag(uid(7), 0x00, b"")]
    desk.run(4000)
    tags = desk.said("tag", 0)
    assert "unread" not in tags[0]
    assert tags[-1].get("unread") == "1"
    assert len(tags) == 2


def check_other_kinds_of_tag_are_not_asked_for_pages():
    desk = Desk(1)
    for sak in (0x08, 0x20):
        desk.chips[0].tags = [Tag(uid(4), sak, b"")]
        desk.run(2000)
        tags = desk.said("tag", 0)
        assert len(tags) == 1
        assert tags[0]["sak"] == "%02X" % sak


def check_a_mute_chip_is_said_and_comes_back():
    desk = Desk(3, reset=True)
    desk.chips[1].tags = [ntag(uid(7))]
    desk.run(1000)
    desk.chips[1].faults.mute = True
    desk.run(3000)
    assert [given["what"] for given in desk.said("fault", 1)] == ["mute"]
    assert all(given["ok"] == "0" for given in desk.said("inv", 1))
    assert len(desk.said("inv", 1)) >= 2
    assert not desk.said("gone", 1)
    assert desk.resets >= 1
    for antenna in (0, 2):
        assert not desk.said("fault", antenna)
        assert all(given["ok"] == "1" for given in desk.said("inv", antenna))
    desk.chips[1].faults.mute = False
    desk.run(6000)
    assert [given["what"] for given in desk.said("fault", 1)] == ["none"]
    assert desk.said("inv", 1)[-1]["ok"] == "1"


def check_a_hung_chip_is_reset_over_the_common_line():
    desk = Desk(2, reset=True)
    desk.run(500)
    desk.chips[0].faults.hung = True
    desk.run(8000)
    faults = [given["what"] for given in desk.said("fault", 0)]
    assert faults[0] == "hangs", faults
    assert faults[-1] == "none", faults
    assert desk.said("inv", 0)[-1]["ok"] == "1"


def check_a_chip_whose_power_failed_for_a_moment_is_set_up_again():
    desk = Desk(2)
    desk.chips[0].tags = [ntag(uid(7))]
    desk.run(1000)
    desk.chips[0].hard_reset()
    desk.run(600)
    assert [given["what"] for given in desk.said("fault", 0)] == ["lost-settings", "none"]
    assert not desk.said("gone", 0)


def check_where_a_message_ends():
    head = bytes(16)
    assert message_end(head + b"\x03\x05hello\xfe") == 16 + 7
    assert message_end(head + b"\x00\x00\x01\x03\xa0\x0c\x34\x03\x02ab") == 16 + 11
    assert message_end(head + b"\xfe" + bytes(15)) == 17
    assert message_end(head + b"\x03\xff\x01\x00" + bytes(20)) == 16 + 4 + 256
    assert message_end(head + b"\x55" * 16) == 32, "no TLVs at all: enough is read"
    assert message_end(head + b"\x00" * 16) == 32 + 16, "empty so far: look further"
