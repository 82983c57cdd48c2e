"""F01 to F14 and F20 on the nfcpy side: the reader as a device of the table."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from host import ndef
from host.nfc import chip as chips
from host.nfc import type2
from host.nfc.chip import Target, open_chip
from host.nfc.faults import ReaderError
from host.nfc.frames import ACK, FrameParser, encode
from host.nfc.reader import NfcReader
from host.nfc.scan import Scanner, named
from host.sighting import Health, Inventory, TagRead
from host.virtual import tags
from host.virtual.pn532 import VirtualPn532
from host.virtual.pn532_chip import Pn532Chip, Reply
from tests.host.nfc_help import Ear, Talker, is_state, open_descriptors, running, sees, tags_of

S11, S12 = tags.make_card_tag("s1/1"), tags.make_card_tag("s1/2")


@pytest.fixture
def chip(tmp_path: Path) -> Iterator[VirtualPn532]:
    stand_in = VirtualPn532(tmp_path / "reader")
    stand_in.start()
    yield stand_in
    stand_in.stop()


@pytest.fixture
def ear() -> Ear:
    return Ear()


def test_a_card_arrives_and_leaves(chip: VirtualPn532, ear: Ear) -> None:
    with running(chip, ear):
        chip.place(S11)
        scan = ear.until(sees("s1/1"))
        assert isinstance(scan, Inventory)
        assert (scan.reader, scan.antenna, scan.ok) == ("scan", 0, True)
        assert scan.tags == (TagRead(S11.uid, "s1/1"),)
        chip.lift(S11)
        ear.until(sees())


def test_p28_a_card_that_lay_there_before_the_start(chip: VirtualPn532, ear: Ear) -> None:
    chip.place(S11)
    with running(chip, ear):
        ear.until(sees("s1/1"))


def test_several_tags_in_one_field(chip: VirtualPn532, ear: Ear) -> None:
    cards = [f"s1/{n}" for n in range(5)]
    with running(chip, ear):
        for card in cards:
            chip.place(tags.make_card_tag(card))
        classic = tags.ClassicTag("transit", "4A8D694F")
        chip.place(classic)
        scan = ear.until(sees(*cards, None))
        assert [tag.uid for tag in tags_of(scan)] == sorted(tag.uid for tag in tags_of(scan))
        chip.lift(classic)
        ear.until(sees(*cards))


def test_f01_a_stale_half_frame_does_not_matter(chip: VirtualPn532) -> None:
    first = open_chip(chip.path)
    # A program was killed in the middle of a command: half a frame is in the chip.
    first._transport.write(encode(bytes.fromhex("d44a0200"))[:5])
    first._transport.close()
    second = open_chip(chip.path)
    assert second.inventory() == []
    second.close()


@pytest.mark.parametrize("lost", [1, 2])
def test_f01_three_tries_before_it_is_called_silent(chip: VirtualPn532, lost: int) -> None:
    chip.fault("mute", times=2 * lost)  # each try sends an ACK and a question
    opened = open_chip(chip.path)
    opened.close()


def test_f02_a_card_that_never_moves_is_seen_in_every_scan(chip: VirtualPn532, ear: Ear) -> None:
    chip.place(S11)
    with running(chip, ear):
        ear.until(sees("s1/1"))
        before = len(ear.inventories())
        while len(ear.inventories()) < before + 40:
            ear.until(lambda s: isinstance(s, Inventory))
    assert all(len(scan.tags) == 1 for scan in ear.inventories()[before:])


def test_f02_the_stand_in_does_miss_every_second_poll_of_a_field_left_on(chip: VirtualPn532) -> None:
    chip.place(S11)
    opened = open_chip(chip.path)
    opened.command(0x32, b"\x05\x01\x00\x00")  # no retry: the trap that drivers fall into
    found = [len(opened.list_targets(1)) for _ in range(6)]
    assert found == [1, 0, 1, 0, 1, 0]
    opened.close()


@pytest.mark.parametrize("fault", ["mute", "ack-only", "garbage", "half", "slow", "nak", "error"])
def test_f03_silence_is_said_within_five_seconds_and_healed(chip: VirtualPn532, ear: Ear, fault: str) -> None:
    chip.place(S11)
    with running(chip, ear):
        ear.until(sees("s1/1"))
        begun = time.monotonic()
        chip.fault(fault)
        ear.until(lambda s: isinstance(s, Inventory) and not s.ok)
        assert ear.until(is_state("lost", "not answer"), new=False).at - begun < 5
        chip.mend()
        ear.until(is_state("up"))
        ear.until(sees("s1/1"))
    # A failed scan never looked like an empty table.
    assert not [scan for scan in ear.inventories() if not scan.ok and scan.tags]


@pytest.mark.parametrize("fault", ["zeros", "tail", "dribble"])
def test_f03_p23_harmless_noise_costs_no_scan(chip: VirtualPn532, ear: Ear, fault: str) -> None:
    chip.place(S11)
    with running(chip, ear):
        ear.until(sees("s1/1"))
        chip.fault(fault)
        for _ in range(10):
            ear.until(sees("s1/1"))
    assert all(scan.ok for scan in ear.inventories())


def test_f03_the_firmware_is_asked_even_while_scans_work(
    chip: VirtualPn532, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("host.nfc.reader.FIRMWARE_SECONDS", 0.05)
    asked: list[bytes] = []
    chip.log = lambda way, data: asked.append(data) if data.endswith(bytes.fromhex("d4022a00")) else None
    with running(chip, ear):
        asked.clear()
        deadline = time.monotonic() + 10
        while len(asked) < 3 and time.monotonic() < deadline:
            ear.until(lambda s: isinstance(s, Inventory))
    assert len(asked) >= 3


def test_f04_twenty_restarts_in_a_row(chip: VirtualPn532) -> None:
    """Also of a board that wakes up for 55 bytes only, and after nfcpy's own close with PowerDown."""
    import nfc.clf.pn532
    import nfc.clf.transport

    chip.wakes_on_55_only = True
    before = open_descriptors()
    for number in range(20):
        ear = Ear()
        reader = NfcReader("scan", chip.path, period=0.01)
        reader.start(ear)
        ear.until(sees(), new=False)
        reader.stop()
        if number % 5 == 0:
            chip.wakes_on_55_only = False
            device = nfc.clf.pn532.init(nfc.clf.transport.TTY(chip.path))
            device.close()
            chip.wakes_on_55_only = True
    assert open_descriptors() <= before


