"""Presence: who is entering a deal at the moment, announced again and again while it lasts.

Presence is not part of history and takes no session's lock, so no write waits for it. An
announcement that is not repeated expires by the database's clock; one from the future, written
before that clock was set back, has expired. `ledger.access.stream_heads` reads it together with
the versions.
"""

from uuid import UUID

from ledger.store.connection_pool import Pool

SILENT_SECONDS = 30
"""An announcement expires after this long: the phone was put away, or its battery is empty."""
MAX_PRESENT = 16
"""The most entries of one session, so that no client can make the list long for others."""

ANNOUNCE = """
INSERT INTO vola.presence AS r (session_id, by, page, deal, started_at, last_seen_at)
SELECT %(session_id)s, %(by)s, %(page)s, %(deal)s,
       (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, clock_timestamp()
 WHERE %(most)s > (
       SELECT count(*) FROM vola.presence o
        WHERE o.session_id = %(session_id)s AND (o.by, o.page) <> (%(by)s, %(page)s)
          AND abs(extract(epoch FROM clock_timestamp() - o.last_seen_at)) < %(silent)s)
ON CONFLICT (session_id, by, page) DO UPDATE
   SET deal = excluded.deal, last_seen_at = excluded.last_seen_at,
       started_at = CASE WHEN r.deal = excluded.deal
                     AND abs(extract(epoch FROM excluded.last_seen_at - r.last_seen_at))
                         < %(silent)s
                    THEN r.started_at ELSE excluded.started_at END
"""
DELETE_SILENT = """
DELETE FROM vola.presence WHERE (session_id, by, page) IN (
       SELECT o.session_id, o.by, o.page FROM vola.presence o
        WHERE o.session_id = %(session_id)s
          AND abs(extract(epoch FROM clock_timestamp() - o.last_seen_at)) >= %(silent)s
          FOR UPDATE SKIP LOCKED)
"""
"""Skips rows that another transaction is writing: their announcements are being repeated."""
DELETE_PRESENCE = """
DELETE FROM vola.presence
 WHERE session_id = %(session_id)s AND by = %(by)s AND page = %(page)s
"""


def announce(pool: Pool, session_id: UUID, by: str, page: str, deal: int) -> None:
    """Announce who is entering which deal. At most MAX_PRESENT are listed."""
    writer = {"session_id": session_id, "by": by, "page": page}
    limits = {"silent": SILENT_SECONDS, "most": MAX_PRESENT}
    with pool.connection() as db:
        db.execute(ANNOUNCE, {**writer, "deal": deal, **limits})
        # last, so that a transaction that waits for a row here holds none that others wait for
        db.execute(DELETE_SILENT, {"session_id": session_id, **limits})


def withdraw(pool: Pool, session_id: UUID, by: str, page: str) -> None:
    """Withdraw an announcement, if there is one."""
    with pool.connection() as db:
        db.execute(DELETE_PRESENCE, {"session_id": session_id, "by": by, "page": page})
