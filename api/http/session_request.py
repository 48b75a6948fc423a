"""Read, or append to, the session or the group that a request names."""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from flask import g, request

from api.http.app_state import event_store, permitted_groups
from api.http.idempotency import append_request, optional_version
from api.http.problems import Problem
from api.http.query_parameters import read_version_or_moment
from ledger.events.recorded_event import UnknownSession
from ledger.events.timestamps import to_microseconds
from ledger.groups import group_event_log
from ledger.groups.stored_replies import GroupReply
from ledger.session.session_state import SessionState
from ledger.store import metadata_write
from ledger.store.append_request import (
    AppendRequest,
    AppendResult,
    Decision,
    ExpectedVersion,
    StoredReply,
)
from ledger.store.connection_pool import Connection
from ledger.store.event_store import Decide


def read_session() -> SessionState:
    """Return the request's session as it stands, or as it stood `?at=` a version or a moment. Raise
    Problem 404 for a version that it never had, or InvalidFields."""
    store, version = event_store(), read_version_or_moment("at")
    try:
        if isinstance(version, datetime):
            version = store.version_at(g.session_id, to_microseconds(version))
            if version is None:
                raise UnknownSession
        return store.load(g.session_id, version)
    except UnknownSession:
        raise Problem(404, "unknown_version", version=request.args.get("at")) from None


def append(decide: Decide, expected: ExpectedVersion | None = None) -> AppendResult:
    """Append what `decide` returns for the request's session, once per key. Raise
    as `EventStore.append` does."""

    def decide_or_refuse(session: SessionState) -> Decision:
        prepare_refusals(session)
        return decide(session)

    return event_store().append(g.session_id, append_request(expected), decide_or_refuse)


def prepare_refusals(session: SessionState) -> None:
    """Set what the sentence of a refusal may need: the currency, and where the session goes on."""
    g.currency, g.carried_to = session.opening.currency, session.carried_to


def change_metadata(
    change: Callable[[Connection], dict[str, object] | None],
    session_id: UUID | None = None,
    request: AppendRequest | None = None,
) -> StoredReply:
    """Apply a change to what the session's events do not hold, once per key.

    `change` returns the operands of the reply, if it has any. By default the session is the one
    that the token gives access to.
    """
    return metadata_write.write_metadata(
        event_store().pool,
        session_id or g.session_id,
        request or append_request(optional_version()),
        lambda db: change(db) or {},
    )


def append_to_group(
    decide: group_event_log.Decide, request: AppendRequest | None = None
) -> GroupReply:
    """Append what `decide` returns for the request's group, once per key. Raise as
    `group_event_log.append_to_group` does."""
    return group_event_log.append_to_group(
        permitted_groups(), g.group.id, request or append_request("any"), decide
    )


def append_after_sessions(decide: group_event_log.DecideAfterSessions) -> GroupReply:
    """Append as `append_to_group`, where `decide` gets every session of the group as well."""
    return group_event_log.append_after_sessions(
        permitted_groups(), event_store(), g.group.id, append_request("any"), decide
    )