def test_f05_a_reader_that_is_ready_late(chip: VirtualPn532, ear: Ear) -> None:
    chip.unplug()
    reader = NfcReader("scan", chip.path, period=0.01)
    reader.start(ear)
    try:
        ear.until(is_state("lost", "there is no"), new=False)
        chip.plug()
        chip.fault("mute", times=8)
        ear.until(is_state("up"), new=False)
    finally:
        reader.stop()


def test_f08_the_health_is_said_once_for_each_change(chip: VirtualPn532, ear: Ear) -> None:
    with running(chip, ear):
        chip.place(S11)
        for _ in range(50):
            ear.until(sees("s1/1"))
    assert [health.state for health in ear.healths()] == ["starting", "up"]


def test_f10_stacked_cards_are_an_empty_scan_that_works(chip: VirtualPn532, ear: Ear) -> None:
    chip.place(S11)
    chip.place(S12)
    with running(chip, ear):
        ear.until(sees("s1/1", "s1/2"))
        chip.fault("overlap")
        ear.until(sees())
        chip.mend()
        ear.until(sees("s1/1", "s1/2"))


def test_f12_a_phone_is_another_one_at_every_tap(chip: VirtualPn532, ear: Ear) -> None:
    phone = tags.SmartCardTag("phone", "08112233", random_uid=True)
    seen = set()
    with running(chip, ear):
        for _ in range(3):
            chip.place(phone)
            (read,) = tags_of(ear.until(sees(None)))
            assert "phone" in str(read.why)
            seen.add(read.uid)
            chip.lift(phone)
            ear.until(sees())
    assert len(seen) == 3 and all(uid.startswith("08") for uid in seen)


def test_f14_a_tag_is_never_told_by_another_ones_content(chip: VirtualPn532) -> None:
    opened = open_chip(chip.path)
    chip.place(S11)
    chip.place(S12)
    assert {tag.uid: tag.card for tag in Scanner(opened).scan()} == {S11.uid: "s1/1", S12.uid: "s1/2"}
    # A chip that serves the blocks it read from the tag before: what it says is not believed.
    chip.fault("stale")
    opened.select(S12.uid)
    chip.chip.last_read = {page: bytes(S11.memory[4 * page : 4 * page + 16]) for page in range(40)}
    layout = type2.read_layout(type2.Memory(lambda page: opened.exchange(bytes((0x30, page)))))
    assert ndef.card_in(ndef.parse(layout.message)) == ndef.CardRecord("s1/1")
    seen = named(Target(1, S12.uid, b"\x44\x00", 0), layout)
    assert seen.card is None and "another tag's number" in str(seen.why) and not seen.certain
    chip.mend()
    assert {tag.uid: tag.card for tag in Scanner(opened).scan()} == {S11.uid: "s1/1", S12.uid: "s1/2"}
    opened.close()


