"""The MFRC522 driver against the chip's registers."""

import random

import mfrc522_chip
from mfrc522 import MFRC522
from reader import COLLISION, NOISE, OK, SILENT, ChipError
from type2 import Tag, crc_a

from rig import ntag, reader, uid

mfrc522_chip.REAL_TIME = False


def started(collision_base=0):
    driver, chip, bus = reader(collision_base)
    driver.start()
    driver.field_on()
    return driver, chip, bus


def fails(what, call):
    try:
        call()
    except ChipError as error:
        assert str(error) == what, error
        return
    raise AssertionError("no ChipError: " + what)


def everybody(driver):
    """The UIDs of all tags in the field, one after the other."""
    found = []
    for _ in range(16):
        if driver.request() == SILENT:
            return found
        if driver.select() != OK:
            continue
        found.append(bytes(driver.uid[: driver.uid_len]))
        driver.halt()
    return found


def check_crc_a_is_the_standards():
    # ISO/IEC 14443-3, annex B: 00 00 gives A0 1E; 12 34 gives 26 CF.
    assert crc_a(b"\x00\x00") == b"\xa0\x1e"
    assert crc_a(b"\x12\x34") == b"\x26\xcf"


def check_versions_are_named_and_strangers_refused():
    for version, name in ((0x91, "MFRC522v1"), (0x92, "MFRC522v2"), (0x88, "FM17522"), (0x12, "counterfeit")):
        driver, chip, _ = reader()
        chip.faults.version = version
        driver.start()
        assert driver.name() == name
    for version, what in ((0x00, "mute"), (0xFF, "mute"), (0x33, "version-33")):
        driver, chip, _ = reader()
        chip.faults.version = version
        fails(what, driver.start)
    driver, chip, _ = reader()
    chip.faults.mute = True
    fails("mute", driver.start)


def check_start_writes_what_the_data_sheet_asks():
    driver, _, bus = reader()
    bus.log = []
    driver.start()
    writes = [(out[0] >> 1, out[1]) for out in bus.log if not out[0] & 0x80]
    assert writes[0] == (0x01, 0x0F), "soft reset first"
    for expected in ((0x2A, 0x80), (0x2B, 0xA9), (0x15, 0x40), (0x11, 0x3D), (0x26, 0x70)):
        assert expected in writes, expected


def check_request_on_the_bus_byte_by_byte():
    driver, chip, bus = started()
    chip.tags = [ntag(uid(7))]
    assert driver.request() == OK
    driver.field_off()
    driver.field_on()
    bus.log = []
    assert driver.request() == OK
    sent = [out for out in bus.log if not out[0] & 0x80]
    assert sent == [b"\x02\x00", b"\x08\x7f", b"\x14\x80", b"\x12\x26", b"\x02\x0c", b"\x1a\x87"], sent
    assert bytes(driver.frame[:2]) == b"\x44\x00"
    assert not bus.selected


def check_uids_of_4_7_and_10_bytes():
    for size in (4, 7, 10):
        for _ in range(20):
            driver, chip, _ = started()
            number = uid(size)
            chip.tags = [Tag(number, 0x20)]
            assert everybody(driver) == [number]
            assert driver.sak == 0x20
            assert driver.request() == SILENT, "a halted tag keeps quiet"
            driver.field_off()
            driver.field_on()
            assert driver.request() == OK, "a new field wakes it"


def check_nothing_answers_without_a_field():
    driver, chip, _ = started()
    chip.tags = [ntag(uid(7))]
    driver.field_off()
    assert driver.request() == SILENT


def check_several_tags_are_all_found():
    random.seed(14443)
    for base in (0, 1, 2):
        for turn in range(40):
            driver, chip, _ = started(base)
            sizes = [random.choice((4, 7, 7, 10)) for _ in range(2 + turn % 3)]
            numbers = [uid(size) for size in sizes]
            chip.tags = [Tag(number) for number in numbers]
            found = everybody(driver)
            if sorted(found) != sorted(numbers):
                # The meaning of CollPos was just learnt beyond the first level: once more, then.
                assert base != 0
                driver.field_off()
                driver.field_on()
                found = everybody(driver)
            assert sorted(found) == sorted(numbers), (base, numbers, found)


