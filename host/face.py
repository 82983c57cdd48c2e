"""The host's public face: all that the web may see of the table.

Everything here is safe to call from any thread. Views and commands are plain JSON so that a page, an
API client and a test see the same thing. The View's exact shape is in docs/view.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from engine.game import Audience
from host.feedback import Feedback

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Who:
    """Who did it, for the record: a device, a seat at its own page, the operator, a stand-in player."""

    kind: Literal["device", "seat", "operator", "bot", "table"]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a command once it was committed (or refused, then nothing was written).

    `ok`: it took effect. `text`: one sentence for the person who gave it. `findings`: the rules'
    remarks, JSON as in contracts/referee.md. `seq`: the journal's entry, None where none was made."""

    ok: bool
    text: str
    findings: tuple[Json, ...] = ()
    seq: int | None = None


class Replay(Protocol):
    """A match to be looked at again, step by step; docs/view.md has the shapes."""

    def summary(self) -> Json:
        """What the match was, and all its steps, events and duels, without the views."""

    def views(self, first: int, count: int) -> list[Json]:
        """The spectator's Views after steps `first` (from 1) to `first + count - 1`."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A match that was opened: its replay, None while it is still being read or where it can't be.
    `trouble`: one sentence on what is wrong with the record, which then ends where it could be read."""

    replay: Replay | None
    trouble: str = ""


class VirtualWorld(Protocol):
    """What `/virtual` shows and moves: the people's cards and dice of the virtual table. It shows
    hidden hands by design, so it exists only in `--virtual` runs and says so on its page."""

    def state(self) -> Json:
        """{"bots": bool, "zones": [{"id", "kind", "seat", "cards": [card id…]}], "hands": {"1": [card
        id…]}, "decks": {"1": 14}, "dice": {"1": {"colour", "face"|null, "rolling"}}, "crown": zone id |
        null, "devices": [{"id", "plugged"}], "chaos": [names], "troubles": [{"name", "happens",
        "instead"}]}"""

    def do(self, command: Json) -> Outcome:
        """{"move": card id, "to": zone id | "hand" | "pile"}, {"crown": zone id}, {"throw": seat,
        "face": 1..6 | null}, {"unplug": device} / {"plug": device}, {"chaos": name, "on": bool}"""


class Workshop(Protocol):
    """What the set-up and health pages ask of a table that has devices: everything here is the operator's."""

    def facts(self) -> Json:
        """{"layouts": [{"name", "game", "seats", "zones", "readers", "cameras", "own"} | {"name", "wrong"}],
        "layout": the one in use, "ports": {device: where}, "plain_ports": the layout's own, "serial":
        [{"port", "what"}], "cameras": [sources found], "writers": [readers that can write],
        "deck": [every card's id]}"""

    def look(self, camera: str) -> Json | None:
        """{"picture": data URL, "size": [w, h] of the frame, "moving", "ms", "dice": [{"face", "colour",
        "box": [x, y, w, h] in the frame's pixels, "confidence", "why"}]}; None while there is no picture."""

    def calibrate(self, camera: str) -> Outcome:
        """Calibrates from the frame of now, the printed board lying in the tray; text: the score in words."""

    def cards_csv(self) -> str:
        """The card list as CSV."""

    def checks(self) -> list[Json]:
        """`crowntable doctor`'s lines for the running table: [{"name", "level", "saw", "do"}]."""

    def log(self, find: str = "", level: str = "", before: int | None = None) -> Json:
        """{"lines": [{"n", "at", "level", "name", "text"}], newest first, "more": number or null}; without
        secrets, people's names or tags' numbers."""

    def bundle(self) -> bytes:
        """The zip of `crowntable doctor --bundle`."""


class Table(Protocol):
    """A running table."""

    #: the stand-ins of a `--virtual` run, None on a real table
    virtual: VirtualWorld | None
    #: its devices and files for the set-up and health pages, None where it has none (a test's)
    workshop: Workshop | None
    #: what people said of its matches, None where nobody is asked (a hall)
    feedback: Feedback | None

    def language(self) -> str:
        """The language that the table was set up with, "" where none was chosen."""

    def asking(self) -> bool:
        """Whether its screens ask how a match was (setup-asking)."""

    def is_set_up(self) -> bool:
        """Whether the set-up page has been walked, or the table is in use without: a virtual one is."""

    def view(self, audience: Audience) -> Json:
        """The View for one audience, as last published (never ahead of what is on disk)."""

    def public_state(self) -> tuple[Any, Any, Json]:
        """The game (engine.game.Game), its state, and the state's JSON; (None, None, {}) before any match."""

    def version(self) -> int:
        """Grows by at least one whenever any view may have changed."""

    def listen(self, changed: Callable[[int], None]) -> Callable[[], None]:
        """Calls `changed(version)` (from the table's thread: return at once) after each publication;
        returns the function that stops it."""

    def act(self, action: Json, who: Who) -> Outcome:
        """A game action as in contracts/referee.md ({"do": …}; may carry "force": true). Blocks until
        committed (at most 5 s; then an Outcome that says so)."""

    def command(self, command: Json, who: Who) -> Outcome:
        """What is not a game action:
        {"cmd": "answer", "question": id, "answer": id} · {"cmd": "undo"} · {"cmd": "redo"} ·
        {"cmd": "allow", "seq": n} (apply the illegal action of entry n after all) ·
        {"cmd": "amend", "seq": n, "action": {…}} ("it was that card/face") ·
        {"cmd": "dismiss", "id": finding id} · {"cmd": "new-match", "game", "seats": [{"seat", "house",
        "name"}], "turns", "ruleset": {key: value}} · {"cmd": "pause"} · {"cmd": "resume"} ·
        {"cmd": "flag", "text"} · {"cmd": "announce", "text"} · {"cmd": "judge"} (a seat asks for one) ·
        {"cmd": "attract", "on", "after": seconds} (a free table) · {"cmd": "count-anew"} ·
        {"cmd": "setup-asking", "on"} (how a match was) ·
        enrol-start, enrol-card, enrol-stop, zones-start, zones-skip, zones-back, zones-save, zones-stop:
        docs/view.md. Never raises, whatever the JSON."""

    def entries(self, after: int = 0, limit: int = 500) -> list[Json]:
        """Journal entries with seq > `after`, oldest first, each as docs/view.md's Entry."""

    def matches(self, patience: float = 5.0) -> list[Json]:
        """Every match in the journal, newest first, as docs/view.md has it. What took longer than
        `patience` seconds to read says less and has `ready` false. Raises CrowntableError."""

    def replay(self, match: str, patience: float = 5.0) -> Opened | None:
        """Match `m12` to be looked at again; None where there is none. Worked out beside the table,
        and waited for at most `patience` seconds. Raises CrowntableError."""

    def export(self, match: str, to: str) -> str | None:
        """The record of match `m12` as `jsonl`, `csv`, `text` or `html`; None where there is none.
        Raises CrowntableError where it is damaged."""

    def sheet(self, match: str) -> Any | None:
        """The score sheet of match `m12` (engine.records.sheets.Sheet); None and errors as `export`."""

    def preview_undo(self) -> Json:
        """{"text": what undo would take back, "changes": [sentences]} without doing it."""
