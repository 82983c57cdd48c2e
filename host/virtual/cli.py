"""Commands of the stand-ins: `crowntable virtual pn532`."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import CrowntableError
from host.virtual.pn532_faults import FAULTS

if TYPE_CHECKING:
    from host.virtual.pn532 import VirtualPn532
    from host.virtual.tags import Tag

_EPILOG = """\
commands, one a line on standard input:
  place WHAT      lay a tag on: the number, name, UID or file of a --tag, another file, or card:ID
  lift WHAT       take it off (without WHAT: all of them)
  list            what lies there
  fault NAME [N]  something breaks, for N commands or until mended: see below
  mend [NAME]     it works again
  unplug, plug    the cable
  quit            the end (the end of the input is not: stop it with Ctrl-C)

faults:
{faults}

example:
  crowntable virtual pn532 --tag card.bin &
  LIBNFC_DEVICE=pn532_uart:/dev/pts/3 nfc-list
"""


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `virtual pn532`."""
    virtual = sub.add_parser(
        "virtual",
        help="devices that are not there, at the wire",
        description="Stand-ins that speak a device's real protocol: for tests, demos and development.",
        epilog="example: crowntable virtual pn532 --tag card.bin",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = virtual.add_subparsers(dest="kind", metavar="KIND", required=True)
    pn532 = kinds.add_parser(
        "pn532",
        help="an NFC reader on a pseudo-terminal",
        description="A PN532 on a pseudo-terminal; its path is the first line of the output. The tags "
        "given lie on it from the start.",
        epilog=_EPILOG.format(faults="\n".join(f"  {name:<11} {what}" for name, what in FAULTS.items())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    pn532.add_argument(
        "--tag", action="append", default=[], metavar="FILE", type=Path,
        help="a tag: the bytes of an NDEF message, or the pages of a tag (raw, hex or JSON dump)",
    )  # fmt: skip
    pn532.add_argument("--link", metavar="PATH", type=Path, help="a steady path, kept over unplug and plug")
    pn532.add_argument("--delays", action="store_true", help="take the time that line and radio take")
    pn532.add_argument("--seed", type=int, default=0, help="of the noise (0)")
    pn532.set_defaults(run=_run_pn532)


def _run_pn532(args: argparse.Namespace) -> int:
    from host.virtual import tags
    from host.virtual.pn532 import VirtualPn532

    known = [(path, tags.load(path)) for path in args.tag]
    chip = VirtualPn532(args.link, delays=args.delays, seed=args.seed)
    signal.signal(signal.SIGTERM, _terminate)
    chip.start()
    try:
        for _, tag in known:
            chip.place(tag)
        print(chip.path, flush=True)
        for line in sys.stdin:
            try:
                answer = _obey(chip, known, line.split())
            except CrowntableError as fault:
                print(f"{fault.what} {fault.cure}", file=sys.stderr, flush=True)
                continue
            if answer is None:
                return 0
            print(answer, flush=True)
        while True:
            signal.pause()
    finally:
        chip.stop()


def _terminate(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def _obey(chip: VirtualPn532, known: list[tuple[Path, Tag]], words: list[str]) -> str | None:
    """Carries one command out; the line to print, None to end. Raises CrowntableError."""
    match words:
        case []:
            return ""
        case ["quit"]:
            return None
        case ["place"]:
            for _, tag in known:
                chip.place(tag)
            return _listing(chip)
        case ["place", what]:
            tag = _tag(known, what)
            chip.place(tag)
            return f"placed {tag.name} {tag.uid}"
        case ["lift"]:
            chip.clear()
            return "lifted all"
        case ["lift", what]:
            tag = _tag(known, what)
            chip.lift(tag)
            return f"lifted {tag.name} {tag.uid}"
        case ["list"]:
            return _listing(chip)
        case ["fault", name]:
            chip.fault(name)
            return f"fault {name}"
        case ["fault", name, times] if times.isdigit():
            chip.fault(name, int(times))
            return f"fault {name} {times}"
        case ["mend"]:
            chip.mend()
            return f"mended {chip.path}"
        case ["mend", name]:
            chip.mend(name)
            return f"mended {name}"
        case ["unplug"]:
            chip.unplug()
            return "unplugged"
        case ["plug"]:
            chip.plug()
            return f"plugged {chip.path}"
    raise CrowntableError(f"{' '.join(words)} is no command here.", "See crowntable virtual pn532 --help.")


def _listing(chip: VirtualPn532) -> str:
    return "lying there: " + (", ".join(f"{tag.name} {tag.uid}" for tag in chip.tags) or "nothing")


def _tag(known: list[tuple[Path, Tag]], what: str) -> Tag:
    """A tag by number, name, UID, file or card id; a new one is remembered. Raises CrowntableError."""
    from host.virtual import tags

    for number, (path, tag) in enumerate(known, 1):
        if what in (str(number), tag.name, str(path), path.name) or what.upper() == tag.uid:
            return tag
    card = what.removeprefix("card:")
    path = Path(what)
    tag = tags.make_card_tag(card) if card != what else tags.load(path)
    known.append((path, tag))
    return tag
