"""What people type for others to read: names, flags, announcements. They stand in the middle of sentences of
ours, on everybody's screen and on paper."""

from __future__ import annotations

import unicodedata

#: what joins letters of some scripts and the parts of a picture character; of itself it shows nothing
JOINERS = "\u200c\u200d"


def plain(text: str) -> str:
    """A text that every file and database takes: halves of characters are replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def one_line(text: str, longest: int) -> str:
    """`text` as one line of at most `longest` characters, "" where nothing of it would be seen.

    Characters that show nothing but turn the writing of the whole line round, hide it or cut it short
    (U+202E, U+0000 and their kind) are left out.

    >>> one_line(" Ada\\n\\u202e Lovelace\\x00", 60)
    'Ada Lovelace'
    """
    spaced = "".join(" " if unicodedata.category(c) == "Cc" else c for c in plain(text) if not _turns(c))
    line = " ".join(spaced.split())[:longest].rstrip()
    return line if line.strip(JOINERS + " ") else ""


def lines(text: str) -> str:
    """`text` as lines, each as `one_line` leaves it, however a browser or a program ends them; without empty
    ones at its beginning and end.

    >>> lines(" one\\r\\n\\r\\ntwo\\u202e  words\\n ")
    'one\\n\\ntwo words'
    """
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(one_line(row, len(row)) for row in rows).strip("\n")


def _turns(character: str) -> bool:
    return unicodedata.category(character) == "Cf" and character not in JOINERS
