"""What a starting table takes up from its journal, also where a failing disk has damaged some of it."""

from __future__ import annotations

from host.journal import Journal
from host.match import Match


def recalled(journal: Journal, newest: int, game: str) -> tuple[Match | None, list[int]]:
    """The match that goes on, and the seqs of its entries that can't be read and are left out.

    `newest`: the seq of the last `match` entry, 0 for none. None for the match where there is none, where
    it is of another game than `game` (it stays in the records), or where the entry that began it is itself
    damaged. Raises CrowntableError where the match's game or ruleset is not known here."""
    if not newest:
        return None, []
    damaged = journal.damaged(match=newest)
    entries = list(journal.read(match=newest))
    if not entries or entries[0].seq != newest or entries[0].body.get("game") != game:
        return None, damaged if newest in damaged else []
    match = Match(entries[0])
    for entry in entries[1:]:
        try:
            match.fold(entry)
        except (KeyError, TypeError, ValueError, AttributeError):
            # JSON still, but not what was written: as good as unreadable.
            damaged.append(entry.seq)
    return match, sorted(damaged)


def damage_words(damaged: list[int]) -> str:
    """The sentence that says so to the people at the table."""
    one = len(damaged) == 1
    what = f"entry {damaged[0]}" if one else f"{len(damaged)} entries"
    left_out = "it is left out" if one else "they are left out"
    return (
        f"The disk gives {what} of this match back damaged; {left_out}. "
        "Compare the screen with the table and correct it by hand; then check the memory card."
    )
