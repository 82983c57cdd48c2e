"""What a program of ours writes down of itself."""

from __future__ import annotations

from pathlib import Path

from tests.small_disk import run_on_small_disk

FULL_DISK = """
import logging, sys
from pathlib import Path
from web.logs import log_to
folder = Path(sys.argv[1])
log_to(folder)
logging.info("before")
with open(folder / "others", "wb", buffering=0) as others:
    try:
        while others.write(bytes(4096)):
            pass
    except OSError:
        pass
for n in range(300):
    logging.info("line %d, which the disk does not take", n)
logging.error("the disk is full")
(folder / "others").unlink()
logging.info("after")
"""


def test_a_full_disk_costs_the_log_lines_and_says_nothing_of_it_in_between(tmp_path: Path) -> None:
    # What is serious stands on the terminal as always, and no traceback beside it.
    assert run_on_small_disk(tmp_path / "disk", FULL_DISK) == "the disk is full\n"
