"""The address at which phones on the same network reach this server."""

import os
import re
import socket
from urllib.parse import urlsplit, urlunsplit

from flask import request

from api.http.problems import Problem

ALL_INTERFACES = ("0.0.0.0", "::")  # noqa: S104  # compared, not bound
HOST = re.compile(r"[A-Za-z0-9.:\[\]-]+")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def strip_brackets(host: str) -> str:
    """Return the host without the brackets that an IPv6 address has in a URL."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") and ":" in host else host


def lan_address() -> str | None:
    """Return this machine's address on the local network, if it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: only asks which way it would go
            address: str = probe.getsockname()[0]
        except OSError:
            return None
    return None if address.startswith("127.") else address


def with_lan_address(url: str) -> str:
    """Return the URL with this machine's LAN address in place of localhost, which other machines
    cannot reach, if the server listens on every interface."""
    parts = urlsplit(url)
    lan = lan_address() if strip_brackets(os.environ.get("HOST", "")) in ALL_INTERFACES else None
    if lan is None or parts.hostname not in LOOPBACK:
        return url
    return urlunsplit(parts._replace(netloc=f"{lan}:{parts.port}" if parts.port else lan))


def public_base_url() -> str:
    """Return the address of this server, as the request names it, for links to give to others.
    Raise Problem 400 when its host cannot be part of a link."""
    if not HOST.fullmatch(request.host):
        raise Problem(400, "malformed")
    return with_lan_address(request.host_url).rstrip("/")
