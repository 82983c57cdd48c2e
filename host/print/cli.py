"""`crowntable print`: what a table needs on paper."""

from __future__ import annotations

import argparse
import re
import socket
from collections.abc import Callable
from pathlib import Path

_EPILOG = """\
sheets       a mat for each zone of the layout, in its house's colours
labels       card backs, all alike, and a template for where the tag goes
calibration  the board that the camera is calibrated with
seats        a card a seat with its QR code; a running table's codes need its --data folder

Print at 100 % (actual size); each page has a line of 100 mm to check it.

example:
  crowntable print calibration -o board.pdf
  crowntable print sheets --layout althera-5 -o mats.pdf
"""


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `print`."""
    command = sub.add_parser(
        "print",
        help="mats, card backs, calibration board, seat cards as PDF",
        description="Writes what a table needs on paper as a PDF to scale.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("what", choices=("sheets", "labels", "calibration", "seats"))
    command.add_argument("-o", "--out", type=Path, required=True, metavar="FILE.pdf", help="where to")
    command.add_argument(
        "--layout", default="althera-3", metavar="FILE", help="a layout file or a shipped name"
    )
    command.add_argument(
        "--cards", type=int, default=9, metavar="N", help="how many labels (default 9, a page)"
    )
    command.add_argument(
        "--url", metavar="URL", help="the table's address (default: this machine's, port 8000)"
    )
    command.add_argument(
        "--data", type=Path, metavar="DIR", help="the table's data folder, for the seats' codes"
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carries it out. Raises CrowntableError."""
    from engine.errors import UsageError
    from host.layout import find_layout
    from host.print.pdf import write_pdf

    if args.what == "calibration":
        from host.print.calibration import calibration_pages

        pages = calibration_pages()
    elif args.what == "labels":
        from host.print.labels import label_pages

        if not 1 <= args.cards <= 1000:
            raise UsageError(
                f"--cards {args.cards} is not between 1 and 1000.",
                "A deck of Althera has 24, for example --cards 72 for three; a page holds nine.",
            )
        pages = label_pages(args.cards)
    elif args.what == "sheets":
        from host.print.mats import mat_pages

        pages = mat_pages(find_layout(args.layout))
    else:
        from host.print.seats import seat_pages

        pages = seat_pages(find_layout(args.layout), _links(args))
    write_pdf(args.out, pages, pages[0].title)
    print(f"{args.out}: {len(pages)} page{'' if len(pages) == 1 else 's'}, {pages[0].width:.0f} x "
          f"{pages[0].height:.0f} mm. Print at 100 %.")  # fmt: skip
    return 0


def _links(args: argparse.Namespace) -> Callable[[int], str]:
    """A seat's address. The secret part comes from the topmost room, which alone may see it
    (`seat_path(data, seat)` set beside the command); without it the link opens the seat read-only."""
    from engine.errors import CrowntableError, UsageError
    from host.run import default_data

    if args.url is not None and not re.match(r"https?://[^/\s]+", args.url):
        raise UsageError(f"{args.url!r} is no address of a table.", "Write it as http://192.168.1.20:8000.")
    if args.data is not None and not args.data.is_dir():
        # Made anew it would hold a secret of its own, and the codes would open no seat.
        raise CrowntableError(
            f"There is no folder {args.data}, so no table has codes there.",
            "Name the table's folder with --data DIR; `crowntable run` prints it as it starts.",
        )
    base = (args.url or f"http://{own_address()}:8000").rstrip("/")
    path: Callable[[Path, int], str] | None = getattr(args, "seat_path", None)
    data = args.data or default_data(virtual=False)
    return lambda seat: base + (path(data, seat) if path is not None else f"/seat/{seat}")


def own_address() -> str:
    """This machine's IPv4 address towards the LAN, its name where it has none. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # A datagram socket only picks a route; 192.0.2.1 is reserved for documents.
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return f"{socket.gethostname()}.local"
