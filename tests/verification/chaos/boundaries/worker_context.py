"""The resources of a worker process, and a single poll of its relay."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg_pool import PoolTimeout
from redis import Redis

from ledger.store.connection_pool import Pool
from ledger.store.event_store import EventStore
from tests.verification.chaos.boundaries import breakable_connections
from tests.verification.chaos.boundaries.fault_injection import FaultInjector
from workers import queue
from workers.outbox_relay import OutboxRelay


@dataclass(kw_only=True)
class WorkerContext:
    """What a worker process has: its pool and its Redis; the injector can break both."""

    url: str
    pool: Pool
    injector: FaultInjector
    redis: Callable[[FaultInjector], Redis]
    super_url: str

    def relay(self, *, enqueue: bool = False) -> OutboxRelay:
        settlement_queue = queue.open_queue(self.redis(self.injector)) if enqueue else None
        return OutboxRelay(EventStore(self.pool), self.url, settlement_queue)

    def poll(self, relay: OutboxRelay, *, sweep: bool = False) -> None:
        """Poll once as `OutboxRelay.run` does, and ignore the errors that it ignores."""
        try:
            connection_type = breakable_connections.connection_class(self.injector)
            with connection_type.connect(self.url, autocommit=True) as db:
                relay.poll(db)
                if sweep:
                    relay.clean_up()
        except (psycopg.Error, PoolTimeout) as error:
            logging.getLogger("vola.relay").warning("poll with a fault: %s", error)

    def alter(self, statement: str, session_id: UUID) -> None:
        """Change a session as an operator could who bypasses every trigger."""
        with psycopg.connect(self.super_url, autocommit=True) as db:
            db.execute("SET session_replication_role = replica")
            db.execute(statement, (session_id,))
