"""Servers for a database, copies of the migrated database, and its URLs for each role."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

import migrations
from ledger import embedded
from ledger.embedded import Valkey
from tests.support.external_servers import database_name
from tests.support.postgresql import cluster as clusters
from tests.support.postgresql.cluster import Postgres


class DatabaseUrls:
    """The URLs of one database for each role."""

    def __init__(self, cluster: Postgres, name: str) -> None:
        self.app = with_database(cluster.app_url, name)
        self.owner = with_database(cluster.owner_url, name)
        self.audit = with_database(cluster.audit_url, name)
        self.super = with_database(cluster.super_url, name)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that make a `vola` command use this database."""
        return {
            "DATABASE_URL": self.app,
            "DATABASE_OWNER_URL": self.owner,
            "DATABASE_AUDIT_URL": self.audit,
        }


@dataclass(frozen=True)
class EmbeddedServers:
    """A PostgreSQL, whose database `vola` is migrated, and a Valkey."""

    folder: Path
    postgres: Postgres
    valkey: Valkey

    @property
    def environment(self) -> dict[str, str]:
        """The variables that make a `vola` command use the database `vola`."""
        return self.environment_of(DatabaseUrls(self.postgres, "vola"))

    def environment_of(self, urls: DatabaseUrls) -> dict[str, str]:
        """The variables that make a `vola` command use this copy of the database."""
        return {
            **urls.environment,
            "REDIS_URL": self.valkey.url,
            "VOLA_DATA": str(self.folder),
        }


@contextmanager
def run_migrated_postgres(folder: Path) -> Iterator[Postgres]:
    """Run a PostgreSQL whose database `vola` is migrated; its files are in `folder`."""
    with clusters.postgres(folder) as cluster:
        migrations.apply(cluster.owner_url, app_url=cluster.app_url, audit_url=cluster.audit_url)
        yield cluster


@contextmanager
def run_embedded_servers(folder: Path) -> Iterator[EmbeddedServers]:
    with run_migrated_postgres(folder) as cluster, embedded.valkey(folder) as valkey:
        yield EmbeddedServers(folder, cluster, valkey)


@contextmanager
def run_temporary_servers(name: str) -> Iterator[EmbeddedServers]:
    """Run servers for one command, in a folder that is deleted afterwards."""
    with (
        TemporaryDirectory(prefix=f"vola-{name}-") as folder,
        run_embedded_servers(Path(folder)) as embedded,
    ):
        yield embedded


def with_database(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{database_name(name)}"))


def create_database(
    cluster: Postgres, name: str, template: str = "template0", strategy: str = "wal_log"
) -> DatabaseUrls:
    """Create a database, empty or as a copy of another."""
    create = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER vola_owner STRATEGY {}").format(
        sql.Identifier(database_name(name)), sql.Identifier(template), sql.Identifier(strategy)
    )
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute(create)
    return DatabaseUrls(cluster, name)


def copy_database(cluster: Postgres, name: str) -> DatabaseUrls:
    """Create a copy of the migrated database."""
    return create_database(cluster, name, database_name("vola"), "file_copy")


def drop_database(cluster: Postgres, name: str) -> None:
    drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(database_name(name)))
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute(drop)


def valkey_url(valkey: Valkey, database: int) -> str:
    """Return the URL of another database of this Valkey, so that no other test's worker reads
    it."""
    base, _, first = valkey.url.rpartition("/")
    return f"{base}/{int(first) + database}"
