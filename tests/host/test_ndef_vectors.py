"""140 NDEF messages of other people, and our own card message (design: Cards; trap 5 to 7)."""

import doctest
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import CrowntableError
from host import ndef
from tests.shared_data import SHARED

VECTORS = [json.loads(line) for line in (SHARED / "data/nfc/ndef_vectors.jsonl").read_text().splitlines()]
#: where ndeflib is laxer than the specification, and we are not (trap 6)
STRICTER = {"V155": "bytes after the last record", "V166": "a chunk without its beginning"}
#: chunks, which ndeflib leaves apart
JOINED = {"V006": 1, "V181": 1}
KEY = b"a table's own key"
UID = "043991C2FC6780"
card_ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9/_.\-]{0,39}", fullmatch=True)


def test_there_are_140() -> None:
    assert len(VECTORS) == 140


@pytest.mark.parametrize("vector", VECTORS, ids=[v["id"] for v in VECTORS])
def test_vector(vector: dict[str, Any]) -> None:
    message = ndef.parse(bytes.fromhex(vector["hex"]))
    ndef.kind_of(message)
    assert ndef.card_in(message) is None
    if vector["id"] in STRICTER:
        assert message.damage == STRICTER[vector["id"]]
    elif vector["strict"].startswith("ok:"):
        count = int(vector["strict"][3:].split()[0])
        assert message.damage is None
        assert len(message.records) == JOINED.get(vector["id"], count)
    else:
        assert message.damage


def test_chunks_are_joined() -> None:
    # A text record "abcdef" in three chunks.
    octets = bytes.fromhex("b1 01 05 54 02656e 6162") + bytes.fromhex("36 00 02 6364 56 00 02 6566")
    (record,) = ndef.parse(octets).records
    assert record.type == "urn:nfc:wkt:T" and record.content == "abcdef"


@pytest.mark.parametrize(
    ("octets", "kind"),
    [
        ("d101045505313132", "phone number"),
        ("d1010a5501696e74656c2e636f6d", "web address"),
        ("d1020e5370d1010a5503696e74656c2e636f6d", "web address"),
        ("d1010e5402656e48656c6c6f20576f726c64", "text"),
        ("d40f0f616e64726f69642e636f6d3a706b67636f6d2e6578616d706c652e616172", "link to an app"),
        ("d1011555047777772e677569646f7a2e636f6d000000000000", "link"),
        ("d101", "nothing readable"),
        ("", "nothing"),
        ("d50001ff", "data of another program"),
    ],
)
def test_foreign_messages_have_a_name_without_their_content(octets: str, kind: str) -> None:
    assert ndef.kind_of(ndef.parse(bytes.fromhex(octets))) == kind


def test_a_card_message_shows_a_phone_the_card_page_first() -> None:
    octets = ndef.encode_card("cremisi/cavalry/1")
    uri, card = ndef.parse(octets).records
    assert uri.type == "urn:nfc:wkt:U"
    assert uri.content == ndef.CARD_PAGE + "cremisi/cavalry/1"
    assert card.type == ndef.CARD_TYPE
    assert card.payload.startswith(b"cremisi/cavalry/1*")


def test_the_longest_card_fits_on_the_smallest_tag_we_recommend() -> None:
    assert len(ndef.encode_card("cremisi/marksman/1", uid=UID, key=KEY)) <= 137  # NTAG213


@settings(max_examples=50, deadline=None)
@given(card_ids, st.none() | st.from_regex(r"https?://[a-z.]{1,40}/[a-z0-9/]{0,150}", fullmatch=True))
def test_every_card_is_read_back(card: str, url: str | None) -> None:
    message = ndef.parse(ndef.encode_card(card, url))
    assert message.damage is None
    assert ndef.card_in(message) == ndef.CardRecord(card)


def test_signatures_bind_a_card_to_its_tag_and_table() -> None:
    message = ndef.parse(ndef.encode_card("s2/5", uid=UID, key=KEY))
    assert ndef.card_in(message) == ndef.CardRecord("s2/5")  # no key here: not checked
    assert ndef.card_in(message, uid=UID, key=KEY) == ndef.CardRecord("s2/5", True)
    for uid, key in (("04FFFFFFFFFFFF", KEY), (UID, b"another table")):
        copied = ndef.card_in(message, uid=uid, key=key)
        assert copied is not None and copied.card is None and copied.signed is False and copied.damage


def test_an_unsigned_card_stays_good_at_a_table_with_a_key() -> None:
    plain = ndef.parse(ndef.encode_card("s2/5"))
    assert ndef.card_in(plain, uid=UID, key=KEY) == ndef.CardRecord("s2/5")


@pytest.mark.parametrize("bad", ["", "a" * 41, "-x", "a b", "karte/ä", "a*b", "a;b", "a\n"])
def test_impossible_card_ids_are_refused(bad: str) -> None:
    with pytest.raises(CrowntableError):
        ndef.encode_card(bad)


def test_half_a_signature_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="both"):
        ndef.encode_card("s2/5", uid=UID)


@given(st.data())
def test_trap7_one_wrong_byte_in_the_card_record_is_noticed(data: st.DataObject) -> None:
    """A password's roll-over puts UID bytes into the message and no one else notices."""
    octets = bytearray(ndef.encode_card("aurea/shield/2"))
    begin = octets.rindex(b"aurea/shield/2")
    at = data.draw(st.integers(begin, len(octets) - 1))
    octets[at] = data.draw(st.integers(0, 255).filter(lambda b: b != octets[at]))
    found = ndef.card_in(ndef.parse(bytes(octets)))
    assert found is None or found.card is None


def test_trap7_four_bytes_of_the_uid_rolled_into_the_record() -> None:
    octets = ndef.encode_card("aurea/shield/2")
    begin = octets.rindex(b"aurea")
    for at in range(begin, len(octets) - 4):
        rolled = octets[:at] + bytes.fromhex("04112233") + octets[at + 4 :]
        found = ndef.card_in(ndef.parse(rolled))
        assert found is not None and found.card is None and found.damage


def test_d24_the_first_record_of_our_type_counts() -> None:
    first, second = ndef.encode_card("s1/1"), ndef.encode_card("s1/2")
    both, rest = bytearray(first), bytearray(second)
    both[first.index(b"\x54\x0f")] &= 0xBF  # no longer the last record
    rest[0] &= 0x7F  # no longer the first
    message = ndef.parse(bytes(both + rest))
    assert message.damage is None and len(message.records) == 4
    found = ndef.card_in(message)
    assert found is not None and found.card == "s1/1"


@given(st.binary(max_size=400))
def test_no_octets_raise(octets: bytes) -> None:
    message = ndef.parse(octets)
    assert ndef.kind_of(message)
    assert ndef.card_in(message, uid=UID, key=KEY) is None or ndef.CARD_TYPE.encode()[-15:] in octets


@given(st.sampled_from(VECTORS), st.data())
def test_no_mutation_of_a_real_message_raises(vector: dict[str, Any], data: st.DataObject) -> None:
    octets = bytearray.fromhex(vector["hex"])
    for _ in range(data.draw(st.integers(1, 4))):
        if octets:
            octets[data.draw(st.integers(0, len(octets) - 1))] = data.draw(st.integers(0, 255))
    ndef.kind_of(ndef.parse(bytes(octets)))
    ndef.card_in(ndef.parse(bytes(octets)))


def test_the_examples_in_the_docstrings_run() -> None:
    result = doctest.testmod(ndef)
    assert result.attempted > 0 and result.failed == 0
