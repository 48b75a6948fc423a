"""Whether the database can be written, and whether due payments are being settled."""

from engine.values import Amount
from ledger.store.connection_pool import Pool

WRITABLE = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'"
OLDEST_DUE = """
SELECT count(*), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - min(due_at)
  FROM projections.payments WHERE status = 'due'
"""

Microseconds = Amount


def read_health(pool: Pool) -> tuple[bool, int, Microseconds]:
    """Return whether the database is writable, how many payments are due, and since how long."""
    with pool.connection() as db:
        row, due = db.execute(WRITABLE).fetchone(), db.execute(OLDEST_DUE).fetchone()
    assert row is not None
    assert due is not None
    return not row[0], due[0], max(0, due[1] or 0)
