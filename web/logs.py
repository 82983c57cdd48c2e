"""Where a program of ours writes what happens: a file in its data folder, and the terminal."""

from __future__ import annotations

import logging
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

LOG_BYTES: Final = 2_000_000


class _File(RotatingFileHandler):
    """A line that the disk does not take is missing in the file and nowhere else."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's own name
        """A full disk is the table's to say, once, not the log's at each line."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def log_to(data: Path, name: str = "crowntable.log") -> None:
    """Everything goes to a file in the data folder; what is serious also to the terminal."""
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setLevel(logging.ERROR)
    terminal.setFormatter(logging.Formatter("%(message)s"))
    root.addHandler(terminal)
    # A driver's own remarks are for the file; what they mean for people is on the screen.
    terminal.addFilter(lambda record: not record.name.startswith(("nfc", "tornado")))
    try:
        file = _File(data / name, maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8")
    except OSError as error:
        logging.error("No log file: %s.", error.strerror)
        return
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(file)
