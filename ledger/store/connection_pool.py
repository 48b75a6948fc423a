"""Connections to PostgreSQL, and a check that it does not lose commits."""

import select
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from secrets import randbits
from typing import Any, LiteralString, Self
from weakref import WeakKeyDictionary

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

Connection = psycopg.Connection[tuple[Any, ...]]
Cursor = psycopg.Cursor[tuple[Any, ...]]
Pool = ConnectionPool[Connection]

LOCK_WAIT_SECONDS = 10
"""How long a request waits for another that has locked the same session."""
IDLE_TRANSACTION_SECONDS = 60
"""The server ends a transaction that is idle for this long, and releases its locks."""
CONNECTION_TIMEOUTS: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""Detect a server that has vanished (libpq's own names and units), without ending a long wait for
one that is alive."""
PRIMARY_ONLY = {"target_session_attrs": "primary"}
"""A replica may lag behind what has been acknowledged, so it is not read from."""
RECONNECT_SECONDS = 2
"""How long the pool itself retries a lost connection; after that, the next request does. The pool
doubles its pauses, so it would notice only long after the server has come back."""

BEGIN, COMMIT = "BEGIN", "COMMIT"
IDLE = psycopg.pq.TransactionStatus.IDLE
INTRANS, INERROR = psycopg.pq.TransactionStatus.INTRANS, psycopg.pq.TransactionStatus.INERROR
DURABILITY_SETTINGS = ("fsync", "full_page_writes", "synchronous_commit")
UNSAFE_VALUES = ("off", "local")
"""With `local`, a commit is lost when a standby takes over that it did not wait for."""
SETTINGS = "SELECT name, setting FROM pg_settings WHERE name = ANY(%(names)s)"
OLDEST_SERVER_VERSION = 150000
ENCODING = "UTF8"
"""In another one some names cannot be stored, or come back as bytes."""
ENCODING_REMEDIES = {
    "server_encoding": "create one as deploy/roles.sql does, with ENCODING 'UTF8'",
    "client_encoding": "remove that setting from PGCLIENTENCODING, the address or the role",
}
OWNS_EVENTS = """
SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class
 WHERE oid = to_regclass('vola.events')
"""
TRY_LOCK = "SELECT pg_try_advisory_xact_lock(%(key)s::bigint)"

UNREACHABLE_WAIT_SECONDS = 1
"""How long a request waits for a connection after the last attempt to connect has failed."""
CONNECTION_TRUST_SECONDS = 1
"""How long after its last use a connection is assumed to be alive; a check costs a round trip."""


class UnsuitableDatabase(Exception):
    """This database cannot be used; the message says why and what to do."""


def reliable_conninfo(url: str, *, allow_replica: bool = False) -> str:
    """Return the address with CONNECTION_TIMEOUTS where it sets none itself. It leads to a primary
    only, unless `allow_replica`."""
    defaults = CONNECTION_TIMEOUTS if allow_replica else CONNECTION_TIMEOUTS | PRIMARY_ONLY
    return make_conninfo(**defaults | conninfo_to_dict(url))


def is_same_database(url: str, other_url: str) -> bool:
    """Return whether both addresses lead to one database, however they are spelled: then a lock
    that was taken through one is not free through the other. Any role may ask. Raise
    psycopg.Error."""
    key = {"key": randbits(63)}
    with (
        psycopg.connect(reliable_conninfo(url)) as db,
        psycopg.connect(reliable_conninfo(other_url)) as other_db,
    ):
        db.execute(TRY_LOCK, key)
        return not fetch_value(other_db, TRY_LOCK, key)


def has_unread_input(connection: Connection) -> bool:
    """Return whether the server has sent something unasked or hung up, without a round trip."""
    listening = select.poll()
    listening.register(connection.fileno(), select.POLLIN)
    return bool(listening.poll(0))


class DatabasePool(ConnectionPool[Connection]):
    """A pool that knows whether the server is `unreachable`, because the last attempt to connect
    failed, and that does not check a connection which was used a moment ago. Its connections are
    in autocommit, except while `connection` lends one."""

    unreachable = False
    trusted_seconds = CONNECTION_TRUST_SECONDS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._used: WeakKeyDictionary[Connection, int] = WeakKeyDictionary()
        super().__init__(*args, check=self._alive, **kwargs)

    def _alive(self, connection: Connection) -> None:
        since = time.monotonic_ns() - self._used.get(connection, 0)
        if since < self.trusted_seconds * 1_000_000_000 and not has_unread_input(connection):
            return
        try:
            self.check_connection(connection)
        except psycopg.Error:
            self.drain()  # after a restart of the server all are dead: do not try them one by one
            raise

    @contextmanager
    def connection(self, timeout: Any = None) -> Iterator[Connection]:
        """Lend a connection on which the first statement opens a transaction, which is committed at
        the end, or rolled back after an exception."""
        db = self.getconn(timeout)
        try:
            db.autocommit = False
            with db:
                yield db
        finally:
            if db.info.transaction_status == IDLE:
                db.autocommit = True
            else:  # the rollback failed: the pool replaces a connection that is closed
                db.close()
            self.putconn(db)

    def putconn(self, conn: Connection) -> None:
        """Return a connection to the pool; if it is broken, the others are checked before use."""
        if conn.closed:
            self._used.clear()
        else:
            self._used[conn] = time.monotonic_ns()
        super().putconn(conn)

    def getconn(self, timeout: Any = None) -> Connection:
        """Return a connection, in the order of requests. PoolTimeout, which comes soon while the
        server is unreachable."""
        until = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            seconds = until - time.monotonic()
            if self.unreachable:
                seconds = min(seconds, UNREACHABLE_WAIT_SECONDS)
            try:
                connection = super().getconn(seconds)
            except PoolTimeout:
                if self.unreachable or time.monotonic() >= until:
                    raise  # else the server came back while this request waited
            else:
                self.unreachable = False
                return connection

    def mark_unreachable(self) -> None:
        """Fail the requests that are waiting now, after UNREACHABLE_WAIT_SECONDS, unless the server
        has come back by then."""
        self.unreachable = True
        with self._lock:
            waiting_clients = list(self._waiting)

        def fail_waiting() -> None:
            if self.unreachable:
                for client in waiting_clients:
                    client.fail(PoolTimeout("the database is out of reach"))

        if waiting_clients and not self.closed:
            self._sched.enter(UNREACHABLE_WAIT_SECONDS, fail_waiting)


def open_pool(
    url: str, *, size: int = 8, name: str = "vola", allow_replica: bool = False
) -> DatabasePool:
    """Return a pool. It belongs to the process that opens it, so open it after any fork."""

    class TrackedConnection(Connection):
        """A connection that tells the pool whether connecting succeeded."""

        @classmethod
        def connect(cls, *args: Any, **kwargs: Any) -> Self:
            try:
                connected = super().connect(*args, **kwargs)
            except psycopg.Error:
                pool.mark_unreachable()
                raise
            pool.unreachable = False
            return connected

    pool = DatabasePool(
        reliable_conninfo(url, allow_replica=allow_replica),
        connection_class=TrackedConnection,
        min_size=1,
        max_size=size,
        timeout=LOCK_WAIT_SECONDS,
        reconnect_timeout=RECONNECT_SECONDS,
        kwargs={
            "autocommit": True,
            "application_name": name,
            "options": f"{conninfo_to_dict(url).get('options', '')} "
            f"-c lock_timeout={LOCK_WAIT_SECONDS}s -c timezone=UTC "
            f"-c idle_in_transaction_session_timeout={IDLE_TRANSACTION_SECONDS}s "
            r"-c default_transaction_isolation=read\ committed",  # sees the latest commits
        },
        open=False,
        name=name,
    )
    pool.open()
    return pool


@contextmanager
def autocommit_connection(pool: Pool) -> Iterator[Connection]:
    """Lend a connection on which every statement commits by itself, which saves the round trips of
    BEGIN and COMMIT."""
    db = pool.getconn()
    try:
        yield db
    finally:
        pool.putconn(db)


@contextmanager
def pipelined_transaction(pool: Pool, after_commit: Sequence[str] = ()) -> Iterator[Connection]:
    """Open a transaction that waits for as few round trips as it can: BEGIN is sent with the first
    statement, COMMIT with the last. Statements in `after_commit` are tried once it is committed."""
    with autocommit_connection(pool) as db:  # psycopg would wait for its own BEGIN
        try:
            with db.pipeline():
                db.execute(BEGIN)
                yield db
                db.execute(COMMIT)
        except BaseException:
            if db.info.transaction_status in (INTRANS, INERROR):
                db.rollback()
            else:  # the server may not have heard that the pipeline ended
                db.close()
            raise
        for statement in after_commit:
            execute_best_effort(db, statement)


def fetch_value(
    db: Connection, query: LiteralString, parameters: Mapping[str, object] | None = None
) -> Any:
    """Return the first column of the first row; None without a row."""
    row = db.execute(query, parameters).fetchone()
    return row[0] if row else None


def execute_best_effort(db: Connection, statement: str) -> None:
    """Execute a statement whose failure does no harm."""
    with suppress(psycopg.Error):
        db.execute(statement)


def check_database(url: str) -> None:
    """Raise UnsuitableDatabase if the server is out of reach, too old, may lose commits, or cannot
    store every name."""
    try:
        with psycopg.connect(reliable_conninfo(url)) as db:
            if db.info.server_version < OLDEST_SERVER_VERSION:
                raise UnsuitableDatabase("Vola needs PostgreSQL 15 or newer; this server is older.")
            for name, remedy in ENCODING_REMEDIES.items():
                if (encoding := db.info.parameter_status(name)) != ENCODING:
                    raise UnsuitableDatabase(
                        f"Vola needs {name} = {ENCODING}, and this database has {encoding}: "
                        f"{remedy}."
                    )
            for name, setting in db.execute(SETTINGS, {"names": list(DURABILITY_SETTINGS)}):
                if setting in UNSAFE_VALUES:
                    raise UnsuitableDatabase(
                        f"This PostgreSQL runs with {name} = {setting} and may lose what it has "
                        f"acknowledged; turn it on."
                    )
    except psycopg.Error as error:
        reason = str(error).strip().splitlines()[0]
        raise UnsuitableDatabase(
            f"The database cannot be used: {reason.rstrip('.')}. Check that it runs, and that "
            f"DATABASE_URL has its address."
        ) from error


def owns_events(url: str) -> bool:
    """Return whether this role owns the events, and so could lift their protection."""
    with psycopg.connect(url) as db:
        return bool(fetch_value(db, OWNS_EVENTS))
