"""This folder's command: `crowntable hall`, and the measurement `crowntable bench hall`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

#: most letters of what people call the hall, or a table
LONGEST: Final = 60


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command; what it needs is imported when it runs."""
    hall = sub.add_parser(
        "hall",
        help="many tables on one screen",
        description="Shows a hall of tables, and collects their matches, from an MQTT 5 broker.",
        epilog=(
            "example: crowntable hall config --tables 40 -o hall\n"
            "         crowntable hall --broker mqtt://127.0.0.1 --account hall/hall.toml --host 0.0.0.0"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    hall.add_argument(
        "--broker", default="mqtt://127.0.0.1", metavar="URL", help="mqtts://HOST or mqtt://HOST"
    )
    hall.add_argument("--account", type=Path, metavar="FILE", help="its own (default: hall.toml in --data)")
    hall.add_argument("--db", metavar="URL", help="postgresql+pg8000://… (default: a file in --data)")
    hall.add_argument(
        "--schedule", type=Path, metavar="CSV", help="the day's (default: schedule.csv in --data)"
    )
    hall.add_argument("--name", type=_words, default="", help="what stands above the tables")
    hall.add_argument("--port", type=_port, default=8080, help="0 takes a free one (default 8080)")
    hall.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets screens in (default 127.0.0.1)")
    hall.add_argument("--data", type=Path, metavar="DIR", help="where PIN, log and a small database live")
    hall.set_defaults(run=_run)
    parts = hall.add_subparsers(metavar="COMMAND")
    config = parts.add_parser(
        "config",
        help="a broker's configuration and an account for each table",
        description="Writes what Mosquitto needs, and an account for the hall and for each table.",
        epilog="example: crowntable hall config --tables 40 -o hall --cert c.pem --key k.pem --ca c.pem",
    )
    config.add_argument("--tables", type=int, required=True, metavar="N", help="how many tables")
    config.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="where to")
    config.add_argument("--port", type=_port, default=None, help="the broker's (default 1883, with TLS 8883)")
    config.add_argument("--address", default="", help="listen on this address only (default: on all)")
    config.add_argument(
        "--word", type=_words, default="Table", help='what people call a table (default: "Table")'
    )
    config.add_argument("--cert", type=Path, metavar="FILE", help="the broker's certificate, for TLS")
    config.add_argument("--key", type=Path, metavar="FILE", help="its key")
    config.add_argument("--ca", type=Path, metavar="FILE", help="whom tables trust, if of your own making")
    config.set_defaults(run=_config)
    records = parts.add_parser(
        "records",
        help="the collected matches as files for replay and the lab",
        description="Writes each collected match as a file that replay, export and the lab read.",
        epilog="example: crowntable hall records -o matches",
    )
    records.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="where to")
    records.add_argument("--db", metavar="URL", help="as for the hall")
    records.add_argument("--account", type=Path, metavar="FILE", help="as for the hall")
    records.add_argument("--data", type=Path, metavar="DIR", help="as for the hall")
    records.set_defaults(run=_records)


def _run(args: argparse.Namespace) -> int:
    from web.hall.run import run

    return run(args)


def _config(args: argparse.Namespace) -> int:
    from web.hall.run import config

    return config(args)


def _records(args: argparse.Namespace) -> int:
    from web.hall.run import records

    return records(args)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; ports are 0 to 65535")
    return int(text)


def _words(text: str) -> str:
    """What stands on screens and in files: one line that can be shown, as other bytes than UTF-8 can't."""
    line = " ".join(text.split())
    if not line.isprintable() or len(line) > LONGEST:
        raise argparse.ArgumentTypeError(
            f"{text!r} can't be shown; give at most {LONGEST} letters on one line"
        )
    return line
