"""Serial ports: which one is ours, who else has it, and what an error of the system means in words."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from serial.tools import list_ports

PICO_VENDOR = 0x2E8A
"""USB vendor number of Raspberry Pi: only such ports are tried when the layout says `auto`, because
opening a stranger's port can reset or confuse what hangs there."""


def pico_ports() -> list[str]:
    """Device paths of all serial ports that are a Pico's, by their number."""
    return sorted(found.device for found in list_ports.comports() if found.vid == PICO_VENDOR)


@dataclass(slots=True)
class Finder:
    """Finds a Pico again after its number changed (F21): by hello among all Picos, by-id, by-path."""

    picos: Callable[[], Iterable[str]] = pico_ports
    by_id: Path = Path("/dev/serial/by-id")
    by_path: Path = Path("/dev/serial/by-path")
    _links: list[Path] = field(default_factory=list)

    def candidates(self, port: str) -> list[str]:
        """Where to look for it now, likeliest first. `port` as in the layout."""
        if "://" in port:
            return [port]
        found: list[str] = []
        if port != "auto":
            found += [path for path in self._named(port) if Path(path).exists()]
        if port == "auto" or not found:
            found += [str(link) for link in self._links if link.exists()]
            found += self.picos()
        return _once(found)

    def is_named(self, port: str, path: str) -> bool:
        """Is `path` what the layout itself says, not another place where it may be?"""
        return "://" in port or (port != "auto" and path in self._named(port))

    def _named(self, port: str) -> list[str]:
        return [str(Path(port)), str(self.by_id / port), str(self.by_path / port)]

    def remember(self, path: str) -> None:
        """Our Pico answered at `path`: notes by which lasting names it can be found again."""
        device = Path(path).resolve()
        links = [
            link
            for folder in (self.by_id, self.by_path)
            if folder.is_dir()
            for link in sorted(folder.iterdir())
            if link.resolve() == device
        ]
        if links:
            self._links = links


def _once(paths: Iterable[str]) -> list[str]:
    """Each device once, under the first name that leads to it."""
    seen: set[Path] = set()
    kept = []
    for path in paths:
        device = Path(path).resolve()
        if device not in seen:
            seen.add(device)
            kept.append(path)
    return kept


def owner(path: str, processes: Path = Path("/proc")) -> str | None:
    """Which other program has the port open ("minicom, process 812"), where this user may see that."""
    device = str(Path(path).resolve())
    for process in processes.iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            if any(str(entry.readlink()) == device for entry in (process / "fd").iterdir()):
                name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
                return f"{name}, process {process.name}"
        except OSError:  # it has ended meanwhile, or is another user's
            continue
    return None


def in_words(error: OSError, path: str) -> str:
    """Why `path` could not be opened, and the cure where there is one."""
    number = error.errno
    if number is None and isinstance(error.__cause__ or error.__context__, OSError):
        cause = error.__cause__ or error.__context__
        number = cause.errno if isinstance(cause, OSError) else None
    if number in (errno.EAGAIN, errno.EBUSY):
        other = owner(path)
        return f"another program ({other}) uses {path}" if other else f"another program uses {path}"
    if number in (errno.EACCES, errno.EPERM):
        return f"no permission to open {path}: add this user to the group {_group(path)}"
    if number in (errno.ENOENT, errno.ENXIO, errno.ENODEV):
        return f"{path} is not there: is the cable in?"
    return f"{path} can't be opened ({os.strerror(number) if number else error})"


def _group(path: str) -> str:
    try:
        return Path(path).group()
    except (KeyError, OSError):
        return "dialout"
