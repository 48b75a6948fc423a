"""The audit of one session: hashes, sums and projections, checked now."""

from contextlib import nullcontext

from flask import Blueprint, Response, g

from api.auth.access import requires
from api.http.app_state import auditor_pool, event_store
from api.http.problems import overloaded
from api.http.responses import json_response
from api.rate_limit.policy import Policy
from ledger.audit.findings import is_clean
from ledger.audit.run import audit_session, audited_head
from ledger.events.recorded_event import UnknownSession
from ledger.store.database_snapshot import ReplicaLags, database_snapshot

blueprint = Blueprint("audit", __name__, url_prefix="/v1/sessions")


@blueprint.get("/<session>/audit")
@Policy(pool="audits")
@requires("viewer")
def show_audit() -> Response:
    """Check the session and return the findings; 503 while the auditor's replica lags."""
    auditor, leader_pool = auditor_pool(), event_store().pool
    is_leader = auditor is leader_pool  # or else the auditor reads from a replica
    to_leader = nullcontext() if is_leader else leader_pool.connection()
    try:
        with auditor.connection() as db, to_leader as leader, database_snapshot(db, leader):
            findings = audit_session(db, g.session_id)
            head = audited_head(db, g.session_id)
    except ReplicaLags:
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
        }
    )
