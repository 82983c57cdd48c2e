"""The numbers and sentences of docs/tags.md are those of the code."""

from host import ndef
from host.nfc import scan, type2
from host.nfc.chip import MOST_TAGS, Target
from host.nfc.cli import _deck
from host.nfc.enrol import ENOUGH, READS
from host.virtual import tags
from tests.shared_data import ROOT

TEXT = " ".join((ROOT / "docs/tags.md").read_text(encoding="utf-8").split())


def sizes(game: str, signed: bool) -> str:
    found = [
        len(ndef.encode_card(card, uid="04112233445580", key=b"k") if signed else ndef.encode_card(card))
        for card in _deck(game, "")
    ]
    return f"{min(found)} to {max(found)}"


def test_sizes_of_card_messages() -> None:
    plain = f"{sizes('althera', False)} bytes in Althera and {sizes('anthem', False)} in Anthem"
    signed = f"signed {sizes('althera', True)} and {sizes('anthem', True)}"
    assert plain in TEXT and signed in TEXT


def capacity(kind: str) -> int:
    memory = bytes(tags.blank(kind).memory)
    return type2.read_layout(type2.Memory(lambda page: memory[4 * page : 4 * page + 16])).capacity


def test_capacities() -> None:
    for kind in ("NTAG213", "NTAG215", "NTAG216", "NTAG210"):
        assert f"{capacity(kind)} bytes" in TEXT


def test_limits() -> None:
    assert f"each tag read {READS} times before it is accepted ({ENOUGH} must succeed)" in TEXT
    assert MOST_TAGS == 6 and "up to six in one field" in TEXT


def test_every_sentence_is_explained() -> None:
    for sentence in scan._WORDS.values():
        assert f"| {sentence} |" in TEXT
    for sak, uid in ((0x20, "08112233"), (0x20, "04112233445580"), (0x08, "4A8D694F")):
        words = str(scan.by_number_only(Target(1, uid, b"\x04\x00", sak)))
        assert f"| {words.split(':')[0]}" in TEXT


def test_the_example_record() -> None:
    (_, card) = ndef.parse(ndef.encode_card("cremisi/cavalry/1")).records
    assert f"`{card.payload.decode()}`" in TEXT
