"""The link's lines and the session over them: exact, and unmoved by anything that is not a line."""

from __future__ import annotations

import os
import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.crown_scene import CrownScene
from host.link.device import led_line
from host.link.protocol import LONGEST_LINE, Line, LineReader, crc16, format_line, parse_line
from host.link.session import Session
from host.sighting import Inventory, Press, Sighting
from tests.host.link_board import UID, card_memory

#: how many inputs a soak tries
MANY = int(os.environ.get("CROWNTABLE_FUZZ", "1000000"))
WORD = st.text(alphabet=string.ascii_letters + string.digits + "_.,:/-", min_size=1, max_size=20)
WORDS = st.dictionaries(st.text(alphabet=string.ascii_lowercase, min_size=1, max_size=8), WORD, max_size=6)


@given(verb=st.text(alphabet=string.ascii_lowercase, min_size=1, max_size=10), words=WORDS)
def test_every_line_comes_out_as_it_went_in(verb: str, words: dict[str, str]) -> None:
    line = format_line(verb, words)
    assert line.endswith(b"\n")
    assert parse_line(line[:-1]) == Line(verb, words)


@given(words=WORDS, data=st.data())
def test_no_single_bit_error_passes(words: dict[str, str], data: st.DataObject) -> None:
    line = bytearray(format_line("tag", words)[:-1])
    at = data.draw(st.integers(0, len(line) - 1))
    line[at] ^= 1 << data.draw(st.integers(0, 7))
    parsed = parse_line(bytes(line))
    # The checksum's own letters may differ in case only.
    assert parsed is None or bytes(line).upper() == format_line("tag", words)[:-1].upper()


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(0, 10**6))
def test_rubbish_never_raises_and_whole_lines_survive_it(chunks: list[bytes], seed: int) -> None:
    rng = random.Random(seed)
    good = format_line("inv", {"ant": 3, "tags": "-", "ok": 1})
    stream = b"".join(chunk + b"\n" + good for chunk in chunks)
    reader, found, at = LineReader(), [], 0
    while at < len(stream):
        size = rng.randint(1, 30)
        found += list(reader.feed(stream[at : at + size]))
        at += size
    assert [line.verb for line in found].count("inv") >= len(chunks)


@settings(max_examples=120)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["hello", "inv", "tag", "gone", "btn", "scan", "fault", "beat", "time", "config", "x"]
            ),
            st.dictionaries(
                st.sampled_from(
                    ["ant", "uid", "tags", "ok", "scans", "sak", "data", "name", "down", "what", "k"]
                ),
                st.one_of(
                    WORD, st.sampled_from(["0", "1", "3", "-1", UID, UID + "," + UID, "none", "KEY", "E1"])
                ),
            ),
            st.integers(-(2**40), 2**40),
        ),
        max_size=30,
    )
)
def test_a_session_takes_any_line_and_says_only_what_is_well_formed(
    lines: list[tuple[str, dict[str, str], int]],
) -> None:
    session = Session("pico", 4, "KEY")
    now = 1000.0
    for number, (verb, words, t) in enumerate(lines):
        now += 0.1
        for sighting in session.take(Line(verb, {**words, "n": str(number), "t": str(t)}), now):
            _check(sighting, now)


def _check(sighting: Sighting, now: float) -> None:
    assert isinstance(sighting, Inventory | Press)
    assert now - 3 <= sighting.at <= now + 1e-6
    if isinstance(sighting, Inventory):
        assert 0 <= sighting.antenna < 4
        assert all(len(tag.uid) in (8, 14, 20) for tag in sighting.tags)


@pytest.mark.soak
@pytest.mark.timeout(12 * 3600)
def test_a_million_damaged_streams() -> None:
    """Fuzzing with a fixed seed: lines cut, joined, flipped, repeated; only our own judgement comes out."""
    rng = random.Random(20240)
    verbs = ("inv", "tag", "gone", "btn", "scan", "fault", "beat", "hello", "time", "zzz")
    reader, session, now = LineReader(), Session("pico", 4, "KEY"), 0.0
    hello = format_line("hello", {"k": "KEY", "proto": 1, "boot": "1", "n": 0, "t": 0})
    for line in reader.feed(hello):
        session.take(line, now)
    for number in range(MANY):
        now += 0.001
        data = bytearray(
            format_line(
                rng.choice(verbs),
                {
                    "ant": rng.randint(-1, 5),
                    "uid": UID,
                    "tags": rng.choice(("-", UID, UID + "," + UID, "XX")),
                    "ok": rng.randint(0, 2),
                    "n": number & 0xFFFF,
                    "t": int(now * 1000),
                },
            )
        )
        match rng.randint(0, 9):
            case 0:
                data[rng.randrange(len(data))] ^= 1 << rng.randint(0, 7)
            case 1:
                del data[rng.randrange(len(data)) :]
            case 2:
                data[0:0] = rng.randbytes(rng.randint(0, 30))
            case 3:
                data = data + data
        for line in reader.feed(bytes(data)):
            for sighting in session.take(line, now):
                _check(sighting, now)
    assert reader.good > MANY // 2
    assert reader.bad > MANY // 10
    print(f"{MANY} damaged streams: {reader.good} whole lines, {reader.bad} damaged ones counted and dropped")


