"""The audit of one session: hashes, sums and projections, checked now."""

from contextlib import AbstractContextManager, ExitStack, nullcontext

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.app_state import auditor_pool, event_store
from api.http.problems import overloaded
from api.http.responses import json_response
from api.rate_limit.policy import Policy
from ledger.audit.findings import is_clean
from ledger.audit.run import audit_session, audited_head
from ledger.events.recorded_event import UnknownSession
from ledger.store.connection_pool import Connection, Pool
from ledger.store.database_snapshot import RebuildRunning, ReplicaLags, database_snapshot

blueprint = Blueprint("audit", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/audit")
@Policy(pool="audits")
@requires("viewer")
def show_audit() -> Response:
    """Check the session and return the findings; 503 while a rebuild or a lagging follower would
    make them wrong."""
    auditor = auditor_pool()
    try:
        with ExitStack() as stack:
            db = stack.enter_context(auditor.connection())
            leader = stack.enter_context(_leader_connection(auditor))
            stack.enter_context(database_snapshot(db, leader, waits=False))
            findings = audit_session(db, g.session_id)
            head = audited_head(db, g.session_id)
    except (RebuildRunning, ReplicaLags):
        raise overloaded() from None
    if head is None:
        raise UnknownSession
    version, head_hash = head
    return json_response(
        {
            "session": str(g.session_id),
            "version": version,
            "hash": head_hash.hex(),
            "clean": is_clean(findings),
            "findings": findings,
        },
        version,
    )


def _leader_connection(auditor: Pool) -> AbstractContextManager[Connection | None]:
    """Return a connection to the leader where the auditor reads from a follower, else None."""
    pool = event_store().pool
    return nullcontext() if pool is auditor else pool.connection()
