"""Enrolment: is the tag that lies on the reader fit to be this card?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from host import ndef
from host import uid as uids
from host.cardlist import CardList
from host.nfc.chip import Chip
from host.nfc.scan import Seen, by_number_only, look_at

#: each tag is asked so often, and must answer so often, before it is bound
READS = 20
ENOUGH = 18
_ISO_DEP = 0x20


@dataclass(frozen=True, slots=True)
class Judged:
    """A tag's fitness. `card`: the one to bind it to, None where it must not be bound; `why` in words.

    `answered` of READS polls; `carries`: the card id of a valid record on it; `foreign`: somebody
    else's content is on it, so that it may be bound by its number but not written over unasked."""

    uid: str
    card: str | None
    why: str
    answered: int = READS
    carries: str | None = None
    foreign: bool = False


def judge(chip: Chip, seen: Seen, wanted: str, cards: CardList, deck: Collection[str]) -> Judged:
    """Whether `seen` can be `wanted`, or, where its record says so, another card of the `deck`.

    Asks the tag READS times. Raises ReaderError."""
    uid = seen.target.uid
    if seen.target.sak & _ISO_DEP or uids.is_random(uid):
        return Judged(uid, None, f"{seen.why}: can't be a game card")
    card = seen.card if seen.card in deck else wanted
    other = cards.card_of(uid)
    if other is not None and (other, card) != (wanted, wanted):
        return Judged(uid, None, f"this tag is {other} already: take another one", carries=seen.card)
    answered = sum(any(t.uid == uid for t in chip.inventory()) for _ in range(READS))
    if answered < ENOUGH:
        why = f"weak: answered {answered} of {READS} times; lay it flat and still, or take another tag"
        return Judged(uid, None, why, answered, seen.card)
    foreign = seen.message is not None and seen.card is None and bool(seen.message.records)
    what = ndef.kind_of(seen.message) if foreign and seen.message is not None else ""
    note = f"carries something of somebody else's ({what}), so it is known by its number only"
    if by_number_only(seen.target):
        note = f"is {seen.why}"
    if not foreign and not by_number_only(seen.target):
        note = ""
    why = f"{answered} of {READS} reads" + (f"; it {note}" if note else "")
    return Judged(uid, card, why, answered, seen.card, foreign)


def alone(chip: Chip, key: bytes | None = None) -> Seen | str | None:
    """The one tag on the reader; None when none lies there; a sentence when it is more than one."""
    targets = chip.inventory()
    if not targets:
        return None
    if len(targets) > 1:
        return f"{len(targets)} tags lie on the reader: leave one"
    return look_at(chip, targets[0], key)
