"""The two processes of a run, simulated in one: each has a pool, a store and an app of its own.

The first has the fault; the other prepares the run, gets in its way, and takes over when the first
is dead.
"""

from __future__ import annotations

from itertools import count
from typing import Self
from uuid import UUID

import psycopg
from flask import Flask
from redis import Redis

from api.app import create_app
from ledger.access.session_metadata import SessionMetadataStore
from ledger.audit.run import audit_session
from ledger.groups.groups import GroupStore
from ledger.proofs.receipts import ReceiptIssuer
from ledger.store import connection_pool as database
from ledger.store.connection_pool import Pool
from ledger.store.database_snapshot import database_snapshot
from ledger.store.event_store import NOW, EventStore
from tests.support.databases import DatabaseUrls
from tests.verification.chaos.boundaries import breakable_connections
from tests.verification.chaos.boundaries.concurrent_request import OTHER_PROCESS
from tests.verification.chaos.boundaries.fault_injection import FaultInjector
from tests.verification.chaos.boundaries.scenarios import Host
from tests.verification.chaos.boundaries.worker_context import WorkerContext
from workers.outbox_relay import OutboxRelay

DUE_COUNT = "SELECT count(*) FROM projections.payments WHERE session_id = %s AND status = 'due'"
NO_FSYNC = """
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database());
END $$
"""
"""These runs neither kill PostgreSQL nor test the disk."""


class TwoProcesses:
    """The processes and their servers, for any number of runs. A context manager."""

    def __init__(self, urls: DatabaseUrls, redis_url: str) -> None:
        self.urls, self.redis_url = urls, redis_url
        self.key_numbers = count(1)
        self.injector = FaultInjector()
        self.superuser = psycopg.connect(urls.super, autocommit=True)
        self.superuser.execute(NO_FSYNC)
        self.auditor = psycopg.connect(urls.audit)
        self.listener = psycopg.connect(urls.app, autocommit=True)
        self.faulty_pool = breakable_connections.breakable_pool(urls.app, self.injector)
        self.clean_pool = database.open_pool(urls.app, name=OTHER_PROCESS)
        self.faulty_app = create_app(self.faulty_pool)
        self.clean_app = create_app(self.clean_pool)
        self.host = Host(self.clean_app.test_client(), self._settle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for resource in (
            self.faulty_pool,
            self.clean_pool,
            self.superuser,
            self.auditor,
            self.listener,
        ):
            resource.close()

    def restart_process(self) -> None:
        """Start a new process: with empty caches and, if the last one died, new connections."""
        died = self.injector.dead
        self.injector.restart_process()
        if died:
            self.faulty_pool.drain()
        reset_stores(self.faulty_app, self.faulty_pool)

    def warm_cache(self, evenings: list[UUID]) -> None:
        """Cache these evenings as after a write of this process: it appends in one round trip."""
        store: EventStore = self.faulty_app.extensions["store"]
        for evening in evenings:
            store.load(evening)
        row = self.superuser.execute(NOW).fetchone()
        assert row is not None
        store._clock.observe(row[0])

    def worker_context(self, pool: Pool, injector: FaultInjector) -> WorkerContext:
        return WorkerContext(
            url=self.urls.app,
            pool=pool,
            injector=injector,
            redis=self.redis,
            super_url=self.urls.super,
        )

    def redis(self, injector: FaultInjector) -> Redis:
        return breakable_connections.breakable_redis(self.redis_url, injector)

    def _settle(self, evening: UUID) -> None:
        EventStore(self.clean_pool).settle(evening)

    def poll(self) -> None:
        """Poll once, as the relay does four times a second."""
        OutboxRelay(EventStore(self.clean_pool), self.urls.app, None).poll(self.listener)

    def audit(self, evenings: list[UUID]) -> list[str]:
        findings: list[str] = []
        with database_snapshot(self.auditor):
            for evening in evenings:
                findings += [
                    f"{finding.code}: {finding.detail}"
                    for finding in audit_session(self.auditor, evening)
                ]
        for evening in evenings:
            if self.superuser.execute(DUE_COUNT, (evening,)).fetchone() != (0,):
                findings.append(f"something is still due in {evening}")
        return findings


def reset_stores(app: Flask, pool: Pool) -> None:
    stores = {
        "store": EventStore,
        "receipts": ReceiptIssuer,
        "session_metadata": SessionMetadataStore,
        "groups": GroupStore,
    }
    for name, kind in stores.items():
        app.extensions[name] = kind(pool)
