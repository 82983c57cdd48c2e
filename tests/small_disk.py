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
    # The namespace is made as the system has it and then cut off, which works in a chroot, too.
    script = (
        'mount --make-rprivate / 2>/dev/null; mount -t tmpfs -o size="$2" none "$1" && "$3" -c "$4" "$1"; '
        'ended=$?; umount "$1" 2>/dev/null; exit $ended'
    )
    unshare = ["unshare", "--mount", "--propagation", "unchanged", *own]
    done = subprocess.run(
        [*unshare, "sh", "-c", script, "sh", folder, size, sys.executable, program],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
