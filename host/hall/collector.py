"""A hall's ear at the broker: what tables publish goes to the board at once, and events to the database.

Of each journal only the entry that comes next is taken: what was seen is dropped, and where one is
missing the table is told from where to send again. So what is in the database has no gap and no double,
whatever happened to broker, network, tables or this hall. A table hears how far it has come only once
that is committed.
"""

from __future__ import annotations

import logging
import queue
import re
import threading
import time
import uuid
from dataclasses import dataclass
from typing import Any, Final

import paho.mqtt.client as mqtt
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from host.hall import wire
from host.hall.account import CONNECT, KEEPALIVE, Account, Broker, new_client
from host.hall.board import Board
from host.hall.recorder import Recorder
from host.hall.store import Event, Store, StoreError
from host.hall.wire import Json

log = logging.getLogger(__name__)

#: seconds in which arriving events are gathered into one transaction, and how many at most
GATHER_S, MOST_GATHERED = 0.05, 1000
#: seconds between two words to a table that it has come further, and entries after which it is told at once:
#: well within the publisher's STALL_S and WINDOW
ACK_S, ACK_AT = 4.0, 32
#: seconds between two tellings of a table that it should send again
AGAIN_S: Final = 1.0
#: seconds between two attempts at a database or a broker that does not answer
PAUSE_S: Final = 2.0
#: seconds between two looks at the calls for a judge, which other hall servers may have attended to
CALLS_S: Final = 2.0
#: events that may wait for a database that does not answer; tables send again what comes after
MOST_WAITING: Final = 50_000

#: what a journal may be called: records are files whose names begin with it
_JOURNAL: Final = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)

Stream = tuple[str, str]


@dataclass(slots=True)
class Progress:
    """One journal of one table: `upto` is in the database, `taken` waits to be written; what the table
    was told, and when."""

    base: int
    upto: int
    taken: int
    told: int = -1
    told_at: float = 0.0
    again_at: float = 0.0


@dataclass(slots=True)
class Figures:
    """What has been counted since the start."""

    events: int = 0
    seen: int = 0
    ahead: int = 0
    bad: int = 0


