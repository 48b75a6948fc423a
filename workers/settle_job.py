"""The job that settles la vola: what is due in a session, in one commit. Of more than
MAX_SETTLED_AT_ONCE payments the rest stays due, and the relay goes on.

The event store decides under the session's lock which payments are due, so that a second or an
overlapping run settles nothing. The outbox relay settles in the same way where no worker takes the
job. What is due, and what settles it: ledger/projections/la_vola_payments.py.
"""

from typing import Literal
from uuid import UUID

import psycopg

from ledger.operations import settlement_failures
from ledger.operations.counters import Counters
from ledger.store.event_store import EventStore

TEMPORARY_STATES = ("08", "40", "57P", "25006", "53100", "53300", "55P03")
"""Beginnings of the SQLSTATE of an error that has nothing to do with the session: the connection
was lost, a deadlock was broken, the server stops or can only be read, its disk or its connections
are used up, another request holds the session."""

_context: tuple[EventStore, Counters] | None = None


class NotSettled(Exception):
    """Why a session could not be settled; without personal data, because RQ logs the message and
    Redis stores it."""


def configure(store: EventStore, counters: Counters | None = None) -> None:
    """Set the event store that the jobs of this process settle in."""
    global _context  # RQ calls a function by its name, with arguments that fit in JSON
    _context = store, counters or Counters(store.pool)


def settle(session_id: str, payment_id: str) -> int:
    """Run one job: settle what is due in the session; return how many payments. `payment_id`, the
    payment that the relay found due, is not used. Jobs have it because they may be enqueued by an
    older version and run by this one, or the other way round during an upgrade. Raise
    NotSettled."""
    assert _context is not None, "a worker calls configure() first"
    try:
        return settle_session(*_context, UUID(session_id), "worker")
    except psycopg.Error:  # RQ would log its message; the relay tries next, and logs why it cannot
        return 0


def _is_temporary(error: Exception) -> bool:
    """Whether the error says nothing about the session. Others of the server, such as a statement
    that takes too long or too much memory, may come back each time, so they are recorded."""
    if not isinstance(error, psycopg.Error):
        return False
    if error.sqlstate is None:  # the server said nothing: it is out of reach, as in a PoolTimeout
        return isinstance(error, psycopg.OperationalError)
    return error.sqlstate.startswith(TEMPORARY_STATES)


def settle_session(
    store: EventStore,
    counters: Counters,
    session_id: UUID,
    by: Literal["worker", "relay"],
    *,
    waits: bool = True,
) -> int:
    """Settle what is due in a session and return how many payments; `waits` as in
    `EventStore.settle`. Raise NotSettled after recording a failure for people to see; an error that
    says nothing about the session is raised as it is, and not recorded."""
    try:
        settled = store.settle(session_id, waits=waits)
    except Exception as error:
        if _is_temporary(error):
            raise
        counters.add("failed")
        settlement_failures.record_failure(store.pool, session_id, error)
        raise NotSettled(settlement_failures.describe_error(error)) from None
    # "absorbed" counts the runs that found nothing left to settle
    counters.add(f"settled_by_{by}" if settled else "absorbed", settled or 1)
    counters.write()
    return settled
