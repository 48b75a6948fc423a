"""Where evenings have come to: their newest versions, and nothing else of them.

One indexed read, however many are asked for; nothing is folded.
"""

from collections.abc import Iterable
from uuid import UUID

from ledger.database import Pool

VERSIONS = "SELECT session_id, version FROM vola.heads WHERE session_id = ANY(%(session_ids)s)"

PATIENCE_SECONDS = 1


def versions(pool: Pool, session_ids: Iterable[UUID]) -> dict[UUID, int]:
    """The newest versions of all of these. psycopg_pool.PoolTimeout when there is no connection."""
    with pool.connection(timeout=PATIENCE_SECONDS) as db:
        return dict(db.execute(VERSIONS, {"session_ids": list(session_ids)}).fetchall())
