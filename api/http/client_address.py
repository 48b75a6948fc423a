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
    """Return the addresses and networks of a comma-separated list. Raise ValueError."""
    return tuple(ip_network(part.strip(), strict=False) for part in text.split(",") if part.strip())


def rate_limit_key(environ: Mapping[str, Any], proxies: Sequence[Network]) -> str:
    """Return what quotas count as one client: an IPv4 address, or the /64 of an IPv6 one."""
    client = read_client_address(environ, proxies)
    return NO_ADDRESS if client is None else _network_of(client)


def read_client_address(
    environ: Mapping[str, Any], proxies: Sequence[Network] = ()
) -> Address | None:
    """Return the client's address: behind proxies (on this machine, or of these networks) the last
    in `X-Forwarded-For` that is not a proxy's."""
    client = _parse_address(environ.get("REMOTE_ADDR", ""))
    forwarded = environ.get("HTTP_X_FORWARDED_FOR", "").split(",")
    while client is not None and forwarded and _is_proxy(client, proxies):
        client_of_proxy = _parse_address(forwarded.pop())
        if client_of_proxy is None:
            break
        client = client_of_proxy
    return client


def is_forwarded_https(environ: Mapping[str, Any], proxies: Sequence[Network]) -> bool:
    """Return whether a trusted proxy received it over https, by the last `X-Forwarded-Proto`."""
    scheme = environ.get("HTTP_X_FORWARDED_PROTO", "").rpartition(",")[2].strip()
    if scheme != "https":
        return False
    peer = _parse_address(environ.get("REMOTE_ADDR", ""))
    return peer is not None and _is_proxy(peer, proxies)


@lru_cache(maxsize=4096)
def _network_of(client: Address) -> str:
    if client.version == 4:
        return str(client)
    return str(ip_network((client, IPV6_PREFIX_BITS), strict=False))


def _is_proxy(peer: Address, proxies: Sequence[Network]) -> bool:
    return peer.is_loopback or any(peer in network for network in proxies)


def _parse_address(text: str) -> Address | None:
    text = text.strip()
    return _parse_short(text) if len(text) <= MAX_LENGTH else None


@lru_cache(maxsize=4096)
def _parse_short(text: str) -> Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
