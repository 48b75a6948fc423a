"""The listening address: resolving it, and keeping other processes off it."""

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

from api.settings import InvalidSetting

PREDECESSOR_SECONDS = 2


def check_port(host: str, port: int) -> None:
    """Raise InvalidSetting if the port is in use; an earlier server has two seconds to free it."""
    deadline = time.monotonic() + PREDECESSOR_SECONDS
    while True:
        try:
            address = resolve_host(host)
            with socket.socket(_family(address)) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((address, port))
                probe.listen(1)
            return
        except OSError as error:
            if time.monotonic() > deadline:
                raise InvalidSetting(
                    f"Cannot listen on {host}:{port}: {error.strerror}. "
                    f"Choose another with PORT or HOST."
                ) from error
            time.sleep(0.1)


@contextmanager
def reserved_port(host: str, port: int) -> Iterator[int]:
    """Hold the port without listening, and yield its number; with 0 the system chooses one.

    The server's processes share it (SO_REUSEPORT), and would share it with those of another server,
    which `check_port` prevents meanwhile.
    """
    address = resolve_host(host)
    with socket.socket(_family(address)) as reservation:
        reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reservation.bind((address, port))
        yield int(reservation.getsockname()[1])


def resolve_host(host: str) -> str:
    """Return a host name's numeric address. Raise InvalidSetting if it is unknown, multicast or
    link-local."""
    try:
        address = str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
        if ip_address(address).is_multicast:  # the system would listen there all the same
            raise OSError
    except (OSError, UnicodeError) as error:
        raise InvalidSetting(f"HOST names no address of this machine: {host}.") from error
    if ":" in address and ip_address(address).is_link_local:
        raise InvalidSetting(
            f"HOST is an address of one link alone, which browsers do not open: {host}. "
            "Name another one, or :: for all of them."
        )
    return address


def raise_file_limit(count: int) -> None:
    """Allow `count` open files, or as many as the system grants: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    granted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < granted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (granted, hard))


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET
