"""Enrolment at the table: a deck swept over the scan spot, each tag bound to its card by its number.

Scans in, sentences and bindings out (the command line's `tag enrol` does the same with a reader of its
own). The screen says which card comes next, or which one the tag says it is. On wish each blank tag also
gets its card's record written, and is locked; a tag with somebody else's content is never written over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.errors import CrowntableError
from engine.game import Finding, Game
from host import uid as uids
from host.entry import Json
from host.identity import CardBook
from host.interpret import CROWN
from host.sighting import Inventory, TagRead

#: each tag is scanned so often, and must answer so often, before it is bound
READS = 20
ENOUGH = 18
#: scans in a row without the tag after which it was lifted
GONE = 4
#: the progress is shown at every so many scans
STEP = 4
#: how many of the last bindings a screen shows
LAST = 12

#: by their number only; with the card's record written on them; written and locked for good
Mode = Literal["number", "write", "lock"]
MODES: tuple[Mode, ...] = ("number", "write", "lock")
#: writes a card's record on the tag on the spot: (UID, card, lock) -> what was written, later
Writer = Callable[[str, str, bool], "Future[Any]"]
#: how a tag's `why` begins that nobody has written on
BLANK = "a blank tag"


@dataclass(slots=True)
class _Trial:
    """One tag lying on the spot: how often it has answered, and what was decided about it."""

    tag: TagRead
    scans: int = 0
    reads: int = 0
    misses: int = 0
    decided: bool = False
    card: str = ""
    why: str = ""
    written: Future[Any] | None = None


@dataclass(slots=True)
class Enrolment:
    """A running enrolment. `wanted`: the cards still without a tag, the next one first; `writer` is needed
    where `mode` is not "number"."""

    book: CardBook
    deck: Sequence[str]
    wanted: list[str]
    reader: str
    antenna: int
    zone: str
    mode: Mode = "number"
    writer: Writer | None = None
    bound: list[tuple[str, str, str]] = field(default_factory=list)
    level: str = "wait"
    text: str = ""
    _trial: _Trial | None = None

    def __post_init__(self) -> None:
        self._say("wait", self._next())

    def choose(self, card: str) -> str:
        """The next tag shall be this card: a sentence for the person who said so. Raises
        CrowntableError for a card that is not in this deck."""
        if card not in self.deck:
            raise CrowntableError(f"{card} is no card of this deck.", f"They look like {self.deck[0]}.")
        self.wanted = [card, *(c for c in self.wanted if c != card)]
        self._trial = None
        return self._say("wait", self._next())

    def see(self, scan: Inventory) -> bool:
        """Takes one scan of the spot in. True where a screen should change."""
        writing = self._trial.written if self._trial is not None else None
        if writing is not None:
            return self._writing(writing)
        if not scan.ok:
            return False
        if len(scan.tags) > 1:
            self._trial = None
            return self._changed("warn", f"{len(scan.tags)} tags lie on the spot: leave one.")
        if not scan.tags:
            return self._missed(scan)
        tag, trial = scan.tags[0], self._trial
        if trial is None or trial.tag.uid != tag.uid:
            trial = self._trial = _Trial(tag)
        trial.misses = 0
        if trial.decided:
            return False
        trial.tag = tag
        trial.reads += scan.scans
        return self._count(trial, scan.scans)

    def view(self) -> Json:
        """The `enrolment` of the operator's view (docs/view.md)."""
        trial = self._trial
        lies = None
        if trial is not None:
            lies = {"uid": trial.tag.uid, "reads": min(trial.reads, READS), "of": READS,
                    "done": trial.decided}  # fmt: skip
        return {
            "zone": self.zone,
            "mode": self.mode,
            "card": self.wanted[0] if self.wanted else None,
            "to_go": len(self.wanted),
            "total": len(self.deck),
            "level": self.level,
            "text": self.text,
            "tag": lies,
            "bound": [{"card": c, "uid": u, "text": t} for c, u, t in reversed(self.bound[-LAST:])],
        }

    def _missed(self, scan: Inventory) -> bool:
        trial = self._trial
        if trial is None:
            return self._changed("wait", self._next()) if self.text.endswith("leave one.") else False
        trial.misses += scan.scans
        if trial.misses >= GONE:
            self._trial = None
            if trial.decided:
                return self._changed("wait", self._next()) if self.wanted else False
            text = f"lifted after {trial.reads} of {READS} reads: lay it again and leave it for a second."
            return self._changed("warn", f"The tag was {text}")
        return False if trial.decided else self._count(trial, scan.scans)

    def _count(self, trial: _Trial, scans: int) -> bool:
        before, trial.scans = trial.scans, trial.scans + scans
        if trial.scans < READS:
            return before == 0 or trial.scans // STEP != before // STEP
        trial.decided = True
        self._decide(trial)
        return True

    def _decide(self, trial: _Trial) -> None:
        """Binds the tag, or says why not."""
        tag, answered = trial.tag, min(READS, round(trial.reads * READS / trial.scans))
        card = tag.card if tag.card in self.deck else (self.wanted[0] if self.wanted else None)
        against = self._against(tag, answered, card)
        if against:
            self._say("warn", against)
            return
        assert card is not None
        trial.card, trial.why = card, f"{answered} of {READS} reads"
        if not tag.card and tag.why:
            trial.why += f"; it is {tag.why}" if tag.why.startswith("a") else f"; {tag.why}"
        if self.mode != "number" and self.writer is not None and self._writable(tag):
            trial.written = self.writer(tag.uid, card, self.mode == "lock")
            self._say("wait", f"{card}: writing. Leave the tag where it is.")
            return
        self._bind(trial, "" if tag.card else "known by its number")

    def _writable(self, tag: TagRead) -> bool:
        """Whether this tag is to be written: a blank one, or one that says its card and is to be locked."""
        if tag.card is not None:
            return self.mode == "lock"
        return (tag.why or "").startswith(BLANK)

    def _writing(self, written: Future[Any]) -> bool:
        """The reader writes; True where it has finished."""
        trial = self._trial
        if trial is None or not written.done():
            return False
        trial.written = None
        fault = written.exception()
        if isinstance(fault, CrowntableError):
            self._say("warn", f"{trial.card} is not written: {fault.what} {fault.cure}")
        elif fault is not None:
            self._say("warn", f"{trial.card} is not written: the reader failed. Lay the tag again.")
        else:
            trial.why += "; written and locked" if self.mode == "lock" else "; written"
            self._bind(trial, "")
        return True

    def _bind(self, trial: _Trial, note: str) -> None:
        card, uid = trial.card, trial.tag.uid
        try:
            self.book.bind(card, uid, note)
        except CrowntableError as error:
            self._say("warn", f"{error.what} {error.cure}")
            return
        self.wanted = [c for c in self.wanted if c != card]
        self.bound.append((card, uid, trial.why))
        self._say("ok", f"{card} is bound: {trial.why}. {self._next()}")

    def _against(self, tag: TagRead, answered: int, card: str | None) -> str:
        """Why this tag can't become this card; empty where it can."""
        if not tag.fit or uids.is_random(tag.uid):
            what = tag.why or "a tag whose number changes at every tap"
            return f"This is {what}; it can't be a game card."
        if answered < ENOUGH:
            return (
                f"Weak: it answered {answered} of {READS} times. Lay it flat and still, or take another tag."
            )
        if not tag.certain:
            return "Its content could not be read. Lay it flat and still, or take another tag."
        other = self.book.cards.card_of(tag.uid)
        if other is not None and other != card:
            return f"This tag is {other} already: take another one."
        if tag.card is not None and tag.card not in self.deck:
            return f"This tag says that it is {tag.card}, which is no card of this deck."
        twin = next((u for c, u, _ in self.bound if c == card and u != tag.uid), None)
        if twin is not None:
            return f"A second tag says that it is {card}: take one of the two out of the deck."
        return "" if card is not None else "Every card has its tag already."

    def _next(self) -> str:
        if not self.wanted:
            return "Every card has its tag."
        return f"Lay {self.wanted[0]} on the spot ({len(self.wanted)} to go)."

    def _changed(self, level: str, text: str) -> bool:
        before = (self.level, self.text)
        self._say(level, text)
        return before != (self.level, self.text)

    def _say(self, level: str, text: str) -> str:
        self.level, self.text = level, text
        return text


def deck_of(game: Game) -> list[str]:
    """The ids of all cards of a game, and of its crown where it has one."""
    state = game.initial(game.ruleset())
    for seats in (5, 4, 3, 2):  # as many as the game takes
        action = game.parse(game.setup_action(range(1, seats + 1)))
        if isinstance(action, Finding):
            continue
        verdict = game.apply(state, action)
        if verdict.ok:
            state = verdict.state
            break
    cards = list(getattr(game, "all_cards", game.cards)(state))
    return [*cards, CROWN] if game.name == "althera" else cards