@pytest.mark.parametrize("times", [2, 3])
def test_f14_an_answer_that_comes_late_is_never_the_answer_to_another_question(
    chip: VirtualPn532, times: int
) -> None:
    """Found by the soak: a late page passed for the next one, and a card for a blank tag."""
    opened = open_chip(chip.path)
    chip.place(S11)
    chip.place(tags.blank("NTAG213", S12.uid))
    for skip in range(2, 12):
        count = [0]

        def hold(way: str, data: bytes, count: list[int] = count, skip: int = skip) -> None:
            if way == ">" and b"\xd4" in data and b"\xd4\x00" not in data:
                count[0] += 1
                if count[0] == skip:
                    chip.fault("late", times=times)

        chip.log = hold
        scanner = Scanner(opened)
        for _ in range(4):
            try:
                found = {tag.uid: (tag.card, tag.why) for tag in scanner.scan()}
            except ReaderError:
                continue
            for uid, (card, why) in found.items():
                assert (uid, card) == (S11.uid, "s1/1") or (card is None and why is not None)
                assert (uid, why) == (S12.uid, "a blank tag") or why in (None, "not read: hold it longer")
        chip.log = None
        chip.mend()
    assert {tag.uid: tag.card for tag in Scanner(opened).scan()} == {S11.uid: "s1/1", S12.uid: None}
    opened.close()


def test_f14_content_is_kept_only_while_the_tag_stays(
    chip: VirtualPn532, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_chip(chip.path)
    scanner = Scanner(opened)
    card = tags.make_card_tag("s1/1")
    chip.place(card)
    assert scanner.scan()[0].card == "s1/1"
    commands = opened.commands
    assert scanner.scan()[0].card == "s1/1"
    assert opened.commands - commands == 2  # field off, list: no page is read again
    monkeypatch.setattr("host.nfc.scan.FORGET_SECONDS", 0.02)
    chip.lift(card)
    time.sleep(0.05)
    assert scanner.scan() == ()
    card.memory[:] = tags.make_card_tag("s1/2", card.uid).memory
    chip.place(card)
    assert scanner.scan()[0].card == "s1/2"
    opened.close()


def test_f20_unplugged_said_within_a_second_and_back_by_itself(chip: VirtualPn532, ear: Ear) -> None:
    chip.place(S11)
    with running(chip, ear):
        for _ in range(3):
            ear.until(sees("s1/1"))
            begun = time.monotonic()
            chip.unplug()
            assert ear.until(is_state("lost")).at - begun < 1
            time.sleep(0.05)
            assert not chip.plugged
            chip.plug()
            ear.until(is_state("up"))
    # No event was invented: while it was away there was no scan that called itself good and empty.
    assert all(scan.tags for scan in ear.inventories() if scan.ok)


@pytest.mark.parametrize("moment", [1, 2, 3, 4, 7, 10])
def test_f20_unplugged_in_the_middle_of_every_command(chip: VirtualPn532, ear: Ear, moment: int) -> None:
    """In reading, in writing, within a frame."""
    countdown = [moment]

    def pull(way: str, data: bytes) -> None:
        if way == ">" and chip.plugged:
            countdown[0] -= 1
            if countdown[0] == 0:
                chip.unplug()

    chip.place(S11)
    with running(chip, ear):
        ear.until(sees("s1/1"))
        chip.log = pull
        ear.until(is_state("lost"))
        chip.log = None
        chip.plug()
        ear.until(sees("s1/1"))
    assert all(scan.tags for scan in ear.inventories() if scan.ok)


def test_f22_a_second_program_is_named(chip: VirtualPn532, ear: Ear) -> None:
    first = open_chip(chip.path)
    with pytest.raises(ReaderError, match="another program uses"):
        open_chip(chip.path)
    reader = NfcReader("scan", chip.path)
    reader.start(ear)
    ear.until(is_state("lost", "another program"), new=False)
    first.close()
    ear.until(is_state("up"), new=False)
    reader.stop()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/dev/no-such-reader", "there is no /dev/no-such-reader"),
        ("tty:NOPE9:pn532", "there is no /dev/"),
        ("tty:AMA0:arygon", "names no reader"),
        ("bluetooth", "names no reader"),
        ("usb:ffff:ffff", "there is no NFC reader"),
        ("/dev/null", "lost"),
    ],
)
def test_f16_paths_that_lead_nowhere_are_said(path: str, words: str, ear: Ear) -> None:
    reader = NfcReader("scan", path)
    reader.start(ear)
    try:
        health = ear.until(is_state("lost"), new=False)
        assert isinstance(health, Health) and words in health.detail
    finally:
        reader.stop()


