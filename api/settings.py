"""What the environment says, read once. Every name is shown by `vola serve --help`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class BadSetting(Exception):
    """One sentence: which setting, what is wrong with it."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Unset server addresses mean: start our own (ledger.servers)."""

    data: Path
    database_url: str | None = None
    database_owner_url: str | None = None
    database_audit_url: str | None = None
    redis_url: str | None = None
    host: str = "127.0.0.1"
    port: int = 8080
    tls_cert: Path | None = None
    tls_key: Path | None = None


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
    "VOLA_RATE_LIMITS": "off: no rate limits, for load tests (there are none yet)",
}


def read(environ: Mapping[str, str] = os.environ) -> Settings:
    """Settings from the environment; an empty value counts as unset. BadSetting."""
    given = {name: value for name in HELP if (value := environ.get(name, "").strip())}
    port = given.get("PORT", "8080")
    if not port.isdecimal() or not 1 <= int(port) <= 65535:
        raise BadSetting(f"PORT must be a number from 1 to 65535, not {port!r}.")
    for name, schemes in (
        ("DATABASE_URL", ("postgresql://", "postgres://")),
        ("DATABASE_OWNER_URL", ("postgresql://", "postgres://")),
        ("DATABASE_AUDIT_URL", ("postgresql://", "postgres://")),
        ("REDIS_URL", ("redis://", "rediss://", "unix://")),
    ):
        if name in given and not given[name].startswith(schemes):
            raise BadSetting(f"{name} must begin with {' or '.join(schemes)}.")
    if ("TLS_CERT" in given) != ("TLS_KEY" in given):
        raise BadSetting("TLS_CERT and TLS_KEY go together: set both, or neither.")
    for name in ("TLS_CERT", "TLS_KEY"):
        if name in given and not os.access(given[name], os.R_OK):
            raise BadSetting(f"{name} names a file that cannot be read: {given[name]}.")
    return Settings(
        data=Path(given.get("VOLA_DATA", "var")).absolute(),
        database_url=given.get("DATABASE_URL"),
        database_owner_url=given.get("DATABASE_OWNER_URL"),
        database_audit_url=given.get("DATABASE_AUDIT_URL"),
        redis_url=given.get("REDIS_URL"),
        host=given.get("HOST", "127.0.0.1"),
        port=int(port),
        tls_cert=Path(given["TLS_CERT"]) if "TLS_CERT" in given else None,
        tls_key=Path(given["TLS_KEY"]) if "TLS_KEY" in given else None,
    )