class Collector:
    """Collects for one hall server. `start`, `stop`; `troubles` says what people should know."""

    def __init__(self, broker: Broker, account: Account, store: Store, board: Board) -> None:
        new_client(broker, account, "check")  # what can be wrong with the account is said now
        self._broker, self._account, self._store, self._board = broker, account, store, board
        self.name = f"hall-{uuid.uuid4().hex[:12]}"
        self.figures = Figures()
        self._recorder = Recorder(store, board)
        self.broker_trouble = "not connected yet"
        self.store_trouble = ""
        self._session = ""
        self._client: mqtt.Client | None = None
        self._arrived: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        self._streams: dict[Stream, Progress] = {}
        self._refused: set[Stream] = set()
        self._looked = 0.0
        self._stop = threading.Event()
        self._lost = threading.Event()
        self._threads = [
            threading.Thread(target=self._listen, name="hall-broker", daemon=True),
            threading.Thread(target=self._write, name="hall-store", daemon=True),
        ]

    def start(self) -> None:
        """Begins; the broker may come later."""
        self._recorder.start()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Writes what has arrived and ends within five seconds."""
        self._stop.set()
        self._lost.set()
        self._arrived.put(None)
        for thread in self._threads:
            thread.join(5.0)
        self._recorder.stop()

    def alive(self) -> bool:
        """Do its threads still run?"""
        return all(thread.is_alive() for thread in self._threads)

    def troubles(self) -> list[Json]:
        """For host.hall.board.Board.start."""
        found = {"broker": self.broker_trouble, "database": self.store_trouble}
        return [{"kind": kind, "detail": detail} for kind, detail in found.items() if detail]

    # -- the broker --------------------------------------------------------------------------------

    def _listen(self) -> None:
        while not self._stop.is_set():
            # The room's edge: whatever one connection stumbles over, there is a next one.
            try:
                self._connection()
            except Exception:
                log.exception("collecting failed")
            self._stop.wait(PAUSE_S)

    def _connection(self) -> None:
        """One connection, a session of its own: tables then send again what the database lacks."""
        client = new_client(self._broker, self._account, self.name)
        self._session = uuid.uuid4().hex
        self._lost.clear()
        here = f"{wire.HALLS}/{self.name}/here"
        client.will_set(here, b"", qos=1, retain=True)
        client.on_connect = lambda *given: self._connected(client, here, given[3])
        client.on_disconnect = lambda *given: self._gone(given[3])
        client.on_message = lambda _c, _u, message: self._hear(message)
        try:
            client.connect(self._broker.host, self._broker.port, KEEPALIVE, clean_start=True)
        except (OSError, ValueError) as error:
            self._say(f"The broker {self._broker} can't be reached: {error}.")
            return
        client.loop_start()
        try:
            began = time.monotonic()
            while not self._lost.wait(0.2):
                if self.broker_trouble and time.monotonic() - began > CONNECT:
                    self._say(f"The broker {self._broker} does not answer.")
                    break
            if self._stop.is_set() and not self.broker_trouble:
                client.publish(here, b"", qos=1, retain=True).wait_for_publish(1.0)
        finally:
            self._client = None
            client.disconnect()
            client.loop_stop()

    def _connected(self, client: mqtt.Client, here: str, code: ReasonCode) -> None:
        if code.is_failure:
            self._say(f"The broker {self._broker} refuses the hall's account: {code}.")
            return
        self.broker_trouble = ""
        self._client = client
        log.info("collecting from %s", self._broker)
        leaves = [(wire.topic("+", leaf), SubscribeOptions(qos=1)) for leaf in wire.WRITTEN]
        client.subscribe(leaves)
        # After subscribing: whoever hears this sends again from what the database has.
        self._arrived.put(("", b""))
        client.publish(here, wire.pack({"session": self._session}), qos=1, retain=True)

    def _gone(self, code: ReasonCode) -> None:
        # One that never came about has been spoken of already: refused, or without an answer.
        if not self._stop.is_set() and not self.broker_trouble:
            self._say(f"The connection to the broker {self._broker} is lost: {code}.")
        self._lost.set()

    def _say(self, text: str) -> None:
        if text != self.broker_trouble:
            self.broker_trouble = text
            self._board.touch()
            log.warning(text)

    def _hear(self, message: mqtt.MQTTMessage) -> None:
        """From paho's thread: the board at once, the database later."""
        at = wire.address(message.topic)
        if at is None:
            return
        if at.leaf == "events":
            self._arrived.put((at.table, bytes(message.payload)))
            return
        value = wire.unpack(message.payload)
        if value is None:
            return
        try:
            self._board.hear(at.table, at.leaf, value, bytes(message.payload), not message.retain)
        except Exception:  # the room's edge: no view, whatever is in it, may end the listening
            log.exception("what %s shows is of no use", at.table)

    # -- the database ------------------------------------------------------------------------------

    def _write(self) -> None:
        if not self._load():
            return
        while True:
            batch, last = self._gather()
            # The room's edge: a fault in one round must not end the collecting.
            try:
                self._round(batch)
            except StoreError as error:
                self._store_said(str(error))
            except Exception:
                log.exception("a round of collecting failed")
            if last:
                return

    def _load(self) -> bool:
        """How far each table has come. False when told to stop."""
        while not self._stop.is_set():
            try:
                self._streams = {
                    key: Progress(base, upto, upto) for key, (base, upto) in self._store.streams().items()
                }
            except StoreError as error:
                self._store_said(str(error))
                self._stop.wait(PAUSE_S)
            else:
                self._store_said("")
                return True
        return False

    def _store_said(self, text: str) -> None:
        if text != self.store_trouble:
            self.store_trouble = text
            self._board.touch()
            if text:
                log.error("the database: %s", text)

    def _gather(self) -> tuple[list[tuple[str, bytes]], bool]:
        """What arrives within a moment; and whether that was the last."""
        batch: list[tuple[str, bytes]] = []
        ends = time.monotonic() + GATHER_S * 4
        while len(batch) < MOST_GATHERED:
            try:
                item = self._arrived.get(timeout=max(0.0, ends - time.monotonic()))
            except queue.Empty:
                break
            if item is None:
                return batch, True
            if not batch:
                ends = time.monotonic() + GATHER_S
            batch.append(item)
        return batch, False

    def _round(self, batch: list[tuple[str, bytes]]) -> None:
        events = []
        for name, payload in batch:
            if not name:  # a connection has begun: every table hears where it stands
                for progress in self._streams.values():
                    progress.told = -1
                continue
            event = event_of(name, payload)
            if event is None:
                self.figures.bad += 1
            elif self._next(event):
                events.append(event)
        if events:
            self._keep(events)
        self._tell()
        now = time.monotonic()
        if now - self._looked > CALLS_S or any(e.entry["kind"] == "judge" for e in events):
            self._looked = now
            self._board.calls(self._store.calls())
        if not self._arrived.qsize():
            self._store_said("")

    def _next(self, event: Event) -> bool:
        """Is it the entry that its journal lacks?"""
        key = (event.name, event.journal)
        if key in self._refused:
            return False
        progress = self._streams.get(key)
        if progress is None:
            progress = self._streams[key] = Progress(event.base, event.base, event.base)
        if event.seq == progress.taken + 1:
            progress.taken = event.seq
            return True
        if event.seq <= progress.taken:
            self.figures.seen += 1
            progress.told = min(progress.told, progress.upto - 1)  # it does not know yet
            return False
        self.figures.ahead += 1
        self._miss(key, progress)
        return False

    def _miss(self, key: Stream, progress: Progress) -> None:
        """One is missing here. Another hall server may have it; else the table sends again."""
        now = time.monotonic()
        if now - progress.again_at < AGAIN_S:
            return
        progress.again_at = now
        known = self._store.streams().get(key)
        if known is not None and known[1] > progress.taken:
            progress.upto = progress.taken = known[1]
        self._publish(key, progress, again=True)

    def _keep(self, events: list[Event]) -> None:
        """Commits; tries until it is done, unless this hall stops or too much waits."""
        while True:
            try:
                self._commit(events)
                return
            except StoreError as error:
                self._store_said(str(error))
                if self._stop.is_set() or self._arrived.qsize() > MOST_WAITING:
                    self._forget(events)
                    return
                self._stop.wait(PAUSE_S)

    def _forget(self, events: list[Event]) -> None:
        """They are not acknowledged, so their tables send them again."""
        for key in {(e.name, e.journal) for e in events}:
            self._streams[key].taken = self._streams[key].upto

    def _commit(self, events: list[Event]) -> None:
        bases = {key: progress.base for key, progress in self._streams.items()}
        try:
            self._store.add(events, bases)
        except StoreError:
            self._store.streams()  # does it answer at all? Then it is something in these events.
            events = self._apart(events, bases)
        for event in events:
            self._streams[event.name, event.journal].upto = event.seq
        self._recorder.note(events)
        self.figures.events += len(events)
        self._store_said("")

    def _apart(self, events: list[Event], bases: dict[Stream, int]) -> list[Event]:
        """Table by table: what one sends that no database takes must not hold up the others."""
        kept: list[Event] = []
        for key in sorted({(e.name, e.journal) for e in events}):
            mine = [e for e in events if (e.name, e.journal) == key]
            try:
                self._store.add(mine, bases)
            except StoreError as error:
                self._store.streams()
                log.error("nothing more is taken from %s: %s", key[0], error)
                self._refused.add(key)
            else:
                kept += mine
        return kept

    def _tell(self) -> None:
        """Tells the tables how far they have come: not each time, unless it is much."""
        now = time.monotonic()
        for key, progress in self._streams.items():
            new = progress.upto - progress.told
            if new > 0 and (new >= ACK_AT or progress.told < 0 or now - progress.told_at >= ACK_S):
                self._publish(key, progress)

    def _publish(self, key: Stream, progress: Progress, again: bool = False) -> None:
        client = self._client
        if client is None:
            return
        progress.told, progress.told_at = progress.upto, time.monotonic()
        word: Json = {"journal": key[1], "upto": progress.upto, "session": self._session}
        if again:
            word["again"] = True
        client.publish(wire.topic(key[0], "ack"), wire.pack(word), qos=0, retain=True)


def event_of(name: str, payload: bytes) -> Event | None:
    """The event in a message, every field looked at; None where it is none."""
    raw = wire.unpack(payload)
    if raw is None:
        return None
    journal, base = raw.pop("journal", None), raw.pop("base", None)
    sound = (
        isinstance(journal, str)
        and _JOURNAL.fullmatch(journal) is not None
        and _whole(base)
        and all(_whole(raw.get(key)) for key in ("seq", "match"))
        and all(isinstance(raw.get(key), str) for key in ("kind", "boot", "text"))
        and all(isinstance(raw.get(key), (int, float)) for key in ("at", "mono"))
        and len(raw["kind"]) <= 16
        and len(raw["text"]) <= wire.LONGEST
        and isinstance(raw.get("body"), dict)
        and isinstance(raw.get("findings"), list)
        and isinstance(raw.get("who"), dict)
    )
    if not sound or raw["seq"] <= base:
        return None
    return Event(name, str(journal), int(base), raw)


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**53
