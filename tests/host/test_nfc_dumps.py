"""43 tags of other people on the stand-in, read through nfcpy's driver: what the product must do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from engine.errors import CrowntableError
from host import ndef
from host.nfc.chip import Chip, open_chip
from host.nfc.scan import Scanner, Seen, look_at
from host.nfc.write import write_message
from host.virtual import tags
from host.virtual.pn532 import VirtualPn532
from tests.host.nfc_help import Ear, running, sees, tags_of
from tests.shared_data import SHARED

DUMPS = {
    path.name[:3]: json.loads(path.read_text()) for path in sorted((SHARED / "data/nfc/dumps").glob("*.json"))
}
BLANK = "a blank tag"
SYSTEM = "not a game card: another system's data"
CLASSIC = "a MIFARE Classic card: usable by its number, carries no table data"

#: what each tag is called; the sentences that `product_must` asks for
CALLED = {
    "D01": BLANK,
    "D03": BLANK,
    "D04": "not a game card: web address",
    "D05": "not a game card: phone number",
    "D06": "not a game card: web address",
    "D09": "not a game card: damaged link",
    "D10": "not a game card: web address",
    "D12": "not a game card: web address",
    "D14": SYSTEM,
    "D15": "not a game card: web address",
    "D17": SYSTEM,
    "D18": BLANK,
    "D20": "not a game card: web address",
    "D22": BLANK,
    "D24": "not a game card: text",
    "D25": "not a game card: web address",
    "D26": BLANK,
    "D27": "not a game card: text",
    "D28": "not a game card: text",
    "D30": "not a game card: data of another program",
    "D31": "not a game card: web address",
    "D32": SYSTEM,
    "D34": "a blank tag, not prepared yet",
    "D35": "a blank tag, not prepared yet",
    "D37": "not a game card: its content is damaged",
    "D39": "not a game card: data of another program",
    "D40": "a blank tag of a kind that a phone must prepare first",
    "D43": "not a game card: text",
    "D44": BLANK,
    "D45": BLANK,
    "D47": "not a game card: text",
    "D50": "not a game card: locked with a password",
    "D51": "a half-written tag: write it again",
    "D52": "not read: hold it longer",
    "D53": "its content can't be read",
    "D55": SYSTEM,
    "D56": CLASSIC,
    "D57": CLASSIC,
    "D59": CLASSIC,
    "D61": "a phone: its number changes at every tap",
    "D63": "a smart card (bank, transit, pass or the like)",
}


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


def tag(number: str) -> tags.Tag:
    made = tags.from_dump(DUMPS[number])
    if isinstance(made, tags.Type2Tag) and made.gone_after is not None:
        made.gone_after = 1  # the dump counts nfcpy's two questions for the product, which we don't ask
    return made


def laid(stand_in: VirtualPn532, chip: Chip, number: str) -> Seen:
    """The tag of a dump, laid on the reader and looked at."""
    stand_in.place(tag(number))
    (target,) = chip.inventory()
    return look_at(chip, target)


def contents(seen: Seen) -> list[str | None]:
    assert seen.message is not None
    return [record.content for record in seen.message.records]


def test_there_are_43_and_each_is_held() -> None:
    assert len(DUMPS) == 43
    assert set(DUMPS) == {*CALLED, "D13", "D65"}


@pytest.mark.parametrize("number", CALLED)
def test_called_by_what_it_is(stand_in: VirtualPn532, chip: Chip, number: str) -> None:
    seen = laid(stand_in, chip, number)
    assert seen.why == CALLED[number]
    assert seen.card is None
    assert seen.target.uid == DUMPS[number]["uid"].upper()


@pytest.mark.parametrize("number", [n for n in CALLED if DUMPS[n].get("pages")])
def test_the_same_octets_as_nfcpy_finds(stand_in: VirtualPn532, chip: Chip, number: str) -> None:
    measured = DUMPS[number]["measured_nfcpy_1_0_4"].get("ndef")
    layout = laid(stand_in, chip, number).layout
    if measured is None:
        assert layout is None or layout.message == b""
        return
    assert layout is not None
    assert layout.message.hex() == measured["octets"]
    assert layout.capacity == measured["capacity"]
    if number != "D20":  # its lock bits, which nfcpy does not look at, forbid writing
        assert layout.writable == measured["writeable"]


# -- product_must, one by one where the name does not say it all ----------------------------------


@pytest.mark.parametrize("number", ["D01", "D03", "D18", "D22", "D26", "D45", "D34", "D35", "D51"])
def test_blank_and_half_written_tags_can_be_written_at_once(
    stand_in: VirtualPn532, chip: Chip, number: str
) -> None:
    seen = laid(stand_in, chip, number)
    if seen.layout is not None and seen.layout.capacity < 60:
        with pytest.raises(CrowntableError, match="too small"):
            write_message(chip, seen.target.uid, ndef.encode_card("s1/1"), overwrite=False)
        return
    write_message(chip, seen.target.uid, ndef.encode_card("s1/1"), overwrite=False)
    assert look_at(chip, seen.target).card == "s1/1"


@pytest.mark.parametrize("number", ["D04", "D05", "D06", "D15", "D31"])
def test_somebody_elses_content_is_overwritten_only_when_told(
    stand_in: VirtualPn532, chip: Chip, number: str
) -> None:
    seen = laid(stand_in, chip, number)
    assert seen.layout is not None
    before = seen.layout.message
    with pytest.raises(CrowntableError, match="carries something") as raised:
        write_message(chip, seen.target.uid, ndef.encode_card("s1/1"), overwrite=False)
    assert "--overwrite" in raised.value.cure
    again = look_at(chip, seen.target).layout
    assert again is not None and again.message == before
    write_message(chip, seen.target.uid, ndef.encode_card("s1/1"))
    assert look_at(chip, seen.target).card == "s1/1"


def test_d06_d47_long_content_never_comes_into_the_sentence(stand_in: VirtualPn532, chip: Chip) -> None:
    for number in ("D06", "D47"):
        seen = laid(stand_in, chip, number)
        assert len(str(seen.why)) < 60
        stand_in.clear()


def test_d09_damaged_content_is_said_and_the_number_still_good(stand_in: VirtualPn532, chip: Chip) -> None:
    seen = laid(stand_in, chip, "D09")
    assert seen.message is not None and "invalid characters" in str(seen.message.damage)
    assert seen.read.uid == "04B8313A307380"


def test_d10_the_number_is_the_one_of_the_anticollision(stand_in: VirtualPn532, chip: Chip) -> None:
    seen = laid(stand_in, chip, "D10")
    assert seen.layout is not None and seen.layout.memory_uid == "043991C2FC6780"
    assert seen.read.uid == "04B8313A307380"


def test_d10_a_game_card_in_another_tags_memory_is_no_game_card(stand_in: VirtualPn532, chip: Chip) -> None:
    copy = tags.make_card_tag("s1/1", uid="04AABBCCDDEE80")
    copy.uid = "04112233445580"
    stand_in.place(copy)
    (target,) = chip.inventory()
    seen = look_at(chip, target)
    assert seen.card is None and "copy" in str(seen.why)
    with pytest.raises(CrowntableError, match="another tag's number"):
        write_message(chip, target.uid, ndef.encode_card("s1/1"))


def test_d13_garbage_is_refused_as_a_dump() -> None:
    with pytest.raises(CrowntableError, match="3 bytes instead of 4"):
        tags.from_dump(DUMPS["D13"])


@pytest.mark.parametrize("number", ["D14", "D17", "D32", "D40", "D55"])
def test_another_systems_tag_is_never_written(stand_in: VirtualPn532, chip: Chip, number: str) -> None:
    lying = tag(number)
    assert isinstance(lying, tags.Type2Tag)
    before = bytes(lying.memory)
    stand_in.place(lying)
    (target,) = chip.inventory()
    with pytest.raises(CrowntableError, match="not prepared for NDEF"):
        write_message(chip, target.uid, ndef.encode_card("s1/1"))
    assert bytes(lying.memory) == before


def test_d14_d37_the_walk_ends_inside_the_data_area(stand_in: VirtualPn532, chip: Chip) -> None:
    for number, most in (("D14", 16), ("D37", 10)):
        before = chip.commands
        laid(stand_in, chip, number)
        assert chip.commands - before <= most
        stand_in.clear()


def test_d20_d25_d39_read_only_tags_are_said_before_writing(stand_in: VirtualPn532, chip: Chip) -> None:
    for number in ("D20", "D25", "D39"):
        seen = laid(stand_in, chip, number)
        assert seen.layout is not None and not seen.layout.writable
        with pytest.raises(CrowntableError, match="locked"):
            write_message(chip, seen.target.uid, b"\xd0\x00\x00")
        stand_in.clear()


def test_d24_four_foreign_texts_are_four_and_none_is_ours(stand_in: VirtualPn532, chip: Chip) -> None:
    assert len(contents(laid(stand_in, chip, "D24"))) == 4


def test_d25_nested_records_without_terminator(stand_in: VirtualPn532, chip: Chip) -> None:
    assert contents(laid(stand_in, chip, "D25")) == ["http://libnfc.org"]


def test_d26_a_failed_first_read_is_tried_again(stand_in: VirtualPn532, chip: Chip) -> None:
    lying = tag("D26")
    assert isinstance(lying, tags.Type2Tag)
    lying.bad_reads = 1
    stand_in.place(lying)
    (target,) = chip.inventory()
    assert look_at(chip, target).why == BLANK


@pytest.mark.parametrize(
    ("number", "text"), [("D27", "Lll"), ("D28", "kiss - cold"), ("D43", "test"), ("D05", "tel:112")]
)
def test_texts(stand_in: VirtualPn532, chip: Chip, number: str, text: str) -> None:
    assert contents(laid(stand_in, chip, number)) == [text]


def test_d30_json_of_somebody_else(stand_in: VirtualPn532, chip: Chip) -> None:
    seen = laid(stand_in, chip, "D30")
    assert seen.message is not None and seen.message.records[0].type == "application/json"


def test_d31_nearly_full(stand_in: VirtualPn532, chip: Chip) -> None:
    seen = laid(stand_in, chip, "D31")
    with pytest.raises(CrowntableError, match=r"too small: 1\d\d bytes are needed and it takes 137"):
        url = "https://table.example/" + "x" * 90
        write_message(chip, seen.target.uid, ndef.encode_card("s1/1", url))
    again = look_at(chip, seen.target).layout
    assert again is not None and len(again.message) == 115


def test_d39_reserved_bytes_are_left_out(stand_in: VirtualPn532, chip: Chip) -> None:
    seen = laid(stand_in, chip, "D39")
    assert seen.message is not None
    assert seen.message.records[0].payload == bytes(range(16))


def test_d44_too_small_is_said_with_both_numbers(stand_in: VirtualPn532, chip: Chip) -> None:
    seen = laid(stand_in, chip, "D44")
    with pytest.raises(CrowntableError, match=r"too small: .* it takes 46"):
        write_message(chip, seen.target.uid, ndef.encode_card("s1/1"))
    write_message(chip, seen.target.uid, ndef.encode_card("s1/1", "tel:1"))  # a shorter address does it
    assert look_at(chip, seen.target).card == "s1/1"


def test_d47_accents_and_length(stand_in: VirtualPn532, chip: Chip) -> None:
    (text,) = contents(laid(stand_in, chip, "D47"))
    assert text is not None and len(text.encode()) > 650 and "moi-même" in text


def test_d50_d53_locked_and_broken_are_told_apart(stand_in: VirtualPn532, chip: Chip) -> None:
    locked = laid(stand_in, chip, "D50")
    with pytest.raises(CrowntableError, match="password"):
        write_message(chip, locked.target.uid, ndef.encode_card("s1/1"))
    stand_in.clear()
    broken = laid(stand_in, chip, "D53")
    assert not broken.certain and locked.certain


def test_d52_nothing_is_kept_of_a_tag_that_left(stand_in: VirtualPn532, chip: Chip) -> None:
    scanner = Scanner(chip)
    lying = tag("D52")
    assert isinstance(lying, tags.Type2Tag)
    stand_in.place(lying)
    (first,) = scanner.scan()
    assert first.why == "not read: hold it longer"
    lying.gone_after = None  # held longer
    (then,) = scanner.scan()
    assert then.why == "not a game card: text"


@pytest.mark.parametrize("number", ["D56", "D57", "D59", "D61", "D63"])
def test_no_page_is_asked_of_what_is_no_type_2_tag(number: str) -> None:
    asked: list[bytes] = []
    with_log = VirtualPn532()
    with_log.log = lambda direction, data: asked.append(data) if direction == ">" else None
    with_log.start()
    opened = open_chip(with_log.path)
    with_log.place(tag(number))
    asked.clear()
    (target,) = opened.inventory()
    look_at(opened, target)
    with pytest.raises(CrowntableError, match="can't be written"):
        write_message(opened, target.uid, b"")
    opened.close()
    with_log.stop()
    assert not [data for data in asked if b"\xd4\x40" in data or b"\xd4\x42" in data]


def test_d65_felica_makes_no_event_and_nothing_hangs(stand_in: VirtualPn532, chip: Chip) -> None:
    stand_in.place(tag("D65"))
    assert chip.inventory() == []
    stand_in.place(tags.make_card_tag("s1/1"))
    assert len(chip.inventory()) == 1


def test_all_of_them_one_after_the_other_at_a_running_reader() -> None:
    chip = VirtualPn532()
    chip.start()
    ear = Ear()
    try:
        with running(chip, ear):
            for number in CALLED:
                lying = tags.from_dump(DUMPS[number])
                chip.place(lying)
                scan = ear.until(sees(None))
                (read,) = tags_of(scan)
                assert read.card is None and read.why
                chip.lift(lying)
                ear.until(sees())
        assert all(scan.ok for scan in ear.inventories())
    finally:
        chip.stop()


def test_bank_cards_and_phones_leave_no_content_in_a_sighting(stand_in: VirtualPn532, chip: Chip) -> None:
    secret = tags.from_ndef(bytes.fromhex("d101095402656e736563726574"), "04AABBCCDDEE80")
    stand_in.place(secret)
    told: Any = Scanner(chip).scan()
    assert "secret" not in repr(told)
