"""What a hall keeps: events, records and calls, in PostgreSQL or, for a small hall, in SQLite.

Several hall servers write the same database. Every row has a key that the tables gave it, so that a
second writer changes nothing; how far each table has come (`streams.upto`) only grows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from engine.errors import CrowntableError, UsageError
from engine.records.export import export
from host.entry import Entry
from host.face import Who
from host.hall.wire import Json, pack
from host.match import match_row, rebuilt
from host.records import record_of_match

_JSON: Final = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_META: Final = sa.MetaData()
_KEY: Final = ("name", "journal")

#: one row a journal of a table; `base`: what came before is not ours, `upto`: all up to it is here
STREAMS: Final = sa.Table(
    "streams", _META,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("journal", sa.String(64), primary_key=True),
    sa.Column("base", sa.BigInteger, nullable=False),
    sa.Column("upto", sa.BigInteger, nullable=False),
)  # fmt: skip

#: one row an entry; `at` is the table's clock, `received` the hall's when it wrote the row
EVENTS: Final = sa.Table(
    "events", _META,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("journal", sa.String(64), primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("match", sa.BigInteger, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("received", sa.Double, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("entry", _JSON, nullable=False),
    sa.Index("events_by_match", "name", "journal", "match", "seq"),
    sa.Index("events_by_kind", "kind", "received"),
)  # fmt: skip

#: one row a match, written again as the match goes on: `revision` is the last entry in it; `record`
#: is the match as `crowntable replay` and the lab read it, null where this program does not know its game
RECORDS: Final = sa.Table(
    "records", _META,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("journal", sa.String(64), primary_key=True),
    sa.Column("match", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("started", sa.Double, nullable=False),
    sa.Column("ended", sa.Double),
    sa.Column("players", _JSON, nullable=False),
    sa.Column("winners", _JSON, nullable=False),
    sa.Column("entries", sa.Integer, nullable=False),
    sa.Column("record", sa.Text),
    sa.Index("records_by_start", "started"),
)  # fmt: skip

#: calls for a judge that somebody has attended to
ATTENDED: Final = sa.Table(
    "attended", _META,
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("journal", sa.String(64), primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Double, nullable=False),
)  # fmt: skip

#: seconds that a call for a judge stays open by itself
CALL_S: Final = 7200.0
#: seconds by which a table's clock may differ from the hall's and still be called right
WRONG_S: Final = 60.0
#: seconds without a word from PostgreSQL after which it counts as not answering: its machine may have gone
#: without a farewell
ANSWER_S = 20.0
#: rows of one INSERT: PostgreSQL takes 65,535 values, SQLite 32,766
_ROWS: Final = 1000


@dataclass(frozen=True, slots=True)
class Event:
    """An entry as it came from a table: `base` says after which entry the table began to publish."""

    name: str
    journal: str
    base: int
    entry: Json

    @property
    def seq(self) -> int:
        """Its number in the table's journal."""
        return int(self.entry["seq"])


@dataclass(frozen=True, slots=True)
class Played:
    """A match as it is kept. `players`: seat, name, house; `winners`: seats, empty while it runs."""

    name: str
    journal: str
    match: int
    number: int
    game: str
    started: float
    ended: float | None
    players: tuple[Json, ...]
    winners: tuple[int, ...]
    entries: int


class StoreError(Exception):
    """The database did not do it now; it may later. The text is what it said."""


