"""Read, or append to, the session that a request names."""

from collections.abc import Callable
from datetime import datetime

import msgspec
from flask import g, request

from api.http.app_state import event_store, session_metadata
from api.http.idempotency import append_request, metadata_request
from api.http.problems import Problem
from api.http.query_parameters import MICROSECOND, read_version_or_moment
from api.http.responses import encode_json
from engine.values import Player
from ledger.events.recorded_event import RecordedEvent, UnknownSession
from ledger.events.timestamps import EPOCH
from ledger.session.session_state import SessionState
from ledger.store import metadata_write
from ledger.store.append_request import Decision, ExpectedVersion, StoredReply
from ledger.store.connection_pool import Connection

Decide = Callable[[SessionState], Decision]
Render = Callable[[SessionState, tuple[RecordedEvent, ...]], bytes]
MetadataChange = Callable[[Connection], dict[str, object]]
"""Writes in the given transaction, and returns the body of the reply."""


def read_session() -> SessionState:
    """Return the request's session as it stands, or as it stood `?at=` a version or a moment."""
    store, version = event_store(), read_version_or_moment("at")
    try:
        if isinstance(version, datetime):
            version = store.version_at(g.session_id, (version - EPOCH) // MICROSECOND)
            if version is None:
                raise UnknownSession
        return store.load(g.session_id, version)
    except UnknownSession:
        raise Problem(404, "unknown_version", version=request.args.get("at")) from None


def append(decide: Decide, render: Render, expected: ExpectedVersion | None = None) -> StoredReply:
    """Append what `decide` makes of the request's session, and return the stored reply.

    `render` is called inside the transaction, with the session after the append.
    """

    def decide_in_currency(session: SessionState) -> Decision:
        g.currency = session.opening.currency  # a refusal may name amounts
        return decide(session)

    return event_store().append(
        g.session_id,
        append_request(expected),
        decide_in_currency,
        render,
        _refresh_names,
        g.metadata,
    )


def _refresh_names(names: dict[Player, str | None]) -> None:
    """Replace the cached names by those read under the session's lock."""
    g.metadata, g.names = msgspec.structs.replace(g.metadata, names=names), names
    session_metadata().put_cached(g.session_id, g.metadata)


def change_metadata(change: MetadataChange) -> StoredReply:
    """Apply a change to what the session's events do not hold, and return the stored reply."""
    return metadata_write.write_metadata(
        event_store().pool,
        g.session_id,
        metadata_request(),
        lambda db, _: encode_json(change(db)),
    )
