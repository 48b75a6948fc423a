"""What this machine is called by a phone on the same network."""

import os
import socket
from urllib.parse import urlsplit, urlunsplit

EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  # compared, not bound
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def bare(host: str) -> str:
    """An IPv6 address may stand in brackets, as it does in the address of a page."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") and ":" in host else host


def lan_address() -> str | None:
    """This machine's address on the local network, if it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: only asks which way it would go
            address: str = probe.getsockname()[0]
        except OSError:
            return None
    return None if address.startswith("127.") else address


def for_phones(url: str) -> str:
    """The same page as others reach it: a link to this machine by its own name for itself is of no
    use to them. Changed only when the server listens on every interface."""
    parts = urlsplit(url)
    lan = lan_address() if bare(os.environ.get("HOST", "")) in EVERYWHERE else None
    if lan is None or parts.hostname not in LOOPBACK:
        return url
    return urlunsplit(parts._replace(netloc=f"{lan}:{parts.port}" if parts.port else lan))
