"""The card list: a CSV that people edit, F11 at enrolment, and a file that no power cut halves."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CrowntableError
from host import cardlist
from host.cardlist import CardList, Entry

ONE, TWO = "043991C2FC6780", "04A1B2C3D4E580"


def test_round_trip(tmp_path: Path) -> None:
    cards = CardList().bind("s1/1", ONE).bind("s1/2", TWO, "by its number")
    cardlist.save(tmp_path / "deck" / "cards.csv", cards)
    assert cardlist.load(tmp_path / "deck" / "cards.csv") == cards
    assert (tmp_path / "deck" / "cards.csv").read_text().splitlines()[0] == "card,uid,note"
    assert [path.name for path in (tmp_path / "deck").iterdir()] == ["cards.csv"]


def test_no_file_is_an_empty_list(tmp_path: Path) -> None:
    assert cardlist.load(tmp_path / "none.csv") == CardList()


@pytest.mark.parametrize(
    "text",
    [
        f"card,uid,note\ns1/1,{ONE},\ns1/2,{TWO},x\n",
        f"\ufeffcard;uid\r\ns1/1;{ONE}\r\ns1/2;{TWO}\r\n",
        f"UID,Card,colour\n{ONE.lower()},s1/1,red\n{TWO},s1/2,\n",
        "card,uid\ns1/1,04:39:91:c2:fc:67:80\n\n# a remark,\n#s9/9,04FFFFFFFFFFFF\ns1/2,88"
        + TWO
        + "\ns1/3,\n",
    ],
)
def test_what_people_and_spreadsheets_write_is_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(text, encoding="utf-8")
    cards = cardlist.load(tmp_path / "c.csv")
    assert cards.card_of(ONE) == "s1/1" and cards.uid_of("s1/2") == TWO
    assert len(cards.entries) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"card,uid\ns1/1,{ONE}\ns1/2,{ONE}\n", f"the uid {ONE} twice"),
        (f"card,uid\ns1/1,{ONE}\ns1/1,{TWO}\n", "the card s1/1 twice"),
        ("card,uid\ns1/1,4.11E+12\n", "line 2"),
        ("card,uid\ns1/1,43991C2FC6780\n", "line 2"),
        (f"card,uid\n,{ONE}\n", "has no card"),
        ("name,number\nx,y\n", "no columns card and uid"),
    ],
)
def test_f11_what_is_wrong_is_said_with_its_place(text: str, words: str) -> None:
    with pytest.raises(CrowntableError) as raised:
        cardlist.parse(text)
    assert words in raised.value.what and raised.value.cure


def test_f13_a_lost_zero_in_the_list_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(CrowntableError) as raised:
        cardlist.parse("card,uid\ns1/1,43991C2FC6780\n")
    assert ONE in raised.value.cure


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_bytes(b"\xff\xfe\x00card")
    with pytest.raises(CrowntableError, match="can't be read"):
        cardlist.load(tmp_path / "c.csv")


def test_f11_two_cards_cannot_have_one_tag() -> None:
    cards = CardList().bind("s1/1", ONE)
    with pytest.raises(CrowntableError, match="is s1/1 already"):
        cards.bind("s1/2", ONE)
    assert cards.bind("s1/1", ONE, "again").entries == (Entry("s1/1", ONE, "again"),)


def test_f12_a_phone_cannot_be_a_card() -> None:
    with pytest.raises(CrowntableError, match="every tap"):
        CardList().bind("s1/1", "08D69833")


def test_a_card_gets_a_new_tag_in_its_old_place() -> None:
    cards = CardList().bind("s1/1", ONE).bind("s1/2", TWO).bind("s1/1", "04FFFFFFFFFFFF")
    assert [entry.uid for entry in cards.entries] == ["04FFFFFFFFFFFF", TWO]
    assert cards.card_of(ONE) is None
    assert cards.without("s1/2").entries == cards.entries[:1]


def test_f13_an_unknown_number_may_be_a_known_one() -> None:
    cards = CardList().bind("s1/1", ONE)
    assert cards.suggest("8067FCC2913904") == ("s1/1 (the bytes reversed)",)
    assert cards.suggest(ONE) == ()


def test_f50_a_list_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "cards.csv"
    cardlist.save(path, CardList().bind("s1/1", ONE))
    (tmp_path / ".cards.csv.new").mkdir()  # in the way, as a full disk would be
    with pytest.raises(CrowntableError, match="can't be written"):
        cardlist.save(path, CardList().bind("s1/2", TWO))
    assert cardlist.load(path).card_of(ONE) == "s1/1"


@given(st.text(max_size=200))
def test_no_text_raises_out_of_its_place(text: str) -> None:
    try:
        cards = cardlist.parse(text)
    except CrowntableError as fault:
        assert fault.what and fault.cure
    else:
        assert cardlist.parse(cardlist.dump(cards)) == cards
