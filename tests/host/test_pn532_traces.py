"""28 exchanges with real PN532s: the stand-in answers like the chips, the driver survives them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import serial

from host import uid as uids
from host.nfc.chip import Chip, open_chip, parse_targets
from host.nfc.faults import ReaderError, ReaderSilentError, TagSilentError
from host.nfc.frames import ACK, FrameParser, encode
from host.nfc.port import SerialTransport
from host.nfc.reader import NfcReader
from host.nfc.scan import by_number_only, look_at
from host.sighting import Inventory
from host.virtual import tags
from host.virtual.pn532 import VirtualPn532
from host.virtual.pn532_chip import Pn532Chip, Reply
from tests.host.nfc_help import Ear, Talker, is_state, running, sees
from tests.shared_data import SHARED

FOLDER = SHARED / "data/nfc/pn532_traces"
DUMPS = SHARED / "data/nfc/dumps"
WAKE = b"\x55\x55" + bytes(14)


@dataclass(frozen=True)
class Step:
    """What the host sent, and all that came back before it sent again (None: silence was seen)."""

    sent: bytes
    back: bytes


def trace(number: str) -> tuple[str, list[Step]]:
    """A trace's prose and its steps (frame, body or tag level alike)."""
    (path,) = FOLDER.glob(f"P{number}_*.txt")
    text = path.read_text()
    steps: list[Step] = []
    for line in text.splitlines():
        mark, _, rest = line.partition(" ")
        mark = mark.removeprefix("T").removeprefix("B")
        if mark == ">":
            steps.append(Step(bytes.fromhex(rest) if "<" not in rest else b"", b""))
        elif mark.startswith("<") and steps and not rest.startswith("("):
            steps[-1] = Step(steps[-1].sent, steps[-1].back + bytes.fromhex(rest))
    return text, steps


def dump(number: str) -> tags.Tag:
    (path,) = DUMPS.glob(f"D{number}_*.json")
    return tags.from_dump(json.loads(path.read_text()))


@pytest.fixture
def chip() -> Iterator[VirtualPn532]:
    stand_in = VirtualPn532()
    stand_in.start()
    yield stand_in
    stand_in.stop()


def play(stand_in: VirtualPn532, steps: list[Step], *, wake: bool = True) -> None:
    """Sends every step over a real port and compares what comes back, byte by byte."""
    with serial.Serial(stand_in.path, 115200, timeout=2.0) as port:
        if wake:
            port.write(WAKE)
        for step in steps:
            port.write(step.sent)
            assert port.read(len(step.back)).hex() == step.back.hex(), step.sent.hex()
        port.timeout = 0.05
        if steps[-1].back:
            assert port.read(1) == b""


def settings(stand_in: VirtualPn532) -> None:
    """What nfcpy and libnfc set before they poll: one retry, no RATS by itself."""
    stand_in.chip.retries = 1


def test_there_are_28_and_each_is_named_here() -> None:
    numbers = {path.name[1:3] for path in FOLDER.glob("P*.txt")}
    assert len(numbers) == 28
    here = set()
    for name in list(globals()):
        if name.startswith("test_p"):
            here |= {part[1:3] for part in name.split("_") if part[:1] == "p" and part[1:3].isdigit()}
    assert numbers <= here


# -- the stand-in answers as the chips did --------------------------------------------------------


def test_p01_start_up_and_change_of_speed(chip: VirtualPn532) -> None:
    _, steps = trace("01")
    play(chip, steps, wake=False)
    deadline = time.monotonic() + 5
    while chip.chip.baud != 921600 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert chip.chip.baud == 921600


