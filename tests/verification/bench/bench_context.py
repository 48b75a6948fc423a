"""The servers of the bench: its own PostgreSQL and Valkey, and a migrated database per row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql

from tests.support.databases import DatabaseUrls, copy_database, run_temporary_servers
from tests.support.postgresql.cluster import Postgres
from tests.verification.bench.sizes import Sizes


@dataclass
class BenchContext:
    """The servers, their `folder` and the sizes; a `smoke` run is too small for figures."""

    folder: Path
    postgres: Postgres
    redis_url: str
    sizes: Sizes
    smoke: bool = False
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @contextmanager
    def database(self) -> Iterator[DatabaseUrls]:
        """Yield an empty book, which is dropped afterwards."""
        name = f"bench_{next(self._numbers)}"
        try:
            yield copy_database(self.postgres, name)
        finally:
            self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def checkpoint(self) -> None:
        """Make a checkpoint, so that earlier writes do not slow the next measurement."""
        self._execute(sql.SQL("CHECKPOINT"))

    def _execute(self, statement: sql.Composable) -> None:
        with psycopg.connect(self.postgres.super_url, autocommit=True) as db:
            db.execute(statement)


@contextmanager
def open_bench_context(sizes: Sizes, *, smoke: bool = False) -> Iterator[BenchContext]:
    with run_temporary_servers("bench") as servers:
        yield BenchContext(servers.folder, servers.postgres, servers.valkey.url, sizes, smoke)
