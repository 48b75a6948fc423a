"""The client's address, and whether it used https, behind trusted proxies.

`X-Forwarded-For` and `X-Forwarded-Proto` are believed from trusted proxies only, and of them only
the values those proxies added themselves.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NO_ADDRESS = "?"
"""A client without an address, as over a Unix socket."""
MAX_LENGTH = 64
"""Characters of an address, with room to spare: anything longer is not parsed or cached."""
IPV6_PREFIX_BITS = 64
"""The network of one subscriber, who chooses the remaining bits of an IPv6 address freely."""


def parse_networks(text: str) -> tuple[Network, ...]:
    """Return the addresses and networks of a comma-separated list. ValueError."""
    return tuple(ip_network(one.strip(), strict=False) for one in text.split(",") if one.strip())


def rate_limit_key(environ: Mapping[str, Any], proxies: Sequence[Network] = ()) -> str:
    """Return what quotas count as one client: an IPv4 address, or the /64 of an IPv6 one."""
    found = read_client_address(environ, proxies)
    if found is None:
        return NO_ADDRESS
    return str(ip_network((found, IPV6_PREFIX_BITS), strict=False) if found.version == 6 else found)


def read_client_address(
    environ: Mapping[str, Any], proxies: Sequence[Network] = ()
) -> Address | None:
    """Return the client's address: behind proxies (on this machine, or of these networks) the last
    in `X-Forwarded-For` that is not a proxy's."""
    found = _read(environ.get("REMOTE_ADDR", ""))
    passed = environ.get("HTTP_X_FORWARDED_FOR", "").split(",")
    while found is not None and passed and _is_proxy(found, proxies):
        before = _read(passed.pop())
        if before is None:
            break
        found = before
    return found


def is_forwarded_https(environ: Mapping[str, Any], proxies: Sequence[Network] = ()) -> bool:
    """Whether a trusted proxy received the request over https: the last `X-Forwarded-Proto`."""
    peer = _read(environ.get("REMOTE_ADDR", ""))
    told = environ.get("HTTP_X_FORWARDED_PROTO", "").rpartition(",")[2].strip()
    return told == "https" and peer is not None and _is_proxy(peer, proxies)


def _is_proxy(of: Address, proxies: Sequence[Network]) -> bool:
    return of.is_loopback or any(of.version == one.version and of in one for one in proxies)


def _read(text: str) -> Address | None:
    text = text.strip()
    return _address(text) if len(text) <= MAX_LENGTH else None


@lru_cache(maxsize=4096)
def _address(text: str) -> Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
