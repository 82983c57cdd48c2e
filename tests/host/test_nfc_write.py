"""F17: a tag torn in writing, locked, too small, password protected; and what is written comes back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import CrowntableError
from host import ndef
from host.nfc import type2
from host.nfc.chip import Chip, Target, open_chip
from host.nfc.faults import TagRefusedError, TagSilentError
from host.nfc.scan import look_at
from host.nfc.write import Written, write_message
from host.virtual import tags
from host.virtual.pn532 import VirtualPn532
from tests.host.nfc_help import Ear, is_state, running, sees

CARD = ndef.encode_card("cremisi/cavalry/1")
UID = "04AABBCCDDEE80"
TARGET = Target(1, UID, b"\x44\x00", 0)


@pytest.fixture(scope="module")
def stand_in() -> Iterator[VirtualPn532]:
    chip = VirtualPn532()
    chip.start()
    yield chip
    chip.stop()


@pytest.fixture(scope="module")
def chip(stand_in: VirtualPn532) -> Iterator[Chip]:
    opened = open_chip(stand_in.path)
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def _cleared(stand_in: VirtualPn532) -> Iterator[None]:
    yield
    stand_in.clear()
    stand_in.mend()


@pytest.mark.parametrize("kind", ["NTAG213", "NTAG215", "NTAG216", "NTAG203", "Ultralight C", "NTAG I2C 1K"])
def test_what_is_written_comes_back_on_every_kind(stand_in: VirtualPn532, chip: Chip, kind: str) -> None:
    stand_in.place(tags.blank(kind, UID))
    assert write_message(chip, UID, CARD) == Written(UID, len(CARD), False)
    assert look_at(chip, TARGET).card == "cremisi/cavalry/1"


@settings(max_examples=8, deadline=None)
@given(size=st.integers(0, 700))
def test_messages_of_every_length(stand_in: VirtualPn532, chip: Chip, size: int) -> None:
    stand_in.clear()
    stand_in.place(tags.blank("NTAG216", UID))
    payload = bytes(n & 0xFF for n in range(size))
    message = b"\xc5\x00" + len(payload).to_bytes(4, "big") + payload
    write_message(chip, UID, message)
    layout = look_at(chip, TARGET).layout
    assert layout is not None and layout.message == message


@pytest.mark.parametrize("size", [249, 250, 251, 252, 253, 255])
def test_the_length_that_needs_three_bytes(stand_in: VirtualPn532, chip: Chip, size: int) -> None:
    for first, second in ((size, 20), (20, size)):
        stand_in.clear()
        stand_in.place(tags.blank("NTAG216", UID))
        for length in (first, second):
            message = b"\xc5\x00" + length.to_bytes(4, "big") + bytes(length)
            write_message(chip, UID, message)
            layout = look_at(chip, TARGET).layout
            assert layout is not None and layout.message == message


def test_a_tag_of_full_length(stand_in: VirtualPn532, chip: Chip) -> None:
    stand_in.place(tags.blank("NTAG213", UID))
    message = b"\xd5\x00" + bytes((137 - 3,)) + bytes(137 - 3)
    write_message(chip, UID, message)
    with pytest.raises(CrowntableError, match="138 bytes are needed and it takes 137"):
        write_message(chip, UID, b"\xd5\x00" + bytes((138 - 3,)) + bytes(138 - 3))
    layout = look_at(chip, TARGET).layout
    assert layout is not None and layout.message == message


@pytest.mark.parametrize("writes", range(30))
def test_f17_taken_away_at_every_page(stand_in: VirtualPn532, chip: Chip, writes: int) -> None:
    """Whatever the moment: said, and the tag is recognisably what it was, half-written, or done."""
    lying = tags.blank("NTAG213", UID)
    lying.tear_after = writes
    stand_in.place(lying)
    try:
        write_message(chip, UID, CARD)
        written = True
    except CrowntableError as fault:
        assert "taken away too early" in fault.what
        written = False
    lying.tear_after = None
    seen = look_at(chip, TARGET)
    if written:
        assert seen.card == "cremisi/cavalry/1"
    else:
        assert seen.card is None
        assert seen.why in ("a blank tag", "a half-written tag: write it again")
    write_message(chip, UID, CARD)
    assert look_at(chip, TARGET).card == "cremisi/cavalry/1"


@pytest.mark.parametrize("writes", range(24))
def test_f17_a_rewritten_card_torn_is_never_the_wrong_card(
    stand_in: VirtualPn532, chip: Chip, writes: int
) -> None:
    lying = tags.make_card_tag("s1/1", UID)
    lying.tear_after = writes
    stand_in.place(lying)
    other = ndef.encode_card("s2/22")
    try:
        write_message(chip, UID, other)
    except CrowntableError:
        assert look_at(chip, TARGET).card == (None if writes else "s1/1")
    lying.tear_after = None
    assert look_at(chip, TARGET).card in (None, "s1/1", "s2/22")


def test_f17_locked_by_us_is_locked_for_good_and_still_a_card(stand_in: VirtualPn532, chip: Chip) -> None:
    for kind in ("NTAG213", "NTAG215", "NTAG216"):
        lying = tags.blank(kind, UID)
        stand_in.place(lying)
        assert write_message(chip, UID, CARD, lock=True).locked
        assert look_at(chip, TARGET).card == "cremisi/cavalry/1"
        with pytest.raises(CrowntableError, match="locked"):
            write_message(chip, UID, ndef.encode_card("s1/1"))
        for page in range(3, lying.pages - 5):
            answer = lying.exchange(bytes((0xA2, page)) + b"evil")
            assert answer != bytes((tags.ACK,)), (kind, page)
        stand_in.clear()


def test_f17_kinds_that_we_cannot_lock_are_not_half_locked(stand_in: VirtualPn532, chip: Chip) -> None:
    lying = tags.blank("Ultralight C", UID)
    stand_in.place(lying)
    before = bytes(lying.memory)
    with pytest.raises(CrowntableError, match="can't be locked here"):
        write_message(chip, UID, CARD, lock=True)
    assert bytes(lying.memory) == before


def test_f17_password_for_writing_only(stand_in: VirtualPn532, chip: Chip) -> None:
    lying = tags.make_card_tag("s1/1", UID)
    lying.memory[41 * 4 + 3] = 4  # AUTH0: from page 4 on, reading stays free
    stand_in.place(lying)
    assert look_at(chip, TARGET).card == "s1/1"
    with pytest.raises(CrowntableError, match="refuses to be written"):
        write_message(chip, UID, CARD)
    assert look_at(chip, TARGET).card == "s1/1"


def test_trap7_a_read_password_in_the_middle_of_the_message(stand_in: VirtualPn532, chip: Chip) -> None:
    """READ rolls over into the UID with no error; the record's checksum notices."""
    for auth0 in range(9, 28):
        lying = tags.make_card_tag("cremisi/cavalry/1", UID)
        lying.memory[41 * 4 + 3] = auth0
        lying.memory[42 * 4] |= 0x80
        stand_in.place(lying)
        seen = look_at(chip, TARGET)
        assert seen.card is None and seen.why, auth0
        stand_in.clear()


