"""Who may do what: the operator's PIN, sessions, seat links, request tokens, limits, the Host header.

What is promised and what is not stands in docs/security.md. Nothing here knows Flask or Tornado, so
that pages and the live stream judge a request by the same functions.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import json
import re
import secrets
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from itsdangerous import BadSignature, TimestampSigner

from engine.errors import CrowntableError
from engine.whole import write_whole
from web.keys import KeyRing

SECRETS_FILE: Final = "web-secrets.json"
SESSION_S: Final = 12 * 3600
ONE_TIME_S: Final = 3600
MOST_ADDRESSES: Final = 2000
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Secrets:
    """What the data folder keeps for the web: the PIN (digits), the signing key (hex), and a number
    that grows when seat links are made anew, which makes the old ones worthless."""

    pin: str
    key: str
    links: int = 1


def _path(data: Path) -> Path:
    return data / SECRETS_FILE


def _write(data: Path, new: Secrets) -> None:
    text = json.dumps({"pin": new.pin, "key": new.key, "links": new.links}) + "\n"
    try:
        data.mkdir(parents=True, exist_ok=True)
        write_whole(_path(data), text, private=True)
    except OSError as error:
        raise CrowntableError(
            f"The operator's PIN can't be stored in {data}: {error.strerror or error}.",
            "Give another folder with --data, or make this one writable.",
        ) from error


def load_secrets(data: Path) -> Secrets:
    """The folder's secrets; made at the first start. A file that others could read is closed to them.

    Raises CrowntableError where the file is damaged or the folder can't be written."""
    path = _path(data)
    try:
        text = path.read_text(encoding="ascii")
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        raw = json.loads(text)
        found = Secrets(str(raw["pin"]), str(raw["key"]), int(raw["links"]))
        bytes.fromhex(found.key)
    except FileNotFoundError:
        made = Secrets(f"{secrets.randbelow(10**6):06d}", secrets.token_hex(32))
        _write(data, made)
        return made
    except OSError as error:
        raise CrowntableError(
            f"The file {path} can't be read: {error.strerror or error}.",
            "Make it readable for this user, or give another folder with --data.",
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise CrowntableError(
            f"The file {path} is damaged.",
            "Move it away; the next start makes a new PIN and new seat links.",
        ) from error
    return found


def operator_pin(data: Path) -> str:
    """The operator's PIN, six digits, made at the first start."""
    return load_secrets(data).pin


def _forget(by_address: dict[str, Any], most: int) -> None:
    """Drops the entries that were touched longest ago: many addresses must not fill the memory."""
    while len(by_address) > most:
        del by_address[next(iter(by_address))]


class Attempts:
    """Slows guessing down: after `free` failures from one address it waits `first_s` seconds, doubling
    with each further failure up to `longest_s`; and all addresses together have `together` failures a
    minute, so that many addresses do not help either.

    >>> now = [0.0]
    >>> attempts = Attempts(clock=lambda: now[0])
    >>> for _ in range(5): attempts.failed("10.0.0.9")
    >>> attempts.wait("10.0.0.9") > 0, attempts.wait("10.0.0.8")
    (True, 0.0)
    """

    def __init__(
        self,
        clock: Clock = time.monotonic,
        free: int = 5,
        first_s: float = 30.0,
        longest_s: float = 900.0,
        together: int = 30,
    ) -> None:
        self._clock, self._free, self._first, self._longest = clock, free, first_s, longest_s
        self._lock = threading.Lock()
        self._failures: dict[str, tuple[int, float]] = {}
        self._recent: deque[float] = deque(maxlen=together)

    def wait(self, address: str) -> float:
        """Seconds until this address may try again, 0.0 for now."""
        with self._lock:
            now = self._clock()
            count, last = self._failures.get(address, (0, 0.0))
            own = 0.0
            if count >= self._free:
                own = last + min(self._longest, self._first * 2.0 ** (count - self._free)) - now
            full = len(self._recent) == self._recent.maxlen
            shared = self._recent[0] + 60.0 - now if full else 0.0
            return max(0.0, own, shared)

    def failed(self, address: str) -> None:
        """Notes a wrong PIN."""
        with self._lock:
            now = self._clock()
            count, _ = self._failures.pop(address, (0, 0.0))
            self._failures[address] = (min(count + 1, 60), now)
            self._recent.append(now)
            _forget(self._failures, MOST_ADDRESSES)

    def succeeded(self, address: str) -> None:
        """Forgets this address's failures."""
        with self._lock:
            self._failures.pop(address, None)


class Pace:
    """At most `limit` requests in `per_s` seconds from one address: a stuck key or a script must not
    fill the table's queue."""

    def __init__(self, limit: int, per_s: float, clock: Clock = time.monotonic) -> None:
        self._limit, self._per, self._clock = limit, per_s, clock
        self._lock = threading.Lock()
        self._seen: dict[str, list[float]] = {}

    def allows(self, address: str) -> bool:
        """Counts this request; False where it is one too many."""
        with self._lock:
            now = self._clock()
            recent = [m for m in self._seen.pop(address, []) if now - m < self._per]
            allowed = len(recent) < self._limit
            if allowed:
                recent.append(now)
            self._seen[address] = recent  # at the end: the first are those that were quiet longest
            _forget(self._seen, MOST_ADDRESSES)
            return allowed


def own_names() -> frozenset[str]:
    """The names under which this machine may be called, in lower case."""
    name = socket.gethostname().lower()
    short = name.split(".")[0]
    return frozenset({"localhost", name, short, f"{short}.local", f"{short}.lan", f"{short}.home"})


def host_allowed(host: str | None, names: Iterable[str]) -> bool:
    """Is this Host header one of ours? IP addresses always are: DNS rebinding needs a name.

    >>> host_allowed("192.168.1.20:8000", ()), host_allowed("[::1]:8000", ()), host_allowed("x.example", ())
    (True, True, False)
    """
    if not host or len(host) > 255:
        return False
    name, _, rest = host.rpartition(":")
    bare = name if name and rest.isdigit() and not host.endswith("]") else host
    bare = bare.lower().rstrip(".")
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1]
    try:
        ipaddress.ip_address(bare)
    except ValueError:
        return bare in set(names)
    return True


