"""Import a checked session in one transaction.

It keeps its id, versions, times, authors and hashes. Access to it and its group are not imported.
Payments that are due in it are settled here. Knows neither HTTP nor files.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from uuid import UUID

import psycopg

from ledger.access.name_spelling import import_spellings
from ledger.proofs.receipts import MAX_COSIGNATURES, store_cosignature
from ledger.proofs.witnesses import store_witness
from ledger.session.session_state import SessionState
from ledger.store.append_request import (
    AppendRequest,
    Changes,
    StoredReply,
    has_due_payments,
    new_reply,
)
from ledger.store.append_sql import write_changes
from ledger.store.connection_pool import Connection, execute_best_effort, fetch_value
from ledger.store.event_store import CLAIM_CREATION_KEY, NOTIFY_DUE, EventStore, creation_reply
from ledger.store.name_matching import is_name_conflict
from ledger.transfer.export_format import Export, InvalidExport
from ledger.transfer.import_check import CheckedExport, has_valid_chain

INSERT_SESSION = """
INSERT INTO vola.sessions (session_id, title, token_generations)
VALUES (%(session_id)s, %(title)s, %(tokens)s)
ON CONFLICT (session_id) DO NOTHING RETURNING session_id
"""
HEAD_VERSION = "SELECT version FROM vola.heads WHERE session_id = %(session_id)s"
INSERT_DEVICE = """
INSERT INTO vola.devices (session_id, device_number, role, made_at, ended_at)
VALUES (%(session_id)s, %(phone)s, 'scorer', %(first)s, %(last)s)
"""
"""A device that wrote events elsewhere: it has no access here, but its number is not used again."""
EVENT_HASH = """
SELECT hash FROM vola.events WHERE session_id = %(session_id)s AND version = %(version)s
"""

NAMELESS_PLAYERS = """
SELECT count(*) FROM vola.players
 WHERE session_id = %(session_id)s AND player_id = ANY(%(players)s) AND name IS NULL
"""
LAST_IMPORTED_VERSION = """
SELECT r.version FROM vola.creation_keys c
  JOIN vola.stored_replies r ON r.session_id = c.session_id AND r.key = c.key
 WHERE c.session_id = %(session_id)s AND starts_with(c.key, '↧ ')
