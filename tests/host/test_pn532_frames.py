"""The PN532's frames out of any stream of bytes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.nfc.frames import ACK, MAX_DATA, NACK, NOISE, Frame, FrameParser, encode

datas = st.binary(min_size=1, max_size=MAX_DATA)
#: noise between frames that can't begin one
quiet = st.binary(max_size=20).map(lambda raw: raw.replace(b"\xff", b"\xfe"))


def test_the_frames_of_the_manual() -> None:
    assert encode(bytes.fromhex("d402")).hex() == "0000ff02fed4022a00"
    assert encode(bytes.fromhex("d44a0100")).hex() == "0000ff04fcd44a0100e100"
    long = encode(bytes(264))
    assert long.startswith(bytes.fromhex("0000ffffff0108f7")) and len(long) == 264 + 10


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(datas.map(encode), st.just(ACK), st.just(NACK)), max_size=6), st.data())
def test_every_frame_comes_out_however_the_stream_is_cut(frames: list[bytes], data: st.DataObject) -> None:
    noise = [data.draw(quiet) for _ in frames]
    stream = b"".join(
        n + frame + bytes(data.draw(st.integers(0, 4))) for n, frame in zip(noise, frames, strict=True)
    )
    parser, found = FrameParser(), []
    at = 0
    while at < len(stream):
        size = data.draw(st.integers(1, 60))
        found += parser.feed(stream[at : at + size])
        at += size
    assert [frame_bytes(frame) for frame in found] == frames
    assert parser.damaged == 0


def frame_bytes(frame: Frame) -> bytes:
    return {"ack": ACK, "nack": NACK}.get(frame.kind) or encode(frame.data)


@given(st.lists(st.binary(max_size=300), max_size=10))
def test_no_stream_raises_or_fills_the_memory(pieces: list[bytes]) -> None:
    parser = FrameParser()
    for piece in pieces:
        for frame in parser.feed(piece):
            assert frame.kind != "data" or 0 < len(frame.data) <= MAX_DATA
        assert len(parser._buffer) <= 300 + MAX_DATA + 10
        assert len(parser.noise) <= NOISE


@given(datas, st.data())
def test_a_damaged_frame_is_never_taken_for_another(data: bytes, draw: st.DataObject) -> None:
    frame = bytearray(encode(data))
    at = draw.draw(st.integers(3, len(frame) - 2))
    frame[at] ^= draw.draw(st.integers(1, 255))
    for found in FrameParser().feed(bytes(frame)):
        # The two sums are the frame's only guard: what passes them inside is a shorter frame or an
        # ACK that the damaged bytes spell, never the same data altered.
        assert found.kind != "data" or len(found.data) < len(data)


@given(datas)
def test_the_next_frame_is_found_behind_a_cut_one(data: bytes) -> None:
    parser = FrameParser()
    whole = encode(data)
    found = parser.feed(whole[: len(whole) // 2])
    found += parser.feed(bytes(2 * MAX_DATA) + ACK + whole)
    assert found[-1] == Frame("data", data) and Frame("ack") in found


@pytest.mark.parametrize("piece", [b"\x00", b"\x00\xff", b"\x00\xff\xff\xff", b"\x00\xff\x02\xfe\xd4"])
def test_half_a_frame_waits_until_it_is_forgotten(piece: bytes) -> None:
    parser = FrameParser()
    assert parser.feed(piece) == []
    parser.reset()
    assert parser.feed(ACK) == [Frame("ack")]
