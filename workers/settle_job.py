"""The job: settle what an evening owes after a won la vola, if it is still due.

Shallow on purpose. The ledger decides under the evening's lock, so that a second run, also one that
overlaps, finds nothing to do. Who comes settles everything that is due in the evening: its players
see it at once, and it is one commit.
"""

from uuid import UUID

import psycopg
from psycopg_pool import PoolTimeout

from ledger.operations import settlement_failures as stuck
from ledger.operations.counters import Counters
from ledger.store.event_store import EventStore

_context: tuple[EventStore, Counters] | None = None


class NotSettled(Exception):
    """Why an evening could not be settled, in words of ours: RQ logs them, and Redis keeps them."""


def configure(store: EventStore, tallies: Counters | None = None) -> None:
    """The book that jobs of this process settle in."""
    global _context  # RQ names a function, so the process has one book
    _context = store, tallies or Counters(store.pool)


def settle(session_id: str, payment_id: str) -> int:
    """Settle this payment and what else is due with it; how many were settled by this call.

    `payment_id` is what was due when it was rung for; it may have been settled or cancelled since.
    """
    assert _context is not None, "a worker names its book before it works"
    return settle_session(*_context, UUID(session_id), "worker")


def settle_session(
    store: EventStore, tallies: Counters, session_id: UUID, by: str, *, waits: bool = True
) -> int:
    """Settle what is due in an evening. What fails is noted for people to see. NotSettled."""
    try:
        settled = store.settle(session_id, waits=waits)
    except (psycopg.OperationalError, PoolTimeout):
        raise  # the database is away, or the evening is busy: that passes, and says nothing of it
    except Exception as error:
        tallies.add("failed")
        stuck.record_failure(store.pool, session_id, error)
        raise NotSettled(stuck.describe_error(error)) from None
    tallies.add(f"settled_by_{by}" if settled else "absorbed", settled or 1)
    tallies.write()
    return settled