class Store:
    """A hall's database, its tables made where they are missing; with `make=False` its file must be there.

    `url` is SQLAlchemy's: `postgresql+pg8000://…` or `sqlite:///FILE`. Raises UsageError for one that
    is none, CrowntableError where the database does not answer."""

    def __init__(self, url: str, make: bool = True) -> None:
        try:
            place = sa.make_url(url)
            self.engine = sa.create_engine(
                place,
                pool_pre_ping=True,
                json_serializer=_json,
                json_deserializer=orjson.loads,
                connect_args={"timeout": ANSWER_S} if place.drivername.endswith("pg8000") else {},
            )
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError):
            raise UsageError(
                "That is no database's address.",
                "Write sqlite:///FILE or postgresql+pg8000://USER@HOST/NAME.",
            ) from None
        self.small = self.engine.dialect.name == "sqlite"
        if not self.small and self.engine.dialect.name != "postgresql":
            raise UsageError("A hall's database is PostgreSQL or SQLite.", "Give one of them with --db.")
        if self.small and not make and not Path(place.database or "").is_file():
            raise CrowntableError(
                f"There is no hall's database {place.database}.",
                "Give the hall's folder with --data, or whose account names its database with --account.",
            )
        if self.small:
            event.listen(self.engine, "connect", _careful)
        try:
            _META.create_all(self.engine)
        except TypeError:  # the driver's own: it wants a user, and knows its words
            raise UsageError(
                "The database's address lacks its user, or says behind ? what its driver doesn't know.",
                "Write sqlite:///FILE or postgresql+pg8000://USER@HOST/NAME.",
            ) from None
        except (SQLAlchemyError, OSError) as error:
            if _exists(error):  # another hall server has just made them
                _META.create_all(self.engine)
                return
            # Without what stands behind `?`: a password may be there too.
            where = self.engine.url.set(query={}).render_as_string(hide_password=True)
            raise CrowntableError(
                f"The database {where} can't be used: {said(error)}.",
                "Is it running, and may this user make tables in it?",
            ) from None

    def close(self) -> None:
        """Closes its connections."""
        self.engine.dispose()

    def _insert(self, table: sa.Table) -> Any:
        return sqlite.insert(table) if self.small else postgresql.insert(table)

    # -- streams and events ------------------------------------------------------------------------

    def streams(self) -> dict[tuple[str, str], tuple[int, int]]:
        """(table, journal) -> (base, upto). Raises StoreError."""
        with self._begin() as db:
            rows = db.execute(sa.select(STREAMS)).all()
        return {(row.name, row.journal): (row.base, row.upto) for row in rows}

    def add(self, events: Sequence[Event], bases: dict[tuple[str, str], int]) -> None:
        """Writes events, each stream's in order and without a gap, and how far each stream has come,
        in one transaction. What is there already stays. Raises StoreError: then nothing was written."""
        now = time.time()
        last: dict[tuple[str, str], int] = {}
        rows = []
        # Sorted: two servers that write at once then wait for each other in the same order.
        for one in sorted(events, key=lambda e: (e.name, e.journal, e.seq)):
            last[one.name, one.journal] = one.seq
            rows.append(_event_row(one, now))
        with self._begin() as db:
            self._put(db, rows, lambda new: new.on_conflict_do_nothing(), EVENTS)
            ups = [
                {"name": name, "journal": journal, "base": bases[name, journal], "upto": upto}
                for (name, journal), upto in sorted(last.items())
            ]
            self._put(db, ups, _further, STREAMS)

    def _put(
        self, db: sa.Connection, rows: list[Json], conflict: Callable[[Any], Any], table: sa.Table
    ) -> None:
        """Inserts rows. SQLite is quickest with one statement for each, PostgreSQL, a network away, with
        one for many."""
        if self.small and rows:
            db.execute(conflict(self._insert(table)), rows)
            return
        for at in range(0, len(rows), _ROWS):
            db.execute(conflict(self._insert(table).values(rows[at : at + _ROWS])))

    def entries(self, name: str, journal: str, match: int) -> list[Json]:
        """The entries of a match, oldest first. Raises StoreError."""
        query = (
            sa.select(EVENTS.c.entry)
            .where(EVENTS.c.name == name, EVENTS.c.journal == journal, EVENTS.c.match == match)
            .order_by(EVENTS.c.seq)
        )
        with self._begin() as db:
            return [row.entry for row in db.execute(query)]

    # -- records -----------------------------------------------------------------------------------

    def unrecorded(self) -> list[tuple[str, str, int, int]]:
        """(table, journal, match, last entry) of the matches that have entries which their record lacks.
        Raises StoreError."""
        last = (
            sa.select(
                EVENTS.c.name, EVENTS.c.journal, EVENTS.c.match, sa.func.max(EVENTS.c.seq).label("last")
            )
            .where(EVENTS.c.match > 0)
            .group_by(EVENTS.c.name, EVENTS.c.journal, EVENTS.c.match)
            .subquery()
        )
        same = sa.and_(*(last.c[k] == RECORDS.c[k] for k in ("name", "journal", "match")))
        query = (
            sa.select(last)
            .outerjoin(RECORDS, same)
            .where(sa.or_(RECORDS.c.revision.is_(None), RECORDS.c.revision < last.c.last))
        )
        with self._begin() as db:
            return [(row.name, row.journal, row.match, row.last) for row in db.execute(query)]

    def record(self, name: str, journal: str, match: int, clock: tuple[str, float] | None = None) -> bool:
        """Makes a match's record from its entries and keeps it, unless a later one is there. `clock`: what
        host.hall.board.Board.clock says of the table. False where the match's beginning is not here, or is
        none. Raises StoreError."""
        entries = self.entries(name, journal, match)
        if not entries or entries[0]["kind"] != "match":
            return False
        try:
            made = record_row(entries, clock)
        except (KeyError, TypeError, ValueError, AttributeError):
            return False  # of a table that lies, or one of another version
        row = {"name": name, "journal": journal, "match": match, **made}
        new = self._insert(RECORDS).values(row)
        changes = {k: new.excluded[k] for k in row if k not in ("name", "journal", "match")}
        with self._begin() as db:
            db.execute(
                new.on_conflict_do_update(
                    index_elements=("name", "journal", "match"),
                    set_=changes,
                    where=RECORDS.c.revision < new.excluded.revision,
                )
            )
        return True

    def played(self, since: float = 0.0, until: float = 2.0**53) -> list[Played]:
        """The matches that began in that time (Unix seconds), oldest first. Raises StoreError."""
        columns = [c for c in RECORDS.c if c.name not in ("record", "revision")]
        query = (
            sa.select(*columns)
            .where(RECORDS.c.started >= since, RECORDS.c.started < until)
            .order_by(RECORDS.c.started, RECORDS.c.name)
        )
        with self._begin() as db:
            rows = db.execute(query).all()
        return [
            Played(
                r.name, r.journal, r.match, r.number, r.game, r.started, r.ended,
                tuple(r.players), tuple(r.winners), r.entries,
            )
            for r in rows
        ]  # fmt: skip

    def texts(self) -> Iterable[tuple[str, str, int, str]]:
        """(table, journal, match number, record) of every match that has one. Raises StoreError."""
        query = (
            sa.select(RECORDS.c.name, RECORDS.c.journal, RECORDS.c.number, RECORDS.c.record)
            .where(RECORDS.c.record.is_not(None))
            .order_by(RECORDS.c.name, RECORDS.c.started)
        )
        with self._begin() as db:
            for row in db.execute(query).yield_per(50):
                yield row.name, row.journal, row.number, row.record

    # -- calls for a judge -------------------------------------------------------------------------

    def calls(self) -> list[Json]:
        """The open calls for a judge, oldest first: table, journal, seq, text, when. Raises StoreError."""
        same = sa.and_(*(EVENTS.c[k] == ATTENDED.c[k] for k in ("name", "journal", "seq")))
        query = (
            sa.select(EVENTS.c.name, EVENTS.c.journal, EVENTS.c.seq, EVENTS.c.text, EVENTS.c.received)
            .outerjoin(ATTENDED, same)
            .where(EVENTS.c.kind == "judge", EVENTS.c.received > time.time() - CALL_S)
            .where(ATTENDED.c.seq.is_(None))
            .order_by(EVENTS.c.received)
        )
        with self._begin() as db:
            return [
                {"table": r.name, "journal": r.journal, "seq": r.seq, "text": r.text, "at": r.received}
                for r in db.execute(query)
            ]

    def attend(self, name: str, journal: str, seq: int) -> bool:
        """Somebody has gone to that table. False where there is no such call. Raises StoreError."""
        is_call = sa.select(EVENTS.c.seq).where(
            EVENTS.c.name == name, EVENTS.c.journal == journal, EVENTS.c.seq == seq, EVENTS.c.kind == "judge"
        )
        row = {"name": name, "journal": journal, "seq": seq, "at": time.time()}
        with self._begin() as db:
            if db.execute(is_call).first() is None:
                return False
            db.execute(self._insert(ATTENDED).values(row).on_conflict_do_nothing())
        return True

    def _begin(self) -> _Transaction:
        return _Transaction(self.engine)


