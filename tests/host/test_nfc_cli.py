"""`crowntable tag …` and `crowntable virtual pn532`, as their user meets them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from host import cardlist, ndef
from host.nfc.cli import _deck
from host.virtual import tags
from host.virtual.pn532 import VirtualPn532
from tests.shared_data import ROOT, SHARED
from web.main import main

CARD = "cremisi/cavalry/1"
COMMAND = [sys.executable, "-m", "web.main"]
DUMPS = SHARED / "data/nfc/dumps"


@dataclass
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def crowntable(*args: str | Path, code: int = 0) -> Done:
    """Runs a command in this process, as the console script does."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            returned = main([str(arg) for arg in args])
        except SystemExit as left:
            returned = int(left.code or 0)
    done = Done(returned, out.getvalue(), err.getvalue())
    assert done.returncode == code, done
    return done


@pytest.fixture
def chip(tmp_path: Path) -> Iterator[VirtualPn532]:
    stand_in = VirtualPn532(tmp_path / "reader")
    stand_in.start()
    yield stand_in
    stand_in.stop()


# -- tag read and write ---------------------------------------------------------------------------


def test_read_a_card_as_the_contract_says(chip: VirtualPn532) -> None:
    tag = tags.make_card_tag(CARD)
    chip.place(tag)
    done = crowntable("tag", "read", "--reader", chip.path, "--json")
    assert json.loads(done.stdout) == {
        "uid": tag.uid,
        "type": "NTAG213",
        "records": [
            {"type": "urn:nfc:wkt:U", "content": ndef.CARD_PAGE + CARD},
            {"type": ndef.CARD_TYPE, "content": f"{CARD}*A180166B"},
        ],
        "card": CARD,
        "why": None,
    }


@pytest.mark.parametrize(
    ("dump", "kind", "why"),
    [
        ("D06_ntag215_long_uri", "NTAG215", "web address"),
        ("D56_mifare_classic_1k_4b", "MIFARE Classic", "MIFARE Classic"),
        ("D61_phone_random_08_b", "ISO 14443-4", "phone"),
        ("D50_ntag213_readprotected_from_4", "NTAG213", "password"),
        ("D20_ultralight_url_with_own_uid", "Type 2 tag", "web address"),
    ],
)
def test_read_others_and_say_what_they_are(chip: VirtualPn532, dump: str, kind: str, why: str) -> None:
    chip.place(tags.from_dump(json.loads((DUMPS / f"{dump}.json").read_text())))
    told = json.loads(crowntable("tag", "read", "--reader", chip.path, "--json").stdout)
    assert told["type"] == kind and why in told["why"] and told["card"] is None


def test_read_for_people_is_short_and_safe_for_the_terminal(chip: VirtualPn532) -> None:
    text = "\x1b]0;evil\x07" + "long " * 40
    octets = bytes((0xD1, 1, len(text) + 3)) + b"T\x02en" + text.encode()
    chip.place(tags.from_ndef(octets, "04A1B2C3D4E580", "NTAG216"))
    done = crowntable("tag", "read", "--reader", chip.path)
    assert all(len(line) < 100 for line in done.stdout.splitlines())
    assert "\x1b" not in done.stdout and "\x07" not in done.stdout


def test_two_tags_are_two_lines(chip: VirtualPn532) -> None:
    chip.place(tags.make_card_tag("s1/1"))
    chip.place(tags.make_card_tag("s1/2"))
    lines = crowntable("tag", "read", "--reader", chip.path, "--json").stdout.splitlines()
    assert {json.loads(line)["card"] for line in lines} == {"s1/1", "s1/2"}


def test_nothing_there_and_no_reader_are_two_lines_and_exit_1(chip: VirtualPn532, tmp_path: Path) -> None:
    for args in (
        ("tag", "read", "--reader", chip.path, "--wait", "0.2"),
        ("tag", "read", "--reader", tmp_path / "nothing"),
        ("tag", "write", "--reader", "bluetooth", "--card", "s1/1"),
    ):
        done = crowntable(*args, code=1)
        assert len(done.stderr.splitlines()) == 2 and not done.stdout