def test_a_flood_without_a_newline_is_dropped_and_bounded() -> None:
    reader = LineReader()
    for _ in range(100):
        assert list(reader.feed(b"x" * 1000)) == []
        assert len(reader.pending()) <= 80
    good = format_line("beat", {"n": 1, "t": 1})
    assert [line.verb for line in reader.feed(b"\n" + good)] == ["beat"]
    assert reader.bad == 1
    assert LONGEST_LINE == 4096


def test_words_that_would_not_survive_are_refused() -> None:
    for bad in ("a b", "a*b", "ä", "a\nb"):
        with pytest.raises(ValueError, match="not a word"):
            format_line("led", {"at": bad})


def test_the_crc_is_ccitt_false() -> None:
    assert crc16(b"123456789") == 0x29B1


def test_a_scene_as_a_line_is_clipped_to_what_the_board_can_do() -> None:
    line = parse_line(led_line("ring", CrownScene((300, -5, 16), "pulse", 99.0, "too much"))[:-1])
    assert line == Line("led", {"at": "ring", "c": "FF0010", "p": "pulse", "r": "8000"})


class Talk:
    """A session that has begun, fed with lines at chosen times."""

    def __init__(self) -> None:
        self.session = Session("pico", 4, "KEY")
        self.number = 0
        self.say(100.0, "hello", 5000, k="KEY", proto="1", boot="A", dim="0")

    def say(self, now: float, verb: str, t: int, **words: str) -> list[Sighting]:
        line = Line(verb, {**words, "n": str(self.number), "t": str(t)})
        self.number = (self.number + 1) & 0xFFFF
        return self.session.take(line, now)


def test_a_line_carries_the_boards_time_not_the_readers() -> None:
    talk = Talk()
    (seen,) = talk.say(101.0, "inv", 5500, ant="1", tags="-", ok="1", scans="7")
    assert seen == Inventory(100.5, "pico", 1, (), True, 7)


def test_a_slow_clock_on_the_board_does_not_make_everything_stale() -> None:
    talk = Talk()
    # The board's clock loses a tenth: after 100 s its lines would look 10 s old.
    for second in range(1, 101):
        now = 100.0 + second
        board = 5000 + second * 900
        if second % 5 == 0:
            talk.session.asked(str(second), now)
            talk.say(now + 0.01, "time", board, k=str(second))
        assert talk.say(now + 0.02, "inv", board, ant="0", tags="-", ok="1"), second
    assert talk.session.stale == 0


def test_a_time_answer_that_took_long_moves_nothing() -> None:
    talk = Talk()
    talk.session.asked("9", 100.0)
    talk.say(108.0, "time", 5000, k="9")
    assert not talk.say(108.0, "btn", 5100, name="done", down="1"), "it is eight seconds old"
    assert talk.session.stale == 1


def test_before_the_hello_to_our_own_ask_nothing_counts() -> None:
    session = Session("pico", 4, "KEY")
    for verb, words in (("hello", {"k": "OTHER"}), ("hello", {}), ("btn", {"name": "done", "down": "1"})):
        assert session.take(Line(verb, {**words, "n": "1", "t": "5"}), 1.0) == []
    assert session.hello is None
    assert session.early == 3


def test_a_tags_content_is_tied_to_its_uid_and_forgotten_when_it_goes() -> None:
    talk = Talk()
    talk.say(101.0, "tag", 6000, ant="2", uid=UID, sak="00", data=card_memory("s2/5")[:96].hex())
    (seen,) = talk.say(101.0, "inv", 6001, ant="2", tags=UID, ok="1")
    assert isinstance(seen, Inventory)
    assert seen.tags[0].card == "s2/5"
    talk.say(102.0, "gone", 7000, ant="2", uid=UID)
    (again,) = talk.say(103.0, "inv", 8000, ant="2", tags=UID, ok="1")
    assert isinstance(again, Inventory)
    assert again.tags[0].card is None
    assert talk.session.wants_tags


def test_a_phone_and_a_bank_card_are_named_and_never_a_card() -> None:
    talk = Talk()
    for uid, sak in (("08A1B2C3", "20"), ("04A1B2C3D4E5F6", "20"), ("DEADBEEF", "08")):
        talk.say(101.0, "tag", 6000, ant="2", uid=uid, sak=sak)
        (seen,) = talk.say(101.0, "inv", 6001, ant="2", tags=uid, ok="1")
        assert isinstance(seen, Inventory)
        assert seen.tags[0].card is None
        assert seen.tags[0].why


def test_numbers_that_wrap_lose_nothing() -> None:
    talk = Talk()
    talk.number = 0xFFFE
    talk.session._next = 0xFFFE
    for second in range(5):
        talk.say(101.0 + second, "beat", 6000 + second * 1000, lost="0", bad="0", dim="0")
    assert talk.session.lost == 0
