"""Where it is measured: PostgreSQL and Valkey of our own, and a migrated database for each row."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql

import migrations
from ledger import servers
from ledger.servers import Postgres
from tests.bench.sizes import Sizes
from tests.conftest import Urls, copied


@dataclass
class Place:
    """Everything lies in `folder`; what is smoke is too small for a figure."""

    folder: Path
    postgres: Postgres
    bell: str
    sizes: Sizes
    smoke: bool = False
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @contextmanager
    def book(self) -> Iterator[Urls]:
        """An empty book, thrown away afterwards."""
        name = f"bench_{next(self._numbers)}"
        try:
            yield copied(self.postgres, name)
        finally:
            self._do(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def calm(self) -> None:
        """What was written before is on the disk and is nobody's burden now."""
        self._do(sql.SQL("CHECKPOINT"))

    def _do(self, statement: sql.Composable) -> None:
        with psycopg.connect(self.postgres.super_url, autocommit=True) as db:
            db.execute(statement)


@contextmanager
def place(sizes: Sizes, *, smoke: bool = False) -> Iterator[Place]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vola-bench-")))
        own = stack.enter_context(servers.postgres(folder))
        bell = stack.enter_context(servers.valkey(folder)).url
        migrations.apply(own.owner_url, app_url=own.app_url, audit_url=own.audit_url)
        yield Place(folder, own, bell, sizes, smoke)
