"""External servers, for the tests that do not need the bundled ones.

`TEST_DATABASE_URL`, a superuser's URL of a PostgreSQL, and `TEST_REDIS_URL`, of a Redis or Valkey
with at least 64 databases, replace the embedded servers. All test processes share them, so each has
databases of its own. `TEST_DATABASE_LOGS` is the folder of the PostgreSQL's logs, if a test may
read them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
import redis
from psycopg import sql

from ledger.embedded import Valkey
from tests.support.postgresql import other_version
from tests.support.postgresql.cluster import Postgres

DATABASE_URL = os.environ.get("TEST_DATABASE_URL")
REDIS_URL = os.environ.get("TEST_REDIS_URL")
PROCESS = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
REDIS_DATABASES = 16  # of a test process
ROLES = ("vola_owner", "vola_app", "vola_auditor")
LOCK = "SELECT pg_advisory_xact_lock(0, 0)"
"""Processes of a test run start at the same time, and two cannot change a role at once."""
LEFT_OVER = "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"


def list_logs() -> list[Path]:
    """Return the logs of the PostgreSQL, if the tests can read them."""
    folder = os.environ.get("TEST_DATABASE_LOGS")
    return [] if folder is None else list(Path(folder).glob("*.log"))


def database_name(name: str) -> str:
    """Return the database's name for this test process: the same on a server of its own."""
    return name if DATABASE_URL is None else f"{PROCESS}_{name}"


@contextmanager
def external_postgres(url: str) -> Iterator[Postgres]:
    """Yield the server with the roles of an embedded one, and an empty database `vola` of this test
    process; drop the databases of the process afterwards."""
    password = sha256(url.encode()).hexdigest()
    with psycopg.connect(url) as db:
        db.execute(LOCK)
        for role in ROLES:
            known = db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
            change = sql.SQL("{} ROLE {} LOGIN PASSWORD {}").format(
                sql.SQL("ALTER" if known else "CREATE"), sql.Identifier(role), sql.Literal(password)
            )
            db.execute(change)
        major = db.info.server_version // 10_000
    programs = other_version.installed(major)
    assert programs, other_version.missing(major)
    _drop_databases(url)
    with psycopg.connect(url, autocommit=True) as db:
        create = "CREATE DATABASE {} OWNER vola_owner TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
        db.execute(sql.SQL(create).format(sql.Identifier(database_name("vola"))))

    def role_url(role: str) -> str:
        parts = urlsplit(url)
        host = f"{role}:{quote(password)}@{parts.netloc.rpartition('@')[2]}"
        return urlunsplit(parts._replace(netloc=host, path=f"/{database_name('vola')}"))

    try:
        yield Postgres(*map(role_url, ROLES), super_url=url, bin=programs)
    finally:
        _drop_databases(url)


def _drop_databases(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as db:
        for (name,) in db.execute(LEFT_OVER, [f"{PROCESS}_"]).fetchall():
            db.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def external_valkey(url: str) -> Valkey:
    """Return the server with the databases of this test process."""
    number = int(PROCESS.removeprefix("gw"))
    databases = int(redis.from_url(url).config_get("databases")["databases"])
    assert databases >= (number + 1) * REDIS_DATABASES, "start it with --databases 64"
    base = urlunsplit(urlsplit(url)._replace(path=""))
    return Valkey(url=f"{base}/{number * REDIS_DATABASES}")
