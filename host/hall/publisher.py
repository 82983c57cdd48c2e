"""A table's publisher: its view, its events and its health to a broker, from a thread of its own.

The queue on disk is the journal itself: it holds every entry with a full sync, in order, numbered
without gaps, before anybody hears of it. What is kept beside it is only how far the hall has come
(`hall.json`). So nothing is written twice, a network that is away for a day costs no memory, and a
table's thread does no more for the hall than to ring a bell.

Events go out in order, each with its number. Up to which of them the hall has everything in its
database it says itself (`ack`, host/hall/wire.py); after each new connection, after each start of a
hall, and where its word stays out, the rest is sent again from there. The hall drops what it has seen.
"""

from __future__ import annotations

import json
import logging
import random
import socket
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import paho.mqtt.client as mqtt
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from engine.game import Audience
from host.face import Table
from host.hall import wire
from host.hall.account import CONNECT, KEEPALIVE, Account, Broker, new_client
from host.hall.loop import PATIENCE, Loop
from host.hall.wire import Json

log = logging.getLogger(__name__)

SPECTATOR: Final = Audience("spectator")
STATE_FILE: Final = "hall.json"
#: seconds between two views: between them the latest wins
VIEW_S: Final = 2.0
#: seconds between two signs of health
HEALTH_S: Final = 20.0
#: seconds between two looks at everything that nobody wakes us for
TICK_S: Final = 1.0
#: entries under way at most: at the broker unacknowledged, or at a hall that is there
WINDOW: Final = 128
#: entries that are fetched at once; the table waits for each fetch, so it is short
BATCH: Final = 32
#: seconds without the hall's word after which the rest is sent again, and the longest of such waits
STALL_S, LONGEST_STALL_S = 15.0, 120.0
#: seconds between two attempts to connect, growing up to the longest; refused credentials wait that long
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 20.0
#: the broker's code for a connection that it ended because another one came with the same account; not every
#: broker says it
TAKEN_OVER: Final = 142
#: seconds below which a connection was a short one, and how many of those in a row are somebody else's doing
SHORT_S, MOST_SHORT = 10.0, 3
#: seconds that a table then rests: two with one account would take it from each other without end
SHARED_S: Final = 60.0
#: seconds between two writings of the file that says how far the hall has come; the hall says it as well, to
#: each new connection
SAVE_S: Final = 60.0
#: seconds after subscribing in which the hall's retained words arrive: what it has need not be sent
SETTLE_S: Final = 0.2
#: seconds that the broker has to take a goodbye
GOODBYE_S: Final = 1.0


@dataclass(slots=True)
class Cursor:
    """How far this journal has been handed over. `base`: only entries after this one are the hall's;
    `acked`: the hall has everything up to it; `sent`: given to the broker up to it."""

    journal: str
    base: int
    acked: int
    sent: int = 0
    session: str = ""
    progress: float = 0.0
    patience: float = STALL_S

    def __post_init__(self) -> None:
        self.sent = self.acked


@dataclass(slots=True)
class Link:
    """One connection to the broker: its client and what is under way on it. Times are monotonic seconds."""

    client: mqtt.Client
    #: until when the broker has to take us in
    until: float
    up: bool = False
    #: when it came about
    since: float = 0.0
    lost: bool = False
    refused: str = ""
    #: ended by the broker because another table came with the same account
    taken: bool = False
    #: when the broker confirmed that we hear the hall
    listens: float = float("inf")
    waiting: deque[mqtt.MQTTMessageInfo] = field(default_factory=deque)
    #: the goodbye, and until when the broker has to take it
    goodbye: mqtt.MQTTMessageInfo | None = None
    leaves: float = 0.0
    #: when paho last looked at its own clocks
    kept: float = 0.0

    def under_way(self) -> int:
        """How many events the broker has not acknowledged yet."""
        while self.waiting and self.waiting[0].rc == mqtt.MQTT_ERR_SUCCESS and self.waiting[0].is_published():
            self.waiting.popleft()
        return len(self.waiting)

    def socket(self) -> socket.socket | None:
        """What to watch."""
        return cast("socket.socket | None", self.client.socket())

    def read(self) -> None:
        """Takes in what has come; of TLS also what its layer holds back already."""
        self.client.loop_read()
        while (pending := getattr(self.socket(), "pending", None)) is not None and pending():
            self.client.loop_read()

    def close(self) -> None:
        """Ends it, with a word to the broker where that can still be said at once."""
        self.client.on_disconnect = None
        self.client.disconnect()
        left = self.socket()
        if left is not None:
            left.close()


