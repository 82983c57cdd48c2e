"""What people said of a match: one short answer a phone, kept beside the records.

An answer is a file of its own, `DATA/feedback/m3/<id>.json`, written whole and synced, so that a pulled
plug costs none and a deleted one is gone. Its id is a hash of the phone's own secret and the match: it says
whether a phone has answered this match, and not which answers of other matches are the same phone's.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import os
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from engine.errors import CrowntableError
from engine.whole import write_whole
from host.typed import lines

Json = dict[str, Any]
#: whether a match takes answers: it goes on, it does, it no longer does
Window = Literal["running", "open", "closed"]
log = logging.getLogger(__name__)

FOLDER: Final = "feedback"
#: the questions and the words at their ends, as one number: answers to other ones are not averaged with these
FORM: Final = 1
SCALES: Final = ("fun", "clear", "tension", "fair", "length")
#: points of a scale; of `length` the middle is best, of all others the highest
POINTS: Final = 5
#: characters of the free text
LONGEST: Final = 1000
#: answers that are kept of one match: many more than sit and stand round a table
MOST: Final = 60
#: seconds after its end for which a match takes answers; the newest ended match takes them longer
OPEN_S: Final = 48 * 3600.0

_MATCH: Final = re.compile(r"m[0-9]{1,9}", re.ASCII)
_ID: Final = re.compile(r"[0-9a-f]{20}")


@dataclass(frozen=True, slots=True)
class Moment:
    """A place on a match's time line: the journal's `seq` of the action, whether that play alone or the
    whole `duel` that it began is meant; and what the record said of it then: the action's number `n` from 1,
    the match's `clock` in seconds, one sentence. Number and sentence are 0 and "" where it wasn't read."""

    kind: Literal["play", "duel"]
    seq: int
    n: int = 0
    clock: float = 0.0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """What a person gave: a point from 1 to 5 for any of SCALES, a text, the seat they say (or, `by_link`,
    have shown by their seat's link) was theirs, a moment. `language`: the one in which they were asked."""

    scales: Mapping[str, int]
    text: str = ""
    seat: int | None = None
    by_link: bool = False
    moment: Moment | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it is kept. `match`, `started` (Unix seconds), `game`, `ruleset` (its name) and
    `ruleset_hash` (as match records have it) say what it is about; `at` when it was last changed (Unix
    seconds); `form` which questions were asked."""

    id: str
    match: str
    started: float
    game: str
    ruleset: str
    ruleset_hash: str
    at: int
    form: int
    said: Said


def answers(folder: Path, match: str | None = None) -> list[Answer]:
    """Every answer in a table's data folder, or those about match `m3`, oldest first. Works beside a running
    table; there are none where there is no such folder. Raises CrowntableError where it can't be read."""
    return read(folder, match)[0]


def read(folder: Path, match: str | None = None) -> tuple[list[Answer], list[Path]]:
    """`answers`, and the files beside them that should hold one and do not."""
    sound, broken = list[Answer](), list[Path]()
    for path in _files(folder / FOLDER, match):
        try:
            answer = _answer(path)
        except FileNotFoundError:  # deleted this moment
            continue
        if answer is None:
            broken.append(path)
        else:
            sound.append(answer)
    return sorted(sound, key=lambda one: (one.started, one.match, one.at, one.id)), broken


def window(rows: Sequence[Json], match: str, now: float) -> tuple[Window, float | None]:
    """Whether a match takes answers, and until when (Unix seconds; None where no hour is set).

    `rows` are those of `host.face.Table.matches`, newest first. A match takes them for OPEN_S after its end,
    which is the next match's beginning where it was left; the last that ended however long ago that was: a
    clock that was wrong (F51) then shuts nobody out. Raises KeyError where there is no such match."""
    ended = False
    later: float | None = None
    for row in rows:
        end = row["ended"] if row["ended"] is not None else later
        later = row["started"]
        if row["id"] == match:
            if end is None:
                return "running", None
            if not ended:
                return "open", None
            return ("open" if now <= end + OPEN_S else "closed"), end + OPEN_S
        ended = ended or end is not None
    raise KeyError(match)


def said(scales: Mapping[str, int], text: str, **more: Any) -> Said:
    """What a person gave, cleaned. Raises CrowntableError: nothing in it, too long, no point of a scale."""
    plain = lines(text)
    if len(plain) > LONGEST:
        raise CrowntableError(
            f"Your text has {len(plain)} characters; {LONGEST} is the most.",
            "Shorten it, then send it again.",
        )
    if any(name not in SCALES or not 1 <= point <= POINTS for name, point in scales.items()):
        raise CrowntableError("That is no point of a scale.", "Load the page again and choose once more.")
    given = Said(dict(scales), plain, **more)
    if not scales and not plain and given.moment is None:
        raise CrowntableError(
            "There is nothing in this answer yet.", "Choose on a scale, write something or pick a moment."
        )
    return given


class Feedback:
    """The answers of one table. Safe to call from any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._writing = threading.Lock()
        for half in (folder / FOLDER).glob("m*/.*.new"):  # written when the power went
            with contextlib.suppress(OSError):
                half.unlink()

    def mine(self, secret: str, row: Json) -> Answer | None:
        """The answer that the phone with this secret gave to a match (its `row` of Table.matches)."""
        if not secret:
            return None
        try:
            return _answer(self._path(row["id"], _ident(secret, row)))
        except FileNotFoundError:
            return None

    def keep(self, secret: str, row: Json, given: Said, now: float) -> Answer:
        """Keeps an answer in the place of the one this phone gave before; it is on the disk when this
        returns. Raises CrowntableError where the disk takes nothing, or the match has all it may have."""
        ident = _ident(secret, row)
        path = self._path(row["id"], ident)
        ruled = (str(row["game"]), str(row.get("ruleset", "")), str(row.get("ruleset_hash", "")))
        answer = Answer(ident, row["id"], row["started"], *ruled, int(now), FORM, given)
        with self._writing:
            if not path.exists() and sum(1 for _ in path.parent.glob("*.json")) >= MOST:
                raise CrowntableError(
                    f"This match has {MOST} answers already; more are not kept.", "Tell the host in person."
                )
            try:
                _folder(path.parent)
                write_whole(
                    path, json.dumps(asdict(answer), ensure_ascii=False, indent=1) + "\n", private=True
                )
            except OSError as error:
                log.error("an answer to %s was not kept: %s", row["id"], error.strerror)
                full = error.errno in (errno.ENOSPC, errno.EDQUOT)
                why = "the table's disk is full" if full else (error.strerror or "the disk failed").lower()
                raise CrowntableError(
                    f"Your answer could not be kept: {why}.",
                    "What you wrote is still here: tell the host, then send it again.",
                ) from None
        return answer

    def forget(self, ident: str) -> bool:
        """Deletes the answer of this id; False where there is none. Raises CrowntableError where the disk
        doesn't let go of it."""
        if not _ID.fullmatch(ident):
            return False
        with self._writing:
            found = next((self.folder / FOLDER).glob(f"m*/{ident}.json"), None)
            if found is None:
                return False
            try:
                found.unlink()
                _sync(found.parent)
            except FileNotFoundError:
                return False
            except OSError as error:
                raise CrowntableError(
                    f"The answer could not be deleted: {(error.strerror or 'the disk failed').lower()}.",
                    "Tell the host; try again once the disk can be written.",
                ) from None
        return True

    def _path(self, match: str, ident: str) -> Path:
        return self.folder / FOLDER / match / f"{ident}.json"


def _ident(secret: str, row: Json) -> str:
    """What a phone's answer to a match is called. The start is in it: another journal has another m3."""
    text = f"{secret}\x1f{row['id']}\x1f{row['started']}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]


def _folder(folder: Path) -> None:
    """Makes the folder, the one above first, so that each is on the disk before something lies in it."""
    for one in (folder.parent, folder):
        if not one.is_dir():
            one.mkdir(mode=0o700, exist_ok=True)
            _sync(one.parent)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _files(folder: Path, match: str | None) -> Sequence[Path]:
    try:
        names = [match] if match is not None else [place.name for place in folder.iterdir()]
        rooms = [folder / name for name in names if _MATCH.fullmatch(name) and (folder / name).is_dir()]
        return [path for room in rooms for path in sorted(room.iterdir()) if path.suffix == ".json"]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CrowntableError(
            f"The answers in {folder} can't be read: {error.strerror}.",
            "Make the folder readable for this user.",
        ) from None


def _answer(path: Path) -> Answer | None:
    """The answer in a file; None for a file that holds none. Raises FileNotFoundError."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return answer_of(kept)
    except FileNotFoundError:
        raise
    except (
        OSError,
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        log.warning("%s is no answer: %s", path.name, type(error).__name__)
        return None


def answer_of(kept: Json) -> Answer:
    """The inverse of `dataclasses.asdict`. Raises ValueError, TypeError, AttributeError, ArithmeticError or
    LookupError for what is no answer."""
    told = kept["said"]
    scales = {name: point for name, point in told["scales"].items() if name in SCALES}
    if any(type(point) is not int or not 1 <= point <= POINTS for point in scales.values()):
        raise ValueError("no point of a scale")
    where = told["moment"]
    moment = None
    if where is not None:
        kind: Literal["play", "duel"] = "duel" if where["kind"] == "duel" else "play"
        moment = Moment(kind, int(where["seq"]), int(where["n"]), float(where["clock"]), str(where["text"]))
    seat = None if told["seat"] is None else int(told["seat"])
    given = Said(scales, str(told["text"]), seat, bool(told["by_link"]), moment, str(told["language"]))
    about = (str(kept["id"]), str(kept["match"]), float(kept["started"]), str(kept["game"]))
    ruled = (str(kept["ruleset"]), str(kept["ruleset_hash"]))
    return Answer(*about, *ruled, int(kept["at"]), int(kept["form"]), given)
