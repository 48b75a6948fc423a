"""What a process of workers has to do its jobs with, and how a relay of it takes a look."""

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
from tests.verification.chaos import breakable_connections
from tests.verification.chaos.fault_injection import FaultInjector
from workers import queue
from workers.outbox_relay import OutboxRelay


@dataclass(kw_only=True)
class WorkerContext:
    """What a process of workers has: its pool and its Redis, both with its fate."""

    url: str
    pool: Pool
    injector: FaultInjector
    redis: Callable[[FaultInjector], Redis]
    super_url: str

    def relay(self, *, enqueue: bool = False) -> OutboxRelay:
        settlement_queue = queue.open_queue(self.redis(self.injector)) if enqueue else None
        return OutboxRelay(EventStore(self.pool), self.url, settlement_queue)

    def poll(self, relay: OutboxRelay, *, sweep: bool = False) -> None:
        """A turn of `Relay.run`, with what it forgives."""
        try:
            connection_type = breakable_connections.connection_class(self.injector)
            with connection_type.connect(self.url, autocommit=True) as db:
                relay.poll(db)
                if sweep:
                    relay.clean_up()
        except (psycopg.Error, PoolTimeout) as error:
            logging.getLogger("vola.relay").warning("struck: %s", error)

    def alter(self, statement: str, session_id: UUID) -> None:
        """As somebody at the server would, past every guard."""
        with psycopg.connect(self.super_url, autocommit=True) as db:
            db.execute("SET session_replication_role = replica")
            db.execute(statement, (session_id,))
