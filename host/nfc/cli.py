"""`crowntable tag read|write|enrol|list`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import CrowntableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from host.cardlist import CardList
    from host.nfc.chip import Chip
    from host.nfc.enrol import Judged
    from host.nfc.scan import Seen

_READER_HELP = "tty:AMA0:pn532, usb, or a device path such as /dev/serial/by-id/..."
_SHOWN = 60


def register(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds `tag` and its four commands."""
    tag = sub.add_parser(
        "tag",
        help="read, write and enrol the cards' tags",
        description="Looks at tags, writes cards on them, and binds a deck card by card.",
        epilog="example: crowntable tag read --reader tty:AMA0:pn532",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = tag.add_subparsers(dest="what", metavar="COMMAND", required=True)
    _add_read(commands)
    _add_write(commands)
    _add_enrol(commands)
    listing = _command(
        commands, "list", "the card list", "Prints which tag is which card.", "crowntable tag list --json"
    )
    listing.add_argument("--cards", type=Path, default=Path("cards.csv"), help="the card list (cards.csv)")
    listing.add_argument("--json", action="store_true", help="one JSON document on stdout")
    listing.set_defaults(run=_run_list)


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    help_text: str,
    text: str,
    example: str,
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=help_text,
        description=text,
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_read(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    read = _command(
        commands,
        "read",
        "what the tags on a reader are",
        "Waits for a tag and says what it is and what is on it; nothing of it is kept.",
        "crowntable tag read --reader usb --json",
    )
    read.add_argument("--reader", required=True, metavar="PATH", help=_READER_HELP)
    read.add_argument("--json", action="store_true", help="one JSON line a tag on stdout")
    read.add_argument("--wait", type=float, default=10.0, metavar="S", help="seconds to wait for a tag (10)")
    read.add_argument("--key", type=Path, metavar="FILE", help="checks signatures with this key")
    read.set_defaults(run=_run_read)


def _add_write(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    write = _command(
        commands,
        "write",
        "a card onto a tag",
        "Writes a card (or the bytes of any NDEF message) onto the one tag that lies on the reader, "
        "reads it back and compares.",
        "crowntable tag write --reader usb --card cremisi/cavalry/1 --lock",
    )
    write.add_argument("--reader", required=True, metavar="PATH", help=_READER_HELP)
    what = write.add_mutually_exclusive_group(required=True)
    what.add_argument("--card", metavar="ID", help="the card's id")
    what.add_argument("--ndef", type=Path, metavar="FILE", help="a file with an NDEF message")
    write.add_argument("--url", help="the address that a phone opens (the table's page of the card)")
    write.add_argument("--key", type=Path, metavar="FILE", help="signs: binds the card to this tag")
    write.add_argument("--overwrite", action="store_true", help="even if something else is on it")
    write.add_argument("--lock", action="store_true", help="for good: it can never be written again")
    write.add_argument("--wait", type=float, default=10.0, metavar="S", help="seconds to wait for a tag (10)")
    write.add_argument("--json", action="store_true", help="one JSON document on stdout")
    write.set_defaults(run=_run_write)


def _add_enrol(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    enrol = _command(
        commands,
        "enrol",
        "a deck, card by card",
        "Says which card to lay on the reader, reads it 20 times, binds its tag in the card list and "
        "goes on with the next. Weak, foreign and doubled tags are said at once. Cards that are in "
        "the list already are left out, so it can be stopped with Ctrl-C and gone on with later.",
        "crowntable tag enrol --reader usb --game althera --only cremisi/ --write",
    )
    enrol.add_argument("--reader", required=True, metavar="PATH", help=_READER_HELP)
    enrol.add_argument("--cards", type=Path, default=Path("cards.csv"), help="the card list (cards.csv)")
    enrol.add_argument("--game", default="althera", help="whose cards (althera)")
    enrol.add_argument("--only", default="", metavar="TEXT", help="cards whose id begins so")
    enrol.add_argument("--again", action="store_true", help="also cards that are in the list")
    enrol.add_argument("--write", action="store_true", help="writes the card onto blank tags, too")
    enrol.add_argument("--wait", type=float, metavar="S", help="gives up after so long without a tag")
    enrol.add_argument("--json", action="store_true", help="one JSON line a tag on stdout")
    enrol.set_defaults(run=_run_enrol)


# -- read ---------------------------------------------------------------------------------------


def _run_read(args: argparse.Namespace) -> int:
    from host.nfc.scan import look_at

    with _Opened(args.reader) as chip:
        targets = _wait_for(chip, args.wait)
        key = _key(args.key)
        for target in targets:
            report = _report(chip, look_at(chip, target, key))
            print(json.dumps(report) if args.json else _told(report), flush=True)
    return 0


def _wait_for(chip: Chip, seconds: float) -> list[Any]:
    until = time.monotonic() + seconds
    while True:
        if targets := chip.inventory():
            # Another tag may be on its way down: one more look gets both.
            return sorted(chip.inventory() or targets, key=lambda target: target.uid)
        if time.monotonic() >= until:
            raise CrowntableError(
                "No tag answered.", "Lay it flat on the middle of the antenna; try another tag to compare."
            )
        time.sleep(0.05)


def _report(chip: Chip, seen: Seen) -> dict[str, Any]:
    """What the contract promises of a tag, as JSON."""
    from host.nfc.scan import Pages
    from host.nfc.write import chip_name

    target = seen.target
    if seen.layout is not None:
        kind = chip_name(Pages(chip, target.uid))
    elif target.sak & 0x20:
        kind = "ISO 14443-4"
    else:
        kind = "MIFARE Classic" if target.sak else "Type 2 tag"
    records = seen.message.records if seen.message is not None else ()
    return {
        "uid": target.uid,
        "type": kind,
        "records": [
            {"type": r.type, "content": r.content if r.content is not None else _payload(r.payload)}
            | ({"damage": r.damage} if r.damage else {})
            for r in records
        ],
        "card": seen.card,
        "why": seen.why,
    }


def _payload(payload: bytes) -> str:
    return payload.decode("ascii") if payload.isascii() and payload else payload.hex()


def _told(report: dict[str, Any]) -> str:
    lines = [f"{report['uid']}  {report['type']}  {report['card'] or report['why']}"]
    for record in report["records"]:
        content = " ".join(str(record["content"]).split())
        content = content if len(content) <= _SHOWN else content[: _SHOWN - 1] + "…"
        damage = f"  ({record['damage']})" if "damage" in record else ""
        lines.append(f"  {record['type'] or 'empty record'}: {_plain(content)}{damage}")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """A stranger's text without what would drive a terminal."""
    return "".join(ch if ch.isprintable() else "?" for ch in text)


# -- write --------------------------------------------------------------------------------------


def _run_write(args: argparse.Namespace) -> int:
    from host import ndef
    from host.nfc.write import write_message

    key = _key(args.key)
    with _Opened(args.reader) as chip:
        targets = _wait_for(chip, args.wait)
        if len(targets) > 1:
            raise CrowntableError(f"{len(targets)} tags lie on the reader.", "Leave the one to write.")
        uid = targets[0].uid
        if args.ndef is not None:
            message = _file(args.ndef)
            if (fault := ndef.parse(message).damage) is not None:
                raise CrowntableError(f"{args.ndef} is no NDEF message: {fault}.", "Give another file.")
        elif key is not None:
            message = ndef.encode_card(args.card, args.url, uid=uid, key=key)
        else:
            message = ndef.encode_card(args.card, args.url)
        done = write_message(chip, uid, message, lock=args.lock, overwrite=args.overwrite)
    if args.json:
        print(json.dumps({"uid": done.uid, "bytes": done.bytes, "locked": done.locked, "card": args.card}))
    else:
        print(f"{done.uid}: {done.bytes} bytes written and read back{', locked' if done.locked else ''}")
    return 0


# -- enrol --------------------------------------------------------------------------------------


def _run_enrol(args: argparse.Namespace) -> int:
    from host import cardlist

    deck = _deck(args.game, args.only)
    cards = cardlist.load(args.cards)
    wanted = [card for card in deck if args.again or cards.uid_of(card) is None]
    bound = 0
    if wanted:
        with _Opened(args.reader) as chip:
            _prompt(wanted)
            for seen in _laid(chip, args.wait):
                cards, done = _enrol_one(chip, args, seen, wanted[0], cards, deck)
                if done is not None:
                    bound += 1
                    wanted = [card for card in wanted if card != done]
                    if not wanted:
                        break
                    _prompt(wanted)
    if wanted:
        raise CrowntableError("No tag came for too long.", "Start it again: it goes on where it stopped.")
    _say(f"{bound} cards enrolled in {args.cards}; every card has its tag.")
    return 0


def _prompt(wanted: list[str]) -> None:
    _say(f"Lay {wanted[0]} on the reader ({len(wanted)} to go).")


def _enrol_one(
    chip: Chip, args: argparse.Namespace, seen: Seen, wanted: str, cards: CardList, deck: Sequence[str]
) -> tuple[CardList, str | None]:
    """Binds the tag if it is fit: the list with it (saved), and the card that it became."""
    from host import cardlist
    from host.nfc.enrol import judge

    judged = judge(chip, seen, wanted, cards, deck)
    if judged.card is None:
        _tell(args, judged)
        return cards, None
    note = "" if judged.carries else "known by its number"
    if args.write and not judged.carries and not judged.foreign and seen.layout is not None:
        try:
            _write_card(chip, judged.uid, judged.card)
            note = ""
        except CrowntableError as fault:
            _say(f"{judged.uid} is not written: {fault.what} {fault.cure}")
            return cards, None
    cards = cards.bind(judged.card, judged.uid, note)
    cardlist.save(args.cards, cards)
    _tell(args, judged)
    return cards, judged.card


def _write_card(chip: Chip, uid: str, card: str) -> None:
    from host import ndef
    from host.nfc.write import write_message

    write_message(chip, uid, ndef.encode_card(card))


def _laid(chip: Chip, wait: float | None) -> Iterator[Seen]:
    """Each tag once, as it is laid down alone; ends after `wait` seconds without any."""
    from host.nfc.enrol import alone

    last: str | None = None
    told = ""
    quiet_since = time.monotonic()
    while wait is None or time.monotonic() - quiet_since < wait:
        seen = alone(chip)
        if seen is None:
            last, told = None, ""
        elif isinstance(seen, str):
            if seen != told:
                _say(seen)
            told = seen
        elif seen.target.uid != last:
            last = seen.target.uid
            yield seen
            quiet_since = time.monotonic()
        time.sleep(0.05)


def _tell(args: argparse.Namespace, judged: Judged) -> None:
    if args.json:
        told = {"uid": judged.uid, "card": judged.card, "why": judged.why, "answered": judged.answered}
        print(json.dumps(told), flush=True)
    else:
        print(f"{judged.uid}  {judged.card or 'NOT BOUND'}  {judged.why}", flush=True)


def _deck(game_name: str, only: str) -> list[str]:
    """The ids of a game's cards. Raises CrowntableError for an unknown game or an empty choice."""
    from engine.game import Finding
    from engine.games import game_named

    game = game_named(game_name)
    ruleset = game.ruleset()
    state = game.initial(ruleset)
    for seats in (5, 4, 3, 2):  # as many as the game takes
        action = game.parse(game.setup_action(range(1, seats + 1)))
        if isinstance(action, Finding):
            continue
        verdict = game.apply(state, action)
        if verdict.ok:
            state = verdict.state
            break
    ids = list(getattr(game, "all_cards", game.cards)(state))
    chosen = [card for card in ids if card.startswith(only)]
    if not chosen:
        raise CrowntableError(f"No card of {game_name} begins with {only!r}.", f"They look like {ids[:3]}.")
    return chosen


# -- list and odds and ends ---------------------------------------------------------------------


def _run_list(args: argparse.Namespace) -> int:
    from host import cardlist

    if not args.cards.exists():
        raise CrowntableError(
            f"There is no card list {args.cards}.", "Name it with --cards; `crowntable tag enrol` begins one."
        )
    cards = cardlist.load(args.cards)
    if args.json:
        print(json.dumps([{"card": e.card, "uid": e.uid, "note": e.note} for e in cards.entries]))
        return 0
    for entry in cards.entries:
        print(f"{entry.card:<28} {entry.uid:<14} {entry.note}".rstrip())
    print(f"{len(cards.entries)} cards in {args.cards}")
    return 0


class _Opened:
    """A reader for one command; its faults come out as CrowntableError."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._chip: Chip | None = None

    def __enter__(self) -> Chip:
        from host.nfc.chip import open_chip
        from host.nfc.faults import ReaderError

        try:
            self._chip = open_chip(self._path)
        except ReaderError as fault:
            raise fault.for_user() from fault
        return self._chip

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        from host.nfc.faults import ReaderError

        if self._chip is not None:
            self._chip.close()
        if isinstance(fault, ReaderError):
            raise fault.for_user() from fault


def _key(path: Path | None) -> bytes | None:
    return None if path is None else _file(path).strip()


def _file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise CrowntableError(f"{path} can't be read ({fault.strerror}).", "Check its name.") from fault


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
