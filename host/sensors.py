"""The sensors' own trace: every sighting as it came, so that an evening can be judged again by the
tracker and the interpreter, also with other thresholds (`crowntable replay MATCH --from-sensors`).

A file for each start of the table (and for each layout, where zones were set up anew), JSON lines: a
header with layout and boot, then a line a sighting with the number of the last entry before it. Tags'
numbers are replaced by others made from them with a secret of that start: a trace shows which reads
were the same tag, and nothing about a stranger's. The trace is a help, not the record: it is not
synced, has an upper size, and the table goes on without it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from engine.errors import CrowntableError
from host import decisions
from host.core import Clocks, Core
from host.entry import Entry
from host.journal import Journal, matches_of, read_entries
from host.layout import Layout, parse_layout, to_toml
from host.match import Line, Match
from host.newmatch import begin_again
from host.sighting import DiceFrame, DieSeen, Health, Inventory, Press, Sighting, TagRead

log = logging.getLogger(__name__)

FORMAT = 1
#: the largest trace of one start, and how many older ones are kept
MOST_BYTES = 48 * 2**20
KEPT = 4
#: a disk with less room than this gets no trace
ROOM = 200 * 2**20


class SensorLog:
    """Writes one start's trace. Says once in the log why it stopped, if it did."""

    def __init__(self, folder: Path, layout: Layout, boot: str, started: float, after: int = 0) -> None:
        self.layout = layout
        self._folder, self._boot, self._started = folder, boot, started
        self._secret = secrets.token_bytes(16)
        self._file: IO[str] | None = None
        self._written = 0
        self._strangers: dict[str, str] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for old in sorted(folder.glob("*.jsonl"))[: -KEPT or None]:
                old.unlink()
            if shutil.disk_usage(folder).free < ROOM:
                log.warning("no sensor trace: the disk has little room")
                return
            path = folder / f"{int(started):012d}-{after:07d}-{boot[:8]}.jsonl"
            self._file = path.open("w", encoding="utf-8")
            head = {"format": FORMAT, "boot": boot, "layout": to_toml(layout), "name": layout.name}
            self._put(head | {"after": after})
        except OSError as error:
            self._stop(f"no sensor trace: {error.strerror}")

    def add(self, sighting: Sighting, after: int) -> None:
        """One sighting, taken in after entry `after`."""
        if self._file is None:
            return
        if isinstance(sighting, Inventory) and sighting.tags:
            sighting = replace(sighting, tags=tuple(map(self._masked, sighting.tags)))
        try:
            self._put({"after": after, "is": type(sighting).__name__, **self._nameless(sighting)})
            if self._written > MOST_BYTES:
                self._stop("the sensor trace has reached its upper size")
        except OSError as error:
            self._stop(f"the sensor trace ends: {error.strerror}")

    def _nameless(self, sighting: Sighting) -> dict[str, Any]:
        """The sighting's fields, with made-up numbers for tags that are no cards of ours: nothing of
        phones and bank cards is kept, and yet one is told from another."""
        row = asdict(sighting)
        for tag in row.get("tags", ()):
            if tag["card"] is None and tag["why"] is not None:
                tag["uid"] = self._strangers.setdefault(tag["uid"], f"stranger-{len(self._strangers) + 1}")
        return row

    def again(self, layout: Layout, after: int) -> SensorLog:
        """The trace from now on, after entry `after`, under another layout; this one is closed."""
        self.close()
        return SensorLog(self._folder, layout, self._boot, self._started, after)

    def _masked(self, tag: TagRead) -> TagRead:
        digest = hashlib.blake2b(tag.uid.encode(), key=self._secret, digest_size=7)
        return replace(tag, uid=digest.hexdigest().upper())

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._stop("")

    def _put(self, row: dict[str, Any]) -> None:
        assert self._file is not None
        self._written += self._file.write(json.dumps(row, separators=(",", ":")) + "\n")

    def _stop(self, why: str) -> None:
        if why:
            log.warning("%s", why)
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                log.warning("the sensor trace's last lines are lost: %s", error.strerror)


@dataclass(frozen=True, slots=True)
class Trace:
    """A read trace: the boot it belongs to, the layout then, (last entry before it, sighting), and the
    entry after which it begins."""

    boot: str
    layout: Layout
    sightings: tuple[tuple[int, Sighting], ...]
    after: int = 0


def read_trace(path: Path) -> Trace:
    """A trace file; a torn last line is left out. Raises CrowntableError for what is none."""
    try:
        with path.open(encoding="utf-8") as file:
            head = json.loads(file.readline())
            if not isinstance(head["layout"], str) or not isinstance(head["name"], str):
                raise TypeError("its first line names no layout")
            layout = parse_layout(head["layout"], head["name"])
            after = head.get("after", 0)
            return Trace(head["boot"], layout, tuple(_lines(file)), after if isinstance(after, int) else 0)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CrowntableError(f"{path} is no sensor trace: {error}.", "Traces lie in DATA/sensors.") from None


def _lines(file: IO[str]) -> Iterator[tuple[int, Sighting]]:
    for line in file:
        try:
            row = json.loads(line)
        except ValueError:
            return
        if not isinstance(row, dict) or not isinstance(after := row.pop("after"), int):
            raise TypeError("a line is no sighting")
        yield after, _sighting(row.pop("is"), row)


def _sighting(kind: str, row: dict[str, Any]) -> Sighting:
    match kind:
        case "Inventory":
            return Inventory(**row | {"tags": tuple(TagRead(**tag) for tag in row["tags"])})
        case "DiceFrame":
            dice = tuple(DieSeen(**die | {"box": tuple(die["box"])}) for die in row["dice"])
            return DiceFrame(**row | {"dice": dice})
        case "Press":
            return Press(**row)
        case "Health":
            return Health(**row | {"facts": tuple(tuple(fact) for fact in row["facts"])})
    raise ValueError(f"a sighting of kind {kind!r}")


