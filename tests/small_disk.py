"""A tiny disk of its own for one test program: a tmpfs in a private mount namespace, gone afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.shared_data import ROOT


def run_on_small_disk(folder: Path, program: str, size: str = "1m") -> str:
    """Runs a Python program with a tmpfs of `size` mounted at `folder` (its argument); its output.

    Works for root, and for others where user namespaces are allowed. Raises CalledProcessError."""
    folder.mkdir(exist_ok=True)
    own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    script = 'mount -t tmpfs -o size="$2" none "$1" && exec "$3" -c "$4" "$1"'
    done = subprocess.run(
        ["unshare", "--mount", *own, "sh", "-c", script, "sh", folder, size, sys.executable, program],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout
