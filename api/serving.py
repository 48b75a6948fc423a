"""Running it all: the server, a worker and the relay, stopping together and cleanly.

Children learn the addresses of the servers from the environment. None of them outlives its parent:
after a kill -9 the port is free again at once.
"""

import gc
import logging
import os
import resource
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import psycopg

import migrations
from api.addresses import EVERYWHERE
from api.orphan import PARENT, die_with_parent
from api.settings import BadSetting, Settings
from ledger import database, servers
from ledger.crew import MODULE
from ledger.servers.forking import apart
from workers import queue, running

log = logging.getLogger("vola")

API_PROCESSES = 2
LOOK_SECONDS = 1
CONNECTIONS = 4096
"""At once, in one process: those that say nothing count, too."""
BACKLOG = 2048
"""Connections that wait to be taken."""
SILENT_SECONDS = 20
"""A connection that does not send the head of a request for so long is hung up."""


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """Where the servers are, after those that had to be started have been."""

    app: str
    owner: str
    audit: str
    redis: str | None


@contextmanager
def addresses(
    chosen: Settings, *, redis: bool = False, migrate: bool = True, there: bool = False
) -> Iterator[Addresses]:
    """The servers that the settings name, or our own while this lasts.

    The database is checked and its tables brought up to date. `there`: whoever looks at a book
    wants one that is there. BadSetting, servers.ServerFailed, database.DatabaseUnfit.
    """
    if there and not chosen.database_url and not servers.has_postgres(chosen.data):
        raise BadSetting(f"There is no book in {chosen.data}; VOLA_DATA says where it lies.")
    with ExitStack() as stack:
        if chosen.database_url:
            app = chosen.database_url
            owner, audit = chosen.database_owner_url or app, chosen.database_audit_url or app
        else:
            own = stack.enter_context(servers.postgres(chosen.data))
            app, owner, audit = own.app_url, own.owner_url, own.audit_url
        database.check(app)
        if chosen.database_audit_url:
            check_reader(chosen.database_audit_url)
        if migrate and migrations.pending(app):
            migrations.apply(owner, app_url=app, audit_url=audit)
        bell = chosen.redis_url
        if bell:
            check_bell(bell)
        elif redis:
            bell = stack.enter_context(servers.valkey(chosen.data)).url
        yield Addresses(app=app, owner=owner, audit=audit, redis=bell)


def serve(chosen: Settings, ready: Callable[[Settings], None]) -> None:
    """Serve until Ctrl-C or SIGTERM; `ready` is called when the page answers. BadSetting."""
    check_port(chosen.host, chosen.port)
    if chosen.tls_cert and chosen.tls_key:
        from api import certificate

        certificate.check(chosen.tls_cert, chosen.tls_key)
    with taken(chosen.host, chosen.port), addresses(chosen, redis=True) as found:
        if database.owns_events(found.app):
            log.warning(
                "This role owns the events and could lift their guards; "
                "give the app a role of its own (DATABASE_URL) beside DATABASE_OWNER_URL."
            )
        environment(found)
        with child("worker"), looked_after(chosen):
            threading.Thread(target=announce, args=(chosen, ready), daemon=True).start()
            granian(chosen).serve()


