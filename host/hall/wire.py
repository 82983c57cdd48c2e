"""What travels between tables, broker and hall: topics, names, and the public form of an entry.

    crowntable/table/<table>/view     retained  the spectators' View, docs/view.md
    crowntable/table/<table>/events             one entry a message, in order, `public_entry`
    crowntable/table/<table>/health   retained  {"state": "here" | "gone", …}; the last will says "gone"
    crowntable/table/<table>/ack      retained  the hall's: {"journal", "upto", "session", "again"}
    crowntable/hall/<hall>/here       retained  a hall collects now: {"session"}; empty once it does not

The broker acknowledges what it holds in memory, so that alone a killed broker would lose messages that
were acknowledged. Therefore the hall says up to which entry its *database* has everything (`ack`), and
a table sends again what comes after that.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

import orjson

Json = dict[str, Any]

ROOT: Final = "crowntable"
TABLES: Final = f"{ROOT}/table"
HALLS: Final = f"{ROOT}/hall"
#: what a table writes; `ack` is all that it reads of its own
WRITTEN: Final = ("view", "events", "health")
#: largest message in bytes that a hall looks at, and that the generated broker lets through
MOST: Final = 256 * 1024
#: longest text of an entry that travels, in characters
LONGEST: Final = 2000

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}", re.ASCII)

#: kinds of entries whose sentence spectators read at the table too
_SAID: Final = frozenset(
    ["match", "action", "undo", "redo", "amend", "allow", "answer", "device", "flag", "announce", "judge",
     "pause", "resume", "dismiss", "notice"]
)  # fmt: skip
#: what of an entry's body a record needs; everything else stays at the table
_BODIES: Final[dict[str, tuple[str, ...]]] = {
    "match": ("game", "ruleset", "ruleset_sha256", "seats", "number"),
    "action": ("allows",),
    "undo": ("target",),
    "redo": ("target",),
    "amend": ("target",),
    "answer": ("question", "answer"),
    "withdrawn": ("question",),
    "dismiss": ("ids",),
}
#: a question without its words and answers, for whoever folds the entries
_UNSAID: Final[Json] = {"text": "", "seats": [], "answers": [], "card": None, "zone": None, "about": ""}


class Address(NamedTuple):
    """Which table's topic, and which of them (`view`, `events`, `health`, `ack`)."""

    table: str
    leaf: str


def is_name(text: object) -> bool:
    """May a table or hall be called that? Small letters, digits and `-`, at most 32.

    >>> is_name("t007"), is_name("T7"), is_name("a/b"), is_name("+"), is_name("")
    (True, False, False, False, False)
    """
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def topic(table: str, leaf: str) -> str:
    """The topic of a table.

    >>> topic("t007", "view")
    'crowntable/table/t007/view'
    """
    return f"{TABLES}/{table}/{leaf}"


def address(text: str) -> Address | None:
    """The inverse of `topic`; None for what is no table's.

    >>> address("crowntable/table/t007/view"), address("crowntable/hall/x/here")
    (Address(table='t007', leaf='view'), None)
    """
    parts = text.split("/")
    if len(parts) != 4 or f"{parts[0]}/{parts[1]}" != TABLES or not is_name(parts[2]):
        return None
    return Address(parts[2], parts[3])


def pack(value: Any) -> bytes:
    """JSON for the wire; half characters, which UTF-8 does not take, are replaced."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:  # half a character, or a whole number of more than 64 bits
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def unpack(payload: bytes | bytearray) -> Json | None:
    """The object in a message; None for anything else, however it came about. Its texts are such that
    every database takes them, its numbers finite."""
    if not payload or len(payload) > MOST:
        return None
    try:
        # Refuses halves of characters and what is no number; of its own accord, so nothing is left to do.
        value = orjson.loads(payload)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict):
        return None
    return _clean(value) if b"\\u0000" in payload else value


def _clean(value: Any) -> Any:
    """Without NUL, which no database takes."""
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, list):
        return [_clean(one) for one in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(one) for key, one in value.items()}
    return value


def public_entry(entry: Json) -> Json:
    """What of an entry (docs/view.md) leaves the table: what spectators may know, and what a record of
    the match is made from. Evidence (it names tags) and the words of questions stay at the table.

    Every entry goes, if only as its number and kind, so that a hall can prove that none is missing."""
    kind = entry["kind"]
    body = entry.get("body") or {}
    return {
        "seq": entry["seq"],
        "kind": kind,
        "at": entry["at"],
        "mono": entry["mono"],
        "boot": entry["boot"],
        "match": entry["match"],
        "who": entry["who"],
        "action": entry["action"],
        "ok": entry["ok"],
        "findings": entry["findings"],
        "text": entry["text"][:LONGEST] if kind in _SAID else "",
        "body": _UNSAID if kind == "question" else {k: body[k] for k in _BODIES.get(kind, ()) if k in body},
    }
