"""The servers for all tests of a run: they are started once, and no mutant affects them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import Phase, settings
from psycopg import sql


@dataclass(frozen=True)
class ServerUrls:
    """The addresses of the servers, as plain text: they need no import of Vola's modules."""

    owner_url: str
    app_url: str
    audit_url: str
    super_url: str
    bin: str
    valkey: str


class Servers:
    """A pytest plugin with which the fixtures find running servers and a migrated database."""

    def __init__(self, urls: ServerUrls) -> None:
        self.urls = urls
        self.created_databases: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        import migrations
        from ledger import embedded as servers
        from tests.support.postgresql import cluster as clusters

        # one failing example is enough; it takes long to find the smallest
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", phases=phases, deadline=None, database=None)
        settings.load_profile("mutants")

        urls = self.urls
        pg = clusters.Postgres(
            urls.owner_url,
            urls.app_url,
            urls.audit_url,
            super_url=urls.super_url,
            bin=Path(urls.bin),
        )

        @contextmanager
        def postgres(_: Path) -> Iterator[clusters.Postgres]:
            yield pg

        @contextmanager
        def valkey(_: Path) -> Iterator[servers.Valkey]:
            yield servers.Valkey(urls.valkey)

        clusters.postgres, servers.valkey = postgres, valkey
        migrations.apply = lambda *_, **__: None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        """Give each mutant databases of its own, which are dropped when it ends."""
        from tests import conftest
        from tests.support import databases

        copy = conftest.copy_database

        def copy_under_own_name(cluster: Any, name: str) -> Any:
            if name.startswith("vola_test_"):
                return copy(cluster, name)
            own = f"{name}_{os.getpid()}"
            self.created_databases.append(own)
            return copy(cluster, own)

        conftest.copy_database = databases.copy_database = copy_under_own_name
        self.use_own_database_numbers()

    def use_own_database_numbers(self) -> None:
        """Give the databases that tests make for themselves names that no other process uses."""
        from tests import conftest

        conftest.database_numbers = count(os.getpid() * 1000)

    def drop_databases(self) -> None:
        """Drop the databases at the end of a process."""
        with psycopg.connect(self.urls.super_url, autocommit=True) as db:
            for name in self.created_databases:
                drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
                db.execute(drop.format(sql.Identifier(name)))