def test_p03_read_with_the_crc_of_the_tag(chip: VirtualPn532) -> None:
    _, steps = trace("03")
    settings(chip)
    chip.place(dump("24"))
    listing = encode(bytes.fromhex("d44a0100"))
    no_crc = encode(bytes.fromhex("d408630300"))
    found = chip.chip  # its answers to the two preparing commands are the business of other tests
    with serial.Serial(chip.path, 115200, timeout=2.0) as port:
        for command in (listing, no_crc):
            port.write(WAKE + command)
            assert port.read(6) == ACK
            assert port.read(9)[:3] == b"\x00\x00\xff"
            time.sleep(0.05)
            port.reset_input_buffer()
    assert found.radio.active() is not None
    play(chip, steps)


def test_p05_nothing_there_in_five_modulations(chip: VirtualPn532) -> None:
    _, steps = trace("05")
    settings(chip)
    play(chip, steps)


def test_p15_a_phone_with_its_ats(chip: VirtualPn532) -> None:
    _, steps = trace("15")
    settings(chip)
    phone = tags.SmartCardTag("phone", "083F6C4A", b"\x04\x03")
    chip.place(phone)
    play(chip, steps[:1])
    (target,) = parse_targets(bytes.fromhex("01010304 2004083f6c4a0578807002"))
    assert target.uid == phone.uid and target.atqa == b"\x04\x03"
    assert "phone" in str(by_number_only(target))


def test_p17_nobody_answers_a_raw_request(chip: VirtualPn532) -> None:
    """Seen on a PN533, whose register commands bring a status first; the PN532's do not."""
    _, steps = trace("17")
    play(chip, [Step(steps[0].sent, ACK + encode(bytes.fromhex("d50700")))])
    play(chip, [Step(steps[1].sent, ACK + encode(bytes.fromhex("d509")))])
    play(chip, steps[2:-1])


def test_p18_get_version_with_a_byte_too_many(chip: VirtualPn532) -> None:
    _, steps = trace("18")
    settings(chip)
    tag = tags.make_card_tag("s1/1")
    chip.place(tag)
    with serial.Serial(chip.path, 115200, timeout=2.0) as port:
        port.write(WAKE + encode(bytes.fromhex("d44a0100")))
        port.read(6 + 9 + 12)
    play(chip, steps)
    # It must not stop the NDEF read.
    reader = open_chip(chip.path)
    (target,) = reader.inventory()
    reader.select(tag.uid)
    with pytest.raises(TagSilentError):
        reader.exchange(b"\x60\x00")
    assert look_at(reader, target).card == "s1/1"
    reader.close()


def test_p19_a_classic_refuses_without_a_key(chip: VirtualPn532) -> None:
    _, steps = trace("19")
    settings(chip)
    chip.place(dump("56"))
    with serial.Serial(chip.path, 115200, timeout=2.0) as port:
        port.write(WAKE + encode(bytes.fromhex("d44a0100")))
        port.read(6 + 7 + 12)
    play(chip, steps)


def test_p20_p22_sam_configuration(chip: VirtualPn532) -> None:
    for number in ("20", "22"):
        _, steps = trace(number)
        play(chip, steps)


def test_p24_somebody_elses_probe_is_not_acted_on(chip: VirtualPn532) -> None:
    _, steps = trace("24")
    play(chip, [Step(steps[0].sent, b"")])
    assert chip.chip.commands == 0
    answers = {0x14: "d515", 0x00: "d501006c69626e6663", 0x02: "d50332010607", 0x12: "d513"}
    play(chip, [Step(s.sent, ACK + encode(bytes.fromhex(answers[s.sent[6]]))) for s in steps[1:]])


def test_p25_polls_for_every_kind_are_acknowledged(chip: VirtualPn532) -> None:
    _, steps = trace("25")
    for step in steps:
        play(chip, [Step(step.sent, ACK + encode(bytes((0xD5, step.sent[6] + 1)) + tail(step.sent)))])


def tail(sent: bytes) -> bytes:
    """Polls say how many they found; settings say nothing."""
    return b"\x00" if sent[6] == 0x4A else b""


