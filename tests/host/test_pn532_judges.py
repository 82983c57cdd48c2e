"""The stand-in before other people's drivers: nfcpy as it comes, and libnfc's command line tools."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nfc
import nfc.clf
import nfc.clf.pn532
import nfc.clf.transport
import nfc.tag
import pytest

from host import ndef
from host.virtual import tags
from host.virtual.pn532 import VirtualPn532

CARD = "cremisi/cavalry/1"


@pytest.fixture
def chip() -> Iterator[VirtualPn532]:
    stand_in = VirtualPn532()
    stand_in.start()
    yield stand_in
    stand_in.stop()


def libnfc(chip: VirtualPn532, *command: str, cwd: Path | None = None) -> str:
    """What one of libnfc's tools says about the stand-in."""
    assert shutil.which(command[0]), f"{command[0]} is missing: apt-get install libnfc-bin libnfc-examples"
    done = subprocess.run(
        command,
        env={**os.environ, "LIBNFC_DEVICE": f"pn532_uart:{chip.path}"},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done
    return done.stdout


def uids(output: str) -> list[str]:
    """The UIDs that nfc-list names."""
    found = re.findall(r"UID \(NFCID\d\): ([0-9a-f ]+)", output)
    return sorted("".join(text.split()).upper() for text in found)


# -- libnfc ---------------------------------------------------------------------------------------


def test_nfc_list_with_nothing_there(chip: VirtualPn532) -> None:
    assert uids(libnfc(chip, "nfc-list")) == []


@pytest.mark.parametrize("count", [1, 2])
def test_nfc_list_finds_the_tags(chip: VirtualPn532, count: int) -> None:
    both: list[tags.Tag] = [tags.make_card_tag(CARD), tags.ClassicTag("1K", "4A8D694F")]
    laid = both[:count]
    for tag in laid:
        chip.place(tag)
    output = libnfc(chip, "nfc-list")
    assert uids(output) == sorted(tag.uid for tag in laid)
    assert f"{count} ISO14443A passive target(s) found" in output


def test_nfc_list_verbose_understands_a_phone(chip: VirtualPn532) -> None:
    chip.place(tags.SmartCardTag("phone", "08D69833"))
    output = libnfc(chip, "nfc-list", "-v")
    assert uids(output) == ["08D69833"]
    assert "Random UID" in output and "ATS" in output


def test_nfc_list_finds_a_felica_card(chip: VirtualPn532) -> None:
    chip.place(tags.FelicaTag("transit", "299FFA53AB75876E"))
    assert "29  9f  fa  53  ab  75  87  6e" in libnfc(chip, "nfc-list")


def test_nfc_poll_waits_for_arrival_and_removal(chip: VirtualPn532) -> None:
    tag = tags.make_card_tag(CARD)
    timers = [threading.Timer(1.0, chip.place, (tag,)), threading.Timer(3.0, chip.lift, (tag,))]
    for timer in timers:
        timer.start()
    output = libnfc(chip, "nfc-poll")
    for timer in timers:
        timer.join()
    assert uids(output) == [tag.uid]
    assert "Waiting for card removing...done." in output


@pytest.mark.parametrize("kind", ["NTAG213", "NTAG215", "NTAG216", "Ultralight"])
def test_nfc_mfultralight_reads_the_whole_memory(chip: VirtualPn532, kind: str, tmp_path: Path) -> None:
    tag = tags.blank(kind, "04A1B2C3D4E580")
    chip.place(tag)
    output = libnfc(chip, "nfc-mfultralight", "r", "dump.mfd", cwd=tmp_path)
    assert f"{tag.pages} of {tag.pages} pages read (0 pages failed)" in output
    dump = (tmp_path / "dump.mfd").read_bytes()
    hidden = 8 if kind.startswith("NTAG") else 0  # password and PACK read as zeros
    assert dump == bytes(tag.memory[: len(tag.memory) - hidden]) + bytes(hidden)


def test_nfc_mfultralight_writes_and_we_read(chip: VirtualPn532, tmp_path: Path) -> None:
    full, empty = tags.make_card_tag(CARD), tags.blank("NTAG213", tags.card_uid(CARD))
    (tmp_path / "card.mfd").write_bytes(bytes(full.memory))
    chip.place(empty)
    done = subprocess.run(
        ["nfc-mfultralight", "w", "card.mfd"],
        env={**os.environ, "LIBNFC_DEVICE": f"pn532_uart:{chip.path}"},
        cwd=tmp_path,
        input="n\nn\nn\nn\nn\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "pages written" in done.stdout, done
    assert empty.memory[16:120] == full.memory[16:120]


@pytest.mark.parametrize("uid", ["04A1B2C3D4E580", "4A8D694F", "04112233445566778899"])
def test_nfc_anticol_selects_by_hand(chip: VirtualPn532, uid: str) -> None:
    chip.place(tags.blank("NTAG213", uid) if len(uid) > 8 else tags.ClassicTag("1K", uid))
    output = libnfc(chip, "nfc-anticol")
    assert f"UID: {uid.lower()}" in output


def test_twenty_programs_one_after_the_other(chip: VirtualPn532) -> None:
    chip.place(tags.make_card_tag(CARD))
    for number in range(20):
        if number % 2:
            assert len(uids(libnfc(chip, "nfc-list"))) == 1
        else:
            front = frontend(chip)
            assert front.sense(nfc.clf.RemoteTarget("106A")) is not None
            front.close()


# -- nfcpy ----------------------------------------------------------------------------------------


def frontend(chip: VirtualPn532) -> Any:
    """nfcpy's own frontend on its own transport: nothing of ours in between."""
    device = nfc.clf.pn532.init(nfc.clf.transport.TTY(chip.path))
    device._path = chip.path
    front = nfc.clf.ContactlessFrontend()
    front.device = device
    return front


def activated(front: Any) -> Any:
    target = front.sense(nfc.clf.RemoteTarget("106A"))
    assert target is not None
    return nfc.tag.activate(front, target)


def test_nfcpy_raises_the_speed_and_takes_it_back(chip: VirtualPn532) -> None:
    front = frontend(chip)
    assert chip.chip.baud == 921600
    assert "PN532v1.6" in str(front.device.chipset_name)
    front.close()
    assert chip.chip.asleep
    frontend(chip).close()


def test_nfcpy_with_nothing_there(chip: VirtualPn532) -> None:
    front = frontend(chip)
    assert front.sense(nfc.clf.RemoteTarget("106A"), nfc.clf.RemoteTarget("212F")) is None
    front.close()


@pytest.mark.parametrize("kind", ["NTAG213", "NTAG215", "NTAG216", "NTAG210", "Ultralight EV1"])
def test_nfcpy_knows_the_product_and_reads_the_records(chip: VirtualPn532, kind: str) -> None:
    chip.place(tags.from_ndef(bytes.fromhex("d101055402656e6869"), "04A1B2C3D4E580", kind))
    front = frontend(chip)
    tag = activated(front)
    assert kind.removeprefix("Ultralight ") in tag.product
    assert [record.text for record in tag.ndef.records] == ["hi"]
    front.close()


def test_nfcpy_reads_a_card_of_ours(chip: VirtualPn532) -> None:
    chip.place(tags.make_card_tag(CARD))
    front = frontend(chip)
    records = activated(front).ndef.records
    assert records[0].uri == ndef.CARD_PAGE + CARD
    assert records[1].type == ndef.CARD_TYPE
    front.close()


def test_nfcpy_writes_and_formats(chip: VirtualPn532) -> None:
    lying = tags.blank("NTAG215", "04A1B2C3D4E580")
    chip.place(lying)
    front = frontend(chip)
    tag = activated(front)
    tag.ndef.octets = ndef.encode_card(CARD)
    assert activated(front).ndef.octets == ndef.encode_card(CARD)
    assert activated(front).format()
    assert activated(front).ndef.octets == b""
    front.close()


def test_nfcpy_protects_with_a_password(chip: VirtualPn532) -> None:
    lying = tags.make_card_tag(CARD)
    chip.place(lying)
    front = frontend(chip)
    tag = activated(front)
    assert tag.protect(b"secret", read_protect=True, protect_from=4)
    again = activated(front)
    assert again.ndef is None
    assert not again.authenticate(b"wrong!")
    again = activated(front)
    assert again.authenticate(b"secret")
    assert again.ndef.octets == ndef.encode_card(CARD)
    front.close()


def test_nfcpy_locks_for_good(chip: VirtualPn532) -> None:
    lying = tags.make_card_tag(CARD)
    chip.place(lying)
    front = frontend(chip)
    assert activated(front).protect()
    assert not activated(front).ndef.is_writeable
    before = bytes(lying.memory)
    assert lying.exchange(b"\xa2\x05abcd") == tags.nak(tags.NAK_ARGUMENT)
    assert bytes(lying.memory) == before
    front.close()


def test_nfcpy_reads_the_signature_and_the_counter(chip: VirtualPn532) -> None:
    lying = tags.make_card_tag(CARD)
    lying.memory[42 * 4] |= 0x10  # NFC counter on
    chip.place(lying)
    front = frontend(chip)
    tag = activated(front)
    assert len(tag.signature) == 32
    assert tag.read(4)
    before = lying.counter
    assert activated(front).read(4) and lying.counter == before + 1
    front.close()


def test_nfcpy_talks_to_a_smart_card_and_gets_no_ndef(chip: VirtualPn532) -> None:
    chip.place(tags.SmartCardTag("bank", "4A8D694F"))
    front = frontend(chip)
    tag = activated(front)
    assert tag.type == "Type4Tag" and tag.ndef is None
    front.close()


def test_with_modelled_delays_nfcpy_is_as_slow_as_on_a_board() -> None:
    chip = VirtualPn532(delays=True)
    chip.start()
    chip.place(tags.make_card_tag(CARD))
    front = frontend(chip)
    assert activated(front).ndef.octets == ndef.encode_card(CARD)
    front.close()
    chip.stop()