class _Transaction:
    """`engine.begin()`, with the database's troubles as StoreError."""

    def __init__(self, engine: sa.Engine) -> None:
        self._context = engine.begin()

    def __enter__(self) -> sa.Connection:
        try:
            return self._context.__enter__()
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(said(error)) from None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            self._context.__exit__(kind, error, trace)
        except (SQLAlchemyError, OSError) as failed:
            raise StoreError(said(failed)) from None
        if isinstance(error, (SQLAlchemyError, OSError)):
            raise StoreError(said(error)) from None


def _json(value: Any) -> str:
    return pack(value).decode()


def _further(new: Any) -> Any:
    """A stream that is there only comes further."""
    upto = new.excluded.upto
    return new.on_conflict_do_update(index_elements=_KEY, set_={"upto": upto}, where=STREAMS.c.upto < upto)


def said(error: BaseException) -> str:
    """What a database's driver said, on one line and without the statement that it said it of."""
    origin = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    told = origin.args[0] if origin.args else origin
    if isinstance(told, dict):  # pg8000 gives PostgreSQL's fields; M is the message
        told = told.get("M", "it refused")
    return " ".join(str(told).split())[:200].rstrip(".") or type(origin).__name__


def record_row(entries: Sequence[Json], clock: tuple[str, float] | None = None) -> Json:
    """The columns of a match's record that its entries tell, such that every database takes them; by `clock`
    the hour of a table whose own is wrong (F51). Raises KeyError, TypeError, ValueError, AttributeError where
    the entries are none of ours."""
    made = [entry_of(one) for one in entries]
    body = made[0].body
    players = [{k: s[k] for k in ("seat", "name", "house") if k in s} for s in body.get("seats", [])]
    number = body.get("number", 1)
    if type(number) is not int or not 0 <= number < 2**31:
        raise ValueError("the match has no number")
    row: Json = {
        "revision": made[-1].seq,
        "number": number,
        "game": str(body.get("game", ""))[:32],
        "started": hour(made[0], clock),
        "ended": None,
        "players": players,
        "winners": [],
        "entries": len(made),
        "record": None,
    }
    # The room's edge: what a table of another version sends, or one that lies, must not end the hall.
    try:
        match, _ = rebuilt(made)
        summary = match_row(match)
        ended = next((hour(one, clock) for one in made if one.wall == summary["ended"]), None)
        row |= {"ended": ended, "winners": summary["winners"] or []}
        row["record"] = export(record_of_match(made), "jsonl")
    except (CrowntableError, ValueError, KeyError, TypeError, AttributeError, LookupError, AssertionError):
        return row
    return row


