"""`crowntable hall config`: what Mosquitto needs for a hall, and an account for each table.

Nothing of ours runs in the broker: a configuration, a password file and an access list are all.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import json
import os
import secrets
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.errors import CrowntableError, UsageError
from engine.whole import write_whole
from host.hall.account import read_account
from host.hall.publisher import WINDOW
from host.hall.wire import HALLS, MOST, TABLES, WRITTEN

#: most tables that one configuration is made for; docs/scale.md says what comes after one broker
MOST_TABLES: Final = 10_000
#: the user that collects
HALL: Final = "hall"
#: the broker's certificate and key: copies, for a broker that runs as a user of its own reads neither what
#: only its maker may read nor anything in a home
CERT: Final = "cert.pem"
KEY: Final = "key.pem"
#: what stands in a folder of ours from the first moment on
_OURS: Final = frozenset({"tables", "state", "hall.toml"})
#: rounds of PBKDF2, as mosquitto_passwd 2.0 does it; the passwords are random, not chosen by people
_ROUNDS: Final = 101


@dataclass(frozen=True, slots=True)
class Tls:
    """The broker's certificate and its key, and the certificate that tables should trust (None: one
    that every machine trusts already)."""

    cert: Path
    key: Path
    ca: Path | None = None


def table_names(number: int) -> list[str]:
    """The tables' names, in the width that sorts them.

    >>> table_names(3), table_names(40)[-1]
    (['t1', 't2', 't3'], 't40')
    """
    width = len(str(number))
    return [f"t{n:0{width}}" for n in range(1, number + 1)]


def _grown(accounts: Path, tables: int) -> list[str]:
    """The names of so many tables, and of all that have an account already: those keep the name on the
    account that is out, also where more tables would be written with more digits."""
    known = {int(path.stem[1:]): path.stem for path in accounts.glob("t*.toml") if path.stem[1:].isdecimal()}
    fresh = dict(enumerate(table_names(tables), 1))
    return [name for _, name in sorted((fresh | known).items())]


def password_line(user: str, password: str, salt: bytes | None = None) -> str:
    """A user's line of Mosquitto's password file: PBKDF2 with SHA-512 (`$7$`)."""
    salt = salt or os.urandom(12)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ROUNDS)
    coded = (base64.b64encode(part).decode() for part in (salt, digest))
    return f"{user}:$7${_ROUNDS}${'$'.join(coded)}"


def access_list() -> str:
    """Who may do what. A pattern's %u is the user, so that a table reaches its own topics only."""
    rules = [f"user {HALL}"]
    rules += [f"topic read {TABLES}/+/{leaf}" for leaf in WRITTEN]
    rules += [f"topic write {TABLES}/+/ack", f"topic readwrite {HALLS}/+/here", ""]
    rules += [f"pattern write {TABLES}/%u/{leaf}" for leaf in WRITTEN]
    rules += [f"pattern read {TABLES}/%u/ack", f"pattern read {HALLS}/+/here"]
    return "\n".join(rules) + "\n"


def configuration(folder: Path, tables: int, port: int, address: str, tls: bool) -> str:
    """Mosquitto's configuration, for 2.0.11 (Debian 12) and later."""
    lines = [
        "# Made by `crowntable hall config`. Start with: mosquitto -c mosquitto.conf",
        f"listener {port} {address}".rstrip(),
        *([f"certfile {folder / CERT}", f"keyfile {folder / KEY}"] if tls else []),
        "allow_anonymous false",
        f"password_file {folder / 'passwords'}",
        f"acl_file {folder / 'access'}",
        "# The retained views outlive a restart. Nothing else must: tables send again what the hall's",
        "# database does not have.",
        "persistence true",
        f"persistence_location {folder / 'state'}/",
        "autosave_interval 60",
        "# What may wait for a hall that is slow for a moment: every table's window, and its views.",
        f"max_queued_messages {max(2000, tables * (WINDOW + 8))}",
        "max_inflight_messages 1000",
        f"max_packet_size {MOST}",
        "set_tcp_nodelay true",
        "connection_messages false",
        "log_dest stderr",
        "log_type error",
        "log_type warning",
        "log_type notice",
    ]
    return "\n".join(lines) + "\n"


