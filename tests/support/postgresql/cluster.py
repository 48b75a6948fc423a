"""The PostgreSQL of the tests, with its superuser and its programs, which Vola does not need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from ledger import embedded
from ledger.embedded.cluster import Cluster, find_program


@dataclass(frozen=True, kw_only=True)
class Postgres(embedded.Postgres):
    """A running PostgreSQL, with the superuser's URL on the database `postgres` and the folder of
    programs such as `pg_dump`."""

    super_url: str = field(repr=False)
    bin: Path


@contextmanager
def postgres(data: Path) -> Iterator[Postgres]:
    """Keep the embedded PostgreSQL of the folder `data` running inside the `with`. ServerFailed."""
    with embedded.postgres(data) as running:
        program, port = find_program("postgres"), urlsplit(running.owner_url).port
        assert port is not None
        yield Postgres(
            running.owner_url,
            running.app_url,
            running.audit_url,
            super_url=Cluster(data, program).url("postgres", port, "postgres"),
            bin=program.parent,
        )
