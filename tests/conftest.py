"""Real servers for the tests: one cluster a run, one copy of a migrated database a test."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql

import migrations
from ledger import database, servers
from ledger.servers import Postgres, Valkey
from ledger.store import Store
from tests import partitions

numbers = count(1)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: for half of its time a test waits for a page, a disk or
    another process."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vola")


@pytest.fixture(scope="session")
def cluster(data: Path) -> Iterator[Postgres]:
    """One PostgreSQL for the run, its database `vola` migrated and then only copied."""
    with servers.postgres(data) as running:
        migrations.apply(running.owner_url, app_url=running.app_url, audit_url=running.audit_url)
        partitions.cut(Urls(running, "vola").super)
        yield running


@pytest.fixture(scope="session")
def bell(data: Path) -> Iterator[Valkey]:
    with servers.valkey(data) as running:
        yield running


def rung_apart(bell: Valkey, database: int) -> str:
    """The same Valkey, another of its databases: a worker must not answer another test's bell."""
    return bell.url.removesuffix("/0") + f"/{database}"


class Urls:
    """The same database as each of its roles."""

    def __init__(self, cluster: Postgres, name: str) -> None:
        self.app = _renamed(cluster.app_url, name)
        self.owner = _renamed(cluster.owner_url, name)
        self.audit = _renamed(cluster.audit_url, name)
        self.super = _renamed(cluster.super_url, name)


def _renamed(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def copied(cluster: Postgres, name: str) -> Urls:
    copy = sql.SQL("CREATE DATABASE {} TEMPLATE vola OWNER vola_owner STRATEGY file_copy")
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute(copy.format(sql.Identifier(name)))
    return Urls(cluster, name)


@pytest.fixture
def urls(cluster: Postgres) -> Iterator[Urls]:
    """A fresh migrated database, thrown away afterwards."""
    name = f"vola_test_{next(numbers)}"
    drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
    yield copied(cluster, name)
    with psycopg.connect(cluster.super_url, autocommit=True) as db:
        db.execute(drop.format(sql.Identifier(name)))


@pytest.fixture
def store(urls: Urls) -> Iterator[Store]:
    pool = database.pool(urls.app, size=8)
    yield Store(pool)
    pool.close()


@pytest.fixture(scope="session")
def app(cluster: Postgres) -> Iterator[Any]:
    """The Flask app over a database of its own; evenings do not know of each other."""
    with app_over(copied(cluster, "vola_app_tests")) as made:
        yield made


@contextmanager
def app_over(urls: Urls) -> Iterator[Any]:
    """For tests that want a book without what other tests have written."""
    from api.app import create_app

    pool, auditor = database.pool(urls.app, size=8), database.pool(urls.audit, size=2)
    yield create_app(pool, auditor)
    pool.close()
    auditor.close()


class Server:
    """A real `vola serve`: granian, worker and relay, on its own port."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        off = {"VOLA_RATE_LIMITS": "off"}  # all tests come from one address
        self.environment = {**os.environ, **off, **environment, "PORT": str(self.port)}
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "api.cli", "serve"],
                env=self.environment,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.wait_until(lambda: urllib.request.urlopen(f"{self.url}/readyz", timeout=2).read())
        return self

    def wait_until(self, works: Callable[[], object]) -> None:
        deadline = time.monotonic() + 60
        while True:
            try:
                works()
            except OSError:
                assert self.process is not None
                assert self.process.poll() is None, self.log.read_text()
                assert time.monotonic() < deadline, self.log.read_text()
                time.sleep(0.02)  # polling a port, with a deadline
            else:
                return

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


@contextmanager
def serving(environment: dict[str, str], log: Path) -> Iterator[Server]:
    server = Server(environment, log).start()
    try:
        yield server
    finally:
        if server.process is not None and server.process.poll() is None:
            server.stop()


@pytest.fixture(scope="session")
def server(cluster: Postgres, bell: Valkey, data: Path) -> Iterator[Server]:
    """One running server for the whole run, on a database of its own."""
    urls = copied(cluster, "vola_served")
    environment = {
        "DATABASE_URL": urls.app,
        "DATABASE_OWNER_URL": urls.owner,
        "DATABASE_AUDIT_URL": urls.audit,
        "REDIS_URL": rung_apart(bell, 1),
        "VOLA_DATA": str(data),
    }
    with serving(environment, data / "server.log") as running:
        yield running


@pytest.fixture(scope="session")
def server_url(server: Server) -> str:
    return server.url
