"""Who is writing a deal down just now: said again and again while it lasts, and soon forgotten.

Nothing of it is history. No evening is locked for it, so that no deal ever waits for somebody who
only says that he has begun one; and whoever says nothing for a while is not there any more, by the
database's clock. Who reads this asks `ledger.access.stream_heads`, together with the versions.
"""

from uuid import UUID

from ledger.store.connection_pool import Pool

SILENT_SECONDS = 30
"""Somebody who was not heard of for so long has put his phone away, or it has died."""
MAX_PRESENT = 16
"""Told of in one evening at the same time: nobody can make the list long for the others."""

ANNOUNCE = """
INSERT INTO vola.presence AS r (session_id, by, page, deal, started_at, last_seen_at)
SELECT %(session_id)s, %(by)s, %(page)s, %(deal)s,
       (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, clock_timestamp()
 WHERE %(most)s > (
       SELECT count(*) FROM vola.presence o
        WHERE o.session_id = %(session_id)s AND (o.by, o.page) <> (%(by)s, %(page)s)
          AND o.last_seen_at > clock_timestamp() - make_interval(secs => %(silent)s))
ON CONFLICT (session_id, by, page) DO UPDATE
   SET deal = excluded.deal, last_seen_at = excluded.last_seen_at,
       started_at = CASE WHEN r.deal = excluded.deal
                     AND r.last_seen_at > excluded.last_seen_at - make_interval(secs => %(silent)s)
                    THEN r.started_at ELSE excluded.started_at END
"""
DELETE_SILENT = """
DELETE FROM vola.presence WHERE (session_id, by, page) IN (
       SELECT o.session_id, o.by, o.page FROM vola.presence o
        WHERE o.session_id = %(session_id)s
          AND o.last_seen_at <= clock_timestamp() - make_interval(secs => %(silent)s)
          FOR UPDATE SKIP LOCKED)
"""
"""Who is being written by another transaction is alive."""
WITHDRAW = """
DELETE FROM vola.presence
 WHERE session_id = %(session_id)s AND by = %(by)s AND page = %(page)s
"""


def announce(pool: Pool, session_id: UUID, by: str, page: str, deal: int) -> None:
    """This one is writing this deal down. At most MAX_PRESENT are listed."""
    writer = {"session_id": session_id, "by": by, "page": page}
    limits = {"silent": SILENT_SECONDS, "most": MAX_PRESENT}
    with pool.connection() as db:
        db.execute(ANNOUNCE, {**writer, "deal": deal, **limits})
        # After one's own: whoever waits for a row holds no other that somebody here would wait for.
        db.execute(DELETE_SILENT, {"session_id": session_id, **limits})


def withdraw(pool: Pool, session_id: UUID, by: str, page: str) -> None:
    """… and is not any more; nothing happens if it was not."""
    with pool.connection() as db:
        db.execute(WITHDRAW, {"session_id": session_id, "by": by, "page": page})
