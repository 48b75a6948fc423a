"""The port of 127.0.0.1 that an embedded server listens on."""

import socket
from contextlib import suppress

from ledger.embedded.errors import ServerFailed


def free_port(preferred: int | None) -> int:
    """Return `preferred` if nothing listens there on 127.0.0.1 (old URLs stay valid), or another
    port. ServerFailed when there is none."""
    for port in (preferred, 0):
        if port is None:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError, OverflowError):
                probe.bind(("127.0.0.1", port))
                return int(probe.getsockname()[1])
    raise ServerFailed(
        "No port on 127.0.0.1 can be listened on: look at this computer's network (loopback), "
        "or set DATABASE_URL and REDIS_URL to servers elsewhere."
    )
