"""The road to PostgreSQL, and a refusal to run where a commit may be lost."""

import select
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Self
from weakref import WeakKeyDictionary

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

Connection = psycopg.Connection[tuple[Any, ...]]
Cursor = psycopg.Cursor[tuple[Any, ...]]
Pool = ConnectionPool[Connection]

LOCK_WAIT_SECONDS = 10
"""How long a request waits for another that holds the same evening."""

IDLE_TRANSACTION_SECONDS = 60
"""A transaction that says nothing for so long was begun by somebody who is no more: what he holds
is let go."""

CONNECTION_TIMEOUTS: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""What ends the wait for a server that has vanished without a word (libpq's own names and units);
a long wait for one that lives is not ended by it."""
PRIMARY_ONLY = {"target_session_attrs": "primary"}
"""Who follows another server may lag behind what has been acknowledged: he is not read from."""
RECONNECT_SECONDS = 2
"""How long one lost connection is tried for before the next request is what tries it. The pool
doubles its pauses: were it let, it would come back only long after the server has."""

BEGIN, COMMIT = "BEGIN", "COMMIT"
IDLE = psycopg.pq.TransactionStatus.IDLE
DURABILITY_SETTINGS = ("fsync", "full_page_writes", "synchronous_commit")
UNSAFE_VALUES = ("off", "local")
"""`local` forgets when a standby takes over that it did not wait for."""
SETTINGS = "SELECT name, setting FROM pg_settings WHERE name = ANY(%(names)s)"
OLDEST_SERVER_VERSION = 150000
OWNS_EVENTS = """
SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class
 WHERE oid = to_regclass('vola.events')
"""


UNREACHABLE_WAIT_SECONDS = 1
"""How long a request waits for a connection while the last try to make one has failed: everybody
would else wait for the same silence, and nobody would be told so."""


CONNECTION_TRUST_SECONDS = 1
"""How long a connection that was given back is taken to be alive if nothing says otherwise: asking
it costs a round trip."""


class UnsuitableDatabase(Exception):
    """A sentence that says what is wrong with this database, and what to do."""


def reliable_conninfo(url: str, *, follower: bool = False) -> str:
    """The address, with PATIENCE wherever it says nothing itself; to a server that leads, unless a
    `follower` will do."""
    settings, defaults = (
        conninfo_to_dict(url),
        CONNECTION_TIMEOUTS if follower else {**CONNECTION_TIMEOUTS, **PRIMARY_ONLY},
    )
    return make_conninfo(
        url, **{name: value for name, value in defaults.items() if name not in settings}
    )


def has_unread_input(connection: Connection) -> bool:
    """Whether the server has said something unasked, or hung up: one look, no round trip."""
    listening = select.poll()
    listening.register(connection.fileno(), select.POLLIN)
    return bool(listening.poll(0))


class DatabasePool(ConnectionPool[Connection]):
    """A pool that knows whether the server is `away`: the last try to reach it has failed, and
    nothing has been had from it since; and that does not ask a connection whether it lives while
    somebody has just used it."""

    unreachable = False

    def __init__(
        self, *args: Any, trusted_seconds: int = CONNECTION_TRUST_SECONDS, **kwargs: Any
    ) -> None:
        self.trusted_seconds = trusted_seconds
        self._used = WeakKeyDictionary[Connection, int]()
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

    def putconn(self, conn: Connection) -> None:
        """As the pool does; one that broke under somebody says that the others may be dead, too."""
        if conn.closed:
            self._used.clear()
        else:
            self._used[conn] = time.monotonic_ns()
        super().putconn(conn)

    def getconn(self, timeout: Any = None) -> Connection:
        """As the pool does, in the order of asking: whoever waits keeps his place. PoolTimeout when
        the patience ends; soon, while the server is away."""
        until = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            left = until - time.monotonic()
            try:
                connection = super().getconn(
                    min(left, UNREACHABLE_WAIT_SECONDS) if self.unreachable else left
                )
            except PoolTimeout:
                if self.unreachable or time.monotonic() >= until:
                    raise  # else it has come back meanwhile, and nobody was let wait for longer
            else:
                self.unreachable = False
                return connection

    def mark_unreachable(self) -> None:
        """The server is away: who waits already is told so soon, unless it comes back meanwhile."""
        self.unreachable = True
        with self._lock:
            waiting = list(self._waiting)

        def tell() -> None:
            for client in waiting if self.unreachable else ():
                client.fail(PoolTimeout("the database is out of reach"))

        if waiting and not self.closed:
            self._sched.enter(UNREACHABLE_WAIT_SECONDS, tell)


def open_pool(
    url: str, *, size: int = 8, name: str = "vola", follower: bool = False
) -> DatabasePool:
    """A pool that opens in the process that uses it, so open it after any fork."""

    class TrackedConnection(Connection):
        """A connection whose making tells the pool how it went."""

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
        reliable_conninfo(url, follower=follower),
        connection_class=TrackedConnection,
        min_size=1,
        max_size=size,
        timeout=LOCK_WAIT_SECONDS,
        reconnect_timeout=RECONNECT_SECONDS,
        kwargs={
            "application_name": name,
            "options": f"{conninfo_to_dict(url).get('options', '')} "
            f"-c lock_timeout={LOCK_WAIT_SECONDS}s -c timezone=UTC "
            f"-c idle_in_transaction_session_timeout={IDLE_TRANSACTION_SECONDS}s "
            r"-c default_transaction_isolation=read\ committed",  # under a lock it is asked of now
        },
        open=False,
        name=name,
    )
    pool.open()
    return pool


@contextmanager
def autocommit_connection(pool: Pool) -> Iterator[Connection]:
    """For one question, or some that need not be answered alike: none of them is a transaction to
    be begun and ended, which would be a round trip each."""
    db = pool.getconn()
    try:
        db.autocommit = True
        yield db
    finally:
        try:
            if not db.closed:
                db.autocommit = False
        finally:
            pool.putconn(db)


@contextmanager
def pipelined_transaction(pool: Pool, after_commit: Sequence[str] = ()) -> Iterator[Connection]:
    """A transaction that waits for the server as seldom as it can: BEGIN goes with the first
    question, COMMIT with the last words, and only what is asked for is waited for. The statements
    that are in `after_commit` by then are tried when it is committed."""
    with pool.connection() as db:
        db.autocommit = True  # psycopg's own BEGIN would be waited for
        try:
            with db.pipeline():
                db.execute(BEGIN)
                yield db
                db.execute(COMMIT)
            for statement in after_commit:
                execute_best_effort(db, statement)
        finally:
            if not db.closed:
                if db.info.transaction_status != IDLE:
                    db.rollback()
                db.autocommit = False


def execute_best_effort(db: Connection, statement: str) -> None:
    """Say something that may be lost: what it is about has been committed."""
    with suppress(psycopg.Error):
        db.execute(statement)


def check_database(url: str) -> None:
    """Refuse a server that is out of reach, too old, or that may forget what it has committed."""
    try:
        with psycopg.connect(reliable_conninfo(url)) as db:
            if db.info.server_version < OLDEST_SERVER_VERSION:
                raise UnsuitableDatabase("Vola needs PostgreSQL 15 or newer; this server is older.")
            for name, setting in db.execute(SETTINGS, {"names": list(DURABILITY_SETTINGS)}):
                if setting in UNSAFE_VALUES:
                    raise UnsuitableDatabase(
                        f"This PostgreSQL runs with {name} = {setting} and may lose what it has "
                        f"acknowledged; turn it on."
                    )
    except psycopg.Error as error:
        reason = str(error).strip().splitlines()[0]
        raise UnsuitableDatabase(f"The database cannot be used: {reason}") from error


def owns_events(url: str) -> bool:
    """Whether this role could lift the guards on the events that it is meant to live under."""
    with psycopg.connect(url) as db:
        row = db.execute(OWNS_EVENTS).fetchone()
    return bool(row and row[0])
