"""Where a request comes from: the address of the caller, not of the proxy that passed it on.

Anybody may write `X-Forwarded-For`; it is believed from proxies alone, and of it only what they
have added themselves.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NOBODY = "?"
"""Whoever comes without an address, as over a socket of the file system."""
LONGEST = 64
"""Signs of an address, with room to spare: nothing longer is looked at, or remembered."""
HOME_BITS = 64
"""A home or a phone has so many bits of an IPv6 address to choose from by itself."""


def networks(text: str) -> tuple[Network, ...]:
    """Addresses and networks, with commas between. ValueError."""
    return tuple(ip_network(one.strip(), strict=False) for one in text.split(",") if one.strip())


def household(environ: Mapping[str, Any], proxies: Sequence[Network] = ()) -> str:
    """Who is counted as one: an IPv4 address, or the network of an IPv6 one. `environ`: WSGI's."""
    found = address(environ, proxies)
    if found is None:
        return NOBODY
    return str(ip_network((found, HOME_BITS), strict=False) if found.version == 6 else found)


def address(environ: Mapping[str, Any], proxies: Sequence[Network] = ()) -> Address | None:
    """The caller's; behind proxies (on this machine, or of these networks) the last address in
    `X-Forwarded-For` that is not a proxy's."""
    found = _read(environ.get("REMOTE_ADDR", ""))
    passed = environ.get("HTTP_X_FORWARDED_FOR", "").split(",")
    while found is not None and passed and _is_proxy(found, proxies):
        before = _read(passed.pop())
        if before is None:
            break
        found = before
    return found


def _is_proxy(of: Address, proxies: Sequence[Network]) -> bool:
    return of.is_loopback or any(of.version == one.version and of in one for one in proxies)


def _read(text: str) -> Address | None:
    text = text.strip()
    return _address(text) if len(text) <= LONGEST else None


@lru_cache(maxsize=4096)
def _address(text: str) -> Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