def check_two_tags_need_no_second_try():
    random.seed(2)
    for base in (0, 1, 2):
        for _ in range(60):
            driver, chip, _ = started(base)
            one = uid(7)
            # Differing from any bit on, at either level, down to the last bit alone.
            bit = random.randint(0, 55)
            other = bytearray(one)
            other[bit // 8] ^= 1 << (bit % 8)
            if other[0] in (0x88, 0x08):
                continue
            chip.tags = [Tag(one), Tag(bytes(other))]
            assert sorted(everybody(driver)) == sorted([one, bytes(other)]), (base, one, other)


def check_different_kinds_collide_already_in_their_first_answer():
    driver, chip, _ = started()
    chip.tags = [Tag(uid(4), atqa=0x0004), Tag(uid(7), atqa=0x0044)]
    assert driver.request() == COLLISION
    driver.field_off()
    driver.field_on()
    assert len(everybody(driver)) == 2


def check_pages_are_read_and_end_is_noise():
    driver, chip, _ = started()
    tag = ntag(uid(7), bytes(range(40)))
    chip.tags = [tag]
    assert driver.request() == OK
    assert driver.select() == OK
    for page in (0, 4, 40):
        assert driver.read_pages(page) == OK
        assert bytes(driver.frame[:16]) == tag.memory[page * 4 : page * 4 + 16]
    assert driver.read_pages(60) == NOISE, "beyond the end the tag says NAK"
    assert driver.read_pages(0) == SILENT, "after a NAK it sleeps"


def check_damaged_answers_are_noise_and_never_a_uid():
    random.seed(7)
    driver, chip, _ = started()
    number = uid(7)
    chip.tags = [ntag(number)]
    chip.faults.noise = 30
    good = 0
    for _ in range(300):
        driver.field_off()
        driver.field_on()
        if driver.request() == OK and driver.select() == OK:
            assert bytes(driver.uid[: driver.uid_len]) == number
            good += 1
            if driver.read_pages(4) == OK:
                assert bytes(driver.frame[:16]) == chip.tags[0].memory[16:32]
    assert 10 < good < 290


def check_the_gain_is_read_back():
    for gain in range(8):
        driver, chip, _ = reader(gain=gain)
        driver.start()
        assert chip.registers[0x26] >> 4 == gain
    driver, chip, _ = reader(gain=7)
    chip.faults.gain_stuck = True
    fails("gain", driver.start)


def check_a_hung_chip_is_noticed_and_a_hard_reset_cures_it():
    driver, chip, _ = started()
    chip.faults.hung = True
    fails("hangs", driver.request)
    chip.hard_reset()
    fails("lost-settings", driver.check)
    driver.start()
    driver.field_on()
    chip.tags = [ntag(uid(7))]
    assert driver.request() == OK


def check_a_chip_that_lost_its_power_for_a_moment_is_noticed():
    driver, chip, _ = started()
    driver.check()
    chip.hard_reset()
    fails("lost-settings", driver.check)
    chip.faults.mute = True
    fails("mute", driver.check)


def check_the_self_test():
    for version, broken, result in ((0x91, 0, "pass"), (0x92, 0, "pass"), (0x92, 1, "fail")):
        driver, chip, _ = reader()
        chip.faults.version = version
        chip.faults.broken = broken
        assert driver.self_test() == result
        driver.start()
    driver, chip, _ = reader()
    chip.faults.version = 0x88
    assert len(driver.self_test()) == 4, "no record of a clone's result: its checksum instead"


def check_a_driver_never_leaves_its_chip_selected():
    driver, chip, bus = started()
    chip.tags = [ntag(uid(7)), ntag(uid(7))]
    everybody(driver)
    chip.faults.hung = True
    fails("hangs", driver.request)
    assert not bus.selected
    assert isinstance(driver, MFRC522)