def make_config(
    folder: Path,
    tables: int,
    port: int | None = None,
    address: str = "",
    tls: Tls | None = None,
    word: str = "Table",
) -> list[str]:
    """Writes everything into `folder`, and returns the tables' names; people read `word` and a number.
    Accounts that are there already keep their names and passwords, so that a hall can grow.

    Raises CrowntableError where the folder can't be written or the certificate is none; UsageError for a
    number of tables, an address that is none, a folder of somebody else's."""
    if not 1 <= tables <= MOST_TABLES:
        raise UsageError(f"{tables} is no number of tables.", f"Give 1 to {MOST_TABLES}.")
    if address and not _is_address(address):
        raise UsageError(f"{address!r} is no address.", "Write it in numbers: --address 192.168.1.10.")
    folder = folder.absolute()
    pems = _pems(tls) if tls else {}
    try:
        _own(folder)
        for part in (folder, folder / "tables", folder / "state"):
            part.mkdir(parents=True, exist_ok=True)
            part.chmod(0o700)
        names = _grown(folder / "tables", tables)
        for name, text in pems.items():
            write_whole(folder / name, text, private=True)
        lines = [_user(folder / "hall.toml", HALL, "The hall", pems.get("ca.pem"))]
        for name in names:
            label = f"{word} {int(name[1:])}"
            lines.append(_user(folder / "tables" / f"{name}.toml", name, label, pems.get("ca.pem")))
        write_whole(folder / "passwords", "\n".join(lines) + "\n", private=True)
        write_whole(folder / "access", access_list(), private=True)
        port = port or (8883 if tls else 1883)
        text = configuration(folder, len(names), port, address, bool(tls))
        write_whole(folder / "mosquitto.conf", text, private=True)
        if os.geteuid() == 0:
            secret = [name for name in pems if name != "ca.pem"]
            _hand_over(folder, ("mosquitto.conf", "passwords", "access", "state", *secret))
    except OSError as error:
        raise CrowntableError(
            f"The hall's files can't be written to {folder}: {error.strerror or error}.",
            "Give another folder with -o.",
        ) from None
    return names


def _pems(tls: Tls) -> dict[str, str]:
    """File name in our folder -> what stands in it. Raises CrowntableError for files that no broker, or no
    table, could use."""
    found = {CERT: _text(tls.cert), KEY: _text(tls.key)}
    cure = "docs/hall.md shows how to make one."
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.cert, tls.key, password="")
    except (OSError, ValueError):
        raise CrowntableError(f"{tls.cert} is no certificate that {tls.key} is the key of.", cure) from None
    if tls.ca is not None:
        found["ca.pem"] = _text(tls.ca)
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(tls.ca)
        except (OSError, ValueError):
            raise CrowntableError(f"{tls.ca} is no certificate.", cure) from None
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        why = "is not there" if isinstance(error, FileNotFoundError) else f"can't be read: {error.strerror}"
        raise CrowntableError(f"The file {path} {why}.", "docs/hall.md shows how to make one.") from None
    except UnicodeDecodeError:
        raise CrowntableError(f"The file {path} is no PEM.", "docs/hall.md shows how to make one.") from None


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _own(folder: Path) -> None:
    """Raises UsageError where the folder has somebody else's things in it: it will be closed to others, which
    must not happen to /etc or to a home."""
    if folder.is_dir() and (inside := {path.name for path in folder.iterdir()}) and not inside & _OURS:
        raise UsageError(
            f"The folder {folder} has other things in it.", "Give a new one with -o: it is closed to others."
        )


def _user(path: Path, name: str, label: str, ca: str | None) -> str:
    """Makes a user's account file where it is missing, with the certificate that it trusts beside it, and
    returns the line for the password file."""
    known = read_account(path) if path.exists() else None
    password = known.password if known else secrets.token_urlsafe(24)
    label = known.label if known else label
    keys = {"name": name, "label": label, "password": password}
    if known and known.database:
        keys["database"] = known.database
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in keys.items()]
    if ca is not None:
        write_whole(path.parent / "ca.pem", ca, private=True)
        lines.append('ca = "ca.pem"  # beside this file')
    write_whole(path, "\n".join(lines) + "\n", private=True)
    return password_line(name, password)


def _hand_over(folder: Path, names: Sequence[str]) -> None:
    """Made by root: the broker, which Debian runs as `mosquitto`, may read what is the broker's."""
    import grp

    try:
        group = grp.getgrnam("mosquitto").gr_gid
    except KeyError:
        return  # no Mosquitto on this machine: the files will be copied to the one that has it
    os.chown(folder, -1, group)
    folder.chmod(0o750)
    for name in names:
        path = folder / name
        os.chown(path, -1, group)
        path.chmod(0o770 if path.is_dir() else 0o640)