def test_the_wrong_tag_and_none(stand_in: VirtualPn532, chip: Chip) -> None:
    with pytest.raises(CrowntableError, match="is not on the reader"):
        write_message(chip, UID, CARD)
    other = tags.blank("NTAG213", "04112233445580")
    stand_in.place(other)
    before = bytes(other.memory)
    with pytest.raises(CrowntableError, match="is not on the reader"):
        write_message(chip, UID, CARD)
    assert bytes(other.memory) == before


def test_of_two_tags_only_the_named_one_is_written(stand_in: VirtualPn532, chip: Chip) -> None:
    first, second = tags.blank("NTAG213", UID), tags.blank("NTAG213", "04112233445580")
    stand_in.place(first)
    stand_in.place(second)
    before = bytes(first.memory)
    write_message(chip, second.uid, CARD)
    assert bytes(first.memory) == before and bytes(second.memory) != before


def test_a_running_reader_writes_between_two_scans(stand_in: VirtualPn532) -> None:
    chip = VirtualPn532()
    chip.start()
    ear = Ear()
    lying = tags.blank("NTAG213", UID)
    try:
        with running(chip, ear) as reader:
            chip.place(lying)
            ear.until(sees(None))
            assert reader.write(UID, CARD).result(20) == Written(UID, len(CARD), False)
            ear.until(sees("cremisi/cavalry/1"))
            with pytest.raises(CrowntableError, match="is not on the reader"):
                reader.write("04112233445580", CARD).result(20)
            chip.unplug()
            ear.until(is_state("lost"), new=False)
            with pytest.raises(CrowntableError):
                reader.write(UID, CARD).result(20)
        with pytest.raises(CrowntableError, match="not running"):
            reader.write(UID, CARD).result(20)
    finally:
        chip.stop()


def test_f20_unplugged_while_writing(stand_in: VirtualPn532) -> None:
    chip = VirtualPn532()
    chip.start()
    ear = Ear()
    lying = tags.blank("NTAG213", UID)
    writes = [0]

    def pull(way: str, data: bytes) -> None:
        if way == ">" and b"\xd4\x40\x01\xa2" in data and chip.plugged:
            writes[0] += 1
            if writes[0] == 4:
                chip.unplug()

    try:
        with running(chip, ear) as reader:
            chip.place(lying)
            ear.until(sees(None))
            chip.log = pull
            with pytest.raises(CrowntableError):
                reader.write(UID, CARD).result(20)
            ear.until(is_state("lost"), new=False)
    finally:
        chip.stop()
    pages = type2.Memory(lambda page: lying.exchange(bytes((0x30, page))) or b"")
    assert type2.read_layout(pages).content in ("torn", "blank")


@given(st.binary(min_size=64, max_size=64).map(bytearray), st.binary(max_size=3))
def test_no_memory_makes_the_walk_raise(memory: bytearray, container: bytes) -> None:
    memory[12:14] = b"\xe1\x10"
    lying = tags.from_pages([bytes(memory[i : i + 4]) for i in range(0, 64, 4)], UID, "Ultralight")
    reads = [0]

    def read(page: int) -> bytes:
        reads[0] += 1
        answer = lying.exchange(bytes((0x30, page)))
        if answer is None:
            raise TagSilentError("gone")
        if len(answer) == 1:
            raise TagRefusedError("nak")
        return answer

    layout = type2.read_layout(type2.Memory(read))
    assert reads[0] <= 17
    assert len(layout.message) <= 2040
    ndef.kind_of(ndef.parse(layout.message))
