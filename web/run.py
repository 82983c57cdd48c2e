"""`crowntable run`: the table with its dashboard, until it is told to stop."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import CrowntableError, UsageError
from host.layout import Layout, find_layout
from host.run import Options, Running, default_data
from host.settings import layout_of, load_settings
from host.systemd import notify
from web.addresses import lan_url, qr_terminal
from web.logs import log_to

if TYPE_CHECKING:
    from host.hall.publisher import Publisher
    from web.security import Guard
    from web.server import Server

log = logging.getLogger(__name__)

DEFAULT_LAYOUT = "althera-3"
#: seconds after the last wanted match in which every screen gets its winner
LAST_WORD = 1.0


def run(args: argparse.Namespace) -> int:
    """Runs the table: 0 when stopped or its matches are over, 130 on Ctrl-C; raises CrowntableError."""
    from web.security import operator_pin
    from web.server import serve

    options = _options(args)
    stop = threading.Event()
    heard: list[int] = []

    def hear(number: int, _: object) -> None:
        heard.append(number)
        stop.set()

    # Before anything is opened: a signal in the middle of the start still closes everything.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, hear)
    guard: Guard | None = None
    port = args.port
    while True:
        running = Running(options, lambda names: print(f"winner: {names}", flush=True))
        try:
            if guard is None:
                log_to(options.data)
            publisher = _publisher(args, options, running)
            server = serve(running.table, args.host, port, options.data, guard=guard)
            try:
                running.start()
                if publisher is not None:
                    publisher.start()
                if guard is None:
                    _say(args.host, server, operator_pin(options.data), options)
                guard, port = server.guard, server.port
                notify("READY=1")
                again = _until_stopped(running, stop)
            finally:
                if publisher is not None:
                    publisher.stop()
                server.stop()
        finally:
            running.stop()
        if again is None:
            notify("STOPPING=1")
            return 130 if signal.SIGINT in heard else 0
        # The set-up page has chosen another layout or port: the same program, address and sessions.
        options = again


def _until_stopped(running: Running, stop: threading.Event) -> Options | None:
    """Waits for the end. With what to start anew, None where this was all."""
    while not stop.is_set() and not running.finished.is_set():
        stop.wait(0.2)
        # systemd's watchdog: a table whose thread hangs is restarted, and goes on where it was.
        if running.table.alive():
            notify("WATCHDOG=1")
        again = running.restart()
        if again is not None:
            stop.wait(LAST_WORD)  # every screen is to read why
            return None if stop.is_set() else again
    if running.finished.is_set():
        stop.wait(LAST_WORD)
    return None


def _publisher(args: argparse.Namespace, options: Options, running: Running) -> Publisher | None:
    """What publishes the table to a hall, where one was asked for."""
    url = args.hall or os.environ.get("CROWNTABLE_HALL")
    if not url:
        return None
    from host.hall.account import broker_of, read_account
    from host.hall.publisher import Publisher

    try:
        broker = broker_of(url)
        account = read_account(args.hall_account or options.data / "hall.toml")
        return Publisher(running.table, broker, account, options.data)
    except CrowntableError as error:
        if args.hall:
            raise
        # A machine's settings: a table that was given the wrong file plays without its hall.
        log.error("The table is in no hall. %s %s", error.what, error.cure)
        print(f"The table is in no hall. {error.what} {error.cure}", flush=True)
        return None


def _options(args: argparse.Namespace) -> Options:
    bots = tuple(b for b in (args.bots or "").split(",") if b)
    if not args.virtual and (args.bots or args.chaos or args.matches):
        raise UsageError(
            "Bots, chaos and a number of matches exist at the virtual table only.", "Add --virtual."
        )
    if args.hall_account and not (args.hall or os.environ.get("CROWNTABLE_HALL")):
        raise UsageError(
            "--hall-account says who the table is, not where its hall is.", "Add --hall mqtts://HOST."
        )
    data = args.data or default_data(args.virtual)
    layout = _layout(args.layout, data)
    if len(bots) > len(layout.seats):
        raise UsageError(
            f"{len(bots)} bots are named, but {layout.name} has {len(layout.seats)} seats.",
            "Name at most one a seat; the last one named plays all further seats.",
        )
    return Options(
        layout=layout,
        data=data,
        virtual=args.virtual,
        bots=() if bots == ("none",) else bots or ("greedy",),
        speed=args.speed,
        matches=args.matches,
        chaos=tuple(args.chaos or ()),
        seed=args.seed,
        attract=args.attract,
    )


def _layout(asked: str | None, data: Path) -> Layout:
    """What the start says; else what the set-up page has chosen; else what this machine was installed with.

    A settings file that can't be used doesn't keep the table from starting: its screens say what is wrong."""
    if asked is not None:
        return find_layout(asked)
    with contextlib.suppress(CrowntableError):
        chosen = load_settings(data).layout
        if chosen:
            return layout_of(data, chosen)
    return find_layout(os.environ.get("CROWNTABLE_LAYOUT") or DEFAULT_LAYOUT)


def _say(host: str, server: Server, pin: str, options: Options) -> None:
    """The addresses for people, and a QR code where phones can reach the table."""
    everywhere = host in ("0.0.0.0", "::")
    base = f"http://{'localhost' if everywhere else host}:{server.port}"
    print(f"Crowntable: {options.layout.name}{', virtual' if options.virtual else ''}")
    print(f"  table     {base}/")
    if options.virtual:
        print(f"  cards     {base}/virtual")
    print(f"  operator  {base}{server.operator_path()}   (works once; later the PIN {pin})")
    url = lan_url(host, server.port)
    if url is not None:
        print(f"  phones    {url}")
        if sys.stdout.isatty():
            print(qr_terminal(url))
    print(f"  data      {options.data}   (Ctrl-C stops; the match goes on at the next start)", flush=True)
