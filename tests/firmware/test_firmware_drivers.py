"""The firmware's parts against register-level chips, under CPython and under MicroPython.

The checks are in tests/firmware/mpy: plain functions that both interpreters run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CHECKS = sorted(path.stem for path in (HERE / "mpy").glob("check_*.py"))
_MICROPYTHON = (
    "import sys; from micropython_unix import run_main; sys.exit(run_main(['micropython', *sys.argv[1:]]))"
)
INTERPRETERS = {
    "cpython": [sys.executable],
    "micropython": [sys.executable, "-c", _MICROPYTHON, "-X", "heapsize=1M"],
}


@pytest.mark.parametrize("interpreter", INTERPRETERS)
@pytest.mark.parametrize("check", CHECKS)
def test_firmware_part(interpreter: str, check: str) -> None:
    done = subprocess.run(
        [*INTERPRETERS[interpreter], str(HERE / "mpy" / "run.py"), check],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    source = (HERE / "mpy" / f"{check}.py").read_text(encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("ok check_") == source.count("\ndef check_")