def test_p27_zeros_behind_a_frame(chip: VirtualPn532) -> None:
    _, steps = trace("27")
    settings(chip)
    empty = ACK + encode(bytes.fromhex("d54b00"))
    play(chip, [Step(steps[0].sent, empty), Step(bytes(40) + steps[0].sent, empty)])


def test_p28_bodies_with_the_card_there_before_the_start() -> None:
    _, steps = trace("28")
    chip = Pn532Chip(retries=1)
    classic = tags.ClassicTag("1K", "4A8D694F")
    for with_card in (False, True):
        chip.radio.present.clear()
        if with_card:
            chip.radio.place(classic)
        for step in steps:
            answer = chip.command(b"\xd4" + step.sent, 0.0)
            assert isinstance(answer, Reply)
            if step.back and (with_card or step.sent[0] != 0x4A):
                assert answer.data[1 : 1 + len(step.back)] == step.back


def test_p04_p34_p35_tags_answer_as_they_did() -> None:
    for number, tag in (("04", dump("56")), ("34", dump("25"))):
        _, steps = trace(number)
        for step in steps:
            if step.back:
                assert tag.exchange(step.sent) == step.back
    _, (first,) = trace("35")
    tag216 = tags.blank("NTAG216", "048A4AD29C3980")
    assert tag216.exchange(first.sent) == first.back
    assert tags.from_pages([first.back[i : i + 4] for i in range(0, 16, 4)]).uid == "048A4AD29C3980"


# -- the driver survives what the chips did -------------------------------------------------------


def replayed(answers: list[bytes]) -> Talker:
    """Answers the pieces that hold a frame with these, the last one for ever."""
    left = list(answers)

    def answer(piece: bytes) -> bytes:
        if not FrameParser().feed(piece) or ACK in piece[-6:]:
            return b""
        return left.pop(0) if len(left) > 1 else left[0]

    return Talker(answer)


def test_p04_a_chip_left_at_another_speed_is_found(chip: VirtualPn532) -> None:
    for baud in (921600, 230400):
        chip.chip.baud, chip.chip.asleep = baud, False
        reader = open_chip(chip.path)
        assert reader.firmware == "PN532 1.6" and chip.chip.baud == 115200
        reader.close()


def test_p08_garbage_at_the_wrong_speed() -> None:
    _, steps = trace("08")
    begun = time.monotonic()
    with replayed([steps[-1].back]) as talker, pytest.raises(ReaderError) as raised:
        open_chip(talker.path)
    assert "not in the reader's language" in raised.value.what
    assert time.monotonic() - begun < 15


def test_p09_p10_half_an_answer_and_none_name_the_wiring() -> None:
    for number in ("09", "10"):
        _, steps = trace(number)
        with replayed([steps[-1].back]) as talker, pytest.raises(ReaderError) as raised:
            open_chip(talker.path)
        assert "does not answer" in raised.value.what
        for cause in ("RX and TX", "serial port", "switches"):
            assert cause in raised.value.cure


def test_p11_p05_p20_p22_preambles_and_pieces_of_any_length() -> None:
    """Longer preambles, ACK and answer glued together or apart."""
    firmware = encode(bytes.fromhex("d50332010607"))
    for back in (
        trace("11")[1][0].back,
        bytes(9) + ACK + bytes(5) + firmware,
        ACK + firmware,
        trace("20")[1][0].back,
        trace("05")[1][0].back,
    ):
        with replayed([back]) as talker:
            port = SerialTransport(talker.path)
            port.write(encode(bytes.fromhex("d402")))
            assert port.read(2000) == ACK
            frame = port.read(2000)
            assert frame.startswith(b"\x00\x00\xff") and sum(frame[3:5]) & 0xFF == 0
            port.close()


def test_p12_a_shifted_ack_is_dropped_and_the_command_repeated(chip: VirtualPn532) -> None:
    text, _ = trace("12")
    bad = bytes.fromhex(text.rsplit("<bad ", 1)[1].strip())
    assert FrameParser().feed(bad) == []
    reader = open_chip(chip.path)
    chip.fault("garbage", times=1)
    reader.ask_firmware()
    assert reader.failures == 1
    reader.close()


