"""The supervisor: starts the servers, the workers and granian, and stops them together.

Children learn the addresses of the servers from the environment.
"""

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial

import psycopg
from redis import RedisError

from api.http.lan_address import ALL_INTERFACES
from api.server.backup_schedule import automatic_backups
from api.server.child_process import PARENT, child_process, die_with_parent
from api.server.sockets import check_port, reserved_port
from api.server.table_upgrade import check_not_outdated, migrate_if_needed
from api.server.upgrade_audit import confirm_upgrade
from api.settings import InvalidSetting, Settings
from ledger import embedded
from ledger.embedded.data_folder import has_cluster
from ledger.store import connection_pool
from ledger.store.connection_pool import Pool
from workers import main as workers
from workers import queue

log = logging.getLogger("vola")

CHECK_SECONDS = 1
"""The time between two checks of the embedded servers."""
FOLDER_BACK = "The book in %s is back."
FOLDER_GONE = (
    "The book in %s is gone; was its disk pulled? "
    "Put it back in the same place, and Vola goes on by itself."
)


@dataclass(frozen=True, kw_only=True)
class ServerUrls:
    """The URLs of the servers, embedded ones included, by what they are used for."""

    app: str
    owner: str
    audit: str
    redis: str | None


@contextmanager
def running_servers(
    settings: Settings, *, redis: bool = False, migrate: bool = True, must_exist: bool = False
) -> Iterator[ServerUrls]:
    """Yield the URLs of the servers in the settings, or of embedded ones that run until the exit.

    The database is checked and migrated (`migrate_if_needed`). `must_exist`: do not create a new
    book. Raise InvalidSetting, embedded.ServerFailed, connection_pool.UnsuitableDatabase or
    BackupRefused.
    """
    if must_exist and not settings.database_url and not embedded.has_postgres(settings.data):
        raise InvalidSetting(
            f"There is no book in {settings.data}: `vola serve` begins one; VOLA_DATA says where."
        )
    with ExitStack() as stack:
        if settings.database_url:
            app = settings.database_url
            owner, audit = settings.database_owner_url or app, settings.database_audit_url or app
        else:
            postgres = stack.enter_context(embedded.postgres(settings.data, settings.old_postgres))
            app, owner, audit = postgres.app_url, postgres.owner_url, postgres.audit_url
        connection_pool.check_database(app)
        if settings.database_owner_url:
            check_owner_url(owner, app)
        check_not_outdated(app)
        if settings.database_audit_url:
            check_audit_url(settings.database_audit_url)
        embedded_data = None if settings.database_url else settings.data
        if migrate:
            migrate_if_needed(
                embedded_data, app_url=app, owner_url=owner, audit_url=audit, must_exist=must_exist
            )
        if migrate and embedded_data:
            confirm_upgrade(embedded_data, app_url=app, audit_url=audit)
        redis_url = settings.redis_url
        if redis_url:
            check_redis_url(redis_url)
        elif redis:
            redis_url = stack.enter_context(embedded.valkey(settings.data)).url
        yield ServerUrls(app=app, owner=owner, audit=audit, redis=redis_url)


@contextmanager
def open_app_pool(settings: Settings, *, must_exist: bool) -> Iterator[Pool]:
    """Connect one command to the database, as the app's role. Raise as `running_servers` does."""
    with (
        running_servers(settings, must_exist=must_exist) as urls,
        connection_pool.open_pool(urls.app, size=1) as pool,
    ):
        yield pool


def serve(settings: Settings, ready: Callable[[Settings], None]) -> None:
    """Serve until Ctrl-C or SIGTERM; call `ready` when the port answers. Raise InvalidSetting."""
    check_port(settings.host, settings.port)
    if settings.tls_cert and settings.tls_key:
        from api.server.tls import check_certificate  # loads much that plain HTTP does not need

        check_certificate(settings.tls_cert, settings.tls_key)
    with reserved_port(settings.host, settings.port), running_servers(settings, redis=True) as urls:
        if connection_pool.owns_events(urls.app):
            log.warning(
                "This role owns the events and could drop the triggers that protect them: give the "
                "app a role of its own in DATABASE_URL, and name the owner in DATABASE_OWNER_URL."
            )
        set_environment(urls)
        data = None if settings.database_url else settings.data
        # The watch ends last: after a disk was removed and put back, the watch alone keeps the
        # servers running that it has started there, and the last backup needs them.
        backups = automatic_backups(data, urls.app)
        with keep_servers_running(settings), backups, child_process("worker"):
            threading.Thread(target=report_when_ready, args=(settings, ready), daemon=True).start()
            from api.server.granian_server import create_granian  # loads the app, before the fork

            create_granian(settings).serve()


def run_worker(settings: Settings, *, count: int = 1, relay: bool = True) -> None:
    """Settle what is due until SIGTERM, with `count` workers and, if wanted, the outbox relay.
    Raise as `running_servers` does."""
    die_with_parent()
    # in a new book there is nothing to settle: VOLA_DATA or DATABASE_URL is mistyped
    servers = running_servers(settings, redis=True, must_exist=True)
    with servers as urls, ExitStack() as stack:
        set_environment(urls)
        for _ in range(count - 1):
            stack.enter_context(child_process("worker", "--no-relay"))
        workers.run_worker(urls.app, urls.redis, relay=relay)


