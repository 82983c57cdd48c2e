"""The journal: F50 (power pulled at any byte), F52 (full and read-only disk), a second process."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from engine.errors import CrowntableError
from host.entry import Entry
from host.face import Who
from host.journal import Journal, NotRecordedError
from tests.small_disk import run_on_small_disk

ACTION = {"do": "play", "seat": 1, "card": "cremisi/cavalry/1"}


def entry(seq: int, text: str = "") -> Entry:
    finding = {"code": "x", "severity": "warning"}
    return Entry(
        seq, "action", 1.7e9, float(seq), "b", 1, Who("device", "pico"), ACTION, True, (finding,),
        ({"kind": "CardArrived", "zone": "seat1.field"},), text, {"a": [1, None]},
    )  # fmt: skip


def test_what_was_appended_is_read_back_the_same(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    entries = [entry(i, f"line {i} · è") for i in range(1, 6)]
    journal.append(entries[:2])
    journal.append(entries[2:])
    assert list(journal.read()) == entries
    assert list(journal.read(after=2, limit=2)) == entries[2:4]
    assert journal.last() == (5, 0)
    journal.close()
    again = Journal(tmp_path)
    assert list(again.read(match=1)) == entries
    again.close()


def test_a_batch_is_whole_or_not_at_all(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append([entry(1)])
    with pytest.raises(NotRecordedError):
        journal.append([entry(2), entry(1)])
    assert [e.seq for e in journal.read()] == [1]
    journal.append([entry(2)])
    journal.close()


def test_a_second_process_is_held_off_with_a_clear_sentence(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    with pytest.raises(CrowntableError) as caught:
        Journal(tmp_path)
    assert f"(process {os.getpid()}) is running on" in caught.value.what
    assert "--data" in caught.value.cure
    journal.close()
    Journal(tmp_path).close()


def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"these are somebody's notes, not a database" * 100)
    before = path.read_bytes()
    with pytest.raises(CrowntableError) as caught:
        Journal(tmp_path)
    assert "can't be opened" in caught.value.what
    assert "aside" in caught.value.cure
    assert path.read_bytes() == before


def test_a_newer_journal_is_refused(tmp_path: Path) -> None:
    Journal(tmp_path).close()
    with sqlite3.connect(tmp_path / "journal.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(CrowntableError, match="newer Crowntable"):
        Journal(tmp_path)


def test_f50_kill_9_at_any_moment_keeps_every_acknowledged_entry(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import sys
        from pathlib import Path
        from tests.host.test_journal import entry
        from host.journal import Journal
        journal = Journal(Path(sys.argv[1]))
        seq = journal.last()[0]
        while True:
            seq += 1
            journal.append([entry(seq)])
            sys.stdout.write(f"{seq}\\n")
            sys.stdout.flush()
    """)
    seen = 0
    for round_ in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path)],
            stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
        ) as process:  # fmt: skip
            assert process.stdout is not None
            for _ in range(3 + 7 * round_):
                seen = int(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
            rest = process.stdout.read().split()
            seen = int(rest[-1]) if rest else seen
        journal = Journal(tmp_path)
        seqs = [e.seq for e in journal.read()]
        journal.close()
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(seqs) >= seen


def test_f50_a_log_torn_at_any_byte_keeps_the_entries_before_the_tear(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "whole")
    journal.append([entry(1)])
    for seq in range(2, 8):
        journal.append([entry(seq)])
    files = {p.name: p.read_bytes() for p in (tmp_path / "whole").iterdir()}
    journal.close()
    wal = files["journal.sqlite-wal"]
    kept = []
    for cut in [*range(len(wal) - 4096, len(wal), 61), len(wal)]:
        folder = tmp_path / "torn"
        folder.mkdir()
        for name, data in files.items():
            if name != "journal.sqlite-shm":
                (folder / name).write_bytes(wal[:cut] if name.endswith("-wal") else data)
        torn = Journal(folder)
        seqs = [e.seq for e in torn.read()]
        torn.close()
        shutil.rmtree(folder)
        assert seqs == list(range(1, len(seqs) + 1))
        kept.append(len(seqs))
    assert kept == sorted(kept)
    assert kept[-1] == 7
    assert kept[0] >= 5


FULL_DISK = """
import sys
from pathlib import Path
from engine.errors import CrowntableError
from host.journal import Journal, NotRecordedError
from tests.host.test_journal import entry
folder = Path(sys.argv[1])
(folder / "others").write_bytes(b"x" * 300_000)
journal, seq = Journal(folder), 0
try:
    while True:
        journal.append([entry(seq + 1, "x" * 2000)])
        seq += 1
except NotRecordedError as error:
    assert "full" in error.reason, error.reason
assert 30 < seq < 500, seq
assert [e.seq for e in journal.read()] == list(range(1, seq + 1))
try:
    (folder / "filler").write_bytes(b"x" * (1 << 20))
except OSError:
    pass
journal.close()
try:
    Journal(folder)
    raise SystemExit("opened on a full disk")
except CrowntableError as error:
    assert "full" in error.what and "df -h" in error.cure, error.what
(folder / "others").unlink()
journal = Journal(folder)
assert journal.last()[0] == seq
journal.append([entry(seq + 1)])
"""

FULL_FROM_THE_START = """
import sys
from pathlib import Path
from engine.errors import CrowntableError
from host.journal import Journal
folder = Path(sys.argv[1])
others = (folder / "others").open("wb", buffering=0)
try:
    while others.write(bytes(4096)):
        pass
except OSError:
    pass
try:
    Journal(folder)
    raise SystemExit("opened on a full disk")
except CrowntableError as error:
    assert "full" in error.what and "df -h" in error.cure, error.what
others.close()
(folder / "others").unlink()
Journal(folder).close()
"""

READ_ONLY = """
import subprocess, sys
from pathlib import Path
from engine.errors import CrowntableError
from host.journal import Journal
folder = Path(sys.argv[1])
Journal(folder).close()
subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
try:
    Journal(folder)
    raise SystemExit("opened on a read-only disk")
except CrowntableError as error:
    assert "Read-only" in error.what and "--data" in error.cure, error.what
"""


@pytest.mark.parametrize(
    "program", [FULL_DISK, FULL_FROM_THE_START, READ_ONLY], ids=["full", "full-from-the-start", "read-only"]
)
def test_f52_a_full_or_read_only_disk_says_so_and_nothing_is_damaged(tmp_path: Path, program: str) -> None:
    run_on_small_disk(tmp_path / "disk", program)
