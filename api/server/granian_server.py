"""The granian server, configured: its processes, connections and timeouts."""

import gc
import signal
from typing import Any

from api.server.sockets import raise_file_limit, resolve_host
from api.settings import Settings

API_PROCESSES = 2
MAX_CONNECTIONS = 4096
"""In one process, idle ones included."""
BACKLOG = 2048
"""Connections that wait to be accepted."""
HEADER_READ_SECONDS = 20
"""A connection that does not send the headers of a request for so long is closed."""


def create_granian(settings: Settings) -> Any:
    """Return a granian server that runs api.server.entrypoint in each of its processes."""
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels

    from api.server import entrypoint  # loaded once, before the fork

    gc.freeze()  # what is loaded by now is never garbage, and stays shared between the processes
    raise_file_limit(2 * MAX_CONNECTIONS)
    server = Granian(
        f"{entrypoint.__name__}:create_server_app",
        factory=True,
        address=resolve_host(settings.host),
        port=settings.port,
        interface=Interfaces.RSGI,
        workers=API_PROCESSES,
        backlog=BACKLOG,
        backpressure=MAX_CONNECTIONS,
        http=HTTPModes.http1,  # the mode that detects the version waits for ever for the first byte
        http1_settings=HTTP1Settings(header_read_timeout=HEADER_READ_SECONDS * 1000),
        respawn_failed_workers=True,
        respawn_interval=0.2,
        workers_kill_timeout=10,
        websockets=False,
        log_level=LogLevels.error,
        ssl_cert=settings.tls_cert,
        ssl_key=settings.tls_key,
    )
    # a closed terminal ends the server, unless it was started to outlive it (nohup); granian itself
    # would take SIGHUP for a wish to reload
    outlives_terminal = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    server.on_startup(
        lambda: signal.signal(
            signal.SIGHUP,
            signal.SIG_IGN if outlives_terminal else signal.getsignal(signal.SIGTERM),
        )
    )
    return server
