"""What the environment says, read once. Every name is shown by `vola serve --help`."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from api.http import client_address as caller
from api.http.client_address import Network
from api.http.lan_address import bare
from api.http.security_headers import HSTS_SCOPES, HstsScope
from api.observability.logging_config import LOG_FORMATS, LogFormat


class InvalidSetting(Exception):
    """One sentence: which setting, what is wrong with it."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Unset server addresses mean: start our own (ledger.embedded)."""

    data: Path
    database_url: str | None = None
    database_owner_url: str | None = None
    database_audit_url: str | None = None
    redis_url: str | None = None
    host: str = "127.0.0.1"
    port: int = 8080
    tls_cert: Path | None = None
    tls_key: Path | None = None
    limits: int | None = 1  # so many times the rate limits; None: there are none
    proxies: tuple[Network, ...] = ()
    hsts: HstsScope = "host"
    log: LogFormat | None = None


HELP = {
    "DATABASE_URL": "PostgreSQL 15 or newer, as the app's role (unset: an embedded server)",
    "DATABASE_OWNER_URL": "the same database as its owner: migrations, rebuild (DATABASE_URL)",
    "DATABASE_AUDIT_URL": "the same database as a reader: audits (DATABASE_URL)",
    "REDIS_URL": "Redis 6.2 or newer, or Valkey (unset: an embedded server)",
    "VOLA_DATA": "where the embedded servers keep their data (./var)",
    "HOST": "the address to listen on (127.0.0.1)",
    "PORT": "the port to listen on (8080)",
    "TLS_CERT": "a certificate file, PEM; with TLS_KEY the form is served by https",
    "TLS_KEY": "its key file, PEM, PKCS#8",
    "VOLA_RATE_LIMITS": "a number: so many times the rate limits, for many tables behind one "
    "address (1); off: none, for load tests",
    "VOLA_PROXIES": "addresses or networks, with commas between, of proxies that are believed "
    "about who calls, and whether by https (only those on this machine)",
    "VOLA_HSTS": "what browsers that came by https then ask by https alone, for a year: host, "
    "subdomains (the host and all below it) or off (host)",
    "VOLA_LOG": "text: sentences; json: a line for everything, also for each request (text on "
    "a terminal, else json)",
}

POSTGRESQL = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
EXAMPLES = {
    "DATABASE_URL": POSTGRESQL,
    "DATABASE_OWNER_URL": POSTGRESQL,
    "DATABASE_AUDIT_URL": POSTGRESQL,
    "REDIS_URL": "redis://:PASSWORD@HOST:PORT/NUMBER",
}


def read_settings(environ: Mapping[str, str] = os.environ) -> Settings:
    """Settings from the environment; an empty value counts as unset. BadSetting."""
    given = {name: value for name in HELP if (value := environ.get(name, "").strip())}
    port = given.get("PORT", "8080")
    if not _is_whole_number(port) or not 1 <= int(port) <= 65535:
        raise InvalidSetting(f"PORT must be a number from 1 to 65535, not {port[:20]!r}.")
    for name, schemes in (
        ("DATABASE_URL", ("postgresql://", "postgres://")),
        ("DATABASE_OWNER_URL", ("postgresql://", "postgres://")),
        ("DATABASE_AUDIT_URL", ("postgresql://", "postgres://")),
        ("REDIS_URL", ("redis://", "rediss://", "unix://")),
    ):
        if name in given and not given[name].startswith(schemes):
            raise InvalidSetting(f"{name} must begin with {' or '.join(schemes)}.")
        if name in given and not _is_server_url(given[name]):
            raise InvalidSetting(
                f"{name} must look like {EXAMPLES[name]}, other signs written as %XX."
            )
    for name in ("DATABASE_OWNER_URL", "DATABASE_AUDIT_URL"):
        if name in given and "DATABASE_URL" not in given:
            raise InvalidSetting(f"{name} is the same database as DATABASE_URL: set that, too.")
    if ("TLS_CERT" in given) != ("TLS_KEY" in given):
        raise InvalidSetting("TLS_CERT and TLS_KEY go together: set both, or neither.")
    for name in ("TLS_CERT", "TLS_KEY"):
        if name in given and not os.access(given[name], os.R_OK):
            raise InvalidSetting(f"{name} names a file that cannot be read: {given[name]}.")
    limits = given.get("VOLA_RATE_LIMITS", "1").lower()
    if limits != "off" and not (_is_whole_number(limits) and 1 <= int(limits) <= 1000):
        raise InvalidSetting(
            f"VOLA_RATE_LIMITS must be off, or a number from 1 to 1000: {limits!r}."
        )
    try:
        proxies = caller.parse_networks(given.get("VOLA_PROXIES", ""))
    except ValueError as error:
        raise InvalidSetting(f"VOLA_PROXIES names no address or network: {error}.") from None
    hsts = next((one for one in HSTS_SCOPES if one == given.get("VOLA_HSTS", "host")), None)
    if hsts is None:
        raise InvalidSetting(
            f"VOLA_HSTS must be {_any_of(HSTS_SCOPES)}, not {given['VOLA_HSTS']!r}."
        )
    if "VOLA_LOG" in given and given["VOLA_LOG"] not in LOG_FORMATS:
        raise InvalidSetting(
            f"VOLA_LOG must be {' or '.join(LOG_FORMATS)}, not {given['VOLA_LOG']!r}."
        )
    log = next((form for form in LOG_FORMATS if form == given.get("VOLA_LOG")), None)
    return Settings(
        data=Path(given.get("VOLA_DATA", "var")).absolute(),
        database_url=given.get("DATABASE_URL"),
        database_owner_url=given.get("DATABASE_OWNER_URL"),
        database_audit_url=given.get("DATABASE_AUDIT_URL"),
        redis_url=given.get("REDIS_URL"),
        host=bare(given.get("HOST", "127.0.0.1")),
        port=int(port),
        tls_cert=Path(given["TLS_CERT"]) if "TLS_CERT" in given else None,
        tls_key=Path(given["TLS_KEY"]) if "TLS_KEY" in given else None,
        limits=None if limits == "off" else int(limits),
        proxies=proxies,
        hsts=hsts,
        log=log,
    )


def _any_of(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _is_server_url(url: str) -> bool:
    """Whether the programs that are to use it could. Their own words would repeat the password."""
    try:
        if url.startswith("postgres"):
            conninfo_to_dict(url)
            return True
        parts = urlsplit(url)
        number = parts.path.strip("/")
        if parts.scheme == "unix":
            return bool(number)
        return parts.port != 0 and (not number or _is_whole_number(number))
    except (psycopg.Error, ValueError):
        return False


def _is_whole_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
