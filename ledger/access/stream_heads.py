"""The heads of sessions: version, a stamp of the metadata, and who is entering a deal.

One indexed read for any number of sessions; nothing is folded.
"""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

import msgspec

from ledger.access.presence import MAX_PRESENT, SILENT_SECONDS
from ledger.store.connection_pool import Pool

STREAM_HEADS = """
SELECT h.session_id, h.version,
       concat_ws(' ', s.token_generations,
           (SELECT count(*) FROM vola.devices o
             WHERE o.session_id = h.session_id AND o.ended_at IS NOT NULL),
           (SELECT count(*) FROM vola.players n
             WHERE n.session_id = h.session_id AND n.name IS NULL),
           (SELECT count(*) FROM vola.spellings c WHERE c.session_id = h.session_id)),
       w.by, w.label, w.deal, w.started_at, w.page
  FROM vola.heads h JOIN vola.sessions s ON s.session_id = h.session_id
  LEFT JOIN LATERAL (
       SELECT r.by, p.label, r.page, r.deal, r.started_at
         FROM vola.presence r
         LEFT JOIN vola.devices p ON p.session_id = r.session_id AND p.ended_at IS NULL
                                AND r.by = 'phone' || p.device_number
        WHERE r.session_id = h.session_id
          AND abs(extract(epoch FROM clock_timestamp() - r.last_seen_at)) < %(silent)s
          AND (p.device_number IS NOT NULL
               OR r.by IN ('host.' || s.token_generations[1], 'scorer.' || s.token_generations[2]))
        ORDER BY r.started_at, r.by, r.page LIMIT %(most)s) w ON true
 WHERE h.session_id = ANY(%(session_ids)s)
 ORDER BY h.session_id, w.started_at, w.by, w.page
"""
"""Presence of an ended link or a revoked device is left out."""

POOL_TIMEOUT_SECONDS = 1


class Presence(msgspec.Struct, frozen=True):
    """Someone who is entering a deal: `by` as in an event, the `label` of a device that has one,
    and `page`, the id that the page gave itself. `started_at` in microseconds since 1970, UTC."""

    by: str
    label: str | None
    deal: int
    started_at: int
    page: str


class StreamHead(NamedTuple):
    """What a client that waits for news of a session needs to know. `metadata_stamp` changes when a
    link or a device ends or a name is corrected or erased; it has no meaning of its own."""

    version: int
    metadata_stamp: str = ""
    presences: tuple[Presence, ...] = ()


def read_heads(pool: Pool, session_ids: Iterable[UUID]) -> dict[UUID, StreamHead]:
    """Return the heads of those sessions that exist. psycopg_pool.PoolTimeout."""
    parameters = {"session_ids": list(session_ids), "silent": SILENT_SECONDS, "most": MAX_PRESENT}
    heads: dict[UUID, StreamHead] = {}
    with pool.connection(timeout=POOL_TIMEOUT_SECONDS) as db:
        rows = db.execute(STREAM_HEADS, parameters)
        for session_id, version, stamp, by, *other_fields in rows:
            head = heads.setdefault(session_id, StreamHead(version, stamp))
            if by:
                presence = Presence(by, *other_fields)
                heads[session_id] = head._replace(presences=(*head.presences, presence))
    return heads
