"""What a command (host.face.Table.command) asks for: every field checked, whatever JSON comes.

Nothing here raises for anything that a caller can send: what is wrong is an Outcome of one sentence.
"""

from __future__ import annotations

from collections.abc import Callable

from host import decisions
from host.core import Core
from host.entry import Json
from host.face import Outcome, Who
from host.newmatch import begin
from host.setup_commands import FIELDS as SET_UP_FIELDS
from host.setup_commands import NAMES as SET_UP
from host.setup_commands import set_up
from host.typed import one_line, plain

Job = Callable[[], Outcome]

#: longest text of a flag or an announcement, and of anything quoted back
LONGEST, QUOTED = 500, 60


class WrongError(ValueError):
    """A field is missing or of the wrong kind; the text says which, and what belongs there."""


def job_of(core: Core, command: object, who: Who) -> Job | Outcome:
    """The job that a command stands for, or the Outcome that says what is wrong with it."""
    if not isinstance(command, dict):
        return Outcome(False, 'A command is a JSON object: {"cmd": …}.')
    name = command.get("cmd")
    make = _JOBS.get(name) if isinstance(name, str) else None
    try:
        if make is not None:
            return _unknown_field(command, FIELDS[str(name)]) or make(core, command, who)
        if name in SET_UP:
            return _unknown_field(command, SET_UP_FIELDS.get(str(name), ())) or _set_up(core, command, who)
    except WrongError as wrong:
        return Outcome(False, f"The command {name!r} is not complete: {wrong}.")
    known = ", ".join([*_JOBS, *SET_UP])
    return Outcome(False, f"The command {quoted(name)} is not known; there are: {known}.")


def action_of(action: object) -> Json | Outcome:
    """A game action as far as it is one at all: the rules look at the rest."""
    if not isinstance(action, dict):
        return Outcome(False, 'An action is a JSON object: {"do": …}.')
    if action.get("do") == "setup":
        return Outcome(False, "A match is begun by the command new-match, not by an action.")
    return action


def quoted(value: object) -> str:
    """Whatever was sent, short enough to be repeated."""
    text = plain(repr(value) if isinstance(value, str) else str(value))
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}…"


def _unknown_field(command: Json, fields: tuple[str, ...]) -> Outcome | None:
    """A field that is misspelt must not be passed over: what it should have said would be missing."""
    odd = next((key for key in command if key != "cmd" and key not in fields), None)
    if odd is None:
        return None
    has = ", ".join(fields) or "none"
    return Outcome(False, f"The command {command['cmd']!r} has no field {quoted(odd)}; it has {has}.")


def _text(command: Json, key: str, longest: int = LONGEST) -> str:
    value = command.get(key)
    line = one_line(value, longest) if isinstance(value, str) else ""
    if not line:
        raise WrongError(f"{key!r} is missing or is no text")
    return line


def _whole(command: Json, key: str) -> int:
    value = command.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise WrongError(f"{key!r} is missing or is no whole number")
    return value


def _object(command: Json, key: str) -> Json:
    value = command.get(key)
    if not isinstance(value, dict):
        raise WrongError(f"{key!r} is missing or is no object")
    return value


def _answer(core: Core, command: Json, who: Who) -> Job:
    question, answer = _text(command, "question"), _text(command, "answer")
    return lambda: decisions.answer(core, question, answer, who)


def _allow(core: Core, command: Json, who: Who) -> Job:
    seq = _whole(command, "seq")
    return lambda: decisions.allow(core, seq, who)


def _amend(core: Core, command: Json, who: Who) -> Job:
    seq, action = _whole(command, "seq"), _object(command, "action")
    return lambda: decisions.amend(core, seq, action, who)


def _dismiss(core: Core, command: Json, who: Who) -> Job:
    finding = _text(command, "id")
    return lambda: decisions.dismiss(core, finding, who)


def _said(core: Core, command: Json, who: Who) -> Job:
    kind, text = command["cmd"], _text(command, "text")
    return lambda: core.say(kind, text, who)


def _pause(core: Core, command: Json, who: Who) -> Job:
    kind = command["cmd"]

    def job() -> Outcome:
        if core.match is None:
            return Outcome(False, "No match is running.")
        paused = core.match.clock.paused
        if paused == (kind == "pause"):
            return Outcome(False, "The match is paused already." if paused else "The match is not paused.")
        text = "The match is paused." if kind == "pause" else "The match goes on."
        return core.say(kind, text, who)

    return job


def _judge(core: Core, command: Json, who: Who) -> Job:
    seat = int(who.id) if who.kind == "seat" and who.id.isdecimal() else None
    return lambda: core.say(
        "judge", f"{core.words().seat(seat)} asks for a judge." if seat else "A judge is asked for.", who
    )


def _undo(core: Core, command: Json, who: Who) -> Job:
    return lambda: core.undo(who)


def _redo(core: Core, command: Json, who: Who) -> Job:
    return lambda: core.redo(who)


def _new_match(core: Core, command: Json, who: Who) -> Job:
    return lambda: begin(core, command, who)


def _set_up(core: Core, command: Json, who: Who) -> Job:
    needed = {"enrol-card": "card", "cards-import": "text", "layout-own": "text"}.get(command["cmd"])
    if needed is not None:
        _text(command, needed)
    for key in ("zone", "game", "only"):
        if not isinstance(command.get(key) or "", str):
            raise WrongError(f"{key!r} is no text")
    return lambda: set_up(core, command["cmd"], command, who)


_JOBS: dict[str, Callable[[Core, Json, Who], Job]] = {
    "answer": _answer,
    "undo": _undo,
    "redo": _redo,
    "allow": _allow,
    "amend": _amend,
    "dismiss": _dismiss,
    "new-match": _new_match,
    "pause": _pause,
    "resume": _pause,
    "flag": _said,
    "announce": _said,
    "judge": _judge,
}

#: the fields of each command beside `cmd`
FIELDS: dict[str, tuple[str, ...]] = {
    "answer": ("question", "answer"),
    "undo": (),
    "redo": (),
    "allow": ("seq",),
    "amend": ("seq", "action"),
    "dismiss": ("id",),
    "new-match": ("game", "seats", "turns", "first", "ruleset"),
    "pause": (),
    "resume": (),
    "flag": ("text",),
    "announce": ("text",),
    "judge": (),
}
