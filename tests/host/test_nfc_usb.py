"""F15 and USB readers: nfcpy's ACR122U driver over a CCID pipe with our PN532 behind it.

No USB device is there, so the bytes begin where libusb's would end; everything above is the real
driver. What only hardware can show (claiming the interface, pcscd) is said in docs/tags.md.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator

import nfc.clf.transport
import pytest

from host import ndef
from host.nfc import chip as chips
from host.nfc.chip import Chip, open_chip
from host.nfc.faults import ReaderError
from host.nfc.scan import Scanner
from host.nfc.write import write_message
from host.virtual import tags
from host.virtual.pn532_chip import Pn532Chip, Reply


class Acr122:
    """An ACR122U's bulk endpoints: CCID, in it pseudo APDUs, in those the chip's commands."""

    TYPE = "USB"
    manufacturer_name = "ACS"
    product_name = "ACR122U PICC Interface"
    model = Pn532Chip()
    trouble: OSError | None = None

    def __init__(self, bus: int, address: int) -> None:
        self.broken: OSError | None = None
        self._answer = b""
        if self.trouble is not None:
            raise self.trouble

    def write(self, frame: bytes) -> None:
        if self.trouble is not None:
            self.broken = self.trouble
            raise self.trouble
        kind, size = frame[0], struct.unpack("<I", frame[1:5])[0]
        data = bytes(frame[10 : 10 + size])
        body = b""
        if kind == 0x6F and data[:3] == b"\xff\x00\x48":
            body = b"ACR122U203"
        elif kind == 0x6F and data[:4] == b"\xff\x00\x00\x00":
            reply = self.model.command(data[5:], 0.0)
            assert isinstance(reply, Reply)
            body = reply.data + b"\x90\x00"
        elif kind == 0x6F:
            body = b"\x90\x00"
        self._answer = struct.pack("<BI5B", 0x80, len(body), 0, 0, 0, 0, 0) + body

    def read(self, timeout: int = 0) -> bytearray:
        return bytearray(self._answer)

    def close(self) -> None:
        self._answer = b""


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Acr122]]:
    monkeypatch.setattr(nfc.clf.transport.USB, "find", lambda path: [(0x072F, 0x2200, 1, 5)])
    monkeypatch.setattr(chips, "UsbTransport", Acr122)
    monkeypatch.setattr(Acr122, "model", Pn532Chip(retries=1))
    yield Acr122


def opened() -> Chip:
    return open_chip("usb")


def test_two_tags_and_more_through_an_acr122u(bus: type[Acr122]) -> None:
    chip = opened()
    assert chip.firmware == "PN532 1.6" and chip.path == "usb:001:005"
    for number in range(3):
        bus.model.radio.place(tags.make_card_tag(f"s1/{number}"))
    assert sorted(str(tag.card) for tag in Scanner(chip).scan()) == ["s1/0", "s1/1", "s1/2"]
    chip.close()


def test_writing_through_an_acr122u(bus: type[Acr122]) -> None:
    chip = opened()
    bus.model.radio.place(tags.blank("NTAG213", "04A1B2C3D4E580"))
    write_message(chip, "04A1B2C3D4E580", ndef.encode_card("s1/1"), lock=True)
    assert Scanner(chip).scan()[0].card == "s1/1"
    chip.close()


@pytest.mark.parametrize(
    ("code", "words", "cure"),
    [
        (errno.EBUSY, "another driver holds", "pcscd"),
        (errno.EACCES, "may not use", "udev"),
        (errno.ENODEV, "does not answer", "cable"),
    ],
)
def test_f15_f16_who_holds_the_reader_and_what_to_do(
    bus: type[Acr122], monkeypatch: pytest.MonkeyPatch, code: int, words: str, cure: str
) -> None:
    monkeypatch.setattr(bus, "trouble", OSError(code, "test"))
    with pytest.raises(ReaderError) as raised:
        opened()
    assert words in raised.value.what and cure in raised.value.cure


def test_f20_unplugged_usb_is_lost(bus: type[Acr122], monkeypatch: pytest.MonkeyPatch) -> None:
    chip = opened()
    monkeypatch.setattr(bus, "trouble", OSError(errno.ENODEV, "No such device"))
    with pytest.raises(ReaderError) as raised:
        chip.inventory()
    assert "there is no usb:001:005" in raised.value.what
    chip.close()


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([], "there is no NFC reader"),
        ([(0x1234, 0x5678, 1, 5)], "there is no NFC reader"),
        ([(0x054C, 0x06C3, 1, 5)], "RC-S380"),
    ],
)
def test_readers_that_are_not_there_or_cannot_do_it(
    monkeypatch: pytest.MonkeyPatch, found: list[tuple[int, ...]], words: str
) -> None:
    monkeypatch.setattr(nfc.clf.transport.USB, "find", lambda path: found)
    with pytest.raises(ReaderError) as raised:
        opened()
    assert words in raised.value.what
