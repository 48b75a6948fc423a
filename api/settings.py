"""The settings in the environment, read once. `vola serve --help` shows every name."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from api.http import client_address
from api.http.client_address import Network
from api.http.lan_address import strip_brackets
from api.http.security_headers import HstsScope
from api.observability.logging_config import LogFormat


class InvalidSetting(Exception):
    """A setting is invalid. The message is one sentence: which one, and what is wrong with it."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings. Without the address of a server, Vola starts its own (ledger.embedded)."""

    data: Path
    old_postgres: Path | None = None
    database_url: str | None = None
    database_owner_url: str | None = None
    database_audit_url: str | None = None
    redis_url: str | None = None
    host: str = "127.0.0.1"
    port: int = 8080
    tls_cert: Path | None = None
    tls_key: Path | None = None
    rate_limit_factor: int | None = 1  # None: there are no rate limits
    proxies: tuple[Network, ...] = ()
    hsts: HstsScope = "host"
    cors_origins: frozenset[str] = frozenset()
    log: LogFormat | None = None


HELP = {
    "DATABASE_URL": "PostgreSQL 15 or newer, as the app's role (unset: an embedded server)",
    "DATABASE_OWNER_URL": "the same database as its owner: migrations, rebuild (DATABASE_URL)",
    "DATABASE_AUDIT_URL": "the same database as a reader: audits (DATABASE_URL)",
    "REDIS_URL": "Redis 6.2 or newer, or Valkey (unset: an embedded server)",
    "VOLA_DATA": "where the embedded servers keep their data (./var)",
    "VOLA_OLD_POSTGRES": "the folder with the programs of the PostgreSQL that made VOLA_DATA, "
    "for moving it to this one (searched for where it is usually installed)",
    "HOST": "the address to listen on (127.0.0.1)",
    "PORT": "the port to listen on (8080)",
    "TLS_CERT": "a certificate file, PEM; with TLS_KEY the form is served by https",
    "TLS_KEY": "its key file, PEM, PKCS#8",
    "VOLA_RATE_LIMITS": "a number that multiplies the rate limits, for many tables behind one "
    "address (1); off: none, for load tests",
    "VOLA_PROXIES": "addresses or networks, with commas between, of proxies that Vola "
    "trusts about the client's address and https (only those on this machine)",
    "VOLA_HSTS": "where browsers that came by https use https alone for a year: host, "
    "subdomains (the host and all below it) or off (host)",
    "VOLA_CORS_ORIGINS": "origins, with commas between, whose pages may use the API with a token, "
    "such as https://club.example (none)",
    "VOLA_LOG": "text: sentences; json: a line for each record and each request (text on "
    "a terminal, else json)",
}

POSTGRESQL = (("postgresql://", "postgres://"), "postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
REDIS = (("redis://", "rediss://", "unix://"), "redis://:PASSWORD@HOST:PORT/NUMBER")
URLS = {
    "DATABASE_URL": POSTGRESQL,
    "DATABASE_OWNER_URL": POSTGRESQL,
    "DATABASE_AUDIT_URL": POSTGRESQL,
    "REDIS_URL": REDIS,
}
"""The schemes that a server URL may have, and an example."""


def read_settings(environ: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings; an empty value counts as unset. Raise InvalidSetting."""
    values = {name: value for name in HELP if (value := environ.get(name, "").strip())}
    _check_urls(values)
    _check_tls_files(values)
    port = values.get("PORT", "8080")
    if not _is_whole_number(port) or not 1 <= int(port) <= 65535:
        raise InvalidSetting(f"PORT must be a number from 1 to 65535, not {port[:20]!r}.")
    factor = values.get("VOLA_RATE_LIMITS", "1").lower()
    if factor != "off" and not (_is_whole_number(factor) and 1 <= int(factor) <= 1000):
        raise InvalidSetting(
            f"VOLA_RATE_LIMITS must be off, or a number from 1 to 1000: {factor!r}."
        )
    try:
        proxies = client_address.parse_networks(values.get("VOLA_PROXIES", ""))
    except ValueError as error:
        raise InvalidSetting(f"VOLA_PROXIES names no address or network: {error}.") from None
    return Settings(
        data=Path(values.get("VOLA_DATA", "var")).absolute(),
        old_postgres=Path(old) if (old := values.get("VOLA_OLD_POSTGRES")) else None,
        database_url=values.get("DATABASE_URL"),
        database_owner_url=values.get("DATABASE_OWNER_URL"),
        database_audit_url=values.get("DATABASE_AUDIT_URL"),
        redis_url=values.get("REDIS_URL"),
        host=strip_brackets(values.get("HOST", "127.0.0.1")),
        port=int(port),
        tls_cert=Path(values["TLS_CERT"]) if "TLS_CERT" in values else None,
        tls_key=Path(values["TLS_KEY"]) if "TLS_KEY" in values else None,
        rate_limit_factor=None if factor == "off" else int(factor),
        proxies=proxies,
        hsts=_choice(values, "VOLA_HSTS", get_args(HstsScope)) or "host",
        cors_origins=_read_origins(values.get("VOLA_CORS_ORIGINS", "")),
        log=_choice(values, "VOLA_LOG", get_args(LogFormat)),
    )


def _choice(values: Mapping[str, str], name: str, choices: tuple[str, ...]) -> Any:
    """Return the choice that the setting names, or None if it is unset."""
    choice = values[name].lower() if name in values else None
    if choice is not None and choice not in choices:
        names = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise InvalidSetting(f"{name} must be {names}, not {choice!r}.")
    return choice


def _read_origins(text: str) -> frozenset[str]:
    """Return the origins as browsers send them. Raise InvalidSetting."""
    origins = frozenset(origin.strip().rstrip("/") for origin in text.split(",") if origin.strip())
    for origin in origins:
        if not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?", origin):
            raise InvalidSetting(
                f"VOLA_CORS_ORIGINS must name origins like https://club.example, not {origin!r}."
            )
        if origin.endswith(":443" if origin.startswith("https:") else ":80"):
            raise InvalidSetting(
                f"VOLA_CORS_ORIGINS must leave out the usual port, as browsers do: {origin!r}."
            )
    return origins


def _check_urls(values: Mapping[str, str]) -> None:
    for name, (schemes, example) in URLS.items():
        if name in values and not values[name].startswith(schemes):
            raise InvalidSetting(f"{name} must begin with {' or '.join(schemes)}.")
        if name in values and not _is_server_url(values[name]):
            raise InvalidSetting(
                f"{name} must look like {example}, other characters written as %XX."
            )
    for name in ("DATABASE_OWNER_URL", "DATABASE_AUDIT_URL"):
        if name in values and "DATABASE_URL" not in values:
            raise InvalidSetting(f"{name} is the same database as DATABASE_URL: set that, too.")


def _check_tls_files(values: Mapping[str, str]) -> None:
    if ("TLS_CERT" in values) != ("TLS_KEY" in values):
        raise InvalidSetting("TLS_CERT and TLS_KEY go together: set both, or neither.")
    for name in ("TLS_CERT", "TLS_KEY"):
        if name in values and not os.access(values[name], os.R_OK):
            raise InvalidSetting(f"{name} names a file that cannot be read: {values[name]}.")


def _is_server_url(url: str) -> bool:
    """Return whether its client can parse it; the client's own error would show the password."""
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
