"""The servers under all tests of a run: started once, whatever is wrong above them."""

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
class Ground:
    """What `ledger.embedded` gave: plain addresses, so that nothing of ours has to be imported."""

    owner_url: str
    app_url: str
    audit_url: str
    super_url: str
    bin: str
    valkey: str


class Servers:
    """A pytest plugin: the fixtures find running servers and a migrated database."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.made: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        import migrations
        from ledger import embedded as servers
        from tests.support.postgresql import cluster as clusters

        # that an example fails is enough; the smallest that does takes long to find
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", phases=phases, deadline=None, database=None)
        settings.load_profile("mutants")

        ground = self.ground
        pg = clusters.Postgres(
            ground.owner_url,
            ground.app_url,
            ground.audit_url,
            super_url=ground.super_url,
            bin=Path(ground.bin),
        )

        @contextmanager
        def postgres(_: Path) -> Iterator[clusters.Postgres]:
            yield pg

        @contextmanager
        def valkey(_: Path) -> Iterator[servers.Valkey]:
            yield servers.Valkey(ground.valkey)

        clusters.postgres, servers.valkey = postgres, valkey
        migrations.apply = lambda *_, **__: None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        """Databases that no other mutant has, and that are gone when it is."""
        from tests import conftest
        from tests.support import databases

        copy = conftest.copy_database

        def copied(cluster: Any, name: str) -> Any:
            if name.startswith("vola_test_"):
                return copy(cluster, name)
            own = f"{name}_{os.getpid()}"
            self.made.append(own)
            return copy(cluster, own)

        conftest.copy_database = databases.copy_database = copied
        self.own_numbers()

    def own_numbers(self) -> None:
        """In a process of its own: what tests make for themselves has names of its own, too."""
        from tests import conftest

        conftest.database_numbers = count(os.getpid() * 1000)

    def tidy(self) -> None:
        """At the end of a process."""
        with psycopg.connect(self.ground.super_url, autocommit=True) as db:
            for name in self.made:
                drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
                db.execute(drop.format(sql.Identifier(name)))