@dataclass(slots=True)
class Guard:
    """The secrets at work: signs, verifies, counts attempts. One for a running server; thread-safe."""

    data: Path
    secrets: Secrets
    names: frozenset[str] = field(default_factory=own_names)
    attempts: Attempts = field(default_factory=Attempts)
    #: 60 commands in 10 s: a hurried operator stays below, a stuck script does not
    pace: Pace = field(default_factory=lambda: Pace(60, 10.0))
    #: 200 requests of a program's key in 10 s, whatever they are
    key_pace: Pace = field(default_factory=lambda: Pace(200, 10.0))
    #: 20 answers about matches in a minute: a table full of phones behind one address stays below
    answer_pace: Pace = field(default_factory=lambda: Pace(20, 60.0))
    keys: KeyRing = field(init=False)
    _once: dict[str, float] = field(default_factory=dict)
    _ended: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.keys = KeyRing(self.data)

    @classmethod
    def open(cls, data: Path) -> Guard:
        """The guard of a data folder. Raises CrowntableError like `load_secrets`."""
        return cls(data, load_secrets(data))

    def _mac(self, *parts: str, size: int = 15) -> str:
        text = "\x1f".join(parts).encode()
        digest = hmac.new(bytes.fromhex(self.secrets.key), text, hashlib.sha256).digest()[:size]
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")

    def _signer(self) -> TimestampSigner:
        # The PIN is part of the salt: a new PIN ends every session that the old one opened.
        return TimestampSigner(
            self.secrets.key, salt=f"operator {self.secrets.pin}", digest_method=hashlib.sha256
        )

    def is_host(self, header: str | None) -> bool:
        """Is this Host header one of this machine's names or an IP address?"""
        return host_allowed(header, self.names)

    # -- the operator

    def check_pin(self, given: str, address: str) -> bool:
        """Is it the PIN? Counts the attempt; ask `attempts.wait` first."""
        right = hmac.compare_digest(given.strip().encode(), self.secrets.pin.encode())
        if right:
            self.attempts.succeeded(address)
        else:
            self.attempts.failed(address)
        return right

    def change_pin(self, pin: str) -> None:
        """A new PIN, six to twelve digits; it ends every session. Raises ValueError where it is too easily
        guessed, CrowntableError where it can't be kept: the old one holds then."""
        digits = pin.strip()
        easy = len(set(digits)) < 3 or digits in "01234567890123456789"
        if easy or not re.fullmatch(r"[0-9]{6,12}", digits):
            raise ValueError(pin)
        with self._lock:
            changed = Secrets(digits, self.secrets.key, self.secrets.links)
            _write(self.data, changed)
            self.secrets = changed

    def one_time_token(self) -> str:
        """A token that opens one operator session within the hour: for the console's link."""
        token = secrets.token_urlsafe(18)
        with self._lock:
            self._once[token] = time.monotonic() + ONE_TIME_S
        return token

    def spend_one_time(self, token: str) -> bool:
        """True once for each token of `one_time_token`."""
        with self._lock:
            ends = self._once.pop(token, 0.0)
        return time.monotonic() < ends

    def new_session(self) -> str:
        """The cookie of a new operator session."""
        return self._signer().sign(secrets.token_urlsafe(12)).decode()

    def is_session(self, cookie: str | None) -> bool:
        """Is this cookie a running operator session?"""
        if not cookie or len(cookie) > 300 or cookie in self._ended:
            return False
        try:
            self._signer().unsign(cookie, max_age=SESSION_S)
        except BadSignature:
            return False
        return True

    def end_session(self, cookie: str | None) -> None:
        """Logs out: the cookie opens nothing any more."""
        if cookie and self.is_session(cookie):
            self._ended.add(cookie)

    # -- seats

    def seat_token(self, seat: int) -> str:
        """The token in a seat's QR code; whoever has it plays that seat."""
        return self._mac("seat", str(self.secrets.links), str(seat))

    def is_seat(self, seat: int, token: str | None) -> bool:
        """Is this the seat's present token?"""
        given = (token or "").encode()
        return hmac.compare_digest(given, self.seat_token(seat).encode())

    def renew_seat_links(self) -> None:
        """Makes all seat links anew; phones that hold an old one become spectators."""
        with self._lock:
            renewed = Secrets(self.secrets.pin, self.secrets.key, self.secrets.links + 1)
            _write(self.data, renewed)
            self.secrets = renewed

    # -- requests that change something

    def csrf(self, visitor: str) -> str:
        """The token that a page of this visitor sends with every change."""
        return self._mac("csrf", visitor)

    def is_csrf(self, visitor: str | None, token: str | None) -> bool:
        """Does the token belong to the visitor's cookie?"""
        if not visitor or not token:
            return False
        return hmac.compare_digest(token.encode(), self.csrf(visitor).encode())
