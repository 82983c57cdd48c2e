"""How a table or a hall gets at its broker: an address that may be seen, and an account that may not.

The password is in a file of its user's alone (0600), made by `crowntable hall config`. It is never an
argument, because every user of a machine sees those, and never in a log.
"""

from __future__ import annotations

import ssl
import stat
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from engine.errors import CrowntableError, UsageError
from host.hall.wire import is_name

_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
_KEYS: Final = frozenset({"name", "password", "label", "ca", "database"})
#: seconds between two signs of life of a quiet connection
KEEPALIVE: Final = 15
#: seconds that an attempt to connect may take
CONNECT: Final = 5.0


@dataclass(frozen=True, slots=True)
class Broker:
    """Where the broker is, and whether it is spoken to through TLS."""

    host: str
    port: int
    tls: bool

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'mqtts' if self.tls else 'mqtt'}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Account:
    """Who speaks: `name` is the user at the broker and, of a table, its name in topics; `label` what
    people call it; `ca` the certificate of a broker that has one of its own making; `database`, of a
    hall, where it keeps what it collects: that address has a password in it too."""

    name: str
    password: str = field(repr=False)
    label: str
    ca: Path | None = None
    database: str = field(default="", repr=False)


def broker_of(url: str) -> Broker:
    """The broker that a URL names. Raises UsageError, also where the URL has a password in it.

    >>> str(broker_of("mqtts://hall.local"))
    'mqtts://hall.local:8883'
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise UsageError(
            "That is no broker's address.", "Write mqtts://HOST:8883, or mqtt://HOST:1883 without TLS."
        )
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "A password in the address can be read by everybody on this machine.",
            "Leave it out: it belongs into the account file (docs/hall.md).",
        )
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise UsageError("A broker's address ends with its port.", "Write mqtts://HOST:8883.")
    return Broker(parts.hostname, port or _PORTS[parts.scheme], parts.scheme == "mqtts")


def read_account(path: Path) -> Account:
    """The account in a TOML file. One that others could read is closed to them first.

    Raises CrowntableError: it is not there, can't be read or closed, a key is missing or unknown."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            # Before the mode is touched: closing somebody's folder, or /dev/null, would lock everybody out.
            raise CrowntableError(f"{path} is no account file.", "Name the file itself, such as t07.toml.")
        if mode & 0o077:
            path.chmod(0o600)
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CrowntableError(
            f"There is no account file {path}.",
            "`crowntable hall config` makes one for each table; copy this table's there.",
        ) from None
    except OSError as error:
        raise CrowntableError(
            f"The account file {path} can't be used: {error.strerror or error}.",
            "It must belong to the user that runs Crowntable.",
        ) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        # Not what the parser says: it quotes the line, and the line may be the password.
        raise CrowntableError(f"The account file {path} is no TOML.", "Copy it again.") from None
    return _account(path, raw)


def _account(path: Path, raw: dict[str, object]) -> Account:
    cure = "Copy the file again as `crowntable hall config` made it."
    unknown = sorted(set(raw) - _KEYS)
    if unknown:
        raise CrowntableError(f"The account file {path} has an unknown key: {unknown[0]}.", cure)
    for key in ("name", "password"):
        if not isinstance(raw.get(key), str) or not raw[key]:
            raise CrowntableError(f"The account file {path} lacks the key {key}.", cure)
    if not is_name(raw["name"]):
        raise CrowntableError(
            f"The account file {path}: name may have small letters, digits and -, at most 32.", cure
        )
    for key in ("label", "ca", "database"):
        if not isinstance(raw.get(key, ""), str):
            raise CrowntableError(f"The account file {path}: {key} is no text.", cure)
    ca = str(raw.get("ca", ""))
    label = " ".join(str(raw.get("label", "")).split())[:60]
    return Account(
        str(raw["name"]),
        str(raw["password"]),
        label or str(raw["name"]),
        path.parent / ca if ca else None,
        str(raw.get("database", "")),
    )


def new_client(broker: Broker, account: Account, ident: str) -> mqtt.Client:
    """A client for one connection, not yet connected: MQTT 5, the account, TLS where it is wanted.

    Raises CrowntableError where the account's certificate file can't be used."""
    client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=ident, protocol=mqtt.MQTTv5)
    client.username_pw_set(account.name, account.password)
    client.connect_timeout = CONNECT
    if broker.tls:
        try:
            client.tls_set(ca_certs=str(account.ca) if account.ca else None)
        except (OSError, ssl.SSLError) as error:
            raise CrowntableError(
                f"The broker's certificate {account.ca} can't be used: {error.strerror or error}.",
                "Copy the file that the broker's keeper gave out, and name it under ca in the account file.",
            ) from None
    return client