def test_f03_a_driver_that_hangs_is_replaced_and_stop_does_not_wait(
    chip: VirtualPn532, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that waits for ever, as a draining USB port does in the kernel."""
    gate = threading.Event()
    calls: list[str] = []

    def hanging(path: str, beat: object = None) -> object:
        calls.append(path)
        gate.wait(30)
        raise ReaderError("late", "")

    monkeypatch.setattr("host.nfc.reader.open_chip", hanging)
    reader = NfcReader("scan", chip.path, open_timeout=0.3)
    reader.start(ear)
    ear.until(is_state("lost", "hangs"), new=False)
    monkeypatch.setattr("host.nfc.reader.open_chip", open_chip)
    ear.until(is_state("up"), new=False)
    begun = time.monotonic()
    reader.stop()
    reader.stop()
    assert time.monotonic() - begun < 2
    heard = len(ear.heard)
    gate.set()
    time.sleep(0.2)
    assert len(ear.heard) == heard  # nothing after stop, not even from the one left behind
    assert calls


def test_nothing_is_said_after_stop_and_a_start_works_again(chip: VirtualPn532) -> None:
    reader = NfcReader("scan", chip.path, period=0.0)
    for _ in range(3):
        ear = Ear()
        reader.start(ear)
        ear.until(sees(), new=False)
        reader.stop()
        heard = len(ear.heard)
        time.sleep(0.05)
        assert len(ear.heard) == heard


def test_facts_for_the_health_page(chip: VirtualPn532, ear: Ear, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("host.nfc.reader.REPORT_SECONDS", 0.1)
    with running(chip, ear):
        health = ear.until(lambda s: isinstance(s, Health) and dict(s.facts).get("reads") not in (0, None))
    assert isinstance(health, Health)
    facts = dict(health.facts)
    assert facts["firmware"] == "PN532 1.6" and facts["failures"] == 0 and facts["rate"] == 1.0
    assert isinstance(facts["ms"], float) and facts["ms"] > 0


def test_a_reader_with_many_failed_scans_is_weak(
    chip: VirtualPn532, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("host.nfc.reader.FAILED_SCANS", 1000)
    with running(chip, ear):
        chip.fault("nak", times=20)
        ear.until(is_state("weak", "some scans fail"))
        ear.until(is_state("up"))


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.lists(st.one_of(st.binary(max_size=300), st.just(ACK)), min_size=1, max_size=20))
def test_a_babbling_device_is_never_more_than_a_reader_error(pieces: list[bytes]) -> None:
    left = list(pieces)

    def babble(piece: bytes) -> bytes:
        left.append(left.pop(0))
        return left[0]

    with Talker(babble) as talker, pytest.MonkeyPatch.context() as patch:
        patch.setattr(chips, "_PATIENCE", (0.01,))
        patch.setattr(chips, "_OTHER_SPEEDS", (921600,))
        with pytest.raises(ReaderError):
            open_chip(talker.path)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_a_chip_whose_answers_are_garbled_anywhere_is_never_more_than_a_reader_error(
    data: st.DataObject,
) -> None:
    """A true conversation in which bytes are changed, dropped or added on their way to the host."""
    model = Pn532Chip(retries=1)
    model.radio.place(tags.make_card_tag("s1/1"))
    garbled = data.draw(st.integers(0, 30), label="from which answer on")
    noise = data.draw(st.lists(st.tuples(st.integers(0, 40), st.binary(max_size=4)), max_size=6))
    count = [0]

    def answer(piece: bytes) -> bytes:
        out = b""
        for frame in FrameParser().feed(piece):
            if frame.kind != "data":
                continue
            reply = model.command(frame.data, 0.0)
            out += ACK + (encode(reply.data) if isinstance(reply, Reply) else b"")
            count[0] += 1
        if out and count[0] > garbled:
            spoiled = bytearray(out)
            for at, piece_in in noise:
                spoiled[at % len(spoiled) : at % len(spoiled) + 2] = piece_in or b""
                if not spoiled:
                    break
            return bytes(spoiled)
        return out

    with Talker(answer) as talker, pytest.MonkeyPatch.context() as patch:
        patch.setattr(chips, "_PATIENCE", (0.02,))
        patch.setattr(chips, "_OTHER_SPEEDS", ())
        patch.setattr(chips, "_COMMAND_SECONDS", 0.03)
        patch.setattr(chips, "_LIST_SECONDS", 0.03)
        try:
            opened = open_chip(talker.path)
        except ReaderError:
            return
        try:
            for read in Scanner(opened).scan():
                assert read.card in (None, "s1/1")
        except ReaderError:
            pass
        finally:
            opened.close()