def test_write_sign_lock_and_read_back(chip: VirtualPn532, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("our own\n")
    chip.place(tags.blank("NTAG213", "04A1B2C3D4E580"))
    at = ("--reader", chip.path)
    done = crowntable("tag", "write", *at, "--card", CARD, "--key", key, "--lock", "--json")
    assert json.loads(done.stdout) == {"uid": "04A1B2C3D4E580", "bytes": 107, "locked": True, "card": CARD}
    signed = crowntable("tag", "read", *at, "--json", "--key", key)
    assert json.loads(signed.stdout)["card"] == CARD
    (tmp_path / "other").write_text("another table's")
    foreign = json.loads(crowntable("tag", "read", *at, "--json", "--key", tmp_path / "other").stdout)
    assert foreign["card"] is None and "another table" in foreign["why"]
    assert "locked" in crowntable("tag", "write", *at, "--card", CARD, "--overwrite", code=1).stderr


def test_write_leaves_somebody_elses_content_alone(chip: VirtualPn532, tmp_path: Path) -> None:
    foreign = bytes.fromhex("d101045505313132")
    chip.place(tags.from_ndef(foreign, "04A1B2C3D4E580"))
    at = ("--reader", chip.path)
    assert "--overwrite" in crowntable("tag", "write", *at, "--card", CARD, code=1).stderr
    (tmp_path / "m.bin").write_bytes(ndef.encode_card("s1/1"))
    crowntable("tag", "write", *at, "--ndef", tmp_path / "m.bin", "--overwrite")
    assert json.loads(crowntable("tag", "read", *at, "--json").stdout)["card"] == "s1/1"
    (tmp_path / "m.bin").write_bytes(b"\xd1\x01")
    assert "no NDEF message" in crowntable("tag", "write", *at, "--ndef", tmp_path / "m.bin", code=1).stderr


# -- tag enrol and list ---------------------------------------------------------------------------


class Enrolment:
    """A running `tag enrol`, its lines as they come."""

    def __init__(self, chip: VirtualPn532, cards: Path, *args: str) -> None:
        self.chip = chip
        self.process = subprocess.Popen(
            [*COMMAND, "tag", "enrol", "--reader", chip.path, "--cards", str(cards), "--json", *args],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def lay(self, tag: tags.Tag, strength: float = 1.0) -> dict[str, object]:
        """What is said of a tag that is laid on and lifted again."""
        assert self.process.stdout is not None
        self.chip.place(tag, strength)
        told: dict[str, object] = json.loads(self.process.stdout.readline())
        self.chip.lift(tag)
        time.sleep(0.3)
        return told


@contextmanager
def enrolling(chip: VirtualPn532, cards: Path, *args: str) -> Iterator[Enrolment]:
    enrolment = Enrolment(chip, cards, *args)
    try:
        yield enrolment
        assert enrolment.process.wait(60) == 0
    finally:
        enrolment.process.kill()
        enrolment.process.communicate()


def test_a_sweep_binds_card_by_card_and_says_what_is_wrong(chip: VirtualPn532, tmp_path: Path) -> None:
    cards = tmp_path / "cards.csv"
    first, second = tags.blank("NTAG213", "04A1B2C3D4E580"), tags.blank("NTAG213", "04A1B2C3D4E680")
    phone = tags.SmartCardTag("phone", "08112233", random_uid=True)
    foreign = tags.from_ndef(bytes.fromhex("d101045505313132"), "04A1B2C3D4E780")
    with enrolling(chip, cards, "--only", "cremisi/cavalry/", "--write") as sweep:
        assert "can't be a game card" in str(sweep.lay(phone)["why"])
        weak = sweep.lay(first, strength=0.4)
        assert weak["card"] is None and "weak: answered" in str(weak["why"])
        assert sweep.lay(first)["card"] == "cremisi/cavalry/1"
        again = sweep.lay(first)
        assert again["card"] is None and "is cremisi/cavalry/1 already" in str(again["why"])
        assert sweep.lay(second)["card"] == "cremisi/cavalry/2"
        by_number = sweep.lay(foreign)
        assert by_number["card"] == "cremisi/cavalry/3" and "number only" in str(by_number["why"])
        for number, card in enumerate(_deck("althera", "cremisi/cavalry/")[3:]):
            assert sweep.lay(tags.blank("NTAG213", f"04A1B2C3D5{number:02X}80"))["card"] == card
    bound = cardlist.load(cards)
    assert bound.card_of(first.uid) == "cremisi/cavalry/1"
    assert {entry.note for entry in bound.entries if entry.uid == foreign.uid} == {"known by its number"}
    assert ndef.tlv(ndef.encode_card("cremisi/cavalry/1"))[2:] in bytes(first.memory)
    assert bytes.fromhex("d101045505313132") in bytes(foreign.memory)  # never written over unasked
    listed = json.loads(crowntable("tag", "list", "--cards", cards, "--json").stdout)
    assert listed[0] == {"card": "cremisi/cavalry/1", "uid": first.uid, "note": ""}
    # Nothing is left to do: it says so at once.
    assert (
        "0 cards enrolled"
        in crowntable(
            "tag", "enrol", "--reader", chip.path, "--cards", cards, "--only", "cremisi/cavalry/"
        ).stderr
    )


def test_a_card_that_says_which_it_is_is_taken_at_its_word(chip: VirtualPn532, tmp_path: Path) -> None:
    with enrolling(chip, tmp_path / "c.csv", "--only", "cremisi/oracle/") as sweep:
        wanted = _deck("althera", "cremisi/oracle/")
        for card in reversed(wanted):
            assert sweep.lay(tags.make_card_tag(card))["card"] == card


def test_enrolment_gives_up_and_can_be_gone_on_with(chip: VirtualPn532, tmp_path: Path) -> None:
    done = crowntable(
        "tag", "enrol", "--reader", chip.path, "--cards", tmp_path / "c.csv", "--wait", "0.3", code=1
    )
    assert "goes on where it stopped" in done.stderr
    assert "no game called" in crowntable(
        "tag", "enrol", "--reader", chip.path, "--game", "chess", code=2
    ).stderr.lower().replace("there is ", "")


@pytest.mark.parametrize("game", ["althera", "anthem"])
def test_every_card_of_every_game_fits_signed_on_an_ntag213(game: str) -> None:
    deck = _deck(game, "")
    assert len(deck) > 40 and len(set(deck)) == len(deck)
    assert max(len(ndef.encode_card(c, uid="04A1B2C3D4E580", key=b"k")) for c in deck) <= 137
    assert len({tags.card_uid(card) for card in deck}) == len(deck)


# -- virtual pn532 --------------------------------------------------------------------------------


@pytest.fixture
def virtual() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start(*args: str | Path) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*COMMAND, "virtual", "pn532", *map(str, args)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen[str], command: str = "") -> str:
    assert process.stdin is not None and process.stdout is not None
    if command:
        process.stdin.write(command + "\n")
        process.stdin.flush()
    return process.stdout.readline().strip()


def test_path_first_then_tags_come_and_go(
    virtual: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    card, pages = tmp_path / "card.ndef", tmp_path / "pages.hex"
    card.write_bytes(ndef.encode_card("s1/1"))
    pages.write_text(bytes(tags.make_card_tag("s2/2").memory).hex())
    process = virtual("--tag", card, "--tag", pages)
    path = said(process)
    assert path.startswith("/dev/pts/")

    def cards() -> set[str]:
        lines = crowntable("tag", "read", "--reader", path, "--json").stdout.splitlines()
        return {json.loads(line)["card"] for line in lines}

    assert cards() == {"s1/1", "s2/2"}
    assert said(process, "lift 1").startswith("lifted card")
    assert cards() == {"s2/2"}
    said(process, f"place {card}")
    said(process, "lift pages")
    said(process, "place card:s3/3")
    assert cards() == {"s1/1", "s3/3"}
    assert said(process, "lift") == "lifted all"
    assert said(process, "list") == "lying there: nothing"
    assert said(process, "place").startswith("lying there: card")
    assert said(process, "fault mute 3") == "fault mute 3"
    assert said(process, "mend").startswith("mended")
    assert process.stdin is not None and process.stderr is not None
    for wrong in ("dance", "place /no/such/file", "fault nonsense"):
        process.stdin.write(wrong + "\n")
        process.stdin.flush()
        assert process.stderr.readline().strip()
    said_unplugged = said(process, "unplug")
    # (Its number may be another terminal's by now: the machine gives it to the next that asks.)
    assert said_unplugged == "unplugged"
    assert said(process, "plug").startswith("plugged /dev/pts/")
    process.stdin.write("quit\n")
    process.stdin.flush()
    assert process.wait(20) == 0


def test_the_end_of_the_input_is_not_the_end_but_a_signal_is(
    virtual: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    link = tmp_path / "reader"
    process = virtual("--link", link)
    assert said(process) == str(link)
    assert process.stdin is not None
    process.stdin.close()
    time.sleep(0.3)
    assert process.poll() is None and link.exists()
    process.terminate()
    assert process.wait(20) == 143
    assert not link.is_symlink()
    process.stdin = None


def test_files_that_are_no_tag_are_said(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(b"\x00\x01\x02")
    for file in (tmp_path / "noise", tmp_path / "missing", DUMPS / "D13_garbage_file_3072_pages.json"):
        done = crowntable("virtual", "pn532", "--tag", file, code=1)
        assert len(done.stderr.splitlines()) == 2


def test_a_card_list_that_is_not_there_is_no_empty_one(tmp_path: Path) -> None:
    done = crowntable("tag", "list", "--cards", tmp_path / "cards.csv", code=1)
    assert done.stdout == ""
    assert done.stderr.startswith(f"There is no card list {tmp_path / 'cards.csv'}.")


@pytest.mark.parametrize("command", ["read", "write", "enrol", "list"])
def test_help_has_an_example(command: str) -> None:
    assert "example: crowntable tag" in crowntable("tag", command, "--help").stdout


def test_help_of_the_stand_in_names_its_faults() -> None:
    told = crowntable("virtual", "pn532", "--help").stdout
    assert "example:" in told and "overlap" in told and "unplug" in told
