"""Entry: the journal's line. What was decided at the table, by whom, on what evidence, in which order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from host.face import Who

Json = dict[str, Any]

#: `match`: a new match begins (body: game, ruleset, seats); `action`: a game action and the rules'
#: verdict on it; `undo`, `redo`, `amend`, `allow`: corrections; `question`, `answer`, `withdrawn`:
#: what the table could not decide alone; `device`: one came or went; `pause`, `resume`, `flag`,
#: `announce`, `judge`, `dismiss`: what people said; `notice`: what the table said; `boot`: a start.
EntryKind = Literal[
    "match", "action", "undo", "redo", "amend", "allow", "question", "answer", "withdrawn", "device",
    "pause", "resume", "flag", "announce", "judge", "dismiss", "notice", "boot",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. `seq` counts from 1 without gaps; `wall` is Unix seconds as the clock then said (it may
    be wrong at boot, F51), `mono` monotonic seconds of this `boot`; `match` the match it belongs to
    (the seq of its `match` entry, 0 before any). `action`, `ok`, `findings` are the action's; `body`
    is what else the kind carries; `evidence` the settled events behind it."""

    seq: int
    kind: EntryKind
    wall: float
    mono: float
    boot: str
    match: int
    who: Who
    action: Json | None = None
    ok: bool | None = None
    findings: tuple[Json, ...] = ()
    evidence: tuple[Json, ...] = ()
    text: str = ""
    body: Json = field(default_factory=dict)

    def to_json(self) -> Json:
        """The entry as docs/view.md has it."""
        return {
            "seq": self.seq,
            "kind": self.kind,
            "at": self.wall,
            "mono": self.mono,
            "boot": self.boot,
            "match": self.match,
            "who": {"kind": self.who.kind, "id": self.who.id},
            "action": self.action,
            "ok": self.ok,
            "findings": list(self.findings),
            "evidence": list(self.evidence),
            "text": self.text,
            "body": self.body,
        }
