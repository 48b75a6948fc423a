"""Where evenings have come to: their newest versions, what has changed beside them, and who is
writing a deal down just now.

One indexed read, however many are asked for; nothing is folded.
"""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

import msgspec

from ledger.database import Pool
from ledger.recording import MOST, SILENT_SECONDS

LOOK = """
SELECT h.session_id, h.version,
       concat_ws(' ', s.tokens,
           (SELECT count(*) FROM vola.phones o
             WHERE o.session_id = h.session_id AND o.ended_at IS NOT NULL),
           (SELECT count(*) FROM vola.players n
             WHERE n.session_id = h.session_id AND n.name IS NULL)),
       w.by, w.label, w.page, w.deal, w.since
  FROM vola.heads h JOIN vola.sessions s ON s.session_id = h.session_id
  LEFT JOIN LATERAL (
       SELECT r.by, p.label, r.page, r.deal, r.since
         FROM vola.recording r
         LEFT JOIN vola.phones p ON p.session_id = r.session_id AND p.ended_at IS NULL
                                AND r.by = 'phone' || p.phone
        WHERE r.session_id = h.session_id
          AND r.heard > clock_timestamp() - make_interval(secs => %(silent)s)
          AND (p.phone IS NOT NULL OR r.by IN ('host.' || s.tokens[1], 'scorer.' || s.tokens[2]))
        ORDER BY r.since, r.by, r.page LIMIT %(most)s) w ON true
 WHERE h.session_id = ANY(%(session_ids)s)
 ORDER BY h.session_id, w.since, w.by, w.page
"""
"""Whoever's right has ended is told of no more."""

PATIENCE_SECONDS = 1


class Recorder(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who writes a deal down. `by` as in an event, `label` of a phone that has one, `page`
    as it calls itself; `since` in microseconds since 1970, UTC."""

    by: str
    label: str | None
    page: str
    deal: int
    since: int


class Head(NamedTuple):
    """An evening as somebody sees it who only looks whether there is news. `beside`: links and
    phones that have been ended and names that have been erased, so far; told apart, and no more."""

    version: int
    beside: str = ""
    recording: tuple[Recorder, ...] = ()


def look(pool: Pool, session_ids: Iterable[UUID]) -> dict[UUID, Head]:
    """All of these that there are. psycopg_pool.PoolTimeout when there is no connection."""
    ask = {"session_ids": list(session_ids), "silent": SILENT_SECONDS, "most": MOST}
    found = dict[UUID, Head]()
    with pool.connection(timeout=PATIENCE_SECONDS) as db:
        for session_id, version, beside, by, label, page, deal, since in db.execute(LOOK, ask):
            before = found.get(session_id, Head(version, beside))
            one = Recorder(by=by, label=label, page=page, deal=deal, since=since) if by else None
            everybody = (*before.recording, *((one,) if one else ()))
            found[session_id] = before._replace(recording=everybody)
    return found
