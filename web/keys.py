"""Keys for other programs: what they may do, made and revoked by the operator, kept as hashes only.

`crowntable key make NAME` shows a key once; the data folder keeps its SHA-256 in `web-keys.json` (mode
0600). A key is 256 random bits, so that a plain hash tells nothing about it and guessing is hopeless; it is
compared in constant time. A running server reads the file again when it has changed: revoking works at once.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from engine.errors import CrowntableError
from engine.whole import write_whole

KEYS_FILE: Final = "web-keys.json"
#: what a key may do: `read` every View, the stream, the journal; `act` also enter and command
SCOPES: Final = ("read", "act")
MOST_KEYS: Final = 50
_SHAPE: Final = re.compile(r"ct_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class Key:
    """One key as it is kept: `id` is its public half, `made` Unix seconds, `sha256` of its secret half."""

    id: str
    name: str
    scopes: tuple[str, ...]
    made: float
    sha256: str

    def may(self, scope: str) -> bool:
        """Does the key have this scope? Who may act may read."""
        return scope in self.scopes or (scope == "read" and "act" in self.scopes)


def _file(data: Path) -> Path:
    return data / KEYS_FILE


def read(data: Path) -> list[Key]:
    """All keys of a data folder, oldest first; none where there is no file. A file that others could read
    is closed to them. Raises CrowntableError where it is damaged or can't be read."""
    path = _file(data)
    try:
        text = path.read_text(encoding="utf-8")
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        rows = json.loads(text)
        return [Key(row["id"], row["name"], tuple(row["scopes"]), row["made"], row["sha256"]) for row in rows]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CrowntableError(
            f"The file {path} can't be read: {error.strerror or error}.", "Make it readable for this user."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise CrowntableError(
            f"The file {path} is damaged.", "Move it away and make the keys anew; the old ones open nothing."
        ) from error


def _write(data: Path, keys: Iterable[Key]) -> None:
    text = json.dumps([asdict(key) for key in keys], indent=1, ensure_ascii=False)
    try:
        data.mkdir(parents=True, exist_ok=True)
        write_whole(_file(data), text, private=True)
    except OSError as error:
        raise CrowntableError(
            f"The keys can't be stored in {data}: {error.strerror or error}.",
            "Give another folder with --data, or make this one writable.",
        ) from error


def make(data: Path, name: str, act: bool = False) -> tuple[Key, str]:
    """A new key and, this once, the text that opens with it. Raises CrowntableError."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= 60 or not name.isprintable():
        raise CrowntableError("A key needs a name of 1 to 60 letters.", "Name the program that will use it.")
    keys = read(data)
    if len(keys) >= MOST_KEYS:
        raise CrowntableError(f"There are {MOST_KEYS} keys already.", "Revoke those that nobody uses.")
    secret = secrets.token_urlsafe(32)
    scopes = SCOPES if act else SCOPES[:1]
    key = Key(secrets.token_hex(4), name, scopes, time.time(), _hash(secret))
    _write(data, [*keys, key])
    return key, f"ct_{key.id}_{secret}"


def revoke(data: Path, ident: str) -> Key:
    """Ends the key of that id (between the underscores). Raises CrowntableError where there is none."""
    keys = read(data)
    gone = next((key for key in keys if key.id == ident), None)
    if gone is None:
        known = ", ".join(key.id for key in keys) or "none"
        raise CrowntableError(f"There is no key {ident[:60]!r}.", f"There are: {known}.")
    _write(data, [key for key in keys if key is not gone])
    return gone


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def bearer(header: str | None) -> str | None:
    """The key in an Authorization header; None for no header and for other schemes (a proxy's own).

    >>> bearer("Bearer abc"), bearer("Basic abc"), bearer(None)
    ('abc', None, None)
    """
    scheme, _, given = (header or "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else None


@dataclass(slots=True)
class KeyRing:
    """The keys of a running server. Thread-safe."""

    data: Path
    _keys: dict[str, Key] = field(default_factory=dict)
    _seen: tuple[int, int] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, given: str) -> Key | None:
        """The key that this text is; None where it is none, or none any more."""
        found = _SHAPE.fullmatch(given)
        if found is None:
            return None
        with self._lock:
            self._refresh()
            key = self._keys.get(found[1])
        return key if key is not None and hmac.compare_digest(_hash(found[2]), key.sha256) else None

    def _refresh(self) -> None:
        try:
            stat = _file(self.data).stat()
            seen = (stat.st_mtime_ns, stat.st_ino)
        except OSError:
            seen = (0, 0)
        if seen != self._seen:
            # A damaged file opens nothing; what is wrong with it `crowntable key list` says.
            try:
                self._keys = {key.id: key for key in read(self.data)}
            except CrowntableError:
                self._keys = {}
            self._seen = seen
