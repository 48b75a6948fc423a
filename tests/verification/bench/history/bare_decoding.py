"""The reference for P5: events are read from PostgreSQL and decoded, and nothing else.

Every fold in Python takes at least this long.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg

from ledger.rebuild import process_pool
from ledger.store.read_stream import read_stream

LAST_VERSION = 2**31 - 1


def read_events(db: psycopg.Connection[Any], ids: list[UUID]) -> int:
    """Read and decode the events of these sessions. Return their number."""
    return sum(1 for session_id in ids for _ in read_stream(db, session_id, 0, LAST_VERSION))


def read_events_remotely(ids: list[UUID]) -> int:
    return read_events(process_pool.worker_connection, ids)