def test_p23_a_stray_tail_never_stops_the_polling(chip: VirtualPn532) -> None:
    ear = Ear()
    chip.place(tags.make_card_tag("s1/1"))
    with running(chip, ear):
        ear.until(sees("s1/1"))
        chip.fault("tail")
        for _ in range(30):
            ear.until(sees("s1/1"))
        assert all(scan.ok for scan in ear.inventories())


def test_p30_one_ack_in_fifty_is_lost_and_no_tap(chip: VirtualPn532) -> None:
    ear = Ear()
    chip.fault("no-ack")
    with running(chip, ear):
        for number in range(30):
            tag = tags.make_card_tag(f"s1/{number}")
            chip.place(tag)
            ear.until(sees(f"s1/{number}"))
            chip.lift(tag)
            ear.until(sees())


def test_p32_the_line_test_fails_and_is_tried_again(chip: VirtualPn532) -> None:
    failures: list[bytes] = []

    def spoil(direction: str, data: bytes) -> None:
        if direction == ">" and b"\xd4\x00" in data and len(failures) < times:
            failures.append(data)
            chip.fault("garbage", times=1)

    chip.log = spoil
    times = 2
    reader = open_chip(chip.path)
    assert len(failures) == 2 and len(failures[0]) > 262
    reader.ask_firmware()
    reader.close()
    # Once it fails for good, it is said, and tried again with pauses.
    times = 1000
    ear = Ear()
    device = NfcReader("scan", chip.path)
    device.start(ear)
    try:
        ear.until(is_state("lost", "self-test fails"), new=False)
        times = 0
        ear.until(is_state("up"), new=False)
    finally:
        device.stop()


def test_p33_p38_a_phone_pulled_away_and_a_reader_that_loses_power(chip: VirtualPn532) -> None:
    ear = Ear()
    phone = tags.SmartCardTag("phone", "08112233", random_uid=True)
    card = tags.make_card_tag("s1/1")
    with running(chip, ear):
        chip.place(phone)
        seen = ear.until(sees(None))
        assert isinstance(seen, Inventory) and "phone" in str(seen.tags[0].why)
        chip.lift(phone)
        chip.place(card)
        ear.until(sees("s1/1"))
        chip.lift(card)
        chip.fault("power-loss")  # settings gone: it would wait for a tag for ever
        ear.until(sees())
        chip.place(card)
        ear.until(sees("s1/1"))


class _NoneChipset:
    """nfcpy in the mood of trace P39."""

    def __init__(self, answers: list[object]) -> None:
        self.answers = answers

    def command(self, code: int, data: bytearray, seconds: float) -> object:
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


@dataclass
class _Device:
    chipset: _NoneChipset
    chipset_name: str = "PN532v1.6"


class _Line:
    TYPE = "USB"
    broken: OSError | None = None

    def read(self, timeout: int = 0) -> bytearray:
        return bytearray()

    def write(self, frame: bytes) -> None:
        return

    def close(self) -> None:
        return


@pytest.mark.parametrize(
    "odd", [None, TypeError("None"), IndexError("list"), KeyError(0x99), AssertionError(), ValueError("x")]
)
def test_p39_whatever_the_library_throws_ends_this_try_only(odd: object) -> None:
    chip = Chip(_Device(_NoneChipset([odd, odd, b"\x00"])), _Line(), "test")
    with pytest.raises(ReaderSilentError):
        chip.exchange(b"\x30\x00")


def test_p41_numbers_that_lost_their_zeros() -> None:
    known = "040AE1AAA21C91"
    assert uids.canonical("04:0A:E1:AA:A2:1C:91") == known
    assert uids.suggest("4ae1aaa21c91".upper(), {known})[0].uid == known
