"""The audit of a session: all checks, in an order in which each one can rely on those before it.

First the hash chain and the receipts: if they fail, no event can be trusted and the audit ends.
Then the fold and the projections, the rules, the sums, what is carried forward, the group, and the
metadata. An audit only reads; an empty list of findings is a clean book.
"""

from collections.abc import Callable, Iterable
from uuid import UUID

from ledger.audit.check_carry_forward import check_carry_forward
from ledger.audit.check_cosignatures import check_cosignatures
from ledger.audit.check_groups import check_groups, check_session_in_group
from ledger.audit.check_hash_chain import StoredStream, check_hash_chain
from ledger.audit.check_metadata import check_metadata
from ledger.audit.check_projections import ImpossibleEvents, check_projections
from ledger.audit.check_receipts import ReceiptClaim, check_receipts
from ledger.audit.check_rules import check_rules
from ledger.audit.check_sums import check_sums
from ledger.audit.findings import Finding
from ledger.store.connection_pool import Connection
from ledger.store.read_stream import HEAD
from ledger.transfer.import_session import last_imported_version

SESSION_IDS = """
SELECT session_id FROM vola.sessions UNION SELECT session_id FROM vola.heads
 UNION SELECT session_id FROM vola.events UNION SELECT session_id FROM vola.players
 UNION SELECT session_id FROM vola.spellings
 UNION SELECT session_id FROM vola.remarks UNION SELECT session_id FROM vola.stored_replies
 UNION SELECT session_id FROM vola.creation_keys
 UNION SELECT session_id FROM projections.payments UNION SELECT session_id FROM projections.journal
 UNION SELECT session_id FROM vola.cosignatures UNION SELECT session_id FROM vola.witnesses
 UNION SELECT session_id FROM vola.group_sessions UNION SELECT session_id FROM vola.attendance
 ORDER BY session_id
"""
"""Every session that occurs in any table, complete or not."""


def audited_head(db: Connection, session_id: UUID) -> tuple[int, bytes] | None:
    """Return the version and the hash that an audit inside this `database_snapshot` sees."""
    return db.execute(HEAD, {"session_id": session_id}).fetchone()


def audit_session(
    db: Connection,
    session_id: UUID,
    receipts: Iterable[ReceiptClaim] = (),
    *,
    with_group: bool = True,
    out_of_time: Callable[[], bool] = lambda: False,
) -> list[Finding]:
    """Return all findings about one session, inside a `database_snapshot`; those about its group
    unless the caller checks that once for all of its sessions. `receipts` are claims about this
    session. Without any, a truncated or completely rewritten history can pass. Raise OutOfTime once
    `out_of_time` returns true: a forged session can be slow to decide again."""
    imported_version = last_imported_version(db, session_id)
    stream = StoredStream(imported_version=imported_version, out_of_time=out_of_time)
    findings = list(check_hash_chain(db, session_id, stream))
    findings += check_receipts(db, stream, receipts)
    if findings:
        return findings  # the other checks would read events that cannot be trusted
    try:
        findings += check_projections(db, session_id, stream)
    except ImpossibleEvents as impossible:
        return [*findings, *impossible.args]
    return [
        *findings,
        *check_rules(db, session_id, stream),
        *check_sums(db, session_id),
        *check_carry_forward(db, session_id, stream),
        *check_session_in_group(db, session_id),
        *((finding for _, finding in check_groups(db, session_id)) if with_group else ()),
        *check_metadata(db, session_id, stream),
        *check_cosignatures(db, session_id, stream),
    ]


def faulty_version(
    db: Connection, session_id: UUID, out_of_time: Callable[[], bool] = lambda: False
) -> int | None:
    """Return the version of the first finding about the book; None if there is none. 0 if the
    finding is about no version in particular. Raise OutOfTime as `audit_session`."""
    all_findings = audit_session(db, session_id, out_of_time=out_of_time)
    findings = (finding for finding in all_findings if finding.about == "book")
    return next((finding.version or 0 for finding in findings), None)