@dataclass(frozen=True, slots=True)
class Rejudged:
    """What came out: the applied actions then and now, and where they differ first (None: nowhere)."""

    then: tuple[dict[str, Any], ...]
    now: tuple[dict[str, Any], ...]

    @property
    def difference(self) -> int | None:
        """Number (from 1) of the first action that is otherwise, None where all are the same."""
        for i, (a, b) in enumerate(zip(self.then, self.now, strict=False), 1):
            if a != b:
                return i
        if len(self.then) != len(self.now):
            return min(len(self.then), len(self.now)) + 1
        return None


def rejudge(entries: Sequence[Entry], traces: Sequence[Trace], layout: Layout | None = None) -> Rejudged:
    """One match again from its sensors: what devices did comes from the traces, what people did from
    its entries, in the order in which it came. `layout` (thresholds) instead of the recorded ones."""
    began = entries[0].seq
    # Zones are set up between matches: of one boot, the trace under way when the match began is it.
    fitting = [trace for trace in traces if trace.after < began or trace.boot != entries[0].boot]
    by_boot = {trace.boot: trace for trace in sorted(fitting, key=lambda trace: trace.after)}
    lost = {e.boot for e in entries if e.who.kind == "device" and e.kind == "action"} - set(by_boot)
    if lost:
        what = "The sensor trace of a part of this match is missing."
        raise CrowntableError(what, f"The table keeps the traces of its last {KEPT + 1} starts.")
    with tempfile.TemporaryDirectory() as folder:
        now = [0.0]
        used = layout or next((trace.layout for trace in by_boot.values()), None)
        if used is None:
            raise CrowntableError("There is no sensor trace for this match.", "Traces lie in DATA/sensors.")
        clocks = Clocks(lambda: now[0], lambda: now[0], "rejudged")
        core = Core(Journal(Path(folder)), used, clocks)
        _play(core, entries, by_boot, now)
        assert core.match is not None
        done = _held(core.match)
        core.journal.close()
    match = Match(entries[0])
    for entry in entries[1:]:
        match.fold(entry)
    return Rejudged(_held(match), done)


def _held(match: Match) -> tuple[dict[str, Any], ...]:
    def holds(line: Line) -> bool:
        return not line.undone and line.broken is None

    return tuple(line.action for line in match.lines if holds(line))


def _play(core: Core, entries: Sequence[Entry], traces: dict[str, Trace], now: list[float]) -> None:
    waiting = {boot: list(reversed(trace.sightings)) for boot, trace in traces.items()}
    for entry in entries:
        seen = waiting.get(entry.boot, [])
        while seen and seen[-1][0] < entry.seq:
            _take(core, seen.pop()[1], now)
        now[0] = entry.mono
        _by_hand(core, entry, entries)
    for sighting in reversed(waiting.get(entries[-1].boot, [])[-200:]):
        _take(core, sighting[1], now)


def _take(core: Core, sighting: Sighting, now: list[float]) -> None:
    now[0] = max(now[0], sighting.at)
    core.sighting(sighting)


def _by_hand(core: Core, entry: Entry, entries: Sequence[Entry]) -> None:
    """Does again what a person did; what devices did comes from their sightings."""
    if entry.kind == "match":
        begin_again(core, entry, entries[1])
    elif entry.kind == "action" and entry.seq != entries[1].seq and entry.who.kind != "device":
        if "question" not in entry.body:  # else its answer does it again
            core.act(entry.action or {}, entry.who)
    elif entry.kind == "question" and entry.who.kind not in ("table", "device"):
        # A person's claim that began the showing of a hand (host.claims).
        _, _, seat, win, _ = entry.body["about"].split(":")
        core.act({"do": "claim", "seat": int(seat), "win": win}, entry.who)
    elif entry.kind == "undo":
        core.undo(entry.who)
    elif entry.kind == "redo":
        core.redo(entry.who)
    elif entry.kind == "answer" and core.match is not None:
        asked = next((e for e in entries if f"q{e.seq}" == entry.body["question"]), None)
        open_now = [q for q in core.match.questions.values() if asked and q.text == asked.text]
        if open_now:
            decisions.answer(core, open_now[0].id, entry.body["answer"], entry.who)


def find_trace(folder: Path, boots: set[str]) -> list[Trace]:
    """The traces in DATA/sensors that belong to these boots."""
    found = []
    for path in sorted((folder / "sensors").glob("*.jsonl")):
        if any(path.stem.endswith(boot[:8]) for boot in boots):
            trace = read_trace(path)
            if trace.boot in boots:
                found.append(trace)
    return found


def rejudge_match(folder: Path, number: int, layout: Layout | None = None) -> Rejudged:
    """Match m<number> of a data folder again from its sensors. Raises CrowntableError."""
    path = folder / "journal.sqlite"
    try:
        begun = matches_of(path)
        entries = read_entries(path, begun[number - 1]) if 1 <= number <= len(begun) else []
    except sqlite3.Error as error:
        what = f"The journal in {folder} can't be read: {error}."
        raise CrowntableError(what, "Is it a data folder?") from None
    if not entries:
        known = ", ".join(f"m{n}" for n in range(1, len(begun) + 1)) or "none yet"
        raise CrowntableError(f"There is no match m{number} in {folder}.", f"There are: {known}.")
    traces = find_trace(folder, {entry.boot for entry in entries})
    if layout is not None:
        traces = [replace(trace, layout=layout) for trace in traces]
    return rejudge(entries, traces, layout)
