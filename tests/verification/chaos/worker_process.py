"""What a process of workers has to do its jobs with, and how a relay of it takes a look."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg_pool import PoolTimeout
from redis import Redis

from ledger.database import Pool
from ledger.store import Store
from tests.chaos import wires
from tests.chaos.effects import Fate
from workers import queue
from workers.relay import Relay


@dataclass(kw_only=True)
class Hands:
    """What a process of workers has: its pool and its Redis, both with its fate."""

    url: str
    pool: Pool
    fate: Fate
    redis: Callable[[Fate], Redis]
    super_url: str

    def relay(self, *, bell: bool = False) -> Relay:
        rung = queue.queue(self.redis(self.fate)) if bell else None
        return Relay(Store(self.pool), self.url, rung)

    def look(self, relay: Relay, *, sweep: bool = False) -> None:
        """A turn of `Relay.run`, with what it forgives."""
        try:
            made = wires.connection_class(self.fate)
            with made.connect(self.url, autocommit=True) as db:
                relay.look(db)
                if sweep:
                    relay.sweep()
        except (psycopg.Error, PoolTimeout) as error:
            logging.getLogger("vola.relay").warning("struck: %s", error)

    def alter(self, statement: str, session_id: UUID) -> None:
        """As somebody at the server would, past every guard."""
        with psycopg.connect(self.super_url, autocommit=True) as db:
            db.execute("SET session_replication_role = replica")
            db.execute(statement, (session_id,))
