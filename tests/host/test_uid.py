"""F12, F13: one spelling for a tag's number, whatever wrote it down."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CrowntableError
from host import uid as uids

SEVEN = "043991C2FC6780"
sizes = st.sampled_from((4, 7, 10))
raw_uids = sizes.flatmap(lambda n: st.binary(min_size=n, max_size=n)).filter(lambda raw: raw[0] != 0x88)


def _bcc(raw: bytes) -> int:
    value = 0
    for byte in raw:
        value ^= byte
    return value


@pytest.mark.parametrize(
    "written",
    [
        "04:39:91:c2:fc:67:80",
        "04 39 91 C2 FC 67 80",
        "04-39-91-c2-fc-67-80",
        "4:39:91:C2:FC:67:80",
        "0x043991C2FC6780",
        "  043991c2fc6780\n",
        "043991 C2FC6780",
        "88043991C2FC6780",
        "04399124C2FC6780",  # as in the first two pages: UID0-2, BCC0, UID3-6
        "04399124C2FC6780D9",  # and BCC1
        "043991C2FC6780D9",  # BCC1 appended
        "8804399124C2FC6780D9",  # both cascade levels with their check bytes
    ],
)
def test_f13_seven_bytes_in_every_spelling(written: str) -> None:
    assert uids.canonical(written) == SEVEN


def test_f13_four_bytes_with_check_byte_and_ten_bytes_with_cascades() -> None:
    assert uids.canonical("4A8D694F") == uids.canonical("4a:8d:69:4f:e1") == "4A8D694F"
    ten = "04112233445566778899"
    assert uids.canonical(ten) == ten
    assert uids.canonical("88041122" + "88334455" + "66778899") == ten


def test_f13_half_a_number_is_refused_with_the_reason() -> None:
    with pytest.raises(CrowntableError, match="first half of a 7-byte number"):
        uids.from_bytes(bytes.fromhex("88043991"))
    half = bytes.fromhex("88043991")
    with pytest.raises(CrowntableError, match="first half"):
        uids.from_bytes(half + bytes((_bcc(half),)))


@pytest.mark.parametrize("written", ["", "hello", "04:39:zz", "041122", "٠٤١١٢٢٣٣", "-4A8D694F1", "0x"])
def test_f13_what_is_no_number_is_refused(written: str) -> None:
    assert uids.read(written).uid is None
    with pytest.raises(CrowntableError) as raised:
        uids.canonical(written)
    assert raised.value.cure


def test_f13_lost_zeros_are_suggested_never_taken() -> None:
    reading = uids.read("43991C2FC6780")
    assert reading.uid is None
    assert uids.Suggestion(SEVEN, "a leading zero lost") in reading.maybe
    with pytest.raises(CrowntableError) as raised:
        uids.canonical("43991C2FC6780")
    assert SEVEN in raised.value.cure


def test_f13_decimal_is_suggested_in_both_byte_orders() -> None:
    value = int("4A8D694F", 16)
    reading = uids.read(str(value))
    assert reading.uid is None
    assert {s.uid for s in reading.maybe} >= {"4A8D694F", "4F698D4A"}
    # Eight digits are hex; that they may be decimal is only a suggestion.
    eight = uids.read("12345678")
    assert eight.uid == "12345678"
    assert any("decimal" in s.why for s in eight.maybe)


def test_f13_a_reversed_number_is_taken_as_it_stands_and_the_other_suggested() -> None:
    assert uids.canonical("8067FCC2913904") == "8067FCC2913904"
    assert uids.suggest("8067FCC2913904", {SEVEN}) == (uids.Suggestion(SEVEN, "the bytes reversed"),)


def test_f13_known_tags_are_suggested_for_damaged_numbers() -> None:
    leading = "040AE1AAA21C91"
    known = {SEVEN, leading}
    # Trace P41: every byte printed without its leading zero.
    assert uids.suggest("4AE1AAA21C91", known) == (
        uids.Suggestion(leading, "the leading zeros of its bytes lost"),
    )
    assert uids.suggest("40AE1AAA21C91", known)[0].uid == leading
    assert uids.suggest("043991C2FC678", known) == (uids.Suggestion(SEVEN, "a zero lost"),)
    assert uids.suggest("88043991", known) == (uids.Suggestion(SEVEN, "only its first half was read"),)
    assert uids.suggest(SEVEN, known) == ()
    assert uids.suggest("04FFFFFFFFFFFF", known) == ()


def test_f12_numbers_that_change_at_every_tap() -> None:
    assert uids.is_random("08D69833")
    assert not uids.is_random("4A8D694F")
    assert not uids.is_random("08112233445580")  # 7 bytes are never random


@given(raw_uids)
def test_f13_round_trips_through_every_decoration(raw: bytes) -> None:
    text = raw.hex().upper()
    assert uids.from_bytes(raw) in (text, text[: 2 * len(raw)])
    assert uids.canonical(":".join(f"{byte:02x}" for byte in raw)) == uids.from_bytes(raw)
    assert uids.canonical(uids.from_bytes(raw)) == uids.from_bytes(raw)


@given(st.one_of(st.text(max_size=60), st.text("0123456789abcdefABCDEF:- ", max_size=60)))
def test_f13_no_text_raises_out_of_its_place(text: str) -> None:
    reading = uids.read(text)
    for uid in [reading.uid, *(s.uid for s in reading.maybe)]:
        if uid is not None:
            assert len(uid) in (8, 14, 20)
            assert uids.canonical(uid) == uid
    uids.suggest(text, {SEVEN, "4A8D694F"})
    try:
        assert uids.canonical(text) == reading.uid
    except CrowntableError:
        assert reading.uid is None


@given(st.binary(max_size=16))
def test_f13_no_bytes_raise_out_of_their_place(raw: bytes) -> None:
    try:
        assert len(uids.from_bytes(raw)) in (8, 14, 20)
    except CrowntableError as fault:
        assert fault.cure


def test_the_examples_in_the_docstrings_run() -> None:
    result = doctest.testmod(uids)
    assert result.attempted > 0 and result.failed == 0
