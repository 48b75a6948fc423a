"""The two servers that Vola brings along, so that a card evening needs nothing installed.

Used when DATABASE_URL or REDIS_URL is unset. The first process that enters with a data folder
starts the server, later ones join it, the last to leave stops it; a killed process counts as left,
and its server waits for the next to join. Nothing here knows of tables or jobs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ledger.servers.failure import ServerFailed
from ledger.servers.launcher import running
from ledger.servers.postgresql import PostgreSQL
from ledger.servers.valkey_server import ValkeyServer

__all__ = ["Postgres", "ServerFailed", "Valkey", "postgres", "valkey"]


@dataclass(frozen=True)
class Postgres:
    """A running PostgreSQL 18: libpq URLs per role on the database `vola` (`super_url`: on
    `postgres`), and the folder with its own programs, such as `pg_dump` and `pgbench`."""

    owner_url: str = field(repr=False)
    app_url: str = field(repr=False)
    audit_url: str = field(repr=False)
    super_url: str = field(repr=False)
    bin: Path


@dataclass(frozen=True)
class Valkey:
    """A running Valkey 9: its Redis URL, with password."""

    url: str = field(repr=False)


@contextmanager
def postgres(data: Path) -> Iterator[Postgres]:
    """Keep the PostgreSQL of the folder `data` running inside the `with`, and made if new.

    The cluster lies in `data/postgres`, its passwords beside it with mode 0600. After a crash it
    comes back on the port it had, if that is still free. Raises ServerFailed.
    """
    server = PostgreSQL(data)
    with running(server):
        yield Postgres(
            owner_url=server.url("vola_owner"),
            app_url=server.url("vola_app"),
            audit_url=server.url("vola_auditor"),
            super_url=server.url("postgres", "postgres"),
            bin=server.program.parent,
        )


def has_postgres(data: Path) -> bool:
    """Whether a PostgreSQL was ever made in this folder."""
    return PostgreSQL(data).folder.exists()


@contextmanager
def valkey(data: Path) -> Iterator[Valkey]:
    """Keep the Valkey of the folder `data` running inside the `with`.

    It keeps nothing across a stop: what is owed stands in PostgreSQL. Raises ServerFailed.
    """
    server = ValkeyServer(data)
    with running(server):
        yield Valkey(url=server.url())
