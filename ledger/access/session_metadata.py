"""The metadata of a session outside its events: title, names, and token generations.

Names are stored here and nowhere else, so that they can be erased.
"""

import time
from collections import OrderedDict
from collections.abc import Iterable
from functools import cached_property
from threading import Lock
from typing import NamedTuple
from uuid import UUID

import msgspec
from msgspec.structs import replace

from engine.values import Player
from ledger.events.recorded_event import UnknownSession
from ledger.store.connection_pool import Connection, Pool, autocommit_connection, fetch_value

SECRET = "SELECT secret FROM vola.secret"  # noqa: S105  # a query, not a password
SESSION_METADATA = """
SELECT s.title, s.token_generations,
       (SELECT jsonb_object_agg(p.player_id, p.name) FROM vola.players p
         WHERE p.session_id = s.session_id),
       (SELECT role FROM vola.devices f
         WHERE f.session_id = s.session_id AND f.device_number = %(device_number)s
           AND f.ended_at IS NULL),
       h.version, coalesce(h.access_version, 0),
       EXISTS (SELECT FROM vola.spellings l WHERE l.session_id = s.session_id)
  FROM vola.sessions s LEFT JOIN vola.heads h USING (session_id)
 WHERE s.session_id = %(session_id)s
"""
ROTATE_LINK = """
UPDATE vola.sessions SET token_generations[%(place)s] = token_generations[%(place)s] + 1
 WHERE session_id = %(session_id)s RETURNING token_generations[%(place)s]
"""
REMARKS = "SELECT version, remark FROM vola.remarks WHERE session_id = %(session_id)s"

MAX_GENERATION = 9_999
"""The last one that an author, or an exported group, can have."""
MAX_ROTATIONS = MAX_GENERATION - 1
"""The links that an import issues are of one generation more."""
MAX_CACHED = 512
CACHE_LIFETIME_NS = 60 * 1_000_000_000
"""Metadata holds names, so it is not cached for longer. An append checks the token again, and reads
the names."""


class TooManyRotations(Exception):
    """The link has been replaced as often as a link can be."""


class Generations(NamedTuple):
    """The generations of the links of three roles."""

    host: int
    scorer: int
    viewer: int


class SessionMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """Title, names and generations, as read at a version; 0 if they come from the cache.

    `access_version` counts the links and devices of the session that have ended."""

    title: str | None
    names: dict[Player, str | None]
    generations: Generations
    access_version: int
    version: int = 0
    has_corrected_names: bool = False
    device_role: str | None = None  # of the device in question, if it still has access


class SessionMetadataStore:
    """Reads the metadata of sessions and caches the latest; the secret is read once and never
    changes. Threads may share one store."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._cached: OrderedDict[UUID, tuple[int, SessionMetadata]] = OrderedDict()
        self._lock = Lock()

    @cached_property
    def secret(self) -> bytes:
        with autocommit_connection(self.pool) as db:
            return bytes(fetch_value(db, SECRET))  # which the migration makes

    def remarks(self, session_id: UUID) -> dict[int, str]:
        """Return why deals were corrected or voided and what costs were for, by version."""
        with autocommit_connection(self.pool) as db:
            return dict(db.execute(REMARKS, {"session_id": session_id}).fetchall())

    def load(self, session_id: UUID, device_number: int = 0) -> SessionMetadata:
        """Return the metadata of a session, with the role of a device that still has access.
        Raise UnknownSession."""
        parameters = {"session_id": session_id, "device_number": device_number}
        with autocommit_connection(self.pool) as db:
            row = db.execute(SESSION_METADATA, parameters).fetchone()
        if row is None:
            raise UnknownSession
        title, (host, scorer, viewer), names, role, version, access_version, respelled = row
        metadata = SessionMetadata(
            title=title,
            generations=Generations(host, scorer, viewer),
            names=names or {},
            access_version=access_version,
            version=version,
            has_corrected_names=respelled,
            device_role=role,
        )
        self.put_cached(session_id, metadata)
        return metadata

    def put_cached(self, session_id: UUID, metadata: SessionMetadata) -> None:
        """Cache metadata that was read just now."""
        cached = replace(metadata, version=0, device_role=None)
        with self._lock:
            self._cached[session_id] = time.monotonic_ns() + CACHE_LIFETIME_NS, cached
            self._cached.move_to_end(session_id)
            if len(self._cached) > MAX_CACHED:
                self._cached.popitem(last=False)

    def get_cached(self, session_id: UUID) -> SessionMetadata | None:
        """Return the metadata as it was a short while ago, for an append: it checks the token again
        and returns the names as they are (`EventStore.append`)."""
        with self._lock:
            expires_at, metadata = self._cached.get(session_id, (0, None))
        return metadata if time.monotonic_ns() < expires_at else None


def rotate_link(db: Connection, session_id: UUID, place: int) -> None:
    """Start the next generation of the link at this place of host, scorer, viewer. Raise
    TooManyRotations."""
    generation = fetch_value(db, ROTATE_LINK, {"session_id": session_id, "place": place + 1})
    check_generations([generation])


def check_generations(generations: Iterable[int]) -> None:
    """Raise TooManyRotations if one is beyond the last that a link can be replaced by."""
    if max(generations, default=0) > MAX_ROTATIONS:
        raise TooManyRotations
