"""`crowntable hall`: collects from the broker and shows the hall, until it is told to stop."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import parse_qs, urlsplit

from engine.errors import CrowntableError, UsageError
from host.face import Table
from host.hall.account import Account, broker_of, read_account
from host.hall.board import Board
from host.hall.broker import Tls, make_config
from host.hall.collector import Collector
from host.hall.day import read_schedule
from host.hall.store import Store, StoreError, sqlite_url
from host.systemd import notify
from web.addresses import lan_url
from web.hall.pages import Hall, hall_pages
from web.logs import log_to

if TYPE_CHECKING:
    from web.server import Server


#: seconds for which one thread keeps the interpreter while others wait. Python's own 5 ms are long for the
#: one that takes messages in: it lets go of the interpreter three times a message, and making a record is
#: tens of milliseconds of work
SWITCH_S: Final = 0.0005


def default_data() -> Path:
    """Where a hall keeps its PIN, its log and, a small one, its database."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "crowntable" / "hall"


def database_of(given: str | None, account: Account | None, data: Path) -> str:
    """The database's address: from the command line, else from the account file, else a file in `data`.

    Raises UsageError where a password was given on the command line."""
    if given is not None:
        try:
            parts = urlsplit(given)
            secret = parts.password is not None or any("pass" in key.lower() for key in parse_qs(parts.query))
        except ValueError:
            secret = False
        if secret:
            raise UsageError(
                "A password on the command line can be read by everybody on this machine.",
                'Put the address into the account file instead: database = "postgresql+pg8000://…".',
            )
        return given
    if account is not None and account.database:
        return account.database
    return sqlite_url(data)


def run(args: argparse.Namespace) -> int:
    """Runs a hall server: 0 when stopped, 130 on Ctrl-C; raises CrowntableError."""
    from web.server import serve

    data: Path = args.data or default_data()
    broker = broker_of(args.broker)
    account = read_account(args.account or data / "hall.toml")
    if args.schedule is not None:
        read_schedule(args.schedule)  # what is wrong with it is said now; later on the page
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CrowntableError(
            f"The folder {data} can't be used: {error.strerror or error}.", "Give another one with --data."
        ) from None
    stop = threading.Event()
    heard: list[int] = []

    def hear(number: int, _: object) -> None:
        heard.append(number)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, hear)
    store = Store(database_of(args.db, account, data))
    log_to(data, "hall.log")
    sys.setswitchinterval(SWITCH_S)
    board = Board(args.name)
    collector = Collector(broker, account, store, board)
    schedule = args.schedule or data / "schedule.csv"
    pages = hall_pages(Hall(board, store, collector, schedule, usual=args.schedule is None))
    # A hall has no hands and takes no actions: its pages ask it for no more than the board has.
    server = serve(cast(Table, board), args.host, args.port, data, pages=pages)
    try:
        board.start(collector.troubles)
        collector.start()
        _say(args.host, server, str(broker), data)
        notify("READY=1")
        while not stop.wait(1.0):
            if collector.alive():
                notify("WATCHDOG=1")
    finally:
        notify("STOPPING=1")
        collector.stop()
        board.stop()
        server.stop()
        store.close()
    return 130 if signal.SIGINT in heard else 0


def _say(host: str, server: Server, broker: str, data: Path) -> None:
    everywhere = host in ("0.0.0.0", "::")
    base = f"http://{'localhost' if everywhere else host}:{server.port}"
    print(f"Crowntable: the hall at {broker}")
    print(f"  tables    {base}/")
    print(f"  screen    {base}/screen")
    print(f"  the day   {base}/day")
    pin = server.guard.secrets.pin
    print(f"  staff     {base}{server.operator_path()}   (works once; later the PIN {pin})")
    url = lan_url(host, server.port)
    if url is not None:
        print(f"  phones    {url}")
    print(f"  data      {data}   (Ctrl-C stops; the tables keep what happens meanwhile)", flush=True)


def config(args: argparse.Namespace) -> int:
    """Writes a broker's configuration and the accounts."""
    if (args.cert is None) != (args.key is None):
        raise UsageError("--cert and --key belong together.", "Give both, or none for a broker without TLS.")
    if args.ca is not None and args.cert is None:
        raise UsageError("--ca says whom tables trust: it needs --cert and --key.", "Give all three.")
    tls = Tls(args.cert, args.key, args.ca) if args.cert else None
    names = make_config(args.output, args.tables, args.port, args.address, tls, args.word)
    folder = args.output.absolute()
    # Debian puts it where only root looks.
    program = "mosquitto" if shutil.which("mosquitto") else "/usr/sbin/mosquitto"
    print(f"broker    {program} -c {shlex.quote(str(folder / 'mosquitto.conf'))}")
    print(f"hall      crowntable hall --broker URL --account {shlex.quote(str(folder / 'hall.toml'))}")
    print(f"tables    {folder / 'tables'}: {names[0]}.toml to {names[-1]}.toml, one for each table")
    print("          crowntable run --hall URL --hall-account THAT-FILE")
    if tls is None:
        print("Without TLS whoever is on this network can read the passwords: docs/hall.md, --cert.")
    return 0


def records(args: argparse.Namespace) -> int:
    """Writes every collected match as a file that `replay`, `export` and the lab read."""
    data: Path = args.data or default_data()
    path = args.account or data / "hall.toml"
    account = read_account(path) if args.account or path.exists() else None
    store = Store(database_of(args.db, account, data), make=False)
    number = 0
    try:
        args.output.mkdir(parents=True, exist_ok=True)
        for table, journal, match, text in store.texts():
            (args.output / f"{table}-{journal[:8]}-m{match}.jsonl").write_text(text, encoding="utf-8")
            number += 1
    except OSError as error:
        raise CrowntableError(
            f"The records can't be written to {args.output}: {error.strerror or error}.",
            "Give another folder with -o.",
        ) from None
    except StoreError as error:
        raise CrowntableError(f"The database does not answer: {error}.", "Try again when it does.") from None
    finally:
        store.close()
    print(f"{number} matches in {args.output}", file=sys.stderr)
    return 0