class Publisher:
    """Publishes a running table. `start`, and `stop` before the table stops. Nothing that happens to
    the network, the broker or the hall reaches the table.

    `loop`: one that serves other tables too; without it the publisher has its own."""

    def __init__(
        self, table: Table, broker: Broker, account: Account, data: Path, loop: Loop | None = None
    ) -> None:
        new_client(broker, account, account.name)  # what can be wrong with the account is said now
        self._table, self._broker, self._account = table, broker, account
        self._path = data / STATE_FILE
        self._started = self._stop = False
        self._ended = threading.Event()
        self._cursor: Cursor | None = None
        self._halls: dict[str, str] = {}
        self._link: Link | None = None
        #: until when (monotonic seconds) no connection is tried, and how long that was last time
        self._rests, self._pause = 0.0, FIRST_PAUSE_S
        #: how many connections in a row have ended soon after they began
        self._short = 0
        self._drained = (-1, -1)
        self._saved = (0.0, 0)
        self._viewed = (0.0, -1)
        self._healthy = 0.0
        self._said = ""
        self._own = loop is None
        self._loop = loop or Loop()
        self._unlisten = table.listen(lambda _: self._loop.wake(self))

    def start(self) -> None:
        """Begins; returns at once, whether there is a network or not."""
        self._started = True
        if self._own:
            self._loop.start()
        self._loop.wake(self)

    def stop(self) -> None:
        """Says goodbye where somebody listens, and ends within a few seconds."""
        self._unlisten()
        self._stop = True
        if not self._started:
            return
        self._loop.wake(self)
        self._ended.wait(PATIENCE)
        if self._own:
            self._loop.stop()

    def connected(self) -> bool:
        """Does the broker hear this table now?"""
        link = self._link
        return link is not None and link.up and not link.lost

    def base(self) -> int:
        """The last entry that is not the hall's, because it was before this table joined."""
        return self._cursor.base if self._cursor else 0

    def acked(self) -> int:
        """The last entry up to which a hall has everything, 0 before any."""
        return self._cursor.acked if self._cursor else 0

    # -- what the loop calls (host.hall.loop.Served): all that follows runs in its thread ------------

    def socket(self) -> socket.socket | None:
        """The connection's, None while there is none."""
        return self._link.socket() if self._link else None

    def wants_to_write(self) -> bool:
        """Does something wait until the network takes it?"""
        return self._link is not None and self._link.client.want_write()

    def network(self, readable: bool, writable: bool) -> None:
        """Lets paho read and write."""
        link = self._link
        if link is None:
            return
        if readable:
            link.read()
        if writable or link.client.want_write():
            link.client.loop_write()

    def step(self) -> float | None:
        """Does what is due now, and says when it wants to be called again."""
        try:
            return self._step(time.monotonic())
        except Exception:  # the room's edge: whatever fails here must not end the publishing for good
            log.exception("publishing to the hall failed")
            return self._close()

    def _step(self, now: float) -> float | None:
        link = self._link
        if link is None:
            if self._stop:
                self._save(self._cursor, now=True)
                self._ended.set()
                return None
            return self._rests if now < self._rests else self._open(now)
        if now - link.kept >= TICK_S:
            link.kept = now
            link.client.loop_misc()
        if link.lost:
            return self._close()
        if not link.up:
            return self._await(link, now)
        if self._stop:
            return self._goodbye(link, now)
        return self._serve(link, now)

    def _open(self, now: float) -> float | None:
        """Begins a connection."""
        self._cursor = self._cursor or self._load()
        link = Link(new_client(self._broker, self._account, self._account.name), now + CONNECT)
        client = link.client
        client.max_inflight_messages_set(WINDOW)
        client.will_set(self._topic("health"), wire.pack(self._health("gone")), qos=1, retain=True)
        client.on_connect = lambda *given: self._connected(link, given[3])
        client.on_disconnect = lambda *given: self._lost(link, given[3])
        client.on_publish = lambda *given: self._published(given[3])
        client.on_subscribe = lambda *_: self._listening(link)
        client.on_message = lambda _c, _u, message: self._heard(message)
        self._link = link
        try:
            client.connect(self._broker.host, self._broker.port, KEEPALIVE, clean_start=True)
        except (OSError, ValueError) as error:
            self._tell(f"The hall's broker {self._broker} can't be reached: {error}.")
            return self._close()
        return link.until

    def _await(self, link: Link, now: float) -> float | None:
        """Waits until the broker has taken us in; says so where it does not."""
        if now < link.until and not self._stop:
            return min(now + TICK_S, link.until)
        if not self._stop:
            self._tell(f"The hall's broker {self._broker} does not answer.")
        return self._close()

    def _close(self) -> float | None:
        """Ends the connection, and says when the next one is to be tried."""
        link, self._link = self._link, None
        now = time.monotonic()
        self._pause = FIRST_PAUSE_S if link and link.up else min(LONGEST_PAUSE_S, self._pause * 2)
        # With jitter: four hundred tables must not come back in the same instant.
        self._rests = now + self._pause * random.uniform(0.5, 1.0)
        if link is not None:
            if link.refused:
                self._tell(f"The hall's broker {self._broker} refuses {self._account.name}: {link.refused}.")
                self._rests += LONGEST_PAUSE_S / 2
            elif self._is_shared(link, now):
                self._tell(
                    f"The hall's broker {self._broker} drops {self._account.name} again and again."
                    " Does another table use the same account file? Each needs its own."
                )
                self._rests = now + SHARED_S
            elif link.lost and not link.up:
                self._tell(f"The hall's broker {self._broker} does not answer.")
            link.close()
        return now if self._stop else self._rests

    def _is_shared(self, link: Link, now: float) -> bool:
        """Has another table come with this account? The broker says so, or ends one connection after the
        other that had come about."""
        if link.up and link.lost:
            self._short = self._short + 1 if now - link.since < SHORT_S else 0
        return link.taken or (link.up and self._short >= MOST_SHORT)

    def _tell(self, text: str) -> None:
        """Logs what is new about the connection, once."""
        if text != self._said:
            self._said = text
            log.log(logging.INFO if text.startswith("Connected") else logging.WARNING, text)

    # -- what paho calls ---------------------------------------------------------------------------

    def _connected(self, link: Link, code: ReasonCode) -> None:
        if code.is_failure:
            link.refused = str(code)
            return
        self._halls.clear()
        wanted = (self._topic("ack"), f"{wire.HALLS}/+/here")
        link.client.subscribe([(one, SubscribeOptions(qos=1)) for one in wanted])
        link.up, link.since = True, time.monotonic()
        self._tell(f"Connected to the hall's broker {self._broker} as {self._account.name}.")
        self._viewed, self._healthy = (0.0, -1), 0.0
        if self._cursor is not None:
            self._cursor.sent, self._cursor.progress = self._cursor.acked, time.monotonic()

    def _listening(self, link: Link) -> None:
        link.listens = time.monotonic()

    def _lost(self, link: Link, code: ReasonCode) -> None:
        link.lost = True
        link.taken = link.taken or code.value == TAKEN_OVER  # paho tells it twice, the second time without

    def _published(self, code: ReasonCode) -> None:
        if code.is_failure:
            self._tell(f"The hall's broker takes nothing from {self._account.name}: {code}.")

    def _heard(self, message: mqtt.MQTTMessage) -> None:
        """The hall's word on how far it has come, or that a hall has begun or ended."""
        if message.topic.startswith(f"{wire.HALLS}/"):
            self._hall(message.topic.split("/")[2], wire.unpack(message.payload))
        else:
            self._ack(wire.unpack(message.payload))

    def _hall(self, name: str, here: Json | None) -> None:
        if here is None:
            self._halls.pop(name, None)
        elif self._halls.get(name) != str(here.get("session")):
            self._halls[name] = str(here.get("session"))
            self._healthy = 0.0  # it does not know this table's clock yet
            if self._cursor is not None:
                # A hall that has just begun may have missed what the broker took before.
                self._cursor.sent = self._cursor.acked

    def _ack(self, ack: Json | None) -> None:
        cursor = self._cursor
        if ack is None or cursor is None or ack.get("journal") != cursor.journal:
            return
        upto, session = ack.get("upto"), str(ack.get("session"))
        if type(upto) is not int or not cursor.base <= upto < 2**53:
            return
        # The first word of a new session is the hall's truth, even where it is less than before
        # (another database); after that the words only grow, whatever their order of arrival.
        fresh = session != cursor.session
        back = ack.get("again") is True or (fresh and upto < cursor.acked)
        if fresh or upto > cursor.acked:
            cursor.acked, cursor.session = upto, session
            cursor.progress, cursor.patience = time.monotonic(), STALL_S
        cursor.sent = cursor.acked if back else max(cursor.sent, cursor.acked)

    # -- while connected ---------------------------------------------------------------------------

    def _serve(self, link: Link, now: float) -> float | None:
        due = now + TICK_S
        if self._cursor is None:
            self._cursor = self._load()
        if now < link.listens + SETTLE_S:
            due = min(due, link.listens + SETTLE_S)
        elif self._cursor is not None:
            self._events(link, self._cursor)
            self._stalled(self._cursor, now)
            self._save(self._cursor)
        return self._close() if link.lost else min(due, self._show(link, now))

    def _events(self, link: Link, cursor: Cursor) -> None:
        """Gives the broker the next entries, as many as may be under way."""
        version = self._table.version()
        if self._drained == (version, cursor.sent):
            return  # nothing has changed at the table, and nobody has sent us back
        while not (link.lost or self._stop):
            room = WINDOW - link.under_way()
            if self._halls:
                room = min(room, WINDOW - (cursor.sent - cursor.acked))
            entries = self._table.entries(cursor.sent, min(room, BATCH)) if room > 0 else []
            for entry in entries:
                self._event(link, cursor, entry)
                cursor.sent = entry["seq"]
            if len(entries) < BATCH:
                if room > len(entries):
                    self._drained = (version, cursor.sent)
                return

    def _event(self, link: Link, cursor: Cursor, entry: Json) -> None:
        event = {"journal": cursor.journal, "base": cursor.base, **wire.public_entry(entry)}
        link.waiting.append(link.client.publish(self._topic("events"), wire.pack(event), qos=1))

    def _stalled(self, cursor: Cursor, now: float) -> None:
        """A hall is there, yet says nothing of what it was sent: it is sent again, ever more patiently."""
        if not self._halls or cursor.sent <= cursor.acked:
            cursor.progress = now
        elif now - cursor.progress > cursor.patience:
            cursor.sent, cursor.progress = cursor.acked, now
            cursor.patience = min(LONGEST_STALL_S, 2 * cursor.patience)

    def _show(self, link: Link, now: float) -> float:
        """The newest view, at most once in `VIEW_S`, and from time to time the table's health. Returns when
        one of them is due."""
        at, shown = self._viewed
        version = self._table.version()
        if version != shown and now - at >= VIEW_S:
            self._viewed = (now, version)
            view = self._table.view(SPECTATOR)
            link.client.publish(self._topic("view"), wire.pack(view), qos=0, retain=True)
        elif version != shown:
            return at + VIEW_S
        if now - self._healthy >= HEALTH_S:
            self._healthy = now
            health = wire.pack(self._health("here"))
            link.client.publish(self._topic("health"), health, qos=1, retain=True)
        return self._healthy + HEALTH_S

    def _goodbye(self, link: Link, now: float) -> float | None:
        """A table that is stopped says so itself; the last will is for those that could not."""
        if link.goodbye is None:
            health = {**self._health("gone"), "why": "stopped"}
            link.goodbye = link.client.publish(self._topic("health"), wire.pack(health), qos=1, retain=True)
            link.leaves = now + GOODBYE_S
        said = link.goodbye.rc == mqtt.MQTT_ERR_SUCCESS and link.goodbye.is_published()
        return self._close() if said or link.lost or now >= link.leaves else link.leaves

    def _health(self, state: str) -> Json:
        view = self._table.view(SPECTATOR)
        cursor = self._cursor
        return {
            "state": state,
            "label": self._account.label,
            "at": view["at"] if state == "here" else None,
            # By these a hall tells the hour of an entry whose table has a wrong clock.
            "boot": view["boot"] if state == "here" else None,
            "mono": time.monotonic() if state == "here" else None,
            "program": view["program"],
            "journal": cursor.journal if cursor else None,
            "seq": view["seq"],
            "waiting": max(0, view["seq"] - cursor.acked) if cursor else None,
        }

    def _topic(self, leaf: str) -> str:
        return wire.topic(self._account.name, leaf)

    # -- how far the hall has come -----------------------------------------------------------------

    def _load(self) -> Cursor | None:
        """From the file, where it is of this journal; else from the beginning of the running match:
        what was played before a table joined a hall is not the hall's."""
        entries = self._table.entries(0, 1)
        if not entries:
            return None  # a full disk: what nobody recorded is not published either
        first = entries[0]
        try:
            known: Any = json.loads(self._path.read_text(encoding="ascii"))
            if known["journal"] == first["boot"] and 0 <= int(known["base"]) <= int(known["acked"]):
                return Cursor(first["boot"], int(known["base"]), int(known["acked"]))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("%s is of no use (%s); the hall says how far it has come", self._path, error)
        view = self._table.view(SPECTATOR)
        last = (self._table.entries(view["seq"] - 1, 1) or [first])[0]
        running = view["match"] is not None and not view["match"]["over"]
        base = last["match"] - 1 if running and last["match"] else last["seq"]
        return Cursor(first["boot"], base, base)

    def _save(self, cursor: Cursor | None, now: bool = False) -> None:
        """Writes how far the hall has come, through a neighbour file. A disk that takes nothing costs
        only that more is sent again after the next start."""
        at, acked = self._saved
        if cursor is None or cursor.acked == acked or (time.monotonic() - at < SAVE_S and not now):
            return
        self._saved = (time.monotonic(), cursor.acked)
        text = json.dumps({"journal": cursor.journal, "base": cursor.base, "acked": cursor.acked})
        try:
            new = self._path.with_suffix(".new")
            new.write_text(text, encoding="ascii")
            new.replace(self._path)
        except OSError as error:
            log.warning("%s can't be written: %s", self._path, error.strerror)
