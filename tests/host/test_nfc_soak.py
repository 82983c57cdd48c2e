"""The long run: 10,000 taps with faults, a million inputs for every parser, 20 minutes' worth of unplugs."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from pathlib import Path

import psutil
import pytest

from engine.errors import CrowntableError
from host import ndef
from host import uid as uids
from host.nfc import type2
from host.nfc.chip import parse_targets
from host.nfc.faults import ReaderError, TagRefusedError, TagSilentError
from host.nfc.frames import FrameParser, encode
from host.sighting import Sighting
from host.virtual import tags
from host.virtual.pn532 import VirtualPn532
from tests.host.nfc_help import PATIENT, Ear, open_descriptors, running, sees
from tests.shared_data import SHARED

pytestmark = [pytest.mark.soak, pytest.mark.timeout(12 * 3600)]
TAPS = int(os.environ.get("CROWNTABLE_TAPS", "10000"))
MANY = int(os.environ.get("CROWNTABLE_FUZZ", "1000000"))
FAULTS = ("no-ack", "zeros", "tail", "garbage", "half", "error", "mute", "late", "power-loss", "unplug")


class Taps(Ear):
    """Keeps only what the soak looks at, so that its own memory stays flat."""

    def __call__(self, sighting: Sighting) -> None:
        with self._news:
            self.heard.append(sighting)
            del self.heard[:-50]
            self._news.notify_all()

    def until_card(self, card: str | None) -> None:
        wanted = sees(card) if card else sees()
        end = time.monotonic() + PATIENT
        with self._news:
            while not any(map(wanted, self.heard[-1:])):
                assert self._news.wait(end - time.monotonic()), self.heard[-3:]


def test_ten_thousand_taps_with_random_faults(tmp_path: Path) -> None:
    rng = random.Random(10_000)
    chip = VirtualPn532(tmp_path / "reader", seed=1)
    chip.start()
    ear = Taps()
    process = psutil.Process()
    early: tuple[int, int, int] | None = None
    try:
        with running(chip, ear):
            for number in range(TAPS):
                if rng.random() < 0.03:
                    _break(chip, rng)
                tag = tags.make_card_tag(f"s{number % 7}/{number}")
                chip.place(tag)
                ear.until_card(f"s{number % 7}/{number}")
                chip.lift(tag)
                ear.until_card(None)
                if number == TAPS // 10:
                    early = _load(process)
            late = _load(process)
    finally:
        chip.stop()
    assert early is not None
    assert late[0] <= early[0] + 2, "descriptors"
    assert late[1] <= early[1] + 1, "threads"
    assert late[2] < early[2] + 20_000_000, "memory"
    print(f"{TAPS} taps: descriptors, threads, bytes {early} after a tenth, {late} at the end")


def _load(process: psutil.Process) -> tuple[int, int, int]:
    return open_descriptors(), threading.active_count(), process.memory_info().rss


def _break(chip: VirtualPn532, rng: random.Random) -> None:
    name = rng.choice(FAULTS)
    if name == "unplug":
        chip.unplug()
        chip.plug()
    else:
        chip.fault(name, times=rng.randint(1, 8))
        if name == "no-ack":
            chip.mend(name)


def _mutations(rng: random.Random, seeds: list[bytes], count: int) -> list[bytes]:
    found = []
    for _ in range(count):
        raw = (
            bytearray(rng.choice(seeds))
            if rng.random() < 0.8
            else bytearray(rng.randbytes(rng.randint(0, 80)))
        )
        for _ in range(rng.randint(0, 5)):
            if raw:
                raw[rng.randrange(len(raw))] = rng.randrange(256)
        if raw and rng.random() < 0.3:
            del raw[rng.randrange(len(raw)) :]
        found.append(bytes(raw))
    return found


def test_a_million_inputs_for_every_parser() -> None:
    """A quarter each: messages, frames, target lists, numbers. No exception but our own."""
    rng = random.Random(1_000_000)
    vectors = (SHARED / "data/nfc/ndef_vectors.jsonl").read_text().splitlines()
    messages = [bytes.fromhex(json.loads(line)["hex"]) for line in vectors]
    messages += [ndef.encode_card(card) for card in ("s1/1", "cremisi/cavalry/1")]
    answers = [
        bytes.fromhex(h)
        for h in (
            "010100440007043991c2fc6780",
            "02010004080" + "44a8d694f02004400" + "07043991c2fc6780",
            "01010304200" + "4083f6c4a0578807002",
        )
    ]
    frames = [encode(b"\xd5" + answer) for answer in answers]
    parser = FrameParser()
    quarter = min(MANY // 4, 2_500)
    for _ in range(MANY // (4 * quarter)):
        for raw in _mutations(rng, messages, quarter):
            ndef.kind_of(message := ndef.parse(raw))
            ndef.card_in(message)
        for raw in _mutations(rng, frames, quarter):
            parser.feed(raw)
        for raw in _mutations(rng, answers, quarter):
            try:
                parse_targets(raw)
            except ReaderError:
                continue
        for raw in _mutations(rng, messages, quarter):
            uids.read(raw.decode("latin-1"))
            try:
                uids.from_bytes(raw[:12])
            except CrowntableError:
                continue


def test_a_hundred_thousand_memories() -> None:
    rng = random.Random(64)
    dumps = [json.loads(path.read_text()) for path in sorted((SHARED / "data/nfc/dumps").glob("*.json"))]
    seeds = []
    for dump in dumps:
        try:
            tag = tags.from_dump(dump)
        except CrowntableError:
            continue
        if isinstance(tag, tags.Type2Tag):
            seeds.append(bytes(tag.memory)[:180])
    for raw in _mutations(rng, seeds, 100_000):
        memory = raw.ljust(64, b"\0")

        def read(page: int, memory: bytes = memory) -> bytes:
            block = memory[4 * page : 4 * page + 16]
            if not block:
                raise TagRefusedError("end")
            return block

        try:
            ndef.parse(type2.read_layout(type2.Memory(read)).message)
        except TagSilentError:
            continue
