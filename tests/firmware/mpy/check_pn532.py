"""The PN532 driver against the chip's frames on SPI."""

import random

import pn532_chip
from reader import NOISE, OK, SILENT, ChipError
from type2 import Tag

from rig import ntag, pn532, uid

pn532_chip.REAL_TIME = False


def started():
    driver, chip, bus = pn532()
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
    found = []
    for _ in range(16):
        if driver.request() != OK:
            return found
        assert driver.select() == OK
        found.append(bytes(driver.uid[: driver.uid_len]))
        driver.halt()
    return found


def check_start_on_the_bus():
    driver, _, bus = pn532()
    bus.log = []
    driver.start()
    turned = [bytes(pn532_chip.TURN[byte] for byte in out) for out in bus.log]
    written = [out for out in turned if out[0] == 1]
    assert written[0] == b"\x01\x00\x00\xff\x00\xff\x00", "an ACK ends what the chip was at"
    assert written[1] == bytes.fromhex("010000ff02fed4022a00")
    assert written[2] == bytes.fromhex("010000ff05fbd4140100011600")
    assert driver.name() == "PN532v1.6"


def check_uids_of_all_sizes_and_several_tags():
    random.seed(532)
    for count in (1, 2, 3, 4):
        for _ in range(20):
            driver, chip, _ = started()
            numbers = [uid(random.choice((4, 7, 10))) for _ in range(count)]
            chip.tags = [Tag(number, 0x20) for number in numbers]
            assert sorted(everybody(driver)) == sorted(numbers)
            assert driver.sak == 0x20
            driver.field_off()
            assert driver.request() == SILENT
            driver.field_on()
            assert len(everybody(driver)) == count


def check_pages_are_read():
    driver, chip, _ = started()
    tag = ntag(uid(7), bytes(range(40)))
    chip.tags = [tag]
    assert driver.request() == OK
    for page in (0, 4, 40):
        assert driver.read_pages(page) == OK
        assert bytes(driver.frame[:16]) == tag.memory[page * 4 : page * 4 + 16]
    assert driver.read_pages(60) == NOISE
    chip.tags = []
    driver.halt()
    assert driver.request() == SILENT


def check_faults_of_the_chip_are_named():
    driver, chip, bus = pn532()
    chip.faults.mute = True
    fails("mute", driver.start)
    chip.faults.mute = False
    chip.faults.version = 0x33
    fails("version-33", driver.start)
    chip.faults.version = 0x32
    driver.start()
    chip.faults.garbled = 100
    fails("frame", driver.field_on)
    chip.faults.garbled = 0
    chip.faults.hung = True
    fails("hangs", driver.field_on)
    chip.hard_reset()
    driver.start()
    assert not bus.selected


def check_a_half_command_of_a_life_before_is_survived():
    driver, chip, _ = pn532()
    driver.start()
    chip._received(bytes.fromhex("0000ff04fcd44a0100e100"))  # its answer was never fetched
    driver.start()
    driver.field_on()
    chip.tags = [ntag(uid(7))]
    assert len(everybody(driver)) == 1


def check_half_of_a_long_number_is_no_number():
    driver, chip, _ = started()
    tag = Tag(uid(4))
    tag.uid = b"\x88\x04\xa1\xb2"
    chip.tags = [tag]
    assert driver.request() == NOISE


def check_the_self_test():
    driver, chip, _ = started()
    assert driver.self_test() == "pass"
    chip.faults.broken = True
    assert driver.self_test() == "fail"


def check_noise_gives_no_false_tag():
    random.seed(8)
    driver, chip, _ = started()
    number = uid(7)
    chip.tags = [ntag(number)]
    chip.faults.noise = 30
    good = 0
    for _ in range(200):
        driver.field_off()
        driver.field_on()
        for found in everybody(driver):
            assert found == number
            good += 1
    assert 80 < good < 195
