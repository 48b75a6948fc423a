"""Fixtures with real servers: one cluster per run, one copy of a migrated database per test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

import migrations
from ledger import embedded as servers
from ledger.embedded import Valkey
from ledger.store import connection_pool as database
from ledger.store.event_store import EventStore
from tests.support import external_servers
from tests.support.app import app_over
from tests.support.databases import DatabaseUrls, copy_database, drop_database, valkey_url
from tests.support.memory_folder import use_memory_folder
from tests.support.postgresql import cluster as clusters
from tests.support.postgresql import other_version as other_server
from tests.support.postgresql import partitioned_tables as partitions
from tests.support.postgresql.cluster import Postgres
from tests.support.server_process import ServerProcess, run_server

BROWSER_TESTS = "tests/browser/"
database_numbers = count(1)


def pytest_configure(config: pytest.Config) -> None:
    """Keep the run's files in memory. Its worker processes inherit the folder from the first."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script
        signal.signal(signal.SIGINT, signal.default_int_handler)  # servers under test inherit it
    if not hasattr(config, "workerinput"):
        config.add_cleanup(use_memory_folder())


def pytest_xdist_auto_num_workers() -> int:
    """Return the number of processors plus one, since a test spends half of its time waiting for a
    page, a disk or another process."""
    return (os.cpu_count() or 1) + 1


class FileScheduling(LoadScopeScheduling):
    """A scheduler that gives out whole files, so that their fixtures are made once, but browser
    tests one by one."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if nodeid.startswith(BROWSER_TESTS) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling:
    return FileScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put browser tests last: no process runs a long file at the end while the others are idle."""
    items.sort(key=lambda item: item.nodeid.startswith(BROWSER_TESTS))


def pytest_collection_finish() -> None:
    """Leave thousands of collected tests out of every later garbage collection."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report the server versions that no test ran on."""
    for major in other_server.OLD:
        if not other_server.installed(major):
            terminalreporter.write_line(other_server.missing(major), yellow=True)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vola")


@pytest.fixture(scope="session")
def cluster(data: Path) -> Iterator[Postgres]:
    """One PostgreSQL for the run, whose database `vola` is migrated and then only copied."""
    programs = other_server.PROGRAMS
    if external_servers.DATABASE_URL:
        ours = external_servers.external_postgres(external_servers.DATABASE_URL)
    elif programs:
        ours = other_server.run_postgresql(Path(programs), data / "other")
    else:
        ours = clusters.postgres(data)
    with ours as running:
        migrations.apply(running.owner_url, app_url=running.app_url, audit_url=running.audit_url)
        partitions.partition_tables(DatabaseUrls(running, "vola").super)
        yield running


@pytest.fixture(scope="session")
def valkey(data: Path) -> Iterator[Valkey]:
    if external_servers.REDIS_URL:
        yield external_servers.external_valkey(external_servers.REDIS_URL)
        return
    with servers.valkey(data) as running:
        yield running


@pytest.fixture
def urls(cluster: Postgres) -> Iterator[DatabaseUrls]:
    """A fresh migrated database, dropped afterwards."""
    name = f"vola_test_{next(database_numbers)}"
    yield copy_database(cluster, name)
    drop_database(cluster, name)


@pytest.fixture
def environment(urls: DatabaseUrls, data: Path) -> dict[str, str]:
    """The environment of a `vola` command for that database."""
    return {
        **urls.environment,
        "VOLA_DATA": str(data),
    }


@pytest.fixture
def store(urls: DatabaseUrls) -> Iterator[EventStore]:
    pool = database.open_pool(urls.app, size=8)
    yield EventStore(pool)
    pool.close()


@pytest.fixture(scope="session")
def app(cluster: Postgres) -> Iterator[Any]:
    """The Flask app on one database of its own for the whole run; sessions are independent."""
    with app_over(copy_database(cluster, "vola_app_tests")) as flask_app:
        yield flask_app


@pytest.fixture(scope="module")
def module_urls(cluster: Postgres) -> Iterator[DatabaseUrls]:
    """A fresh migrated database for the tests of one file."""
    name = f"vola_module_{next(database_numbers)}"
    yield copy_database(cluster, name)
    drop_database(cluster, name)


@pytest.fixture(scope="module")
def module_app(module_urls: DatabaseUrls) -> Iterator[Any]:
    with app_over(module_urls) as flask_app:
        yield flask_app


@pytest.fixture(scope="session")
def server(cluster: Postgres, valkey: Valkey, data: Path) -> Iterator[ServerProcess]:
    """One running server for the whole run, on a database of its own."""
    urls = copy_database(cluster, "vola_served")
    environment = {
        **urls.environment,
        "REDIS_URL": valkey_url(valkey, 1),
        "VOLA_DATA": str(data),
    }
    with run_server(environment, data / "server.log") as running:
        yield running


@pytest.fixture(scope="session")
def server_url(server: ServerProcess) -> str:
    return server.url