def hour(entry: Entry, clock: tuple[str, float] | None) -> float:
    """When an entry was, in Unix seconds: by its table's clock, and where that is wrong by the hall's."""
    if clock is None or entry.boot != clock[0]:
        return entry.wall
    at = clock[1] + entry.mono
    return at if abs(at - entry.wall) > WRONG_S else entry.wall


def entry_of(public: Json) -> Entry:
    """The entry that `wire.public_entry` has made smaller. Raises KeyError, TypeError."""
    return Entry(
        public["seq"],
        public["kind"],
        public["at"],
        public["mono"],
        public["boot"],
        public["match"],
        Who(public["who"]["kind"], public["who"]["id"]),
        public["action"],
        public["ok"],
        tuple(public["findings"]),
        (),
        public["text"],
        public["body"],
    )


def _event_row(one: Event, now: float) -> Json:
    entry = one.entry
    return {
        "name": one.name,
        "journal": one.journal,
        "seq": one.seq,
        "kind": entry["kind"],
        "match": entry["match"],
        "at": entry["at"],
        "received": now,
        "text": entry["text"],
        "entry": entry,
    }


def _careful(connection: Any, _: object) -> None:
    """SQLite: what is acknowledged is on the disk, and two servers wait for each other."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA busy_timeout = 15000")


def _exists(error: Exception) -> bool:
    return "already exists" in str(error) or "duplicate key" in str(error)


def sqlite_url(folder: Path) -> str:
    """The database of a small hall, in its own folder."""
    return f"sqlite:///{(folder / 'hall.sqlite').absolute()}"
