"""The granian server, configured, and the app that it runs in each of its processes."""

import gc
import multiprocessing
import signal
import sys
import tempfile
from contextlib import suppress
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

from api.app import create_app
from api.observability.logging_config import configure_logging
from api.rate_limit.enforcement import RateLimits
from api.server.backup_schedule import backups_of_parent
from api.server.child_process import die_with_parent
from api.server.rsgi_adapter import LONG_POOLS, THREADS, RsgiAdapter
from api.server.sockets import raise_file_limit, resolve_host
from api.settings import Settings, read_settings
from ledger.store.connection_pool import open_pool

API_PROCESSES = 2
MAX_CONNECTIONS = 4096
"""Connections of one process, idle ones included."""
BACKLOG = 2048
"""Connections that wait to be accepted."""
HEADER_READ_SECONDS = 20
"""A connection that does not send the headers of a request for this long is closed."""
MAX_HEADER_BYTES = 16 * 1024
"""What the request line and the headers of a request have together: granian refuses more with 431.
By itself it takes 400 KiB, which some parsers of headers need seconds for, or longer."""
SPARE_CONNECTIONS = 3
"""Connections besides those of running requests: for health, counters and the change feed."""
SWITCH_SECONDS = 0.0005
"""How long a thread may hold the GIL while others wait. An action takes it again after each reply
of the database; with Python's 5 ms, a PDF made actions seven times as slow."""
POOL_SIZE = THREADS + sum(LONG_POOLS.values()) + SPARE_CONNECTIONS


def create_granian(settings: Settings) -> Any:
    """Return a granian server that runs `create_server_app` in each of its processes."""
    if sys.platform == "linux":  # the processes inherit what follows; Python 3.14 would not fork
        multiprocessing.set_start_method("fork", force=True)
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is loaded by now is never garbage, and stays shared between the processes
    raise_file_limit(2 * MAX_CONNECTIONS)
    with suppress(FileNotFoundError):
        tempfile.gettempdir()  # looks for a folder with room, which later may be another or none
    server = Granian(
        f"{__name__}:{create_server_app.__name__}",
        factory=True,
        address=resolve_host(settings.host),
        port=settings.port,
        interface=Interfaces.RSGI,
        workers=API_PROCESSES,
        backlog=BACKLOG,
        backpressure=MAX_CONNECTIONS,
        http=HTTPModes.http1,  # the mode that detects the version has no limit for the first byte
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADER_READ_SECONDS * 1000, max_buffer_size=MAX_HEADER_BYTES
        ),
        respawn_failed_workers=True,
        respawn_interval=0.2,
        workers_kill_timeout=10,
        websockets=False,
        log_level=LogLevels.error,
        ssl_cert=settings.tls_cert,
        ssl_key=settings.tls_key,
    )
    # a closed terminal ends the server, unless it was started to outlive it (nohup); granian itself
    # would reload at SIGHUP
    outlives_terminal = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    server.on_startup(
        lambda: signal.signal(
            signal.SIGHUP, signal.SIG_IGN if outlives_terminal else signal.getsignal(signal.SIGTERM)
        )
    )
    # granian would go on ignoring Ctrl-C: a second one ends the wait for the last backup
    on_interrupt = signal.getsignal(signal.SIGINT)
    server.on_shutdown(lambda: signal.signal(signal.SIGINT, on_interrupt))
    return server


def create_server_app() -> RsgiAdapter:
    """Return the app of one server process; its pool opens here, after the fork."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)  # the parent's are inherited; granian sets its own
    die_with_parent()
    settings = read_settings()
    configure_logging(settings.log)
    assert settings.database_url, "the supervisor has set DATABASE_URL"
    assert settings.database_audit_url, "and DATABASE_AUDIT_URL"
    factor, proxies = settings.rate_limit_factor, settings.proxies
    app = create_app(
        open_pool(settings.database_url, size=POOL_SIZE, name="vola api"),
        open_pool(settings.database_audit_url, size=2, name="vola audit", allow_replica=True),
        rate_limits=None if factor is None else RateLimits(factor=factor, proxies=proxies),
        backups=backups_of_parent(),
    )
    app.extensions["request_counters"].start_writing()
    app.config.update(HSTS=settings.hsts, CORS_ORIGINS=settings.cors_origins)
    return RsgiAdapter(app, proxies)
