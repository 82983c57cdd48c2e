"""The running table: one thread that owns it, a queue in, entries out, views for everybody else.

Anyone may call the face's methods from any thread. Nothing is shown before it is committed: a view is
made from the core only between two items, under a lock that the thread holds while it changes things.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from engine.errors import CrowntableError
from engine.game import Audience
from engine.records.export import export
from engine.records.record import Record
from engine.records.sheets import Sheet, sheet_of
from host.commands import Job, action_of, job_of
from host.core import Core
from host.crown_scene import CrownScene
from host.entry import Entry, Json
from host.face import Opened, Outcome, VirtualWorld, Who, Workshop
from host.feedback import Feedback
from host.free import FreeTable
from host.journal import matches_of, read_entries
from host.lamps import lit
from host.listeners import Listeners
from host.match import match_row
from host.records import number_of, record_of_match
from host.replays import Replays
from host.scene import scene
from host.sensors import SensorLog
from host.sighting import Sighting
from host.view import make_view, program_version

log = logging.getLogger(__name__)

#: seconds that a caller waits for the table's answer
PATIENCE = 5.0
#: commands that are the free table's (host.free)
FREE = ("attract", "count-anew")
#: seconds between two looks at what time alone changes (the backlog, the match's clock)
TICK = 0.5
#: seconds without a round of the table's thread after which it counts as hanging
ALIVE = 10.0

#: most sightings that are taken in with one commit
AT_ONCE = 32

#: what waits for the table's thread: a sighting, a command's job and its answer, None for the end; or nothing
Item = Sighting | tuple[Job, Future[Outcome]] | tuple[()] | None

#: the answer to a command that met a fault of ours
FAULT = "The table could not do that, by a fault of its own; what happened is in its log."


class LiveTable:
    """host.face.Table over a Core. `start` before use; `stop` closes the journal."""

    def __init__(self, core: Core, virtual: bool = False) -> None:
        self.core = core
        self.virtual: VirtualWorld | None = None
        self.workshop: Workshop | None = None
        self.sensors: SensorLog | None = None
        self.feedback: Feedback | None = Feedback(core.journal.path.parent)
        self._is_virtual = virtual
        self._queue: queue.SimpleQueue[Sighting | tuple[Job, Future[Outcome]] | None] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._views: dict[tuple[str, int | None], Json] = {}
        self.replays = Replays(core.journal.path)
        self.free = FreeTable.open(core.journal.path.parent)
        self._version = 1
        self._round = time.monotonic()
        self._listeners = Listeners()
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)

    def start(self) -> None:
        """Begins to take sightings and commands."""
        self.free.tick(self.core)
        self._thread.start()

    def stop(self) -> None:
        """Finishes what is queued, then closes the journal."""
        self.replays.stop()
        self.free.save()
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join(PATIENCE)
        with self._lock:
            self.core.tick()  # the disk may have room again since the last try
            backlog = self.core.backlog
            if backlog.waiting:
                log.error("%d entries are not recorded: %s", len(backlog.waiting), backlog.trouble)
            self.core.journal.close()
        if self.sensors is not None:
            self.sensors.close()

    def alive(self) -> bool:
        """Whether the table's thread has gone round lately."""
        return time.monotonic() - self._round < ALIVE

    # -- what comes in -----------------------------------------------------------------------------

    def emit(self, sighting: Sighting) -> None:
        """What devices call; returns at once."""
        self._queue.put(sighting)

    def act(self, action: Json, who: Who) -> Outcome:
        """See host.face.Table."""
        checked = action_of(action)
        return checked if isinstance(checked, Outcome) else self._ask(lambda: self.core.act(checked, who))

    def command(self, command: Json, who: Who) -> Outcome:
        """See host.face.Table."""
        if isinstance(command, dict) and command.get("cmd") in FREE:
            return self._ask(lambda: self.free.set(command, self.core.clocks.wall()))
        job = job_of(self.core, command, who)
        return job if isinstance(job, Outcome) else self._ask(job)

    def _ask(self, job: Job) -> Outcome:
        future: Future[Outcome] = Future()
        self._queue.put((job, future))
        try:
            return future.result(PATIENCE)
        except FutureTimeout:
            return Outcome(False, "The table did not answer in time; look at the screen, then try again.")
        except CrowntableError as error:
            return Outcome(False, f"{error.what} {error.cure}")
        except Exception:  # noqa: BLE001 - the room's edge: `_do` has logged it, the caller gets an answer
            return Outcome(False, FAULT)

    # -- what goes out -----------------------------------------------------------------------------

    def view(self, audience: Audience) -> Json:
        """See host.face.Table."""
        key = (audience.kind, audience.seat)
        with self._lock:
            known = self._views.get(key)
            if known is None:
                known = make_view(self.core, audience, self._version, self._is_virtual)
                known["free"] = self.free.view(self.core, audience.kind == "operator")
                self._views[key] = known
            return known

    def language(self) -> str:
        """See host.face.Table."""
        return self.core.bench.settings.language

    def asking(self) -> bool:
        """See host.face.Table."""
        return self.core.bench.settings.asking

    def is_set_up(self) -> bool:
        """See host.face.Table."""
        settings = self.core.bench.settings
        return self._is_virtual or bool(settings.steps or settings.layout or self.core.match)

    def version(self) -> int:
        """See host.face.Table."""
        return self._version

    def listen(self, changed: Callable[[int], None]) -> Callable[[], None]:
        """See host.face.Table."""
        return self._listeners.add(changed)

    def public_state(self) -> tuple[Any, Any, Json]:
        """The game, its state and the state's JSON now; (None, None, {}) before any match."""
        with self._lock:
            match = self.core.match
            if match is None:
                return None, None, {}
            return match.game, match.state, match.public()

    def crown_scene(self) -> CrownScene:
        """What the crown shows now."""
        test = self.core.bench.light
        if test is not None and test.at == "crown":
            return test.scene()
        return scene(self.view(Audience("spectator")))

    def lamps(self) -> dict[tuple[str, int], CrownScene]:
        """The lamps that are lit now, by reader and antenna: the zone that is being set up, or tested."""
        with self._lock:
            return lit(self.core, self.view(Audience("spectator")))

    def entries(self, after: int = 0, limit: int = 500) -> list[Json]:
        """See host.face.Table."""
        after, limit = (min(max(n, 0), 2**53) for n in (after, limit))
        with self._lock:
            found = self.core.latest(after)
            entries = self.core.journal.read(after, limit) if found is None else found[:limit]
            return [entry.to_json() for entry in entries]

    def match_entries(self, number: int) -> list[Entry]:
        """All entries of the match whose `match` entry has this seq."""
        with self._lock:
            return list(self.core.journal.read(match=number))

    def export(self, match: str, to: str) -> str | None:
        """See host.face.Table."""
        record = self._record(match)
        return None if record is None else export(record, to)

    def sheet(self, match: str) -> Sheet | None:
        """See host.face.Table."""
        record = self._record(match)
        return None if record is None else sheet_of(record)

    def _record(self, match: str) -> Record | None:
        number = number_of(match)
        if number is None:
            return None
        # On a connection of its own, without the lock: the table must not wait for a long match.
        path = self.core.journal.path
        try:
            begun = matches_of(path)
            if not 1 <= number <= len(begun):
                return None
            entries = read_entries(path, begun[number - 1])
        except (sqlite3.Error, ValueError, TypeError) as error:
            what = f"The record of m{number} is damaged and can't be given out whole: {error}."
            raise CrowntableError(what, "Its page shows it as far as it can be read.") from None
        return record_of_match(entries, program_version())

    def matches(self, patience: float = PATIENCE) -> list[Json]:
        """See host.face.Table."""
        rows = self.replays.rows(patience)
        with self._lock:
            running = self.core.match
            live = match_row(running) if running else None
        # The match that goes on is further than any reading of it.
        return [{**row, **live} if live and row["id"] == live["id"] else row for row in rows]

    def replay(self, match: str, patience: float = PATIENCE) -> Opened | None:
        """See host.face.Table."""
        number = number_of(match)
        return None if number is None else self.replays.open(number, patience)

    def preview_undo(self) -> Json:
        """See host.face.Table."""
        with self._lock:
            match = self.core.match
            line = match.last_undoable() if match else None
            if match is None or line is None:
                return {"text": "There is nothing to undo.", "changes": []}
            words = self.core.words()
            now = match.public()
            then = match.game.state_json(match.preview(line.seq))
            return {"text": f"Takes back: {words.action(line.action)}.", "changes": words.changes(now, then)}

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        ticked = time.monotonic()
        item: Item = ()
        while item is not None:
            self._round = time.monotonic()
            try:
                item = self._queue.get(timeout=TICK)
                while item:
                    item = self._take(item)
            except queue.Empty:
                item = ()
            if time.monotonic() - ticked >= TICK:
                ticked = time.monotonic()
                with self._lock:
                    changed = self.core.tick()
                    changed |= self.free.tick(self.core)
                if changed:
                    self._publish()

    def _take(self, item: Sighting | tuple[Job, Future[Outcome]]) -> Item:
        """Takes an item in; of sightings all that wait behind it too, in one commit. Returns the first
        item that was no sighting and is still to be done; () where there is none, None for the end."""
        if isinstance(item, tuple):
            self._do(*item)
            return ()
        after: Item = item
        changed, taken = False, 0
        with self._lock, self.core.backlog.together():
            while after and not isinstance(after, tuple):
                changed |= self._sighting(after)
                taken += 1
                try:
                    after = self._queue.get_nowait() if taken < AT_ONCE else ()
                except queue.Empty:
                    after = ()
        if changed:
            self._publish()
        return after

    def _sighting(self, sighting: Sighting) -> bool:
        if self.sensors is not None:
            if self.sensors.layout is not self.core.layout:
                self.sensors = self.sensors.again(self.core.layout, self.core.seq)
            self.sensors.add(self.core.book.known(sighting), self.core.seq)
        # The room's edge: a fault in judging one sighting must not take the table down (promise 1).
        try:
            changed = self.core.sighting(sighting)
            return self.free.card_laid(self.core) or changed
        except Exception:
            log.exception("could not take in %r", sighting)
            return False

    def _do(self, job: Job, future: Future[Outcome]) -> None:
        # The room's edge: whatever a command did wrong is its caller's answer, not the table's end.
        try:
            with self._lock:
                outcome = job()
        except BaseException as error:
            if not isinstance(error, CrowntableError):
                log.exception("a command failed")
            future.set_exception(error)
            return
        self._publish()
        future.set_result(outcome)

    def _publish(self) -> None:
        with self._lock:
            self.free.tick(self.core)  # a deed wakes the screens in the same moment
            self._version += 1
            self._views.clear()
            version = self._version
        self._listeners.tell(version)