def report_when_ready(settings: Settings, on_ready: Callable[[Settings], None]) -> None:
    """Call `on_ready` as soon as the port accepts a connection."""
    host = "127.0.0.1" if settings.host in ALL_INTERFACES else settings.host
    while True:
        try:
            socket.create_connection((host, settings.port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            on_ready(settings)
            return


def set_environment(urls: ServerUrls) -> None:
    """Pass the servers' URLs on to the child processes."""
    os.environ["DATABASE_URL"] = urls.app
    os.environ["DATABASE_AUDIT_URL"] = urls.audit
    os.environ.pop("DATABASE_OWNER_URL", None)  # a server process has no use for it
    if urls.redis:
        os.environ["REDIS_URL"] = urls.redis
    os.environ[PARENT] = str(os.getpid())


class ServerWatch:
    """Restarts the embedded servers when they fail, on the port they had.

    Without Redis the table can play on. If the database comes back on another port, all processes
    end, because those that run do not know the new port. While the data folder is gone, nothing is
    started: a new book in its place would be mistaken for the old one.
    """

    def __init__(self, settings: Settings) -> None:
        self._data = settings.data
        self._failures: dict[str, str] = {}
        self._servers: dict[str, Callable[[], AbstractContextManager[object]]] = {}
        if not settings.database_url:
            self._servers["book"] = partial(embedded.postgres, self._data, must_exist=True)
        if not settings.redis_url:
            self._servers["queue"] = partial(embedded.valkey, self._data)
        self._uses: dict[str, ExitStack] = {}
        self._is_missing = False
        self._database_addresses: set[object] = set()

    def check(self) -> bool:
        """Restart the servers that have failed; return whether the running processes can go on."""
        is_missing = "book" in self._servers and not has_cluster(self._data)
        if is_missing != self._is_missing:
            self._is_missing = is_missing
            log.warning(FOLDER_GONE if is_missing else FOLDER_BACK, self._data)
        for name in () if is_missing else self._servers:
            self._restart(name)
        if len(self._database_addresses) > 1:
            log.error(
                "The database has come back on another port, so all processes end: start again."
            )
        return len(self._database_addresses) <= 1

    def _restart(self, name: str) -> None:
        use = ExitStack()
        try:
            running = use.enter_context(self._servers[name]())  # starts what is not running
        except (embedded.ServerFailed, OSError) as failure:  # a dying disk may fail at any read
            if str(failure) != self._failures.get(name):
                log.warning("%s", failure)
            self._failures[name] = str(failure)
            return
        self._failures.pop(name, None)
        if name == "book":
            self._database_addresses.add(running)
        # Release the earlier use only now: after a disk was removed and put back, nothing else uses
        # the server that has just been started, and it would stop again.
        self._uses.pop(name, ExitStack()).close()
        self._uses[name] = use

    def close(self) -> None:
        for use in self._uses.values():
            use.close()


@contextmanager
def keep_servers_running(settings: Settings) -> Iterator[None]:
    """Watch the embedded servers inside the `with`, as ServerWatch does."""
    watch, stop = ServerWatch(settings), threading.Event()

    def keep_checking() -> None:
        while not stop.is_set():
            if not watch.check():
                os.kill(os.getpid(), signal.SIGTERM)
                stop.set()
            stop.wait(CHECK_SECONDS)
        watch.close()

    thread = threading.Thread(target=keep_checking, name="server watch")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def check_owner_url(url: str, app_url: str) -> None:
    """Raise InvalidSetting for the owner of another database, whose tables a migration would change
    and a backup save. If it is out of reach, whatever needs the owner says so."""
    with suppress(psycopg.OperationalError):
        if not connection_pool.is_same_database(url, app_url):
            raise InvalidSetting(
                "DATABASE_OWNER_URL leads to another database than DATABASE_URL: name the same "
                "database in both, with the owner's name and password in DATABASE_OWNER_URL."
            )


def check_audit_url(url: str) -> None:
    """Raise InvalidSetting if the database refuses the auditor. One out of reach may come back."""
    try:
        psycopg.connect(connection_pool.reliable_conninfo(url, allow_replica=True)).close()
    except psycopg.OperationalError as error:
        fault = str(error).strip().splitlines()[0].partition("FATAL:")[2].strip()
        if fault and not fault.startswith("the database system is "):
            raise InvalidSetting(f"DATABASE_AUDIT_URL refuses to connect: {fault}.") from error


def check_redis_url(url: str) -> None:
    """Raise InvalidSetting for a malformed URL or an option that does not exist; without Redis
    itself the table can play on."""
    try:
        queue.connect(url).connection_pool.make_connection()  # which does not connect yet
    except (ValueError, TypeError, RedisError) as error:
        reason = str(error).rpartition(".__init__() got ")[2].rstrip(".")
        raise InvalidSetting(f"REDIS_URL or one of its options is wrong: {reason}.") from error