"""
"""Only the creation key shows an import: the events of the session are like any others."""

FILE_KEY = "file "
"""What the key of a file begins with."""


class SessionExists(Exception):
    """The session is stored already: at `version`, or None for a client without its history."""

    def __init__(self, version: int | None) -> None:
        super().__init__(version)
        self.version = version


class DuplicateName(Exception):
    """Two players of the session have matching names."""


def import_key(key: str) -> str:
    """Return the stored form of the key of an import. No client's key can begin like it, and none
    is stored as that of a file."""
    return _stored_key(f"○ {key}" if key.startswith(FILE_KEY) else key)


def file_key(digest: str) -> str:
    """Return the stored form of the key under which `vola import` imports a file of this digest."""
    return _stored_key(FILE_KEY + digest)


def _stored_key(key: str) -> str:
    return f"↧ {sha256(key.encode()).hexdigest()}"


def last_imported_version(db: Connection, session_id: UUID) -> int:
    """Return the last version that was imported; 0 for a session that was opened here."""
    return fetch_value(db, LAST_IMPORTED_VERSION, {"session_id": session_id}) or 0


def find_reply(store: EventStore, request: AppendRequest) -> StoredReply | None:
    """Return the reply stored for this key, if there is one. Raise KeyReused."""
    with store.pool.connection() as db:
        return creation_reply(db, request)


def refuse_existing(store: EventStore, export: Export) -> None:
    """Raise SessionExists before anything is checked that takes long."""
    with store.pool.connection() as db:
        if fetch_value(db, HEAD_VERSION, {"session_id": export.id}) is None:
            return
        hashes = [bytes.fromhex(event.hash) for event in export.events]
        raise SessionExists(
            _matching_version(db, export.id, hashes) if has_valid_chain(export) else None
        )


def lacks_names(store: EventStore, export: Export) -> bool:
    """Return whether the stored session has no name for a player whom the export names. Such a name
    is not imported afterwards: it may have been erased here."""
    players = [name.id for name in export.names or () if name.name is not None]
    with store.pool.connection() as db:
        parameters = {"session_id": export.id, "players": players}
        return bool(fetch_value(db, NAMELESS_PLAYERS, parameters))


def import_session(
    store: EventStore,
    checked: CheckedExport,
    request: AppendRequest,
    show: Callable[[SessionState], object],
    audit: Callable[[Connection, UUID], int | None],
) -> StoredReply:
    """Write the session, or return the reply stored for this key.

    `show` builds a view of the session, so that none is imported which cannot be shown. `audit`
    runs in the same transaction, before the commit, and returns the first version that an audit
    would find fault with (0 for the session as a whole; None for a clean session).
    Raise KeyReused, SessionExists, DuplicateName; InvalidExport for what the audit finds;
    psycopg.errors.LockNotAvailable when another request has been importing the same session for too
    long.
    """
    session = checked.session
    with store.pool.connection() as db:
        claim = {"key": request.key, "session_id": session.id}
        if db.execute(CLAIM_CREATION_KEY, claim).fetchone() is None:
            reply = creation_reply(db, request)
            assert reply is not None
            return reply
        tokens = {"session_id": session.id, "tokens": [checked.generation] * 3}
        if db.execute(INSERT_SESSION, {**tokens, "title": checked.labels.title}).fetchone() is None:
            version = _matching_version(db, session.id, [event.hash for event in checked.recorded])
            db.rollback()  # the key is free again
            raise SessionExists(version)
        try:
            show(session)
        except Exception as error:  # a forged session that cannot be shown
            raise InvalidExport("event_impossible", session.version) from error
        try:
            changes = _write(db, checked, request)
            faulty_version = audit(db, session.id)
            if faulty_version is not None:
                raise InvalidExport("event_impossible", faulty_version or session.version)
            db.commit()
            if has_due_payments(changes):
                execute_best_effort(db, NOTIFY_DUE)
        except psycopg.errors.UniqueViolation as violation:
            if not is_name_conflict(violation):
                raise
            raise DuplicateName from None
        except (psycopg.DataError, psycopg.IntegrityError) as error:
            raise InvalidExport("event_impossible", session.version) from error
    return new_reply(changes)


def _write(db: Connection, checked: CheckedExport, request: AppendRequest) -> Changes:
    session, labels = checked.session, checked.labels
    before, recorded, lines = SessionState(id=session.id), checked.recorded, checked.lines
    changes = Changes(before, session, recorded, lines, labels.names, labels.remarks, request)
    write_changes(db, changes)
    import_spellings(db, session.id, labels.names)
    for cosignature in checked.cosignatures:
        store_cosignature(db, session.id, cosignature, MAX_COSIGNATURES)
    for witness in {witness.key: witness for witness in checked.witnesses}.values():
        store_witness(db, session.id, witness)
    for number, (first, last) in checked.devices.items():
        parameters = {"session_id": session.id, "phone": number, "first": first, "last": last}
        db.execute(INSERT_DEVICE, parameters)
    return changes


def _matching_version(db: Connection, session_id: UUID, hashes: Sequence[bytes]) -> int | None:
    """Return the stored version of a session if one of the two histories continues the other."""
    version: int | None = fetch_value(db, HEAD_VERSION, {"session_id": session_id})
    if version is None:
        return None
    shared_version = min(version, len(hashes))
    parameters = {"session_id": session_id, "version": shared_version}
    is_same_history = fetch_value(db, EVENT_HASH, parameters) == hashes[shared_version - 1]
    return version if is_same_history else None