def announce(chosen: Settings, ready: Callable[[Settings], None]) -> None:
    """Say where the page is as soon as something answers there."""
    host = "127.0.0.1" if chosen.host in EVERYWHERE else chosen.host
    while True:
        try:
            socket.create_connection((host, chosen.port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return ready(chosen)


def environment(found: Addresses) -> None:
    """Tell the children what was found."""
    os.environ["DATABASE_URL"] = found.app
    os.environ["DATABASE_AUDIT_URL"] = found.audit
    os.environ.pop("DATABASE_OWNER_URL", None)  # a server process has no use for it
    if found.redis:
        os.environ["REDIS_URL"] = found.redis
    os.environ[PARENT] = str(os.getpid())


@contextmanager
def looked_after(chosen: Settings) -> Iterator[None]:
    """Our own servers are started again when they fall: to enter is to start what is not running,
    on the port that it had. Without a doorbell there is play, but not without a database: one that
    had to come back elsewhere would not be found by anybody here, so that we end."""
    own = [servers.postgres] * (not chosen.database_url) + [servers.valkey] * (not chosen.redis_url)
    stop, first = threading.Event(), list[object]()

    def look() -> None:
        for server in own:
            try:
                with server(chosen.data) as here:
                    if server is servers.postgres and not first:
                        first.append(here)
                    if server is servers.postgres and first != [here]:
                        log.error("Our database has come back on another port: begin anew, please.")
                        os.kill(os.getpid(), signal.SIGTERM)
                        stop.set()
            except servers.ServerFailed as failed:
                log.warning("%s", failed)

    def looking() -> None:
        look()
        while not stop.wait(LOOK_SECONDS):
            look()

    thread = threading.Thread(target=looking, name="watch")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def granian(chosen: Settings) -> Any:
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels

    from api import process  # once, before there are several

    gc.freeze()  # no process looks for garbage among what is loaded, nor needs a copy of it
    allow_files()
    made = Granian(
        f"{process.__name__}:app",
        factory=True,
        address=number_of(chosen.host),
        port=chosen.port,
        interface=Interfaces.RSGI,
        workers=API_PROCESSES,
        backlog=BACKLOG,
        backpressure=CONNECTIONS,
        http=HTTPModes.http1,  # a mode that is to guess waits for ever for the first word
        http1_settings=HTTP1Settings(header_read_timeout=SILENT_SECONDS * 1000),
        respawn_failed_workers=True,
        respawn_interval=0.2,
        workers_kill_timeout=10,
        websockets=False,
        log_level=LogLevels.error,
        ssl_cert=chosen.tls_cert,
        ssl_key=chosen.tls_key,
    )
    # a closed terminal ends it, unless it was begun to outlive one (nohup); the server itself would
    # take that for a wish to be reloaded
    outlives = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    made.on_startup(
        lambda: signal.signal(
            signal.SIGHUP, signal.SIG_IGN if outlives else signal.getsignal(signal.SIGTERM)
        )
    )
    return made


def allow_files() -> None:
    """As many open files as the system grants: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CONNECTIONS if hard == resource.RLIM_INFINITY else min(2 * CONNECTIONS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextmanager
def child(*command: str) -> Iterator[None]:
    """Another `vola` beside this one, started again when it falls, stopped at the end."""
    stop = threading.Event()
    keeper = threading.Thread(target=_keep, args=(command, stop), name="keeper", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        stop.set()
        keeper.join()


def _keep(command: tuple[str, ...], stop: threading.Event) -> None:
    while not stop.is_set():
        # in a session of its own: Ctrl-C is for us, and we then stop it when the server has
        with apart:
            started = subprocess.Popen(  # noqa: S603
                [*MODULE, "api.cli", *command], start_new_session=True
            )
        while started.poll() is None:
            if stop.wait(0.1):
                started.send_signal(signal.SIGTERM)
                try:
                    started.wait(10)
                except subprocess.TimeoutExpired:
                    started.kill()
                return
        log.warning("%s ended with %s; starting it again", command[0], started.returncode)
        stop.wait(0.5)


def work(chosen: Settings, *, count: int = 1, relay: bool = True) -> None:
    """Settle what is due until told to stop: one relay, and so many workers on the doorbell."""
    die_with_parent()
    with addresses(chosen, redis=True) as found, ExitStack() as stack:
        environment(found)
        for _ in range(count - 1):
            stack.enter_context(child("worker", "--no-relay"))
        running.work(found.app, found.redis, relay=relay)


def check_port(host: str, port: int) -> None:
    """Refuse a port that somebody else has; a predecessor gets two seconds to let go of it."""
    deadline = time.monotonic() + 2
    while True:
        try:
            number = number_of(host)
            with socket.socket(socket.AF_INET6 if ":" in number else socket.AF_INET) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((number, port))
                probe.listen(1)
            return
        except OSError as error:
            if time.monotonic() > deadline:
                raise BadSetting(
                    f"Cannot listen on {host}:{port}: {error.strerror}. "
                    f"Choose another with PORT or HOST."
                ) from error
            time.sleep(0.1)


@contextmanager
def taken(host: str, port: int) -> Iterator[int]:
    """Whoever else asks for this port meanwhile is refused by `check_port`: our processes share it,
    and would share it with his. Its number, which is asked for with 0."""
    number = number_of(host)
    with socket.socket(socket.AF_INET6 if ":" in number else socket.AF_INET) as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind((number, port))  # and does not listen
        yield int(held.getsockname()[1])


def number_of(host: str) -> str:
    """The numeric address of a host name. BadSetting when it has none, or one with a zone."""
    try:
        number = str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except (OSError, UnicodeError) as error:
        raise BadSetting(f"HOST names no address of this machine: {host}.") from error
    if ":" in number and ip_address(number).is_link_local:
        raise BadSetting(
            f"HOST is an address of one link alone, which browsers do not open: {host}. "
            "Name another one, or :: for all of them."
        )
    return number


def check_reader(url: str) -> None:
    """Refuse an auditor whom the server does not let in. One that is away just now may come back,
    and is no reason not to play."""
    try:
        psycopg.connect(database.road(url, follower=True)).close()
    except psycopg.OperationalError as error:
        reason = str(error).strip().splitlines()[0].partition("FATAL:")[2].strip()
        if reason and not reason.startswith("the database system is "):
            raise BadSetting(f"DATABASE_AUDIT_URL does not let anybody in: {reason}.") from error


def check_bell(url: str) -> None:
    """Refuse an address that is none. A Redis that is out of reach is no reason not to play."""
    try:
        queue.connect(url).close()
    except ValueError as error:
        raise BadSetting(f"REDIS_URL is not an address: {str(error).rstrip('.')}.") from error
